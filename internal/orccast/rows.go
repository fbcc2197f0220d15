package orccast

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// input is the rows to be converted, and which of them become null. Values of null rows are converted like others, and
// mean nothing.
type input struct {
	d       arrow.ArrayData
	n       int
	mem     memory.Allocator
	bitmap  *memory.Buffer // of the result, once a value is lost
	dropped int
}

// output is the buffers behind the bitmap of the result.
type output []*memory.Buffer

// valid reports whether row i of the input is not null.
func (in *input) valid(i int) bool {
	b := in.d.Buffers()[0]
	if b == nil || b.Len() == 0 {
		return true
	}
	at := in.d.Offset() + i
	return b.Bytes()[at/8]>>(at%8)&1 != 0
}

// drop makes row i null.
func (in *input) drop(i int) {
	if in.bitmap == nil {
		in.bitmap = in.copyValidity()
	}
	in.bitmap.Bytes()[i/8] &^= 1 << (i % 8)
	in.dropped++
}

func (in *input) copyValidity() *memory.Buffer {
	out := buffer[byte](in.mem, (in.n+7)/8)
	b := in.d.Buffers()[0]
	if b == nil || b.Len() == 0 {
		for i := range out.Bytes() {
			out.Bytes()[i] = 0xff
		}
		if k := in.n % 8; k > 0 {
			out.Bytes()[in.n/8] = 1<<k - 1
		}
		return out
	}
	clear(out.Bytes())
	bitpack.CopyBits(out.Bytes(), 0, b.Bytes(), in.d.Offset(), in.n)
	return out
}

func (in *input) release() {
	if in.bitmap != nil {
		in.bitmap.Release()
	}
}

// finish makes the array, and releases out.
func (in *input) finish(to arrow.DataType, out output) arrow.ArrayData {
	if in.bitmap == nil && in.n > 0 && in.d.NullN() != 0 {
		in.bitmap = in.copyValidity()
	}
	nulls := 0
	if in.bitmap != nil {
		nulls = in.n - bitpack.CountBits(in.bitmap.Bytes(), 0, in.n)
	}
	all := append([]*memory.Buffer{in.bitmap}, out...)
	d := array.NewData(to, in.n, all, nil, nulls, 0)
	for _, b := range all {
		if b != nil {
			b.Release()
		}
	}
	return d
}

// buffer returns a buffer of n values, to be filled.
func buffer[T arrowbuf.Fixed](mem memory.Allocator, n int) *memory.Buffer {
	v := arrowbuf.NewVec[T](&arrowbuf.Arena{Allocator: mem})
	v.Tail(max(n, 1))
	v.Extend(n)
	return v.Take()
}

// fixed is a result of values.
func fixed[T int32 | int64 | float64](in *input, src []T) output {
	b := buffer[T](in.mem, in.n)
	copy(arrow.GetData[T](b.Bytes()), src)
	return output{b}
}

// rounded is a result of float32: Java computes in double, and rounds last.
func rounded(in *input, src []float64) output {
	b := buffer[float32](in.mem, in.n)
	for i, x := range src {
		arrow.GetData[float32](b.Bytes())[i] = float32(x)
	}
	return output{b}
}

// packed is a result of booleans: what is not 0 is true.
func packed(in *input, src []int64) output {
	b := buffer[byte](in.mem, (in.n+7)/8)
	dst := b.Bytes()
	clear(dst)
	for i, x := range src {
		bit := byte(0)
		if x != 0 {
			bit = 1
		}
		dst[i/8] |= bit << (i % 8)
	}
	return output{b}
}

// narrowing returns what stores integers in a type that may be too small for some.
func narrowing(to arrow.DataType, ints func(in *input) []int64) func(in *input) (output, error) {
	switch to.ID() {
	case arrow.INT8:
		return func(in *input) (output, error) { return narrow[int8](in, ints(in)), nil }
	case arrow.INT16:
		return func(in *input) (output, error) { return narrow[int16](in, ints(in)), nil }
	case arrow.INT32:
		return func(in *input) (output, error) { return narrow[int32](in, ints(in)), nil }
	}
	return func(in *input) (output, error) { return fixed(in, ints(in)), nil }
}

func narrow[T int8 | int16 | int32](in *input, src []int64) output {
	b := buffer[T](in.mem, in.n)
	if in.n == 0 {
		return output{b}
	}
	dst := arrow.GetData[T](b.Bytes())[:len(src)]
	for i, x := range src {
		if dst[i] = T(x); int64(dst[i]) != x {
			in.drop(i)
		}
	}
	return output{b}
}

