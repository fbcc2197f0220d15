package view

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/halffloat"
)

// flatConversion returns the kernel that widens one flat type to another; nil = there is none.
func flatConversion(from, to arrow.DataType, path string) convertFunc {
	if numberOf(from).bits > 0 && numberOf(to).bits > 0 {
		return numberConversion(from, to)
	}
	if f, ok := from.(*arrow.DictionaryType); ok {
		return indexConversion(f, to)
	}
	if k := bytesKind(from); k != 0 && k == bytesKind(to) {
		return bytesConversion(from, to)
	}
	if f, ok := from.(arrow.DecimalType); ok {
		if t, ok := to.(arrow.DecimalType); ok {
			return decimalConversion(f, t, path)
		}
	}
	a, ok := timeUnit(from)
	b, ok2 := timeUnit(to)
	if !ok || !ok2 {
		return nil
	}
	factor := int64(1)
	for ; a < b; a++ {
		factor *= 1000
	}
	s := unitScale{to: to, factor: factor, path: path}
	switch f, t := from.(arrow.FixedWidthDataType).Bytes(), to.(arrow.FixedWidthDataType).Bytes(); {
	case f == 4 && t == 4:
		return scaling[int32, int32](s, math.MinInt32, math.MaxInt32)
	case f == 4:
		return scaling[int32, int64](s, math.MinInt64, math.MaxInt64)
	}
	return scaling[int64, int64](s, math.MinInt64, math.MaxInt64)
}

// indexConversion widens the indices of a dictionary and keeps the dictionary.
func indexConversion(from *arrow.DictionaryType, to arrow.DataType) convertFunc {
	t, ok := to.(*arrow.DictionaryType)
	if !ok {
		return nil
	}
	if arrow.TypeEqual(from.IndexType, t.IndexType) {
		return func(d arrow.ArrayData, _ *scope, _ memory.Allocator) (arrow.ArrayData, error) {
			return withDictionary(d, t, d), nil
		}
	}
	widen := numberConversion(from.IndexType, t.IndexType)
	if widen == nil {
		return nil
	}
	return func(d arrow.ArrayData, s *scope, mem memory.Allocator) (arrow.ArrayData, error) {
		indices, err := widen(d, s, mem)
		if err != nil {
			return nil, err
		}
		defer indices.Release()
		return withDictionary(indices, t, d), nil
	}
}

// withDictionary returns indices as an array of a dictionary type with the dictionary of d.
func withDictionary(indices arrow.ArrayData, t *arrow.DictionaryType, d arrow.ArrayData) arrow.ArrayData {
	return array.NewDataWithDictionary(t, indices.Len(), indices.Buffers(), indices.NullN(), indices.Offset(), d.Dictionary().(*array.Data))
}

type real interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

func numberConversion(from, to arrow.DataType) convertFunc {
	switch from.ID() {
	case arrow.INT8:
		return widening[int8](to)
	case arrow.INT16:
		return widening[int16](to)
	case arrow.INT32:
		return widening[int32](to)
	case arrow.UINT8:
		return widening[uint8](to)
	case arrow.UINT16:
		return widening[uint16](to)
	case arrow.UINT32:
		return widening[uint32](to)
	case arrow.FLOAT32:
		return widening[float32](to)
	case arrow.FLOAT16:
		if to.ID() == arrow.FLOAT32 {
			return values(to, halffloat.Widen[float32])
		}
		return values(to, halffloat.Widen[float64])
	}
	return nil
}

func widening[F real](to arrow.DataType) convertFunc {
	switch to.ID() {
	case arrow.INT16:
		return values(to, widen[F, int16])
	case arrow.INT32:
		return values(to, widen[F, int32])
	case arrow.INT64:
		return values(to, widen[F, int64])
	case arrow.UINT16:
		return values(to, widen[F, uint16])
	case arrow.UINT32:
		return values(to, widen[F, uint32])
	case arrow.UINT64:
		return values(to, widen[F, uint64])
	case arrow.FLOAT32:
		return values(to, widen[F, float32])
	case arrow.FLOAT64:
		return values(to, widen[F, float64])
	}
	return nil
}

func widen[F, T real](dst []T, src []F) {
	dst = dst[:len(src)]
	for i, x := range src {
		dst[i] = T(x)
	}
}

// values makes a conversion of a kernel for the values, null or not, that cannot fail.
func values[F arrow.FixedWidthType, T real](to arrow.DataType, kernel func(dst []T, src []F)) convertFunc {
	return func(d arrow.ArrayData, _ *scope, mem memory.Allocator) (arrow.ArrayData, error) {
		out := newBuffer[T](mem, d.Len())
		if d.Len() > 0 {
			kernel(arrow.GetData[T](out.Bytes()), valuesOf[F](d, d.Len()))
		}
		return withValues(d, to, mem, out), nil
	}
}

