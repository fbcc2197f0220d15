package cfile

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/budget"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// content decodes the values of blocks into buffers, nulls left out.
type content interface {
	// open starts a block, which holds the values without their null bitmap.
	open(b []byte) (cfilewire.Head, error)
	// read appends s.N slots, s.Count of which are stored.
	read(s arrowbuf.Slots) error
	// skip passes over stored values.
	skip(n int) error
	// left returns how many stored values of the block are still to come.
	left() int
	// fit returns how many of the next n stored values take at most the given number of bytes, rather fewer; 0 if the
	// first takes more.
	fit(n int, bytes int64) int
	// take hands over what was read since the last take.
	take() parts
	release()
}

// parts is what an array consists of, other than its validity.
type parts struct {
	buffers  []*memory.Buffer
	children []arrow.ArrayData
}

// ColumnOptions says how a column is read.
type ColumnOptions struct {
	Field   arrow.Field     // of the array; its type must be one that the stored type becomes, see Reader.Field
	Rows    arrowio.RowSet  // what will be read
	Mem     *arrowbuf.Arena // of the array
	Budget  *budget.Batch   // of the batch being built
	Window  int64           // bytes of a near file to read at once; 0 = WindowBytes
	Scratch *Scratch        // nil = its own
	Lost    arrowio.RowSet  // rows to leave null, whatever the file has for them
	Strings string          // what to name in errors about text that is none: an option, "" = none
}

// Column decodes the rows of a column, forward only, into one array after another. It belongs to one goroutine. Rows are
// those of the file; only those of ColumnOptions.Rows may be read.
type Column struct {
	file    *Reader
	opt     ColumnOptions
	window  window
	content content
	nulls   cfilewire.RLEBits

	row  int64 // the next row to read or skip
	k    int   // block of the window that is open, or will be
	open bool
	at   int64 // row of the open block where the decoders stand

	validity arrowbuf.Bits
	n, count int   // slots so far, and how many of them have a value
	wide     int64 // bytes of a row, by what Fit has seen; 0 = nothing yet
	err      error
}

// NewColumn opens a column at its first row. The caller releases it.
func (f *Reader) NewColumn(ctx context.Context, o ColumnOptions) (*Column, error) {
	if f.kind == cfilewire.BloomFile {
		return nil, f.inFooter(errs.Errorf(errs.ErrUnsupported, "a bloom filter has no rows: inspect shows what it holds"))
	}
	if o.Scratch == nil {
		o.Scratch = &Scratch{}
	}
	if o.Budget == nil {
		o.Budget = budget.NewBatch(f.limits)
	}
	c := &Column{file: f, opt: o, validity: arrowbuf.NewBits(o.Mem)}
	var err error
	if c.content, err = c.newContent(); err != nil {
		return nil, c.located(err)
	}
	blocks, err := f.blocksOf(ctx, o.Rows)
	if err != nil {
		return nil, locate(err)
	}
	c.window = window{ctx: ctx, src: f.src, bytes: o.Window, scratch: o.Scratch, blocks: blocks}
	if c.window.bytes <= 0 {
		c.window.bytes = WindowBytes
	}
	if !arrowio.Near(f.src) {
		c.window.bytes = f.limits.SplitBytes
	}
	return c, nil
}

// unknown is the end of a block whose rows only the block itself tells.
const unknown = int64(-1)

// blocksOf returns the blocks that hold some of the rows, or all blocks where no index tells which.
func (f *Reader) blocksOf(ctx context.Context, rows arrowio.RowSet) ([]block, error) {
	if f.kind == cfilewire.ColumnFile {
		blocks, err := f.positions(ctx)
		return needed(blocks, rows), err
	}
	entries, err := f.values(ctx)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 && f.footer.Values > 0 {
		return nil, f.inFooter(errs.Errorf(errs.ErrCorrupt, "%d rows and no block in the value index", f.footer.Values))
	}
	blocks := make([]block, len(entries))
	for i, e := range entries {
		blocks[i] = block{ptr: e.ptr, rows: arrowio.RowRange{Start: unknown, End: unknown}}
	}
	return blocks, nil
}

// needed returns the blocks that hold some of the rows.
func needed(blocks []block, rows arrowio.RowSet) []block {
	if len(rows) == 0 {
		return nil
	}
	from, _ := slices.BinarySearchFunc(blocks, rows[0].Start, func(b block, row int64) int { return cmp.Compare(b.rows.End, row+1) })
	to, _ := slices.BinarySearchFunc(blocks, rows[len(rows)-1].End, func(b block, row int64) int { return cmp.Compare(b.rows.Start, row) })
	blocks = blocks[from:max(from, to)]
	if len(rows) == 1 {
		return blocks
	}
	var out []block
	for _, b := range blocks {
		for len(rows) > 0 && rows[0].End <= b.rows.Start {
			rows = rows[1:]
		}
		if len(rows) > 0 && rows[0].Start < b.rows.End {
			out = append(out, b)
		}
	}
	return out
}

