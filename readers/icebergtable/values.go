package icebergtable

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/internal/iceberg"
)

// Values of partitions and bounds are kept as Iceberg's binary single values (Iceberg table specification, "Appendix D: Single-value
// serialization"): little-endian numbers, decimals big-endian, and text and bytes as they are.

// singleValue returns a value of Avro as a single value; nil = null.
func singleValue(v any) ([]byte, bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case bool:
		if v {
			return []byte{1}, true
		}
		return []byte{0}, true
	case int32:
		return binary.LittleEndian.AppendUint32(nil, uint32(v)), true
	case int64:
		return binary.LittleEndian.AppendUint64(nil, uint64(v)), true
	case float32:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)), true
	case float64:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)), true
	case string:
		return append([]byte{}, v...), true
	case []byte:
		return append([]byte{}, v...), true
	case [16]byte:
		return v[:], true
	}
	return nil, false
}

// number reads a whole number, which may have been stored before its column became wider.
func number(b []byte) (int64, bool) {
	switch len(b) {
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b))), true
	case 8:
		return int64(binary.LittleEndian.Uint64(b)), true
	}
	return 0, false
}

// decimalValue reads an unscaled decimal.
func decimalValue(b []byte) (decimal128.Num, bool) {
	if len(b) == 0 || len(b) > 16 {
		return decimal128.Num{}, false
	}
	var full [16]byte
	if b[0]&0x80 != 0 {
		for i := range full {
			full[i] = 0xff
		}
	}
	copy(full[16-len(b):], b)
	return decimal128.New(int64(binary.BigEndian.Uint64(full[:8])), binary.BigEndian.Uint64(full[8:])), true
}

// scalarOf returns a single value of a type of Iceberg as a scalar of the Arrow type that the column is shown as; false = it is no
// such value.
func scalarOf(t *iceberg.Type, shown arrow.DataType, b []byte) (scalar.Scalar, bool) {
	switch t.Kind {
	case iceberg.Boolean:
		return scalar.NewBooleanScalar(len(b) == 1 && b[0] != 0), len(b) == 1
	case iceberg.Int:
		n, ok := number(b)
		return scalar.NewInt32Scalar(int32(n)), ok && n == int64(int32(n))
	case iceberg.Long:
		n, ok := number(b)
		return scalar.NewInt64Scalar(n), ok
	case iceberg.Date:
		n, ok := number(b)
		return scalar.NewDate32Scalar(arrow.Date32(n)), ok && n == int64(int32(n))
	case iceberg.Time:
		n, ok := number(b)
		return scalar.NewTime64Scalar(arrow.Time64(n), shown), ok && len(b) == 8
	case iceberg.Timestamp, iceberg.TimestampTZ, iceberg.TimestampNS, iceberg.TimestampTZNS:
		n, ok := number(b)
		if len(b) == 4 { // it was a date
			day := int64(24*time.Hour) / int64(shown.(*arrow.TimestampType).Unit.Multiplier())
			days := n
			n *= day
			ok = n/day == days && (t.Kind == iceberg.Timestamp || t.Kind == iceberg.TimestampNS)
		}
		return scalar.NewTimestampScalar(arrow.Timestamp(n), shown), ok
	case iceberg.Float:
		if len(b) != 4 {
			return nil, false
		}
		return scalar.NewFloat32Scalar(math.Float32frombits(binary.LittleEndian.Uint32(b))), true
	case iceberg.Double:
		switch len(b) {
		case 4:
			return scalar.NewFloat64Scalar(float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))), true
		case 8:
			return scalar.NewFloat64Scalar(math.Float64frombits(binary.LittleEndian.Uint64(b))), true
		}
		return nil, false
	case iceberg.Decimal:
		n, ok := decimalValue(b)
		return scalar.NewDecimal128Scalar(n, shown), ok
	case iceberg.String:
		return scalar.NewStringScalar(string(b)), true
	case iceberg.Binary:
		return scalar.NewBinaryScalar(memory.NewBufferBytes(slices.Clone(b)), shown), true
	case iceberg.UUID, iceberg.Fixed:
		w, ok := shown.(*arrow.FixedSizeBinaryType)
		if !ok || len(b) != w.ByteWidth {
			return nil, false
		}
		return scalar.NewFixedSizeBinaryScalar(memory.NewBufferBytes(slices.Clone(b)), shown), true
	}
	return nil, false
}
