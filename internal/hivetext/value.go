package hivetext

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/textvalues"
)

// verdict is what Hive makes of a text.
type verdict uint8

const (
	exact verdict = iota // the value that the text says
	other                // another one
	null                 // null
	far                  // the value, which Arrow's type cannot hold
)

// leaf appends the value of a text. With wrong it also appends a value other than the text says; what is null or too far it does not append.
type leaf func(text []byte, wrong bool) verdict

// leafOf returns what appends texts of a type to a builder; nil = values of the type are not read from text.
func leafOf(t *orcwire.Type, b array.Builder) leaf {
	switch t.Kind {
	case orcwire.Boolean:
		return appending(b.(*array.BooleanBuilder).Append, boolean)
	case orcwire.Byte:
		return appending(b.(*array.Int8Builder).Append, integer[int8](8))
	case orcwire.Short:
		return appending(b.(*array.Int16Builder).Append, integer[int16](16))
	case orcwire.Int:
		return appending(b.(*array.Int32Builder).Append, integer[int32](32))
	case orcwire.Long:
		return appending(b.(*array.Int64Builder).Append, integer[int64](64))
	case orcwire.Float:
		return appending(b.(*array.Float32Builder).Append, float[float32](32))
	case orcwire.Double:
		return appending(b.(*array.Float64Builder).Append, float[float64](64))
	case orcwire.String, orcwire.Varchar, orcwire.Char:
		return text(t, b.(*array.StringBuilder))
	case orcwire.Binary:
		to := b.(*array.BinaryBuilder)
		return func(v []byte, _ bool) verdict {
			to.Append(binary(v))
			return exact
		}
	case orcwire.Date:
		return appending(b.(*array.Date32Builder).Append, date)
	case orcwire.Timestamp:
		return appending(b.(*array.TimestampBuilder).Append, timestamp(b.Type().(*arrow.TimestampType).Unit))
	case orcwire.Decimal:
		return decimal(b)
	}
	return nil
}

// appending returns a leaf of what reads a text.
func appending[T any](add func(T), read func([]byte) (T, verdict)) leaf {
	return func(text []byte, wrong bool) verdict {
		x, v := read(text)
		if v == exact || v == other && wrong {
			add(x)
		}
		return v
	}
}

func boolean(v []byte) (bool, verdict) {
	switch {
	case len(v) == 4 && strings.EqualFold(string(v), "true"):
		return true, exact
	case len(v) == 5 && strings.EqualFold(string(v), "false"):
		return false, exact
	}
	return false, null
}

// integer reads whole numbers. Hive cuts off a fraction.
func integer[T int8 | int16 | int32 | int64](bits int) func([]byte) (T, verdict) {
	return func(v []byte) (T, verdict) {
		whole, fraction, point := bytes.Cut(v, []byte{'.'})
		found := exact
		if point {
			if len(v) < 3 && !bytes.ContainsAny(v, "0123456789") {
				return 0, null
			}
			for _, c := range fraction {
				switch {
				case c-'0' > 9:
					return 0, null
				case c != '0':
					found = other
				}
			}
			if sign := len(whole) == 1 && (whole[0] == '-' || whole[0] == '+'); sign || len(whole) == 0 {
				return 0, found
			}
		}
		n, err := strconv.ParseInt(string(whole), 10, bits)
		if err != nil {
			return 0, null
		}
		return T(n), found
	}
}

// float reads decimal and hexadecimal numbers as Java does, to the nearest float.
func float[T float32 | float64](bits int) func([]byte) (T, verdict) {
	return func(v []byte) (T, verdict) {
		short := len(v)
		v = bytes.Trim(v, blanks)
		if len(v) == 0 || short < 3 && !bytes.ContainsAny(v, "0123456789") {
			return 0, null
		}
		body := v
		if v[0] == '-' || v[0] == '+' {
			body = v[1:]
		}
		switch string(body) {
		case "NaN":
			return T(math.Float64frombits(0x7ff8 << 48)), exact // Java's, which differs from Go's in its last bit
		case "Infinity":
			if v[0] == '-' {
				return T(math.Inf(-1)), exact
			}
			return T(math.Inf(1)), exact
		}
		if len(body) == 0 || body[0] != '.' && body[0]-'0' > 9 || bytes.IndexByte(body, '_') >= 0 {
			return 0, null
		}
		if hex := len(body) > 1 && body[1]|0x20 == 'x'; !hex || bytes.ContainsAny(body, "pP") { // what follows an exponent is a suffix
			if c := v[len(v)-1] | 0x20; c == 'f' || c == 'd' {
				v = v[:len(v)-1]
			}
		}
		x, err := strconv.ParseFloat(string(v), bits)
		switch {
		case err == nil:
			return T(x), exact
		case math.IsInf(x, 0): // it has more digits than a float
			return T(x), other
		}
		return 0, null
	}
}

