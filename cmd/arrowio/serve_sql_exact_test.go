//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// exactTypes are types of columns, with values that they have, and others that DuckDB's INSERT makes one of theirs.
var exactTypes = map[string]struct{ exact, other []string }{
	"TINYINT":                 {[]string{"2.0", "7::BIGINT", "'7'", "' +7 '", "'7.00'", "1e2", "true", "NULL"}, []string{"2.5", "300", "'2.5'", "'2.00000000000000000001'", "-0.1::FLOAT", "300::HUGEINT"}},
	"UINTEGER":                {[]string{"1::BIGINT", "4294967295", "'0x1F'"}, []string{"-1", "4294967296", "1.5"}},
	"BIGINT":                  {[]string{"9007199254740993", "9007199254740992::DOUBLE", "5::UBIGINT", "5::HUGEINT"}, []string{"0.1::DOUBLE", "'9007199254740993.4'", "9223372036854775808"}},
	"BOOLEAN":                 {[]string{"1", "0", "'yes'", "true"}, []string{"2", "0.5"}},
	"FLOAT":                   {[]string{"0.1", "0.5::DOUBLE", "'0.1'", "'nan'::DOUBLE", "'-infinity'::DOUBLE", "16777216"}, []string{"0.1::DOUBLE", "16777217", "1e300", "0.1234567890123"}},
	"DOUBLE":                  {[]string{"0.1", "0.1::FLOAT", "9007199254740992", "'1e300'", "1.234567::DECIMAL(18, 6)"}, []string{"9007199254740993", "170141183460469231731687303715884105727", "0.12345678901234567890123"}},
	"DECIMAL(18, 2)":          {[]string{"1.23::DECIMAL(18, 6)", "1.5::DOUBLE", "0.1::DOUBLE", "1.23", "'1.230'", "7", "'-.5'"}, []string{"1.234567::DECIMAL(18, 6)", "0.125::DOUBLE", "1.005", "'1.005'", "'1e-3'"}},
	"VARCHAR":                 {[]string{"2.5", "'a'", "DATE '2024-01-01'", "'x'::ENUM('x', 'y')", "uuid()", "'[1]'::JSON"}, nil},
	"BLOB":                    {[]string{"'abc'", `'\x00'::BLOB`}, nil},
	"DATE":                    {[]string{"TIMESTAMP '2024-01-01'", "'2024-02-29'", "'2024/2/29'", "'2024-01-01 00:00:00.000'", "'44-03-15 (BC)'"}, []string{"TIMESTAMP '2024-01-01 10:00:00'", "'2024-01-01 10:00'", "'2024-01-01T10'", "TIMESTAMPTZ '2024-01-01 10:00:00+00'", "'2024-01-01 00:00:00.1'"}},
	"TIME":                    {[]string{"TIME_NS '01:02:03.123456'", "'01:02:03.1234560'", "TIME '01:02:03'", "'01:02:03Z'"}, []string{"'01:02:03+01'", "'01:02:03.5-0130'", "TIME_NS '01:02:03.123456789'", "'01:02:03.1234567'", "TIMESTAMP '2024-01-01 10:00:00'"}},
	"TIME_NS":                 {[]string{"TIME '01:02:03.123456'", "TIME_NS '01:02:03.123456789'", "'01:02:03'"}, []string{"'01:02:03.1234567'", "'01:02:03+01'"}},
	"TIMESTAMP_S":             {[]string{"TIMESTAMP '2024-01-01 10:00:00'", "'2024-01-01 10:00:00.0'", "DATE '2024-01-01'"}, []string{"TIMESTAMP '2024-01-01 10:00:00.000001'", "'2024-01-01 10:00:00+02'", "'2024-01-01 10:00:00.5'", "TIMESTAMP_MS '2024-01-01 10:00:00.001'"}},
	"TIMESTAMP_MS":            {[]string{"TIMESTAMP '2024-01-01 10:00:00.123'", "'2024-01-01 10:00:00.123'"}, []string{"TIMESTAMP '2024-01-01 10:00:00.000001'", "'2024-01-01 10:00:00.1234'"}},
	"TIMESTAMP":               {[]string{"TIMESTAMP_NS '2024-01-01 10:00:00.000001'", "'2024-01-01 10:00:00.123456'", "TIMESTAMPTZ '2024-01-01 10:00:00+00'", "'2024-01-01 10:00:00Z'", "'2024-01-01T10:00:00.5 UTC'", "'2024-01-01 10:00:00+00:00'", "'2024-01-01 10:00'", "'2024-01-01'", "'44-03-15 (BC)'", "'epoch'"}, []string{"'2024-01-01 10:00:00+01'", "'2024-01-01T10:00:00.123456-00:30'", "'2024-01-01 10:00:00+0130'", "TIMESTAMP_NS '2024-01-01 10:00:00.000000001'", "'2024-01-01 10:00:00.1234567'"}},
	"TIMESTAMP_NS":            {[]string{"TIMESTAMP '2024-01-01 10:00:00'", "'2024-01-01 10:00:00.123456789'"}, []string{"TIMESTAMP '1500-01-01'", "'2024-01-01 10:00:00.1234567891'"}},
	"TIMESTAMPTZ":             {[]string{"'2024-01-01 10:00:00.123456+01:00'", "TIMESTAMP '2024-01-01 10:00:00'", "DATE '2024-01-01'"}, []string{"'2024-01-01 10:00:00.1234567+01'", "TIMESTAMP_NS '2024-01-01 10:00:00.000000001'"}},
	"INTEGER[]":               {[]string{"[1.0, NULL, 2.0]", "['1', '2']", "[]", "[NULL]", "[1, 2]::INTEGER[2]"}, []string{"[1.0, 2.5]", "['2.5']", "'[1.5]'", "'[1]'"}},
	"STRUCT(a FLOAT, b DATE)": {[]string{"{'a': 0.5::DOUBLE, 'b': '2024-01-01'}", "{'b': NULL, 'a': NULL}"}, []string{"{'a': 0.1::DOUBLE, 'b': NULL}", "{'a': 1, 'b': TIMESTAMP '2024-01-01 10:00:00'}", "{'a': 1, 'b': NULL, 'c': 3}", "'{a: 1.5, b: x}'"}},
	"MAP(VARCHAR, INTEGER)":   {[]string{"MAP {'a': 1.0}"}, []string{"MAP {'a': 1.5}"}},
}

