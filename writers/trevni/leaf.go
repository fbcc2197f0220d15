package trevni

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/halffloat"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// leafBuffers are what a leaf reuses from batch to batch for values that Arrow does not hold as the file does.
type leafBuffers struct {
	ints    []int32
	longs   []int64
	floats  []float32
	offsets []int32
	data    []byte
}

// values chooses by type: it views, or converts, the values of arr, which has no nulls, as its
// column stores them. They are valid until the next call.
func (l *leafBuffers) values(arr arrow.Array, f *field) (values, error) {
	if f.col.Type == trevniwire.Null {
		return nullValues{}, nil
	}
	if f.Enum != nil {
		return l.enum(arr, f)
	}
	if d, ok := arr.(*array.Dictionary); ok {
		return l.dictionary(d, f)
	}
	switch f.col.Type {
	case trevniwire.Boolean:
		if a, ok := arr.(*array.Boolean); ok {
			return boolValues{contents(a.Data(), 1), a.Data().Offset()}, nil
		}
	case trevniwire.Int:
		v, err := l.int32s(arr, f)
		return varintValues[int32]{v}, err
	case trevniwire.Long:
		v, err := l.int64s(arr, f)
		return varintValues[int64]{v}, err
	case trevniwire.Fixed32:
		v, err := l.int32s(arr, f)
		return fixedInts[int32]{fixedValues{arrowbuf.AsBytes(v), 4}, v}, err
	case trevniwire.Fixed64:
		v, err := l.int64s(arr, f)
		return fixedInts[int64]{fixedValues{arrowbuf.AsBytes(v), 8}, v}, err
	case trevniwire.Float:
		switch a := arr.(type) {
		case *array.Float32:
			return floatValues[float32]{fixedValues{arrowbuf.AsBytes(a.Float32Values()), 4}, a.Float32Values()}, nil
		case *array.Float16:
			l.floats = l.floats[:0]
			for _, x := range a.Values() {
				l.floats = append(l.floats, halffloat.Float32(x))
			}
			return floatValues[float32]{fixedValues{arrowbuf.AsBytes(l.floats), 4}, l.floats}, nil
		}
	case trevniwire.Double:
		if a, ok := arr.(*array.Float64); ok {
			return floatValues[float64]{fixedValues{arrowbuf.AsBytes(a.Float64Values()), 8}, a.Float64Values()}, nil
		}
	case trevniwire.String, trevniwire.Bytes:
		return l.bytes(arr, f)
	}
	return nil, f.mismatch(arr)
}

// int32s returns values of 32 bits or less, times of day and dates among them.
func (l *leafBuffers) int32s(arr arrow.Array, f *field) ([]int32, error) {
	switch a := arr.(type) {
	case *array.Int32:
		return a.Int32Values(), nil
	case *array.Date32:
		return reinterpret[int32](a.Date32Values()), nil
	case *array.Int8:
		l.ints = widen(l.ints, a.Int8Values())
	case *array.Int16:
		l.ints = widen(l.ints, a.Int16Values())
	case *array.Uint8:
		l.ints = widen(l.ints, a.Uint8Values())
	case *array.Uint16:
		l.ints = widen(l.ints, a.Uint16Values())
	case *array.Time32:
		v := reinterpret[int32](a.Time32Values())
		if a.DataType().(*arrow.Time32Type).Unit == arrow.Millisecond {
			return v, nil
		}
		l.ints = append(l.ints[:0], v...)
		for i, x := range l.ints {
			if x > math.MaxInt32/1000 || x < math.MinInt32/1000 {
				return nil, &badValue{i, fmt.Errorf("time %d s does not fit milliseconds", x)}
			}
			l.ints[i] = x * 1000
		}
	case *array.Date64:
		const day = 24 * 60 * 60 * 1000
		l.ints = l.ints[:0]
		for i, x := range a.Date64Values() {
			if x%day != 0 || x/day > math.MaxInt32 || x/day < math.MinInt32 {
				return nil, &badValue{i, fmt.Errorf("date64 %d ms is no whole day that fits date32", x)}
			}
			l.ints = append(l.ints, int32(x/day))
		}
	default:
		return nil, f.mismatch(arr)
	}
	return l.ints, nil
}

