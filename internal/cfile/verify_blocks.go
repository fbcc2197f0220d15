package cfile

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/cfile/inspect"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// column checks the blocks of a column by its positional index.
func (v *verifier) column() error {
	good, err := v.positioned()
	if err != nil {
		return err
	}
	v.field = v.o.Field
	if v.footer.Type == cfilewire.Int128 && !v.footer.Array {
		v.field.Type = &arrow.FixedSizeBinaryType{ByteWidth: 16} // has room for all of them
	}
	var c *Column
	defer func() {
		if c != nil {
			c.Release()
		}
	}()
	for i := range good {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		raw, err := v.blocks.Read(good[i].ptr)
		if err == nil && c == nil {
			if c, err = v.newColumn(); err != nil {
				return v.fault("footer", v.footer.FooterOff, err)
			}
		}
		if err == nil {
			if err = v.decode(c, &good[i], raw); err == nil {
				err = v.runs(raw)
			} else {
				c.Release()
				c = nil
			}
		}
		at := errs.At{Column: v.field.Name, Off: errs.N(good[i].ptr.Off)}
		if err := v.fault("block", good[i].ptr.Off, errs.Locate(cfilewire.Kinded(err), at)); err != nil {
			return err
		}
	}
	return nil
}

// positioned returns the blocks whose place and rows the positional index can be right about, and reports the others.
func (v *verifier) positioned() ([]block, error) {
	t, all := &v.layout.Pos, v.footer.Values
	var good []block
	row, end := int64(0), int64(0) // that the next one may have
	for i := range t.Leaves {
		e := &t.Leaves[i]
		var err error
		switch {
		case i == 0 && t.Whole && e.Row != 0:
			err = corrupt("the first block begins at row %d", e.Row)
		case e.Row >= all:
			err = corrupt("a block at row %d of %d", e.Row, all)
		}
		if err := v.fault(inspect.OpPositional, e.In, err); err != nil {
			return nil, err
		}
		if e.Ptr.Off < end {
			continue // reported by order and gaps; it may be there any number of times
		}
		end = e.Ptr.End()
		next := all
		if i+1 < len(t.Leaves) {
			next = t.Leaves[i+1].Row
		}
		if e.Row < row || next <= e.Row || next > all || i+1 == len(t.Leaves) && !t.Whole || v.footer.Encoding == cfilewire.EncodingDict && v.dict == nil {
			// Which rows the block has is not known, or what its codes stand for: reported.
			if _, err := v.blocks.Read(e.Ptr); err != nil {
				if err := v.fault("block", e.Ptr.Off, err); err != nil {
					return nil, err
				}
			}
			continue
		}
		row = next
		good = append(good, block{ptr: e.Ptr, rows: arrowio.RowRange{Start: e.Row, End: next}})
	}
	if len(t.Leaves) == 0 && all > 0 && t.Complete(v.footer.Pos) {
		return nil, v.fault(inspect.OpPositional, v.footer.FooterOff, corrupt("%d rows and no block", all))
	}
	return good, nil
}

// newColumn returns what decodes values. It is of a reader that knows no blocks: they are opened here.
func (v *verifier) newColumn() (*Column, error) {
	own := &Reader{src: v.src, footer: v.footer, frame: v.Reader.frame, limits: v.limits, kind: v.kind, blocks: []block{}, dict: v.dict}
	return own.NewColumn(v.ctx, ColumnOptions{Field: v.field, Mem: &arrowbuf.Arena{Allocator: arrowbuf.Shared()}, Strings: "cfile-strings=binary"})
}

// Bounds of what is decoded at a time.
const (
	verifyBytes = 16 << 20
	verifyRows  = 1 << 16
)

