package avro

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/halffloat"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// form says how the values of an array are stored.
type form uint8

const (
	formInt8 form = iota
	formInt16
	formInt32
	formInt64
	formUint8
	formUint16
	formUint32
	formUint64
	formTimes   // 64-bit numbers times factor
	formSeconds // 32-bit numbers times factor
	formPart    // 64-bit numbers divided by factor
	formBool
	formFloat16
	formFloat32
	formFloat64
	formText32 // with offsets of 32 bits
	formText64
	formViews
	formFixed
	formDecimal128
	formDecimal256
)

// leaf is the values of one batch of a node without parts.
type leaf struct {
	form   form
	factor int64
	days   bool // a number that formPart cannot divide is a date
	halves []float16.Num
	off    int
	u8     []uint8
	u16    []uint16
	u32    []uint32
	u64    []uint64
	offs   []int32
	offs64 []int64
	data   []byte
	width  int
	value  func(i int) string
	d128   *array.Decimal128
	d256   *array.Decimal256
	digits int32
	scale  int32
}

// raw returns the values of an array of fixed width.
func raw[V any](arr arrow.Array, cast func([]byte) []V) []V {
	d := arr.Data()
	if d.Len() == 0 || d.Buffers()[1] == nil {
		return nil
	}
	return cast(d.Buffers()[1].Bytes())[d.Offset():][:d.Len()]
}

// loadLeaf decides how the values of arr are stored.
func (n *node) loadLeaf(arr arrow.Array) error {
	l := &n.leaf
	*l = leaf{}
	if arr.DataType().ID() == arrow.NULL {
		return nil // every slot is null
	}
	switch n.typ {
	case trevniwire.Boolean:
		if arr.DataType().ID() == arrow.BOOL {
			l.form, l.off = formBool, arr.Data().Offset()
			if b := arr.Data().Buffers()[1]; b != nil {
				l.u8 = b.Bytes()
			}
			return nil
		}
	case trevniwire.Int, trevniwire.Long:
		if l.integers(arr, n.target) {
			return nil
		}
	case trevniwire.Float, trevniwire.Double:
		if l.floats(arr, n.typ) {
			return nil
		}
	case trevniwire.String, trevniwire.Bytes:
		if l.texts(arr, n) {
			return nil
		}
	}
	return n.mismatch(arr)
}

// integers takes numbers, dates and times. target has the unit in which they are stored.
func (l *leaf) integers(arr arrow.Array, target arrow.DataType) bool {
	switch t := arr.DataType().(type) {
	case *arrow.Int8Type:
		l.form, l.u8 = formInt8, raw(arr, arrow.Uint8Traits.CastFromBytes)
	case *arrow.Int16Type:
		l.form, l.u16 = formInt16, raw(arr, arrow.Uint16Traits.CastFromBytes)
	case *arrow.Uint8Type:
		l.form, l.u8 = formUint8, raw(arr, arrow.Uint8Traits.CastFromBytes)
	case *arrow.Uint16Type:
		l.form, l.u16 = formUint16, raw(arr, arrow.Uint16Traits.CastFromBytes)
	case *arrow.Uint32Type:
		l.form, l.u32 = formUint32, raw(arr, arrow.Uint32Traits.CastFromBytes)
	case *arrow.Int32Type, *arrow.Date32Type:
		l.form, l.u32 = formInt32, raw(arr, arrow.Uint32Traits.CastFromBytes)
	case *arrow.Uint64Type:
		l.form, l.u64 = formUint64, raw(arr, arrow.Uint64Traits.CastFromBytes)
	case *arrow.Int64Type, *arrow.DurationType:
		l.form, l.u64 = formInt64, raw(arr, arrow.Uint64Traits.CastFromBytes)
	case *arrow.Date64Type:
		l.form, l.factor, l.days, l.u64 = formPart, 24*60*60*1000, true, raw(arr, arrow.Uint64Traits.CastFromBytes)
	case *arrow.Time32Type:
		l.form, l.u32 = formInt32, raw(arr, arrow.Uint32Traits.CastFromBytes)
		if t.Unit == arrow.Second {
			l.form, l.factor = formSeconds, 1000
		}
	case *arrow.Time64Type:
		return l.units(arr, t.Unit, target)
	case *arrow.TimestampType:
		return l.units(arr, t.Unit, target)
	default:
		return false
	}
	return true
}

