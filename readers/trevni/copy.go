package trevni

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/splitcopy"
	"github.com/arrowio/arrowio/internal/sinkblocks"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

var _ splitcopy.Copier = (*File)(nil)

// Parts implements splitcopy.Copier. Blocks of different columns end at different rows, so all blocks of a file are one part.
func (f *File) Parts(ctx context.Context) ([]splitcopy.Part, error) {
	all, err := f.copyable(ctx)
	if err != nil || f.header.Rows == 0 {
		return nil, locate(err)
	}
	return []splitcopy.Part{{Rows: f.header.Rows, Bytes: all}}, nil
}

// copyable returns the bytes of all blocks, or why they cannot be copied.
func (f *File) copyable(ctx context.Context) (int64, error) {
	if f.second != nil {
		return 0, f.second
	}
	all := int64(0)
	for i := range f.header.Columns {
		blocks, err := f.allBlocks(ctx, i)
		if err != nil {
			return 0, err
		}
		// Damaged columns may lie over one another.
		if all += storedBytes(&f.header.Columns[i], blocks); all > f.src.Size() {
			e := errs.Errorf(errs.ErrCorrupt, "columns have more than the %d bytes of the file: some overlap", f.src.Size())
			e.Column, e.Off = f.header.Columns[i].Name, f.header.Columns[i].Start
			return 0, e
		}
	}
	if f.header.Rows > 0 && len(f.mayLackSums()) > 0 {
		if _, err := f.zeroSum(ctx); err != nil { // Like compares it
			return 0, err
		}
	}
	return all, nil
}

// allBlocks returns the blocks of column i with those of no rows.
func (f *File) allBlocks(ctx context.Context, i int) ([]trevniwire.Block, error) {
	blocks, err := f.readDescriptors(ctx, i, trevniwire.AllDescriptors)
	return blocks, errs.Locate(err, errs.At{Format: Name, Op: "block descriptors", Column: f.header.Columns[i].Name, Off: errs.N(f.header.Columns[i].Start)})
}

// storedBytes returns the bytes of blocks and their checksums, which follow one another.
func storedBytes(col *trevniwire.Column, blocks []trevniwire.Block) int64 {
	n := int64(0)
	for i := range blocks {
		n += blocks[i].Packed + col.Checksum.Size()
	}
	return n
}

// Like implements splitcopy.Copier. Blocks keep what the header says of them: the columns, their codecs and checksums, the Avro schema.
func (f *File) Like(other splitcopy.Copier) error {
	g, ok := other.(*File)
	if !ok {
		return &splitcopy.Difference{What: "format", First: Name, This: "another"}
	}
	a, b := f.header.Columns, g.header.Columns
	if len(a) != len(b) {
		return &splitcopy.Difference{What: "number of columns", First: fmt.Sprint(len(a)), This: fmt.Sprint(len(b))}
	}
	for i := range a {
		if err := likeColumn(f.header, g.header, i); err != nil {
			return err
		}
	}
	x, y := f.header.Meta.Text(trevniwire.KeyAvro), g.header.Meta.Text(trevniwire.KeyAvro)
	if x != y {
		return &splitcopy.Difference{What: trevniwire.KeyAvro, First: orNone(x), This: orNone(y)}
	}
	f.mu.Lock()
	p := f.zero
	f.mu.Unlock()
	g.mu.Lock()
	q := g.zero
	g.mu.Unlock()
	if p != q && p != trevniwire.Unchecked && q != trevniwire.Unchecked {
		return &splitcopy.Difference{What: "checksums of columns without a codec", First: sumsOf(p), This: sumsOf(q)}
	}
	return nil
}

// sumsOf names what File.zeroSum says.
func sumsOf(v trevniwire.Verdict) string {
	if v == trevniwire.SumAbsent {
		return "none, zeros in their place"
	}
	return "stored"
}

func likeColumn(f, g *trevniwire.Header, i int) error {
	a, b := &f.Columns[i], &g.Columns[i]
	if x, y := a.Meta.Text(trevniwire.KeyName), b.Meta.Text(trevniwire.KeyName); x != y {
		return &splitcopy.Difference{What: fmt.Sprintf("name of column %d", i), First: fmt.Sprintf("%q", x), This: fmt.Sprintf("%q", y)}
	}
	for _, d := range []splitcopy.Difference{
		{What: "type", First: a.Type.String(), This: b.Type.String()},
		{What: "array", First: fmt.Sprint(a.Array), This: fmt.Sprint(b.Array)},
		{What: "parent", First: orNone(a.Meta.Text(trevniwire.KeyParent)), This: orNone(b.Meta.Text(trevniwire.KeyParent))},
		{What: "codec", First: trevniwire.CodecName(a.Codec), This: trevniwire.CodecName(b.Codec)},
		{What: "checksum", First: a.Checksum.String(), This: b.Checksum.String()},
	} {
		if d.First != d.This {
			d.What += " of column " + a.Name
			return &d
		}
	}
	x, y := described(a.Meta), described(b.Meta)
	for _, k := range slices.Sorted(maps.Keys(x)) {
		if v, ok := y[k]; !ok || !bytes.Equal(v, x[k]) {
			return &splitcopy.Difference{What: fmt.Sprintf("metadata %q of column %s", k, a.Name), First: orNone(string(x[k])), This: orNone(string(v))}
		}
		delete(y, k)
	}
	for _, k := range slices.Sorted(maps.Keys(y)) {
		return &splitcopy.Difference{What: fmt.Sprintf("metadata %q of column %s", k, a.Name), First: "none", This: string(y[k])}
	}
	return nil
}

