//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// replica starts a server as a process of its own, and returns its address.
func replica(t *testing.T, args ...string) string {
	t.Helper()
	cmd := program(t, append([]string{"serve", "--log", "none", "--listen", "grpc://127.0.0.1:0"}, args...)...)
	var errs output
	cmd.Stderr = &errs
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(5*time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		late.Stop()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err, errs.String())
	}
	return strings.TrimPrefix(strings.TrimSpace(line), "grpc://")
}

func packed(t *testing.T, m proto.Message) []byte {
	t.Helper()
	a, err := anypb.New(m)
	if err != nil {
		t.Fatal(err)
	}
	b, err := proto.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Two servers of the same datasets and tokens are one to their clients: tickets, results and prepared statements of one are redeemed at
// the other. What is of one server alone says so: sessions, and values that a client keeps apart from the handle.
func TestServeReplicas(t *testing.T) {
	dir, _ := queryFiles(t, 40000)
	place := t.TempDir()
	tokens := filepath.Join(t.TempDir(), "tokens")
	code, secret, errs := said(t, "", "token", "add", "--file", tokens, "one")
	if code != 0 {
		t.Fatal(errs)
	}
	code, other, errs := said(t, "", "token", "add", "--file", tokens, "two")
	if code != 0 {
		t.Fatal(errs)
	}
	args := []string{
		"--tokens", tokens, "--permit", "two:read=customers", "--permit", "one:read=*", "--permit", "one:write=w*", "--writable", "w*=" + place, "--refresh", "100ms",
		"orders=" + filepath.Join(dir, "orders.orc"), "customers=" + filepath.Join(dir, "customers.trv"),
	}
	a, b := sqlClient(t, replica(t, args...)), sqlClient(t, replica(t, args...))
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+strings.TrimSpace(secret))
	same := func(what string, info *flight.FlightInfo, err error, want string) {
		t.Helper()
		for name, c := range map[string]*flightsql.Client{"the same": a, "the other": b} {
			if got, err := sqlRows(ctx, c, info, err); err != nil || got != want {
				t.Errorf("%s, redeemed at %s server: %.200q, %v", what, name, got, err)
			}
		}
	}

	info, err := a.Client.GetFlightInfo(ctx, &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"customers"}})
	same("a dataset", info, err, "0|n0\n1|n1\n2|n2\n3|n3\n4|n4\n")
	info, err = a.Client.GetFlightInfo(ctx, &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: []byte(`{"dataset":"orders","columns":["id"],"where":"id = 39999"}`)})
	same("a Flight command", info, err, "39999\n")
	info, err = a.Execute(ctx, "select id from orders where id in (3, 39000)")
	same("rows of a dataset by SQL", info, err, "3\n39000\n")
	info, err = a.Execute(ctx, "select name, count(*) from orders join customers using (customer) where customer = 0 group by name")
	same("a result of DuckDB", info, err, "n0|5715\n")
	info, err = a.GetTables(ctx, &flightsql.GetTablesOpts{})
	same("a list of tables", info, err, "arrowio|main|customers|TABLE\narrowio|main|orders|TABLE\n")

	handle := func(c *flightsql.Client, sql string) []byte {
		t.Helper()
		st, err := c.Client.DoAction(ctx, &flight.Action{Type: "CreatePreparedStatement", Body: packed(t, &pb.ActionCreatePreparedStatementRequest{Query: sql})})
		if err != nil {
			t.Fatal(err)
		}
		r, err := st.Recv()
		if err != nil {
			t.Fatal(err)
		}
		var of anypb.Any
		var made pb.ActionCreatePreparedStatementResult
		if err := proto.Unmarshal(r.Body, &of); err != nil {
			t.Fatal(err)
		}
		if err := of.UnmarshalTo(&made); err != nil {
			t.Fatal(err)
		}
		return made.PreparedStatementHandle
	}
	execute := func(c *flightsql.Client, handle []byte) (*flight.FlightInfo, error) {
		return c.Client.GetFlightInfo(ctx, &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: packed(t, &pb.CommandPreparedStatementQuery{PreparedStatementHandle: handle})})
	}
	// bind sends a value, and returns the handle that has it with it.
	bind := func(c *flightsql.Client, handle []byte, value int) []byte {
		t.Helper()
		s := arrow.NewSchema([]arrow.Field{{Name: "1", Type: arrow.PrimitiveTypes.Int64}}, nil)
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(fmt.Sprintf(`[{"1": %d}]`, value)))
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Release()
		st, err := c.Client.DoPut(ctx)
		if err != nil {
			t.Fatal(err)
		}
		w := flight.NewRecordWriter(st, ipc.WithSchema(s))
		w.SetFlightDescriptor(&flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: packed(t, &pb.CommandPreparedStatementQuery{PreparedStatementHandle: handle})})
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
		_ = st.CloseSend()
		r, err := st.Recv()
		if err != nil {
			t.Fatal(err)
		}
		_, _, n := protowire.ConsumeTag(r.AppMetadata)
		out, m := protowire.ConsumeBytes(r.AppMetadata[n:])
		if m < 0 {
			t.Fatal("no handle:", r.AppMetadata)
		}
		return out
	}
	for _, sql := range []string{"select name from customers where customer = 2", "select upper(name) from customers where customer = 2 group by all"} {
		want := map[bool]string{true: "n2\n", false: "N2\n"}[strings.HasPrefix(sql, "select name")]
		info, err := execute(b, handle(a, sql))
		same(sql+", prepared at one and asked at the other", info, err, want)
		h := handle(a, strings.Replace(sql, "= 2", "= ?", 1))
		bound := bind(b, h, 2)
		info, err = execute(a, bound)
		same(sql+", bound at the other", info, err, want)
		// For a client that does not take the new handle along, the server that has the values answers, and the other says what it lacks.
		info, err = execute(b, h)
		same(sql+", with the handle of before", info, err, want)
		if _, err := execute(a, h); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "at the server that is asked") {
			t.Errorf("%s: values bound at the other server: %v", sql, err)
		}
	}

	// Redeeming the result of what is written at one writes nothing again at the other, which has the rows when it has looked for them.
	info, err = a.Execute(ctx, "create table w as select 1 as x")
	same("a statement that writes", info, err, "1\n")
	info, err = a.Execute(ctx, "insert into w values (2)")
	same("a statement that appends", info, err, "1\n")
	info, err = a.Execute(ctx, "from w order by x")
	for end := time.Now().Add(20 * time.Second); err == nil && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got, _ := sqlRows(ctx, b, info, nil); got == "1\n2\n" {
			break
		}
	}
	same("what was written", info, err, "1\n2\n")
	files, err := os.ReadDir(filepath.Join(place, "w"))
	if err != nil || len(files) != 2 {
		t.Error(files, err)
	}

	// What one client was given is no more to another, at whatever server, than what that may read.
	two := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+strings.TrimSpace(other))
	for _, sql := range []string{"select id from orders where id = 7", "select max(id) from orders group by customer", "select count(*) from orders, customers"} {
		info, err := a.Execute(ctx, sql)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := sqlRows(two, b, info, nil); status.Code(err) != codes.PermissionDenied {
			t.Errorf("%s, redeemed by another client at the other server: %q, %v", sql, got, err)
		}
		if info, err := b.Client.GetFlightInfo(two, &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: packed(t, &pb.CommandPreparedStatementQuery{PreparedStatementHandle: handle(a, sql)})}); status.Code(err) != codes.PermissionDenied {
			t.Errorf("%s, prepared by another client: %v, %v", sql, info, err)
		}
	}

	// A session is at one server.
	session := func(c *flightsql.Client, cookie, sql string) (*flight.FlightInfo, string, error) {
		var header metadata.MD
		info, err := c.Execute(metadata.AppendToOutgoingContext(ctx, "cookie", "arrow_flight_session_id="+cookie), sql, grpc.Header(&header))
		set := ""
		if v := header.Get("set-cookie"); len(v) > 0 {
			set, _, _ = strings.Cut(strings.TrimPrefix(v[0], "arrow_flight_session_id="), ";")
		}
		return info, set, err
	}
	_, offer, err := session(a, "", "select 1 as one from customers group by all")
	if err != nil {
		t.Fatal(err)
	}
	_, cookie, err := session(a, offer, "create temp table own as select 7 as x")
	if err != nil || cookie == "" {
		t.Fatal(cookie, err)
	}
	info, _, err = session(a, cookie, "from own")
	if got, err := sqlRows(ctx, a, info, err); got != "7\n" || err != nil {
		t.Error(got, err)
	}
	if got, err := sqlRows(ctx, b, info, err); status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "of another server") {
		t.Error("a ticket of a session, at the other server:", got, err)
	}
	if _, _, err := session(b, cookie, "from own"); status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "of another server") {
		t.Error("a session, at the other server:", err)
	}
}
