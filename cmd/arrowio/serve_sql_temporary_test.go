//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// BeginTransaction and EndTransaction are the transaction that BEGIN begins.
func TestSQLTransactionActions(t *testing.T) {
	dir, _ := queryFiles(t, 10)
	addr := sqlServing(t, "--writable", "w*="+t.TempDir(), "customers="+filepath.Join(dir, "customers.trv"))
	c, ctx := cookieClient(t, addr), t.Context()
	info := func(c *flightsql.Client) string {
		t.Helper()
		i, err := c.GetSqlInfo(ctx, []flightsql.SqlInfo{flightsql.SqlInfoFlightSqlServerTransaction, flightsql.SqlInfoTransactionsSupported})
		got, err := sqlRows(ctx, c, i, err)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := info(c); got != "8|[3,1]\n563|[1,false]\n" {
		t.Errorf("a client with cookies is told %q", got)
	}
	without := sqlClient(t, addr)
	if got := info(without); got != "8|[3,0]\n563|[1,false]\n" {
		t.Errorf("a client without cookies is told %q", got)
	}
	if _, err := without.BeginTransaction(ctx); err == nil || !strings.Contains(err.Error(), "keep cookies") {
		t.Error(err)
	}

	script(t, c, "create temp table t (a int); 0")
	begin := func() *flightsql.Txn {
		t.Helper()
		x, err := c.BeginTransaction(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x := begin()
	if _, err := c.BeginTransaction(ctx); status.Code(err) != codes.InvalidArgument {
		t.Error("two transactions of one session:", err)
	}
	if n, err := x.ExecuteUpdate(ctx, "insert into t values (1), (2)"); n != 2 || err != nil {
		t.Error(n, err)
	}
	st, err := x.Prepare(ctx, "select count(*) from t")
	if err != nil {
		t.Fatal(err)
	}
	i, err := st.Execute(ctx)
	if got, err := sqlRows(ctx, c, i, err); got != "2\n" || err != nil {
		t.Error(got, err)
	}
	i, err = x.Execute(ctx, "create table w1 as from t")
	if got, err := sqlRows(ctx, c, i, err); status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "autocommit") {
		t.Error("a dataset is written in a transaction:", got, err)
	}
	if err := ingest(ctx, c, ingestion{table: "w2"}, `[1]`); status.Code(err) != codes.FailedPrecondition {
		t.Error("a dataset is ingested in a transaction:", err)
	}
	first := x.ID()
	if err := x.Rollback(ctx); err != nil {
		t.Error(err)
	}
	script(t, c, "select count(*) from t; 0", "commit; !no transaction")
	ended := first
	if err := endOf(ctx, c, ended, 1); status.Code(err) != codes.InvalidArgument {
		t.Error("a transaction ends twice:", err)
	}
	named := func(id flightsql.Transaction) error {
		cmd, err := anypb.New(&pb.CommandStatementQuery{Query: "select 1", TransactionId: id})
		if err != nil {
			t.Fatal(err)
		}
		b, err := proto.Marshal(cmd)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Client.GetFlightInfo(ctx, &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: b})
		return err
	}
	if err := named(ended); status.Code(err) != codes.InvalidArgument {
		t.Error("a statement of a transaction that has ended:", err)
	}

	x = begin()
	if err := endOf(ctx, c, ended, 1); status.Code(err) != codes.InvalidArgument {
		t.Error("another transaction ends:", err)
	}
	if err := endOf(ctx, c, x.ID(), 0); status.Code(err) != codes.InvalidArgument {
		t.Error("a transaction ends neither way:", err)
	}
	if err := named(x.ID()); err != nil {
		t.Error(err)
	}
	script(t, c, "insert into t values (3); 1") // which names no transaction
	other := cookieClient(t, addr)
	script(t, other, "create temp table t (a int); 0")
	for name, c := range map[string]*flightsql.Client{"another session": other, "no session": without} {
		if err := endOf(ctx, c, x.ID(), 1); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s ends the transaction: %v", name, err)
		}
	}
	if err := x.Commit(ctx); err != nil {
		t.Error(err)
	}
	script(t, c, "from t; 3", "create table w1 as from t; 1")

	x = begin()
	script(t, c, "rollback; 0") // by SQL: it is the same
	if err := x.Commit(ctx); status.Code(err) != codes.InvalidArgument {
		t.Error("a transaction that SQL has ended:", err)
	}
	script(t, c, "begin; 0", "insert into t values (4); 1")
	if _, err := c.BeginTransaction(ctx); err == nil {
		t.Error("one has begun by SQL")
	}
	if err := ingest(ctx, c, ingestion{table: "w2"}, `[1]`); status.Code(err) != codes.FailedPrecondition {
		t.Error("a dataset is ingested in a transaction:", err)
	}
	script(t, c, "rollback; 0", "select count(*) from t; 1")
}