// described returns what the metadata of a column says for its users.
func described(m trevniwire.Meta) map[string][]byte {
	out := map[string][]byte{}
	for _, p := range m.User() {
		if p.Key != trevniwire.KeySorted && p.Key != trevniwire.KeyStats {
			out[p.Key] = p.Value
		}
	}
	return out
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// NewCopy implements splitcopy.Copier.
func (f *File) NewCopy(out io.Writer, o splitcopy.Options) splitcopy.Copy {
	return &copying{out: out, o: o, metadata: map[string][]byte{}}
}

// copying is a file that is made of the blocks of others.
type copying struct {
	out      io.Writer
	o        splitcopy.Options
	files    []*File
	columns  []joinedColumn
	rows     int64
	metadata map[string][]byte
	sums     bool // all files with rows say that their checksums are stored
}

// joinedColumn is one column of all files.
type joinedColumn struct {
	blocks []trevniwire.Block // their places are those in their files
	places []stretch
	stored int64
	bounds []byte // see trevniwire.AppendStatistics
	known  bool   // of all blocks
	values bool   // all descriptors have first values
	sorted bool   // all files say that values ascend, and so do the files

	last trevniwire.Bounds // of the last block so far
	some bool              // there is one
}

// stretch is where the blocks of a column lie in a file.
type stretch struct {
	file int
	off  int64
	len  int64
}

// Holds implements splitcopy.Copy: a column is stored as a whole.
func (c *copying) Holds() bool { return true }

// Add implements splitcopy.Copy.
func (c *copying) Add(ctx context.Context, from splitcopy.Copier, first, end int) error {
	f, ok := from.(*File)
	if !ok || first < 0 || end > 1 {
		return errs.Errorf(errs.ErrInternal, "parts %d to %d of a file that has not so many", first, end)
	}
	if c.files == nil {
		c.columns, c.sums = make([]joinedColumn, len(f.header.Columns)), true
		for i := range c.columns {
			c.columns[i] = joinedColumn{known: true, values: true, sorted: true}
		}
	} else if err := c.files[0].Like(f); err != nil { // it may have changed since it was looked at
		return locate(err)
	}
	for _, p := range f.header.Meta.User() {
		if p.Key == trevniwire.KeyAvro || c.o.Changes(p.Key) {
			continue
		}
		if v, ok := c.metadata[p.Key]; ok && !bytes.Equal(v, p.Value) {
			return locate(splitcopy.Conflict(p.Key))
		}
		c.metadata[p.Key] = p.Value
	}
	c.files = append(c.files, f)
	if f.header.Rows == 0 {
		return nil
	}
	if f.header.Rows > math.MaxInt64-c.rows {
		return locate(errs.Errorf(errs.ErrLimit, "the files have more rows than a file can have"))
	}
	c.rows += f.header.Rows
	if _, stored := f.header.Meta.Get(trevniwire.KeySums); !stored {
		c.sums = false
	}
	for i := range c.columns {
		if err := c.columns[i].add(ctx, f, len(c.files)-1, i); err != nil {
			return locate(err)
		}
	}
	return nil
}

func (j *joinedColumn) add(ctx context.Context, f *File, file, i int) error {
	col := &f.header.Columns[i]
	blocks, err := f.allBlocks(ctx, i)
	if err != nil || len(blocks) == 0 {
		return err
	}
	if len(j.blocks)+len(blocks) > math.MaxInt32 {
		return errs.Errorf(errs.ErrLimit, "column %s has more than %d blocks", col.Name, math.MaxInt32)
	}
	j.blocks = append(j.blocks, blocks...)
	r := stretch{file: file, off: blocks[0].Off, len: storedBytes(col, blocks)}
	j.places = append(j.places, r)
	j.stored += r.len
	j.values = j.values && col.Values && col.Type != trevniwire.Boolean // Java misreads those of several blocks
	stats, has := col.Meta.Get(trevniwire.KeyStats)
	var bounds []trevniwire.Bounds
	if has {
		bounds, err = trevniwire.ParseStatistics(stats, col, withRows(blocks))
	}
	if !has || err != nil || len(bounds) == 0 { // statistics of other blocks are left behind: verify tells of them
		j.known, j.sorted, j.bounds = false, false, nil
		return nil
	}
	if j.known {
		j.bounds = append(j.bounds, stats[trevniwire.StatisticsSize:]...)
	}
	_, ascends := col.Meta.Get(trevniwire.KeySorted)
	j.sorted = j.sorted && ascends && (!j.some || noneAbove(&j.last, &bounds[0], col.Type))
	j.last, j.some = bounds[len(bounds)-1], true
	return nil
}

func withRows(blocks []trevniwire.Block) []trevniwire.Block {
	return slices.DeleteFunc(slices.Clone(blocks), func(b trevniwire.Block) bool { return b.Rows == 0 })
}

// noneAbove reports whether bounds prove that no value of one block is greater than one of the next. NaN is within no bounds.
func noneAbove(a, b *trevniwire.Bounds, t trevniwire.Type) bool {
	if !a.Max || !b.Min {
		return false
	}
	switch t {
	case trevniwire.Int, trevniwire.Long, trevniwire.Fixed32, trevniwire.Fixed64:
		return a.MaxInt <= b.MinInt
	case trevniwire.String, trevniwire.Bytes:
		return bytes.Compare(a.MaxText, b.MinText) <= 0
	}
	return false
}

// Close implements splitcopy.Copy: it writes the file.
func (c *copying) Close(ctx context.Context) error { return locate(c.close(ctx)) }

func (c *copying) close(ctx context.Context) error {
	h := c.header()
	start := int64(0)
	for i := range c.columns {
		h.Columns[i].Start = start
		start += c.columns[i].size(&h.Columns[i])
	}
	head := trevniwire.AppendHeader(nil, h)
	if sink, ok := c.out.(arrowio.Sink); ok {
		if err := sinkblocks.One(sink, int64(len(head))+start); err != nil {
			return err
		}
	}
	if _, err := c.out.Write(head); err != nil {
		return err
	}
	buf := make([]byte, splitcopy.CopyBytes)
	for i := range c.columns {
		if _, err := c.out.Write(c.columns[i].descriptors(&h.Columns[i])); err != nil {
			return err
		}
		for _, r := range c.columns[i].places {
			f := c.files[r.file]
			if err := splitcopy.CopyRange(ctx, c.out, f.src, r.off, r.len, c.o.Progress, buf); err != nil {
				return errs.Locate(err, errs.At{Op: "blocks", Column: h.Columns[i].Name, Off: errs.N(r.off)})
			}
		}
	}
	return nil
}

// header returns that of the new file: the first file's, with what is true of all.
func (c *copying) header() *trevniwire.Header {
	first := c.files[0].header
	h := &trevniwire.Header{Rows: c.rows, Columns: slices.Clone(first.Columns)}
	for _, p := range first.Meta {
		if p.Key == trevniwire.KeyAvro || trevniwire.Reserved(p.Key) && p.Key != trevniwire.KeySums {
			h.Meta = append(h.Meta, p)
		}
	}
	if c.sums && c.rows > 0 {
		h.Meta = append(h.Meta, trevniwire.Pair{Key: trevniwire.KeySums, Value: []byte("stored")})
	}
	for k, v := range c.o.Metadata {
		c.metadata[k] = []byte(v)
	}
	for _, k := range slices.Sorted(maps.Keys(c.metadata)) {
		h.Meta = append(h.Meta, trevniwire.Pair{Key: k, Value: c.metadata[k]})
	}
	for i := range h.Columns {
		col, j := &h.Columns[i], &c.columns[i]
		col.Meta = slices.DeleteFunc(slices.Clone(col.Meta), func(p trevniwire.Pair) bool {
			return p.Key == trevniwire.KeyValues || p.Key == trevniwire.KeySorted || p.Key == trevniwire.KeyStats
		})
		if len(j.blocks) == 0 {
			continue
		}
		if col.Values = j.values; j.values {
			col.Meta = append(col.Meta, trevniwire.Pair{Key: trevniwire.KeyValues})
		}
		if j.sorted {
			col.Meta = append(col.Meta, trevniwire.Pair{Key: trevniwire.KeySorted, Value: []byte("ascending")})
		}
		if j.known {
			col.Meta = append(col.Meta, trevniwire.Pair{Key: trevniwire.KeyStats, Value: trevniwire.AppendStatistics(nil, withRows(j.blocks), j.bounds)})
		}
	}
	return h
}

// size returns the bytes of the column.
func (j *joinedColumn) size(col *trevniwire.Column) int64 {
	return int64(len(j.descriptors(col))) + j.stored
}

// descriptors returns what is in front of the blocks.
func (j *joinedColumn) descriptors(col *trevniwire.Column) []byte {
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+trevniwire.DescriptorSize*len(j.blocks)), uint32(len(j.blocks)))
	for i := range j.blocks {
		k := &j.blocks[i]
		b = trevniwire.AppendDescriptor(b, int(k.Rows), int(k.Raw), int(k.Packed), nil)
		if col.Values {
			b = trevniwire.AppendFirst(b, col.Type, k.First)
		}
	}
	return b
}
