package flight

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// exchanging is an exchange from the client's side.
type exchanging struct {
	flight.FlightService_DoExchangeClient
	w *flight.Writer
	r *flight.Reader
}

func exchangeOf(ctx context.Context, t testing.TB, c flight.Client, d *flight.FlightDescriptor, s *arrow.Schema) (*exchanging, error) {
	t.Helper()
	st, err := c.DoExchange(ctx)
	if err != nil {
		return nil, err
	}
	x := &exchanging{FlightService_DoExchangeClient: st}
	x.w = flight.NewRecordWriter(st, ipc.WithSchema(s))
	x.w.SetFlightDescriptor(d)
	return x, nil
}

// answer sends a record and reads what comes for it, up to its metadata.
func (x *exchanging) answer(t testing.TB, rec arrow.Record, meta string) (out []arrow.Record) {
	t.Helper()
	if err := x.w.WriteWithAppMetadata(rec, []byte(meta)); err != nil {
		t.Fatal(err)
	}
	if x.r == nil {
		var err error
		if x.r, err = flight.NewRecordReader(x); err != nil {
			t.Fatal(err)
		}
	}
	for x.r.Next() {
		x.r.Record().Retain()
		out = append(out, x.r.Record())
		if got := string(x.r.LatestAppMetadata()); got == meta {
			return out
		} else if got != "" {
			t.Fatalf("metadata %q", got)
		}
	}
	t.Fatal("it ends: ", x.r.Err())
	return nil
}

// chosen is what a scan of the same records gives.
func chosen(t testing.TB, s *arrow.Schema, recs []arrow.Record, columns []string, where string) *stream {
	t.Helper()
	path := t.TempDir() + "/x.arrows"
	write(t, path, recs, nil)
	o := arrowio.ScanOptions{Columns: columns}
	if where != "" {
		var err error
		if o.Filter, err = expr.Parse(where); err != nil {
			t.Fatal(err)
		}
	}
	return scanned(t, []string{path}, o)
}

// Every batch is answered before the next one is sent, with the rows and columns that are wanted.
func TestExchange(t *testing.T) {
	t.Parallel()
	r := start(t, Options{}, nil)
	c := r.client(t)
	s, recs := table(memory.DefaultAllocator, 5000, 1000, 1)
	for _, q := range []struct {
		columns []string
		where   string
		more    map[string]any
		pieces  int
	}{
		{nil, "", nil, 1},
		{[]string{"s", "id"}, "x < 0.3 AND id >= 1200", nil, 1},
		{[]string{"l"}, "id < 0", nil, 1},
		{nil, "x < 0.9", map[string]any{"batch_rows": 100, "compression": "zstd"}, 0},
		{nil, "x < 0.9", map[string]any{"compression": "zstd", "compressed": []string{"x"}}, 1},
		{[]string{}, "s IS NULL", map[string]any{"batch_bytes": 4096, "compression": "lz4"}, 1},
		{nil, "", map[string]any{"batch_rows": 300}, 4},
	} {
		command := map[string]any{}
		for k, v := range q.more {
			command[k] = v
		}
		if q.columns != nil {
			command["columns"] = q.columns
		}
		if q.where != "" {
			command["where"] = q.where
		}
		b, err := json.Marshal(command)
		if err != nil {
			t.Fatal(err)
		}
		x, err := exchangeOf(t.Context(), t, c, cmdOf("%s", b), s)
		if err != nil {
			t.Fatal(err)
		}
		got := &stream{}
		for i, rec := range recs {
			pieces := x.answer(t, rec, string(rune('a'+i)))
			if q.pieces > 0 && len(pieces) != q.pieces {
				t.Errorf("%s: %d pieces", b, len(pieces))
			}
			got.recs = append(got.recs, pieces...)
		}
		got.schema = x.r.Schema()
		if err := x.CloseSend(); err != nil {
			t.Fatal(err)
		}
		if x.r.Next() || x.r.Err() != nil && !errors.Is(x.r.Err(), io.EOF) {
			t.Error("more, or ", x.r.Err())
		}
		sameRows(t, got, chosen(t, s, recs, q.columns, q.where))
	}
}

