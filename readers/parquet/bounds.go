package parquet

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"
	"github.com/cespare/xxhash/v2"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// bounds returns the bounds in the statistics of a column chunk; nil where they are unknown or not to be trusted. ordered
// says that the file declares the order of its types: without that, bounds of text and of unsigned numbers were often
// computed as if they were signed. The same goes for the bounds of older writers.
func (n *node) bounds(s *decode.Stats, ordered bool) (lo, hi scalar.Scalar) {
	if s.HasMin || s.HasMax {
		if s.HasMin {
			lo = n.bound(s.Min, ordered, false)
		}
		if s.HasMax {
			hi = n.bound(s.Max, ordered, true)
		}
		return lo, hi
	}
	if s.HasOld {
		return n.bound(s.OldMin, false, false), n.bound(s.OldMax, false, true)
	}
	return nil, nil
}

// bound returns a bound as a value of the column's type; nil where that cannot be told. Bounds of zero are widened:
// writers differ in which zero they store.
func (n *node) bound(b []byte, ordered, upper bool) scalar.Scalar {
	t := n.field.Type
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.ValueType
	}
	switch n.elem.Type {
	case decode.Boolean:
		if len(b) == 1 && t.ID() == arrow.BOOL {
			return scalar.NewBooleanScalar(b[0]&1 == 1)
		}
	case decode.Int32:
		if len(b) == 4 {
			return integer(int64(int32(binary.LittleEndian.Uint32(b))), t, ordered)
		}
	case decode.Int64:
		if len(b) == 8 {
			return integer(int64(binary.LittleEndian.Uint64(b)), t, ordered)
		}
	case decode.Float:
		if len(b) == 4 {
			if v := float64(math.Float32frombits(binary.LittleEndian.Uint32(b))); !math.IsNaN(v) {
				return scalar.NewFloat32Scalar(float32(wider(v, upper)))
			}
		}
	case decode.Double:
		if len(b) == 8 {
			if v := math.Float64frombits(binary.LittleEndian.Uint64(b)); !math.IsNaN(v) {
				return scalar.NewFloat64Scalar(wider(v, upper))
			}
		}
	case decode.ByteArray, decode.Fixed:
		if ordered {
			return n.bytesBound(b, t, upper)
		}
	}
	return nil
}

func wider(v float64, upper bool) float64 {
	if v != 0 {
		return v
	}
	if upper {
		return 0
	}
	return math.Copysign(0, -1)
}

// holds reports whether v is a value of t, where that has fewer than 32 bits.
func holds(t arrow.DataType, v int64) bool {
	switch t.ID() {
	case arrow.INT8:
		return v == int64(int8(v))
	case arrow.INT16:
		return v == int64(int16(v))
	case arrow.UINT8:
		return v == int64(uint8(v))
	case arrow.UINT16:
		return v == int64(uint16(v))
	}
	return true
}

// integer returns a bound as a value of t.
func integer(v int64, t arrow.DataType, ordered bool) scalar.Scalar {
	if !holds(t, v) {
		return nil
	}
	if arrow.IsUnsignedInteger(t.ID()) && !ordered || t.ID() == arrow.DATE64 {
		return nil
	}
	return expr.IntScalar(t, v)
}

// bytesBound returns a bound of text, bytes or a decimal. Bounds of text that were cut off are bounds still.
func (n *node) bytesBound(b []byte, t arrow.DataType, upper bool) scalar.Scalar {
	switch n.elem.Kind {
	case decode.Interval, decode.Geometry, decode.Geography: // they have no order
		return nil
	}
	switch t := t.(type) {
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return scalar.NewStringScalar(string(b))
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		return scalar.NewBinaryScalar(memory.NewBufferBytes(append([]byte(nil), b...)), arrow.BinaryTypes.Binary)
	case *arrow.FixedSizeBinaryType:
		if len(b) == t.ByteWidth {
			return scalar.NewFixedSizeBinaryScalar(memory.NewBufferBytes(append([]byte(nil), b...)), t)
		}
	case *arrow.Float16Type:
		if len(b) == 2 {
			return half(float16.FromBits(binary.LittleEndian.Uint16(b)), upper)
		}
	case *arrow.Decimal128Type:
		if v, ok := bigEndian[[2]uint64](b); ok {
			return scalar.NewDecimal128Scalar(decimal128.New(int64(v[1]), v[0]), t)
		}
	case *arrow.Decimal256Type:
		if v, ok := bigEndian[[4]uint64](b); ok {
			return scalar.NewDecimal256Scalar(decimal256.New(v[3], v[2], v[1], v[0]), t)
		}
	}
	return nil
}

// bigEndian returns a number in two's complement, of any width, as words with the lowest first; false where it does not
// fit.
func bigEndian[W [2]uint64 | [4]uint64](b []byte) (w W, ok bool) {
	if len(b) == 0 {
		return w, false
	}
	sign := byte(int8(b[0]) >> 7)
	for ; len(b) > 8*len(w); b = b[1:] {
		if b[0] != sign || byte(int8(b[1])>>7) != sign {
			return w, false
		}
	}
	for i := range 8 * len(w) {
		x := sign
		if i < len(b) {
			x = b[len(b)-1-i]
		}
		w[i/8] |= uint64(x) << (i % 8 * 8)
	}
	return w, true
}

// half returns a bound of half floats; nil of NaN.
func half(v float16.Num, upper bool) scalar.Scalar {
	switch {
	case isHalfNaN(v):
		return nil
	case halfRank(v) != 0:
	case upper:
		v = float16.FromBits(0)
	default:
		v = float16.FromBits(0x8000)
	}
	return scalar.NewFloat16Scalar(v)
}

