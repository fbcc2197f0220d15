package trevni

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/keptrows"
	"github.com/arrowio/arrowio/internal/trevniwire"
	"github.com/arrowio/arrowio/internal/workers"
)

// walkRows bounds the rows that one step of the walk handles: lengths of that many entries are held at once.
const walkRows = 1 << 16

// scratch is what readers of one file reuse: fetched bytes, unpacked blocks, decompressor state.
type scratch struct {
	fetch  []byte
	kept   map[int]*kept                          // by column
	codecs [workers.MostGroups]blockcodec.Decoder // of each group of roots
}

// splitReader decodes one split. See arrowio.SplitReader.
type splitReader struct {
	ctx     context.Context // of the scan that opened it: near sources are read while decoding
	file    *File
	split   arrowio.Split
	schema  *arrow.Schema
	roots   []*root
	groups  workers.Groups // of roots, by number
	share   arrowio.Share  // nil = they are decoded one after another
	columns []*column      // every column in use, in file order: parents before children
	scratch *scratch
	want    arrowio.RowSet // rows that were planned
	runs    []arrowio.RowRange
	windows keptrows.Windows
	row     int64
	rows    int // of the batch being built
	batch   budget
	perRow  int64 // bytes of Arrow memory that a row takes at least
	err     error
}

// budget is what the batch being built may still take. Branches have it in common.
type budget struct {
	left     atomic.Int64
	bytes    int64 // Limits.BatchBytes
	elements int64 // Limits.BatchElements, for each column
}

func (b *budget) take(n int64) error {
	if b.left.Add(-n) < 0 {
		return errs.Errorf(errs.ErrLimit, "the batch is over the limit BatchBytes = %d: take fewer rows", b.bytes)
	}
	return nil
}

// Columns of a near source are read in windows of this size, and smaller ones where there are many columns: they stay in
// the processor's cache until they are decoded.
const (
	windowBytes  = 256 << 10
	windowsBytes = 16 << 20 // all windows of a reader together
)

// read reads a window of a near source.
func (r *splitReader) read(off, n int64, buf []byte) (piece, buf2 []byte, err error) {
	pieces, buf, err := arrowio.ReadRangesInto(r.ctx, r.file.src, []arrowio.ByteRange{{Off: off, Len: n}}, buf, bitpack.SrcSlack)
	if err != nil {
		return nil, buf, err
	}
	return pieces[0], buf, nil
}

// zeroSum is File.zeroSum for the columns of r.
func (r *splitReader) zeroSum() (trevniwire.Verdict, error) { return r.file.zeroSum(r.ctx) }

// root is one top-level field with the columns of its tree, which are walked together.
type root struct {
	node    *node
	mem     *arrowbuf.Arena
	columns []*column
	live    []bool
	row     int64 // where the walk stands: at first where the earliest block that is needed begins
}

// Read plans, fetches and opens the rows of a split.
func (f *File) Read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	sc, _ := f.scratch.Get().(*scratch)
	if sc == nil {
		sc = &scratch{kept: map[int]*kept{}}
	}
	r := &splitReader{ctx: ctx, file: f, split: s, schema: p.Schema, scratch: sc, row: s.Rows.Start}
	r.batch.bytes, r.batch.elements = f.limits.BatchBytes, f.limits.BatchElements
	r.batch.left.Store(r.batch.bytes)
	for i, pf := range p.Fields {
		b := builder{reader: r, mem: &arrowbuf.Arena{Allocator: mem}}
		rt := &root{mem: b.mem, node: b.node(f.tree.Roots[pf.Index], pf, p.Schema.Field(i), nil)}
		rt.columns = b.used
		rt.live = make([]bool, len(b.used))
		r.roots = append(r.roots, rt)
		r.columns = append(r.columns, b.used...)
	}
	for _, c := range r.columns {
		c.window = min(windowBytes, windowsBytes/int64(len(r.columns)))
	}
	r.want = rows.Clip(s.Rows)
	err := r.plan(ctx, r.want)
	if err == nil && len(r.columns) == 0 {
		err = f.confirmRows(ctx)
	}
	r.divide()
	for _, rt := range r.roots {
		rt.row = s.Rows.Start
		for _, c := range rt.columns {
			if len(c.need) > 0 {
				rt.row = min(rt.row, c.need[0].Start)
			}
		}
	}
	if err == nil {
		err = r.fetch(ctx)
	}
	if err != nil {
		_ = r.Close()
		return nil, f.hint(errs.Locate(err, errs.At{Format: Name, Split: errs.N(s.Ordinal)}))
	}
	return r, nil
}

