package celltext

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/decimaltext"
	"github.com/arrowio/arrowio/internal/halffloat"
)

// Null stands for a null in a table; text that could be taken for it is quoted.
const Null = "NULL"

// Cell is one value being written as text. It stops taking text at its limit, so that a value of any size costs no
// more than what can be shown of it.
type Cell struct {
	Text  []byte
	Limit int  // bytes of Text, about: a little more may be written, to be cut by who shows it
	Exact bool // values of one type that differ have texts that differ, to the eye, too: strings are quoted, in ASCII, and floats have the digits of a double
	Brief bool // times have no zeros at the end of their fraction of a second
	json  bool // inside a nested value: strings are quoted, null is null
}

func (c *Cell) full() bool { return len(c.Text) >= c.Limit }

// text adds a flat value that is written the same way inside and outside of nested ones.
func (c *Cell) text(s string) { c.Text = append(c.Text, s...) }

func (c *Cell) null() {
	if c.json {
		c.text("null")
	} else {
		c.text(Null)
	}
}

// word adds a value that JSON has no notation for: a date, a number as exact decimal text.
func (c *Cell) word(s string) {
	if c.json {
		c.Text = append(append(append(c.Text, '"'), s...), '"')
		return
	}
	c.text(s)
}

// time adds a time that may have a fraction of a second.
func (c *Cell) time(s string) {
	if c.Brief {
		s = WithoutZeros(s)
	}
	c.word(s)
}

// str adds a string: escaped where a terminal would not show it, quoted where it would read as something else.
func (c *Cell) str(s string) {
	s, cut := Clip(s, c.Limit-len(c.Text))
	switch {
	case c.Exact:
		c.Text = strconv.AppendQuoteToASCII(c.Text, s)
	case c.json:
		c.Text = appendJSONString(c.Text, s)
	case s == Null || s == "" || s[0] == '"' || s[0] == ' ' || s[len(s)-1] == ' ' && !cut:
		c.Text = append(AppendPrintable(append(c.Text, '"'), s), '"')
	default:
		c.Text = AppendPrintable(c.Text, s)
	}
}

func (c *Cell) bytes(p []byte) {
	if len(p) > c.Limit/2+1 {
		p = p[:c.Limit/2+1]
	}
	if c.json {
		c.Text = append(hex.AppendEncode(append(c.Text, '"'), p), '"')
		return
	}
	c.Text = hex.AppendEncode(append(c.Text, "0x"...), p)
}

// Clip cuts s to at most n bytes, at the start of a character, and reports whether it had more.
func Clip(s string, n int) (clipped string, cut bool) {
	n = max(n, 0)
	if len(s) <= n {
		return s, false
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], true
}

// appendJSONString appends s as a JSON string that is also fit for a terminal.
func appendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case Unprintable(r) && r < 0x10000:
			dst = append(dst, '\\', 'u', hexDigit(r>>12), hexDigit(r>>8), hexDigit(r>>4), hexDigit(r))
		default:
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return append(dst, '"')
}

func hexDigit(r rune) byte { return "0123456789abcdef"[r&15] }

// Writer appends row i of an array to c.Text.
type Writer func(c *Cell, i int)

// New chooses, once an array, how its values are written: nulls as Null, nested values as compact JSON. The array must
// outlive the Writer.
func New(a arrow.Array) Writer {
	write := newValueWriter(a)
	return func(c *Cell, i int) {
		if a.IsValid(i) {
			write(c, i)
		} else {
			c.null()
		}
	}
}

