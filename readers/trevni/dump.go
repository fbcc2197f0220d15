package trevni

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/arrowio/arrowio/internal/annotate"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cursor"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Dump prints the bytes of the file with their meaning: header, metadata and column starts; then for each column, in the order
// of the file, descriptors and blocks with the results of their checksums, and the first values if they are not compressed.
// Faults are printed where they are found, and the dump continues. Bytes that nothing refers to come last. An error is one of
// reading or writing.
func (f *File) Dump(ctx context.Context, w io.Writer) error {
	d := dumper{Writer: annotate.New(w, f.src, f.src.Size()), f: f, ctx: ctx}
	err := d.header()
	for _, i := range f.byStart() {
		if err == nil {
			err = d.column(i)
		}
	}
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}

// shownEntries is how many values, or lengths and values, of a block are shown one by one.
const shownEntries = 4

// dumper is one run of Dump.
type dumper struct {
	*annotate.Writer
	f      *File
	ctx    context.Context
	blocks blockReader
}

// note prints a fault of the file. It returns what says nothing about the file.
func (d *dumper) note(err error) error {
	if err == nil || !isKind(err) {
		return err
	}
	d.Note("! %v", err)
	return nil
}

// header prints everything in front of the columns. Open has parsed it, so nothing in it can be wrong.
func (d *dumper) header() error {
	h := d.f.header
	b, err := readAt(d.ctx, d.f.src, 0, h.Size)
	if err != nil {
		return err
	}
	d.Section("header")
	defer d.End()
	d.Range(0, 4, "magic: %s, version %d", trevniwire.Magic, h.Version)
	d.Range(4, 8, "%d rows", h.Rows)
	d.Range(12, 4, "%d columns", len(h.Columns))
	c := cursor.New(b[trevniwire.FixedHeader:], trevniwire.FixedHeader)
	d.meta(c, "file metadata")
	for i := range h.Columns {
		d.meta(c, fmt.Sprintf("metadata of column %d", i))
	}
	for i := range h.Columns {
		col := &h.Columns[i]
		d.Range(c.Offset(), 8, "column %d, %s, starts at %d", i, brief(col.Name), col.Start)
		c.Skip(8)
	}
	return c.Err()
}

// meta prints one metadata map.
func (d *dumper) meta(c *cursor.Cursor, title string) {
	d.Section("%s", title)
	defer d.End()
	at := c.Offset()
	n := c.Varint32()
	d.Range(at, c.Offset()-at, "%d pairs", n)
	for range n {
		at := c.Offset()
		k := c.Bytes(int(c.Varint32()))
		v := c.Bytes(int(c.Varint32()))
		d.Range(at, c.Offset()-at, "%s = %s", brief(string(k)), brief(string(v)))
	}
}

// brief quotes text and cuts it to a line.
func brief(s string) string {
	const most = 200
	if len(s) > most {
		return fmt.Sprintf("%q… (%d bytes)", s[:most], len(s))
	}
	return fmt.Sprintf("%q", s)
}

// column prints a column's descriptors and blocks.
func (d *dumper) column(i int) error {
	col := &d.f.header.Columns[i]
	d.Section("column %d: %s", i, describeColumn(d.f.header, col))
	defer d.End()
	blocks, err := d.f.readDescriptors(d.ctx, i, trevniwire.AllDescriptors)
	if err != nil {
		return d.note(err)
	}
	d.Range(col.Start, 4, "%d blocks", len(blocks))
	for k := range blocks {
		b := &blocks[k]
		d.Range(b.Descriptor, trevniwire.DescriptorSize, "descriptor %d: %d rows, raw size %d, packed size %d", k, b.Rows, b.Raw, b.Packed)
		end := blocks[0].Off
		if k+1 < len(blocks) {
			end = blocks[k+1].Descriptor
		}
		if first := b.Descriptor + trevniwire.DescriptorSize; first < end {
			d.Range(first, end-first, "first value %s", firstText(col.Type, b.First))
		}
	}
	for k := range blocks {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		if err := d.block(col, k, &blocks[k]); err != nil {
			return err
		}
	}
	return nil
}