// int64s returns values of 64 bits or less, in the unit that the file has.
func (l *leafBuffers) int64s(arr arrow.Array, f *field) ([]int64, error) {
	switch a := arr.(type) {
	case *array.Int64:
		return a.Int64Values(), nil
	case *array.Uint32:
		l.longs = widen(l.longs, a.Uint32Values())
	case *array.Uint64:
		var all uint64
		for _, x := range a.Uint64Values() {
			all |= x
		}
		if all > math.MaxInt64 {
			i := slices.IndexFunc(a.Uint64Values(), func(x uint64) bool { return x > math.MaxInt64 })
			return nil, &badValue{i, fmt.Errorf("uint64 %d is above the range of long", a.Value(i))}
		}
		return reinterpret[int64](a.Uint64Values()), nil
	case *array.Duration:
		return reinterpret[int64](a.DurationValues()), nil
	case *array.Time64:
		v := reinterpret[int64](a.Time64Values())
		if a.DataType().(*arrow.Time64Type).Unit == arrow.Nanosecond {
			return l.scale(v, -1000, errors.New("is no whole number of microseconds"))
		}
		return v, nil
	case *array.Timestamp:
		v := reinterpret[int64](a.TimestampValues())
		switch a.DataType().(*arrow.TimestampType).Unit {
		case arrow.Second:
			return l.scale(v, 1000, nil)
		case arrow.Nanosecond:
			if t, ok := f.Field.Type.(*arrow.TimestampType); ok && t.Unit == arrow.Nanosecond {
				return v, nil
			}
			if f.cut {
				l.longs = l.longs[:0]
				for _, x := range v {
					l.longs = append(l.longs, floor1000(x))
				}
				return l.longs, nil
			}
			return l.scale(v, -1000, errs.ErrFinerThanMicros)
		}
		return v, nil
	default:
		return nil, f.mismatch(arr)
	}
	return l.longs, nil
}

// floor1000 divides by 1000, towards the past.
func floor1000(x int64) int64 {
	q := x / 1000
	if x%1000 < 0 {
		q--
	}
	return q
}

// scale multiplies by a positive factor, and divides by a negative one, without loss; finer says what is wrong with a value
// that cannot be divided.
func (l *leafBuffers) scale(v []int64, factor int64, finer error) ([]int64, error) {
	l.longs = l.longs[:0]
	for i, x := range v {
		switch {
		case factor < 0 && x%factor != 0:
			return nil, &badValue{i, fmt.Errorf("%d ns %w, the finest unit of Avro", x, finer)}
		case factor < 0:
			x /= -factor
		case x > math.MaxInt64/factor || x < math.MinInt64/factor:
			return nil, &badValue{i, fmt.Errorf("%d s does not fit milliseconds", x)}
		default:
			x *= factor
		}
		l.longs = append(l.longs, x)
	}
	return l.longs, nil
}

func widen[T, F int8 | int16 | uint8 | uint16 | uint32 | int32 | int64 | uint64](dst []T, src []F) []T {
	dst = dst[:0]
	for _, x := range src {
		dst = append(dst, T(x))
	}
	return dst
}