// newValueWriter is New for rows that are known to hold a value.
func newValueWriter(a arrow.Array) Writer {
	switch a := a.(type) {
	case *array.Null:
		return func(c *Cell, _ int) { c.null() } // it has no bitmap to ask
	case *array.Boolean:
		return func(c *Cell, i int) { c.Text = strconv.AppendBool(c.Text, a.Value(i)) }
	case *array.Int8:
		return intWriter(a.Value)
	case *array.Int16:
		return intWriter(a.Value)
	case *array.Int32:
		return intWriter(a.Value)
	case *array.Int64:
		return intWriter(a.Value)
	case *array.Uint8:
		return uintWriter(a.Value)
	case *array.Uint16:
		return uintWriter(a.Value)
	case *array.Uint32:
		return uintWriter(a.Value)
	case *array.Uint64:
		return uintWriter(a.Value)
	case *array.Float16:
		return func(c *Cell, i int) { c.float(float64(halffloat.Float32(a.Value(i))), 32) }
	case *array.Float32:
		return func(c *Cell, i int) { c.float(float64(a.Value(i)), 32) }
	case *array.Float64:
		return func(c *Cell, i int) { c.float(a.Value(i), 64) }
	case *array.String:
		return func(c *Cell, i int) { c.str(a.Value(i)) }
	case *array.LargeString:
		return func(c *Cell, i int) { c.str(a.Value(i)) }
	case *array.Binary:
		return func(c *Cell, i int) { c.bytes(a.Value(i)) }
	case *array.LargeBinary:
		return func(c *Cell, i int) { c.bytes(a.Value(i)) }
	case *array.FixedSizeBinary:
		return func(c *Cell, i int) { c.bytes(a.Value(i)) }
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		return func(c *Cell, i int) { c.word(string(decimaltext.Append128(nil, a.Value(i), scale))) }
	case *array.Decimal256:
		scale := a.DataType().(*arrow.Decimal256Type).Scale
		return func(c *Cell, i int) { c.word(string(decimaltext.Append256(nil, a.Value(i), scale))) }
	case *array.Date32:
		return func(c *Cell, i int) { c.word(a.Value(i).ToTime().Format(time.DateOnly)) }
	case *array.Date64:
		return func(c *Cell, i int) { c.word(a.Value(i).ToTime().Format(time.DateOnly)) }
	case *array.Time32:
		unit := a.DataType().(*arrow.Time32Type).Unit
		return func(c *Cell, i int) { c.time(a.Value(i).FormattedString(unit)) }
	case *array.Time64:
		unit := a.DataType().(*arrow.Time64Type).Unit
		return func(c *Cell, i int) { c.time(a.Value(i).FormattedString(unit)) }
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		layout := timestampLayout(t)
		return func(c *Cell, i int) { c.time(a.Value(i).ToTime(t.Unit).Format(layout)) }
	case *array.Duration:
		unit := a.DataType().(*arrow.DurationType).Unit.String()
		return func(c *Cell, i int) { c.word(strconv.FormatInt(int64(a.Value(i)), 10) + unit) }
	case *array.Map: // before the list that it is made of
		return mapWriter(a)
	case array.ListLike:
		return listWriter(a)
	case *array.Struct:
		return structWriter(a)
	case array.Union:
		return unionWriter(a)
	case *array.Dictionary:
		values := New(a.Dictionary())
		return func(c *Cell, i int) { values(c, a.GetValueIndex(i)) }
	case *array.BinaryView:
		return func(c *Cell, i int) { c.bytes(a.Value(i)) }
	case *array.RunEndEncoded:
		values := New(a.Values())
		return func(c *Cell, i int) { values(c, a.GetPhysicalIndex(i)) }
	case array.ExtensionArray:
		return newValueWriter(a.Storage())
	}
	return func(c *Cell, i int) { c.str(a.ValueStr(i)) }
}

func intWriter[T int8 | int16 | int32 | int64](value func(int) T) Writer {
	return func(c *Cell, i int) { c.Text = strconv.AppendInt(c.Text, int64(value(i)), 10) }
}

func uintWriter[T uint8 | uint16 | uint32 | uint64](value func(int) T) Writer {
	return func(c *Cell, i int) { c.Text = strconv.AppendUint(c.Text, uint64(value(i)), 10) }
}

