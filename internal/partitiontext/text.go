package partitiontext

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Null is the name of the directory of rows whose value is null.
const Null = "__HIVE_DEFAULT_PARTITION__"

// Types says whose values become names of directories: those of Hive's primitive types but binary.
const Types = "only those of bool, integers, floats, decimals, utf8, date32 and timestamps without a zone can"

// Of returns what writes the values of a type as names of directories, as Hive and Spark write them; nil = it has no
// names for them. Values that sort as one have one name.
func Of(t arrow.DataType) func(a arrow.Array, i int) string {
	switch t := t.(type) {
	case *arrow.BooleanType:
		return func(a arrow.Array, i int) string { return strconv.FormatBool(a.(*array.Boolean).Value(i)) }
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType, *arrow.Date32Type,
		*arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type,
		*arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type:
		return func(a arrow.Array, i int) string { return a.ValueStr(i) }
	case *arrow.Float32Type:
		return func(a arrow.Array, i int) string { return floatText(float64(a.(*array.Float32).Value(i)), 32) }
	case *arrow.Float64Type:
		return func(a arrow.Array, i int) string { return floatText(a.(*array.Float64).Value(i), 64) }
	case *arrow.Decimal128Type:
		return func(a arrow.Array, i int) string {
			return decimalText(a.(*array.Decimal128).Value(i).BigInt(), int(t.Scale))
		}
	case *arrow.Decimal256Type:
		return func(a arrow.Array, i int) string {
			return decimalText(a.(*array.Decimal256).Value(i).BigInt(), int(t.Scale))
		}
	case *arrow.TimestampType:
		if t.TimeZone != "" {
			return nil // Hive's have no zone, and who reads the text would take it for another time
		}
		return func(a arrow.Array, i int) string { return timestampText(a.(*array.Timestamp).Value(i), t.Unit) }
	case *arrow.DictionaryType:
		inner := Of(t.ValueType)
		if inner == nil {
			return nil
		}
		return func(a arrow.Array, i int) string {
			d := a.(*array.Dictionary)
			return inner(d.Dictionary(), d.GetValueIndex(i))
		}
	}
	return nil
}

// floatText is the shortest text that is read back as v, in the notation of Java: 1.5, 1.0E10, NaN. Minus zero is 0.0.
func floatText(v float64, bits int) string {
	size := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	case v == 0:
		return "0.0"
	case size >= 1e-3 && size < 1e7:
		text := strconv.FormatFloat(v, 'f', -1, bits)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'E', -1, bits), "E")
	if !strings.Contains(digits, ".") {
		digits += ".0"
	}
	n, _ := strconv.Atoi(exponent) // it is a number
	return digits + "E" + strconv.Itoa(n)
}

// decimalText is an unscaled value with its point.
func decimalText(v *big.Int, scale int) string {
	text := v.String()
	if scale <= 0 {
		if v.Sign() != 0 {
			text += strings.Repeat("0", -scale)
		}
		return text
	}
	sign := ""
	if v.Sign() < 0 {
		sign, text = "-", text[1:]
	}
	if missing := scale + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	return sign + text[:len(text)-scale] + "." + text[len(text)-scale:]
}

// timestampText has the digits of a second that are not zeros at the end.
func timestampText(v arrow.Timestamp, unit arrow.TimeUnit) string {
	perSecond := int64(time.Second / unit.Multiplier())
	seconds, rest := int64(v)/perSecond, int64(v)%perSecond
	if rest < 0 {
		seconds, rest = seconds-1, rest+perSecond
	}
	return time.Unix(seconds, rest*int64(unit.Multiplier())).UTC().Format("2006-01-02 15:04:05.999999999")
}

// Escape replaces the characters that Hive replaces in names of directories, and the zero byte.
func Escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c < 0x20 || c == 0x7f || strings.IndexByte("\"#%'*/:=?\\{[]^", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
