package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow/float16"

	"github.com/arrowio/arrowio/internal/halffloat"
	"github.com/arrowio/arrowio/internal/parquetwire/encode"
)

// maxBound is how long the bounds of strings and binary are at most; longer ones are cut.
const maxBound = 64

// bounds are the smallest and the largest value, as PLAIN has them but for the length of strings. NaN is neither.
type bounds struct {
	set      bool
	min, max []byte
}

func (b *bounds) clear() { b.set = false }

func (b *bounds) add(l *leaf, low, high []byte) {
	switch {
	case !b.set:
		b.set = true
		b.min, b.max = append(b.min[:0], low...), append(b.max[:0], high...)
		return
	case compare(l, low, b.min) < 0:
		b.min = append(b.min[:0], low...)
	}
	if compare(l, high, b.max) > 0 {
		b.max = append(b.max[:0], high...)
	}
}

func (b *bounds) merge(o *bounds, l *leaf) {
	if o.set {
		b.add(l, o.min, o.max)
	}
}

// compare compares two values, neither of them NaN.
func compare(l *leaf, a, b []byte) int {
	switch l.order {
	case signed:
		if len(a) == 4 {
			return order3(int32(binary.LittleEndian.Uint32(a)), int32(binary.LittleEndian.Uint32(b)))
		}
		return order3(int64(binary.LittleEndian.Uint64(a)), int64(binary.LittleEndian.Uint64(b)))
	case unsigned:
		switch l.wire.Type {
		case encode.Int32:
			return order3(binary.LittleEndian.Uint32(a), binary.LittleEndian.Uint32(b))
		case encode.Int64:
			return order3(binary.LittleEndian.Uint64(a), binary.LittleEndian.Uint64(b))
		}
	case floating:
		return order3(float(a), float(b))
	case half:
		return order3(halfOf(a), halfOf(b))
	case bigDecimal:
		if c := order3(int8(a[0]), int8(b[0])); c != 0 {
			return c
		}
	}
	return bytes.Compare(a, b)
}

func order3[T int8 | int32 | int64 | uint32 | uint64 | float32 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func float(b []byte) float64 {
	if len(b) == 4 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

func halfOf(b []byte) float32 {
	return halffloat.Float32(float16.FromBits(binary.LittleEndian.Uint16(b)))
}

// stored returns the bounds as they stand in the file: a zero that is the smallest value is the negative one, and one
// that is the largest the positive one, because readers tell them apart and the order does not; long strings are cut.
func (b *bounds) stored(l *leaf) (low, high encode.Bound) {
	if !b.set || l.order == noOrder {
		return low, high
	}
	low, high = encode.Bound{Set: true, Value: slices.Clone(b.min)}, encode.Bound{Set: true, Value: slices.Clone(b.max)}
	switch l.order {
	case floating:
		if float(b.min) == 0 {
			low.Value[len(low.Value)-1] = 0x80
		}
		if float(b.max) == 0 {
			high.Value[len(high.Value)-1] = 0
		}
	case half:
		if halfOf(b.min) == 0 {
			low.Value[1] = 0x80
		}
		if halfOf(b.max) == 0 {
			high.Value[1] = 0
		}
	}
	if l.wire.Type == encode.ByteArray {
		if len(low.Value) > maxBound {
			low.Value, low.Inexact = cut(low.Value, l.text), true
		}
		if len(high.Value) > maxBound {
			high.Value, high.Inexact = next(cut(high.Value, l.text), l.text), true
			high.Set = high.Value != nil
		}
	}
	return low, high
}

// cut returns the beginning of a long value, of text whole characters.
func cut(v []byte, text bool) []byte {
	v = v[:maxBound]
	if text {
		for k := 1; k < utf8.UTFMax && k <= len(v); k++ {
			if c := v[len(v)-k]; utf8.RuneStart(c) {
				if !utf8.FullRune(v[len(v)-k:]) {
					return v[:len(v)-k]
				}
				break
			}
		}
	}
	return v
}

// next returns the smallest value above all those that begin with v, nil = there is none. It changes v.
func next(v []byte, text bool) []byte {
	if !text || !utf8.Valid(v) {
		for i := len(v) - 1; i >= 0; i-- {
			if v[i]++; v[i] != 0 {
				return v[:i+1]
			}
		}
		return nil
	}
	for len(v) > 0 {
		r, size := utf8.DecodeLastRune(v)
		v = v[:len(v)-size]
		if r++; r == 0xd800 {
			r = 0xe000
		}
		if r <= utf8.MaxRune {
			return utf8.AppendRune(v, r)
		}
	}
	return nil
}

// addToIndex adds the bounds of a page to the column index.
func (c *column) addToIndex(b *bounds) {
	x := &c.pageIndex
	low, high := b.stored(c.leaf)
	none := c.present == 0
	if !none && (!low.Set || !high.Set) {
		c.noIndex = true // as it has to be
	}
	x.NullPages = append(x.NullPages, none)
	x.Min, x.Max = append(x.Min, low.Value), append(x.Max, high.Value)
	x.Nulls = append(x.Nulls, int64(c.entries-c.present))
}

// indexOrder tells how the pages with values follow one another.
func (c *column) indexOrder() encode.Order {
	x := &c.pageIndex
	up, down, last := true, true, -1
	for i := range x.Min {
		if x.NullPages[i] {
			continue
		}
		if last >= 0 {
			low, high := compare(c.leaf, x.Min[i], x.Min[last]), compare(c.leaf, x.Max[i], x.Max[last])
			up, down = up && low >= 0 && high >= 0, down && low <= 0 && high <= 0
		}
		last = i
	}
	switch {
	case up:
		return encode.Ascending
	case down:
		return encode.Descending
	}
	return encode.Unordered
}
