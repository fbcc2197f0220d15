//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// fake is a table in memory, of the same batch several times.
type fake struct {
	rec     arrow.Record
	times   int
	scanned *[]expr.Expr
	err     error // after the batches
}

func (f *fake) Schema() *arrow.Schema { return f.rec.Schema() }
func (f *fake) Rows() int64           { return f.rec.NumRows() * int64(f.times) }
func (f *fake) Close() error          { return nil }

func (f *fake) Scan(ctx context.Context, columns []string, filter expr.Expr) (array.RecordReader, error) {
	if f.scanned != nil {
		*f.scanned = append(*f.scanned, filter)
	}
	p, err := arrowio.Project(f.rec.Schema(), columns)
	if err != nil {
		return nil, err
	}
	var cols []arrow.Array
	for _, field := range p.Fields {
		cols = append(cols, f.rec.Column(field.Index))
	}
	rec := array.NewRecord(p.Schema, cols, f.rec.NumRows())
	defer rec.Release()
	var all []arrow.Record
	for range f.times {
		all = append(all, rec)
	}
	rr, err := array.NewRecordReader(p.Schema, all)
	return &failing{rr, f.err}, err
}

type failing struct {
	array.RecordReader
	err error
}

func (f *failing) Err() error { return f.err }

// build makes a batch from one JSON array a column, in memory of Memory.
func build(t *testing.T, fields []arrow.Field, columns ...string) arrow.Record {
	t.Helper()
	var arrays []arrow.Array
	for i, text := range columns {
		a, _, err := array.FromJSON(Memory(), fields[i].Type, strings.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", fields[i].Name, err)
		}
		arrays = append(arrays, a)
	}
	rec := array.NewRecord(arrow.NewSchema(fields, nil), arrays, int64(arrays[0].Len()))
	for _, a := range arrays {
		a.Release()
	}
	t.Cleanup(rec.Release)
	return rec
}

