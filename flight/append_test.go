package flight

import (
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// Rows are appended in the format of the dataset, whole or not at all.
func TestPutAppends(t *testing.T) {
	t.Parallel()
	r, dir := puttable(t, Options{})
	c := r.client(t)
	s, recs := table(memory.DefaultAllocator, 3000, 700, 1)
	_, more := table(memory.DefaultAllocator, 500, 500, 2)
	for _, f := range []string{"ipc", "orc", "parquet", "avro"} {
		name := "in-" + f
		add := cmdOf(`{"dataset":%q,"mode":"append","rows":500}`, name)
		if _, err := putting(t.Context(), t, c, add, s, more); code(err) != codes.NotFound {
			t.Errorf("%s: append to nothing: %v", f, err)
		}
		if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":%q,"format":%q}`, name, f), s, recs); err != nil {
			t.Fatal(f, err)
		}
		_, before := getAll(t.Context(), t, c, pathOf(name))
		old, err := c.GetFlightInfo(t.Context(), pathOf(name))
		if err != nil {
			t.Fatal(err)
		}
		report, err := putting(t.Context(), t, c, add, s, more)
		if err != nil || !report.Appended || report.Replaced || report.Rows != 500 || report.Format != f || len(report.Files) != 1 {
			t.Fatalf("%s: %+v, %v", f, report, err)
		}
		if added := report.Files[0]; !slices.Contains(names(t, dir+"/"+name), added.Name) || !strings.HasPrefix(added.Name, "part-00001-") {
			t.Errorf("%s: added %s, and there are %v", f, added.Name, names(t, dir+"/"+name))
		}
		info, got := getAll(t.Context(), t, c, pathOf(name))
		if got.err != nil || got.rows() != 3500 || info.TotalRecords != 3500 {
			t.Fatalf("%s: %d rows, %v", f, got.rows(), got.err)
		}
		first := &stream{schema: got.schema}
		first.recs = takeRows(got.recs, 3000)
		sameRows(t, first, before)
		for _, e := range old.Endpoint { // tickets for the rows that there were stay good
			if st := get(t.Context(), t, c, e.Ticket.Ticket); st.err != nil {
				t.Errorf("%s: %v", f, st.err)
			}
		}
		// What ends too early, or does not fit, leaves nothing.
		held := names(t, dir+"/"+name)
		if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":%q,"mode":"append","rows":501}`, name), s, more); code(err) != codes.InvalidArgument {
			t.Error(f, err)
		}
		other := arrow.NewSchema([]arrow.Field{{Name: "other", Type: arrow.PrimitiveTypes.Int64}}, nil)
		if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":%q,"mode":"append"}`, name), other, nil); code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "no column") {
			t.Error(f, err)
		}
		if now := names(t, dir+"/"+name); !slices.Equal(now, held) || len(now) != 2 {
			t.Errorf("%s: %v, before %v", f, now, held)
		}
		if report, err := putting(t.Context(), t, c, cmdOf(`{"dataset":%q,"mode":"replace"}`, name), s, more); err != nil || !report.Replaced {
			t.Errorf("%s: what was appended to is not replaced: %v", f, err)
		}
	}
	set := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}}, nil)
	if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-set","format":"cfile"}`), set, nil); err != nil {
		t.Error(err)
	}
	if _, err := putting(t.Context(), t, c, cmdOf(`{"dataset":"in-set","mode":"append"}`), set, nil); code(err) != codes.Unimplemented {
		t.Error(err)
	}
}

// Who may write but not read learns nothing of the columns.
func TestAppendBlindly(t *testing.T) {
	t.Parallel()
	path, secrets := tokenFileOf(t, "alice", "bob")
	rules := []Rule{}
	for _, text := range []string{"alice:read=*", "alice:write=*", "bob:write=*"} {
		rule, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, rule)
	}
	r, _ := puttable(t, Options{Authorizer: access(t, AccessOptions{Tokens: path, Rules: rules})})
	c := r.client(t)
	alice, bob := with(t.Context(), "authorization", "Bearer "+secrets["alice"]), with(t.Context(), "authorization", "Bearer "+secrets["bob"])
	s, recs := table(memory.DefaultAllocator, 10, 10, 1)
	if _, err := putting(alice, t, c, pathOf("in-a"), s, recs); err != nil {
		t.Fatal(err)
	}
	add := cmdOf(`{"dataset":"in-a","mode":"append"}`)
	if _, err := putting(bob, t, c, add, s, recs); err != nil {
		t.Error(err)
	}
	wrong := arrow.NewSchema([]arrow.Field{{Name: s.Field(0).Name, Type: arrow.BinaryTypes.Binary}}, nil)
	if _, err := putting(bob, t, c, add, wrong, nil); code(err) != codes.InvalidArgument || strings.Contains(err.Error(), s.Field(0).Type.Name()) {
		t.Error(err)
	}
}

// takeRows returns the first n rows.
func takeRows(recs []arrow.Record, n int64) (out []arrow.Record) {
	for _, r := range recs {
		k := min(n, r.NumRows())
		out = append(out, r.NewSlice(0, k))
		n -= k
	}
	return out
}

