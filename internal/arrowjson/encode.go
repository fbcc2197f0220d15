package arrowjson

import (
	"encoding/base64"
	"math"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// Append appends value i of an array; it is made for one array by an Encoder and does not allocate.
type Append func(dst []byte, i int) []byte

// Encoder makes Appends. Trouble with values is kept until Err asks for it.
type Encoder struct{ err error }

// Err returns the first trouble that a value made: text that is not UTF-8, or a time outside of a day.
func (e *Encoder) Err() error { return e.err }

// JSON returns an Append of JSON for arr, which must live as long as it is used.
func (e *Encoder) JSON(arr arrow.Array) Append {
	f := e.value(arr)
	if !mayBeNull(arr) {
		return f
	}
	return func(dst []byte, i int) []byte {
		if arr.IsNull(i) {
			return append(dst, "null"...)
		}
		return f(dst, i)
	}
}

// Text returns an Append of the text of values that are not null: what JSON has between quotes, without them and
// without escapes; and the JSON of everything else.
func (e *Encoder) Text(arr arrow.Array) Append {
	if f := e.text(arr); f != nil {
		return f
	}
	switch arr := arr.(type) {
	case *array.Dictionary:
		f := e.Text(arr.Dictionary())
		return func(dst []byte, i int) []byte { return f(dst, arr.GetValueIndex(i)) }
	case *array.RunEndEncoded:
		f := e.Text(arr.Values())
		return func(dst []byte, i int) []byte { return f(dst, arr.GetPhysicalIndex(i)) }
	case array.ExtensionArray:
		return e.Text(arr.Storage())
	}
	return e.JSON(arr)
}

// IsNull tells whether a value is null, seen through dictionaries, runs and extensions.
func IsNull(arr arrow.Array, i int) bool {
	if arr.IsNull(i) {
		return true
	}
	switch arr := arr.(type) {
	case *array.Null:
		return true
	case *array.Dictionary:
		return IsNull(arr.Dictionary(), arr.GetValueIndex(i))
	case *array.RunEndEncoded:
		return IsNull(arr.Values(), arr.GetPhysicalIndex(i))
	case array.ExtensionArray:
		return IsNull(arr.Storage(), i)
	}
	return false
}

func mayBeNull(arr arrow.Array) bool {
	return arr.NullN() != 0
}

// value is for values that are not null.
func (e *Encoder) value(arr arrow.Array) Append {
	switch arr := arr.(type) {
	case *array.Null:
		return func(dst []byte, _ int) []byte { return append(dst, "null"...) }
	case *array.Float16, *array.Float32, *array.Float64:
		return numberOrWord(e.text(arr))
	case *array.Boolean, *array.Int8, *array.Int16, *array.Int32, *array.Int64,
		*array.Uint8, *array.Uint16, *array.Uint32, *array.Uint64, *array.Duration, *array.MonthInterval:
		return e.text(arr)
	case *array.String:
		return e.quotedString(func(i int) string { return arr.Value(i) })
	case *array.LargeString:
		return e.quotedString(func(i int) string { return arr.Value(i) })
	case *array.StringView:
		return e.quotedString(func(i int) string { return arr.Value(i) })
	case *array.DayTimeInterval:
		return func(dst []byte, i int) []byte {
			v := arr.Value(i)
			dst = strconv.AppendInt(append(dst, `{"days":`...), int64(v.Days), 10)
			return append(strconv.AppendInt(append(dst, `,"milliseconds":`...), int64(v.Milliseconds), 10), '}')
		}
	case *array.MonthDayNanoInterval:
		return func(dst []byte, i int) []byte {
			v := arr.Value(i)
			dst = strconv.AppendInt(append(dst, `{"months":`...), int64(v.Months), 10)
			dst = strconv.AppendInt(append(dst, `,"days":`...), int64(v.Days), 10)
			return append(strconv.AppendInt(append(dst, `,"nanoseconds":`...), v.Nanoseconds, 10), '}')
		}
	}
	if f := e.text(arr); f != nil {
		return quoted(f)
	}
	return e.nested(arr)
}

func (e *Encoder) nested(arr arrow.Array) Append {
	switch arr := arr.(type) {
	case *array.Dictionary:
		f := e.JSON(arr.Dictionary())
		return func(dst []byte, i int) []byte { return f(dst, arr.GetValueIndex(i)) }
	case *array.RunEndEncoded:
		f := e.JSON(arr.Values())
		return func(dst []byte, i int) []byte { return f(dst, arr.GetPhysicalIndex(i)) }
	case array.ExtensionArray:
		return e.JSON(arr.Storage())
	case *array.Map:
		return list(arr, e.entry(arr))
	case array.ListLike:
		return list(arr, e.JSON(arr.ListValues()))
	case *array.Struct:
		return e.object(arr)
	case *array.DenseUnion:
		return e.union(arr, func(i int) int { return int(arr.ValueOffset(i)) })
	case *array.SparseUnion:
		return e.union(arr, func(i int) int { return i })
	}
	name := arr.DataType().String()
	return func(dst []byte, _ int) []byte {
		e.fail(errs.Errorf(errs.ErrUnsupported, "%s has no text", name))
		return dst
	}
}

func list(arr array.ListLike, item Append) Append {
	return func(dst []byte, i int) []byte {
		dst = append(dst, '[')
		start, end := arr.ValueOffsets(i)
		for j := start; j < end; j++ {
			if j > start {
				dst = append(dst, ',')
			}
			dst = item(dst, int(j))
		}
		return append(dst, ']')
	}
}

func (e *Encoder) entry(arr *array.Map) Append {
	key, value := e.JSON(arr.Keys()), e.JSON(arr.Items())
	return func(dst []byte, i int) []byte {
		dst = key(append(dst, `{"key":`...), i)
		dst = value(append(dst, `,"value":`...), i)
		return append(dst, '}')
	}
}

func (e *Encoder) object(arr *array.Struct) Append {
	names, values := make([][]byte, arr.NumField()), make([]Append, arr.NumField())
	for i := range names {
		names[i] = append(e.Quote(nil, arr.DataType().(*arrow.StructType).Field(i).Name), ':')
		values[i] = e.JSON(arr.Field(i))
	}
	return func(dst []byte, i int) []byte {
		dst = append(dst, '{')
		for k, f := range values {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = f(append(dst, names[k]...), i)
		}
		return append(dst, '}')
	}
}

func (e *Encoder) union(arr array.Union, place func(i int) int) Append {
	names, values := make([][]byte, arr.NumFields()), make([]Append, arr.NumFields())
	for i, f := range arr.UnionType().Fields() {
		names[i] = append(e.Quote([]byte{'{'}, f.Name), ':')
		values[i] = e.JSON(arr.Field(i))
	}
	return func(dst []byte, i int) []byte {
		c := arr.ChildID(i)
		return append(values[c](append(dst, names[c]...), place(i)), '}')
	}
}

// quoted puts quotes around text that needs no escapes.
func quoted(f Append) Append {
	return func(dst []byte, i int) []byte { return append(f(append(dst, '"'), i), '"') }
}

// numberOrWord puts quotes around NaN and the infinities only.
func numberOrWord(f Append) Append {
	return func(dst []byte, i int) []byte {
		start := len(dst)
		dst = f(dst, i)
		if last := dst[len(dst)-1]; last == 'N' || last == 'y' {
			word := string(dst[start:])
			dst = append(append(append(dst[:start], '"'), word...), '"')
		}
		return dst
	}
}

func (e *Encoder) quotedString(value func(i int) string) Append {
	return func(dst []byte, i int) []byte { return e.Quote(dst, value(i)) }
}

func (e *Encoder) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// Quote appends s as a JSON string.
func (e *Encoder) Quote(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	if !bitpack.UTF8String(s) {
		e.fail(errs.Errorf(errs.ErrSchema, "%.40q is not UTF-8", s))
	}
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(dst, s[start:]...), '"')
}

// appendFloat writes the shortest text that gives f back, and never one that could be an integer.
func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'g', -1, bits)
	for _, c := range dst[start:] {
		if c == '.' || c == 'e' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

func appendBase64(dst, v []byte) []byte { return base64.StdEncoding.AppendEncode(dst, v) }