// valuesOf returns n values of d.
func valuesOf[T arrow.FixedWidthType | arrow.ViewHeader](d arrow.ArrayData, n int) []T {
	return arrow.GetData[T](d.Buffers()[1].Bytes())[d.Offset():][:n]
}

// withValues makes an array of the rows of d, from row 0 on, with other buffers behind the bitmap; it releases them.
func withValues(d arrow.ArrayData, to arrow.DataType, mem memory.Allocator, bufs ...*memory.Buffer) arrow.ArrayData {
	valid, nulls := validity(d, mem)
	all := append([]*memory.Buffer{valid}, bufs...)
	defer releaseBuffers(all)
	return array.NewData(to, d.Len(), all, nil, nulls, 0)
}

// unitScale is a change to a finer unit.
type unitScale struct {
	to     arrow.DataType
	factor int64
	path   string
}

// scaling multiplies; a value that counts and does not fit is an error.
func scaling[F, T int32 | int64](s unitScale, lowest, highest int64) convertFunc {
	lo, hi := F(max(lowest/s.factor, int64(minOf[F]()))), F(min(highest/s.factor, int64(maxOf[F]())))
	return func(d arrow.ArrayData, sc *scope, mem memory.Allocator) (arrow.ArrayData, error) {
		out := newBuffer[T](mem, d.Len())
		if d.Len() > 0 {
			src, dst := valuesOf[F](d, d.Len()), arrow.GetData[T](out.Bytes())
			bad := false
			for i, x := range src {
				dst[i] = T(x) * T(s.factor)
				bad = bad || x < lo || x > hi
			}
			if bad {
				err := onlyUncounted(d, sc, func(i int) bool { return src[i] >= lo && src[i] <= hi }, func(i int) { dst[i] = 0 })
				if err != nil {
					out.Release()
					return nil, s.misfit(d.DataType(), int64(src[err.row]))
				}
			}
		}
		return withValues(d, s.to, mem, out), nil
	}
}

// misfit is the error of a value that does not fit.
func (s unitScale) misfit(from arrow.DataType, x int64) error {
	if t, ok := from.(*arrow.TimestampType); ok {
		at := arrow.Timestamp(x).ToTime(t.Unit).Format("2006-01-02T15:04:05.999999999")
		unit := t.Unit // the finest that can hold it
		for x <= math.MaxInt64/1000 && x >= math.MinInt64/1000 && unit < arrow.Microsecond {
			x, unit = x*1000, unit+1
		}
		unfit := fmt.Errorf("does not fit %s", s.to)
		if to, ok := s.to.(*arrow.TimestampType); ok && to.Unit == arrow.Nanosecond {
			unfit = errs.ErrBeyondNanoseconds
		}
		return atColumn(s.path, "%s %w; %w can hold it, or leave the column out with %w", at, unfit, errs.Opt("timestamp-unit", unit.String()), errs.Opt("exclude", ""))
	}
	return atColumn(s.path, "the value %d in units of %s does not fit into %s; read the files separately, or leave the column out with %w", x, unitName(from), s.to, errs.Opt("exclude", ""))
}

func minOf[F int32 | int64]() F {
	x := F(1)
	for x > 0 {
		x <<= 1
	}
	return x
}

func maxOf[F int32 | int64]() F { return -1 ^ minOf[F]() }

func unitName(t arrow.DataType) string {
	u, _ := timeUnit(t)
	return u.String()
}

// badRow is a row whose value does not convert.
type badRow struct{ row int }

// onlyUncounted looks at the rows that do not fit: those that are null, or part of no value, are dropped.
func onlyUncounted(d arrow.ArrayData, s *scope, fits func(i int) bool, drop func(i int)) *badRow {
	var bitmap []byte
	if b := d.Buffers()[0]; b != nil {
		bitmap = b.Bytes()
	}
	for i, counts := range s.counts(d.Len()) {
		if fits(i) {
			continue
		}
		at := d.Offset() + i
		if counts && (len(bitmap) == 0 || bitmap[at/8]>>(at%8)&1 != 0) {
			return &badRow{i}
		}
		drop(i)
	}
	return nil
}

