//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// writing serves two datasets to read and a directory for others, and returns a client and the directory.
func writing(t *testing.T, args ...string) (*flightsql.Client, string) {
	t.Helper()
	dir, _ := queryFiles(t, 40000)
	place := t.TempDir()
	args = append([]string{"--writable", "w*=" + place, "orders=" + filepath.Join(dir, "orders.orc"), "customers=" + filepath.Join(dir, "customers.trv")}, args...)
	return sqlClient(t, sqlServing(t, args...)), place
}

// hidden lists what a put has left in a directory that is no file of a dataset.
func hidden(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), ".") && path != dir {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Statements write what they select, as updates and as queries, and say how many rows that were.
func TestSQLWrites(t *testing.T) {
	c, place := writing(t)
	update := func(sql string, want int64) {
		t.Helper()
		if n, err := c.ExecuteUpdate(t.Context(), sql); err != nil || n != want {
			t.Errorf("%s: %d rows, %v", sql, n, err)
		}
	}
	query := func(sql, want string) {
		t.Helper()
		if got, err := askServed(t, c, sql); err != nil || got != want {
			t.Errorf("%s: %v\n%swant\n%s", sql, err, got, want)
		}
	}
	update("CREATE TABLE w AS SELECT id, customer % 2 = 0 AS even, name FROM orders JOIN customers USING (customer) WHERE customer < 3", 17144)
	query("select count(*), count(distinct name), max(id) from w", "17144|3|39999\n")
	update("create table if not exists w as select 1 as other", 0)
	query("select count(*) from (describe w)", "3\n")
	update("insert into W (name, id) values ('x', -1), (null, -2);", 2)
	query("select id, even, name from w where id < 0 order by id", "-2|(null)|(null)\n-1|(null)|x\n")
	update("insert into arrowio.main.w by name select 'z' as Name, 7::tinyint as id -- three", 1)
	update("with one as (select 5) insert into w select *, false, '6' from one", 1)
	query("select count(*), count(name) from w", "17148|17147\n")
	// A table can be made of itself, and keeps its name while it is read.
	update(`create or replace table "w" as from w where id >= 10 or id < 0`, 17140)
	query("select min(id), count(*) from w", "-2|17140\n")
	update("create table w_orc with (format = 'ORC', compression = 'zstd') as select * from range(3) with no data", 0)
	update("insert into w_orc from range(3)", 3)
	update("create table w_typed (id int, seen timestamptz, price decimal(9, 2))", 0)
	update("insert into w_typed values (1, '2020-01-01 00:00:00+01', 2.5)", 1)
	query("select id, seen, price from w_typed order by id", "1|2019-12-31 23:00:00Z|2.5\n")
	query("select count(*) from w_orc where range > 0", "2\n")
	// As a query a statement is done once, whoever reads its result, and how often.
	info, err := c.Execute(t.Context(), "insert into w_orc values (8), ('9')")
	for range 2 {
		if got, err := sqlRows(t.Context(), c, info, err); err != nil || got != "2\n" {
			t.Error(got, err)
		}
	}
	query("select count(*), max(range) from w_orc", "5|9\n")
	files, err := filepath.Glob(filepath.Join(place, "w_orc", "*.orc"))
	if err != nil || len(files) != 3 {
		t.Error(files, err)
	}
	if left := hidden(t, place); len(left) > 0 {
		t.Error(left)
	}
}

// What a prepared statement writes for several rows of values is one file.
func TestSQLWritesPrepared(t *testing.T) {
	c, place := writing(t)
	if _, err := c.ExecuteUpdate(t.Context(), "create table w as select 1 as id, 'a' as name, date '2024-01-01' as day limit 0"); err != nil {
		t.Fatal(err)
	}
	fields := []arrow.Field{{Name: "0", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "1", Type: arrow.BinaryTypes.String, Nullable: true}}
	var rows []string
	for i := range 3000 {
		rows = append(rows, fmt.Sprintf(`{"0": %d, "1": "n%d"}`, i, i))
	}
	do := func(sql, values string, want int64) {
		t.Helper()
		st, err := c.Prepare(t.Context(), sql)
		if err != nil {
			t.Fatal(sql, err)
		}
		defer st.Close(t.Context())
		if st.DatasetSchema().NumFields() != 0 {
			t.Error(sql, st.DatasetSchema())
		}
		if values != "" {
			rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(fields, nil), strings.NewReader(values))
			if err != nil {
				t.Fatal(err)
			}
			defer rec.Release()
			st.SetParameters(rec)
		}
		if n, err := st.ExecuteUpdate(t.Context()); err != nil || n != want {
			t.Errorf("%s: %d, %v", sql, n, err)
		}
	}
	do("insert into w values (?, upper(?), '2024-02-29')", "["+strings.Join(rows, ",")+"]", 3000)
	do("insert into w (id, name) select customer + ?, ? || name from customers", `[{"0": 10000, "1": "a"}, {"0": 20000, "1": "b"}]`, 10)
	do("insert into w (name) values ('plain')", "", 1)
	got, err := askServed(t, c, "select count(*), sum(id), count(distinct name), min(day)::varchar from w")
	if err != nil || got != fmt.Sprintf("3011|%d|3011|2024-02-29\n", 3000*2999/2+150_000+20) {
		t.Error(got, err)
	}
	files, err := filepath.Glob(filepath.Join(place, "w", "*"))
	if err != nil || len(files) != 4 {
		t.Error(files, err)
	}
	// Without values nothing is written.
	st, err := c.Prepare(t.Context(), "insert into w (id) values (?)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.ExecuteUpdate(t.Context()); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "no value is bound") {
		t.Error(err)
	}
}

