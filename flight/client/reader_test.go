package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	arrowflight "github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/flight/client"
)

// serve serves files until the test ends, and returns a client with the options.
func serve(t testing.TB, files map[string]string) arrowflight.Client {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	catalog := flight.NewCatalog(flight.CatalogOptions{Logger: log})
	for name, path := range files {
		if err := catalog.Add(t.Context(), name, flight.Spec{Paths: []string{path}}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := flight.New(flight.Options{Catalog: catalog, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	l, err := flight.Listen("grpc://127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	c, err := arrowflight.NewClientWithMiddleware(l.Addr().String(), nil, nil, append(client.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func get(t testing.TB, c arrowflight.Client, dataset string) arrowflight.FlightService_DoGetClient {
	t.Helper()
	s, err := c.DoGet(t.Context(), &arrowflight.Ticket{Ticket: []byte(`{"dataset":"` + dataset + `"}`)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Rows are those that Arrow's own reader has of the same stream, also when all are kept while memory is used again; what comes
// with the batches, too.
func TestReaderAsArrow(t *testing.T) {
	files := map[string]string{
		"nested": "../../testdata/orc/java-2.3.1/pruning.orc", "types": "../../testdata/ipc/pyarrow-26.0.1/types.arrow",
		"dictionaries": "../../testdata/ipc/pyarrow-26.0.1/dict_nested.arrow",
		"trevni":       "../../testdata/trevni/java-1.12.1/avro-nested.trv",
	}
	for name, path := range files {
		if found, err := filepath.Glob(path); err != nil || len(found) != 1 {
			t.Fatalf("%s is not there", path)
		}
		c := serve(t, map[string]string{name: path})
		theirs, err := arrowflight.NewRecordReader(get(t, c, name))
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			var kept []arrow.Record
			var meta [][]byte
			ours, err := client.NewReader(get(t, c, name), client.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for ours.Next() {
				ours.Record().Retain()
				kept, meta = append(kept, ours.Record()), append(meta, bytes.Clone(ours.AppMetadata()))
			}
			if ours.Err() != nil || !ours.Schema().Equal(theirs.Schema()) {
				t.Fatalf("%s: %v: %s, Arrow has %s", name, ours.Err(), ours.Schema(), theirs.Schema())
			}
			ours.Release()
			again, err := arrowflight.NewRecordReader(get(t, c, name))
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; again.Next(); i++ {
				if i >= len(kept) || !array.RecordEqual(again.Record(), kept[i]) || !bytes.Equal(again.LatestAppMetadata(), meta[i]) {
					t.Fatalf("%s: batch %d differs", name, i)
				}
				kept[i].Release()
			}
			again.Release()
		}
		theirs.Release()
	}
}

// What a server says is what Err says.
func TestReaderErrors(t *testing.T) {
	c := serve(t, map[string]string{"x": "../../testdata/orc/java-2.3.1/pruning.orc"})
	if _, err := client.NewReader(get(t, c, "other"), client.Options{}); status.Code(err) != codes.NotFound {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s, err := c.DoGet(ctx, &arrowflight.Ticket{Ticket: []byte(`{"dataset":"x","batch_rows":10}`)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := client.NewReader(s, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	cancel()
	for r.Next() {
	}
	if status.Code(r.Err()) != codes.Canceled || r.Next() || r.Record() != nil {
		t.Error(r.Err())
	}
}

// messages is a stream of messages.
type messages []*arrowflight.FlightData

func (m *messages) Recv() (*arrowflight.FlightData, error) {
	if len(*m) == 0 {
		return nil, io.EOF
	}
	d := (*m)[0]
	*m = (*m)[1:]
	return d, nil
}

// A server is not trusted: what is not a stream of Arrow is an error, and never a wrong row.
func TestReaderHostile(t *testing.T) {
	c := serve(t, map[string]string{"x": "../../testdata/trevni/java-1.12.1/avro-nested.trv"})
	s := get(t, c, "x")
	schema, err := s.Recv()
	if err != nil {
		t.Fatal(err)
	}
	batch, err := s.Recv()
	if err != nil {
		t.Fatal(err)
	}
	cut := &arrowflight.FlightData{DataHeader: batch.DataHeader, DataBody: batch.DataBody[:len(batch.DataBody)/2]}
	for name, m := range map[string]messages{
		"nothing":                   {},
		"metadata alone":            {{AppMetadata: []byte("x")}},
		"a batch first":             {batch},
		"no message":                {schema, {DataBody: []byte("body")}},
		"another schema":            {schema, schema},
		"a body that is cut off":    {schema, cut},
		"a header that is not one":  {{DataHeader: []byte("header")}},
		"a header that is cut off":  {schema, {DataHeader: batch.DataHeader[:20], DataBody: batch.DataBody}},
		"a body of another message": {schema, {DataHeader: batch.DataHeader, DataBody: bytes.Repeat([]byte{0xff}, len(batch.DataBody))}},
	} {
		r, err := client.NewReader(&m, client.Options{})
		if err == nil {
			for r.Next() {
			}
			err = r.Err()
			r.Release()
		}
		if !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkReader reads a dataset over the loopback, beside Arrow's own reader.
func BenchmarkReader(b *testing.B) {
	c := serve(b, map[string]string{"x": "../../testdata/orc/java-2.3.1/pruning.orc"})
	read := func(b *testing.B, open func(client.Stream) (array.RecordReader, error)) {
		for b.Loop() {
			r, err := open(get(b, c, "x"))
			if err != nil {
				b.Fatal(err)
			}
			for r.Next() {
			}
			r.Release()
		}
	}
	b.Run("arrow", func(b *testing.B) {
		read(b, func(s client.Stream) (array.RecordReader, error) { return arrowflight.NewRecordReader(s) })
	})
	b.Run("client", func(b *testing.B) {
		read(b, func(s client.Stream) (array.RecordReader, error) { return client.NewReader(s, client.Options{}) })
	})
}