// INSERT gives a dataset the values that the statement has: what a column would round or cut is refused, with what to do, and nothing is
// written. DuckDB is the judge of which values come back; what is written is what its own INSERT writes.
func TestSQLWritesExact(t *testing.T) {
	c, _ := writing(t)
	n := 0
	for kind, values := range exactTypes {
		n++
		name := fmt.Sprintf("w%d", n)
		if _, err := c.ExecuteUpdate(t.Context(), "create table "+name+" (k integer, x "+kind+")"); err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		for _, v := range values.other {
			_, err := c.ExecuteUpdate(t.Context(), "insert into "+name+" values (1, "+v+")")
			if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), `column "x": `) || !strings.Contains(err.Error(), "use CAST(… AS ") && !strings.Contains(err.Error(), "out of range") {
				t.Errorf("%s into %s: %v", v, kind, err)
			}
		}
		if got, err := askServed(t, c, "select count(*) from "+name); err != nil || got != "0\n" {
			t.Errorf("%s: %s, %v", kind, got, err)
		}
		for i, v := range values.exact {
			if n, err := c.ExecuteUpdate(t.Context(), fmt.Sprintf("insert into %s values (%d, %s)", name, i, v)); err != nil || n != 1 {
				t.Errorf("%s into %s: %v", v, kind, err)
				continue
			}
			if strings.HasPrefix(v, "uuid") {
				continue
			}
			cast := "CAST(" + v + " AS " + kind + ")"
			if kind == "TIME_NS" { // DuckDB has no such cast of TIME
				cast = "CAST(CAST(" + v + " AS VARCHAR) AS TIME_NS)"
			}
			if strings.HasSuffix(v, "56789'") && kind == "TIME_NS" { // nor one of text with nanoseconds
				cast = v
			}
			got, err := askServed(t, c, fmt.Sprintf("select x is not distinct from %s, x::varchar from %s where k = %d", cast, name, i))
			if err != nil || !strings.HasPrefix(got, "true|") {
				t.Errorf("%s into %s: %s, %v", v, kind, got, err)
			}
		}
	}
	// Where another value may take its place, the statement says so.
	if n, err := c.ExecuteUpdate(t.Context(), "insert into w1 by name select 1.5::integer as k"); err != nil || n != 1 {
		t.Error(n, err)
	}
	if _, err := c.ExecuteUpdate(t.Context(), "insert into w1 by name select id + 0.5 as k from orders"); err == nil || !strings.Contains(err.Error(), `column "k": 0.5 is no value of type INTEGER`) {
		t.Error(err)
	}
}

