package flight

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql/schema_ref"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight/internal/sql"
)

func (r *running) sqlClient(t testing.TB) *flightsql.Client {
	t.Helper()
	c, err := flightsql.NewClient(r.addr.String(), nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// startSQL serves two files of a dataset "events", and "nested" with structs.
func startSQL(t testing.TB, o Options) (*running, []string) {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i := range 2 {
		_, recs := table(memory.DefaultAllocator, 3000, 1000, uint64(i))
		paths = append(paths, filepath.Join(dir, "events", fmt.Sprint(i)+".orc"))
		write(t, paths[i], recs, nil)
	}
	nested := filepath.Join(dir, "nested.arrows")
	write(t, nested, []arrow.Record{nestedRecord(t)}, nil)
	return start(t, o, map[string]Spec{"events": {Paths: paths}, "nested": {Paths: []string{nested}}, "a.b": {Paths: paths[:1]}}), append(paths, nested)
}

// nestedRecord has structs of which some are null, and values below them that are.
func nestedRecord(t testing.TB) arrow.Record {
	t.Helper()
	inner := arrow.StructOf(arrow.Field{Name: "z", Type: arrow.BinaryTypes.String, Nullable: true})
	s := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int32},
		{Name: "p", Type: arrow.StructOf(
			arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
			arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Int64},
			arrow.Field{Name: "in", Type: inner, Nullable: true},
		), Nullable: true},
		{Name: "l", Type: arrow.ListOf(inner), Nullable: true},
	}, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(`[
		{"id": 0, "p": {"x": 1, "y": 2, "in": {"z": "a"}}, "l": []},
		{"id": 1, "p": null, "l": null},
		{"id": 2, "p": {"x": null, "y": 3, "in": null}, "l": [{"z": "q"}]},
		{"id": 3, "p": {"x": 4, "y": 5, "in": {"z": null}}, "l": []},
		{"id": 4, "p": null, "l": []},
		{"id": 5, "p": {"x": 6, "y": 7, "in": {"z": "b"}}, "l": []}]`))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// fetchSQL reads a FlightInfo.
