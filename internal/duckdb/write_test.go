package duckdb

import (
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

func TestParseWrite(t *testing.T) {
	for sql, want := range map[string]*Write{
		"select 1":                              nil,
		"with x as (select 1) select * from x":  nil,
		"with insert as (select 1) from insert": nil,
		"copy t to 'f'":                         nil,
		"":                                      nil,
		"-- insert into t select 1\nselect 2":   nil,
		"CREATE TABLE t AS SELECT 1;":           {Table: []string{"t"}, Creates: true, Query: "SELECT 1"},
		"create or replace table a.b.\"c\"\"d\" as (from x) -- no": {Table: []string{"a", "b", `c"d`}, Creates: true, Replace: true, Query: "(from x) -- no"},
		"create table if not exists t(a, \"B\") with (Format = 'it''s', compression = lz4) as values (1, ')')": {
			Table: []string{"t"}, Creates: true, IfNotExists: true, Columns: []string{"a", "B"}, Options: map[string]string{"format": "it's", "compression": "lz4"}, Query: "values (1, ')')",
		},
		"create table t as from x with data":                    {Table: []string{"t"}, Creates: true, Query: "from x "},
		"create table t as from x with no data":                 {Table: []string{"t"}, Creates: true, Query: "SELECT * FROM (from x \n) AS q LIMIT 0"},
		"insert into t select 1":                                {Table: []string{"t"}, Query: "select 1"},
		"insert /* x */ into t by position values (?)":          {Table: []string{"t"}, Query: "values (?)"},
		"insert into t by name from x":                          {Table: []string{"t"}, ByName: true, Query: "from x"},
		"insert into t (select 1)":                              {Table: []string{"t"}, Query: "(select 1)"},
		"insert into t (select) select 1":                       {Table: []string{"t"}, Columns: []string{"select"}, Query: "select 1"},
		"insert into t (a, b) (values (1, 2))":                  {Table: []string{"t"}, Columns: []string{"a", "b"}, Query: "(values (1, 2))"},
		"insert into t ((from x) union all from y)":             {Table: []string{"t"}, Query: "((from x) union all from y)"},
		"WITH x AS (SELECT 'insert into') INSERT INTO t FROM x": {Table: []string{"t"}, Query: "WITH x AS (SELECT 'insert into') FROM x"},
		"create table t (id int, \"Big One\" decimal(9, 2), at timestamp with time zone) with (format = orc)": {
			Table: []string{"t"}, Creates: true, Options: map[string]string{"format": "orc"},
			Query: "SELECT CAST(NULL AS int\n) AS \"id\", CAST(NULL AS decimal(9, 2)\n) AS \"Big One\", CAST(NULL AS timestamp with time zone\n) AS \"at\" LIMIT 0",
		},
		"create table t as select returning from x": {Table: []string{"t"}, Creates: true, Query: "select returning from x"},
	} {
		got, err := ParseWrite(sql)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", sql, got, err)
		}
	}
	for _, sql := range []string{
		"insert", "insert into", "insert into t", "insert into t (", "insert into t (a", "insert into t (a,", "insert into 1 select 1", "insert into t.", "create", "create table",
		"create table t (", "create table t with", "create table t with (", "create table t with (a", "create table t with (a =", "create table t with (a = 'x'", "create table t as",
		"create table t (a int not null)", "create table t (a int primary key)", "create table t (a int, primary key (a))", "create table t (a int default 1)", "create table t (a int, b)",
		"create table t (a int", "create table t (a decimal(9, 2)", "create table t (a int) as select 1", "create table t (a int) x", "create table t as ; ", "insert into t select 1; select 2", "insert or", "update", "with x as (select 1) insert into", "insert into 'a' select 1", "create table \"\" as select 1",
	} {
		if got, err := ParseWrite(sql); err == nil {
			t.Errorf("%s: %+v", sql, got)
		}
	}
}

// Values of one row become columns; what reads other rows, too, does not.
func TestOfAll(t *testing.T) {
	for query, want := range map[string]string{
		"values (?, upper(?), '?', 3)": `SELECT  "p0" , upper( "p1" ), '?', 3` + "\nFROM \"(values)\"",
		"VALUES ($2, $1) ":             `SELECT  "p1" ,  "p0" ` + "\nFROM \"(values)\"",
		"values (?), (?)":              "",
		"values (?, (select 1))":       "",
		"values ($name)":               "",
		"values (?, ?, ?)":             "",
		"values ($3)":                  "",
		"select ?":                     "",
		"values (?":                    "",
		"values (?) limit 1":           "",
	} {
		if got := (&Write{Query: query}).OfAll(2); got != want {
			t.Errorf("%s: %q", query, got)
		}
	}
}

func TestInserting(t *testing.T) {
	table := []arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int32},
		{Name: "Tag", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: `a"b`, Type: arrow.ListOf(&arrow.Decimal128Type{Precision: 9, Scale: 2})})},
		{Name: "u", Type: arrow.SparseUnionOf(nil, nil)},
	}
	result := func(names ...string) *arrow.Schema {
		var fields []arrow.Field
		for _, n := range names {
			fields = append(fields, arrow.Field{Name: n, Type: arrow.PrimitiveTypes.Int64})
		}
		return arrow.NewSchema(fields, nil)
	}
	got, err := (&Write{Columns: []string{"tag", "S"}}).Inserting("q -- x", result("x", "x"), table)
	front, back, _ := strings.Cut(got, ", CASE WHEN c1 IS NULL OR ")
	if want := `SELECT CAST(c0 AS VARCHAR) AS "Tag"`; err != nil || front != want {
		t.Errorf("%s, %v", got, err)
	}
	if want := ` END AS "s" FROM (q -- x` + "\n" + `) AS q ("c0", "c1")`; !strings.HasSuffix(back, want) || !strings.Contains(back, ` THEN CAST(c1 AS STRUCT("a""b" DECIMAL(9, 2)[])) ELSE error(`) {
		t.Error(got)
	}
	for text, w := range map[string]*Write{
		"union": {Columns: []string{"u"}}, "no column": {ByName: true}, "4 columns": {},
	} {
		if got, err := w.Inserting("q", result("x"), table); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%+v: %s, %v", w, got, err)
		}
	}
}
