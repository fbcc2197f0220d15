package trevni

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"

	"github.com/arrowio/arrowio/internal/arrowdense"
)

// decimals128 turns decimals into big-endian two's complement: the shortest, or of the size of a fixed.
func (l *leafBuffers) decimals128(a *array.Decimal128, f *field) (values, error) {
	t := a.DataType().(*arrow.Decimal128Type)
	all := a.Values()
	const most = 16 // bytes of one
	if len(all) > (math.MaxInt32-most)/most {
		return nil, arrowdense.TooMuch()
	}
	l.offsets, l.data = append(l.offsets[:0], 0), slices.Grow(l.data[:0], most*len(all)+most)
	fixed, limit := f.Size > 0, uint64(math.MaxUint64) // of what 64 bits hold
	if t.Precision < 19 {
		limit = decimal128.GetMaxValue(t.Precision).LowBits()
	}
	for i, v := range all {
		low := v.LowBits()
		sign := uint64(int64(low) >> 63)
		size := low ^ sign // for a negative number one less
		if uint64(v.HighBits()) == sign && size+sign&1 <= limit && !fixed {
			n := (64-bits.LeadingZeros64(size))/8 + 1
			end := len(l.data)
			binary.BigEndian.PutUint64(l.data[end:end+8], low<<(64-8*n))
			l.data = l.data[:end+n]
			l.offsets = append(l.offsets, int32(end+n))
			continue
		}
		if !v.FitsInPrecision(t.Precision) {
			return nil, tooManyDigits(i, v.ToString(t.Scale), t.Precision)
		}
		var b [most]byte
		binary.BigEndian.PutUint64(b[:], uint64(v.HighBits()))
		binary.BigEndian.PutUint64(b[8:], low)
		if !l.appendNumber(b[:], f.Size) {
			return nil, tooLarge(i, v.ToString(t.Scale), f.Size)
		}
	}
	return bytesValues{l.offsets, l.data}, nil
}

func (l *leafBuffers) decimals256(a *array.Decimal256, f *field) (values, error) {
	t := a.DataType().(*arrow.Decimal256Type)
	l.offsets, l.data = append(l.offsets[:0], 0), l.data[:0]
	for i := range a.Len() {
		v := a.Value(i)
		if !v.FitsInPrecision(t.Precision) {
			return nil, tooManyDigits(i, v.ToString(t.Scale), t.Precision)
		}
		var b [32]byte
		for k, word := range v.Array() { // the lowest first
			binary.BigEndian.PutUint64(b[24-8*k:], word)
		}
		if !l.appendNumber(b[:], f.Size) {
			return nil, tooLarge(i, v.ToString(t.Scale), f.Size)
		}
	}
	return bytesValues{l.offsets, l.data}, nil
}

// appendNumber appends a big-endian number in as few bytes as hold it, or in size bytes; false if these are too few.
func (l *leafBuffers) appendNumber(b []byte, size int) bool {
	sign := byte(int8(b[0]) >> 7)
	k := 0
	for k < len(b)-1 && b[k] == sign && b[k+1]>>7 == sign&1 {
		k++
	}
	n := len(b) - k
	for ; n < size; n++ {
		l.data = append(l.data, sign)
	}
	l.data = append(l.data, b[k:]...)
	l.offsets = append(l.offsets, int32(len(l.data)))
	return size == 0 || n == size
}

func tooManyDigits(i int, v string, precision int32) error {
	return &badValue{i, fmt.Errorf("decimal %s has more than the %d digits of its type", v, precision)}
}

func tooLarge(i int, v string, size int) error {
	return &badValue{i, fmt.Errorf("decimal %s does not fit the %d bytes of its fixed", v, size)}
}
