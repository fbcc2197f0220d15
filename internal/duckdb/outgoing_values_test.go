//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// said is the text that DuckDB gives a value of Arrow by its own rules: it is what CAST(… AS VARCHAR) is compared with.
func said(t *testing.T, a arrow.Array, i int) string {
	t.Helper()
	if a.IsNull(i) {
		return "NULL"
	}
	switch a := a.(type) {
	case *array.Date32:
		return saidDay(int64(a.Value(i)))
	case *array.Timestamp:
		kind := a.DataType().(*arrow.TimestampType)
		unit := 1e9 / int64(kind.Unit.Multiplier())
		whole, part := floored(int64(a.Value(i)), unit)
		days, second := floored(whole, 86_400)
		zone := ""
		if kind.TimeZone != "" {
			zone = "+00"
		}
		return saidDay(days) + " " + saidClock(second, part, unit) + zone
	case *array.Time64:
		unit := 1e9 / int64(a.DataType().(*arrow.Time64Type).Unit.Multiplier())
		return saidClock(int64(a.Value(i))/unit, int64(a.Value(i))%unit, unit)
	case *array.MonthDayNanoInterval:
		return saidInterval(a.Value(i))
	case *array.Decimal128:
		kind := a.DataType().(*arrow.Decimal128Type)
		if kind.Scale == 0 {
			return a.Value(i).BigInt().String()
		}
		return a.Value(i).ToString(kind.Scale)
	case *array.Float32:
		return saidFloat(float64(a.Value(i)), 32)
	case *array.Float64:
		return saidFloat(a.Value(i), 64)
	case *array.Binary:
		out := ""
		for _, b := range a.Value(i) {
			if b < ' ' || b >= 0x7f || strings.IndexByte(`\'"`, b) >= 0 {
				out += fmt.Sprintf(`\x%02X`, b)
			} else {
				out += string(rune(b))
			}
		}
		return out
	case *array.String:
		return a.Value(i)
	case *array.Dictionary:
		return said(t, a.Dictionary(), a.GetValueIndex(i))
	case *array.Map:
		from, to := a.ValueOffsets(i)
		var all []string
		for k := from; k < to; k++ {
			all = append(all, saidInside(t, a.Keys(), int(k))+"="+saidInside(t, a.Items(), int(k)))
		}
		return "{" + strings.Join(all, ", ") + "}"
	case *array.Struct:
		var all []string
		for k := range a.NumField() {
			all = append(all, "'"+a.DataType().(*arrow.StructType).Field(k).Name+"': "+saidInside(t, a.Field(k), i))
		}
		return "{" + strings.Join(all, ", ") + "}"
	case *array.SparseUnion:
		return said(t, a.Field(a.ChildID(i)), i)
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		var all []string
		for k := from; k < to; k++ {
			all = append(all, saidInside(t, a.ListValues(), int(k)))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	return a.ValueStr(i)
}

func floored(v, by int64) (whole, part int64) {
	whole, part = v/by, v%by
	if part < 0 {
		whole, part = whole-1, part+by
	}
	return whole, part
}

func saidDay(days int64) string {
	d := time.Unix(days*86_400, 0).UTC()
	if y := d.Year(); y <= 0 {
		return fmt.Sprintf("%04d-%02d-%02d (BC)", 1-y, d.Month(), d.Day())
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.Year(), d.Month(), d.Day())
}

// saidClock is a time of day, with a part of a second of which unit are one.
func saidClock(second, part, unit int64) string {
	text := fmt.Sprintf("%02d:%02d:%02d", second/3600, second/60%60, second%60)
	if part == 0 {
		return text
	}
	digits := len(strconv.FormatInt(unit, 10)) - 1
	return text + strings.TrimRight(fmt.Sprintf(".%0*d", digits, part), "0")
}

func saidInterval(v arrow.MonthDayNanoInterval) string {
	var all []string
	add := func(n int64, one string) {
		switch {
		case n == 0:
		case n == 1 || n == -1:
			all = append(all, fmt.Sprintf("%d %s", n, one))
		default:
			all = append(all, fmt.Sprintf("%d %ss", n, one))
		}
	}
	add(int64(v.Months/12), "year")
	add(int64(v.Months%12), "month")
	add(int64(v.Days), "day")
	if n := v.Nanoseconds / 1000; n != 0 || len(all) == 0 {
		sign := ""
		if n < 0 {
			sign, n = "-", -n
		}
		all = append(all, sign+saidClock(n/1e6, n%1e6, 1e6))
	}
	return strings.Join(all, " ")
}

func saidFloat(v float64, bits int) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 0):
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, bits), "+"))
	}
	text := strconv.FormatFloat(v, 'g', -1, bits)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// saidInside is a value in another one, where DuckDB puts some texts in quotes.
func saidInside(t *testing.T, a arrow.Array, i int) string {
	text := said(t, a, i)
	if text == "" {
		return "''"
	}
	return text
}

// sameText compares texts, and numbers in other spellings by their values.
func sameText(got, want string) bool {
	if got == want {
		return true
	}
	a, errA := strconv.ParseFloat(got, 64)
	b, errB := strconv.ParseFloat(want, 64)
	return errA == nil && errB == nil && (a == b || math.IsNaN(a) && math.IsNaN(b)) && strings.ContainsAny(want, ".en")
}

