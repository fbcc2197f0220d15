//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

// cookieClient is a client that keeps cookies, and has called once, as drivers do when they connect.
func cookieClient(t *testing.T, addr string) *flightsql.Client {
	t.Helper()
	c, err := flightsql.NewClient(addr, nil, []flight.ClientMiddleware{flight.NewClientCookieMiddleware()}, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := c.GetSqlInfo(t.Context(), []flightsql.SqlInfo{flightsql.SqlInfoFlightSqlServerTransaction}); err != nil {
		t.Fatal(err)
	}
	return c
}

// script asks statements, each with what comes of it behind ";"; ! begins a part of an error's text.
func script(t *testing.T, c *flightsql.Client, lines ...string) {
	t.Helper()
	for _, line := range lines {
		i := strings.LastIndex(line, "; ")
		sql, want := line[:i], line[i+2:]
		got, err := askServed(t, c, sql)
		got = strings.ReplaceAll(strings.TrimSpace(got), "\n", " ")
		text, fails := strings.CutPrefix(want, "!")
		switch {
		case fails && (err == nil || !strings.Contains(err.Error(), text)):
			t.Errorf("%s: %q, %v; want an error with %q", sql, got, err, text)
		case !fails && (err != nil || got != want):
			t.Errorf("%s: %q, %v; want %q", sql, got, err, want)
		}
	}
}

func TestQuerySession(t *testing.T) {
	dir, _ := queryFiles(t, 1000)
	addr := sqlServing(t, "--writable", "w*="+t.TempDir(), "orders="+filepath.Join(dir, "orders.orc"), "customers="+filepath.Join(dir, "customers.trv"))
	c := cookieClient(t, addr)
	script(t, c,
		"select count(*) from customers; 5",
		"create temp table few as select * from customers where customer < 2; 2",
		"select name from few order by 1; n0 n1",
		"select count(*) from orders join few using (customer) where id < 7; 2",
		"insert into few values (9, 'x'); 1",
		"update few set name = 'y' where customer = 9; 1",
		"select name from few where customer = 9; y",
		"prepare p as select name from customers where customer = ?; 0",
		"execute p(3); n3",
		"set timezone = 'Europe/Berlin'; 0",
		"select timestamptz '2020-07-01 00:00:00Z'::varchar; 2020-07-01 02:00:00+02",
		"begin; 0",
		"delete from few; 3",
		"create table w1 as select * from few; !transaction",
		"rollback; 0",
		"create table w1 as select name from few; 3",
		"select count(*) from w1; 3",
		"insert into w1 select 'z'; 1",
		"insert into customers select * from few; !",
		"select count(*) from customers; 5",
	)
	n, err := c.ExecuteUpdate(t.Context(), "delete from few where customer = 9")
	if err != nil || n != 1 {
		t.Error(n, err)
	}
	other := cookieClient(t, addr)
	script(t, other, "select * from few; !few", "execute p(3); !no prepared statement", "select timestamptz '2020-07-01 00:00:00Z'::varchar; 2020-07-01 00:00:00+00")
	script(t, sqlClient(t, addr), "create temp table t (a int); !keep cookies", "set timezone = 'UTC'; !keep cookies", "select * from few; !few")

	// A prepared statement of Flight SQL, with values.
	st, err := c.Prepare(t.Context(), "insert into few values (?, ?)")
	if err != nil {
		t.Fatal(err)
	}
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, st.ParameterSchema(), strings.NewReader(`[{"1": 4, "2": "p"}, {"1": 5, "2": "q"}]`))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	st.SetParameters(rec)
	if n, err := st.ExecuteUpdate(t.Context()); err != nil || n != 2 {
		t.Error(n, err)
	}
	if rec, _, err = array.RecordFromJSON(memory.DefaultAllocator, st.ParameterSchema(), strings.NewReader(`[{"1": 4, "2": "p"}, {"1": null, "2": "q"}]`)); err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	script(t, c, "alter table few alter column customer set not null; 0")
	st.SetParameters(rec)
	if n, err := st.ExecuteUpdate(t.Context()); err == nil {
		t.Error("a null is inserted:", n)
	}
	script(t, c, "select count(*) from few; 4", "select table_catalog, table_type from information_schema.tables where table_name = 'few'; temp|LOCAL TEMPORARY")
}