// describeColumn says what kind of column it is.
func describeColumn(h *trevniwire.Header, col *trevniwire.Column) string {
	s := brief(col.Name) + " " + col.Type.String()
	if col.Array {
		s += ", array"
	}
	if col.Parent >= 0 {
		s += ", parent " + brief(h.Columns[col.Parent].Name)
	}
	return s + ", codec " + trevniwire.CodecName(col.Codec) + ", checksum " + col.Checksum.String()
}

// block prints one block and its checksum.
func (d *dumper) block(col *trevniwire.Column, k int, b *trevniwire.Block) error {
	raw, verdict, err := d.blocks.read(d.ctx, d.f, col, b)
	if err != nil && !isKind(err) {
		return err
	}
	if col.Codec == blockcodec.None && b.Packed > 0 && err == nil {
		d.Section("block %d, rows %d to %d", k, b.Start, b.End())
		d.values(col, b, raw)
		d.End()
	} else {
		d.Range(b.Off, b.Packed, "block %d, rows %d to %d, %d bytes unpacked", k, b.Start, b.End(), b.Raw)
	}
	if n := col.Checksum.Size(); n > 0 && err == nil {
		d.Range(b.Off+b.Packed, n, "%s: %s", col.Checksum, verdict)
	} else if n > 0 {
		d.Range(b.Off+b.Packed, n, "%s", col.Checksum)
	}
	return d.note(err)
}

// values prints the first entries of a block that no codec hides, and the rest as one.
func (d *dumper) values(col *trevniwire.Column, b *trevniwire.Block, raw []byte) {
	c := &column{Column: col, blocks: []trevniwire.Block{*b}, raw: raw}
	shown, err := 0, error(nil)
	for shown < shownEntries && c.p < len(raw) && err == nil {
		if col.Type == trevniwire.Null && !col.Array {
			break // bytes that should not be there
		}
		n := int64(1)
		if col.Array {
			at := c.p
			var entries int
			var each int32
			if entries, each, err = c.group(math.MaxInt32); err != nil {
				break
			}
			n = int64(entries) * int64(each)
			switch run := entries + c.run; {
			case c.p == at: // goes on: see group
			case run > 1:
				d.Range(b.Off+int64(at), int64(c.p-at), "run: %d entries of %d", run, each)
			default:
				d.Range(b.Off+int64(at), int64(c.p-at), "length %d", each)
			}
			shown++
		}
		if col.Type == trevniwire.Boolean {
			err = d.bits(c, b, n)
			shown++
			continue
		}
		for ; n > 0 && shown < shownEntries && err == nil && col.Type != trevniwire.Null; n-- {
			err = d.value(c, b)
			shown++
		}
	}
	if err != nil {
		d.Note("! %v", err)
	}
	if c.p < len(raw) {
		d.Range(b.Off+int64(c.p), int64(len(raw)-c.p), "the rest")
	}
}

// value prints the value at c's place.
func (d *dumper) value(c *column, b *trevniwire.Block) error {
	at := c.p
	v, err := c.one()
	if err == nil {
		d.Range(b.Off+int64(at), int64(c.p-at), "%s", firstText(c.Type, v))
	}
	return err
}

// bits prints the bytes that n booleans are in, or all that are left where they go on from row to row.
func (d *dumper) bits(c *column, b *trevniwire.Block, n int64) error {
	at := c.p
	if !c.Array {
		c.p = len(c.raw)
		d.Range(b.Off+int64(at), int64(c.p-at), "bits, lowest first")
		return nil
	}
	if err := c.skip(n); err != nil {
		return err
	}
	if c.alignBits(); c.p > at {
		d.Range(b.Off+int64(at), int64(c.p-at), "%d bits, lowest first", n)
	}
	return nil
}