// compared reads value and text of each row, and returns how many values there were.
func compared(t *testing.T, db *DB, what, from string) (n int) {
	t.Helper()
	rows, err := db.Query(t.Context(), "SELECT v, CAST(v AS VARCHAR) AS text FROM (SELECT "+what+" AS v "+from+")")
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return 0
	}
	defer rows.Close()
	for {
		rec, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return n
		}
		for i := range int(rec.NumRows()) {
			n++
			text := "NULL"
			if rec.Column(1).IsValid(i) {
				text = rec.Column(1).(*array.String).Value(i)
			}
			if got := said(t, rec.Column(0), i); !sameText(got, text) {
				t.Errorf("%s: Arrow has %s, DuckDB %s", what, got, text)
			}
		}
		rec.Release()
	}
}

// Values that leave DuckDB are those that it has: by its own texts of them, of each type, at the ends of what Arrow can hold.
func TestWhatLeaves(t *testing.T) {
	db := open(t, nil)
	if err := db.run("SET TimeZone = 'UTC'"); err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{
		"to_microseconds(9223372036854775)", "to_microseconds(-9223372036854775)", "to_microseconds(2305843009213693)", "INTERVAL 300 YEAR", "[INTERVAL 400 YEAR, NULL]", "NULL::INTERVAL",
		"INTERVAL '-1 year 2 months -3 days 04:05:06.000007'", "INTERVAL '-04:05:06.000007'", "INTERVAL 2147483647 MONTH", "INTERVAL 2147483647 DAY", "INTERVAL 0 DAY", "MAP {'k': {'a': [INTERVAL 1 DAY]}}",
		"99999999999999999999999999999999999999::HUGEINT", "-99999999999999999999999999999999999999::HUGEINT", "99999999999999999999999999999999999999::UHUGEINT",
		"9223372036854775807::HUGEINT", "9223372036854775808::HUGEINT", "-9223372036854775809::HUGEINT", "18446744073709551616::HUGEINT", "18446744073709551615::UHUGEINT", "0::UHUGEINT", "-1::HUGEINT",
		"'23:59:59.999999'::TIME", "'00:00:00'::TIME", "TIME_NS '23:59:59.999999999'", "'infinity'::DOUBLE", "'-infinity'::FLOAT", "'nan'::DOUBLE", "-0.0::DOUBLE", "5e-324::DOUBLE", "1.7976931348623157e308::DOUBLE",
		"'5881580-07-10'::DATE", "'5877642-06-25 (BC)'::DATE", "'0001-01-01'::DATE", "'0001-12-31 (BC)'::DATE", "NULL::DATE",
		"'294247-01-10 04:00:54.775806'::TIMESTAMP", "'290309-12-22 (BC) 00:00:00'::TIMESTAMP", "'1969-12-31 23:59:59.999999'::TIMESTAMP", "'2262-04-11 23:47:16.854775806'::TIMESTAMP_NS",
		"'1677-09-22 00:00:00'::TIMESTAMP_NS", "'1969-12-31 23:59:59.999'::TIMESTAMP_MS", "'1969-12-31 23:59:59'::TIMESTAMP_S", "'1969-12-31 23:59:59.999999'::TIMESTAMPTZ",
		"0.01::DECIMAL(38, 38)", "-99999999999999999999999999999999999999::DECIMAL(38, 0)", "-0.5::DECIMAL(4, 1)", "[{'a': 1, 'b': NULL}, NULL]", "[1, NULL, 3]::INTEGER[3]", "union_value(a := 2.5)", "true", "''", "'\\x00\\xFF'::BLOB",
		"255::UTINYINT", "(-128)::TINYINT", "18446744073709551615::UBIGINT", "'x'::ENUM('y', 'x')", "uuid '00112233-4455-6677-8899-aabbccddeeff'", "NULL",
	} {
		if n := compared(t, db, v, ""); n != 1 {
			t.Errorf("%s: %d rows", v, n)
		}
	}
	// More rows than a vector has, with and without nulls.
	for _, v := range []string{"range::HUGEINT << 60", "to_microseconds(range * 1000000007)", "CASE WHEN range % 3 > 0 THEN make_timestamp(range * 86400000001 - 1000000000) END", "[range, NULL]", "DATE '1970-01-01' + (range - 2500)::INTEGER"} {
		if n := compared(t, db, v, "FROM range(5000)"); n != 5000 {
			t.Errorf("%s: %d rows", v, n)
		}
	}
	values := 0
	for _, name := range allTypes(t, db) {
		switch n, err := all(t.Context(), db, "SELECT "+quoteName(name)+" FROM test_all_types()"); {
		case err != nil || n != 3: // refused, which is what TestWhatCannotLeave is about
		case name == "geometry": // Arrow has it as WKB
		case name == "timestamp_tz": // DuckDB's text of its greatest one is a millisecond off
			values += compared(t, db, "epoch_us(timestamp_tz)", "FROM test_all_types()")
			values += compared(t, db, quoteName(name), "FROM test_all_types() WHERE year(timestamp_tz) < 290000")
		default:
			values += compared(t, db, quoteName(name), "FROM test_all_types()")
		}
	}
	if values < 3*40 {
		t.Errorf("%d values", values)
	}
}