func (c *Column) located(err error) error {
	if err == nil {
		return nil
	}
	off := int64(-1)
	if c.k < len(c.window.blocks) {
		off = c.window.blocks[c.k].ptr.Off
	}
	return errs.Locate(cfilewire.Kinded(err), errs.At{Format: Name, Op: "block", Column: c.opt.Field.Name, Off: errs.N(off)})
}

// Row returns the next row.
func (c *Column) Row() int64 { return c.row }

// Skip passes over n rows. The decoders follow when rows are read.
func (c *Column) Skip(n int64) { c.row += n }

// Read appends the next n rows to the array being built. After an error the column can only be released.
func (c *Column) Read(n int) error {
	for n > 0 && c.err == nil {
		if k := c.lost(n); k > 0 {
			c.err = c.leaveNull(k)
			n -= k
			continue
		}
		if c.err = c.seek(); c.err != nil {
			break
		}
		k := int(min(int64(n), c.window.blocks[c.k].rows.End-c.row))
		c.err = c.read(k)
		n -= k
	}
	return c.located(c.err)
}

// lost returns how many of the next n rows are given up. Those are whole blocks.
func (c *Column) lost(n int) int {
	for len(c.opt.Lost) > 0 && c.opt.Lost[0].End <= c.row {
		c.opt.Lost = c.opt.Lost[1:]
	}
	if len(c.opt.Lost) == 0 || c.opt.Lost[0].Start > c.row {
		return 0
	}
	return int(min(int64(n), c.opt.Lost[0].End-c.row))
}

// leaveNull appends n rows that are null.
func (c *Column) leaveNull(n int) error {
	if !c.nullable() && c.n > c.validity.Len() {
		c.validity.Fill(c.n, true)
	}
	bits, at := c.validity.Grow(n)
	bitpack.FillBits(bits, at, n, false)
	var err error
	if l, ok := c.content.(*lists); ok {
		err = l.leaveNull(n)
	} else {
		err = c.content.read(arrowbuf.Slots{N: n, Present: bits, Off: at})
	}
	if err != nil {
		return err
	}
	c.n += n
	c.row += int64(n)
	return nil
}

// seek opens the block of the next row and moves the decoders there.
func (c *Column) seek() error {
	for ; c.k < len(c.window.blocks); c.k++ {
		b := &c.window.blocks[c.k]
		if b.rows.End > c.row {
			break
		}
		if b.rows.End == unknown {
			if err := c.openBlock(); err != nil {
				return err
			}
			if c.open = b.rows.End > c.row; c.open {
				c.at = b.rows.Start
				break
			}
		}
		c.open = false
	}
	if c.k == len(c.window.blocks) || c.row < c.window.blocks[c.k].rows.Start {
		return errs.Errorf(errs.ErrInternal, "row %d was not planned", c.row)
	}
	if !c.open {
		if err := c.openBlock(); err != nil {
			return err
		}
		c.open, c.at = true, c.window.blocks[c.k].rows.Start
	}
	if gap := c.row - c.at; gap > 0 {
		if err := c.pass(int(gap)); err != nil {
			return err
		}
	}
	return nil
}

// openBlock unpacks a block and checks that it is the one that the index says.
func (c *Column) openBlock() error {
	b := &c.window.blocks[c.k]
	stored, err := c.window.stored(c.k)
	if err != nil {
		return err
	}
	var raw []byte
	sc := c.window.scratch
	if raw, sc.raw, err = c.file.frame.Open(stored, sc.raw, &sc.codec); err != nil {
		return err
	}
	f := c.file.footer
	if b.rows.End == unknown {
		h, err := c.content.open(raw)
		if err != nil {
			return err
		}
		return c.learn(b, h)
	}
	rows := b.rows.Len()
	if rows > maxBlockRows {
		return errs.Errorf(errs.ErrLimit, "a block of %d rows", rows)
	}
	if f.Array {
		return c.openArrays(raw, b)
	}
	if f.Nullable {
		n, bitmap, rest, err := cfilewire.ParseNulls(raw)
		if err != nil {
			return err
		}
		if int64(n) != rows {
			return errRows(int64(n), rows)
		}
		c.nulls.OpenStream(bitmap, int(n))
		raw = rest
	}
	h, err := c.content.open(raw)
	if err != nil {
		return err
	}
	return checkHead(h, b, f.Nullable)
}

// learn takes the rows of a block from the block itself, where no positional index tells them.
func (c *Column) learn(b *block, h cfilewire.Head) error {
	start := int64(0)
	if c.k > 0 {
		start = c.window.blocks[c.k-1].rows.End
	}
	end, all := start+int64(h.Count), c.file.footer.Values
	if int64(h.Ordinal) != start {
		return errs.Errorf(errs.ErrCorrupt, "the block begins at row %d, the one before ends at %d", h.Ordinal, start)
	}
	if end > all || end < all && c.k == len(c.window.blocks)-1 {
		return errs.Errorf(errs.ErrCorrupt, "the block ends at row %d of %d", end, all)
	}
	b.rows = arrowio.RowRange{Start: start, End: end}
	return nil
}

