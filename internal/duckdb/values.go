package duckdb

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Bind puts the values of a row, as literals of their types, in the place of a statement's parameters: ? takes them in turn,
// $1 by number, $name by the name of a column. Literals reach the filters of scans, which values that DuckDB binds do not.
func Bind(sql string, rec arrow.Record, row int) (string, error) {
	var b strings.Builder
	next, used := 0, map[int]bool{}
	for _, t := range lex(sql) {
		if t.kind != parameter {
			b.WriteString(t.text)
			continue
		}
		i := next
		if t.text == "?" {
			next++
		} else if n, err := strconv.Atoi(t.text[1:]); err == nil {
			i = n - 1
		} else if found := rec.Schema().FieldIndices(t.text[1:]); len(found) == 1 {
			i = found[0]
		} else {
			i = -1
		}
		if i < 0 || i >= int(rec.NumCols()) {
			return "", errs.Errorf(errs.ErrOption, "sql: parameter %s has no value; there are %d", t.text, rec.NumCols())
		}
		text, err := parameterLiteral(rec.Column(i), row)
		if err != nil {
			return "", errs.Errorf(errs.ErrOption, "sql: parameter %s: %w", t.text, err)
		}
		used[i] = true
		b.WriteString(" (" + text + ") ")
	}
	if len(used) < int(rec.NumCols()) {
		return "", errs.Errorf(errs.ErrOption, "sql: %d values, and %d parameters", rec.NumCols(), len(used))
	}
	return b.String(), nil
}

// maxValueDepth bounds the recursion into values of parameters.
const maxValueDepth = 20

// parameterLiteral is valueLiteral, with the type of values of several elements, which themselves may not tell it: [] may be a list of anything.
func parameterLiteral(a arrow.Array, i int) (string, error) {
	text, err := valueLiteral(a, i, 0)
	if _, nested := a.DataType().(arrow.NestedType); err != nil || !nested || a.IsNull(i) {
		return text, err
	}
	kind, err := typeText(a.DataType())
	return "CAST(" + text + " AS " + kind + ")", err
}

// valueLiteral writes a value as SQL.
func valueLiteral(a arrow.Array, i, depth int) (string, error) {
	if a.IsNull(i) || a.DataType().ID() == arrow.NULL {
		return "NULL", nil
	}
	if depth > maxValueDepth {
		return "", errs.Errorf(errs.ErrLimit, "a value nested deeper than %d", maxValueDepth)
	}
	cast := func(text, kind string) (string, error) { return "CAST(" + text + " AS " + kind + ")", nil }
	switch a := a.(type) {
	case *array.Boolean:
		return strings.ToUpper(strconv.FormatBool(a.Value(i))), nil
	case *array.Int8:
		return cast(a.ValueStr(i), "TINYINT")
	case *array.Int16:
		return cast(a.ValueStr(i), "SMALLINT")
	case *array.Int32:
		return cast(a.ValueStr(i), "INTEGER")
	case *array.Int64:
		return cast(a.ValueStr(i), "BIGINT")
	case *array.Uint8:
		return cast(a.ValueStr(i), "UTINYINT")
	case *array.Uint16:
		return cast(a.ValueStr(i), "USMALLINT")
	case *array.Uint32:
		return cast(a.ValueStr(i), "UINTEGER")
	case *array.Uint64:
		return cast(a.ValueStr(i), "UBIGINT")
	case *array.Float16:
		return cast(quote(strconv.FormatFloat(float64(a.Value(i).Float32()), 'g', -1, 32)), "FLOAT")
	case *array.Float32:
		return cast(quote(strconv.FormatFloat(float64(a.Value(i)), 'g', -1, 32)), "FLOAT")
	case *array.Float64:
		return cast(quote(strconv.FormatFloat(a.Value(i), 'g', -1, 64)), "DOUBLE")
	case *array.Decimal128:
		t := a.DataType().(*arrow.Decimal128Type)
		return cast(quote(a.Value(i).ToString(t.Scale)), fmt.Sprintf("DECIMAL(%d, %d)", t.Precision, t.Scale))
	case *array.Decimal256:
		if t := a.DataType().(*arrow.Decimal256Type); t.Precision <= 38 {
			return cast(quote(a.Value(i).ToString(t.Scale)), fmt.Sprintf("DECIMAL(%d, %d)", t.Precision, t.Scale))
		}
	case *array.String:
		return textLiteral(a.Value(i))
	case *array.LargeString:
		return textLiteral(a.Value(i))
	case *array.StringView:
		return textLiteral(a.Value(i))
	case *array.Binary:
		return cast(bytesLiteral(a.Value(i)), "BLOB")
	case *array.LargeBinary:
		return cast(bytesLiteral(a.Value(i)), "BLOB")
	case *array.BinaryView:
		return cast(bytesLiteral(a.Value(i)), "BLOB")
	case *array.FixedSizeBinary:
		return cast(bytesLiteral(a.Value(i)), "BLOB")
	case *array.Date32:
		return fmt.Sprintf("DATE '1970-01-01' + CAST(%d AS INTEGER)", a.Value(i)), nil
	case *array.Date64:
		if ms := int64(a.Value(i)); ms%86_400_000 != 0 {
			return "", errs.Errorf(errs.ErrOption, "%d ms is no date: it is no whole number of days", ms)
		}
		return fmt.Sprintf("DATE '1970-01-01' + CAST(%d AS INTEGER)", int64(a.Value(i))/86_400_000), nil
	case *array.Time32:
		return timeLiteral(int64(a.Value(i)), a.DataType().(*arrow.Time32Type).Unit)
	case *array.Time64:
		return timeLiteral(int64(a.Value(i)), a.DataType().(*arrow.Time64Type).Unit)
	case *array.Timestamp:
		return instantLiteral(int64(a.Value(i)), a.DataType().(*arrow.TimestampType))
	case *array.Duration:
		us, err := micros(int64(a.Value(i)), a.DataType().(*arrow.DurationType).Unit)
		return fmt.Sprintf("to_microseconds(%d)", us), err
	case *array.MonthInterval:
		return fmt.Sprintf("to_months(%d)", a.Value(i)), nil
	case *array.DayTimeInterval:
		v := a.Value(i)
		return fmt.Sprintf("to_days(%d) + to_microseconds(%d)", v.Days, int64(v.Milliseconds)*1000), nil
	case *array.MonthDayNanoInterval:
		v := a.Value(i)
		us, err := micros(v.Nanoseconds, arrow.Nanosecond)
		return fmt.Sprintf("to_months(%d) + to_days(%d) + to_microseconds(%d)", v.Months, v.Days, us), err
	case *array.Dictionary:
		return valueLiteral(a.Dictionary(), a.GetValueIndex(i), depth+1)
	case *array.RunEndEncoded:
		return valueLiteral(a.Values(), a.GetPhysicalIndex(i), depth+1)
	case array.ExtensionArray:
		return valueLiteral(a.Storage(), i, depth+1)
	case *array.Map:
		return mapLiteral(a, i, depth)
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		parts, err := valueLiterals(a.ListValues(), from, to, depth)
		return "[" + strings.Join(parts, ", ") + "]", err
	case *array.Struct:
		var parts []string
		for k, f := range a.DataType().(*arrow.StructType).Fields() {
			text, err := valueLiteral(a.Field(k), i, depth+1)
			if err != nil {
				return "", err
			}
			name, err := textLiteral(f.Name)
			if err != nil {
				return "", err
			}
			parts = append(parts, name+": "+text)
		}
		return "{" + strings.Join(parts, ", ") + "}", nil
	}
	return "", errs.Errorf(errs.ErrUnsupported, "a value of type %s cannot be bound", a.DataType())
}