// hash returns the hash that a value has in a bloom filter of the column; false = it is not known.
func (n *node) hash(v scalar.Scalar) (uint64, bool) {
	var b [8]byte
	i32 := func(x int32) (uint64, bool) {
		binary.LittleEndian.PutUint32(b[:], uint32(x))
		return xxhash.Sum64(b[:4]), n.elem.Type == decode.Int32
	}
	i64 := func(x int64) (uint64, bool) {
		binary.LittleEndian.PutUint64(b[:], uint64(x))
		return xxhash.Sum64(b[:]), n.elem.Type == decode.Int64
	}
	if t, ok := n.field.Type.(*arrow.DictionaryType); !arrow.TypeEqual(v.DataType(), n.field.Type) && !(ok && arrow.TypeEqual(v.DataType(), t.ValueType)) {
		switch v.(type) {
		case *scalar.String, *scalar.LargeString, *scalar.Binary, *scalar.LargeBinary:
		default:
			return 0, false
		}
	}
	switch v := v.(type) {
	case *scalar.Int8:
		return i32(int32(v.Value))
	case *scalar.Int16:
		return i32(int32(v.Value))
	case *scalar.Int32:
		return i32(v.Value)
	case *scalar.Uint8:
		return i32(int32(v.Value))
	case *scalar.Uint16:
		return i32(int32(v.Value))
	case *scalar.Uint32:
		return i32(int32(v.Value))
	case *scalar.Date32:
		return i32(int32(v.Value))
	case *scalar.Time32:
		return i32(int32(v.Value))
	case *scalar.Int64:
		return i64(v.Value)
	case *scalar.Uint64:
		return i64(int64(v.Value))
	case *scalar.Time64:
		return i64(int64(v.Value))
	case *scalar.Timestamp:
		return i64(int64(v.Value))
	case *scalar.Duration:
		return i64(int64(v.Value))
	case *scalar.Float32:
		binary.LittleEndian.PutUint32(b[:], math.Float32bits(v.Value))
		return xxhash.Sum64(b[:4]), n.elem.Type == decode.Float
	case *scalar.Float64:
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v.Value))
		return xxhash.Sum64(b[:]), n.elem.Type == decode.Double
	case *scalar.String:
		return xxhash.Sum64(v.Data()), n.elem.Type == decode.ByteArray
	case *scalar.LargeString:
		return xxhash.Sum64(v.Data()), n.elem.Type == decode.ByteArray
	case *scalar.Binary:
		return xxhash.Sum64(v.Data()), n.elem.Type == decode.ByteArray
	case *scalar.LargeBinary:
		return xxhash.Sum64(v.Data()), n.elem.Type == decode.ByteArray
	case *scalar.FixedSizeBinary:
		return xxhash.Sum64(v.Data()), n.elem.Type == decode.Fixed
	}
	return 0, false
}

// less reports whether bound a is below b; false also where they cannot be compared.
func less(a, b scalar.Scalar) (is, comparable bool) {
	if x, ok := signed(a); ok {
		y, ok := signed(b)
		return x < y, ok
	}
	if x, ok := unsigned(a); ok {
		y, ok := unsigned(b)
		return x < y, ok
	}
	if x, ok := floating(a); ok {
		y, ok := floating(b)
		return x < y, ok
	}
	if x, ok := a.(scalar.BinaryScalar); ok {
		y, ok := b.(scalar.BinaryScalar)
		return ok && bytes.Compare(x.Data(), y.Data()) < 0, ok
	}
	if x, ok := a.(*scalar.Decimal128); ok {
		y, ok := b.(*scalar.Decimal128)
		return ok && x.Value.Less(y.Value), ok
	}
	if x, ok := a.(*scalar.Decimal256); ok {
		y, ok := b.(*scalar.Decimal256)
		return ok && x.Value.Less(y.Value), ok
	}
	if x, ok := a.(*scalar.Float16); ok {
		y, ok := b.(*scalar.Float16)
		return ok && halfRank(x.Value) < halfRank(y.Value), ok
	}
	if x, ok := a.(*scalar.Boolean); ok {
		y, ok := b.(*scalar.Boolean)
		return ok && !x.Value && y.Value, ok
	}
	return false, false
}

func signed(v scalar.Scalar) (int64, bool) {
	switch v := v.(type) {
	case *scalar.Int8:
		return int64(v.Value), true
	case *scalar.Int16:
		return int64(v.Value), true
	case *scalar.Int32:
		return int64(v.Value), true
	case *scalar.Int64:
		return v.Value, true
	case *scalar.Date32:
		return int64(v.Value), true
	case *scalar.Time32:
		return int64(v.Value), true
	case *scalar.Time64:
		return int64(v.Value), true
	case *scalar.Timestamp:
		return int64(v.Value), true
	case *scalar.Duration:
		return int64(v.Value), true
	}
	return 0, false
}

func unsigned(v scalar.Scalar) (uint64, bool) {
	switch v := v.(type) {
	case *scalar.Uint8:
		return uint64(v.Value), true
	case *scalar.Uint16:
		return uint64(v.Value), true
	case *scalar.Uint32:
		return uint64(v.Value), true
	case *scalar.Uint64:
		return v.Value, true
	}
	return 0, false
}

func floating(v scalar.Scalar) (float64, bool) {
	switch v := v.(type) {
	case *scalar.Float32:
		return float64(v.Value), true
	case *scalar.Float64:
		return v.Value, true
	}
	return 0, false
}