// maxBlockRows bounds the rows of a block so that they can be counted on every machine.
const maxBlockRows = 1<<31 - 1

func errRows(got, want int64) error {
	return errs.Errorf(errs.ErrCorrupt, "a block of %d rows, by the index it has %d", got, want)
}

// checkHead compares what a block says of itself with what the index says.
func checkHead(h cfilewire.Head, b *block, nullable bool) error {
	if int64(h.Ordinal) != b.rows.Start {
		return errs.Errorf(errs.ErrCorrupt, "the block begins at row %d, by the index at %d", h.Ordinal, b.rows.Start)
	}
	if n := int64(h.Count); n > b.rows.Len() || n < b.rows.Len() && !nullable {
		return errRows(n, b.rows.Len())
	}
	return nil
}

// pass moves the decoders over n rows of the open block.
func (c *Column) pass(n int) error {
	c.at += int64(n)
	if c.file.footer.Array { // null arrays have lengths, too
		if _, err := c.nulls.Skip(n); err != nil {
			return err
		}
		return c.content.skip(n)
	}
	if c.file.footer.Nullable {
		set, err := c.nulls.Skip(n)
		if err != nil {
			return err
		}
		n = set
	}
	return c.content.skip(n)
}

// nullable reports whether blocks hold a bitmap.
func (c *Column) nullable() bool { return c.file.footer.Nullable || c.file.footer.Array }

// read appends n rows of the open block.
func (c *Column) read(n int) error {
	if err := c.opt.Budget.Take(int64(n) >> 3); err != nil {
		return err
	}
	s := arrowbuf.Slots{N: n, Count: n}
	if !c.nullable() && c.count < c.n { // some were lost
		c.validity.Fill(n, true)
	}
	if c.nullable() {
		bits, at := c.validity.Grow(n)
		if err := c.nulls.Next(bits, at, n); err != nil {
			return err
		}
		if s.Count = bitpack.CountBits(bits, at, n); s.Count < n {
			s.Present, s.Off = bits, at
			if !c.file.footer.Nullable {
				return errs.Errorf(errs.ErrCorrupt, "an array is null in a column that has no nulls")
			}
		}
	}
	if err := c.content.read(s); err != nil {
		return err
	}
	c.n += n
	c.count += s.Count
	c.row += int64(n)
	c.at = c.row
	if c.at == c.window.blocks[c.k].rows.End && c.content.left() != 0 {
		return errs.Errorf(errs.ErrCorrupt, "the block holds %d values more than its null bitmap says", c.content.left())
	}
	return nil
}

// Fit returns how many of the next n rows, which must be in one run of ColumnOptions.Rows, take at most the given number
// of bytes; at least 1. It looks no further than to the end of a block, and assumes that later blocks are alike.
func (c *Column) Fit(n int, bytes int64) int {
	if c.err != nil || n <= 1 {
		return n
	}
	if k := c.lost(n); k > 0 {
		return k
	}
	if c.err = c.seek(); c.err != nil {
		return 1
	}
	in := int(min(int64(n), c.window.blocks[c.k].rows.End-c.row))
	k := c.content.fit(in, bytes)
	if k < in || in == n {
		return max(1, k)
	}
	// The block fits: later blocks are likely to be like it, or like the larger part of a block before.
	size := c.sizeOf(in)
	if c.wide == 0 || 2*int64(in) >= c.window.blocks[c.k].rows.Len() {
		c.wide = max(1, size/int64(in))
	}
	return in + int(min(int64(n-in), max(0, bytes-size)/c.wide))
}

// sizeOf returns about how many bytes the next n rows of the open block take, rather a few more.
func (c *Column) sizeOf(n int) int64 {
	most := int64(1)
	for most < math.MaxInt64/2 && c.content.fit(n, most) < n {
		most *= 2
	}
	least := most / 2
	for range 3 {
		if mid := least + (most-least)/2; c.content.fit(n, mid) < n {
			least = mid
		} else {
			most = mid
		}
	}
	return most
}

// Take hands over the array of what was read since the last Take. The caller releases it.
func (c *Column) Take() arrow.ArrayData {
	p := c.content.take()
	nulls := c.n - c.count
	var validity *memory.Buffer
	if nulls > 0 {
		validity = c.validity.Take()
	} else {
		c.validity.Release()
	}
	d := array.NewData(c.opt.Field.Type, c.n, append([]*memory.Buffer{validity}, p.buffers...), p.children, nulls, 0)
	if validity != nil {
		validity.Release()
	}
	p.release()
	c.n, c.count = 0, 0
	return d
}

// Release frees what was read since the last Take. It may be called twice.
func (c *Column) Release() {
	c.validity.Release()
	c.content.release()
	c.n, c.count = 0, 0
}

// Stored returns how many stored bytes the column reads.
func (c *Column) Stored() (n int64) {
	for _, b := range c.window.blocks {
		n += int64(b.ptr.Size)
	}
	return n
}