// Every type that DuckDB gives, and types of datasets that it has not, take rows.
func TestSQLWritesTypes(t *testing.T) {
	c, _ := writing(t)
	const all = `select true as a, 1::tinyint as b, 2::smallint as c, 3::integer as d, 4::bigint as e, 5::utinyint as f, 6::usmallint as g, 7::uinteger as h,
		8::ubigint as i, 9::float as j, 10::double as k, 1.25::decimal(9,2) as l, 123::decimal(38,0) as m, 'é' as n, '\x00\xFF'::blob as o, date '2024-02-29' as p,
		time '01:02:03.5' as q, timestamp '2024-02-29 01:02:03.000001' as r, timestamp_s '2024-02-29 01:02:03' as s, timestamp_ms '2024-02-29 01:02:03.001' as t,
		timestamp_ns '2024-02-29 01:02:03.000000001' as u, timestamptz '2024-02-29 01:02:03+00' as v, [1, null] as w, {'x': 1, 'y': ['z']} as x, map(['k'], [1]) as y,
		interval 3 months as z, null as aa, [1, 2]::integer[2] as ab`
	if n, err := c.ExecuteUpdate(t.Context(), "create table w as "+all); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	for _, sql := range []string{"insert into w " + all, "insert into w from w", "insert into w by name from w limit 1"} {
		if _, err := c.ExecuteUpdate(t.Context(), sql); err != nil {
			t.Error(sql, err)
		}
	}
	want, err := askServed(t, c, "from ("+all+") order by all")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := askServed(t, c, "select * from w order by all"); err != nil || got != strings.Repeat(want, 5) {
		t.Errorf("%v\n%swant\n%s", err, got, want)
	}
}