func open(t *testing.T, tables map[string]Table) *DB {
	t.Helper()
	db, err := Open(Options{
		Threads: 2,
		Known:   func(name string) bool { return strings.HasPrefix(name, "x") },
		Open: func(_ context.Context, name string, _ map[string][]string) (Table, error) {
			if tables[name] == nil {
				return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
			}
			return tables[name], nil
		},
		Names: []string{"format"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// result reads everything as text, a line each.
func result(ctx context.Context, db *DB, sql string) (string, error) {
	rows, err := db.Query(ctx, sql)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var b strings.Builder
	for {
		rec, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return b.String(), rows.Close()
		}
		if err != nil {
			return "", err
		}
		for i := range int(rec.NumRows()) {
			for k, col := range rec.Columns() {
				if k > 0 {
					b.WriteByte('|')
				}
				b.WriteString(col.ValueStr(i))
			}
			b.WriteByte('\n')
		}
		rec.Release()
	}
}

// Text and bytes in views are read, also inside of lists and structs.
func TestViewTypes(t *testing.T) {
	text, bytes := arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView
	rec := build(t, []arrow.Field{
		{Name: "s", Type: text, Nullable: true},
		{Name: "b", Type: bytes},
		{Name: "l", Type: arrow.ListOf(text)},
		{Name: "st", Type: arrow.StructOf(arrow.Field{Name: "s", Type: text, Nullable: true})},
	}, `["short", null, "one that is longer than what a view holds"]`, `["AQI=", "", "AQIDBAUGBwgJCgsMDQ4P"]`, `[["x"], [], ["another that is longer than a view", "y"]]`,
		`[{"s": "p"}, {"s": null}, {"s": "the last one, which is long as well"}]`)
	db := open(t, map[string]Table{"x": &fake{rec: rec, times: 2}})
	want(t, db, "select distinct s, hex(b), l[1], st.s from x order by octet_length(b)",
		"(null)||(null)|(null)\nshort|0102|x|p\none that is longer than what a view holds|0102030405060708090A0B0C0D0E0F|another that is longer than a view|the last one, which is long as well\n")
	want(t, db, "select count(*) from x where s like 'one%'", "2\n")
}

func want(t *testing.T, db *DB, sql, rows string) {
	t.Helper()
	got, err := result(context.Background(), db, sql)
	if err != nil {
		t.Errorf("%s: %v", sql, err)
	} else if got != rows {
		t.Errorf("%s:\n%swant\n%s", sql, got, rows)
	}
}

// Every type that files have, in DuckDB's words, and what its second value of three reads there as; the third is null.
var kinds = []struct {
	kind  arrow.DataType
	json  string
	duck  string
	value string
}{
	{arrow.FixedWidthTypes.Boolean, `[true,false,null]`, "BOOLEAN", "false"},
	{arrow.PrimitiveTypes.Int8, `[1,-128,null]`, "TINYINT", "-128"},
	{arrow.PrimitiveTypes.Int16, `[1,-32768,null]`, "SMALLINT", "-32768"},
	{arrow.PrimitiveTypes.Int32, `[1,-2147483648,null]`, "INTEGER", "-2147483648"},
	{arrow.PrimitiveTypes.Int64, `[1,-9007199254740991,null]`, "BIGINT", "-9007199254740991"},
	{arrow.PrimitiveTypes.Uint8, `[1,255,null]`, "UTINYINT", "255"},
	{arrow.PrimitiveTypes.Uint16, `[1,65535,null]`, "USMALLINT", "65535"},
	{arrow.PrimitiveTypes.Uint32, `[1,4294967295,null]`, "UINTEGER", "4294967295"},
	{arrow.PrimitiveTypes.Uint64, `[1,9007199254740991,null]`, "UBIGINT", "9007199254740991"},
	{arrow.PrimitiveTypes.Float32, `[1,0.5,null]`, "FLOAT", "0.5"},
	{arrow.PrimitiveTypes.Float64, `[1,0.1,null]`, "DOUBLE", "0.1"},
	{arrow.BinaryTypes.String, `["a","a longer text than fits in place: é",null]`, "VARCHAR", "a longer text than fits in place: é"},
	{arrow.BinaryTypes.Binary, `["YQ==","AP8=",null]`, "BLOB", `\x00\xFF`},
	{&arrow.FixedSizeBinaryType{ByteWidth: 2}, `["YWI=","AP8=",null]`, "BLOB", `\x00\xFF`},
	{arrow.FixedWidthTypes.Date32, `["2020-01-01","1582-10-04",null]`, "DATE", "1582-10-04"},
	{arrow.FixedWidthTypes.Time32ms, `["00:00:00","10:11:12.5",null]`, "TIME", "10:11:12.5"},
	{arrow.FixedWidthTypes.Time64us, `["00:00:00","10:11:12.000001",null]`, "TIME", "10:11:12.000001"},
	{&arrow.TimestampType{Unit: arrow.Second}, `["2020-01-01","1969-12-31T23:59:59",null]`, "TIMESTAMP_S", "1969-12-31 23:59:59"},
	{&arrow.TimestampType{Unit: arrow.Millisecond}, `["2020-01-01","1969-12-31T23:59:59.999",null]`, "TIMESTAMP_MS", "1969-12-31 23:59:59.999"},
	{&arrow.TimestampType{Unit: arrow.Microsecond}, `["2020-01-01","1969-12-31T23:59:59.999999",null]`, "TIMESTAMP", "1969-12-31 23:59:59.999999"},
	{&arrow.TimestampType{Unit: arrow.Nanosecond}, `["2020-01-01","1969-12-31T23:59:59.999999999",null]`, "TIMESTAMP_NS", "1969-12-31 23:59:59.999999999"},
	{&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, `["2020-01-01","1969-12-31T23:59:59.999999Z",null]`, "TIMESTAMP WITH TIME ZONE", "1969-12-31 23:59:59.999999+00"},
	{&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}, `["2020-01-01","1969-12-31T23:59:59.999999Z",null]`, "TIMESTAMP WITH TIME ZONE", "1969-12-31 23:59:59.999999+00"},
	{&arrow.Decimal128Type{Precision: 9, Scale: 2}, `["1.00","-1.25",null]`, "DECIMAL(9,2)", "-1.25"},
	{&arrow.Decimal128Type{Precision: 38, Scale: 0}, `["1","-12345678901234567890123456789012345678",null]`, "DECIMAL(38,0)", "-12345678901234567890123456789012345678"},
	{arrow.ListOf(arrow.BinaryTypes.String), `[[],["a",null],null]`, "VARCHAR[]", "[a, NULL]"},
	{arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Int32)), `[[[1,2],[3]],[[4],null,[5,6]],null]`, "INTEGER[][]", "[[4], NULL, [5, 6]]"},
	{arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true}), `[{"x":1,"y":"a"},{"x":2,"y":null},null]`, "STRUCT(x BIGINT, y VARCHAR)", "{'x': 2, 'y': NULL}"},
	{arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64), `[[],[{"key":"k","value":5}],null]`, "MAP(VARCHAR, BIGINT)", "{k=5}"},
	{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, `["a","b",null]`, "VARCHAR", "b"},
	{arrow.ListOf(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}), `[[],["a",null,"b"],null]`, "VARCHAR[]", "[a, NULL, b]"},
	{arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int32), `[[1,2],[3,null],null]`, "INTEGER[2]", "[3, NULL]"},
	{arrow.BinaryTypes.LargeString, `["a","b",null]`, "VARCHAR", "b"},
	{arrow.FixedWidthTypes.Duration_us, `["1us","2us",null]`, "INTERVAL", "00:00:00.000002"},
	{arrow.Null, `[null,null,null]`, `"NULL"`, "(null)"},
}

