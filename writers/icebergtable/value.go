package icebergtable

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v15/arrow/decimal128"

	"github.com/arrowio/arrowio/internal/iceberg"
)

// Values of partitions and bounds are nil (null), bool, int32 (int, date), int64 (long, times), float32, float64, decimal128.Num,
// string, or []byte (uuid, fixed, binary).

// single returns a value as Iceberg's binary single value (Iceberg table specification, "Appendix D: Single-value serialization").
func single(v any) []byte {
	switch v := v.(type) {
	case bool:
		if v {
			return []byte{1}
		}
		return []byte{0}
	case int32:
		return binary.LittleEndian.AppendUint32(nil, uint32(v))
	case int64:
		return binary.LittleEndian.AppendUint64(nil, uint64(v))
	case float32:
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))
	case float64:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
	case decimal128.Num:
		return unscaled(v)
	case string:
		return []byte(v)
	case []byte:
		return append([]byte{}, v...)
	}
	return nil
}

// unscaled returns a decimal's digits as a whole number in as few bytes as it takes, the most significant first.
func unscaled(v decimal128.Num) []byte {
	b := wide(v)
	n := 0
	for n < len(b)-1 && (b[n] == 0 && b[n+1] < 0x80 || b[n] == 0xff && b[n+1] >= 0x80) {
		n++
	}
	return b[n:]
}

// wide returns the same in 16 bytes.
func wide(v decimal128.Num) []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(v.HighBits()))
	return binary.BigEndian.AppendUint64(b, v.LowBits())
}

// compare orders two values of one type, of which none is null.
func compare(a, b any) int {
	switch a := a.(type) {
	case bool:
		return cmp.Compare(single(a)[0], single(b)[0])
	case int32:
		return cmp.Compare(a, b.(int32))
	case int64:
		return cmp.Compare(a, b.(int64))
	case float32:
		return compareFloats(float64(a), float64(b.(float32)))
	case float64:
		return compareFloats(a, b.(float64))
	case decimal128.Num:
		return a.Cmp(b.(decimal128.Num))
	case string:
		return cmp.Compare(a, b.(string))
	case []byte:
		return bytes.Compare(a, b.([]byte))
	}
	return 0
}

// compareFloats orders minus zero before zero, as bounds have it. Neither is NaN.
func compareFloats(a, b float64) int {
	if a == 0 && b == 0 && math.Signbit(a) != math.Signbit(b) {
		if math.Signbit(a) {
			return -1
		}
		return 1
	}
	return cmp.Compare(a, b)
}

// isNaN reports whether a value is no number.
func isNaN(v any) bool {
	switch v := v.(type) {
	case float32:
		return v != v
	case float64:
		return v != v
	}
	return false
}

// decimalBytes is how many bytes Avro's fixed has for a decimal.
func decimalBytes(precision int32) int {
	for n := 1; n < 16; n++ {
		if float64(precision) <= math.Floor(math.Log10(2)*float64(8*n-1)) {
			return n
		}
	}
	return 16
}

// inAvro returns a value as the Avro writer takes it.
func inAvro(t *iceberg.Type, v any) any {
	if d, ok := v.(decimal128.Num); ok {
		return wide(d)[16-decimalBytes(t.Precision):]
	}
	return v
}