// ingestion is a CommandStatementIngest as ADBC sends it.
func ingestion(t *testing.T, table string, notExist, exists uint64, more ...byte) *flight.FlightDescriptor {
	t.Helper()
	var o []byte
	o = protowire.AppendVarint(protowire.AppendTag(o, 1, protowire.VarintType), notExist)
	o = protowire.AppendVarint(protowire.AppendTag(o, 2, protowire.VarintType), exists)
	b := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), o)
	b = protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), table)
	cmd, err := proto.Marshal(&anypb.Any{TypeUrl: "type.googleapis.com/arrow.flight.protocol.sql.CommandStatementIngest", Value: append(b, more...)})
	if err != nil {
		t.Fatal(err)
	}
	return &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: cmd}
}

// Bulk ingestion creates, appends and replaces as it says, and answers with the rows.
func TestSQLIngest(t *testing.T) {
	t.Parallel()
	r, _ := puttable(t, Options{})
	c := r.client(t)
	s, recs := table(memory.DefaultAllocator, 100, 100, 1)
	const create, fail, ifFail, ifAppend, ifReplace = 1, 2, 1, 2, 3
	temporary := protowire.AppendVarint(protowire.AppendTag(nil, 5, protowire.VarintType), 1)
	transaction := protowire.AppendString(protowire.AppendTag(nil, 6, protowire.BytesType), "t")
	elsewhere := protowire.AppendString(protowire.AppendTag(nil, 3, protowire.BytesType), "other")
	main := protowire.AppendString(protowire.AppendTag(nil, 3, protowire.BytesType), "main")
	for _, x := range []struct {
		d    *flight.FlightDescriptor
		want codes.Code
		rows int64 // that there are afterwards
	}{
		{ingestion(t, "in-a", fail, ifAppend), codes.NotFound, -1},
		{ingestion(t, "in-a", create, ifFail), codes.OK, 100},
		{ingestion(t, "in-a", create, ifFail), codes.AlreadyExists, 100},
		{ingestion(t, "in-a", fail, ifAppend), codes.OK, 200},
		{ingestion(t, "in-a", create, ifAppend, main...), codes.OK, 300},
		{ingestion(t, "in-a", create, ifReplace), codes.OK, 100},
		{ingestion(t, "in-a", create, ifAppend, temporary...), codes.Unimplemented, 100},
		{ingestion(t, "in-a", create, ifAppend, transaction...), codes.InvalidArgument, 100},
		{ingestion(t, "in-a", create, ifAppend, elsewhere...), codes.NotFound, 100},
		{ingestion(t, "in-a", 9, ifAppend), codes.InvalidArgument, 100},
		{ingestion(t, "in-a", create, ifAppend, 0xFF), codes.InvalidArgument, 100},
		{ingestion(t, "in a", create, ifAppend), codes.InvalidArgument, 100},
		{ingestion(t, "out", create, ifAppend), codes.PermissionDenied, 100},
	} {
		st, err := c.DoPut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		w := flight.NewRecordWriter(st, ipc.WithSchema(s))
		w.SetFlightDescriptor(x.d)
		for _, rec := range recs {
			_ = w.Write(rec) // the answer says what is wrong
		}
		_ = w.Close()
		_ = st.CloseSend()
		answer, err := st.Recv()
		if code(err) != x.want {
			t.Errorf("%v: %v", x.d, err)
			continue
		}
		if err == nil && !slices.Equal(answer.AppMetadata, []byte{8, 100}) { // record_count = 100
			t.Errorf("%v", answer)
		}
		info, err := c.GetFlightInfo(t.Context(), pathOf("in-a"))
		if x.rows < 0 != (err != nil) || err == nil && info.TotalRecords != x.rows {
			t.Errorf("%v: %v, %v", x.d, info, err)
		}
	}
}

// Session options are those that there are in any case.
func TestSessionOptions(t *testing.T) {
	t.Parallel()
	r, _ := puttable(t, Options{})
	c := r.client(t)
	act := func(kind string, body []byte) []byte {
		t.Helper()
		st, err := c.DoAction(t.Context(), &flight.Action{Type: kind, Body: body})
		if err != nil {
			t.Fatal(err)
		}
		res, err := st.Recv()
		if err != nil {
			t.Fatal(kind, err)
		}
		return res.Body
	}
	option := func(name string, value ...byte) []byte {
		e := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name)
		e = protowire.AppendBytes(protowire.AppendTag(e, 2, protowire.BytesType), value)
		return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), e)
	}
	text := func(s string) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), s)
	}
	if got := act("SetSessionOptions", append(option("catalog", text("arrowio")...), option("schema")...)); len(got) != 0 {
		t.Errorf("%q", got)
	}
	wrong := func(name string, value byte) []byte { return option(name, 8, value) }
	if got := act("SetSessionOptions", option("catalog", text("other")...)); !slices.Equal(got, wrong("catalog", 2)) {
		t.Errorf("%q", got)
	}
	if got := act("SetSessionOptions", option("color", text("red")...)); !slices.Equal(got, wrong("color", 1)) {
		t.Errorf("%q", got)
	}
	want := append(option("catalog", text("arrowio")...), option("schema", text("main")...)...)
	if got := act("GetSessionOptions", nil); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
