package flight

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

// quiet is a log that tests read where they want to.
type quiet struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (q *quiet) Write(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.buf.Write(p)
}

func (q *quiet) String() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.buf.String()
}

// running is a server under test.
type running struct {
	*Server
	catalog *Catalog
	addr    net.Addr
	log     *quiet
	stop    func() error // ends it, and returns what Serve did
}

// start serves what specs say until the test ends.
func start(t testing.TB, o Options, specs map[string]Spec) *running {
	t.Helper()
	r := &running{log: &quiet{}}
	o.Logger = slog.New(slog.NewTextHandler(r.log, nil))
	r.catalog = NewCatalog(CatalogOptions{Logger: o.Logger})
	for name, s := range specs {
		if err := r.catalog.Add(t.Context(), name, s); err != nil {
			t.Fatal(name, err)
		}
	}
	o.Catalog = r.catalog
	var err error
	if r.Server, err = New(o); err != nil {
		t.Fatal(err)
	}
	l, err := Listen("grpc://127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.addr = l.Addr()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Serve(ctx, l) }()
	r.stop = sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(60 * time.Second):
			return errors.New("the server does not end")
		}
	})
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// client connects to the server until the test ends.
func (r *running) client(t testing.TB, o ...grpc.DialOption) flight.Client {
	t.Helper()
	return connect(t, r.addr.String(), o...)
}

func connect(t testing.TB, addr string, o ...grpc.DialOption) flight.Client {
	t.Helper()
	o = append(o, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(1<<30)))
	c, err := flight.NewClientWithMiddleware(addr, nil, nil, o...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func pathOf(name string) *flight.FlightDescriptor {
	return &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{name}}
}

func cmdOf(format string, args ...any) *flight.FlightDescriptor {
	return &flight.FlightDescriptor{Type: flight.DescriptorCMD, Cmd: fmt.Appendf(nil, format, args...)}
}

// stream is everything that a DoGet gave.
type stream struct {
	schema *arrow.Schema
	recs   []arrow.Record
	meta   []BatchMeta
	err    error
}

func (s *stream) rows() (n int64) {
	for _, r := range s.recs {
		n += r.NumRows()
	}
	return n
}

// get reads a ticket.
func get(ctx context.Context, t testing.TB, c flight.Client, ticket []byte) *stream {
	t.Helper()
	out := &stream{}
	st, err := c.DoGet(ctx, &flight.Ticket{Ticket: ticket})
	if err != nil {
		out.err = err
		return out
	}
	r, err := flight.NewRecordReader(st)
	if err != nil {
		out.err = err
		return out
	}
	defer r.Release()
	out.schema = r.Schema()
	for r.Next() {
		rec := r.Record()
		rec.Retain()
		out.recs = append(out.recs, rec)
		m, err := ParseBatchMeta(r.LatestAppMetadata())
		if err != nil {
			t.Fatal(err)
		}
		if m.Rows != rec.NumRows() {
			t.Fatalf("app_metadata of %d rows on a batch of %d", m.Rows, rec.NumRows())
		}
		out.meta = append(out.meta, m)
	}
	if err := r.Err(); err != nil && err != io.EOF {
		out.err = err
	}
	return out
}