// float adds the shortest text that reads back as the same number.
func (c *Cell) float(v float64, bits int) {
	if c.Exact {
		bits = 64
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		c.word(strconv.FormatFloat(v, 'g', -1, bits))
		return
	}
	format := byte('f')
	if x := math.Abs(v); x != 0 && (x < 1e-6 || x >= 1e21) {
		format = 'e' // where 'f' would print zeros by the dozen
	}
	c.Text = strconv.AppendFloat(c.Text, v, format, -1, bits)
}

// WithoutZeros leaves out the zeros at the end of the fraction of a second of the text of a time, and the point before them.
func WithoutZeros(text string) string {
	dot := strings.IndexByte(text, '.')
	if dot < 0 {
		return text
	}
	zone := strings.TrimLeft(text[dot+1:], "0123456789")
	return strings.TrimRight(strings.TrimRight(text[:len(text)-len(zone)], "0"), ".") + zone
}

// timestampLayout shows the digits that the unit has, and Z where the values are instants.
func timestampLayout(t *arrow.TimestampType) string {
	layout := "2006-01-02T15:04:05"
	switch t.Unit {
	case arrow.Millisecond:
		layout += ".000"
	case arrow.Microsecond:
		layout += ".000000"
	case arrow.Nanosecond:
		layout += ".000000000"
	}
	if t.TimeZone != "" {
		layout += "Z07:00"
	}
	return layout
}

// nested runs write with c inside a nested value.
func (c *Cell) nested(write func()) {
	outer := c.json
	c.json = true
	write()
	c.json = outer
}

func listWriter(a array.ListLike) Writer {
	values := New(a.ListValues())
	return func(c *Cell, i int) {
		from, to := a.ValueOffsets(i)
		c.nested(func() {
			c.text("[")
			for j := from; j < to && !c.full(); j++ {
				if j > from {
					c.text(",")
				}
				values(c, int(j))
			}
			c.text("]")
		})
	}
}

// mapWriter writes a map as an object; keys that are no strings become the text they are written as.
func mapWriter(a *array.Map) Writer {
	keys, items := New(a.Keys()), New(a.Items())
	return func(c *Cell, i int) {
		from, to := a.ValueOffsets(i)
		c.nested(func() {
			c.text("{")
			for j := from; j < to && !c.full(); j++ {
				if j > from {
					c.text(",")
				}
				start := len(c.Text)
				keys(c, int(j))
				if key := c.Text[start:]; len(key) == 0 || key[0] != '"' {
					c.Text = appendJSONString(c.Text[:start], string(key))
				}
				c.text(":")
				items(c, int(j))
			}
			c.text("}")
		})
	}
}

func structWriter(a *array.Struct) Writer {
	t := a.DataType().(*arrow.StructType)
	names := make([][]byte, a.NumField())
	fields := make([]Writer, a.NumField())
	for k := range fields {
		names[k] = append(appendJSONString(nil, t.Field(k).Name), ':')
		fields[k] = New(a.Field(k))
	}
	return func(c *Cell, i int) {
		c.nested(func() {
			c.text("{")
			for k, field := range fields {
				if c.full() {
					break
				}
				if k > 0 {
					c.text(",")
				}
				c.Text = append(c.Text, names[k]...)
				field(c, i)
			}
			c.text("}")
		})
	}
}

// unionWriter writes the value alone, whatever branch it is of, unless the text is to be exact.
func unionWriter(a array.Union) Writer {
	fields := make([]Writer, a.NumFields())
	for k := range fields {
		fields[k] = New(a.Field(k))
	}
	dense, _ := a.(*array.DenseUnion)
	names := a.DataType().(arrow.UnionType).Fields()
	return func(c *Cell, i int) {
		k := a.ChildID(i)
		if c.Exact {
			c.Text = append(strconv.AppendQuoteToASCII(c.Text, names[k].Name), ':')
		}
		if dense != nil {
			i = int(dense.ValueOffset(i))
		}
		fields[k](c, i)
	}
}