func valueLiterals(a arrow.Array, from, to int64, depth int) (out []string, err error) {
	for i := from; i < to; i++ {
		text, err := valueLiteral(a, int(i), depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

func mapLiteral(a *array.Map, i, depth int) (string, error) {
	from, to := a.ValueOffsets(i)
	keys, err := valueLiterals(a.Keys(), from, to, depth)
	if err != nil {
		return "", err
	}
	values, err := valueLiterals(a.Items(), from, to, depth)
	return "MAP([" + strings.Join(keys, ", ") + "], [" + strings.Join(values, ", ") + "])", err
}

func textLiteral(s string) (string, error) {
	if strings.ContainsRune(s, 0) {
		return "", errs.Errorf(errs.ErrUnsupported, "a text with a zero byte in it cannot be bound")
	}
	return quote(s), nil
}

func bytesLiteral(b []byte) string {
	var out strings.Builder
	out.WriteByte('\'')
	for _, c := range b {
		fmt.Fprintf(&out, `\x%02X`, c)
	}
	out.WriteByte('\'')
	return out.String()
}

// micros is an amount of time in microseconds, which is what DuckDB's types have.
func micros(v int64, unit arrow.TimeUnit) (int64, error) {
	per := map[arrow.TimeUnit]int64{arrow.Second: 1e6, arrow.Millisecond: 1e3, arrow.Microsecond: 1}[unit]
	switch {
	case unit == arrow.Nanosecond && v%1000 != 0:
		return 0, errs.Errorf(errs.ErrUnsupported, "a value with nanoseconds cannot be bound: DuckDB's have microseconds")
	case unit == arrow.Nanosecond:
		return v / 1000, nil
	case v > math.MaxInt64/per || v < math.MinInt64/per:
		return 0, errs.Errorf(errs.ErrUnsupported, "%d is too far away for DuckDB", v)
	}
	return v * per, nil
}

func timeLiteral(v int64, unit arrow.TimeUnit) (string, error) {
	const day = 24 * time.Hour
	if v < 0 || v > int64(day/unit.Multiplier()) {
		return "", errs.Errorf(errs.ErrOption, "%d is no time of a day", v)
	}
	at := time.Duration(v) * unit.Multiplier()
	text, kind := time.Unix(0, int64(at)).UTC().Format("15:04:05.000000000"), "TIME"
	if at == day {
		text = "24:00:00"
	}
	if unit == arrow.Nanosecond {
		kind = "TIME_NS"
	}
	return "CAST(" + quote(text) + " AS " + kind + ")", nil
}

func instantLiteral(v int64, t *arrow.TimestampType) (string, error) {
	if t.Unit == arrow.Nanosecond && t.TimeZone == "" {
		return fmt.Sprintf("make_timestamp_ns(%d)", v), nil
	}
	us, err := micros(v, t.Unit)
	text := fmt.Sprintf("make_timestamp(%d)", us)
	switch {
	case t.TimeZone != "": // the session's is UTC
		text = "CAST(" + text + " AS TIMESTAMP WITH TIME ZONE)"
	case t.Unit != arrow.Microsecond:
		text = "CAST(" + text + " AS " + stampTexts[t.Unit] + ")"
	}
	return text, err
}
