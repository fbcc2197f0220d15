//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"context"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// bound returns what a value is in DuckDB: its type and its text.
func boundValue(t *testing.T, db *DB, values arrow.Array, row int) (string, error) {
	t.Helper()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "v", Type: values.DataType(), Nullable: true}}, nil), []arrow.Array{values}, int64(values.Len()))
	defer rec.Release()
	text, err := Bind("select typeof(v), v::varchar from (select ? as v)", rec, row)
	if err != nil {
		return "", err
	}
	return result(context.Background(), db, text)
}

// A parameter has the type of its value in DuckDB, and every value that the type has.
func TestBindTypes(t *testing.T) {
	db := open(t, nil)
	for _, k := range kinds {
		values, _, err := array.FromJSON(memory.DefaultAllocator, k.kind, strings.NewReader(k.json))
		if err != nil {
			t.Fatal(err)
		}
		defer values.Release()
		if k.kind == arrow.Null {
			continue
		}
		if got, err := boundValue(t, db, values, 1); err != nil || got != k.duck+"|"+k.value+"\n" {
			t.Errorf("%s: %q, %v; want %s, %s", k.kind, got, err, k.duck, k.value)
		}
		if got, err := boundValue(t, db, values, 0); err != nil || !strings.HasPrefix(got, k.duck+"|") {
			t.Errorf("%s: %q, %v; want a %s", k.kind, got, err, k.duck)
		}
		if got, err := boundValue(t, db, values, 2); err != nil || !strings.HasSuffix(got, "|(null)\n") {
			t.Errorf("%s: %q, %v; want NULL", k.kind, got, err)
		}
	}
	for _, k := range []struct {
		kind             arrow.DataType
		json, duck, want string // texts by |
	}{
		{arrow.FixedWidthTypes.Float16, `[0.5, -65504]`, "FLOAT", "0.5|-65504.0"},
		{arrow.PrimitiveTypes.Float32, `[3.4028234663852886e38, -1.1754943508222875e-38]`, "FLOAT", "3.4028235e+38|-1.1754944e-38"},
		{arrow.PrimitiveTypes.Float64, `[1.7976931348623157e308, 5e-324]`, "DOUBLE", "1.7976931348623157e+308|5e-324"},
		{arrow.PrimitiveTypes.Int64, `["9223372036854775807", "-9223372036854775808"]`, "BIGINT", "9223372036854775807|-9223372036854775808"},
		{arrow.PrimitiveTypes.Uint64, `["18446744073709551615"]`, "UBIGINT", "18446744073709551615"},
		{arrow.BinaryTypes.LargeBinary, `["", "J1wA"]`, "BLOB", `|\x27\x5C\x00`},
		{arrow.BinaryTypes.String, `["", "it's ? $1 \\ \" -- /* \n"]`, "VARCHAR", "|it's ? $1 \\ \" -- /* \n"},
		{arrow.FixedWidthTypes.Date64, `["1969-12-31", "2020-02-29"]`, "DATE", "1969-12-31|2020-02-29"},
		{arrow.FixedWidthTypes.Date32, `["0001-01-01", "9999-12-31"]`, "DATE", "0001-01-01|9999-12-31"},
		{arrow.FixedWidthTypes.Time32s, `["23:59:59"]`, "TIME", "23:59:59"},
		{arrow.FixedWidthTypes.Time64ns, `["10:11:12.000000001", "00:00:00"]`, "TIME_NS", "10:11:12.000000001|00:00:00"},
		{&arrow.TimestampType{Unit: arrow.Second, TimeZone: "Asia/Tokyo"}, `["2020-07-01T00:00:00Z"]`, "TIMESTAMP WITH TIME ZONE", "2020-07-01 00:00:00+00"},
		{&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}, `["2020-07-01T00:00:00.125Z"]`, "TIMESTAMP WITH TIME ZONE", "2020-07-01 00:00:00.125+00"},
		{arrow.FixedWidthTypes.Duration_s, `["90s"]`, "INTERVAL", "00:01:30"},
		{arrow.FixedWidthTypes.Duration_ms, `["-1ms"]`, "INTERVAL", "-00:00:00.001"},
		{arrow.FixedWidthTypes.Duration_ns, `["1000ns"]`, "INTERVAL", "00:00:00.000001"},
		{arrow.FixedWidthTypes.MonthInterval, `[{"months": 14}]`, "INTERVAL", "1 year 2 months"},
		{arrow.FixedWidthTypes.DayTimeInterval, `[{"days": -3, "milliseconds": 500}]`, "INTERVAL", "-3 days 00:00:00.5"},
		{arrow.FixedWidthTypes.MonthDayNanoInterval, `[{"months": 1, "days": 2, "nanoseconds": 3000}]`, "INTERVAL", "1 month 2 days 00:00:00.000003"},
		{&arrow.Decimal128Type{Precision: 38, Scale: 38}, `["-0.00000000000000000000000000000000000001"]`, "DECIMAL(38,38)", "-.00000000000000000000000000000000000001"},
		{arrow.LargeListOf(arrow.PrimitiveTypes.Uint8), `[[], [1, null]]`, "UTINYINT[]", "[]|[1, NULL]"},
		{arrow.MapOf(arrow.PrimitiveTypes.Int32, arrow.ListOf(arrow.FixedWidthTypes.Date32)), `[[], [{"key": 1, "value": ["2020-01-01"]}]]`, "MAP(INTEGER, DATE[])", "{}|{1=[2020-01-01]}"},
		{arrow.StructOf(arrow.Field{Name: `a "b" 'c'`, Type: arrow.ListOf(arrow.BinaryTypes.Binary), Nullable: true}), `[{"a \"b\" 'c'": []}]`, `STRUCT("a ""b"" 'c'" BLOB[])`, `{'a "b" \'c\'': []}`},
	} {
		values, _, err := array.FromJSON(memory.DefaultAllocator, k.kind, strings.NewReader(k.json))
		if err != nil {
			t.Fatal(k.kind, err)
		}
		defer values.Release()
		for i, text := range strings.Split(k.want, "|") {
			if got, err := boundValue(t, db, values, i); err != nil || got != k.duck+"|"+text+"\n" {
				t.Errorf("%s: %q, %v; want %s, %s", k.kind, got, err, k.duck, text)
			}
		}
	}
}