// bytesConversion makes text or bytes with 64-bit offsets of any others.
func bytesConversion(from, to arrow.DataType) convertFunc {
	if from.ID() == arrow.STRING_VIEW || from.ID() == arrow.BINARY_VIEW {
		return func(d arrow.ArrayData, _ *scope, mem memory.Allocator) (arrow.ArrayData, error) {
			return fromViews(d, to, mem)
		}
	}
	return func(d arrow.ArrayData, _ *scope, mem memory.Allocator) (arrow.ArrayData, error) {
		offsets := newBuffer[int64](mem, d.Len()+1)
		dst := arrow.GetData[int64](offsets.Bytes())
		dst[0] = 0
		first := int32(0)
		if src := listOffsets[int32](d); len(src) > 0 {
			first = src[0]
			for i, x := range src {
				dst[i] = int64(x - first)
			}
		}
		data := d.Buffers()[2]
		switch {
		case data == nil:
		case first == 0:
			data.Retain()
		default:
			part := data.Bytes()[first:][:dst[d.Len()]]
			data = newBuffer[byte](mem, len(part))
			copy(data.Bytes(), part)
		}
		return withValues(d, to, mem, offsets, data), nil
	}
}

// limbs is a magnitude of 256 bits, the lowest first.
type limbs [4]uint64

// mul returns the low 256 bits of x * m.
func (x limbs) mul(m uint64) limbs {
	var carry uint64
	for i := range x {
		hi, lo := bits.Mul64(x[i], m)
		var c uint64
		x[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	return x
}

func (x limbs) less(y limbs) bool {
	var borrow uint64
	for i := range x {
		_, borrow = bits.Sub64(x[i], y[i], borrow)
	}
	return borrow != 0
}

func (x limbs) negated() limbs {
	carry := uint64(1)
	for i := range x {
		x[i], carry = bits.Add64(^x[i], 0, carry)
	}
	return x
}

// tenTo returns 10^n, for n up to 76.
func tenTo(n int32) limbs {
	x := limbs{1}
	for range n {
		x = x.mul(10)
	}
	return x
}

// decimalConversion multiplies by a power of ten. A value of more digits than its type has is refused.
func decimalConversion(from, to arrow.DecimalType, path string) convertFunc {
	up := to.GetScale() - from.GetScale()
	if up == 0 && from.ID() == to.ID() {
		return relabel(to)
	}
	if up < 0 || from.GetPrecision() > 76 || from.GetPrecision() < 0 || up > 76 {
		return nil
	}
	bound := tenTo(from.GetPrecision()) // what is below has room for the zeros: that is how `to` was found
	var steps []uint64
	for left := up; left > 0; left -= 19 {
		steps = append(steps, tenTo(min(left, 19))[0])
	}
	ls, ld := from.(arrow.FixedWidthDataType).Bytes()/8, to.(arrow.FixedWidthDataType).Bytes()/8
	return func(d arrow.ArrayData, s *scope, mem memory.Allocator) (arrow.ArrayData, error) {
		n := d.Len()
		out := newBuffer[uint64](mem, n*ld)
		if n > 0 {
			src := arrow.GetData[uint64](d.Buffers()[1].Bytes())[d.Offset()*ls:][:n*ls]
			dst := arrow.GetData[uint64](out.Bytes())
			if !rescale(dst, src, ld, ls, steps, bound) {
				bad := onlyUncounted(d, s, func(i int) bool { return magnitude(src[i*ls:][:ls]).less(bound) },
					func(i int) { clear(dst[i*ld:][:ld]) })
				if bad != nil {
					out.Release()
					e := errs.Errorf(errs.ErrCorrupt, "a value of more digits than %s has", from)
					e.Column = path
					return nil, e
				}
			}
		}
		return withValues(d, to, mem, out), nil
	}
}

// magnitude is the value of a decimal without its sign.
func magnitude(src []uint64) limbs {
	x, negative := signed(src)
	if negative {
		return x.negated()
	}
	return x
}

func signed(src []uint64) (x limbs, negative bool) {
	fill := uint64(int64(src[len(src)-1]) >> 63)
	x = limbs{fill, fill, fill, fill}
	copy(x[:], src)
	return x, fill != 0
}

// rescale writes each decimal of ls words times all steps as one of ld words, and reports whether all were below bound.
func rescale(dst, src []uint64, ld, ls int, steps []uint64, bound limbs) bool {
	ok := true
	for len(src) > 0 {
		x, negative := signed(src[:ls])
		if negative {
			x = x.negated()
		}
		ok = ok && x.less(bound)
		for _, m := range steps {
			x = x.mul(m)
		}
		if negative {
			x = x.negated()
		}
		copy(dst[:ld], x[:])
		src, dst = src[ls:], dst[ld:]
	}
	return ok
}
