package inspect

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/annotate"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// Dump prints the bytes of the file and what they mean. field is what values are read as, which tells the scale of
// decimals; nil = not known.
func (f *File) Dump(ctx context.Context, w io.Writer, field arrow.DataType) error {
	d := dumper{Writer: annotate.New(w, f.Src, f.Src.Size()), f: f, ctx: ctx, blocks: Blocks{ctx: ctx, f: f}, scale: scaleOf(field)}
	err := d.file()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}

// dumper is one run of Dump.
type dumper struct {
	*annotate.Writer
	f      *File
	ctx    context.Context
	blocks Blocks
	scale  int32
	ranks  [dictionaryBlock + 1]int // of the next block of each kind
}

// note prints a fault of the file. It returns what says nothing about the file.
func (d *dumper) note(err error) error {
	if err == nil || !IsFault(err) {
		return err
	}
	d.Note("! %v", err)
	return nil
}

func (d *dumper) file() error {
	if err := d.header(); err != nil {
		return err
	}
	var faults []error // of the indexes: said behind the blocks, which they are about
	l, err := d.f.Survey(d.ctx, func(err error) error {
		if IsFault(err) && len(faults) < shownFaults {
			faults, err = append(faults, err), nil
		}
		if IsFault(err) {
			err = nil
		}
		return err
	})
	if err != nil {
		return err
	}
	rows := d.rowsOf(l)
	end := int64(0)
	for _, p := range l.Places {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		if d.f.Footer.CheckPointer(p.ptr) != nil {
			continue // said with the index that has it
		}
		if p.ptr.Off < end {
			d.Range(p.ptr.Off, int64(p.ptr.Size), "%s block", p.kind)
			continue
		}
		end = p.ptr.End()
		if err := d.block(p, rows); err != nil {
			return err
		}
	}
	for _, err := range faults {
		d.Note("! %v", err)
	}
	return d.footer()
}

// rowsOf returns the first row of each data block of a column.
func (d *dumper) rowsOf(l *Layout) map[int64]int64 {
	rows := make(map[int64]int64, len(l.Pos.Leaves))
	for _, e := range l.Pos.Leaves {
		rows[e.Ptr.Off] = e.Row
	}
	return rows
}

// header prints the header, which opening the file has read.
func (d *dumper) header() error {
	f := d.f.Footer
	b, err := ReadAt(d.ctx, d.f.Src, 0, f.HeaderSize)
	if err != nil {
		return err
	}
	d.Section("header")
	defer d.End()
	d.Range(0, 8, "magic: version %d", f.Version)
	end := len(b) - d.f.SumSize()
	d.Range(8, 4, "length of the message: %d bytes", end-cfilewire.TailSize)
	d.message(body{raw: b}, cfilewire.TailSize, end, cfilewire.ShapeHeader)
	d.checksum(0, b)
	return nil
}

// footer prints the footer.
func (d *dumper) footer() error {
	f := d.f.Footer
	b, err := ReadAt(d.ctx, d.f.Src, f.FooterOff, d.f.Src.Size()-f.FooterOff)
	if err != nil {
		return err
	}
	d.Section("footer")
	defer d.End()
	at := d.f.SumSize()
	if at > 0 {
		said, is := binary.LittleEndian.Uint32(b), crc32.Checksum(b[at:], crcTable)
		d.Range(f.FooterOff, checksumSize, "%s", sumText(said, is))
	}
	x, end := body{raw: b, off: f.FooterOff}, len(b)-cfilewire.TailSize
	d.message(x, at, end, cfilewire.ShapeFooter)
	version := 2
	if string(b[end:end+8]) == cfilewire.MagicV1 {
		version = 1
	}
	d.say(x, end, end+8, "magic: version %d", version)
	d.say(x, end+8, end+12, "length of the message: %d bytes", end-at)
	return nil
}

func sumText(said, is uint32) string {
	if said != is {
		return fmt.Sprintf("! crc32c %08x, it is %08x", said, is)
	}
	return fmt.Sprintf("crc32c %08x, right", said)
}

// checksum prints what is behind stored bytes at off.
func (d *dumper) checksum(off int64, stored []byte) {
	if d.f.Footer.Checksums {
		said, is := checksums(stored)
		d.Range(off+int64(len(stored)-checksumSize), checksumSize, "%s", sumText(said, is))
	}
}

// body is a block, or a message, and where in the file it is.
type body struct {
	raw []byte
	off int64 // of its first byte; -1 = it is packed
}

// say prints what bytes of a body mean: with the bytes, if they are in the file as they are.
func (d *dumper) say(x body, from, to int, format string, args ...any) {
	if x.off < 0 {
		d.Note(format, args...)
		return
	}
	d.Range(x.off+int64(from), int64(to-from), format, args...)
}

// rest prints the bytes of a body that were not explained, up to a byte.
func (d *dumper) rest(x body, from, to int, what string) {
	if from < to {
		d.say(x, from, to, "%s: %d bytes", what, to-from)
	}
}