// getAll reads every endpoint of a descriptor, in order.
func getAll(ctx context.Context, t testing.TB, c flight.Client, d *flight.FlightDescriptor) (*flight.FlightInfo, *stream) {
	t.Helper()
	info, err := c.GetFlightInfo(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	all := &stream{}
	for _, e := range info.Endpoint {
		s := get(ctx, t, c, e.Ticket.Ticket)
		if s.err != nil {
			t.Fatal(s.err)
		}
		if all.schema == nil {
			all.schema = s.schema
		} else if !all.schema.Equal(s.schema) {
			t.Fatalf("endpoints of different schemas: %v, %v", all.schema, s.schema)
		}
		all.recs = append(all.recs, s.recs...)
		all.meta = append(all.meta, s.meta...)
	}
	sc, err := flight.DeserializeSchema(info.Schema, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	if !sc.Equal(all.schema) {
		t.Fatalf("FlightInfo says %v, the stream %v", sc, all.schema)
	}
	return info, all
}

// scanned is what a scan of files gives.
func scanned(t testing.TB, paths []string, o arrowio.ScanOptions) *stream {
	t.Helper()
	d, err := readers.OpenDataset(t.Context(), paths, readers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.Scan(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	out := &stream{schema: s.Schema()}
	for s.Next() {
		s.Record().Retain()
		out.recs = append(out.recs, s.Record())
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return out
}

// sameRows compares the rows of two streams, however they are cut.
func sameRows(t testing.TB, got, want *stream) {
	t.Helper()
	if g, w := got.rows(), want.rows(); g != w {
		t.Fatalf("%d rows, want %d", g, w)
	}
	if !sameFields(got.schema, want.schema) {
		t.Fatalf("schema %v, want %v", got.schema, want.schema)
	}
	if got.rows() == 0 {
		return
	}
	for i := range want.schema.Fields() {
		g, w := column(t, got, i), column(t, want, i)
		if !array.Equal(g, w) {
			t.Fatalf("column %s differs:\n%.300s\nwant\n%.300s", want.schema.Field(i).Name, g, w)
		}
	}
}

func sameFields(a, b *arrow.Schema) bool {
	if a.NumFields() != b.NumFields() {
		return false
	}
	for i := range a.Fields() {
		if a.Field(i).Name != b.Field(i).Name || !arrow.TypeEqual(a.Field(i).Type, b.Field(i).Type) {
			return false
		}
	}
	return true
}

func column(t testing.TB, s *stream, i int) arrow.Array {
	t.Helper()
	var parts []arrow.Array
	for _, r := range s.recs {
		parts = append(parts, r.Column(i))
	}
	a, err := array.Concatenate(parts, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// table makes n rows of several types, the same for the same arguments, in records of about batch rows.
func table(mem memory.Allocator, n, batch int, seed uint64) (*arrow.Schema, []arrow.Record) {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true},
	}, nil)
	rnd := rand.New(rand.NewPCG(seed, 1))
	b := array.NewRecordBuilder(mem, s)
	defer b.Release()
	var out []arrow.Record
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if rnd.IntN(10) == 0 {
			b.Field(1).AppendNull()
			b.Field(2).AppendNull()
			b.Field(3).AppendNull()
		} else {
			b.Field(1).(*array.Float64Builder).Append(rnd.Float64())
			b.Field(2).(*array.StringBuilder).Append(strings.Repeat("é", rnd.IntN(8)) + fmt.Sprint(rnd.IntN(1000)))
			l := b.Field(3).(*array.ListBuilder)
			l.Append(true)
			for range rnd.IntN(4) {
				l.ValueBuilder().(*array.Int32Builder).Append(rnd.Int32())
			}
		}
		if (i+1)%batch == 0 || i == n-1 {
			out = append(out, b.NewRecord())
		}
	}
	return s, out
}

// write makes a file of records in the format that its name tells.
func write(t testing.TB, path string, recs []arrow.Record, options map[string]string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	o := arrowio.WriteOptions{Options: options}
	if slices.Contains([]string{".orc", ".parquet", ".trv"}, filepath.Ext(path)) {
		o.RowGroupBytes = 256 << 10
	}
	w, err := writers.Create(t.Context(), path, recs[0].Schema(), writers.Options{Force: true, Write: o})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recs {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// settled waits until a condition holds, for as long as a loaded machine may take.
func settled(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("%s, and stays so", what)
		}
		runtime.Gosched()
		time.Sleep(5 * time.Millisecond)
	}
}

func readersOpen(t testing.TB, paths ...string) (*dataset.Dataset, error) {
	return readers.OpenDataset(t.Context(), paths, readers.Options{})
}

// damage overwrites what follows the first bytes of a file, data of its first stripe.
func damage(t testing.TB, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(bytes.Repeat([]byte{0xFF}, 2000), 3); err != nil {
		t.Fatal(err)
	}
}
