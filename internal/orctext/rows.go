package orctext

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// longest is how many bytes of a value are printed; of longer ones their hash is.
const longest = 4096

// Rows returns the lines of rec.
func Rows(rec arrow.Record) []string {
	root := false
	if rec.NumCols() == 1 {
		v, _ := rec.Schema().Field(0).Metadata.GetValue(orcwire.MetaRoot)
		root = v == "true"
	}
	lines := make([]string, rec.NumRows())
	var b []byte
	for i := range lines {
		if b = b[:0]; root {
			b = appendValue(b, rec.Column(0), i)
		} else {
			b = appendList(b, int(rec.NumCols()), func(b []byte, k int) []byte { return appendValue(b, rec.Column(k), i) })
		}
		lines[i] = string(b)
	}
	return lines
}

var nullUnion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{"tag":\d+,"value":null\}`) })

// Expect returns a line of the Java reader with unions as Rows prints them. What it looks for cannot stand in a string,
// where quotes are escaped.
func Expect(line string) string {
	for {
		next := nullUnion().ReplaceAllLiteralString(line, "null")
		if next == line {
			return line
		}
		line = next
	}
}

func appendList(b []byte, n int, item func([]byte, int) []byte) []byte {
	b = append(b, '[')
	for k := range n {
		if k > 0 {
			b = append(b, ',')
		}
		b = item(b, k)
	}
	return append(b, ']')
}

func appendValue(b []byte, a arrow.Array, i int) []byte {
	if a.IsNull(i) {
		return append(b, "null"...)
	}
	switch a := a.(type) {
	case array.ExtensionArray:
		return appendValue(b, a.Storage(), i)
	case *array.Dictionary:
		return appendValue(b, a.Dictionary(), a.GetValueIndex(i))
	case *array.Null:
		return append(b, "null"...)
	case *array.Boolean:
		return strconv.AppendBool(b, a.Value(i))
	case *array.Int8:
		return strconv.AppendInt(b, int64(a.Value(i)), 10)
	case *array.Int16:
		return strconv.AppendInt(b, int64(a.Value(i)), 10)
	case *array.Int32:
		return strconv.AppendInt(b, int64(a.Value(i)), 10)
	case *array.Int64:
		return strconv.AppendInt(b, a.Value(i), 10)
	case *array.Date32:
		return strconv.AppendInt(b, int64(a.Value(i)), 10)
	case *array.Time64:
		return strconv.AppendInt(b, int64(a.Value(i)), 10)
	case *array.Float32:
		return fmt.Appendf(b, `"f%08x"`, math.Float32bits(a.Value(i)))
	case *array.Float64:
		return fmt.Appendf(b, `"d%016x"`, math.Float64bits(a.Value(i)))
	case *array.String:
		return appendBytes(b, []byte(a.Value(i)), true)
	case *array.LargeString:
		return appendBytes(b, []byte(a.Value(i)), true)
	case *array.Binary:
		return appendBytes(b, a.Value(i), false)
	case *array.LargeBinary:
		return appendBytes(b, a.Value(i), false)
	case *array.FixedSizeBinary:
		return appendBytes(b, a.Value(i), false)
	case *array.Timestamp:
		return appendTimestamp(b, int64(a.Value(i)), a.DataType().(*arrow.TimestampType).Unit)
	case *array.Decimal128:
		return appendDecimal(b, a.Value(i).BigInt(), int(a.DataType().(*arrow.Decimal128Type).Scale))
	case *array.Struct:
		return appendList(b, a.NumField(), func(b []byte, k int) []byte { return appendValue(b, a.Field(k), i) })
	case *array.DenseUnion:
		return appendUnion(b, a.ChildID(i), a.Field(a.ChildID(i)), int(a.ValueOffset(i)))
	case *array.SparseUnion:
		return appendUnion(b, a.ChildID(i), a.Field(a.ChildID(i)), i+a.Data().Offset())
	case *array.Map:
		from, to := a.ValueOffsets(i)
		return appendList(b, int(to-from), func(b []byte, k int) []byte {
			b = appendValue(append(b, '['), a.Keys(), int(from)+k)
			b = appendValue(append(b, ','), a.Items(), int(from)+k)
			return append(b, ']')
		})
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		return appendList(b, int(to-from), func(b []byte, k int) []byte { return appendValue(b, a.ListValues(), int(from)+k) })
	}
	panic("orctext: no text for " + a.DataType().String())
}

func appendUnion(b []byte, tag int, child arrow.Array, i int) []byte {
	v := appendValue(nil, child, i)
	if string(v) == "null" {
		return append(b, v...)
	}
	return append(fmt.Appendf(b, `{"tag":%d,"value":%s`, tag, v), '}')
}

func appendTimestamp(b []byte, v int64, unit arrow.TimeUnit) []byte {
	per := int64(1)
	for range unit { // s, ms, us, ns
		per *= 1000
	}
	seconds, rest := v/per, v%per
	if rest < 0 {
		seconds, rest = seconds-1, rest+per
	}
	return fmt.Appendf(b, "[%d,%d]", seconds, rest*(1e9/per))
}

func appendDecimal(b []byte, v *big.Int, scale int) []byte {
	digits := new(big.Int).Abs(v).String()
	for len(digits) <= scale {
		digits = "0" + digits
	}
	b = append(b, '"')
	if v.Sign() < 0 {
		b = append(b, '-')
	}
	b = append(b, digits[:len(digits)-scale]...)
	if scale > 0 {
		b = append(append(b, '.'), digits[len(digits)-scale:]...)
	}
	return append(b, '"')
}

func appendBytes(b, v []byte, text bool) []byte {
	switch {
	case len(v) > longest:
		return fmt.Appendf(b, `{"len":%d,"sha256":"%x"}`, len(v), sha256.Sum256(v))
	case text && utf8.Valid(v):
		return appendString(b, string(v))
	case text:
		return fmt.Appendf(b, `{"badutf8":"%x"}`, v)
	}
	return append(hex.AppendEncode(append(b, '"'), v), '"')
}

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= ' ' && r <= '~':
			b = append(b, byte(r))
		default:
			for _, u := range utf16.AppendRune(nil, r) {
				b = fmt.Appendf(b, `\u%04x`, u)
			}
		}
	}
	return append(b, '"')
}