// values returns the values of the input's rows.
func values[T arrow.FixedWidthType](in *input) []T {
	if in.n == 0 {
		return nil
	}
	return arrow.GetData[T](in.d.Buffers()[1].Bytes())[in.d.Offset():][:in.n]
}

// longs returns the values of a column of booleans or integers.
func (in *input) longs() []int64 {
	switch in.d.DataType().ID() {
	case arrow.INT8:
		return widened[int8, int64](in)
	case arrow.INT16:
		return widened[int16, int64](in)
	case arrow.INT32, arrow.DATE32:
		return widened[int32, int64](in)
	case arrow.INT64:
		return values[int64](in)
	}
	out := make([]int64, in.n)
	if in.n > 0 {
		bits := in.d.Buffers()[1].Bytes()
		for i := range out {
			at := in.d.Offset() + i
			out[i] = int64(bits[at/8] >> (at % 8) & 1)
		}
	}
	return out
}

// doubles returns the values of a column of floats.
func (in *input) doubles() []float64 {
	if in.d.DataType().ID() == arrow.FLOAT32 {
		return widened[float32, float64](in)
	}
	return values[float64](in)
}

func widened[F, T int8 | int16 | int32 | int64 | float32 | float64](in *input) []T {
	out := make([]T, in.n)
	if in.n > 0 {
		src := arrow.GetData[F](in.d.Buffers()[1].Bytes())[in.d.Offset():][:in.n]
		for i, x := range src {
			out[i] = T(x)
		}
	}
	return out
}

func (in *input) decimals() []decimal128.Num { return values[decimal128.Num](in) }

// strs is the values of a column of text or bytes.
type strs struct {
	offsets []int32
	data    []byte
}

func (in *input) texts() strs {
	if in.n == 0 {
		return strs{}
	}
	s := strs{offsets: arrow.GetData[int32](in.d.Buffers()[1].Bytes())[in.d.Offset():][:in.n+1]}
	if b := in.d.Buffers()[2]; b != nil {
		s.data = b.Bytes()
	}
	return s
}

func (s strs) at(i int) []byte { return s.data[s.offsets[i]:s.offsets[i+1]] }

// times are seconds since 1970, towards the past, and the nanoseconds since then.
type times struct {
	secs  []int64
	nanos []int32
}

func newTimes(n int) times { return times{make([]int64, n), make([]int32, n)} }

func (in *input) times() times {
	t := newTimes(in.n)
	per := perSecond(in.d.DataType())
	nano := 1_000_000_000 / per
	for i, x := range values[int64](in) {
		s := x / per
		r := x - s*per
		if r < 0 {
			s--
			r += per
		}
		t.secs[i], t.nanos[i] = s, int32(r*nano)
	}
	return t
}

// perSecond is how many of a timestamp's units are a second.
func perSecond(t arrow.DataType) int64 {
	switch t.(*arrow.TimestampType).Unit {
	case arrow.Second:
		return 1
	case arrow.Millisecond:
		return 1000
	case arrow.Microsecond:
		return 1_000_000
	}
	return 1_000_000_000
}

// units stores times in a unit, in which what is finer is cut off.
func (in *input) units(t times, to arrow.DataType) (output, error) {
	per := perSecond(to)
	nano := int32(1_000_000_000 / per)
	least, most := math.MinInt64/per, math.MaxInt64/per-1
	b := buffer[int64](in.mem, in.n)
	dst := arrow.GetData[int64](b.Bytes())
	for i, s := range t.secs {
		if s < least || s > most {
			if in.valid(i) && !in.isDropped(i) {
				b.Release()
				unfit := errs.ErrBeyondNanoseconds
				if nano > 1 {
					unfit = fmt.Errorf("does not fit %s", to)
				}
				return nil, errs.Errorf(errs.ErrSchema, "a timestamp %d seconds from 1970 %w; a coarser %w can hold it", s, unfit, errs.Opt("timestamp-unit", ""))
			}
			s = 0
		}
		dst[i] = s*per + int64(t.nanos[i]/nano)
	}
	return output{b}, nil
}

func (in *input) isDropped(i int) bool {
	return in.bitmap != nil && in.bitmap.Bytes()[i/8]>>(i%8)&1 == 0
}