func TestTypes(t *testing.T) {
	for _, k := range kinds {
		// Batches of more rows than a chunk has, so that slices with offsets are taken over, of all three values in turn.
		inner := strings.TrimSuffix(strings.TrimPrefix(k.json, "["), "]")
		text := "[" + inner + strings.Repeat(","+inner, 1499) + "]"
		rec := build(t, []arrow.Field{{Name: "c", Type: k.kind, Nullable: true}}, text)
		db := open(t, map[string]Table{"x": &fake{rec: rec, times: 2}})
		want(t, db, "select distinct typeof(c) from x", k.duck+"\n")
		nulls := 3000
		if k.kind == arrow.Null {
			nulls = 9000
		}
		want(t, db, "select count(*), count(*) - count(c) from x", fmt.Sprintf("9000|%d\n", nulls))
		want(t, db, "select c::varchar, count(*) n from (select c, row_number() over () as r from x) where r % 3 = 2 group by c order by n", fmt.Sprintf("%s|3000\n", k.value))
	}
}

func TestTypesThatDuckDBHasNot(t *testing.T) {
	u := arrow.DenseUnionOf([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int32}}, []arrow.UnionTypeCode{0})
	b := array.NewDenseUnionBuilder(memory.DefaultAllocator, u)
	b.Append(0)
	b.Child(0).(*array.Int32Builder).Append(5)
	a := b.NewArray()
	defer a.Release()
	id, _, err := array.FromJSON(Memory(), arrow.PrimitiveTypes.Int64, strings.NewReader("[7]"))
	if err != nil {
		t.Fatal(err)
	}
	defer id.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "u", Type: u}, {Name: "id", Type: arrow.PrimitiveTypes.Int64}}, nil), []arrow.Array{a, id}, 1)
	defer rec.Release()
	db := open(t, map[string]Table{"x": &fake{rec: rec, times: 1}})
	want(t, db, "select id from x", "7\n")
	if _, err := result(context.Background(), db, "select * from x"); !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("a union: %v", err)
	}
}