// units takes times of a unit, to be stored in that of target.
func (l *leaf) units(arr arrow.Array, unit arrow.TimeUnit, target arrow.DataType) bool {
	to := unit
	if t, ok := target.(arrow.TemporalWithUnit); ok {
		to = t.TimeUnit()
	}
	l.form, l.u64 = formInt64, raw(arr, arrow.Uint64Traits.CastFromBytes)
	l.factor = 1
	for u := unit; u < to; u++ {
		l.form, l.factor = formTimes, l.factor*1000
	}
	for u := to; u < unit; u++ {
		l.form, l.factor = formPart, l.factor*1000
	}
	return true
}

func (l *leaf) floats(arr arrow.Array, typ trevniwire.Type) bool {
	switch arr.DataType().ID() {
	case arrow.FLOAT16:
		l.form, l.halves = formFloat16, raw(arr, arrow.Float16Traits.CastFromBytes)
		return typ == trevniwire.Float
	case arrow.FLOAT32:
		l.form, l.u32 = formFloat32, raw(arr, arrow.Uint32Traits.CastFromBytes)
		return typ == trevniwire.Float
	case arrow.FLOAT64:
		l.form, l.u64 = formFloat64, raw(arr, arrow.Uint64Traits.CastFromBytes)
		return typ == trevniwire.Double
	}
	return false
}

// texts takes text, bytes, fixed and decimals.
func (l *leaf) texts(arr arrow.Array, n *node) bool {
	fixed := n.kind == trevniwire.AvroFixed
	contents := func(i int) []byte {
		if b := arr.Data().Buffers()[i]; b != nil {
			return b.Bytes()
		}
		return nil
	}
	switch a := arr.(type) {
	case *array.String, *array.Binary:
		l.form, l.data = formText32, contents(2)
		if arr.Len() > 0 {
			l.offs = arrow.Int32Traits.CastFromBytes(contents(1))[arr.Data().Offset():][:arr.Len()+1]
		}
	case *array.LargeString, *array.LargeBinary:
		l.form, l.data = formText64, contents(2)
		if arr.Len() > 0 {
			l.offs64 = arrow.Int64Traits.CastFromBytes(contents(1))[arr.Data().Offset():][:arr.Len()+1]
		}
	case *array.StringView:
		l.form, l.value = formViews, a.Value
	case *array.BinaryView:
		l.form, l.value = formViews, func(i int) string { return string(a.Value(i)) }
	case *array.FixedSizeBinary:
		l.form, l.width = formFixed, a.DataType().(*arrow.FixedSizeBinaryType).ByteWidth
		if arr.Len() > 0 {
			l.data = contents(1)
			l.data = l.data[min(len(l.data), arr.Data().Offset()*l.width):]
		}
		return !fixed || l.width == n.size
	case *array.Decimal128:
		t := a.DataType().(*arrow.Decimal128Type)
		l.form, l.d128, l.digits, l.scale = formDecimal128, a, t.Precision, t.Scale
	case *array.Decimal256:
		t := a.DataType().(*arrow.Decimal256Type)
		l.form, l.d256, l.digits, l.scale = formDecimal256, a, t.Precision, t.Scale
	default:
		return false
	}
	return true
}

