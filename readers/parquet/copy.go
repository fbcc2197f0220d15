package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/splitcopy"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

var _ splitcopy.Copier = (*parquetFile)(nil)

// Parts implements splitcopy.Copier: the row groups of the file.
func (f *parquetFile) Parts(context.Context) ([]splitcopy.Part, error) {
	if len(f.doubts) > 0 {
		return nil, f.doubts[0]
	}
	if f.footer.Algorithm != "" {
		return nil, errs.Errorf(errs.ErrUnsupported, "row groups of encrypted files cannot be copied: keys are those of a file")
	}
	all := int64(0)
	out := make([]splitcopy.Part, len(f.footer.Groups))
	for i := range f.footer.Groups {
		g := &f.footer.Groups[i]
		out[i].Rows = g.Rows
		for k := range g.Chunks {
			if why := f.refusal(&g.Chunks[k]); why != "" {
				return nil, errs.Locate(errs.Errorf(errs.ErrUnsupported, "%s", why), errs.At{Column: f.paths[k], Split: errs.N(i)})
			}
			out[i].Bytes += g.Chunks[k].Stored
		}
		if all += out[i].Bytes; all > f.src.Size() {
			return nil, errs.Locate(corrupt("column chunks have more than the %d bytes of the file: some overlap", f.src.Size()), errs.At{Split: errs.N(i)})
		}
	}
	return out, nil
}

// Like implements splitcopy.Copier. Codecs are those of column chunks, and may differ; which statistics can be believed depends on
// the writer.
func (f *parquetFile) Like(other splitcopy.Copier) error {
	g, ok := other.(*parquetFile)
	if !ok {
		return &splitcopy.Difference{What: "format", First: "parquet", This: "another"}
	}
	if err := likeColumns(f, g); err != nil {
		return err
	}
	p, err := f.parts()
	if err != nil {
		return err
	}
	q, err := g.parts()
	if err != nil {
		return err
	}
	for _, d := range []splitcopy.Difference{
		{What: "writer", First: orNone(f.footer.CreatedBy), This: orNone(g.footer.CreatedBy)},
		{What: "version of the format", First: strconv.Itoa(int(p.Version)), This: strconv.Itoa(int(q.Version))},
	} {
		if d.First != d.This {
			return &d
		}
	}
	if !bytes.Equal(p.Schema, q.Schema) {
		return &splitcopy.Difference{What: "schema", First: "other field ids or notes about types", This: "the same columns"}
	}
	if !bytes.Equal(p.Orders, q.Orders) {
		return &splitcopy.Difference{What: "order of statistics", First: "another", This: "one"}
	}
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "none that the file names"
	}
	return s
}

// likeColumns compares the columns, and whether they may be null.
func likeColumns(f, g *parquetFile) error {
	a, b := f.footer.Schema, g.footer.Schema
	for i := 1; i < min(len(a), len(b)); i++ {
		if a[i] != b[i] {
			d := &splitcopy.Difference{What: "column " + strconv.Itoa(i), First: describeElement(&a[i]), This: describeElement(&b[i])}
			if d.First == d.This {
				d.First = "the same with another field id or unit"
			}
			return d
		}
	}
	if len(a) != len(b) {
		return &splitcopy.Difference{What: "columns, those with children among them", First: strconv.Itoa(len(a) - 1), This: strconv.Itoa(len(b) - 1)}
	}
	return nil
}

func describeElement(e *decode.Element) string {
	text := fmt.Sprintf("%q of type %s", e.Name, e.Type)
	if k := e.Kind.String(); k != "" {
		text += " " + k
	}
	return text + [...]string{", never null", "", ", repeated"}[e.Repetition%3]
}

// parts divides the footer as it is stored, and keeps what it finds.
func (f *parquetFile) parts() (*decode.FooterParts, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stored != nil {
		return f.stored, nil
	}
	b, err := readFooter(context.Background(), f.src, f.limits)
	if err != nil {
		return nil, err
	}
	p, err := decode.SplitFooter(b)
	if err == nil && len(p.Groups) != len(f.footer.Groups) {
		err = corrupt("the footer has changed")
	}
	if err == nil {
		f.stored = p
	}
	return p, damaged(err)
}

// NewCopy implements splitcopy.Copier.
func (f *parquetFile) NewCopy(out io.Writer, o splitcopy.Options) splitcopy.Copy {
	return &copying{out: out, o: o, metadata: map[string]string{}, buf: make([]byte, splitcopy.CopyBytes)}
}

// copying is a file that is made of row groups of others. Indexes and bloom filters are written behind their row group.
type copying struct {
	out      io.Writer
	o        splitcopy.Options
	first    *parquetFile
	foot     *decode.FooterParts
	groups   [][]byte
	rows     int64
	at       int64
	metadata map[string]string
	buf      []byte
}

func (c *copying) write(b []byte) error {
	n, err := c.out.Write(b)
	c.at += int64(n)
	return err
}

// Add implements splitcopy.Copy.
func (c *copying) Add(ctx context.Context, from splitcopy.Copier, first, end int) error {
	f, ok := from.(*parquetFile)
	if !ok || first < 0 || end > len(f.footer.Groups) {
		return errs.Errorf(errs.ErrInternal, "row groups %d to %d of a file that has not so many", first, end)
	}
	p, err := f.parts()
	if err != nil {
		return err
	}
	if c.first == nil {
		c.first, c.foot = f, p
		if err := c.write([]byte(magic)); err != nil {
			return err
		}
	} else if err := c.first.Like(f); err != nil { // it may have changed since it was looked at
		return err
	}
	for _, kv := range f.footer.Metadata {
		if c.o.Changes(kv.Key) {
			continue
		}
		if v, ok := c.metadata[kv.Key]; ok && v != kv.Value {
			return splitcopy.Conflict(kv.Key)
		}
		c.metadata[kv.Key] = kv.Value
	}
	for i := first; i < end; i++ {
		if err := c.group(ctx, f, i, p.Groups[i]); err != nil {
			return errs.Locate(err, errs.At{Format: "parquet", Split: errs.N(i)})
		}
	}
	return nil
}

