package cfile

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/budget"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// newContent chooses by type and encoding what decodes a column into its Arrow type.
func (c *Column) newContent() (content, error) {
	if c.file.footer.Array {
		return c.newArrays()
	}
	return c.newValues(c.opt.Field.Type)
}

// newValues returns what decodes the values themselves, which for an array column are its elements.
func (c *Column) newValues(t arrow.DataType) (content, error) {
	f := c.file.footer
	if f.Type.Binary() {
		return c.newStrings(t)
	}
	switch f.Type {
	case cfilewire.Bool:
		return newBools(c)
	case cfilewire.Int8, cfilewire.UInt8:
		return newFixed[int8](c)
	case cfilewire.Int16, cfilewire.UInt16:
		return newFixed[int16](c)
	case cfilewire.Int32, cfilewire.UInt32, cfilewire.Float, cfilewire.Date:
		return newFixed[int32](c)
	case cfilewire.Int64, cfilewire.UInt64, cfilewire.Double, cfilewire.UnixtimeMicros:
		return newFixed[int64](c)
	case cfilewire.Decimal32:
		return newDecimals[int32](c, t)
	case cfilewire.Decimal64:
		return newDecimals[int64](c, t)
	case cfilewire.Decimal128, cfilewire.Int128:
		return newWide(c, t)
	}
	return nil, errs.Errorf(errs.ErrUnsupported, "values of type %v", f.Type)
}

// source decodes the values of one block in one encoding.
type source[T any] interface {
	Open(b []byte) (cfilewire.Head, error)
	Next(dst []T) error
	Skip(n int) error
	Left() int
}

// number is what fixed-width values are stored as; signs and fractions do not matter here.
type number interface {
	~int8 | ~int16 | ~int32 | ~int64
}

// newSource returns what decodes numbers of the column's encoding.
func newSource[T number](c *Column, width int) source[T] {
	switch c.file.footer.Encoding {
	case cfilewire.EncodingRLE:
		return &cfilewire.RLE[T]{}
	case cfilewire.EncodingBitShuffle:
		return &shuffled[T]{width: width, narrow: c.file.footer.Type == cfilewire.UInt32}
	case cfilewire.EncodingGroupVarint:
		return &grouped[T]{}
	}
	return &plain[T]{width: width}
}

// plain decodes values stored as they are.
type plain[T arrowbuf.Fixed] struct {
	cfilewire.PlainFixed
	width int
}

func (p *plain[T]) Open(b []byte) (cfilewire.Head, error) { return p.PlainFixed.Open(b, p.width) }
func (p *plain[T]) Next(dst []T) error                    { return p.PlainFixed.Next(arrowbuf.AsBytes(dst)) }

// shuffled decodes values stored as transposed bits. Kudu stores those of UINT32 in as few bytes as all of a block take.
type shuffled[T arrowbuf.Fixed] struct {
	cfilewire.BitShuffle
	width  int
	narrow bool
}

func (s *shuffled[T]) Open(b []byte) (cfilewire.Head, error) {
	return s.BitShuffle.Open(b, s.width, s.narrow)
}
func (s *shuffled[T]) Next(dst []T) error { return s.BitShuffle.Next(arrowbuf.AsBytes(dst)) }

// grouped decodes what only uint32 was ever stored as.
type grouped[T number] struct {
	cfilewire.GroupVarint
	scratch []uint32
}

func (g *grouped[T]) Next(dst []T) error {
	g.scratch = grow(g.scratch, len(dst))
	if err := g.GroupVarint.Next(g.scratch); err != nil {
		return err
	}
	for i, v := range g.scratch {
		dst[i] = T(v)
	}
	return nil
}

// fixed decodes values into an Arrow buffer of the same width.
type fixed[T arrowbuf.Fixed] struct {
	source source[T]
	budget *budget.Batch
	out    arrowbuf.Vec[T]
	width  int64
}

func newFixed[T number](c *Column) (content, error) {
	w := c.file.footer.Type.Width()
	return &fixed[T]{source: newSource[T](c, w), budget: c.opt.Budget, out: arrowbuf.NewVec[T](c.opt.Mem), width: int64(w)}, nil
}

func (f *fixed[T]) open(b []byte) (cfilewire.Head, error) { return f.source.Open(b) }

func (f *fixed[T]) read(s arrowbuf.Slots) error {
	if err := f.budget.Take(int64(s.N) * f.width); err != nil {
		return err
	}
	dst := f.out.Grow(s.N)
	if err := f.source.Next(dst[s.N-s.Count:]); err != nil {
		return err
	}
	arrowbuf.Spread(dst, s)
	return nil
}

func (f *fixed[T]) skip(n int) error           { return f.source.Skip(n) }
func (f *fixed[T]) left() int                  { return f.source.Left() }
func (f *fixed[T]) fit(n int, bytes int64) int { return fitWidth(n, bytes, f.width) }
func (f *fixed[T]) take() parts                { return parts{buffers: []*memory.Buffer{f.out.Take()}} }
func (f *fixed[T]) release()                   { f.out.Release() }

func fitWidth(n int, bytes, width int64) int {
	return int(min(int64(n), bytes/width))
}

// bools decodes bits.
type bools struct {
	source interface {
		Open(b []byte) (cfilewire.Head, error)
		Next(dst []byte, off, n int) error
		Skip(n int) (int, error)
		Left() int
	}
	budget *budget.Batch
	out    arrowbuf.Bits
	dense  []byte
}

func newBools(c *Column) (content, error) {
	b := &bools{budget: c.opt.Budget, out: arrowbuf.NewBits(c.opt.Mem)}
	b.source = &cfilewire.PlainBits{}
	if c.file.footer.Encoding == cfilewire.EncodingRLE {
		b.source = &cfilewire.RLEBits{}
	}
	return b, nil
}

func (b *bools) open(raw []byte) (cfilewire.Head, error) { return b.source.Open(raw) }

func (b *bools) read(s arrowbuf.Slots) error {
	if err := b.budget.Take(int64(s.N) >> 3); err != nil {
		return err
	}
	dst, at := b.out.Grow(s.N)
	if s.Present == nil {
		return b.source.Next(dst, at, s.N)
	}
	b.dense = grow(b.dense, (s.Count+7)>>3)
	if err := b.source.Next(b.dense, 0, s.Count); err != nil {
		return err
	}
	bitpack.SpreadBits(dst, at, b.dense, 0, s.Present, s.Off, s.N)
	return nil
}

func (b *bools) skip(n int) error {
	_, err := b.source.Skip(n)
	return err
}

func (b *bools) left() int                  { return b.source.Left() }
func (b *bools) fit(n int, bytes int64) int { return fitWidth(n, min(bytes, math.MaxInt64/8)*8, 1) }
func (b *bools) take() parts                { return parts{buffers: []*memory.Buffer{b.out.Take()}} }
func (b *bools) release()                   { b.out.Release() }

// grow returns a slice of length n, s's memory if it is large enough; the content is arbitrary.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}
