//go:build !race

package orc_test

import (
	"fmt"
	"math/rand"
	"runtime"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	writer "github.com/arrowio/arrowio/writers/orc"
)

// heap returns what is reachable.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what pools held for one round
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemory writes far more than a stripe: what the writer keeps is about one of them, at most three times its raw
// bytes, with everything that waits (docs/formats/orc.md), and does not grow with the file.
func TestMemory(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	s := schemaOf(field("i", arrow.PrimitiveTypes.Int64), field("f", arrow.PrimitiveTypes.Float64), field("few", arrow.BinaryTypes.String), field("all", arrow.BinaryTypes.String))
	words := make([]string, 5_000)
	for i := range words {
		words[i] = fmt.Sprint("word ", r.Int63())
	}
	const n = 100_000
	rec := build(memory.DefaultAllocator, s, n, func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.Int64Builder).Append(r.Int63())
		b.Field(1).(*array.Float64Builder).Append(r.Float64())
		b.Field(2).(*array.StringBuilder).Append(words[r.Intn(len(words))])
		b.Field(3).(*array.StringBuilder).Append(fmt.Sprint("distinct ", r.Int63()))
	})
	defer rec.Release()
	for _, c := range []struct {
		o     arrowio.WriteOptions
		limit int64
	}{
		{arrowio.WriteOptions{Compression: "none"}, 3 * writer.DefaultStripeBytes},
		{arrowio.WriteOptions{Compression: "snappy", Memory: 24 << 20}, 24 << 20},
		{arrowio.WriteOptions{Compression: "lz4", RowGroupBytes: 4 << 20}, 3 * 4 << 20},
	} {
		p, err := planOf(s, c.o)
		if err != nil {
			t.Fatal(err)
		}
		st := &counter{}
		before := heap()
		w, err := newWriter(st, p)
		if err != nil {
			t.Fatal(err)
		}
		most, total := int64(0), int64(0)
		for total < 400<<20/sampled {
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
			total += arrowBytes(rec)
			most = max(most, heap()-before)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v: %d MB written, %d MB stored, %d MB kept", c.o, total>>20, st.n>>20, most>>20)
		if most > c.limit {
			t.Errorf("%+v: the writer keeps %d MB, limit %d MB", c.o, most>>20, c.limit>>20)
		}
	}
}

// TestManyColumns writes many columns in small stripes: what is kept is a little for each column, not a chunk, and for
// each stripe that is done no more than its statistics.
func TestManyColumns(t *testing.T) {
	const columns, rows = 2_000, 400
	var fields []arrow.Field
	for i := range columns {
		fields = append(fields, optional(fmt.Sprint("c", i), []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64, arrow.FixedWidthTypes.Boolean}[i%4]))
	}
	s := schemaOf(fields...)
	rec := build(memory.DefaultAllocator, s, rows, func(b *array.RecordBuilder, i int) {
		for k, f := range b.Fields() {
			switch f := f.(type) {
			case *array.Int64Builder:
				f.Append(int64(i * k))
			case *array.StringBuilder:
				f.Append([]string{"a", "bc", "def"}[(i+k)%3])
			case *array.Float64Builder:
				f.Append(float64(i) / 2)
			case *array.BooleanBuilder:
				f.Append(i%3 == 0)
			}
		}
	})
	defer rec.Release()
	before := heap()
	p, err := planOf(s, arrowio.WriteOptions{Compression: "snappy", Options: map[string]string{"orc-stripe-rows": "200", "orc-row-index-stride": "100"}})
	if err != nil {
		t.Fatal(err)
	}
	st := local.NewMemStore()
	w, err := newWriter(st, p)
	if err != nil {
		t.Fatal(err)
	}
	var after [4]int64
	for i := range after {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		after[i] = heap() - before
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d columns: %d kB kept after %d rows, %d kB after %d", columns, after[0]>>10, rows, after[3]>>10, 4*rows)
	if after[3] > columns*48<<10 {
		t.Errorf("%d bytes a column", after[3]/columns)
	}
	b := one(t, st.Objects())
	if n := len(stripesOf(t, b)); n != 4*rows/200 {
		t.Errorf("%d stripes", n)
	}
	recs := scan(t, b, readerOptions(), arrowio.ScanOptions{Parallelism: 1, BatchRows: rows})
	defer release(recs)
	for i, got := range recs {
		at := int64(i) * 200 % rows // batches end where stripes do
		want := rec.NewSlice(at, at+got.NumRows())
		for k, c := range got.Columns() {
			if err := conformance.EqualArrays(c, want.Column(k)); err != nil {
				t.Errorf("batch %d: column %d: %v", i, k, err)
			}
		}
		want.Release()
	}
}