// Values that JSON does not write.
func TestBindOtherValues(t *testing.T) {
	db := open(t, nil)
	mem := memory.DefaultAllocator
	nan := array.NewFloat64Builder(mem)
	nan.AppendValues([]float64{0}, nil)
	zero := nan.NewFloat64Array().Value(0)
	nan.AppendValues([]float64{zero / zero, 1 / zero, -1 / zero}, nil)
	day := array.NewTime64Builder(mem, &arrow.Time64Type{Unit: arrow.Microsecond})
	day.Append(86_400_000_000)
	wide := array.NewDecimal256Builder(mem, &arrow.Decimal256Type{Precision: 20, Scale: 2})
	wide.Append(decimal256.FromI64(-125))
	view := array.NewStringViewBuilder(mem)
	view.Append("a text that is longer than twelve bytes")
	ends := array.NewRunEndEncodedBuilder(mem, arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String)
	ends.Append(2)
	ends.ValueBuilder().(*array.StringBuilder).Append("run")
	for _, c := range []struct {
		values arrow.Array
		want   string // texts by line
	}{
		{nan.NewArray(), "DOUBLE|nan\nDOUBLE|inf\nDOUBLE|-inf\n"},
		{day.NewArray(), "TIME|24:00:00\n"},
		{wide.NewArray(), "DECIMAL(20,2)|-1.25\n"},
		{view.NewArray(), "VARCHAR|a text that is longer than twelve bytes\n"},
		{ends.NewArray(), "VARCHAR|run\nVARCHAR|run\n"},
	} {
		got := ""
		for i := range c.values.Len() {
			text, err := boundValue(t, db, c.values, i)
			if err != nil {
				t.Error(c.values.DataType(), err)
			}
			got += text
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.values.DataType(), got, c.want)
		}
	}
}

// What DuckDB cannot have is an error, and not another value.
func TestBindRefused(t *testing.T) {
	for _, c := range []struct {
		kind       arrow.DataType
		json, want string
	}{
		{arrow.FixedWidthTypes.Time32s, `[86401]`, "no time of a day"},
		{arrow.FixedWidthTypes.Time64ns, `[-1]`, "no time of a day"},
		{arrow.FixedWidthTypes.Duration_ns, `["1ns"]`, "nanoseconds"},
		{&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}, `["2020-01-01T00:00:00.000000001Z"]`, "nanoseconds"},
		{arrow.FixedWidthTypes.MonthDayNanoInterval, `[{"months": 0, "days": 0, "nanoseconds": 1}]`, "nanoseconds"},
		{&arrow.TimestampType{Unit: arrow.Second}, `[9223372036854775807]`, "too far"},
		{arrow.PrimitiveTypes.Date64, `[1]`, "whole number of days"},
		{&arrow.Decimal256Type{Precision: 39, Scale: 0}, `["1"]`, "cannot be bound"},
		{arrow.BinaryTypes.String, `["a\u0000b"]`, "zero byte"},
	} {
		values, _, err := array.FromJSON(memory.DefaultAllocator, c.kind, strings.NewReader(c.json))
		if err != nil {
			t.Fatal(c.kind, err)
		}
		defer values.Release()
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "v", Type: c.kind}}, nil), []arrow.Array{values}, 1)
		defer rec.Release()
		if text, err := Bind("select ?", rec, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s, %v; want an error with %q", c.kind, text, err, c.want)
		}
	}
	u := arrow.DenseUnionOf([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int32}}, []arrow.UnionTypeCode{0})
	b := array.NewDenseUnionBuilder(memory.DefaultAllocator, u)
	b.Append(0)
	b.Child(0).(*array.Int32Builder).Append(5)
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "v", Type: u}}, nil), []arrow.Array{b.NewArray()}, 1)
	defer rec.Release()
	if text, err := Bind("select ?", rec, 0); err == nil || !strings.Contains(err.Error(), "cannot be bound") {
		t.Errorf("a union: %s, %v", text, err)
	}
}

// Values of every unit of time reach the filter of a column of microseconds.
func TestBindTimesFilter(t *testing.T) {
	var scanned []expr.Expr
	rec := build(t, []arrow.Field{{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Microsecond}}, {Name: "d", Type: arrow.FixedWidthTypes.Date32}}, `["2020-01-01", "2021-01-01"]`, `["2020-01-01", "2021-01-01"]`)
	db := open(t, map[string]Table{"x": &fake{rec: rec, times: 1, scanned: &scanned}})
	for _, unit := range []arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond} {
		values := build(t, []arrow.Field{{Name: "v", Type: &arrow.TimestampType{Unit: unit}}}, `["2020-06-01"]`)
		text, err := Bind("select count(*) from x where t > ?", values, 0)
		if err != nil {
			t.Fatal(err)
		}
		scanned = nil
		want(t, db, text, "1\n")
		if len(scanned) != 1 || scanned[0] == nil {
			t.Errorf("%s is filtered by %v", text, scanned)
		}
	}
}