// endOf ends a transaction: 1 commits.
func endOf(ctx context.Context, c *flightsql.Client, id flightsql.Transaction, action int32) error {
	body, err := anypb.New(&pb.ActionEndTransactionRequest{TransactionId: id, Action: pb.ActionEndTransactionRequest_EndTransaction(action)})
	if err != nil {
		return err
	}
	b, err := proto.Marshal(body)
	if err != nil {
		return err
	}
	stream, err := c.Client.DoAction(ctx, &flight.Action{Type: flightsql.EndTransactionActionType, Body: b})
	if err != nil {
		return err
	}
	if _, err = stream.Recv(); errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Temporary tables and views are told with the tables of the catalog, in the session that has them.
func TestSQLTemporaryListed(t *testing.T) {
	dir, _ := queryFiles(t, 10)
	addr := sqlServing(t, "customers="+filepath.Join(dir, "customers.trv"))
	c, ctx := cookieClient(t, addr), t.Context()
	tables := func(o *flightsql.GetTablesOpts) string {
		t.Helper()
		i, err := c.GetTables(ctx, o)
		got, err := sqlRows(ctx, c, i, err)
		if err != nil {
			t.Error(err)
		}
		return strings.ReplaceAll(got, "\n", " ")
	}
	const own = "arrowio|main|customers|TABLE "
	check := func(want string) {
		t.Helper()
		if got := tables(&flightsql.GetTablesOpts{}); got != want+own {
			t.Errorf("%q, want %q", got, want+own)
		}
	}
	check("")
	script(t, c, `create temp table "B 'x'" (a int, t timestamptz); 0`, "create temp table customers as select 1 as one; 1", "create temp view v as select name from arrowio.main.customers; 0")
	const all = "temp|main|B 'x'|LOCAL TEMPORARY temp|main|customers|LOCAL TEMPORARY temp|main|v|VIEW "
	check(all)
	other := cookieClient(t, addr)
	i, err := other.GetTables(ctx, &flightsql.GetTablesOpts{})
	if got, err := sqlRows(ctx, other, i, err); err != nil || strings.Contains(got, "temp") {
		t.Error("another session:", got, err)
	}

	columns := func(name string) string {
		t.Helper()
		catalog := "temp"
		i, err := c.GetTables(ctx, &flightsql.GetTablesOpts{Catalog: &catalog, TableNameFilterPattern: &name, IncludeSchema: true})
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.DoGet(ctx, i.Endpoint[0].Ticket)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		if !r.Next() || r.Record().NumRows() != 1 {
			t.Fatalf("%s: not one row: %v", name, r.Err())
		}
		s, err := flight.DeserializeSchema(r.Record().Column(4).(*array.Binary).Value(0), memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, f := range s.Fields() {
			kind, _ := f.Metadata.GetValue(flightsql.TypeNameKey)
			in, _ := f.Metadata.GetValue(flightsql.CatalogNameKey)
			out += f.Name + " " + kind + " " + in + ";"
		}
		return out
	}
	if got := columns("B%"); got != "a INTEGER temp;t TIMESTAMP WITH TIME ZONE temp;" {
		t.Error(got)
	}
	if got := columns("v"); got != "name VARCHAR temp;" {
		t.Error(got)
	}
	// What is listed first of a name is what a statement finds by it.
	name := "customers"
	if got := tables(&flightsql.GetTablesOpts{TableNameFilterPattern: &name}); got != "temp|main|customers|LOCAL TEMPORARY arrowio|main|customers|TABLE " {
		t.Error(got)
	}
	script(t, c, "from customers; 1")
	script(t, c, "alter table customers add column two varchar; 0")
	if got := columns("customers"); got != "one INTEGER temp;two VARCHAR temp;" {
		t.Error(got)
	}
	temp, main := "temp", "arrowio"
	if got := tables(&flightsql.GetTablesOpts{Catalog: &main}); got != own {
		t.Error(got)
	}
	if got := tables(&flightsql.GetTablesOpts{Catalog: &temp, TableTypes: []string{"VIEW"}}); got != "temp|main|v|VIEW " {
		t.Error(got)
	}
	for what, ask := range map[string]func() (*flight.FlightInfo, error){
		"arrowio temp ":           func() (*flight.FlightInfo, error) { return c.GetCatalogs(ctx) },
		"arrowio|main temp|main ": func() (*flight.FlightInfo, error) { return c.GetDBSchemas(ctx, &flightsql.GetDBSchemasOpts{}) },
		"temp|main ": func() (*flight.FlightInfo, error) {
			return c.GetDBSchemas(ctx, &flightsql.GetDBSchemasOpts{Catalog: &temp})
		},
		"LOCAL TEMPORARY TABLE VIEW ": func() (*flight.FlightInfo, error) { return c.GetTableTypes(ctx) },
	} {
		i, err := ask()
		if got, err := sqlRows(ctx, c, i, err); err != nil || strings.ReplaceAll(got, "\n", " ") != what {
			t.Errorf("%q, %v; want %q", got, err, what)
		}
	}

	// While rows of a statement are not read, too.
	i, err = c.Execute(ctx, "select i, repeat('x', 1000) from range(1000000) r(i)")
	if err != nil {
		t.Fatal(err)
	}
	running, cancel := context.WithCancel(ctx)
	r, err := c.DoGet(running, i.Endpoint[0].Ticket)
	if err != nil || !r.Next() {
		t.Fatal(err)
	}
	check(all)
	cancel()
	r.Release()

	script(t, c, "begin; 0", "drop view v; 0", "create temp table w as select 1 as x; 1", "alter table customers drop column one; 0")
	check("temp|main|B 'x'|LOCAL TEMPORARY temp|main|customers|LOCAL TEMPORARY temp|main|w|LOCAL TEMPORARY ")
	script(t, c, "select error('x'); !x", "rollback; 0")
	check(all)
	if got := columns("customers"); got != "one INTEGER temp;two VARCHAR temp;" {
		t.Error(got)
	}
	script(t, c, "drop table customers; 0", `drop table "B 'x'"; 0`, "drop view v; 0")
	check("")
}

// ingestion is a CommandStatementIngest; 0 = the option is not specified.
type ingestion struct {
	table              string
	temporary          bool
	notExist, exists   uint64
	catalog            string
	transaction        string
	options            bool
	column, otherField string
}

func (i ingestion) command(t interface{ Fatal(...any) }) []byte {
	text := func(b []byte, n protowire.Number, s string) []byte {
		if s == "" {
			return b
		}
		return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), s)
	}
	number := func(b []byte, n protowire.Number, v uint64) []byte {
		if v == 0 {
			return b
		}
		return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
	}
	b := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), number(number(nil, 1, i.notExist), 2, i.exists))
	b = text(text(b, 2, i.table), 4, i.catalog)
	if i.temporary {
		b = number(b, 5, 1)
	}
	b = text(b, 6, i.transaction)
	if i.options {
		b = protowire.AppendBytes(protowire.AppendTag(b, 1000, protowire.BytesType), text(text(nil, 1, "format"), 2, "orc"))
	}
	out, err := proto.Marshal(&anypb.Any{TypeUrl: "type.googleapis.com/arrow.flight.protocol.sql.CommandStatementIngest", Value: b})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// ingest ingests batches of int64.