// What cannot be written is refused with what to do, and leaves nothing.
func TestSQLWritesRefused(t *testing.T) {
	c, place := writing(t)
	if _, err := c.ExecuteUpdate(t.Context(), "create table w as select 1 as id, 'a' as name, date '2024-01-01' as day"); err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]struct {
		code codes.Code
		text string
	}{
		"update w set id = 1": {codes.InvalidArgument, "CREATE OR REPLACE TABLE"},
		"delete from w":       {codes.InvalidArgument, "CREATE OR REPLACE TABLE"},
		"truncate w":          {codes.InvalidArgument, "CREATE OR REPLACE TABLE"},
		"merge into w using w as x on false when matched then delete": {codes.InvalidArgument, "CREATE OR REPLACE TABLE"},
		"drop table w":                                                                            {codes.InvalidArgument, "DROP is refused"},
		"alter table w rename to w2":                                                              {codes.InvalidArgument, "ALTER is refused"},
		"create temp table x as select 1":                                                         {codes.InvalidArgument, "needs a session"},
		"create or replace temporary table w as select 1":                                         {codes.InvalidArgument, "needs a session"},
		"create view w2 as select 1":                                                              {codes.InvalidArgument, "[views]"},
		"create schema w2":                                                                        {codes.InvalidArgument, "CREATE SCHEMA is refused"},
		"create table w2 (id integer not null, name varchar)":                                     {codes.InvalidArgument, "NOT behind the type"},
		"create table w2 (id integer, ID varchar)":                                                {codes.InvalidArgument, "two columns are called"},
		"create table w2 (id nothing)":                                                            {codes.InvalidArgument, "nothing"},
		"create table w2 (id int) from read_csv('/etc/passwd')":                                   {codes.InvalidArgument, "the end of the statement"},
		"create table w2 (id int), (select 1 from read_csv('/etc/passwd'))":                       {codes.InvalidArgument, "the end of the statement"},
		"create or replace table if not exists w as select 1":                                     {codes.InvalidArgument, "exclude each other"},
		"create table w2":                                                                         {codes.InvalidArgument, "AS, with a SELECT"},
		"create table w2 as":                                                                      {codes.InvalidArgument, "SELECT"},
		"create table w2 as selec 1":                                                              {codes.InvalidArgument, "selec"},
		"create table w2 as select 1 as a, 2 as A":                                                {codes.InvalidArgument, "two columns are called"},
		"create table w2 (a, b) as select 1":                                                      {codes.InvalidArgument, "2 names of columns"},
		"create table w2 with (format = 'doc') as select 1":                                       {codes.InvalidArgument, "doc"},
		"create table w2 with (path = '/tmp/x') as select 1":                                      {codes.InvalidArgument, "format, compression and losses"},
		"create table w2 as select 1; create table w3 as select 1":                                {codes.InvalidArgument, "2 statements"},
		"create table w2 as select 1) as q; copy (select 1) to '/tmp/x' --":                       {codes.InvalidArgument, "sql:"},
		"create table w2 as copy (select 1) to '/tmp/x'":                                          {codes.InvalidArgument, "sql:"},
		"create table w as select 1":                                                              {codes.AlreadyExists, "replace"},
		"create table arrowio.other.w2 as select 1":                                               {codes.NotFound, "arrowio.main"},
		"create table x as select 1":                                                              {codes.PermissionDenied, "may not write"},
		"create or replace table orders as select 1":                                              {codes.PermissionDenied, "may not write"},
		"create table \"w/../../x\" as select 1":                                                  {codes.InvalidArgument, "cannot be the name"},
		"create table \"w.\" as select cast(range as int8) / 0 from range(3) where error('stop')": {codes.InvalidArgument, "stop"},
		"insert into w2 select 1":                                                                 {codes.NotFound, "append"},
		"insert into orders select 1, 2, 3, 'x'":                                                  {codes.PermissionDenied, "may not write"},
		"insert into w select 1":                                                                  {codes.InvalidArgument, "3 columns are inserted into, and the SELECT has 1"},
		"insert into w (id) select 1, 2":                                                          {codes.InvalidArgument, "1 columns are inserted into"},
		"insert into w (nope) select 1":                                                           {codes.InvalidArgument, "no column \"nope\""},
		"insert into w (id, ID) select 1, 2":                                                      {codes.InvalidArgument, "two values"},
		"insert into w by name select 1 as nope":                                                  {codes.InvalidArgument, "no column \"nope\""},
		"insert into w values ('x', 'y', null)":                                                   {codes.InvalidArgument, "'x'"},
		"insert into w select 3000000000, 'x', null":                                              {codes.InvalidArgument, "out of range"},
		"insert into w default values":                                                            {codes.InvalidArgument, "DEFAULT VALUES"},
		"insert or replace into w select 1":                                                       {codes.InvalidArgument, "INSERT OR REPLACE"},
		"insert into w values (1, 'x', null) returning id":                                        {codes.InvalidArgument, "RETURNING"},
		"insert into w values (1, 'x', null) on conflict do nothing":                              {codes.InvalidArgument, "ON CONFLICT"},
		"insert into w select * from nothing":                                                     {codes.NotFound, "nothing"},
		"insert into w select * from read_csv('/etc/passwd')":                                     {codes.InvalidArgument, "read_csv"},
		"select 1": {codes.InvalidArgument, "an update is CREATE TABLE"},
	} {
		n, err := c.ExecuteUpdate(t.Context(), sql)
		if status.Code(err) != want.code || !strings.Contains(err.Error(), want.text) {
			t.Errorf("%s: %d, %v", sql, n, err)
		}
		if sql == "select 1" {
			continue
		}
		if got, err := askServed(t, c, sql); status.Code(err) != want.code {
			t.Errorf("%s: %s, %v", sql, got, err)
		}
	}
	if left := hidden(t, place); len(left) > 0 {
		t.Error(left)
	}
	if got, err := askServed(t, c, "select count(*) from w"); err != nil || got != "1\n" {
		t.Error(got, err)
	}
	if made, err := os.ReadDir(place); err != nil || len(made) != 1 {
		t.Error(made, err)
	}
}

