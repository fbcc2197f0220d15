package cfile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/plans"
)

// mostChars is the greatest length of a VARCHAR.
const mostChars = 65535

// form is how values come to their file.
type form struct {
	conv  *conversion // of numbers; nil = they are stored as they are
	text  bool        // strings must be UTF-8: Kudu does not ask, but Arrow's type promises it
	chars int         // most characters of a string; 0 = any number
}

// scalars are the Arrow types that Kudu has. Tables have no unsigned integers; those are for lone files.
var scalars = map[arrow.Type]cfilewire.DataType{
	arrow.NULL:            cfilewire.Bool, // there is no type without values; any will do
	arrow.BOOL:            cfilewire.Bool,
	arrow.INT8:            cfilewire.Int8,
	arrow.INT16:           cfilewire.Int16,
	arrow.INT32:           cfilewire.Int32,
	arrow.INT64:           cfilewire.Int64,
	arrow.UINT8:           cfilewire.UInt8,
	arrow.UINT16:          cfilewire.UInt16,
	arrow.UINT32:          cfilewire.UInt32,
	arrow.UINT64:          cfilewire.UInt64,
	arrow.FLOAT32:         cfilewire.Float,
	arrow.FLOAT64:         cfilewire.Double,
	arrow.INTERVAL_MONTHS: cfilewire.Int32,
}

var unitNames = map[arrow.TimeUnit]string{
	arrow.Second: "seconds", arrow.Millisecond: "milliseconds", arrow.Microsecond: "microseconds", arrow.Nanosecond: "nanoseconds",
}

// mapper finds Kudu's type for one field.
type mapper struct {
	table    bool // the columns are a table's
	truncate bool
	option   string // that truncates times
	varchar  int32  // length of the VARCHAR that a string is to be; 0 = not told

	kuduType string // what the field's metadata says that it was
	wire     *kuduwire.Column
	form     form
	refused  string // values of the type that are refused
	note     string // what else there is to say of values that come back as another type
}

// choose sets type and form. It returns why there is no type.
func (m *mapper) choose(f arrow.Field) (refusal string) {
	m.kuduType, _ = f.Metadata.GetValue(cfilewire.MetaType)
	if m.varchar > 0 {
		m.kuduType = fmt.Sprintf("%s(%d)", cfilewire.Varchar, m.varchar)
	}
	inner := arrowtype.Value(f.Type)
	if t, ok := scalars[inner.ID()]; ok {
		m.wire.Type = t
		m.widen()
		if inner.ID() == arrow.INTERVAL_MONTHS {
			m.note = ", the number of months"
		}
		return ""
	}
	switch t := inner.(type) {
	case *arrow.Float16Type:
		m.wire.Type, m.form.conv = cfilewire.Float, halves
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		m.wire.Type, m.form.text = cfilewire.String, true
		m.strings()
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		m.wire.Type = cfilewire.Binary
		m.strings()
	case *arrow.FixedSizeBinaryType:
		m.wire.Type = cfilewire.Binary
		if t.ByteWidth == 16 && m.kuduType == cfilewire.Int128.String() && !m.table {
			m.wire.Type, m.note = cfilewire.Int128, " unless --cfile-int128=binary is given"
		}
	case *arrow.TimestampType:
		m.wire.Type, m.form.conv = cfilewire.UnixtimeMicros, m.times(t)
		if t.TimeZone == "" {
			m.note += ", the same wall clock in UTC"
		} else if t.TimeZone != "UTC" {
			m.note += ", the same instants"
		}
	case *arrow.Date32Type:
		m.wire.Type = cfilewire.Date
		if m.table {
			m.refused = "dates outside of the years 1 to 9999"
			m.form.conv = tableDates
		}
	case *arrow.Date64Type:
		m.wire.Type, m.form.conv = cfilewire.Date, millisDates(m.table)
		m.refused = plans.NoDate32
	case *arrow.Time32Type:
		m.wire.Type, m.note = cfilewire.Int32, ", the "+unitNames[t.Unit]+" since midnight"
	case *arrow.Time64Type:
		m.wire.Type, m.note = cfilewire.Int64, ", the "+unitNames[t.Unit]+" since midnight"
	case *arrow.DurationType:
		m.wire.Type, m.note = cfilewire.Int64, ", the number of "+unitNames[t.Unit]
	case arrow.DecimalType:
		return m.decimal(t)
	case *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
		return "an interval in several units"
	default:
		return "columns are flat"
	}
	return ""
}