func ingest(ctx context.Context, c *flightsql.Client, i ingestion, batches ...string) error {
	stream, err := c.Client.DoPut(ctx)
	if err != nil {
		return err
	}
	if i.column == "" {
		i.column = "a"
	}
	fields := []arrow.Field{{Name: i.column, Type: arrow.PrimitiveTypes.Int64, Nullable: true}}
	if i.otherField != "" {
		fields = append(fields, arrow.Field{Name: i.otherField, Type: arrow.PrimitiveTypes.Int64, Nullable: true})
	}
	w := flight.NewRecordWriter(stream, ipc.WithSchema(arrow.NewSchema(fields, nil)))
	w.SetFlightDescriptor(&flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: i.command(fatal{})})
	for _, text := range batches {
		a, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64, strings.NewReader(text))
		if err != nil {
			return err
		}
		cols := []arrow.Array{a, a}[:len(fields)]
		if err := w.Write(array.NewRecord(arrow.NewSchema(fields, nil), cols, int64(a.Len()))); err != nil {
			break // Recv says why
		}
	}
	_ = w.Close()
	_ = stream.CloseSend()
	_, err = stream.Recv()
	return err
}

type fatal struct{}

func (fatal) Fatal(args ...any) { panic(args) }

// Rows are put into temporary tables by bulk ingestion, too.
func TestSQLIngestTemporary(t *testing.T) {
	dir, _ := queryFiles(t, 10)
	addr := sqlServing(t, "customers="+filepath.Join(dir, "customers.trv"))
	c, ctx := cookieClient(t, addr), t.Context()
	const fail, appends, replaces, notCreate = 1, 2, 3, 2
	in := func(want codes.Code, i ingestion, batches ...string) {
		t.Helper()
		i.temporary = true
		if err := ingest(ctx, c, i, batches...); status.Code(err) != want {
			t.Errorf("%+v: %v, want %s", i, err, want)
		}
	}
	in(codes.NotFound, ingestion{table: "t", notExist: notCreate, exists: appends}, `[1]`)
	in(codes.OK, ingestion{table: "t", notExist: 1, exists: fail}, `[1, null]`, `[3]`)
	script(t, c, "select count(*), sum(a), typeof(any_value(a)) from t; 3|4|BIGINT")
	in(codes.AlreadyExists, ingestion{table: "T", notExist: 1, exists: fail}, `[1]`)
	in(codes.OK, ingestion{table: "t", notExist: notCreate, exists: appends, catalog: "temp"}, `[4]`)
	in(codes.OK, ingestion{table: "t", notExist: 1, exists: appends, column: "A"}, `[5]`)
	script(t, c, "select count(*), sum(a) from t; 5|13")
	in(codes.InvalidArgument, ingestion{table: "t", exists: appends, column: "b"}, `[6]`)
	in(codes.InvalidArgument, ingestion{table: "u", column: "b", otherField: "B"}, `[6]`)
	in(codes.InvalidArgument, ingestion{table: "u", options: true}, `[6]`)
	in(codes.InvalidArgument, ingestion{table: "u", transaction: "x"}, `[6]`)
	in(codes.NotFound, ingestion{table: "u", catalog: "arrowio"}, `[6]`)
	in(codes.InvalidArgument, ingestion{}, `[6]`)
	script(t, c, "select count(*), sum(a) from t; 5|13", "select count(*) from u; !u")
	in(codes.OK, ingestion{table: "t", exists: replaces}, `[7]`)
	in(codes.OK, ingestion{table: "new one", exists: replaces, otherField: "b"}, `[8]`)
	in(codes.OK, ingestion{table: "none"})
	script(t, c, "from t; 7", `select a + b from "new one"; 16`, "select count(*) from none; 0")
	in(codes.OK, ingestion{table: "customers"}, `[1]`)
	script(t, c, "from customers; 1", "select count(*) from arrowio.main.customers; 5")

	// All rows or none, and of the transaction.
	script(t, c, "alter table t alter column a set not null; 0")
	in(codes.InvalidArgument, ingestion{table: "t", exists: appends}, `[8, 9]`, `[null]`)
	script(t, c, "from t; 7")
	x, err := c.BeginTransaction(ctx)
	if err != nil {
		t.Fatal(err)
	}
	in(codes.OK, ingestion{table: "t", exists: appends, transaction: string(x.ID())}, `[8, 9]`)
	in(codes.OK, ingestion{table: "late", transaction: string(x.ID())}, `[1]`)
	script(t, c, "select count(*) from t; 3")
	if err := x.Rollback(ctx); err != nil {
		t.Error(err)
	}
	script(t, c, "from t; 7", "from late; !late")
	for _, name := range []string{`a "b" 'c'`, "(values)", "t; drop table t"} {
		in(codes.OK, ingestion{table: name}, `[1]`)
		in(codes.OK, ingestion{table: name, exists: appends}, `[2]`)
		script(t, c, `select sum(a) from "`+strings.ReplaceAll(name, `"`, `""`)+`"; 3`)
	}
	if err := ingest(ctx, sqlClient(t, addr), ingestion{table: "t", temporary: true}, `[1]`); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "keep cookies") {
		t.Error("a client without cookies:", err)
	}
}