// append appends value i, which is not null.
func (l *leaf) append(b []byte, i int, n *node) ([]byte, error) {
	switch l.form {
	case formInt8:
		return appendLong(b, int64(int8(l.u8[i]))), nil
	case formInt16:
		return appendLong(b, int64(int16(l.u16[i]))), nil
	case formInt32:
		return appendLong(b, int64(int32(l.u32[i]))), nil
	case formInt64:
		return appendLong(b, int64(l.u64[i])), nil
	case formUint8:
		return appendLong(b, int64(l.u8[i])), nil
	case formUint16:
		return appendLong(b, int64(l.u16[i])), nil
	case formUint32:
		return appendLong(b, int64(l.u32[i])), nil
	case formUint64:
		if l.u64[i] > math.MaxInt64 {
			return nil, n.refuse("uint64 %d is above the range of long", l.u64[i])
		}
		return appendLong(b, int64(l.u64[i])), nil
	case formSeconds:
		v := int64(int32(l.u32[i])) * l.factor
		if v != int64(int32(v)) {
			return nil, n.refuse("time %d s does not fit milliseconds", v/l.factor)
		}
		return appendLong(b, v), nil
	case formTimes:
		v := int64(l.u64[i])
		if v > math.MaxInt64/l.factor || v < math.MinInt64/l.factor {
			return nil, n.refuse("%d s does not fit milliseconds", v)
		}
		return appendLong(b, v*l.factor), nil
	case formPart:
		return l.appendPart(b, int64(l.u64[i]), n)
	case formBool:
		k := l.off + i
		return append(b, l.u8[k>>3]>>(k&7)&1), nil
	case formFloat16:
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(halffloat.Float32(l.halves[i]))), nil
	case formFloat32:
		return binary.LittleEndian.AppendUint32(b, l.u32[i]), nil
	case formFloat64:
		return binary.LittleEndian.AppendUint64(b, l.u64[i]), nil
	case formText32:
		return n.appendBytes(b, l.data[l.offs[i]:l.offs[i+1]])
	case formText64:
		return n.appendBytes(b, l.data[l.offs64[i]:l.offs64[i+1]])
	case formViews:
		return n.appendBytes(b, []byte(l.value(i)))
	case formFixed:
		v := l.data[i*l.width:][:l.width]
		if n.kind == trevniwire.AvroFixed {
			return append(b, v...), nil
		}
		return n.appendBytes(b, v)
	}
	return l.appendDecimal(b, i, n)
}

func (l *leaf) appendPart(b []byte, v int64, n *node) ([]byte, error) {
	switch q := v / l.factor; {
	case l.days && (v%l.factor != 0 || q != int64(int32(q))):
		return nil, n.refuse("date64 %d ms is no whole day that fits date32", v)
	case v%l.factor != 0:
		why := errs.ErrFinerThanMicros
		if _, ok := n.target.(*arrow.TimestampType); !ok {
			return nil, n.refuse("%d ns is no whole number of microseconds, the finest unit of Avro", v)
		}
		return nil, n.refuse("%d ns %w, the finest unit of Avro", v, why)
	default:
		return appendLong(b, q), nil
	}
}

// appendBytes appends text or bytes; text has to be UTF-8.
func (n *node) appendBytes(b, v []byte) ([]byte, error) {
	if n.text && !bitpack.UTF8(v) {
		return nil, n.refuse("text that is not UTF-8")
	}
	if n.kind == trevniwire.AvroFixed {
		if len(v) != n.size {
			return nil, n.refuse("%d bytes do not fit the %d bytes of a fixed", len(v), n.size)
		}
		return append(b, v...), nil
	}
	return append(appendLong(b, int64(len(v))), v...), nil
}

// appendDecimal appends a decimal as big-endian two's complement: the shortest, or of the size of a fixed.
func (l *leaf) appendDecimal(b []byte, i int, n *node) ([]byte, error) {
	var be [32]byte
	var v []byte
	var text func() string
	var fits bool
	if l.form == formDecimal128 {
		x := l.d128.Value(i)
		v, fits, text = be[:16], x.FitsInPrecision(l.digits), func() string { return x.ToString(l.scale) }
		binary.BigEndian.PutUint64(v, uint64(x.HighBits()))
		binary.BigEndian.PutUint64(v[8:], x.LowBits())
	} else {
		x := l.d256.Value(i)
		v, fits, text = be[:], x.FitsInPrecision(l.digits), func() string { return x.ToString(l.scale) }
		for k, word := range x.Array() { // the lowest first
			binary.BigEndian.PutUint64(v[24-8*k:], word)
		}
	}
	if !fits {
		return nil, n.refuse("decimal %s has more than the %d digits of its type", text(), l.digits)
	}
	sign := byte(int8(v[0]) >> 7)
	for len(v) > 1 && v[0] == sign && v[1]>>7 == sign&1 {
		v = v[1:]
	}
	if n.kind != trevniwire.AvroFixed {
		return append(appendLong(b, int64(len(v))), v...), nil
	}
	if len(v) > n.size {
		return nil, n.refuse("decimal %s does not fit the %d bytes of its fixed", text(), n.size)
	}
	for range n.size - len(v) {
		b = append(b, sign)
	}
	return append(b, v...), nil
}