// widen makes a table's column of unsigned integers one of signed ones.
func (m *mapper) widen() {
	if !m.table {
		return
	}
	switch m.wire.Type {
	case cfilewire.UInt8:
		m.wire.Type, m.form.conv = cfilewire.Int16, bytesWider
	case cfilewire.UInt16:
		m.wire.Type, m.form.conv = cfilewire.Int32, shortsWider
	case cfilewire.UInt32:
		m.wire.Type, m.form.conv = cfilewire.Int64, intsWider
	case cfilewire.UInt64:
		m.wire.Type, m.form.conv = cfilewire.Int64, longsSigned
		m.refused = "values above 9223372036854775807"
	}
}

// strings takes the type that the metadata names, if it is one of strings: a varchar for text; anything for bytes that
// were strings whose bytes were wanted.
func (m *mapper) strings() {
	word, args, has := strings.Cut(m.kuduType, "(")
	n := 0
	if has {
		var whole bool
		var err error
		if args, whole = strings.CutSuffix(args, ")"); !whole {
			return
		}
		if n, err = strconv.Atoi(args); err != nil || n < 1 || n > mostChars {
			return
		}
	}
	switch word {
	case cfilewire.Varchar.String():
		if n == 0 && m.table {
			n = mostChars // the length that fits is not known
		}
		m.wire.Type, m.wire.Length, m.form.chars = cfilewire.Varchar, int32(n), n
	case cfilewire.String.String():
		if has {
			return
		}
		m.wire.Type = cfilewire.String
	default:
		return
	}
	if !m.form.text {
		m.note = " unless --" + m.format() + "-strings=binary is given"
	}
}

func (m *mapper) format() string {
	if m.table {
		return KuduName
	}
	return Name
}

const beyondMicros = "values that microseconds cannot count"

// times returns what makes microseconds of a timestamp.
func (m *mapper) times(t *arrow.TimestampType) *conversion {
	switch t.Unit {
	case arrow.Second:
		m.refused = beyondMicros
		return timesUp(1_000_000, t.Unit)
	case arrow.Millisecond:
		m.refused = beyondMicros
		return timesUp(1_000, t.Unit)
	case arrow.Nanosecond:
		if m.truncate {
			m.note = ", truncated to microseconds"
			return truncateNanos
		}
		m.refused = "values that are no whole number of microseconds, unless --" + m.option + "=truncate is given"
		return exactNanos(m.option)
	}
	return nil
}

// decimal takes the narrowest type that has room for the digits, or a wider one that the metadata names.
func (m *mapper) decimal(t arrow.DecimalType) (refusal string) {
	p, s := t.GetPrecision(), t.GetScale()
	switch {
	case s < 0:
		return "the scale is negative"
	case p < 1 || p > 38 || s > 38:
		return "more than 38 digits"
	}
	_, wide := t.(*arrow.Decimal256Type)
	if m.kuduType == cfilewire.Int128.String() && p == 38 && s == 0 && !m.table {
		m.wire.Type = cfilewire.Int128
		if wide {
			m.form.conv = decimals(wide, 16, 0)
		}
		return ""
	}
	p = max(p, s)
	for _, d := range []cfilewire.DataType{cfilewire.Decimal32, cfilewire.Decimal64, cfilewire.Decimal128} {
		if p <= d.Decimal() {
			m.wire.Type = d
			if m.kuduType == d.String() || m.kuduType != cfilewire.Decimal64.String() && m.kuduType != cfilewire.Decimal128.String() {
				break
			}
		}
	}
	m.wire.Precision, m.wire.Scale = p, s
	m.form.conv = decimals(wide, m.wire.Type.Width(), p)
	return ""
}