func fetchSQL(t testing.TB, c *flightsql.Client, info *flight.FlightInfo, err error) *stream {
	t.Helper()
	if err != nil {
		return &stream{err: err}
	}
	out := &stream{}
	for _, e := range info.Endpoint {
		r, err := c.DoGet(t.Context(), e.Ticket)
		if err != nil {
			return &stream{err: err}
		}
		out.schema = r.Schema()
		for r.Next() {
			r.Record().Retain()
			out.recs = append(out.recs, r.Record())
		}
		if err := r.Err(); err != nil && err != io.EOF {
			out.err = err
		}
		r.Release()
	}
	want, err := flight.DeserializeSchema(info.Schema, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	if out.err == nil && !want.Equal(out.schema) {
		t.Fatalf("FlightInfo says %v, the stream %v", want, out.schema)
	}
	return out
}

func askSQL(t testing.TB, c *flightsql.Client, text string) *stream {
	t.Helper()
	info, err := c.Execute(t.Context(), text)
	s := fetchSQL(t, c, info, err)
	if s.err != nil {
		t.Fatalf("%s: %v", text, s.err)
	}
	return s
}

func parsedExpr(t testing.TB, text string) expr.Expr {
	t.Helper()
	x, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func (s *stream) slice(from, to int64) *stream {
	out := &stream{schema: s.schema}
	at := int64(0)
	for _, r := range s.recs {
		a, b := max(from-at, 0), min(to-at, r.NumRows())
		if a < b {
			out.recs = append(out.recs, r.NewSlice(a, b))
		}
		at += r.NumRows()
	}
	return out
}

func TestSelect(t *testing.T) {
	t.Parallel()
	r, paths := startSQL(t, Options{EndpointBytes: 20_000})
	c := r.sqlClient(t)
	events := paths[:2]
	for text, o := range map[string]arrowio.ScanOptions{
		"SELECT * FROM events":                                                 {},
		"select s, id from arrowio.main.events;":                               {Columns: []string{"s", "id"}},
		`select * from "main".events where id > 100 and s LIKE 'é%'`:           {Filter: parsedExpr(t, "id > 100 AND s LIKE 'é%'")},
		"select e.x from events as e where e.x between 0.25 and 0.5":           {Columns: []string{"x"}, Filter: parsedExpr(t, "x BETWEEN 0.25 AND 0.5")},
		"select * from events where id < 0":                                    {Filter: parsedExpr(t, "id < 0")},
		"select id from events limit 10":                                       {Columns: []string{"id"}, Rows: arrowio.RowRange{End: 10}},
		"select id from events limit 1500 offset 2500":                         {Columns: []string{"id"}, Rows: arrowio.RowRange{Start: 2500, End: 4000}},
		"select * from events offset 5990":                                     {Rows: arrowio.RowRange{Start: 5990, End: 6000}},
		"select id from events limit 9223372036854775807 offset 9":             {Columns: []string{"id"}, Rows: arrowio.RowRange{Start: 9, End: 6000}},
		"select l from events where not (x is null or id in (1, 2)) or id = 7": {Columns: []string{"l"}, Filter: parsedExpr(t, "NOT (x IS NULL OR id IN (1, 2)) OR id = 7")},
	} {
		sameRows(t, askSQL(t, c, text), scanned(t, events, o))
	}
	sameRows(t, askSQL(t, c, `select * from "a.b"`), scanned(t, events[:1], arrowio.ScanOptions{}))

	filtered := scanned(t, events, arrowio.ScanOptions{Columns: []string{"id", "s"}, Filter: parsedExpr(t, "x < 0.5")})
	for _, q := range [][2]int64{{0, 0}, {0, 1}, {0, 1200}, {7, 900}, {1000, 10_000}, {100_000, 5}} {
		got := askSQL(t, c, fmt.Sprintf("select id, s from events where x < 0.5 limit %d offset %d", q[1], q[0]))
		sameRows(t, got, filtered.slice(q[0], q[0]+q[1]))
	}
	for text, want := range map[string]int64{
		"select count(*) from events":                    6000,
		"select count(*) as n from events where x < 0.5": filtered.rows(),
		"select count(*) from events where id < 0":       0,
		"select count(1) from events where id >= 0":      6000,
		"select 1":             1,
		"select 1 where 1 = 1": 1,
		"select 42 as answer":  42,
		"select count(*) from nested where p is null limit 1":    2,
		"select count(*) from events where id >= 2990 and x > 2": 0,
	} {
		got := askSQL(t, c, text)
		if got.rows() != 1 || got.recs[0].Column(0).(*array.Int64).Value(0) != want {
			t.Errorf("%s: %v", text, got.recs)
		}
	}
	for _, text := range []string{"select count(*) from events limit 0", "select count(*) from events offset 1", "SELECT 1 AS x WHERE 1=0", "select current_date limit 0"} {
		if got := askSQL(t, c, text); got.rows() != 0 {
			t.Errorf("%s: %v", text, got.recs)
		}
	}
}

// What tools send to see whether anybody answers, and dialects of theirs.
func TestSelectProbes(t *testing.T) {
	r, paths := startSQL(t, Options{})
	c := r.sqlClient(t)
	before := arrow.Date32FromTime(time.Now().UTC())
	got := askSQL(t, c, "SELECT CURRENT_DATE AS today")
	if f := got.schema.Field(0); f.Name != "today" || f.Type.ID() != arrow.DATE32 || got.rows() != 1 {
		t.Fatal(got.schema, got.recs)
	}
	if day := got.recs[0].Column(0).(*array.Date32).Value(0); day < before || day > arrow.Date32FromTime(time.Now().UTC()) {
		t.Error(day)
	}
	sameRows(t, askSQL(t, c, "SELECT TOP 10 id FROM events"), scanned(t, paths[:2], arrowio.ScanOptions{Columns: []string{"id"}, Rows: arrowio.RowRange{End: 10}}))
	for text, want := range map[string]string{"select count(*) from events": "count_star()", "select COUNT(1) from events": "count(1)", "select 1": "1", "select Current_Date": "Current_Date"} {
		if name := askSQL(t, c, text).schema.Field(0).Name; name != want {
			t.Errorf("%s: %q", text, name)
		}
	}
}

// Other names, the same column twice, and what is inside of structs, null where they are.
func TestSelectItems(t *testing.T) {
	r, paths := startSQL(t, Options{})
	c := r.sqlClient(t)
	got := askSQL(t, c, "select id as a, s, id b, s as \"S 2\" from events where id < 2000 limit 2500")
	want := scanned(t, paths[:2], arrowio.ScanOptions{Columns: []string{"id", "s"}, Filter: parsedExpr(t, "id < 2000")}).slice(0, 2500)
	for i, k := range []int{0, 1, 0, 1} {
		if g, w := column(t, got, i), column(t, want, k); !array.Equal(g, w) {
			t.Errorf("column %d: %.200s, want %.200s", i, g, w)
		}
	}
	if names := []string{got.schema.Field(0).Name, got.schema.Field(1).Name, got.schema.Field(2).Name, got.schema.Field(3).Name}; !slices.Equal(names, []string{"a", "s", "b", "S 2"}) {
		t.Error(names)
	}
	for text, want := range map[string]string{
		`select p.x, nested.p.y as why, p."in".z, p.in as i, id from nested`: `[{"x":1,"why":2,"z":"a","i":{"z":"a"},"id":0},{"x":null,"why":null,"z":null,"i":null,"id":1},{"x":null,"why":3,"z":null,"i":null,"id":2},
			{"x":4,"why":5,"z":null,"i":{"z":null},"id":3},{"x":null,"why":null,"z":null,"i":null,"id":4},{"x":6,"why":7,"z":"b","i":{"z":"b"},"id":5}]`,
		`select p.y from nested offset 1`:                           `[{"y":null},{"y":3},{"y":5},{"y":null},{"y":7}]`,
		`select p.y v from nested where p.y > 2 limit 1 offset 1`:   `[{"v":5}]`,
		`select p.in.z from nested where id >= 3 limit 2 offset 1`:  `[{"z":null},{"z":"b"}]`,
		`select id as "id" from nested where l is null and id <= 1`: `[{"id":1}]`,
	} {
		s := askSQL(t, c, text)
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, s.schema, strings.NewReader(want))
		if err != nil {
			t.Fatal(text, err)
		}
		sameRows(t, s, &stream{schema: s.schema, recs: []arrow.Record{rec}})
	}
}

func TestSelectRefused(t *testing.T) {
	r, _ := startSQL(t, Options{})
	c := r.sqlClient(t)
	for text, want := range map[string]struct {
		code codes.Code
		text string
	}{
		"select * from nothing":                                  {codes.NotFound, "nothing"},
		"select * from a.b":                                      {codes.NotFound, "in quotes"},
		"select nope from events":                                {codes.InvalidArgument, "nope"},
		"select id from events where nope = 1":                   {codes.InvalidArgument, "nope"},
		"select id from events where id = 'five'":                {codes.InvalidArgument, "five"},
		"select id from events order by id":                      {codes.InvalidArgument, "DuckDB"},
		"select sum(id) from events":                             {codes.InvalidArgument, "DuckDB"},
		"select * from events join nested on true":               {codes.InvalidArgument, "DuckDB"},
		"select * from (select * from events)":                   {codes.InvalidArgument, "subquery"},
		"select id from events where id in (select 1)":           {codes.InvalidArgument, "subquery"},
		"insert into events values (1)":                          {codes.InvalidArgument, "INSERT"},
		"drop table events":                                      {codes.InvalidArgument, "DROP"},
		"select l.z from nested":                                 {codes.InvalidArgument, "l.z"},
		"select id from events where id = ?":                     {codes.InvalidArgument, "bind"},
		"select":                                                 {codes.InvalidArgument, "column"},
		"":                                                       {codes.InvalidArgument, "SELECT"},
		"select '" + strings.Repeat("x", sql.MaxTextBytes) + "'": {codes.ResourceExhausted, "the most"},
	} {
		_, err := c.Execute(t.Context(), text)
		if code(err) != want.code || !strings.Contains(err.Error(), want.text) {
			t.Errorf("%.80s: %v", text, err)
		}
		if _, err := c.GetExecuteSchema(t.Context(), text); code(err) != want.code {
			t.Errorf("GetSchema %.80s: %v", text, err)
		}
	}
	if _, err := c.ExecuteUpdate(t.Context(), "delete from events"); code(err) != codes.InvalidArgument {
		t.Error(err)
	}
	if _, err := c.BeginTransaction(t.Context()); code(err) != codes.Unimplemented {
		t.Error(err)
	}
}

func TestSelectSchema(t *testing.T) {
	r, _ := startSQL(t, Options{})
	c := r.sqlClient(t)
	res, err := c.GetExecuteSchema(t.Context(), "select s as t, id from events where x > 0.5 limit 3")
	if err != nil {
		t.Fatal(err)
	}
	s, err := flight.DeserializeSchema(res.Schema, memory.DefaultAllocator)
	if err != nil || s.NumFields() != 2 || s.Field(0).Name != "t" || s.Field(0).Type.ID() != arrow.STRING || s.Field(1).Name != "id" {
		t.Fatal(s, err)
	}
}

func recordOf(t testing.TB, text string, fields ...arrow.Field) arrow.Record {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(fields, nil), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestPrepared(t *testing.T) {
	t.Parallel()
	r, paths := startSQL(t, Options{})
	c := r.sqlClient(t)
	events := paths[:2]
	st, err := c.Prepare(t.Context(), "select s, id from events where id between ? and ? and (s like ? or x < ?)")
	if err != nil {
		t.Fatal(err)
	}
	if got := st.DatasetSchema(); got.NumFields() != 2 || got.Field(1).Name != "id" {
		t.Error(got)
	}
	var types []string
	for _, f := range st.ParameterSchema().Fields() {
		types = append(types, f.Type.Name())
	}
	if strings.Join(types, " ") != "int64 int64 utf8 float64" {
		t.Error(types)
	}
	res, err := st.GetSchema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s, err := flight.DeserializeSchema(res.Schema, memory.DefaultAllocator); err != nil || !s.Equal(st.DatasetSchema()) {
		t.Error(s, err)
	}
	if _, err := st.Execute(t.Context()); code(err) != codes.InvalidArgument {
		t.Error("nothing is bound, and it is executed:", err)
	}
	fields := []arrow.Field{{Name: "1", Type: arrow.PrimitiveTypes.Int64}, {Name: "2", Type: arrow.PrimitiveTypes.Int32}, {Name: "3", Type: arrow.BinaryTypes.String}, {Name: "4", Type: arrow.PrimitiveTypes.Float64, Nullable: true}}
	for values, filter := range map[string]string{
		`[{"1": 100, "2": 900, "3": "é%", "4": 0.25}]`: "id BETWEEN 100 AND 900 AND (s LIKE 'é%' OR x < 0.25)",
		`[{"1": 0, "2": 50, "3": "it's", "4": null}]`:  "id BETWEEN 0 AND 50 AND s LIKE 'it''s'",
	} {
		st.SetParameters(recordOf(t, values, fields...))
		info, err := st.Execute(t.Context())
		got := fetchSQL(t, c, info, err)
		if got.err != nil {
			t.Fatal(got.err)
		}
		sameRows(t, got, scanned(t, events, arrowio.ScanOptions{Columns: []string{"s", "id"}, Filter: parsedExpr(t, filter)}))
	}
	for _, wrong := range []arrow.Record{recordOf(t, `[{"1": 1}]`, fields[0]), recordOf(t, `[{"1": 1, "2": 1}, {"1": 1, "2": 1}]`, fields[:2]...)} {
		st.SetParameters(wrong)
		if _, err := st.Execute(t.Context()); code(err) != codes.InvalidArgument {
			t.Error("too few values for four:", err)
		}
	}
	if err := st.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if statements, bytes := r.sql.Bound(); statements != 0 || bytes != 0 {
		t.Errorf("%d statements, %d bytes are kept of a closed one", statements, bytes)
	}

	st, err = c.Prepare(t.Context(), "select * from events where id < 10")
	if err != nil {
		t.Fatal(err)
	}
	info, err := st.Execute(t.Context())
	sameRows(t, fetchSQL(t, c, info, err), scanned(t, events, arrowio.ScanOptions{Filter: parsedExpr(t, "id < 10")}))
	for _, text := range []string{"select nope from events", "select id from events where nope = ?", "update events set id = 1", "select * from nothing"} {
		if _, err := c.Prepare(t.Context(), text); code(err) != codes.InvalidArgument && code(err) != codes.NotFound {
			t.Error(text, err)
		}
	}
}

// Several rows of values are so many results, one after the other; LIMIT and OFFSET may be parameters, and parameters numbered.
func TestPreparedRows(t *testing.T) {
	t.Parallel()
	r, _ := startSQL(t, Options{})
	c := r.sqlClient(t)
	if _, err := c.Prepare(t.Context(), "select id from events where id >= $1 and id < $1 + 0 or id = $1 limit $2"); code(err) != codes.InvalidArgument { // no expressions
		t.Error(err)
	}
	st, err := c.Prepare(t.Context(), "select id from events where id = $2 or id = $1 limit $3")
	if err != nil {
		t.Fatal(err)
	}
	fields := []arrow.Field{{Name: "1", Type: arrow.PrimitiveTypes.Int64}, {Name: "2", Type: arrow.PrimitiveTypes.Int64}, {Name: "3", Type: arrow.PrimitiveTypes.Int64}}
	if p := st.ParameterSchema(); p.NumFields() != 3 || p.Field(2).Type.ID() != arrow.INT64 {
		t.Error(p)
	}
	st.SetParameters(recordOf(t, `[{"1": 5, "2": 7, "3": 10}, {"1": 700, "2": 6, "3": 1}, {"1": 1, "2": 2, "3": 0}]`, fields...))
	info, err := st.Execute(t.Context())
	got := fetchSQL(t, c, info, err)
	if got.err != nil || len(info.Endpoint) != 3 {
		t.Fatal(got.err, info)
	}
	var ids []int64
	for _, rec := range got.recs {
		ids = append(ids, rec.Column(0).(*array.Int64).Int64Values()...)
	}
	if !slices.Equal(ids, []int64{5, 7, 5, 7, 6}) { // in both files
		t.Error(ids)
	}
	if st, err = c.Prepare(t.Context(), "select id from events limit ? offset ?"); err != nil {
		t.Fatal(err)
	}
	st.SetParameters(recordOf(t, `[{"1": 3, "2": 10}]`, fields[:2]...))
	info, err = st.Execute(t.Context())
	if got := fetchSQL(t, c, info, err); got.err != nil || got.rows() != 3 || got.recs[0].Column(0).(*array.Int64).Value(0) != 10 {
		t.Error(got.err, got.rows())
	}
	st.SetParameters(recordOf(t, `[{"1": -3, "2": 10}]`, fields[:2]...))
	if _, err := st.Execute(t.Context()); code(err) != codes.InvalidArgument {
		t.Error(err)
	}
}

// A client that takes the new handle needs no memory of the server.
func TestPreparedHandle(t *testing.T) {
	r, paths := startSQL(t, Options{})
	c := r.sqlClient(t)
	handle := []byte(`{"sql":"select id from events where id = ?","id":"0123456789abcdef","params":["7"]}`)
	cmd, err := sql.Pack(&pb.CommandPreparedStatementQuery{PreparedStatementHandle: handle})
	if err != nil {
		t.Fatal(err)
	}
	info, err := c.Client.GetFlightInfo(t.Context(), cmdOf("%s", cmd))
	sameRows(t, fetchSQL(t, c, info, err), scanned(t, paths[:2], arrowio.ScanOptions{Columns: []string{"id"}, Filter: parsedExpr(t, "id = 7")}))
}

func sqlText(v string) *string { return &v }

func TestSQLCatalog(t *testing.T) {
	r, _ := startSQL(t, Options{})
	c := r.sqlClient(t)
	ctx := t.Context()
	names := func(s *stream, col int) string {
		var out []string
		for _, rec := range s.recs {
			for i := range int(rec.NumRows()) {
				out = append(out, rec.Column(col).ValueStr(i))
			}
		}
		return strings.Join(out, " ")
	}
	check := func(what string, col int, want string, schema *arrow.Schema) func(*flight.FlightInfo, error) *stream {
		return func(info *flight.FlightInfo, err error) *stream {
			t.Helper()
			s := fetchSQL(t, c, info, err)
			if s.err != nil {
				t.Fatal(what, s.err)
			}
			if got := names(s, col); got != want || !s.schema.Equal(schema) {
				t.Errorf("%s: %q, want %q; %v", what, got, want, s.schema)
			}
			return s
		}
	}
	check("catalogs", 0, "arrowio", schema_ref.Catalogs)(c.GetCatalogs(ctx))
	check("schemas", 1, "main", schema_ref.DBSchemas)(c.GetDBSchemas(ctx, &flightsql.GetDBSchemasOpts{Catalog: sqlText("arrowio"), DbSchemaFilterPattern: sqlText("m%")}))
	check("schemas of another", 1, "", schema_ref.DBSchemas)(c.GetDBSchemas(ctx, &flightsql.GetDBSchemasOpts{Catalog: sqlText("x")}))
	check("types", 0, "TABLE", schema_ref.TableTypes)(c.GetTableTypes(ctx))
	for _, q := range []struct {
		o    *flightsql.GetTablesOpts
		want string
	}{
		{&flightsql.GetTablesOpts{}, "a.b events nested"},
		{&flightsql.GetTablesOpts{Catalog: sqlText("arrowio"), DbSchemaFilterPattern: sqlText("%"), TableNameFilterPattern: sqlText("%e_t%")}, "events nested"},
		{&flightsql.GetTablesOpts{TableNameFilterPattern: sqlText("event")}, ""},
		{&flightsql.GetTablesOpts{TableNameFilterPattern: sqlText(`a\_b`)}, ""},
		{&flightsql.GetTablesOpts{TableNameFilterPattern: sqlText(`a_b`)}, "a.b"},
		{&flightsql.GetTablesOpts{TableTypes: []string{"VIEW"}}, ""},
		{&flightsql.GetTablesOpts{TableTypes: []string{"VIEW", "TABLE"}}, "a.b events nested"},
		{&flightsql.GetTablesOpts{Catalog: sqlText("")}, ""},
	} {
		check("tables", 2, q.want, schema_ref.Tables)(c.GetTables(ctx, q.o))
	}
	s := check("tables", 2, "nested", schema_ref.TablesWithIncludedSchema)(c.GetTables(ctx, &flightsql.GetTablesOpts{IncludeSchema: true, TableNameFilterPattern: sqlText("nested")}))
	sc, err := flight.DeserializeSchema(s.recs[0].Column(4).(*array.Binary).Value(0), memory.DefaultAllocator)
	if err != nil || !sameFields(sc, nestedRecord(t).Schema()) {
		t.Error(sc, err)
	}
	ref := flightsql.TableRef{Table: "events"}
	check("primary keys", 0, "", schema_ref.PrimaryKeys)(c.GetPrimaryKeys(ctx, ref))
	check("imported keys", 0, "", schema_ref.ImportedKeys)(c.GetImportedKeys(ctx, ref))
	check("exported keys", 0, "", schema_ref.ExportedKeys)(c.GetExportedKeys(ctx, ref))
	check("cross reference", 0, "", schema_ref.CrossReference)(c.GetCrossReference(ctx, ref, ref))
	check("some info", 0, "3 0 500", schema_ref.SqlInfo)(c.GetSqlInfo(ctx, []flightsql.SqlInfo{3, 0, 9999, 500, 3}))
	info, err := c.GetSqlInfo(ctx, nil)
	if s := fetchSQL(t, c, info, err); s.err != nil || s.rows() != 89 {
		t.Error(s.err, s.rows())
	}
	info, err = c.GetXdbcTypeInfo(ctx, nil)
	all := fetchSQL(t, c, info, err)
	if all.err != nil || all.rows() != 17 {
		t.Fatal(all.err, all.rows())
	}
	if codes := all.recs[0].Column(1).(*array.Int32).Int32Values(); !slices.IsSorted(codes) {
		t.Error("not in the order of their codes:", codes)
	}
	code := int32(pb.XdbcDataType_XDBC_VARCHAR)
	check("one type", 0, "VARCHAR", schema_ref.XdbcTypeInfo)(c.GetXdbcTypeInfo(ctx, &code))
}

// Who may not read a dataset does not see it, nor select from it.
func TestSQLPermissions(t *testing.T) {
	r, _ := startSQL(t, Options{Authorizer: sqlOnly("nested")})
	c := r.sqlClient(t)
	info, err := c.GetTables(t.Context(), &flightsql.GetTablesOpts{})
	if s := fetchSQL(t, c, info, err); s.err != nil || s.rows() != 1 || s.recs[0].Column(2).ValueStr(0) != "nested" {
		t.Error(s.err, s.recs)
	}
	if _, err := c.Execute(t.Context(), "select * from events"); code(err) != codes.PermissionDenied {
		t.Error(err)
	}
	if _, err := c.Prepare(t.Context(), "select * from events"); code(err) != codes.PermissionDenied {
		t.Error(err)
	}
	b, err := sql.Pack(&pb.TicketStatementQuery{StatementHandle: []byte(`{"of":{"dataset":"events"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	if s := fetchSQL(t, c, &flight.FlightInfo{Endpoint: []*flight.FlightEndpoint{{Ticket: &flight.Ticket{Ticket: b}}}}, nil); code(s.err) != codes.PermissionDenied {
		t.Error(s.err)
	}
}

// sqlOnly lets everybody read one dataset.
type sqlOnly string

func (sqlOnly) Authenticate(context.Context, *Call) (Client, error) { return Client{}, nil }

func (o sqlOnly) Authorize(_ context.Context, _ *Call, p Permission, dataset string) error {
	if p == PermitRead && dataset == string(o) {
		return nil
	}
	return fmt.Errorf("%s is not yours", dataset)
}

// A SELECT is ended by its FlightInfo, in the old way and the new.
func TestSQLCancel(t *testing.T) {
	r, _ := startSQL(t, Options{})
	c := r.sqlClient(t)
	info, err := c.Execute(t.Context(), "select id as a from events where x < 0.5 limit 10")
	if err != nil {
		t.Fatal(err)
	}
	id, err := (&service{Server: r.Server}).queryOf(info.Endpoint[0].Ticket.Ticket)
	if err != nil || id == "" {
		t.Fatal(id, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	running := &Call{ID: "of-the-test", cancel: cancel}
	running.query.Store(&id)
	r.calls.add(running)
	defer r.calls.remove(running)
	//nolint:staticcheck // the old way
	res, err := c.CancelQuery(t.Context(), info)
	if err != nil || res != flightsql.CancelResultCancelled || ctx.Err() == nil {
		t.Error(res, err, ctx.Err())
	}
	if got, err := c.CancelFlightInfo(t.Context(), &flight.CancelFlightInfoRequest{Info: info}); err != nil || got.Status != flight.CancelStatusCancelled {
		t.Error(got.Status, err)
	}
	r.calls.remove(running)
	rows, err := c.DoGet(t.Context(), info.Endpoint[0].Ticket)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	for rows.Next() {
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	settled(t, "the stream does not end", func() bool { return len(r.Calls()) == 0 })
	//nolint:staticcheck // the old way
	if res, err := c.CancelQuery(t.Context(), info); err != nil || res != flightsql.CancelResultNotCancellable {
		t.Error(res, err)
	}
	if got, err := c.CancelFlightInfo(t.Context(), &flight.CancelFlightInfoRequest{Info: info}); err != nil || got.Status != flight.CancelStatusNotCancellable {
		t.Error(got.Status, err)
	}
}

func TestForeignMessages(t *testing.T) {
	r, _ := startSQL(t, Options{})
	c := r.client(t)
	for _, m := range []proto.Message{&pb.CommandStatementSubstraitPlan{}, &pb.CommandStatementUpdate{Query: "x"}, &pb.TicketStatementQuery{}} {
		b, err := sql.Pack(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.GetFlightInfo(t.Context(), cmdOf("%s", b)); code(err) != codes.Unimplemented && code(err) != codes.InvalidArgument {
			t.Error(m, err)
		}
		if s := get(t.Context(), t, c, b); code(s.err) != codes.Unimplemented && code(s.err) != codes.InvalidArgument {
			t.Error(m, s.err)
		}
	}
	if sql.Owns([]byte("\n{\"dataset\":\"arrow.flight.protocol.sql.x\"}")) {
		t.Error("JSON is taken for Flight SQL")
	}
}

// The case of a name in quotes counts; a name without them is found in any case. One column may be named in several ways.
func TestSQLQuotedNames(t *testing.T) {
	t.Parallel()
	r, _ := startSQL(t, Options{})
	c := r.sqlClient(t)
	run := func(text string) *stream {
		info, err := c.Execute(t.Context(), text)
		return fetchSQL(t, c, info, err)
	}
	for _, text := range []string{
		`SELECT "ID" FROM nested`, "SELECT nested.`ID` FROM nested", `SELECT p."X" FROM nested`, `SELECT id FROM nested WHERE "ID" > 1`, `SELECT id FROM nested WHERE p."X" = 1`,
		`SELECT id FROM nested WHERE "Id" IN (1)`, `SELECT id FROM nested WHERE "Id" IS NULL`, `SELECT id FROM nested WHERE "Id" < "id"`,
	} {
		if got := run(text); code(got.err) != codes.InvalidArgument {
			t.Errorf("%s: %d rows, %v", text, got.rows(), got.err)
		}
	}
	for text, want := range map[string]string{
		`SELECT "id", ID, id FROM nested WHERE "id" > 3 AND ID < 6`:             "id ID id",
		`SELECT ID, "id" FROM nested LIMIT 2`:                                   "ID id",
		`SELECT P.X, "p"."x", nested."p".X a FROM nested WHERE "p".X IN (1, 4)`: "X x a",
	} {
		got := run(text)
		if got.err != nil || got.rows() != 2 {
			t.Errorf("%s: %d rows, %v", text, got.rows(), got.err)
			continue
		}
		var names []string
		for _, f := range got.schema.Fields() {
			names = append(names, f.Name)
		}
		if strings.Join(names, " ") != want || !array.Equal(got.recs[0].Column(0), got.recs[0].Column(1)) {
			t.Errorf("%s: %v, %v", text, names, got.recs)
		}
	}
}