// Children of structs, and columns that only the filter reads.
func TestExchangeNested(t *testing.T) {
	r := start(t, Options{}, nil)
	fields := []arrow.Field{
		{Name: "k", Type: arrow.PrimitiveTypes.Int64},
		{Name: "t", Type: arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}), Nullable: true},
		{Name: "u", Type: arrow.BinaryTypes.String, Nullable: true},
	}
	rec := recordOf(t, `[{"k":1,"t":{"a":1,"b":"x"},"u":"p"},{"k":2,"t":null,"u":null},{"k":3,"t":{"a":null,"b":"z"},"u":"q"}]`, fields...)
	x, err := exchangeOf(t.Context(), t, r.client(t), cmdOf(`{"columns":["t.b"],"where":"k <> 2 AND u IN ('p','q')"}`), rec.Schema())
	if err != nil {
		t.Fatal(err)
	}
	got := x.answer(t, rec, "m")
	want := recordOf(t, `[{"t":{"b":"x"}},{"t":{"b":"z"}}]`, arrow.Field{Name: "t", Type: arrow.StructOf(arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}), Nullable: true})
	if len(got) != 1 || !array.RecordEqual(got[0], want) {
		t.Error(got)
	}
}

// Metadata alone goes back, too, and a stream of no batches has a schema.
func TestExchangeMetadata(t *testing.T) {
	r := start(t, Options{}, nil)
	s, recs := table(memory.DefaultAllocator, 10, 10, 1)
	x, err := exchangeOf(t.Context(), t, r.client(t), cmdOf(`{"columns":["id"]}`), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range framed(t, cmdOf(`{"columns":["id"]}`), s, recs) {
		if err := x.Send(d); err != nil {
			t.Fatal(err)
		}
		if err := x.Send(&flight.FlightData{AppMetadata: []byte("note")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.CloseSend(); err != nil {
		t.Fatal(err)
	}
	kinds := ""
	for {
		d, err := x.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case string(d.GetAppMetadata()) == "note" && len(d.GetDataHeader()) == 0:
			kinds += "n"
		case len(d.GetDataBody()) > 0:
			kinds += "b"
		default:
			kinds += "s"
		}
	}
	if kinds != "snbn" {
		t.Error(kinds)
	}
}

func TestExchangeRefuses(t *testing.T) {
	r := start(t, Options{}, nil)
	c := r.client(t)
	s, recs := table(memory.DefaultAllocator, 10, 10, 1)
	for _, q := range []struct {
		d    *flight.FlightDescriptor
		want codes.Code
	}{
		{pathOf("d"), codes.InvalidArgument},
		{cmdOf(`{"dataset":"d"}`), codes.InvalidArgument},
		{cmdOf(`{"columns":["nothing"]}`), codes.InvalidArgument},
		{cmdOf(`{"where":"nothing > 5"}`), codes.InvalidArgument},
		{cmdOf(`{"where":"id >"}`), codes.InvalidArgument},
		{cmdOf(`{"batch_rows":-1}`), codes.InvalidArgument},
		{cmdOf(`{"batch_bytes":1}`), codes.InvalidArgument},
		{cmdOf(`{"compression":"gzip"}`), codes.InvalidArgument},
		{cmdOf(`{"compression":"zstd","compressed":["nothing"]}`), codes.InvalidArgument},
	} {
		x, err := exchangeOf(t.Context(), t, c, q.d, s)
		if err != nil {
			t.Fatal(err)
		}
		_ = x.w.Write(recs[0]) // Recv says why
		if _, err := x.Recv(); codeOf(err) != q.want {
			t.Errorf("%v: %v", q.d, err)
		}
	}
}

// A client that sends and does not read is not read either, before long; when it does read, all is there.
func TestExchangeHoldsBack(t *testing.T) {
	t.Parallel()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	r := start(t, Options{Allocator: mem}, nil)
	s, recs := table(memory.DefaultAllocator, 64_000, 16_000, 1)
	const rounds = 100 // 4 records, about 2 MB, each
	x, err := exchangeOf(t.Context(), t, r.client(t), cmdOf(`{"where":"id >= 0"}`), s)
	if err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int64
	ended := make(chan error, 1)
	go func() {
		for range rounds {
			for _, rec := range recs {
				if err := x.w.Write(rec); err != nil {
					ended <- err
					return
				}
				sent.Add(1)
			}
		}
		ended <- x.CloseSend()
	}()
	at := int64(-1)
	settled(t, "it never stops", func() bool {
		time.Sleep(200 * time.Millisecond)
		was := at
		at = sent.Load()
		return was == at
	})
	if at >= 4*rounds/2 {
		t.Errorf("%d of %d batches were taken from a client that does not read", at, 4*rounds)
	}
	rd, err := flight.NewRecordReader(x)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for rd.Next() {
		n += rd.Record().NumRows()
	}
	if n != rounds*64_000 {
		t.Errorf("%d rows, %v", n, rd.Err())
	}
	rd.Release()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	settled(t, "memory is still held", func() bool { return mem.CurrentAlloc() == 0 })
}