// bytes returns text, bytes, fixed and decimals.
func (l *leafBuffers) bytes(arr arrow.Array, f *field) (values, error) {
	fixed, isFixed := f.Field.Type.(*arrow.FixedSizeBinaryType)
	switch a := arr.(type) {
	case *array.String:
		return l.text(view32(a.Len(), a.ValueOffsets, a.Data()), f)
	case *array.Binary:
		v := view32(a.Len(), a.ValueOffsets, a.Data())
		if isFixed {
			return nil, f.mismatch(arr)
		}
		return v, nil
	case *array.LargeString:
		v, err := l.view64(a.Len(), a.ValueOffsets, a.Data())
		if err != nil {
			return nil, err
		}
		return l.text(v, f)
	case *array.LargeBinary:
		return l.view64(a.Len(), a.ValueOffsets, a.Data())
	case *array.StringView:
		v, err := l.views(a.Len(), a.Value)
		if err != nil {
			return nil, err
		}
		return l.text(v, f)
	case *array.BinaryView:
		return l.views(a.Len(), func(i int) string { return string(a.Value(i)) })
	case *array.FixedSizeBinary:
		w := a.DataType().(*arrow.FixedSizeBinaryType).ByteWidth
		if isFixed && w != fixed.ByteWidth {
			return nil, f.mismatch(arr)
		}
		if a.Len() == 0 {
			return cellValues{nil, w}, nil
		}
		from := a.Data().Offset() * w
		return cellValues{contents(a.Data(), 1)[from : from+a.Len()*w], w}, nil
	case *array.Decimal128:
		return l.decimals128(a, f)
	case *array.Decimal256:
		return l.decimals256(a, f)
	}
	return nil, f.mismatch(arr)
}

// contents returns a buffer's bytes; none where arrays without values leave it out.
func contents(d arrow.ArrayData, i int) []byte {
	if b := d.Buffers()[i]; b != nil {
		return b.Bytes()
	}
	return nil
}

// view32 views the offsets and bytes of a string or binary array, a slice of one too.
func view32(n int, offsets func() []int32, d arrow.ArrayData) bytesValues {
	if n == 0 {
		return bytesValues{offsets: []int32{0}}
	}
	return bytesValues{offsets(), contents(d, 2)}
}

// view64 narrows 64-bit offsets.
func (l *leafBuffers) view64(n int, offsets func() []int64, d arrow.ArrayData) (bytesValues, error) {
	if n == 0 {
		return bytesValues{offsets: []int32{0}}, nil
	}
	off := offsets()
	if off[n]-off[0] > math.MaxInt32 {
		return bytesValues{}, arrowdense.TooMuch()
	}
	l.offsets = l.offsets[:0]
	for _, o := range off {
		l.offsets = append(l.offsets, int32(o-off[0]))
	}
	v := bytesValues{offsets: l.offsets}
	if off[n] > off[0] {
		v.data = contents(d, 2)[off[0]:off[n]]
	}
	return v, nil
}

// views puts values that lie anywhere behind one another.
func (l *leafBuffers) views(n int, value func(int) string) (bytesValues, error) {
	l.offsets, l.data = append(l.offsets[:0], 0), l.data[:0]
	for i := range n {
		l.data = append(l.data, value(i)...)
		if len(l.data) > math.MaxInt32 {
			return bytesValues{}, arrowdense.TooMuch()
		}
		l.offsets = append(l.offsets, int32(len(l.data)))
	}
	return bytesValues{l.offsets, l.data}, nil
}

// text checks that what goes into a string column is UTF-8.
func (l *leafBuffers) text(v bytesValues, f *field) (values, error) {
	if f.col.Type == trevniwire.String {
		if i := bitpack.FirstNotUTF8(v.offsets, v.data); i >= 0 {
			return nil, &badValue{i, errors.New("text that is not UTF-8")}
		}
	}
	return v, nil
}

// badValue is a value that its column cannot hold: its position among those of the leaf, and why.
type badValue struct {
	at  int
	why error
}

func (b *badValue) Error() string { return b.why.Error() }

// reinterpret views values as integers of the same size: dates, times and the like are nothing else in memory.
func reinterpret[T, F int32 | int64 | uint64 | float32 | float64 | arrow.Date32 | arrow.Time32 | arrow.Time64 | arrow.Timestamp | arrow.Duration](v []F) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
}