// The values of parameters are as exact, behind rows that have none.
func TestSQLWritesExactParameters(t *testing.T) {
	c, _ := writing(t)
	if _, err := c.ExecuteUpdate(t.Context(), "create table w (x integer, y integer)"); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"insert into w values (?, 1)", "insert into w (x) values (?)", "insert into w (x) select ?"} {
		for rows, want := range map[string]string{`[{"0": 2}, {"0": null}, {"0": 4.0}]`: "", `[{"0": null}, {"0": 2.5}]`: "2.5 is no value of type INTEGER", `[{"0": 1}, {"0": 2.5}]`: "2.5 is no value of type INTEGER"} {
			st, err := c.Prepare(t.Context(), sql)
			if err != nil {
				t.Fatal(sql, err)
			}
			rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "0", Type: arrow.PrimitiveTypes.Float64, Nullable: true}}, nil), strings.NewReader(rows))
			if err != nil {
				t.Fatal(err)
			}
			st.SetParameters(rec)
			n, err := st.ExecuteUpdate(t.Context())
			rec.Release()
			if want == "" && (err != nil || n != 3) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s of %s: %d, %v", sql, rows, n, err)
			}
			if err := st.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
	if got, err := askServed(t, c, "select count(*), sum(x) from w"); err != nil || got != "9|18\n" {
		t.Error(got, err)
	}
}

// Of columns of types that DuckDB has not, none takes another value than it was given.
func TestSQLWritesExactForeign(t *testing.T) {
	c, _ := writing(t)
	fixed := arrow.FixedWidthTypes
	n := 0
	for _, f := range []struct {
		kind    arrow.DataType
		first   string
		refused []string
	}{
		{fixed.Float16, "1", []string{"0.1::FLOAT", "70000", "2049"}},
		{fixed.Time32s, `"01:02:03"`, []string{"TIME '01:02:03.5'", "'01:02:03.5'"}},
		{fixed.Time32ms, `"01:02:03"`, []string{"TIME '01:02:03.0001'"}},
		{fixed.Date64, `"2024-01-01"`, []string{"TIMESTAMP '2024-01-01 10:00:00'"}},
		{fixed.Duration_s, "1", []string{"INTERVAL 3 MILLISECOND", "INTERVAL 3 MONTH"}},
		{&arrow.FixedSizeBinaryType{ByteWidth: 2}, `"YWE="`, []string{"'abc'::BLOB", "'a'::BLOB"}},
		{&arrow.Decimal256Type{Precision: 20, Scale: 2}, `"1.25"`, []string{"1.255"}},
		{arrow.ListOf(fixed.Float16), "[1]", []string{"[0.1]"}},
	} {
		n++
		name := fmt.Sprintf("w%d", n)
		putRows(t, c, name, arrow.NewSchema([]arrow.Field{{Name: "x", Type: f.kind, Nullable: true}}, nil), `[{"x": `+f.first+`}]`)
		for _, v := range f.refused {
			if _, err := c.ExecuteUpdate(t.Context(), "insert into "+name+" values ("+v+")"); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "x") {
				t.Errorf("%s into %s: %v", v, f.kind, err)
			}
		}
		if got, err := askServed(t, c, "select count(*) from "+name); err != nil || got != "1\n" {
			t.Errorf("%s: %s, %v", f.kind, got, err)
		}
	}
}
