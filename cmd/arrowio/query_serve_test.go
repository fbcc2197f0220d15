//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// sqlServing serves datasets, and returns its address.
func sqlServing(t *testing.T, args ...string) string {
	t.Helper()
	out, _, _ := serving(t, append([]string{"--log", "none", "--listen", "grpc://127.0.0.1:0"}, args...)...)
	return strings.TrimPrefix(strings.TrimSpace(out.String()), "grpc://")
}

func sqlClient(t *testing.T, addr string) *flightsql.Client {
	t.Helper()
	c, err := flightsql.NewClient(addr, nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// sqlRows reads a FlightInfo: a line for each row, values by |.
func sqlRows(ctx context.Context, c *flightsql.Client, info *flight.FlightInfo, err error) (string, error) {
	if err != nil {
		return "", err
	}
	told, err := flight.DeserializeSchema(info.Schema, memory.DefaultAllocator)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, e := range info.Endpoint {
		r, err := c.DoGet(ctx, e.Ticket)
		if err != nil {
			return "", err
		}
		defer r.Release()
		if !r.Schema().Equal(told) {
			return "", fmt.Errorf("the FlightInfo says %s, the stream %s", told, r.Schema())
		}
		for r.Next() {
			rec := r.Record()
			for i := range int(rec.NumRows()) {
				for k, col := range rec.Columns() {
					if k > 0 {
						b.WriteByte('|')
					}
					b.WriteString(col.ValueStr(i))
				}
				b.WriteByte('\n')
			}
		}
		if err := r.Err(); err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
	}
	return b.String(), nil
}

func askServed(t *testing.T, c *flightsql.Client, sql string) (string, error) {
	t.Helper()
	info, err := c.Execute(t.Context(), sql)
	return sqlRows(t.Context(), c, info, err)
}

// All of DuckDB's SELECT is answered over the datasets of a catalog, of several formats.
func TestQueryServe(t *testing.T) {
	dir, amounts := queryFiles(t, 40000)
	addr := sqlServing(t, "orders="+filepath.Join(dir, "orders.orc"), "customers="+filepath.Join(dir, "customers.trv"), "a.b="+filepath.Join(dir, "customers.trv"))
	c := sqlClient(t, addr)
	sums := map[int]int64{}
	for i, a := range amounts {
		sums[i%7] += a
	}
	cases := map[string]string{
		"select name, sum(amount) from orders join customers using (customer) where customer < 2 group by name order by name":                 fmt.Sprintf("n0|%d\nn1|%d\n", sums[0], sums[1]),
		"select id, amount from orders order by id desc limit 1":                                                                              fmt.Sprintf("39999|%d\n", amounts[39999]),
		"select count(*), min(id), max(id), count(distinct customer) from arrowio.main.orders":                                                "40000|0|39999|7\n",
		"select distinct customer from main.ORDERS where id between 3 and 5 order by 1":                                                       "3\n4\n5\n",
		"with few as (select * from orders where id < 3) select count(*) from few a, few b":                                                   "9\n",
		"select * from (select customer from customers) x order by customer limit 2":                                                          "0\n1\n",
		`select name from "a.b" order by 1 desc limit 1`:                                                                                      "n4\n",
		"select upper(name) || '!' from customers where customer = 3":                                                                         "N3!\n",
		"select row_number() over (order by customer desc) from customers where customer in (select max(customer) from orders where id < 3) ": "1\n",
		"show tables": "a.b\ncustomers\norders\n",
		"select table_catalog, table_schema, table_name from information_schema.tables order by 3":                            "arrowio|main|a.b\narrowio|main|customers\narrowio|main|orders\n",
		"select column_name, data_type from information_schema.columns where table_name = 'orders' order by ordinal_position": "id|BIGINT\ncustomer|BIGINT\namount|BIGINT\nday|VARCHAR\n",
		"select column_name from (describe customers)":                                                                        "customer\nname\n",
		"values (1, 'a'), (2, null)":                                   "1|a\n2|(null)\n",
		"select 1 where false order by 1":                              "",
		"select current_database(), current_schema()":                  "arrowio|main\n",
		"select count(*) from query_table('customers')":                "5\n",
		"select count(*) from orders limit 1":                          "40000\n", // ours to answer
		"select id from orders where id = 7":                           "7\n",
		"select [1, 2], {'a': 1}, map([1], ['x']), 1.50::decimal(9,2)": "[1,2]|{\"a\":1}|[{\"key\":1,\"value\":\"x\"}]|1.5\n",
	}
	var all sync.WaitGroup
	defer all.Wait()
	for sql, want := range cases {
		all.Go(func() {
			if got, err := askServed(t, c, sql); err != nil || got != want {
				t.Errorf("%s: %v\n%swant\n%s", sql, err, got, want)
			}
		})
	}
	// What a build without DuckDB answers, too, has the names of columns that DuckDB gives.
	for _, sql := range []string{"select count(*) from orders", "select COUNT(1) from orders", "select customer, id from orders", "select Current_Date", "select 1"} {
		ours, err := c.Execute(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := c.Execute(t.Context(), sql+" order by 1")
		if err != nil {
			t.Fatal(err)
		}
		a, errA := flight.DeserializeSchema(ours.Schema, memory.DefaultAllocator)
		b, errB := flight.DeserializeSchema(theirs.Schema, memory.DefaultAllocator)
		if errA != nil || errB != nil || a.Field(0).Name != b.Field(0).Name {
			t.Error(sql, a, b)
		}
	}
	if got, err := askServed(t, c, "explain select * from orders order by id"); err != nil || !strings.Contains(got, "ORDER_BY") {
		t.Error(got, err)
	}
	for sql, want := range map[string]struct {
		code codes.Code
		text string
	}{
		"select * from nothing order by 1": {codes.NotFound, "nothing"},
		"select nope from orders":          {codes.InvalidArgument, "nope"},
		"selec 1":                          {codes.InvalidArgument, "selec"},
		"select 1; select 2":               {codes.InvalidArgument, "2 statements"},
		"select cast(name as int) from customers order by 1": {codes.InvalidArgument, "n0"},
		"select * from orders where id = ? order by 1":       {codes.InvalidArgument, "bind"},
	} {
		if _, err := askServed(t, c, sql); status.Code(err) != want.code || !strings.Contains(err.Error(), want.text) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// Values of every type come through a prepared statement as they are, and several rows are so many results.
func TestQueryServeParameters(t *testing.T) {
	dir, amounts := queryFiles(t, 40000)
	c := sqlClient(t, sqlServing(t, "orders="+filepath.Join(dir, "orders.orc")))
	ask := func(sql, values string, fields ...arrow.Field) (string, error) {
		t.Helper()
		st, err := c.Prepare(t.Context(), sql)
		if err != nil {
			return "", err
		}
		defer st.Close(t.Context())
		for i := range fields {
			fields[i].Name, fields[i].Nullable = fmt.Sprint(i), true
		}
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(fields, nil), strings.NewReader(values))
		if err != nil {
			t.Fatal(sql, err)
		}
		defer rec.Release()
		st.SetParameters(rec)
		info, err := st.Execute(t.Context())
		return sqlRows(t.Context(), c, info, err)
	}
	of := func(d arrow.DataType) arrow.Field { return arrow.Field{Type: d} }
	long := of(arrow.PrimitiveTypes.Int64)
	for _, q := range []struct {
		sql, values, want string
		fields            []arrow.Field
	}{
		{"select amount from orders where id = ? order by 1 limit ?", `[{"0": 7, "1": 5}]`, fmt.Sprintln(amounts[7]), []arrow.Field{long, long}},
		{"select id from orders where id in ($2, $1) order by id limit $3", `[{"0": 9, "1": 8, "2": 2}]`, "8\n9\n", []arrow.Field{long, long, long}},
		{"select amount from orders where id = ? order by 1", `[{"0": 7}, {"0": 8}]`, fmt.Sprintf("%d\n%d\n", amounts[7], amounts[8]), []arrow.Field{long}},
		{"select ?, typeof(?)", `[{"0": "it's; -- ?", "1": "x"}]`, "it's; -- ?|VARCHAR\n", []arrow.Field{of(arrow.BinaryTypes.String), of(arrow.BinaryTypes.LargeString)}},
		{"select typeof($1), $1", `[{"0": "12.50"}]`, "DECIMAL(12,2)|12.5\n", []arrow.Field{of(&arrow.Decimal128Type{Precision: 12, Scale: 2})}},
		{"select typeof($1), $1", `[{"0": -0.1}]`, "DOUBLE|-0.1\n", []arrow.Field{of(arrow.PrimitiveTypes.Float64)}},
		{"select typeof($1), $1", `[{"0": 0.1}]`, "FLOAT|0.1\n", []arrow.Field{of(arrow.PrimitiveTypes.Float32)}},
		{"select typeof($1), $1", `[{"0": 4503599627370496}]`, "UBIGINT|4503599627370496\n", []arrow.Field{of(arrow.PrimitiveTypes.Uint64)}},
		{"select typeof($1), $1", `[{"0": -9223372036854775808}]`, "BIGINT|-9223372036854775808\n", []arrow.Field{long}},
		{"select typeof($1), $1", `[{"0": -128}]`, "TINYINT|-128\n", []arrow.Field{of(arrow.PrimitiveTypes.Int8)}},
		{"select typeof($1), $1", `[{"0": true}]`, "BOOLEAN|true\n", []arrow.Field{of(arrow.FixedWidthTypes.Boolean)}},
		{"select typeof($1), $1", `[{"0": "2024-02-29"}]`, "DATE|2024-02-29\n", []arrow.Field{of(arrow.FixedWidthTypes.Date32)}},
		{"select typeof($1), $1::varchar", `[{"0": "1969-12-31 23:59:59.000001"}]`, "TIMESTAMP|1969-12-31 23:59:59.000001\n", []arrow.Field{of(&arrow.TimestampType{Unit: arrow.Microsecond})}},
		{"select typeof($1), $1::varchar", `[{"0": "2024-02-29 12:00:00"}]`, "TIMESTAMP WITH TIME ZONE|2024-02-29 12:00:00+00\n", []arrow.Field{of(&arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"})}},
		{"select typeof($1), $1::varchar", `[{"0": "01:02:03.5"}]`, "TIME|01:02:03.5\n", []arrow.Field{of(arrow.FixedWidthTypes.Time32ms)}},
		{"select typeof($1), hex($1)", `[{"0": "AP8n"}]`, "BLOB|00FF27\n", []arrow.Field{of(arrow.BinaryTypes.Binary)}},
		{"select typeof($1), $1::varchar", `[{"0": [1, null, 3]}]`, "INTEGER[]|[1, NULL, 3]\n", []arrow.Field{of(arrow.ListOf(arrow.PrimitiveTypes.Int32))}},
		{"select $1.a, $1.b", `[{"0": {"a": "x", "b": null}}]`, "x|(null)\n", []arrow.Field{of(arrow.StructOf(arrow.Field{Name: "a", Type: arrow.BinaryTypes.String}, arrow.Field{Name: "b", Type: arrow.PrimitiveTypes.Int64, Nullable: true}))}},
		{"select count(*) from orders where $1 is null and id < 3", `[{"0": null}]`, "3\n", []arrow.Field{long}},
		{"select '?', \"?\" from (select 1 as \"?\") -- ?\nwhere 1 = ?", `[{"0": 1}]`, "?|1\n", []arrow.Field{long}},
	} {
		if got, err := ask(q.sql, q.values, q.fields...); err != nil || got != q.want {
			t.Errorf("%s with %s: %v\n%swant\n%s", q.sql, q.values, err, got, q.want)
		}
	}
	for sql, values := range map[string]string{
		"select ?, ? from orders order by 1": `[{"0": 1}]`, // one is missing
		"select 1 from orders order by $2":   `[{"0": 1}]`,
	} {
		if got, err := ask(sql, values, long); status.Code(err) != codes.InvalidArgument {
			t.Error(sql, got, err)
		}
	}
}

// A value that a dataset's own condition does not take is DuckDB's to compare, and what is wrong with it is told. Clients may keep the
// handle that they had before.
func TestQueryServeParametersOfDatasets(t *testing.T) {
	dir, _ := queryFiles(t, 1000)
	writeText(t, filepath.Join(dir, "nested.jsonl"), `{"id": 1, "st": {"a": 1}, "l": [1, 2]}`+"\n"+`{"id": 2, "st": {"a": 2}, "l": []}`+"\n")
	ok(t, "convert", filepath.Join(dir, "nested.jsonl"), filepath.Join(dir, "nested.arrow"))
	c := sqlClient(t, sqlServing(t, "orders="+filepath.Join(dir, "orders.orc"), "nested="+filepath.Join(dir, "nested.arrow")))
	long, text := arrow.DataType(arrow.PrimitiveTypes.Int64), arrow.DataType(arrow.BinaryTypes.String)
	for _, q := range []struct {
		sql    string
		of     arrow.DataType
		values string
		want   string // ! = of an error
	}{
		{"SELECT id FROM orders WHERE id = ?", long, "7", "7\n"},
		{"SELECT id FROM orders WHERE id = ?", text, `"7"`, "7\n"},
		{"SELECT id FROM orders WHERE id = ?", text, `"x"`, "!Could not convert string 'x'"},
		{"SELECT id FROM orders LIMIT ?", long, "1", "0\n"},
		{"SELECT id FROM orders LIMIT ?", long, "-1", "!cannot be negative"},
		{"SELECT id FROM nested WHERE st = ?", arrow.StructOf(arrow.Field{Name: "a", Type: long, Nullable: true}), `{"a": 2}`, "2\n"},
		{"SELECT id FROM nested WHERE l = ?", arrow.ListOf(long), "[1, 2]", "1\n"},
		{"SELECT id FROM nested WHERE id = ?", arrow.ListOf(long), "[1, 2]", "!BIGINT -> BIGINT[]"},
		{"SELECT id FROM nested WHERE id = ? AND l = ?", long, "1", "!parameter ? has no value"},
	} {
		st, err := c.Prepare(t.Context(), q.sql)
		if err != nil {
			t.Fatal(q.sql, err)
		}
		defer st.Close(t.Context())
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "0", Type: q.of, Nullable: true}}, nil), strings.NewReader(`[{"0": `+q.values+`}]`))
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Release()
		st.SetParameters(rec)
		info, err := st.Execute(t.Context())
		got, err := sqlRows(t.Context(), c, info, err)
		if want, fails := strings.CutPrefix(q.want, "!"); fails && (status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), want)) || !fails && (err != nil || got != q.want) {
			t.Errorf("%s with %s: %q, %v", q.sql, q.values, got, err)
		}
	}
}

// Who may not read a dataset is told so, however it is named, and does not see it.
func TestQueryServePermissions(t *testing.T) {
	dir, _ := queryFiles(t, 1000)
	tokens := filepath.Join(t.TempDir(), "tokens")
	code, secret, errs := said(t, "", "token", "add", "--file", tokens, "alice")
	if code != 0 {
		t.Fatal(errs)
	}
	addr := sqlServing(t, "--tokens", tokens, "--permit", "alice:read=customers", "orders="+filepath.Join(dir, "orders.orc"), "customers="+filepath.Join(dir, "customers.trv"))
	c := sqlClient(t, addr)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+strings.TrimSpace(secret))
	ask := func(sql string) (string, error) {
		info, err := c.Execute(ctx, sql)
		return sqlRows(ctx, c, info, err)
	}
	if got, err := ask("select count(*), max(name) from customers"); err != nil || got != "5|n4\n" {
		t.Error(got, err)
	}
	for _, sql := range []string{"show tables", "select table_name from information_schema.tables", "select view_name from duckdb_views() where not internal"} {
		if got, err := ask(sql); err != nil || got != "customers\n" {
			t.Error(sql, got, err)
		}
	}
	for _, sql := range []string{
		"select * from orders order by 1", "select count(*) from customers, orders", "select * from main.orders order by 1", "select * from ORDERS order by 1",
		"select * from arrowio('orders')", "select * from arrowio.main.orders order by 1", "select * from query_table('orders')",
		"select name from customers where customer in (select customer from orders)", "with x as (from orders) from x", "explain select max(id) from orders",
		"describe orders", "select * from nothing order by 1", "select * from Nothing", "select 1 from customers where exists (from orders)", "from customers union all by name from orders", "summarize orders",
	} {
		if got, err := ask(sql); status.Code(err) != codes.PermissionDenied {
			t.Errorf("%s: %s%v", sql, got, err)
		}
	}
	// A ticket gives nothing that its bearer may not have.
	b, err := anypb.New(&pb.TicketStatementQuery{StatementHandle: []byte(`{"ask":{"sql":"select * from orders order by 1","query":"0123456789abcdef"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	ticket, err := proto.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.DoGet(ctx, &flight.Ticket{Ticket: ticket})
	if err == nil {
		r.Release()
	}
	if status.Code(err) != codes.PermissionDenied {
		t.Error(err)
	}
	if _, err := askServed(t, c, "select 1 order by 1"); status.Code(err) != codes.Unauthenticated {
		t.Error("without a token:", err)
	}
}

// A statement ends with its time, or with its client, and leaves room for the next.
func TestQueryServeEnds(t *testing.T) {
	dir, _ := queryFiles(t, 1000)
	const endless = "select count(*) from range(10000000) a, range(10000000) b where a.range + b.range = -1"
	c := sqlClient(t, sqlServing(t, "--sql-timeout", "300ms", "--sql-queries", "1", "customers="+filepath.Join(dir, "customers.trv")))
	begun := time.Now()
	if got, err := askServed(t, c, endless); status.Code(err) != codes.DeadlineExceeded || time.Since(begun) > 20*time.Second {
		t.Error(got, err, time.Since(begun))
	}
	c = sqlClient(t, sqlServing(t, "--sql-queries", "1", "customers="+filepath.Join(dir, "customers.trv")))
	info, err := c.Execute(t.Context(), endless)
	if err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer leave()
	if _, err := sqlRows(gone, c, info, nil); status.Code(err) != codes.DeadlineExceeded {
		t.Error(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := sqlRows(t.Context(), c, info, nil)
		ended <- err
	}()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := c.CancelFlightInfo(t.Context(), &flight.CancelFlightInfoRequest{Info: info}); err != nil || time.Now().After(end) {
			t.Fatal("it does not end:", err)
		}
		select {
		case err := <-ended:
			if status.Code(err) != codes.Canceled {
				t.Error(err)
			}
		default:
			continue
		}
		break
	}
	if got, err := askServed(t, c, "select max(name) from customers"); err != nil || got != "n4\n" {
		t.Error(got, err)
	}
}
