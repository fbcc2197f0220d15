package parquet

import (
	"cmp"
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"
	"github.com/cespare/xxhash/v2"

	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// tally is what the values of a page or of a column chunk really are, for Verify to compare statistics with.
type tally struct {
	lo, hi  scalar.Scalar // the smallest and largest value; nil = there are none but nulls and NaNs, or they have no order
	values  int64         // that are not null
	entries int64         // nulls among them
}

// add takes the values of t in.
func (s *tally) add(t tally) {
	s.values += t.values
	s.entries += t.entries
	if t.lo == nil {
		return
	}
	if s.lo == nil {
		s.lo, s.hi = t.lo, t.hi
		return
	}
	if is, _ := less(t.lo, s.lo); is {
		s.lo = t.lo
	}
	if is, _ := less(s.hi, t.hi); is {
		s.hi = t.hi
	}
}

// extremes returns the smallest and the largest value of an array of a leaf, apart from nulls and NaNs. They do not
// share memory with it.
func extremes(a arrow.Array) (lo, hi scalar.Scalar) {
	switch a := a.(type) {
	case *array.Boolean:
		return booleans(a)
	case *array.Int8:
		return numbers(a, a.Int8Values(), scalar.NewInt8Scalar)
	case *array.Int16:
		return numbers(a, a.Int16Values(), scalar.NewInt16Scalar)
	case *array.Int32:
		return numbers(a, a.Int32Values(), scalar.NewInt32Scalar)
	case *array.Int64:
		return numbers(a, a.Int64Values(), scalar.NewInt64Scalar)
	case *array.Uint8:
		return numbers(a, a.Uint8Values(), scalar.NewUint8Scalar)
	case *array.Uint16:
		return numbers(a, a.Uint16Values(), scalar.NewUint16Scalar)
	case *array.Uint32:
		return numbers(a, a.Uint32Values(), scalar.NewUint32Scalar)
	case *array.Uint64:
		return numbers(a, a.Uint64Values(), scalar.NewUint64Scalar)
	case *array.Float32:
		return numbers(a, a.Float32Values(), scalar.NewFloat32Scalar)
	case *array.Float64:
		return numbers(a, a.Float64Values(), scalar.NewFloat64Scalar)
	case *array.Date32:
		return numbers(a, a.Date32Values(), scalar.NewDate32Scalar)
	case *array.Time32:
		return numbers(a, a.Time32Values(), func(v arrow.Time32) *scalar.Time32 { return scalar.NewTime32Scalar(v, a.DataType()) })
	case *array.Time64:
		return numbers(a, a.Time64Values(), func(v arrow.Time64) *scalar.Time64 { return scalar.NewTime64Scalar(v, a.DataType()) })
	case *array.Timestamp:
		return numbers(a, a.TimestampValues(), func(v arrow.Timestamp) *scalar.Timestamp { return scalar.NewTimestampScalar(v, a.DataType()) })
	case *array.Duration:
		return numbers(a, a.DurationValues(), func(v arrow.Duration) *scalar.Duration { return scalar.NewDurationScalar(v, a.DataType()) })
	case *array.Float16:
		return ranked(a, a.Values(), func(x, y float16.Num) bool { return halfRank(x) < halfRank(y) }, isHalfNaN,
			func(v float16.Num) scalar.Scalar { return scalar.NewFloat16Scalar(v) })
	case *array.Decimal128:
		return ranked(a, a.Values(), decimal128.Num.Less, nil,
			func(v decimal128.Num) scalar.Scalar { return scalar.NewDecimal128Scalar(v, a.DataType()) })
	case *array.Decimal256:
		return ranked(a, a.Values(), decimal256.Num.Less, nil,
			func(v decimal256.Num) scalar.Scalar { return scalar.NewDecimal256Scalar(v, a.DataType()) })
	}
	if t, ok := textsOf(a); ok {
		return t.extremes()
	}
	return nil, nil
}

// numbers returns the smallest and the largest of the values of an array.
func numbers[T cmp.Ordered, S scalar.Scalar](a arrow.Array, values []T, wrap func(T) S) (lo, hi scalar.Scalar) {
	is := validity(a)
	var least, most T
	found := false
	for i, v := range values {
		switch {
		case !is(i) || v != v: // null or NaN
		case !found:
			least, most, found = v, v, true
		case v < least:
			least = v
		case v > most:
			most = v
		}
	}
	if !found {
		return nil, nil
	}
	return wrap(least), wrap(most)
}

// ranked is like numbers for types that Go cannot compare. isNaN may be nil.
func ranked[T any](a arrow.Array, values []T, less func(x, y T) bool, isNaN func(T) bool, wrap func(T) scalar.Scalar) (lo, hi scalar.Scalar) {
	is := validity(a)
	var least, most T
	found := false
	for i, v := range values {
		switch {
		case !is(i) || isNaN != nil && isNaN(v):
		case !found:
			least, most, found = v, v, true
		case less(v, least):
			least = v
		case less(most, v):
			most = v
		}
	}
	if !found {
		return nil, nil
	}
	return wrap(least), wrap(most)
}

// validity returns what tells whether slot i of an array is not null.
func validity(a arrow.Array) func(i int) bool {
	bits, off := a.NullBitmapBytes(), a.Data().Offset()
	if a.NullN() == 0 || len(bits) == 0 {
		return func(int) bool { return true }
	}
	return func(i int) bool { return bitutil.BitIsSet(bits, off+i) }
}

func booleans(a *array.Boolean) (lo, hi scalar.Scalar) {
	var has [2]bool
	for i := range a.Len() {
		if a.IsValid(i) {
			has[bit(a.Value(i))] = true
		}
	}
	if !has[0] && !has[1] {
		return nil, nil
	}
	return scalar.NewBooleanScalar(!has[0]), scalar.NewBooleanScalar(has[1])
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// halfRank orders the values of half floats as numbers; both zeros are equal.
func halfRank(v float16.Num) int32 {
	b := int32(v.Uint16())
	if b >= 0x8000 {
		return 0x8000 - b
	}
	return b
}

func isHalfNaN(v float16.Num) bool { return v.Uint16()&0x7fff > 0x7c00 }

// texts are the strings or bytes of an array, those of a dictionary that are used.
type texts struct {
	n    int
	has  func(i int) bool
	at   func(i int) string // valid as long as the array
	wrap func(s string) scalar.Scalar
}

func textsOf(a arrow.Array) (t texts, ok bool) {
	t = texts{n: a.Len(), has: validity(a), wrap: func(s string) scalar.Scalar {
		return scalar.NewBinaryScalar(memory.NewBufferBytes([]byte(s)), arrow.BinaryTypes.Binary)
	}}
	text := func(s string) scalar.Scalar { return scalar.NewStringScalar(string([]byte(s))) }
	switch a := a.(type) {
	case *array.String:
		t.at, t.wrap = a.Value, text
	case *array.LargeString:
		t.at, t.wrap = a.Value, text
	case *array.StringView:
		t.at, t.wrap = a.Value, text
	case *array.Binary:
		t.at = a.ValueString
	case *array.LargeBinary:
		t.at = a.ValueString
	case *array.BinaryView:
		t.at = a.ValueString
	case *array.FixedSizeBinary:
		t.at = func(i int) string { return unsafe.String(unsafe.SliceData(a.Value(i)), len(a.Value(i))) }
	case *array.Dictionary:
		if t, ok = textsOf(a.Dictionary()); !ok {
			return t, false
		}
		used := make([]bool, t.n)
		for i := range a.Len() {
			if a.IsValid(i) {
				used[a.GetValueIndex(i)] = true
			}
		}
		t.has = func(i int) bool { return used[i] }
	default:
		return t, false
	}
	return t, true
}

func (t texts) extremes() (lo, hi scalar.Scalar) {
	var least, most string
	found := false
	for i := range t.n {
		if !t.has(i) {
			continue
		}
		switch v := t.at(i); {
		case !found:
			least, most, found = v, v, true
		case v < least:
			least = v
		case v > most:
			most = v
		}
	}
	if !found {
		return nil, nil
	}
	return t.wrap(least), t.wrap(most)
}

// eachHash calls use with the hash that each value has in a bloom filter, as node.hash has it. It reports false where
// that is not known. Values of a dictionary are given once.
func eachHash(a arrow.Array, stored decode.Type, use func(h uint64)) bool {
	if t, ok := textsOf(a); ok {
		for i := range t.n {
			if t.has(i) {
				use(xxhash.Sum64String(t.at(i)))
			}
		}
		return true
	}
	if stored == decode.Int96 {
		return false
	}
	switch a := a.(type) {
	case *array.Int8:
		hashes(a, a.Int8Values(), 4, whole, use)
	case *array.Int16:
		hashes(a, a.Int16Values(), 4, whole, use)
	case *array.Int32:
		hashes(a, a.Int32Values(), 4, whole, use)
	case *array.Uint8:
		hashes(a, a.Uint8Values(), 4, whole, use)
	case *array.Uint16:
		hashes(a, a.Uint16Values(), 4, whole, use)
	case *array.Uint32:
		hashes(a, a.Uint32Values(), 4, whole, use)
	case *array.Date32:
		hashes(a, a.Date32Values(), 4, whole, use)
	case *array.Time32:
		hashes(a, a.Time32Values(), 4, whole, use)
	case *array.Int64:
		hashes(a, a.Int64Values(), 8, whole, use)
	case *array.Uint64:
		hashes(a, a.Uint64Values(), 8, whole, use)
	case *array.Time64:
		hashes(a, a.Time64Values(), 8, whole, use)
	case *array.Timestamp:
		hashes(a, a.TimestampValues(), 8, whole, use)
	case *array.Duration:
		hashes(a, a.DurationValues(), 8, whole, use)
	case *array.Float32:
		hashes(a, a.Float32Values(), 4, func(v float32) uint64 { return uint64(math.Float32bits(v)) }, use)
	case *array.Float64:
		hashes(a, a.Float64Values(), 8, math.Float64bits, use)
	default:
		return false
	}
	return true
}

func whole[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](v T) uint64 {
	return uint64(int64(v))
}

// hashes hashes the width low bytes of values.
func hashes[T any](a arrow.Array, values []T, width int, bits func(T) uint64, use func(h uint64)) {
	is := validity(a)
	var b [8]byte
	for i, v := range values {
		if is(i) {
			binary.LittleEndian.PutUint64(b[:], bits(v))
			use(xxhash.Sum64(b[:width]))
		}
	}
}