// A statement writes what its client may put of what it may read, with the rows and columns of it that it may read.
func TestSQLWritesPermissions(t *testing.T) {
	dir, _ := queryFiles(t, 700)
	place, tokens := t.TempDir(), filepath.Join(t.TempDir(), "tokens")
	as := map[string]context.Context{}
	for _, name := range []string{"alice", "bob", "carol"} {
		code, secret, errs := said(t, "", "token", "add", "--file", tokens, name)
		if code != 0 {
			t.Fatal(errs)
		}
		as[name] = metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+strings.TrimSpace(secret))
	}
	config := filepath.Join(t.TempDir(), "serve.toml")
	err := os.WriteFile(config, []byte(`
permit = ["alice:read=*", "alice:write=*", "bob:read=orders,w-bob,w-part,few", "bob:write=w-bob,w-part,w-in,few", "carol:write=w-in"]
[views]
few = "SELECT id, customer FROM orders WHERE id < 100"
[[restrict]]
clients = "bob"
datasets = "orders"
columns = ["id", "customer"]
where = "customer = 3"
[[restrict]]
clients = "bob"
datasets = "w-part"
where = "id < 10"
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	c := sqlClient(t, sqlServing(t, "--config", config, "--tokens", tokens, "--writable", "w-*="+place,
		"orders="+filepath.Join(dir, "orders.orc"), "customers="+filepath.Join(dir, "customers.trv")))
	update := func(who, sql string) (int64, error) { return c.ExecuteUpdate(as[who], sql) }
	done := func(who, sql string, want int64) {
		t.Helper()
		if n, err := update(who, sql); err != nil || n != want {
			t.Errorf("%s: %s: %d, %v", who, sql, n, err)
		}
	}
	refused := func(who, sql string, code codes.Code, not string) {
		t.Helper()
		if n, err := update(who, sql); status.Code(err) != code || not != "" && strings.Contains(err.Error(), not) {
			t.Errorf("%s: %s: %d, %v", who, sql, n, err)
		}
		info, err := c.Execute(as[who], sql)
		if got, err := sqlRows(as[who], c, info, err); status.Code(err) != code {
			t.Errorf("%s: %s: %s, %v", who, sql, got, err)
		}
	}
	// Rows and columns hold below what is written, through a view, too.
	done("bob", `create table "w-bob" as select * from orders`, 100)
	done("bob", `insert into "w-bob" select * from few`, 14)
	done("alice", `create table "w-in" as select id, customer, amount from orders`, 700)
	done("bob", `insert into "w-in" (id) select id from "w-bob"`, 114)
	refused("bob", `insert into "w-bob" select id, amount from orders`, codes.InvalidArgument, "")
	refused("bob", `create or replace table "w-bob" as select * from customers`, codes.PermissionDenied, "")
	refused("bob", `insert into "w-bob" select id, customer from "w-in"`, codes.PermissionDenied, "")
	refused("bob", `create table "w-new" as select 1`, codes.PermissionDenied, "")
	refused("bob", `create table few as select 1`, codes.AlreadyExists, "")
	refused("bob", `create table if not exists few as select 1`, codes.AlreadyExists, "")
	// Who may read a part may not put: it would replace what it does not see.
	done("alice", `create table "w-part" as select id from orders`, 700)
	refused("bob", `insert into "w-part" select 1`, codes.PermissionDenied, "")
	refused("bob", `create or replace table "w-part" as select * from "w-part"`, codes.PermissionDenied, "")
	// Who may write and not read is told nothing of columns, types and rows.
	done("carol", `insert into "w-in" select 1, 2, 3`, 1)
	refused("carol", `insert into "w-in" select 1, 2`, codes.InvalidArgument, "3")
	refused("carol", `insert into "w-in" (nope) select 1`, codes.InvalidArgument, "nope")
	refused("carol", `insert into "w-in" (id) select 'x'`, codes.InvalidArgument, "INT")
	refused("carol", `insert into "w-in" select * from "w-in"`, codes.PermissionDenied, "")
	refused("carol", `insert into "w-in" select * from few`, codes.PermissionDenied, "")
	refused("carol", `insert into "w-in" selec 1`, codes.InvalidArgument, "fit")
	refused("carol", `insert into "w-in" select * from orders`, codes.PermissionDenied, "")
	refused("carol", `create table "w-bob" as select 1`, codes.PermissionDenied, "exists")
	refused("carol", `create table if not exists "w-bob" as select 1`, codes.PermissionDenied, "exists")
	// A ticket of what was written is a number; one that says otherwise is no ticket.
	info, err := c.Execute(as["alice"], `insert into "w-in" (id) values (5)`)
	for _, who := range []string{"alice", "alice", "bob"} {
		if got, err := sqlRows(as[who], c, info, err); err != nil || got != "1\n" {
			t.Error(who, got, err)
		}
	}
	info, err = c.Execute(as["alice"], `select count(*), count(amount) from "w-in" order by all`)
	if got, err := sqlRows(as["alice"], c, info, err); err != nil || got != "816|701\n" {
		t.Error(got, err)
	}
}

// Of two statements that write one dataset at a time one is told to try again, and readers see rows of whole statements alone.
func TestSQLWritesTogether(t *testing.T) {
	c, _ := writing(t, "--sql-queries", "8", "--sql-client-queries", "8")
	if _, err := c.ExecuteUpdate(t.Context(), "create table w as select range as id from range(1000)"); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	added := 0
	for range 4 {
		all.Go(func() {
			for range 5 {
				switch _, err := c.ExecuteUpdate(t.Context(), "insert into w from range(1000)"); status.Code(err) {
				case codes.OK:
					mu.Lock()
					added++
					mu.Unlock()
				case codes.Aborted:
				default:
					t.Error(err)
				}
				info, err := c.Execute(t.Context(), "select count(*) % 1000 from w order by 1")
				if got, err := sqlRows(t.Context(), c, info, err); err != nil && status.Code(err) != codes.FailedPrecondition || err == nil && got != "0\n" {
					t.Error(got, err)
				}
			}
		})
	}
	all.Wait()
	if got, err := askServed(t, c, "select count(*) from w"); err != nil || got != fmt.Sprintf("%d\n", 1000*(added+1)) || added == 0 {
		t.Error(got, added, err)
	}
}

// A statement that is cancelled leaves nothing.
func TestSQLWritesCancelled(t *testing.T) {
	c, place := writing(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if n, err := c.ExecuteUpdate(ctx, "create table w as select a.range as x, repeat('x', 1000) as y from range(1000000000) a"); status.Code(err) != codes.DeadlineExceeded {
		t.Error(n, err)
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		made, err := os.ReadDir(place)
		if err != nil {
			t.Fatal(err)
		}
		if len(made) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("what was begun is there still:", made)
		}
	}
}

// Rows of SQL become what a dataset has that DuckDB has not: dictionaries, time zones, columns without null.
func TestSQLWritesForeignTypes(t *testing.T) {
	c, _ := writing(t)
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "tag", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, Nullable: true},
		{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "Europe/Berlin"}, Nullable: true},
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "long", Type: arrow.BinaryTypes.LargeString, Nullable: true},
	}, nil)
	putRows(t, c, "w", schema, `[{"tag": "a", "at": "2024-02-29 01:02:03", "id": 1, "long": "x"}]`)
	for sql, want := range map[string]string{
		"insert into w select (range % 100)::varchar, timestamptz '2024-02-29 01:02:03.004Z', range, null from range(200000)": "",
		"insert into w select null, null, 7, 'y'":                            "",
		"insert into w (id, \"at\") values (1, '2024-02-29 01:02:03.0004Z')": "does not fit",
		"insert into w (id) values (null)":                                   "never null",
	} {
		if _, err := c.ExecuteUpdate(t.Context(), sql); want == "" && err != nil || want != "" && (status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if got, err := askServed(t, c, "select count(*), count(distinct tag), max(w.at)::varchar, count(long), sum(id) from w"); err != nil || got != "200002|101|2024-02-29 01:02:03.004+00|2|19999900008\n" {
		t.Error(got, err)
	}
	info, err := c.Client.GetFlightInfo(t.Context(), &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"w"}})
	if err != nil {
		t.Fatal(err)
	}
	if now, err := flight.DeserializeSchema(info.Schema, memory.DefaultAllocator); err != nil || !now.Equal(schema) {
		t.Error("the columns have changed:", now, err)
	}
}

// putRows puts rows as a dataset.
func putRows(t *testing.T, c *flightsql.Client, name string, schema *arrow.Schema, rows string) {
	t.Helper()
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	st, err := c.Client.DoPut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := flight.NewRecordWriter(st, ipc.WithSchema(schema))
	w.SetFlightDescriptor(&flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{name}})
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	_ = st.CloseSend()
	if _, err := st.Recv(); err != nil {
		t.Fatal(err)
	}
}

// A new dataset whose format makes values ones of another kind is refused, as SQL has no place to report it, unless that is accepted.
func TestSQLWritesLosses(t *testing.T) {
	c, place := writing(t)
	for sql, want := range map[string]string{
		"create table w with (format = 'orc') as select 1 as id, time '01:02:03' as at":                           `column "at": in orc a value of type time64[us] comes back as int64`,
		"create or replace table w with (format = 'orc') as select [time '01:02:03'] as at":                       `column "at.item": in orc`,
		"create table w (at time, id int) with (format = 'cfile')":                                                `column "at": in cfile`,
		"create table w with (format = 'csv') as select 1.5::decimal(9, 2) as price":                              `column "price": in csv`,
		"create table w with (format = 'csv') as select '007' as code":                                            "comes back as what it reads like",
		"create table w with (format = 'jsonl') as select date '2024-01-01' as day":                               `column "day": in jsonl`,
		"create table w with (format = 'jsonl') as select {'a': 1, 'b': [date '2024-01-01']} as s":                `column "s": in jsonl`,
		"create table w with (format = 'orc', losses = 'refuse') as select timestamp '2024-01-01 10:00:00' as at": "not all would be read back",
		"create table w with (format = 'orc', losses = 'any') as select 1 as id":                                  `losses "any" is not one of report, refuse`,
	} {
		if _, err := c.ExecuteUpdate(t.Context(), sql); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if left, err := os.ReadDir(place); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
	for i, sql := range []string{
		"(format = 'orc') as select true as a, 1::utinyint as b, 1.5 as c, timestamp '2024-01-01 10:00:00' as d, timestamptz '2024-01-01 10:00:00+00' as e, [1, 2] as f, {'x': 1} as g, 'a' as h, '\\xFF'::blob as i",
		"(format = 'trevni') as select 1::tinyint as a, time '01:02:03' as b, map(['k'], [1]) as c, [1, 2]::integer[2] as d",
		"(format = 'parquet') as select time '01:02:03' as a, timestamp_s '2024-01-01 10:00:00' as b, 'x'::enum('x', 'y') as c",
		"(format = 'csv') as select 1 as a, 1.5::double as b, date '2024-01-01' as c, timestamp '2024-01-01 10:00:00' as d, true as e",
		"(format = 'jsonl') as select 1 as a, '007' as b, [1] as c",
		"(format = 'orc', losses = 'report') as select time '01:02:03' as a",
		"(format = 'csv', losses = 'Report') as select '007' as code",
	} {
		sql = fmt.Sprintf("create table w%d with %s", i, sql)
		if n, err := c.ExecuteUpdate(t.Context(), sql); err != nil || n != 1 {
			t.Errorf("%s: %d, %v", sql, n, err)
		}
	}
	if got, err := askServed(t, c, "select b from w4 where b = '007'"); err != nil || got != "007\n" {
		t.Error(got, err)
	}
}