// builder makes the nodes of one root and the columns that they use.
type builder struct {
	reader *splitReader
	mem    *arrowbuf.Arena
	used   []*column
	lists  int // around the node being built
}

// count adds a node to what every row takes.
func (b *builder) count(n *node) {
	if b.lists == 0 {
		b.reader.perRow += n.width + 1
	}
}

// slotWidth returns the bytes of Arrow memory that a slot of a flat type takes at least; bits are left out.
func slotWidth(t arrow.DataType) int64 {
	switch t := t.(type) {
	case *arrow.NullType, *arrow.BooleanType:
		return 0
	case arrow.BinaryDataType: // an offset
		return 4
	case arrow.FixedWidthDataType:
		return int64(t.Bytes())
	}
	return 0
}

// column returns the cursor of a stored column, nil for none. Every column stands at one node only.
func (b *builder) column(i int) *column {
	if i < 0 {
		return nil
	}
	sc := b.reader.scratch
	c := &column{Column: &b.reader.file.header.Columns[i], index: i, batch: &b.reader.batch}
	if c.kept = sc.kept[i]; c.kept == nil {
		c.kept = &kept{}
		sc.kept[i] = c.kept
	}
	c.source = b.reader.read
	c.zero = b.reader.zeroSum
	b.used = append(b.used, c)
	return c
}

// node builds the part of w that pf keeps; above is the column of lengths that may hold the values of a leaf.
func (b *builder) node(w *trevniwire.Node, pf arrowio.ProjectedField, field arrow.Field, above *column) *node {
	n := &node{kind: w.Kind, field: field, enum: b.reader.file.dicts[w], batch: &b.reader.batch}
	n.validity = arrowbuf.NewBits(b.mem)
	if n.opt = b.column(w.Opt); n.opt != nil {
		above = n.opt
	}
	switch w.Kind {
	case trevniwire.Leaf:
		stored := trevniwire.Null
		if w.Own {
			n.own, stored = above, above.Type
		} else if n.col = b.column(w.Col); n.col != nil {
			stored = n.col.Type
		}
		n.leaf = newSink(w, stored, b.mem)
		n.width = slotWidth(field.Type)
		if n.own != nil {
			n.own.width = n.width
		} else if n.col != nil {
			n.col.width = n.width
		}
		b.count(n)
		return n
	case trevniwire.List, trevniwire.Map:
		n.offsets = arrowbuf.NewVec[int32](b.mem)
		n.width = 4
		b.count(n)
		b.lists++
		defer func() { b.lists-- }()
		n.rep = b.column(w.Rep)
		above = n.rep
	case trevniwire.Union:
		n.width = 5
		b.count(n)
		n.types, n.places = arrowbuf.NewVec[int8](b.mem), arrowbuf.NewVec[int32](b.mem)
	}
	for i, f := range arrowtype.Children(field.Type) {
		k := arrowio.ProjectedField{Index: i}
		switch {
		case w.Kind == trevniwire.List:
			k.Children = pf.Children // a projection passes through lists and map values to the struct inside
		case w.Kind == trevniwire.Map && i == 1:
			k.Children = pf.Children
		case w.Kind == trevniwire.Struct && pf.Children != nil:
			k = pf.Children[i]
		}
		n.children = append(n.children, b.node(w.Children[k.Index], k, f, above))
	}
	return n
}

// Skip passes over n rows.
func (r *splitReader) Skip(n int64) (int64, error) { return n, r.walk(n, false) }

// Read appends the next n rows to the batch being built.
func (r *splitReader) Read(n int) (int, error) {
	if err := r.walk(int64(n), true); err != nil {
		return 0, err
	}
	r.rows += n
	return n, nil
}

func (r *splitReader) walk(n int64, read bool) error {
	if r.err == nil {
		r.err = r.split.Rows.Check(r.row, n)
	}
	if r.err != nil {
		return r.err
	}
	err := r.each(func(rt *root) error {
		if err := rt.walk(r.row, false); err != nil {
			return err
		}
		return rt.walk(r.row+n, read)
	})
	r.row += n
	return err
}

// ReadRuns appends runs of rows to the batch being built: see arrowio.RunReader. Rows between runs that are close together may be decoded, too.
func (r *splitReader) ReadRuns(runs []arrowio.RowRange) error {
	row := r.row
	for _, x := range runs {
		if r.err == nil {
			r.err = r.split.Rows.Check(row+x.Start, x.Len())
		}
		if r.err != nil {
			return r.err
		}
		r.row = row + x.End
		r.rows += int(x.Len())
	}
	r.runs = r.runs[:0]
	for _, x := range runs {
		r.runs = append(r.runs, arrowio.RowRange{Start: row + x.Start, End: row + x.End})
	}
	r.windows.Divide(0, r.runs, r.want, false)
	return r.readWindows()
}