// Settings are options of a session, too.
func TestQuerySessionOptions(t *testing.T) {
	addr := sqlServing(t, "orders="+filepath.Join(func() string { dir, _ := queryFiles(t, 10); return dir }(), "orders.orc"))
	c := sqlClient(t, addr)
	act := func(ctx context.Context, name string, body []byte) (string, string) {
		t.Helper()
		stream, err := c.Client.DoAction(ctx, &flight.Action{Type: name, Body: body})
		if err != nil {
			t.Fatal(err)
		}
		header, err := stream.Header()
		if err != nil {
			t.Fatal(err)
		}
		r, err := stream.Recv()
		if err != nil {
			t.Fatal(name, err)
		}
		return string(r.Body), strings.Join(header.Get("set-cookie"), " ")
	}
	option := func(name, value string) []byte {
		entry := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name)
		inner := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), value)
		entry = protowire.AppendBytes(protowire.AppendTag(entry, 2, protowire.BytesType), inner)
		return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), entry)
	}
	if got, cookie := act(t.Context(), "SetSessionOptions", option("threads", "8")); !strings.Contains(got, "threads") || strings.Contains(cookie, "id=0") {
		t.Errorf("%q, %q", got, cookie)
	}
	got, cookie := act(t.Context(), "SetSessionOptions", option("TimeZone", "Asia/Tokyo"))
	if got != "" || !strings.HasPrefix(cookie, "arrow_flight_session_id=") || strings.Contains(cookie, "new-") {
		t.Fatalf("%q, %q", got, cookie)
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "cookie", cookie)
	if got, _ := act(ctx, "SetSessionOptions", option("TimeZone", "Nowhere/City")); !strings.Contains(got, "TimeZone") {
		t.Errorf("%q", got)
	}
	if got, _ := act(ctx, "GetSessionOptions", nil); !strings.Contains(got, "Asia/Tokyo") || !strings.Contains(got, "catalog") {
		t.Errorf("%q", got)
	}
	info, err := c.Execute(ctx, "select timestamptz '2020-07-01 00:00:00Z'::varchar")
	if got, err := sqlRows(ctx, c, info, err); got != "2020-07-01 09:00:00+09\n" || err != nil {
		t.Error(got, err)
	}
}

// A session that has ended, or is another client's, is told, and not taken for one that is empty.
func TestQuerySessionEnds(t *testing.T) {
	dir, _ := queryFiles(t, 10)
	tokens := filepath.Join(t.TempDir(), "tokens")
	secrets := map[string]string{}
	for _, name := range []string{"one", "two"} {
		code, secret, errs := said(t, "", "token", "add", "--file", tokens, name)
		if code != 0 {
			t.Fatal(errs)
		}
		secrets[name] = strings.TrimSpace(secret)
	}
	addr := sqlServing(t, "--tokens", tokens, "--permit", "one:read=*", "--permit", "two:read=*", "--sql-sessions", "3", "--sql-client-sessions", "2", "--sql-session-idle", "1s", "customers="+filepath.Join(dir, "customers.trv"))
	c := sqlClient(t, addr)
	say := func(token, cookie, sql string) (string, string, error) {
		t.Helper()
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secrets[token])
		if cookie != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "cookie", "other=1; arrow_flight_session_id="+cookie)
		}
		var header metadata.MD
		info, err := c.Execute(ctx, sql, grpc.Header(&header))
		got, err := sqlRows(ctx, c, info, err)
		set := ""
		if v := header.Get("set-cookie"); len(v) > 0 {
			_, set, _ = strings.Cut(v[0], "=")
		}
		return got, set, err
	}
	begin := func(token string) (string, error) {
		t.Helper()
		_, offer, err := say(token, "", "select 1")
		if err != nil || !strings.HasPrefix(offer, "new-") {
			t.Fatal(offer, err)
		}
		_, id, err := say(token, offer, "create temp table t as select 1 as a")
		return id, err
	}
	one, err := begin("one")
	if err != nil {
		t.Fatal(err)
	}
	if got, set, err := say("one", one, "from t"); got != "1\n" || set != "" || err != nil {
		t.Error(got, set, err)
	}
	for _, cookie := range []string{one, "new-" + one} {
		if got, _, err := say("two", cookie, "from t"); status.Code(err) != codes.PermissionDenied {
			t.Errorf("another client, %s: %s, %v", cookie, got, err)
		}
		if got, _, err := say("two", cookie, "set timezone = 'UTC'"); status.Code(err) != codes.PermissionDenied {
			t.Errorf("another client, %s: %s, %v", cookie, got, err)
		}
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secrets["one"], "cookie", "arrow_flight_session_id="+one)
	info, err := c.Execute(ctx, "from t")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := sqlRows(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secrets["two"]), c, info, nil); status.Code(err) != codes.PermissionDenied {
		t.Error("another client redeems the ticket:", got, err)
	}
	if got, err := sqlRows(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secrets["one"]), c, info, nil); got != "1\n" || err != nil {
		t.Error("its own client redeems the ticket:", got, err)
	}

	if _, err := begin("one"); err != nil {
		t.Error(err)
	}
	if _, err := begin("one"); status.Code(err) != codes.ResourceExhausted {
		t.Error("a third session of one client:", err)
	}
	if _, err := begin("two"); err != nil {
		t.Error(err)
	}
	if _, err := begin("two"); status.Code(err) != codes.ResourceExhausted {
		t.Error("a fourth session:", err)
	}

	deadline := time.Now().Add(10 * time.Second)
	for {
		_, err := begin("two")
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("sessions do not end:", err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	for _, cookie := range []string{one, "nonsense", strings.Repeat("0", 32), "new-nonsense"} {
		got, set, err := say("one", cookie, "select 1")
		if status.Code(err) != codes.FailedPrecondition || !strings.HasSuffix(set, "Max-Age=0") {
			t.Errorf("%s is no session: %s, %q, %v", cookie, got, set, err)
		}
	}
	if got, _, err := say("one", "new-"+strings.Repeat("0", 32), "select 1"); got != "1\n" || err != nil {
		t.Error("a session that is offered by another server:", got, err)
	}
	if _, err := sqlRows(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secrets["one"]), c, info, nil); status.Code(err) != codes.FailedPrecondition {
		t.Error("a ticket of a session that has ended:", err)
	}
	id, err := begin("one")
	if err != nil {
		t.Fatal(err)
	}
	ctx = metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secrets["one"], "cookie", "arrow_flight_session_id="+id)
	if got, err := c.Client.DoAction(ctx, &flight.Action{Type: "CloseSession"}); err != nil {
		t.Error(err)
	} else if r, err := got.Recv(); err != nil || string(r.Body) != "\b\x01" {
		t.Error(r, err)
	}
	if got, _, err := say("one", id, "from t"); status.Code(err) != codes.FailedPrecondition {
		t.Error("a closed session:", got, err)
	}
}