// block prints a block.
func (d *dumper) block(p place, rows map[int64]int64) error {
	stored, err := d.blocks.stored(p.ptr)
	if err != nil {
		return err
	}
	rank := d.ranks[p.kind]
	d.ranks[p.kind]++
	switch row, ok := rows[p.ptr.Off]; {
	case p.kind == dictionaryBlock:
		d.Section("dictionary")
	case p.kind != dataBlock:
		d.Section("%s, block %d, level %d", p.kind, rank, p.depth)
	case ok:
		d.Section("data block %d, from row %d", rank, row)
	default:
		d.Section("data block %d", rank)
	}
	defer d.End()
	payload := len(stored) - d.f.SumSize()
	raw, err := d.blocks.open(stored)
	if err := d.note(err); err != nil {
		return err
	}
	if err != nil { // explained as far as that goes
		d.Range(p.ptr.Off, int64(payload), "%d bytes", payload)
		d.checksum(p.ptr.Off, stored)
		return nil
	}
	x := body{raw: raw, off: p.ptr.Off}
	if codec := d.f.Frame.Codec; codec != blockcodec.None {
		x.off = d.sizes(p.ptr.Off, payload, len(raw))
	}
	d.content(p.kind, x)
	d.checksum(p.ptr.Off, stored)
	return nil
}

// sizes prints what is around a compressed block, and returns where its content is, or -1.
func (d *dumper) sizes(off int64, payload, raw int) int64 {
	head := 4
	if d.f.Footer.Version == 1 {
		d.Range(off, 4, "%d bytes packed", payload-8)
		d.Range(off+4, 4, "%d bytes unpacked", raw)
		head = 8
	} else {
		d.Range(off, 4, "%d bytes unpacked", raw)
		if payload-head == raw {
			return off + int64(head) // stored as it is
		}
	}
	d.Range(off+int64(head), int64(payload-head), "%s", d.f.Footer.Compression)
	return -1
}

// content prints what a block holds.
func (d *dumper) content(kind placeKind, x body) {
	at, err := 0, error(nil)
	switch {
	case kind == PositionBlock || kind == ValueBlock:
		at, err = d.index(kind, x)
	case kind == dictionaryBlock:
		at, err = d.strings(x, 0, false)
	case d.f.Kind == cfilewire.BloomFile:
		at, err = d.filter(x)
	default:
		at, err = d.values(x)
	}
	if err != nil {
		d.Note("! %v", err)
	}
	d.rest(x, at, len(x.raw), "the rest")
}

// shownEntries is how many entries of an index block are shown at its beginning; the last is too.
const shownEntries = 4

// index prints a block of an index.
func (d *dumper) index(kind placeKind, x body) (int, error) {
	index, err := cfilewire.ParseIndex(x.raw)
	if err != nil {
		return 0, err
	}
	n := index.Len()
	trailer := int(binary.LittleEndian.Uint32(x.raw[len(x.raw)-4:])) // all of which ParseIndex has checked
	message := len(x.raw) - 4 - trailer
	offsets := message - 4*n
	offset := func(i int) int {
		if i == n {
			return offsets
		}
		return int(binary.LittleEndian.Uint32(x.raw[offsets+4*i:]))
	}
	for i := range n {
		if i >= shownEntries && i < n-1 {
			if i == shownEntries {
				d.say(x, offset(i), offset(n-1), "%s more", plural(n-1-i, "entry", "entries"))
			}
			continue
		}
		key, ptr := index.Entry(i)
		d.say(x, offset(i), offset(i+1), "entry %d: %s -> %d bytes at %d", i, d.indexKey(kind, key), ptr.Size, ptr.Off)
	}
	if n > 0 {
		d.say(x, offsets, message, "offsets of the entries")
	}
	d.message(x, message, len(x.raw)-4, cfilewire.ShapeIndexTrailer)
	d.say(x, len(x.raw)-4, len(x.raw), "length of the message: %d bytes", trailer)
	return len(x.raw), nil
}

func (d *dumper) indexKey(kind placeKind, key []byte) string {
	if kind == PositionBlock {
		row, err := cfilewire.OrdinalKey(key)
		if err != nil {
			return "! " + err.Error()
		}
		return fmt.Sprintf("row %d", row)
	}
	return d.f.keyText(d.scale, key)
}

// filter prints a bloom filter.
func (d *dumper) filter(x body) (int, error) {
	b, err := cfilewire.ParseBloom(x.raw)
	if err != nil {
		return 0, err
	}
	at := len(x.raw) - len(b.Bits)
	d.say(x, 0, 4, "length of the message: %d bytes", at-4)
	d.message(x, 4, at, cfilewire.ShapeBloomHeader)
	d.say(x, at, len(x.raw), "%s", annotate.SetBits(b.Bits))
	return len(x.raw), nil
}

var errCut error = errs.Errorf(errs.ErrCorrupt, "the block ends here")