func TestInstantsAreNotCut(t *testing.T) {
	rec := build(t, []arrow.Field{{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}, Nullable: true}},
		`["2020-01-01",null,"1969-12-31T23:59:59.999999999Z"]`)
	db := open(t, map[string]Table{"x": &fake{rec: rec, times: 1}})
	if _, err := result(context.Background(), db, "select t from x"); !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "1969-12-31T23:59:59.999999999Z") {
		t.Errorf("nanoseconds: %v", err)
	}
}

// Nor are intervals, of which DuckDB has microseconds; those of days and milliseconds it would read as one number.
func TestIntervalsAreNotCut(t *testing.T) {
	for _, c := range []struct {
		kind              arrow.DataType
		whole, odd, texts string
	}{
		{arrow.FixedWidthTypes.Duration_ns, `["2000ns",null]`, `["2000ns",null,"2001ns"]`, "00:00:00.000002\n(null)\n"},
		{arrow.FixedWidthTypes.MonthDayNanoInterval, `[{"months":1,"days":2,"nanoseconds":3000}]`, `[null,{"months":1,"days":2,"nanoseconds":2001}]`, "1 month 2 days 00:00:00.000003\n"},
	} {
		for _, nested := range []bool{false, true} {
			table := func(text string) *fake {
				f := arrow.Field{Name: "c", Type: c.kind, Nullable: true}
				if nested {
					text, f.Type = strings.NewReplacer("[", "[[", "]", "]]").Replace(text), arrow.ListOf(c.kind)
				}
				return &fake{rec: build(t, []arrow.Field{f}, text), times: 1}
			}
			sql := "select c::varchar from x"
			if nested {
				sql = "select unnest(c)::varchar from x"
			}
			want(t, open(t, map[string]Table{"x": table(c.whole)}), sql, c.texts)
			if got, err := result(t.Context(), open(t, map[string]Table{"x": table(c.odd)}), sql); !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "2001 ns") {
				t.Errorf("%s: %q, %v", c.kind, got, err)
			}
		}
	}
	x := &fake{rec: build(t, []arrow.Field{{Name: "c", Type: arrow.FixedWidthTypes.DayTimeInterval}, {Name: "d", Type: arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval)}, {Name: "id", Type: arrow.PrimitiveTypes.Int64}},
		`[{"days":1,"milliseconds":2}]`, `[[{"days":1,"milliseconds":2}]]`, `[7]`), times: 1}
	want(t, open(t, map[string]Table{"x": x}), "select id from x", "7\n")
	for _, name := range []string{"c", "d"} {
		if got, err := result(t.Context(), open(t, map[string]Table{"x": x}), "select "+name+" from x"); !errors.Is(err, errs.ErrUnsupported) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func numbers(t *testing.T) *fake {
	rec := build(t, []arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "f", Type: arrow.PrimitiveTypes.Float64, Nullable: true}},
		`[1,2,3,null]`, `[0.5,1.5,null,2.5]`)
	return &fake{rec: rec, times: 3}
}

func TestScansAreFresh(t *testing.T) {
	db := open(t, map[string]Table{"x": numbers(t)})
	for range 2 {
		want(t, db, "select count(*), sum(a.id), sum(b.f) from x a join x b on a.id = b.id", "27|54|18\n")
		want(t, db, "with c as (from x) select (select count(*) from c), (select sum(id) from c), (select max(f) from x)", "12|18|2.5\n")
	}
}