// moved says where parts of a column chunk are now.
type moved struct {
	by                           int64 // bytes that pages have moved
	from, to                     int64 // where they were
	bloom, columnIndex           int64
	offsetIndex, offsetIndexSize int64
}

// group copies a row group, and the indexes and bloom filters of its column chunks.
func (c *copying) group(ctx context.Context, f *parquetFile, i int, stored []byte) error {
	g := &f.footer.Groups[i]
	if g.Rows == 0 {
		return nil
	}
	chunks := make([]moved, len(g.Chunks))
	start := c.at
	for k := range g.Chunks {
		x := &g.Chunks[k]
		m := &chunks[k]
		m.from, m.to = x.Start(), f.chunkEnd(x)
		m.by = c.at - m.from
		if err := c.bytes(ctx, f, m.from, m.to-m.from); err != nil {
			return errs.Locate(err, errs.At{Column: f.paths[k], Off: errs.N(m.from)})
		}
	}
	for k := range g.Chunks {
		if err := c.beside(ctx, f, chunkID{i, k}, &chunks[k]); err != nil {
			return errs.Locate(err, errs.At{Column: f.paths[k]})
		}
	}
	b, err := decode.AppendRowGroup(nil, stored, len(c.groups), func(column int, to decode.Place, off int64) int64 {
		if column < 0 {
			return start
		}
		switch m := &chunks[column]; to {
		case decode.PagePlace:
			if off == 0 { // there is none
				return 0
			}
			return off + m.by
		case decode.BloomPlace:
			return m.bloom
		case decode.OffsetIndexPlace:
			return m.offsetIndex
		case decode.OffsetIndexSize:
			return m.offsetIndexSize
		case decode.ColumnIndexPlace:
			return m.columnIndex
		default:
			if off >= m.from && off < m.to {
				return off + m.by
			}
			return 0 // metadata behind the chunk, which are not copied
		}
	})
	if err != nil {
		return damaged(err)
	}
	c.groups = append(c.groups, b)
	c.rows += g.Rows
	return nil
}

// bytes copies n bytes as they are.
func (c *copying) bytes(ctx context.Context, f *parquetFile, off, n int64) error {
	err := splitcopy.CopyRange(ctx, c.out, f.src, off, n, c.o.Progress, c.buf)
	if err == nil {
		c.at += n
	}
	return err
}

// beside copies the bloom filter and the indexes of a column chunk.
func (c *copying) beside(ctx context.Context, f *parquetFile, id chunkID, m *moved) error {
	x := f.chunk(id)
	if x.Bloom >= int64(len(magic)) && x.Bloom < f.end {
		bits, size, err := f.bloomAt(ctx, x.Bloom)
		if err == nil && size == 0 {
			err = errs.Errorf(errs.ErrUnsupported, "a bloom filter of a kind that is not known cannot be copied")
		}
		if err != nil {
			return err
		}
		m.bloom = c.at
		if err := c.bytes(ctx, f, x.Bloom, bits+int64(size)-x.Bloom); err != nil {
			return err
		}
	}
	if e := x.ColumnIndex; e.Len > 0 {
		b, err := f.indexBytes(ctx, e)
		if err != nil {
			return err
		}
		m.columnIndex = c.at
		if err := c.write(b); err != nil {
			return err
		}
	}
	if e := x.OffsetIndex; e.Len > 0 {
		b, err := f.indexBytes(ctx, e)
		if err != nil {
			return err
		}
		if b, err = decode.AppendOffsetIndex(nil, b, m.by); err != nil {
			return damaged(err)
		}
		m.offsetIndex, m.offsetIndexSize = c.at, int64(len(b))
		return c.write(b)
	}
	return nil
}

// indexBytes reads an index.
func (f *parquetFile) indexBytes(ctx context.Context, e decode.Extent) ([]byte, error) {
	if e.Off < 4 || e.Off > f.end || int64(e.Len) > f.end-e.Off || int64(e.Len) > f.limits.MetadataBytes {
		return nil, corrupt("an index of %d bytes at %d, in front of a footer at %d", e.Len, e.Off, f.end)
	}
	b := make([]byte, e.Len)
	return b, readAt(ctx, f.src, b, e.Off)
}

// Holds implements splitcopy.Copy.
func (c *copying) Holds() bool { return false }

// Close implements splitcopy.Copy: it writes the footer.
func (c *copying) Close(context.Context) error {
	foot := *c.foot // which the file keeps
	foot.Groups = c.groups
	maps.Copy(c.metadata, c.o.Metadata)
	var kvs []decode.KeyValue
	for _, k := range slices.Sorted(maps.Keys(c.metadata)) {
		kvs = append(kvs, decode.KeyValue{Key: k, Value: c.metadata[k]})
	}
	b := decode.AppendFooter(nil, &foot, c.rows, kvs, c.first.footer.CreatedBy)
	if len(b) > math.MaxInt32 {
		return errs.Errorf(errs.ErrLimit, "a footer of %d bytes is more than a Parquet file can have; write several files", len(b))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(b)))
	return c.write(append(b, magic...))
}
