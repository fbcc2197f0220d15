package textvalues

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/floattext"
)

// Appender appends the value that a text stands for, or reports that it stands for none of the type.
type Appender func(text []byte) bool

// For returns what makes an Appender for a builder of type t; nil = values of t are not read from text.
func For(t arrow.DataType) func(b array.Builder) Appender {
	switch t := t.(type) {
	case *arrow.Int8Type:
		return appending[*array.Int8Builder](integer[int8](8))
	case *arrow.Int16Type:
		return appending[*array.Int16Builder](integer[int16](16))
	case *arrow.Int32Type:
		return appending[*array.Int32Builder](integer[int32](32))
	case *arrow.Int64Type:
		return appending[*array.Int64Builder](integer[int64](64))
	case *arrow.Uint8Type:
		return appending[*array.Uint8Builder](unsigned[uint8](8))
	case *arrow.Uint16Type:
		return appending[*array.Uint16Builder](unsigned[uint16](16))
	case *arrow.Uint32Type:
		return appending[*array.Uint32Builder](unsigned[uint32](32))
	case *arrow.Uint64Type:
		return appending[*array.Uint64Builder](unsigned[uint64](64))
	case *arrow.Float32Type:
		return appending[*array.Float32Builder](float[float32](32))
	case *arrow.Float64Type:
		return appending[*array.Float64Builder](float[float64](64))
	case *arrow.Decimal128Type:
		return appending[*array.Decimal128Builder](decimal128Of(t))
	case *arrow.Decimal256Type:
		return appending[*array.Decimal256Builder](decimal256Of(t))
	case *arrow.BooleanType:
		return appending[*array.BooleanBuilder](boolean)
	case *arrow.StringType:
		return appendingText(func(b array.Builder) *array.BinaryBuilder { return b.(*array.StringBuilder).BinaryBuilder })
	case *arrow.LargeStringType:
		return appendingText(func(b array.Builder) *array.BinaryBuilder { return b.(*array.LargeStringBuilder).BinaryBuilder })
	case *arrow.BinaryType, *arrow.LargeBinaryType:
		return appendingBytes(func(b array.Builder) func([]byte) { return b.(*array.BinaryBuilder).Append }, -1)
	case *arrow.FixedSizeBinaryType:
		return appendingBytes(func(b array.Builder) func([]byte) { return b.(*array.FixedSizeBinaryBuilder).Append }, t.ByteWidth)
	}
	return temporal(t)
}

func temporal(t arrow.DataType) func(b array.Builder) Appender {
	switch t := t.(type) {
	case *arrow.Date32Type:
		return appending[*array.Date32Builder](Date)
	case *arrow.Date64Type:
		return appending[*array.Date64Builder](func(v []byte) (arrow.Date64, bool) {
			d, ok := Date(v)
			return arrow.Date64(d) * 86_400_000, ok
		})
	case *arrow.Time32Type:
		return appending[*array.Time32Builder](timeOfDay[arrow.Time32](digitsOf(t.Unit)))
	case *arrow.Time64Type:
		return appending[*array.Time64Builder](timeOfDay[arrow.Time64](digitsOf(t.Unit)))
	case *arrow.TimestampType:
		return appending[*array.TimestampBuilder](timestamps(t))
	}
	return nil
}

// digitsOf returns how many digits of a second a unit has.
func digitsOf(u arrow.TimeUnit) int { return 3 * int(u) }

// builder is a builder of values of type T.
type builder[T any] interface {
	array.Builder
	Append(T)
}

func appending[B builder[T], T any](parse func([]byte) (T, bool)) func(array.Builder) Appender {
	return func(b array.Builder) Appender {
		add := b.(B).Append
		return func(text []byte) bool {
			x, ok := parse(text)
			if ok {
				add(x)
			}
			return ok
		}
	}
}

func appendingText(binary func(array.Builder) *array.BinaryBuilder) func(array.Builder) Appender {
	return func(b array.Builder) Appender {
		to := binary(b)
		return func(text []byte) bool {
			ok := bitpack.UTF8(text)
			if ok {
				to.Append(text)
			}
			return ok
		}
	}
}

// appendingBytes reads base64, as which bytes are written. width is how many bytes a value has; -1 = any number.
func appendingBytes(of func(array.Builder) func([]byte), width int) func(array.Builder) Appender {
	return func(b array.Builder) Appender {
		add := of(b)
		var value []byte
		return func(text []byte) bool {
			var err error
			value, err = base64.StdEncoding.Strict().AppendDecode(value[:0], text)
			ok := err == nil && (width < 0 || len(value) == width)
			if ok {
				add(value)
			}
			return ok
		}
	}
}

func integer[T ~int8 | ~int16 | ~int32 | ~int64](bits int) func([]byte) (T, bool) {
	return func(v []byte) (T, bool) {
		n, err := strconv.ParseInt(string(v), 10, bits)
		return T(n), err == nil
	}
}

func unsigned[T ~uint8 | ~uint16 | ~uint32 | ~uint64](bits int) func([]byte) (T, bool) {
	return func(v []byte) (T, bool) {
		if len(v) > 0 && v[0] == '+' {
			v = v[1:]
		} else if string(v) == "-0" {
			return 0, true
		}
		n, err := strconv.ParseUint(string(v), 10, bits)
		return T(n), err == nil
	}
}

func boolean(v []byte) (value, ok bool) {
	switch string(v) {
	case "true", "True", "TRUE", "1":
		return true, true
	case "false", "False", "FALSE", "0":
		return false, true
	}
	return false, false
}

// float reads decimal numbers that a float of so many bits keeps. Integers must be exact.
func float[T float32 | float64](bits int) func([]byte) (T, bool) {
	exact := float64(1 << 53) // below it are all integers
	if bits == 32 {
		exact = 1 << 24
	}
	return func(v []byte) (T, bool) {
		if f, ok := NotNumber(v); ok {
			return T(f), true
		}
		if len(v) > 0 && v[0] == '+' {
			v = v[1:]
		}
		digits, whole := 0, true
		for i, c := range v { // no hexadecimal, no underscores, no words
			switch {
			case c-'0' <= 9:
				digits++
			case c == '.', c == 'e', c == 'E', c == '+':
				whole = false
			case c == '-':
				whole = whole && i == 0
			default:
				return 0, false
			}
		}
		if digits == 0 {
			return 0, false
		}
		f, kept := floattext.ParseBits(v, bits)
		if kept && whole && math.Abs(f) >= exact {
			var room [320]byte
			number := bytes.TrimLeft(bytes.TrimPrefix(v, []byte("-")), "0")
			kept = bytes.Equal(strconv.AppendFloat(room[:0], math.Abs(f), 'f', 0, 64), number)
		}
		return T(f), kept
	}
}

// NotNumber reads the floats that are no numbers.
func NotNumber(v []byte) (float64, bool) {
	switch string(v) {
	case "NaN", "nan":
		return math.NaN(), true
	case "Inf", "inf", "Infinity":
		return math.Inf(1), true
	case "-Inf", "-inf", "-Infinity":
		return math.Inf(-1), true
	}
	return 0, false
}
