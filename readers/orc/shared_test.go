package orc

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	writer "github.com/arrowio/arrowio/writers/orc"
)

// oneStripe returns a file of one stripe that is cut into several splits.
func oneStripe(t *testing.T) []byte {
	t.Helper()
	const rows = 6 * splitRows
	s := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "few", Type: arrow.PrimitiveTypes.Int32}, {Name: "text", Type: arrow.BinaryTypes.String}}, nil)
	p, err := writer.Plan(s, arrowio.WriteOptions{Compression: "zstd", Parallelism: 1, RowGroupBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(t.Context(), writer.Format(), st, p)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewSource(1))
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(rng.Uint64()))
		b.Field(1).(*array.Int32Builder).Append(rng.Int31n(4))
		b.Field(2).(*array.StringBuilder).Append(fmt.Sprint("text ", rng.Intn(50)))
	}
	rec := b.NewRecord()
	defer rec.Release()
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, b := range st.Objects() {
		return b
	}
	return nil
}

// sums returns the sum of the integers of a scan, and the number of its rows.
func sums(t *testing.T, open func(context.Context) (arrowio.File, error), o arrowio.ScanOptions, far bool) (n, rows int64) {
	t.Helper()
	f, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := arrowio.ScanFragments(t.Context(), f.Schema(), []arrowio.Fragment{{Name: "f", Open: open, Far: far}}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		rec := r.Record()
		rows += rec.NumRows()
		for i, field := range rec.Schema().Fields() {
			if field.Name == "n" {
				for _, v := range rec.Column(i).(*array.Int64).Int64Values() {
					n += v
				}
			}
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return n, rows
}

// A scan of all rows of a far file reads each byte of a stripe once, in however many splits; one of some rows, or with little memory, does not
// read a stripe for a split.
func TestSharedStreams(t *testing.T) {
	b := oneStripe(t)
	src := &spanSource{farSource{Source: local.NewBytesSource(b)}}
	open := func(ctx context.Context) (arrowio.File, error) { return Open(ctx, src, arrowio.Limits{}, Options{}) }
	near := func(ctx context.Context) (arrowio.File, error) {
		return Open(ctx, local.NewBytesSource(b), arrowio.Limits{}, Options{})
	}
	f, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	splits := f.Splits()
	if len(splits) < 2 {
		t.Fatalf("%d splits", len(splits))
	}
	size := int64(len(b))
	for _, c := range []struct {
		name        string
		o           arrowio.ScanOptions
		least, most int64
	}{
		{"serial", arrowio.ScanOptions{Parallelism: 1}, size / 2, size + size/50},
		{"parallel", arrowio.ScanOptions{Parallelism: 4}, size / 2, size + size/50},
		{"a column", arrowio.ScanOptions{Parallelism: 4, Columns: []string{"few"}}, 1, size / 8},
		{"a split", arrowio.ScanOptions{Parallelism: 4, Rows: splits[1].Rows}, size / 8, size / 2},
		{"little memory", arrowio.ScanOptions{Parallelism: 4, MemoryBudget: 1 << 20}, size / 2, 2 * size},
	} {
		src.reset()
		n, rows := sums(t, open, c.o, true)
		if wantN, wantRows := sums(t, near, c.o, false); n != wantN || rows != wantRows || rows == 0 {
			t.Errorf("%s: %d rows, sum %d, want %d and %d", c.name, rows, n, wantRows, wantN)
		}
		if got := src.bytes.Load(); got < c.least || got > c.most {
			t.Errorf("%s: %d bytes read of %d, want %d to %d", c.name, got, size, c.least, c.most)
		}
	}
}

// What cannot be read together is read by each split, and the error is that of the source.
func TestSharedStreamsFail(t *testing.T) {
	f := &File{cuts: []cut{{stripe: 0}, {stripe: 0}, {stripe: 1}}}
	for ordinal, want := range []int{2, 1} {
		if got := (&stripe{file: f, ordinal: ordinal}).pieces(); got != want {
			t.Errorf("stripe %d: %d splits, want %d", ordinal, got, want)
		}
	}
	b := slices.Repeat([]byte{1}, 100)
	src := &failingSource{Source: local.NewBytesSource(b), fails: 1}
	s := &stripe{file: &File{src: src}}
	streams := []arrowio.ByteRange{{Off: 10, Len: 5}, {Off: 20, Len: 7}}
	if got := s.share(t.Context(), streams); got != nil {
		t.Errorf("after a failure: %v", got)
	}
	got := s.share(t.Context(), streams)
	if len(got) != 2 || len(got[10]) != 5 || len(got[20]) != 7 {
		t.Errorf("read: %v", got)
	}
	if again := s.share(t.Context(), streams); len(again) != 2 || &again[10][0] != &got[10][0] {
		t.Error("streams are read twice")
	}
	if other := s.share(t.Context(), streams[:1]); other != nil {
		t.Errorf("another projection: %v", other)
	}
}

// failingSource fails the first few times.
type failingSource struct {
	arrowio.Source
	fails int
}

func (s *failingSource) ReadAt(p []byte, off int64) (int, error) {
	if s.fails--; s.fails >= 0 {
		return 0, fmt.Errorf("no connection")
	}
	return s.Source.ReadAt(p, off)
}
