//go:build interop

package cfile_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
)

// kuduText returns how Kudu's tool prints the slots of an array that was written, from Arrow alone. t is Kudu's name of the
// type, in lower case.
func kuduText(t string, a arrow.Array) func(i int) string {
	value := kuduValue(t, a)
	return func(i int) string {
		if a.IsNull(i) {
			return "NULL"
		}
		return value(i)
	}
}

func kuduValue(t string, a arrow.Array) func(i int) string {
	switch a := a.(type) {
	case *array.Dictionary:
		words := kuduText(t, a.Dictionary())
		return func(i int) string { return words(a.GetValueIndex(i)) }
	case *array.Boolean:
		return func(i int) string { return strconv.FormatBool(a.Value(i)) }
	case *array.Int8:
		return number(a.Value)
	case *array.Int16:
		return number(a.Value)
	case *array.Int32:
		return number(a.Value)
	case *array.Int64:
		return number(a.Value)
	case *array.Uint8:
		return number(a.Value)
	case *array.Uint16:
		return number(a.Value)
	case *array.Uint32:
		return number(a.Value)
	case *array.Uint64:
		return number(a.Value)
	case *array.Float32:
		return func(i int) string { return kuduFloat(float64(a.Value(i)), 32) }
	case *array.Float64:
		return func(i int) string { return kuduFloat(a.Value(i), 64) }
	case *array.String:
		return func(i int) string { return kuduString(t, []byte(a.Value(i))) }
	case *array.LargeString:
		return func(i int) string { return kuduString(t, []byte(a.Value(i))) }
	case *array.Binary:
		return func(i int) string { return kuduString(t, a.Value(i)) }
	case *array.FixedSizeBinary:
		if t == "int128" { // little-endian
			return func(i int) string {
				b := a.Value(i)
				low, high := binary.LittleEndian.Uint64(b), int64(binary.LittleEndian.Uint64(b[8:]))
				return kuduInt128(decimal128.New(high, low).BigInt(), t)
			}
		}
		return func(i int) string { return kuduString(t, a.Value(i)) }
	case *array.Timestamp:
		unit := a.DataType().(*arrow.TimestampType).Unit
		return func(i int) string { return kuduTime(a.Value(i).ToTime(unit)) }
	case *array.Date32:
		return func(i int) string {
			y, m, d := a.Value(i).ToTime().Date()
			return fmt.Sprintf("%d-%02d-%02d", y, m, d)
		}
	case *array.Decimal128:
		suffix := map[string]string{"decimal32": "_D32", "decimal64": "_D64", "decimal128": "_D128", "int128": ""}[t]
		return func(i int) string { return kuduInt128(a.Value(i).BigInt(), t) + suffix }
	}
	panic("no text for " + a.DataType().String())
}

func number[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](value func(int) T) func(int) string {
	return func(i int) string { return fmt.Sprintf("%d", value(i)) }
}

// kuduFloat prints as many digits as the type surely has, or some more where these do not lead back.
func kuduFloat(v float64, bits int) string {
	sure, more := 6, 8
	if bits == 64 {
		sure, more = 15, 17
	}
	switch {
	case math.IsNaN(v):
		if math.Signbit(v) {
			return "-nan"
		}
		return "nan"
	case math.IsInf(v, 0):
		return map[bool]string{true: "inf", false: "-inf"}[v > 0]
	}
	s := strconv.FormatFloat(v, 'g', sure, 64)
	if back, err := strconv.ParseFloat(s, bits); err != nil || back != v {
		s = strconv.FormatFloat(v, 'g', more, 64)
	}
	return s
}

// kuduString quotes. Bytes that do not print are octal in strings, where those from 0x80 on go as they are; in binaries they
// are hexadecimal, as is then a digit that would be taken for one more of the same.
func kuduString(t string, v []byte) string {
	b, hex := []byte{'"'}, false
	for _, c := range v {
		was := hex
		hex = false
		switch {
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '"' || c == '\'' || c == '\\':
			b = append(b, '\\', c)
		case t != "binary" && (c < ' ' || c == 0x7f):
			b = fmt.Appendf(b, `\%03o`, c)
		case t == "binary" && (c < ' ' || c >= 0x7f || was && isHex(c)):
			b, hex = fmt.Appendf(b, `\x%02x`, c), true
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

func kuduTime(v time.Time) string {
	y, m, d := v.Date()
	return fmt.Sprintf("%d-%02d-%02dT%02d:%02d:%02d.%06dZ", y, m, d, v.Hour(), v.Minute(), v.Second(), v.Nanosecond()/1000)
}

var twentyDigits = new(big.Int).Exp(big.NewInt(10), big.NewInt(20), nil)

// kuduInt128 prints the digits. Of 128 bits Kudu prints those above the last twenty, and then the last twenty without the
// zeros that these begin with.
func kuduInt128(v *big.Int, t string) string {
	if t != "decimal128" && t != "int128" {
		return v.String()
	}
	high, low := new(big.Int).QuoRem(new(big.Int).Abs(v), twentyDigits, new(big.Int))
	s := low.String()
	if high.Sign() > 0 {
		s = high.String() + s
	}
	if v.Sign() < 0 {
		s = "-" + s
	}
	return s
}