// What a session's statements read is what its client may read.
func TestQuerySessionPermissions(t *testing.T) {
	dir, _ := queryFiles(t, 700)
	tokens, config := filepath.Join(t.TempDir(), "tokens"), filepath.Join(t.TempDir(), "serve.toml")
	code, secret, errs := said(t, "", "token", "add", "--file", tokens, "bob")
	if code != 0 {
		t.Fatal(errs)
	}
	if err := os.WriteFile(config, []byte(`
permit = ["bob:read=orders,all-orders,names"]
[views]
all-orders = "SELECT id, customer FROM orders"
names = "SELECT name FROM customers"
[[restrict]]
clients = "bob"
datasets = "orders"
columns = ["id", "customer"]
where = "customer = 3"
`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := sqlClient(t, sqlServing(t, "--config", config, "--tokens", tokens, "orders="+filepath.Join(dir, "orders.orc"), "customers="+filepath.Join(dir, "customers.trv")))
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+strings.TrimSpace(secret), "cookie", "arrow_flight_session_id=new-"+strings.Repeat("0123", 8))
	first := true
	for _, line := range []string{
		"create temp table t as from orders; 100", "select distinct customer from t; 3", "select amount from t; !amount", `create temp view v as from "all-orders"; 0`, "select count(*) from v; 100",
		"insert into t select id, customer from orders; 100", "update t set id = -1 where customer in (select customer from customers); !denied", "create temp table n as from customers; !denied",
		"create temp view n as from customers; !denied", "prepare n as from customers; !denied", `create temp table n as from names; !there is no dataset "names"`, `create temp view n as from names; !there is no dataset "names"`,
		"prepare o as select count(*) from orders where id >= ?; 0", "execute o(0); 100", "execute o((select count(*) from customers)); !denied", "from n; !n",
	} {
		i := strings.LastIndex(line, "; ")
		sql, want := line[:i], line[i+2:]
		info, err := c.Execute(ctx, sql)
		got, err := sqlRows(ctx, c, info, err)
		text, fails := strings.CutPrefix(want, "!")
		switch {
		case fails && (err == nil || !strings.Contains(strings.ToLower(err.Error()), text)):
			t.Errorf("%s: %q, %v; want an error with %q", sql, got, err, text)
		case !fails && (err != nil || strings.TrimSpace(got) != want):
			t.Errorf("%s: %q, %v; want %q", sql, got, err, want)
		}
		if first { // which has made the session
			ctx = metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+strings.TrimSpace(secret), "cookie", "arrow_flight_session_id="+strings.Repeat("0123", 8))
			first = false
		}
	}
}