func TestFiltersReachTheTable(t *testing.T) {
	var scanned []expr.Expr
	x := numbers(t)
	x.scanned = &scanned
	db := open(t, map[string]Table{"x": x})
	for _, c := range []struct{ sql, want string }{
		{"select f from x where id >= 2 and f < 2", "id >= 2 AND f < 2"},
		{"select f from x where id in (1, 2, 3, 5, 7, 11)", "id IN (1, 2, 3, 5, 7, 11)"},
		{"create view v as from x; select f from v where id = 1 + 1", "id = 2"},
		{"select a.f from x a join x b using (id) where a.id = 1", "id = 1 OR id = 1"},
		{"select f from x where f > 1", "NOT f <= 1"},
		{"select f from (from x limit 3) where id = 1", "<nil>"},
		{"select f from x where random() < 2", "<nil>"},
		{"select sum(f) filter (id = 1) from x", "<nil>"},
		{"select b.f from x a left join x b on a.id = b.id and b.id = 2", "<nil>"},
	} {
		scanned = nil
		if _, err := result(context.Background(), db, c.sql); err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if len(scanned) == 0 || fmt.Sprint(scanned[0]) != c.want {
			t.Errorf("%s: filtered by %v, want %s", c.sql, scanned, c.want)
		}
	}
}

func TestMistakes(t *testing.T) {
	broken := numbers(t)
	broken.err = errs.Errorf(errs.ErrCorrupt, "bad block")
	db := open(t, map[string]Table{"x": numbers(t), "xbroken": broken})
	for _, c := range []struct {
		sql  string
		want error
	}{
		{"", errs.ErrOption},
		{"selec", errs.ErrOption},
		{"select nothing from x", errs.ErrOption},
		{"from y", errs.ErrOption},
		{"from xmissing", fs.ErrNotExist},
		{"from xbroken", errs.ErrCorrupt},
		{"select sum(id) from xbroken", errs.ErrCorrupt},
		{"select * from x where id = $1", errs.ErrOption},
		{"select error('text') from x", errs.ErrSchema},
		{"from arrowio(NULL)", errs.ErrOption},
		{"from arrowio('x', nothing := 1)", errs.ErrOption},
		{"from read_text('db_test.go')", errs.ErrOption},
		{"copy (from x) to 'x.csv'", errs.ErrOption},
		{"attach 'x.db'", errs.ErrOption},
		{"install httpfs", errs.ErrOption},
		{"set enable_external_access = true; from x", nil},
	} {
		_, err := result(context.Background(), db, c.sql)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%q: %v, want %v", c.sql, err, c.want)
		}
	}
	want(t, db, "select count(*) from x", "12\n") // it still answers
}

func TestCancel(t *testing.T) {
	db := open(t, map[string]Table{"x": numbers(t)})
	reason := errors.New("enough")
	for _, sql := range []string{
		"select count(*) from range(1000000000000) a where a.range % 7 = 3",
		"select a.range from range(100000000000) a",
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(100*time.Millisecond, func() { cancel(reason) })
		start := time.Now()
		if _, err := result(ctx, db, sql); !errors.Is(err, reason) {
			t.Errorf("%s: %v", sql, err)
		}
		if d := time.Since(start); d > time.Minute {
			t.Errorf("%s: ended after %v", sql, d)
		}
	}
	want(t, db, "select count(*) from x", "12\n")
}

func TestManyQueriesLeaveNothing(t *testing.T) {
	x := numbers(t)
	before, routines := Allocated(), 0
	for i := range 100 {
		db, err := Open(Options{
			Known: func(string) bool { return true }, TempDir: t.TempDir(),
			Open: func(context.Context, string, map[string][]string) (Table, error) { return x, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		want(t, db, "select count(*), sum(id) from x where id > 1", "6|15\n")
		rows, err := db.Query(context.Background(), "from x") // left in the middle
		if err != nil {
			t.Fatal(err)
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		db.Close()
		if i == 10 {
			routines = runtime.NumGoroutine()
		}
	}
	if got := Allocated(); got != before {
		t.Errorf("%d bytes are held", got-before)
	}
	if n := runtime.NumGoroutine(); n > routines+5 {
		t.Errorf("%d goroutines, %d after ten queries", n, routines)
	}
}