// decode reads all values of a block as a scan does, and drops them. Nulls are counted only: any number of them takes a few
// bytes. After an error c can only be released.
func (v *verifier) decode(c *Column, b *block, raw []byte) error {
	rows := b.rows.Len()
	if rows > maxBlockRows {
		return errs.Errorf(errs.ErrLimit, "a block of %d rows", rows)
	}
	n := int(rows)
	switch {
	case v.footer.Array:
		if err := c.openArrays(raw, b); err != nil {
			return err
		}
		set, err := c.nulls.Skip(n)
		if err != nil {
			return err
		}
		if set < n && !v.footer.Nullable {
			return corrupt("%d arrays are null in a column that has no nulls", n-set)
		}
	default:
		if v.footer.Nullable {
			said, bitmap, rest, err := cfilewire.ParseNulls(raw)
			if err != nil {
				return err
			}
			if int64(said) != rows {
				return errRows(int64(said), rows)
			}
			c.nulls.OpenStream(bitmap, n)
			if n, err = c.nulls.Skip(n); err != nil {
				return err
			}
			raw = rest
		}
		h, err := c.content.open(raw)
		if err == nil {
			err = checkHead(h, b, v.footer.Nullable)
		}
		if err != nil {
			return err
		}
		if int64(h.Count) != int64(n) {
			return corrupt("a block of %d values, by its null bitmap it has %d", h.Count, n)
		}
	}
	for n > 0 {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		k := max(1, c.content.fit(min(n, verifyRows), verifyBytes))
		if err := c.content.read(arrowbuf.Slots{N: k, Count: k}); err != nil {
			return err
		}
		c.content.take().release()
		c.opt.Budget.Reset()
		n -= k
	}
	if left := c.content.left(); left != 0 {
		return corrupt("the block holds %d values more than it has places for", left)
	}
	return nil
}

func (p parts) release() {
	for _, b := range p.buffers {
		if b != nil {
			b.Release()
		}
	}
	for _, k := range p.children {
		k.Release()
	}
}

// runs checks what reading values passes over: that the runs of a block hold no more than what was read of them. It has
// been decoded.
func (v *verifier) runs(raw []byte) error {
	ft := v.footer
	switch {
	case ft.Array:
		var err error
		if raw, err = arrayRuns(raw); err != nil {
			return err
		}
	case ft.Nullable:
		rows, bitmap, rest, err := cfilewire.ParseNulls(raw)
		if err == nil {
			err = checkRuns("null bitmap", bitmap, uint64(rows), 1)
		}
		if err != nil {
			return err
		}
		raw = rest
	}
	if ft.Encoding != cfilewire.EncodingRLE {
		return nil
	}
	bits := 8 * ft.Type.Width()
	if ft.Type == cfilewire.Bool {
		bits = 1
	}
	return checkRuns("block", raw[8:], uint64(binary.LittleEndian.Uint32(raw)), bits)
}

// arrayRuns checks the streams of a block of arrays, and returns the block of their elements.
func arrayRuns(raw []byte) ([]byte, error) {
	a, err := cfilewire.ParseArrays(raw)
	if err != nil {
		return nil, err
	}
	var lengths cfilewire.RLE[uint16]
	lengths.OpenStream(a.Lengths, int(a.Count))
	sum := uint64(0)
	for buf := make([]uint16, 1024); lengths.Left() > 0; {
		some := buf[:min(len(buf), lengths.Left())]
		if err := lengths.Next(some); err != nil {
			return nil, err
		}
		for _, n := range some {
			sum += uint64(n)
		}
	}
	if sum != uint64(a.Elements) {
		return nil, corrupt("arrays of %d elements in a block of %d", sum, a.Elements)
	}
	for _, x := range []struct {
		what   string
		stream []byte
		n      uint32
		bits   int
	}{{"bitmap of elements", a.ElementValid, a.Elements, 1}, {"lengths", a.Lengths, a.Count, 16}, {"null bitmap", a.ArrayValid, a.Count, 1}} {
		if err := checkRuns(x.what, x.stream, uint64(x.n), x.bits); err != nil {
			return nil, err
		}
	}
	return a.Values, nil
}

// checkRuns checks that a stream of runs holds n values of so many bits, and no more: a group of literals may have up to
// seven that stand for nothing, and those need not be there. A decoder has read the n values.
func checkRuns(what string, b []byte, n uint64, bits int) error {
	for n > 0 {
		x, used := binary.Uvarint(b)
		if used <= 0 {
			return corrupt("the runs of the %s end early", what)
		}
		b = b[used:]
		count, least, size := x>>1, uint64(bits+7)/8, uint64(bits+7)/8
		if x&1 == 1 {
			if count > (n+7)/8 {
				return corrupt("%s: a run of %d groups of eight, where %d values are left", what, count, n)
			}
			size = count * uint64(bits)
			count = min(count*8, n)
			least = (count*uint64(bits) + 7) / 8
			if count == n {
				size = min(size, uint64(len(b)))
			}
		} else if count > n {
			return corrupt("%s: a run of %d values, where %d are left", what, count, n)
		}
		if max(size, least) > uint64(len(b)) {
			return corrupt("the runs of the %s end early", what)
		}
		b = b[size:]
		n -= count
	}
	if len(b) > 0 {
		return corrupt("%s: %d bytes behind the last run", what, len(b))
	}
	return nil
}