// Nor does a session let any of the attempts through.
func TestQuerySessionAttempts(t *testing.T) {
	if len(sessionAttempts) < 80 {
		t.Fatalf("%d attempts", len(sessionAttempts))
	}
	tryAttempts(t, func(t *testing.T, addr string) *flightsql.Client {
		c := cookieClient(t, addr)
		script(t, c, "create temp table few as from customers; 5", "prepare kept as select ?; 0")
		return c
	}, slices.Concat(outOfSession(), sessionAttempts))
}

// outOfSession are the attempts but for those that a session does, and may do.
func outOfSession() []string {
	return slices.DeleteFunc(slices.Clone(attempts), func(s string) bool { return slices.Contains([]string{"begin", "commit", "rollback"}, s) })
}

// sessionAttempts are statements that a session would do, with something in them that it must not.
var sessionAttempts = []string{
	"create temp table t as from read_text('SECRET')", "create temp table t as from 'SECRET'", "create temp table t as from 'SECRET.csv'", "create temp view v as from read_csv('SECRET')",
	"create temp table t (a varchar default (getenv('HOME')))", "create temp table t as select * from query('from read_text(''SECRET'')')", "create temp macro m() as table from read_text('SECRET')",
	"create temp function f() as (select content from read_text('SECRET'))", "create temp sequence s", "create temp type e as enum ('a')", "create temp secret s (type s3)",
	"insert into few select 1, content from read_text('SECRET')", "insert into few values (1, (select content from read_text('SECRET')))", "update few set name = (select content from read_text('SECRET'))",
	"delete from few where name = (select content from read_text('SECRET')) or copy_to('OUT')", "alter table few add column x varchar default (select content from read_text('SECRET'))",
	"create temp table t as from read_csv('TEMP/secret.csv')", "create temp table t as from 'TEMP/secret.csv'", "copy few to 'TEMP/out'", "copy few from 'TEMP/secret'", "prepare p as copy few to 'TEMP/out'",
	"copy few to 'OUT'", "copy few from 'SECRET'", "copy (from few) to 'OUT' (format parquet)", "explain analyze copy few to 'OUT'", "export database 'OUT'",
	"insert into few values (1, 'x'); copy few to 'OUT'", "create temp table t (a int); attach 'OUT' as o", "begin; set threads = 1000", "insert into few values (1, 'x') returning name",
	"prepare p as copy few to 'OUT'", "prepare p as attach 'OUT' as o", "prepare p as set threads = 1000", "prepare p as from read_text('SECRET')", "prepare p as prepare q as copy few to 'OUT'",
	"prepare p as pragma threads = 1000", "prepare p as install httpfs", "prepare p as execute kept(1)", "prepare p as begin", "prepare p(text) as select 1",
	"execute kept((select content from read_text('SECRET')))", "execute kept(1) union all from read_text('SECRET')", "execute kept(1)); copy (select 1", "execute kept(1; copy few to 'OUT')",
	"execute kept(1); copy few to 'OUT'", "execute kept(what := 1)", "execute kept(getenv('HOME'))", "execute \"copy few to 'OUT'\"",
	"set enable_external_access = true", "set session enable_external_access = true", "set local threads to 1000", "set global timezone = 'UTC'", "set timezone = 'UTC', threads = 1000",
	"set \"threads\" = 1000", "set timezone = (select content from read_text('SECRET'))", "set timezone = 'SECRET'", "set timezone = current_setting('home_directory')", "reset threads", "reset lock_configuration",
	"reset all", "set allowed_configs = ['threads']", "set search_path = 'temp'", "set schema = 'temp'", "set disabled_optimizers = 'filter_pushdown'", "set max_temp_directory_size = '1TB'",
	"drop schema main", "drop table customers", "drop view customers", "drop macro read_csv_auto", "drop macro table parquet_scan", "alter table customers add column x int", "alter database arrowio set alias to x",
	"update customers set name = 'x'", "delete from customers", "insert into customers select 9, 'x'", "truncate customers", "use temp", "attach ':memory:' as m", "detach arrowio", "checkpoint temp", "vacuum few",
	"analyze few", "call pragma_version()", "comment on table few is 'x'", "create index i on few (name)", "create unique index i on temp.few (name)",
}