// blanks are what Java's trim removes.
const blanks = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f "

// text reads texts. Hive cuts off what is too long, and shows a char with blanks up to its length.
func text(t *orcwire.Type, b *array.StringBuilder) leaf {
	most := int(t.MaxLength)
	add := b.BinaryBuilder.Append
	switch t.Kind {
	case orcwire.Varchar:
		return func(v []byte, wrong bool) verdict {
			cut, found := atMost(v, most)
			if found == exact || wrong {
				add(cut)
			}
			return found
		}
	case orcwire.Char:
		return func(v []byte, wrong bool) verdict {
			cut, found := atMost(bytes.TrimRight(v, " "), most)
			if found == exact || wrong {
				add(append(bytes.Clone(cut), strings.Repeat(" ", most-utf8.RuneCount(cut))...))
			}
			return found
		}
	}
	return func(v []byte, _ bool) verdict {
		add(v)
		return exact
	}
}

// atMost returns the first characters of a text.
func atMost(v []byte, most int) ([]byte, verdict) {
	if len(v) <= most {
		return v, exact
	}
	end, n := 0, 0
	for ; n < most && end < len(v); n++ {
		_, size := utf8.DecodeRune(v[end:])
		end += size
	}
	if end < len(v) {
		return v[:end], other
	}
	return v, exact
}

// binary returns bytes of a text in base64, in which Hive lets pass much, or the text where it is none.
func binary(v []byte) []byte {
	var out []byte
	var bits, n uint
	for i, c := range v {
		x := sextet(c)
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			continue
		case c == '=': // what follows does not count, and must be of the same alphabet
			for _, c := range v[i:] {
				if sextet(c) < 0 && c != '=' && c != ' ' && c != '\t' && c != '\r' && c != '\n' {
					return v
				}
			}
			if len(out) == 0 {
				return v
			}
			return out
		case x < 0:
			return v
		}
		bits, n = bits<<6|uint(x), n+6
		if n >= 8 {
			n -= 8
			out = append(out, byte(bits>>n))
		}
	}
	if len(out) == 0 {
		return v
	}
	return out
}

func sextet(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+', c == '-':
		return 62
	case c == '/', c == '_':
		return 63
	}
	return -1
}

// misfit is the error of a text that is not the value of a column.
func misfit(t *orcwire.Type, typ arrow.DataType, v []byte, found verdict) error {
	if found == far {
		return errs.Errorf(errs.ErrSchema, "%.40q is not %s; %w reaches further", v, typ, errs.Opt("timestamp-unit", "us"))
	}
	shows := "null"
	if found == other {
		shows = "another value"
	}
	return errs.Errorf(errs.ErrSchema, "%.40q is not %s, and Hive shows %s; %w reads it so", v, t, shows, errs.Opt("hive-wrong-values", "null"))
}

// decimal reads decimals. Hive rounds what has too many digits behind the point.
func decimal(b array.Builder) leaf {
	add := textvalues.For(b.Type())(b)
	precision, scale := int32(0), int32(0)
	switch t := b.Type().(type) {
	case *arrow.Decimal128Type:
		precision, scale = t.Precision, t.Scale
	case *arrow.Decimal256Type:
		precision, scale = t.Precision, t.Scale
	}
	return func(v []byte, wrong bool) verdict {
		if add(v) {
			return exact
		}
		near := rounded(v, int(precision), int(scale))
		if near == nil {
			return null
		}
		if wrong {
			add(near)
		}
		return other
	}
}