// ReadMask appends rows whose bits are set to the batch being built: see arrowio.RunReader, and ReadRuns.
func (r *splitReader) ReadMask(mask []uint64, off, n int) error {
	if r.err == nil {
		r.err = r.split.Rows.Check(r.row, int64(n))
	}
	if r.err != nil {
		return r.err
	}
	r.windows.DivideMask(r.row, mask, off, n, r.want, false)
	r.rows += bitpack.Marks(mask).CountPart(off, n)
	r.row += int64(n)
	return r.readWindows()
}

// readWindows appends the rows of the windows.
func (r *splitReader) readWindows() error {
	return r.each(func(rt *root) error {
		for i := range r.windows.All {
			if err := rt.readWindow(&r.windows.All[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// each calls do for all roots, at the same time where share allows it.
func (r *splitReader) each(do func(rt *root) error) error {
	err := r.groups.Run(r.share, func(i int) error {
		for _, k := range r.groups.Tasks[i] {
			if err := do(r.roots[k]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		r.err = r.file.hint(errs.Locate(err, errs.At{Format: Name, Split: errs.N(r.split.Ordinal)}))
	}
	return r.err
}

// walk reads or skips the rows up to end in segments that no block edge of the tree lies in.
func (t *root) walk(end int64, read bool) error {
	for row := t.row; row < end; row = t.row {
		until, some := end, false
		if read {
			until = min(end, row+walkRows)
		}
		for i, c := range t.columns {
			live, u, err := c.seek(row, until)
			if err != nil {
				return err
			}
			if read && !live {
				return c.fail(errs.Errorf(errs.ErrInternal, "row %d was not planned", row))
			}
			t.live[i], until, some = live, u, some || live
			c.live = live
		}
		var err error
		switch {
		case read:
			err = t.node.read(arrowbuf.AllSlots(int(until - row)))
		case some:
			err = t.node.skip(until - row)
		}
		if err != nil {
			return err
		}
		for i, c := range t.columns {
			if t.live[i] {
				if err := c.finish(until); err != nil {
					return err
				}
			}
		}
		t.row = until
	}
	return nil
}

// Take hands over the batch built so far. The caller releases it.
func (r *splitReader) Take() (arrow.Record, error) {
	if r.err != nil {
		return nil, r.err
	}
	cols := make([]arrow.Array, len(r.roots))
	for i, rt := range r.roots {
		d := rt.node.take()
		cols[i] = array.MakeFromData(d)
		d.Release()
	}
	rec := array.NewRecord(r.schema, cols, int64(r.rows))
	for _, c := range cols {
		c.Release()
	}
	r.rows = 0
	r.batch.left.Store(r.batch.bytes)
	return rec, nil
}

// Close frees what the reader holds.
func (r *splitReader) Close() error {
	for _, rt := range r.roots {
		rt.node.release()
		for i, c := range rt.columns {
			if r.err == nil && rt.live[i] {
				c.leave(rt.row)
			}
		}
	}
	r.roots = nil
	if r.scratch != nil {
		for i := range r.scratch.codecs {
			r.scratch.codecs[i].Release()
		}
		r.file.scratch.Put(r.scratch)
		r.scratch = nil
	}
	r.columns = nil
	if r.err == nil {
		r.err = errClosed
	}
	return nil
}

var errClosed = errors.New("trevni: the split reader is closed")

// Fit estimates, from the sizes of the blocks ahead, how many of the next n rows make the given number of bytes.
func (r *splitReader) Fit(n int, bytes int64) int {
	for ; n > 1; n /= 2 {
		if r.estimate(r.row, r.row+int64(n)) <= bytes {
			return n
		}
	}
	return n
}

// estimate returns about how many bytes of Arrow memory the rows from row to end take: their slots, and what their
// blocks hold of text and of lists.
func (r *splitReader) estimate(row, end int64) int64 {
	total := r.perRow * (end - row)
	for _, c := range r.columns {
		for k := c.block; k < len(c.blocks) && c.blocks[k].Start < end; k++ {
			b := &c.blocks[k]
			if in := min(end, b.End()) - max(row, b.Start); in > 0 {
				total += int64(float64(b.Raw) * float64(in) / float64(b.Rows))
			}
		}
	}
	return total
}
