package parquet

import (
	"context"
	"fmt"
	"io"
	"math/rand"
	"runtime"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// nowhere is a store that only counts.
type nowhere struct {
	arrowio.Store
	n int64
}

type drain struct {
	io.Writer
	st *nowhere
}

func (d drain) Write(b []byte) (int, error) { d.st.n += int64(len(b)); return len(b), nil }
func (drain) Close() error                  { return nil }

func (s *nowhere) Create(context.Context, string) (arrowio.Sink, error) { return drain{st: s}, nil }
func (*nowhere) Commit() error                                          { return nil }
func (*nowhere) Abort() error                                           { return nil }

// heap returns what is reachable.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what pools held for one round
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemory writes far more than a row group: what the writer keeps does not grow with the file.
func TestMemory(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	mem := memory.DefaultAllocator
	numbers, few, all := array.NewInt64Builder(mem), array.NewStringBuilder(mem), array.NewStringBuilder(mem)
	for range 30_000 {
		numbers.Append(r.Int63())
		few.Append(fmt.Sprint("word ", r.Intn(5000)))
		all.Append(fmt.Sprint("distinct ", r.Int63()))
	}
	rec := recordOf(numbers.NewArray(), few.NewArray(), all.NewArray())
	size := arrowbuf.RecordSize(rec)
	for _, c := range []struct {
		o     arrowio.WriteOptions
		limit int64
	}{
		{arrowio.WriteOptions{Compression: "none", RowGroupBytes: 4 << 20, Parallelism: 2}, 12 << 20},
		{arrowio.WriteOptions{RowGroupBytes: 4 << 20, Parallelism: 2}, 12 << 20},
		{arrowio.WriteOptions{Compression: "none", Memory: 24 << 20, Parallelism: 2}, 24 << 20},
		{arrowio.WriteOptions{Compression: "none", RowGroupBytes: 4 << 20, Parallelism: 2, Options: map[string]string{"parquet-page-index": "yes", "parquet-bloom": "*"}}, 20 << 20},
	} {
		st := &nowhere{}
		p, err := Plan(rec.Schema(), c.o)
		if err != nil {
			t.Fatal(err)
		}
		before := heap()
		w, err := arrowio.NewWriter(context.Background(), Format(), st, p)
		if err != nil {
			t.Fatal(err)
		}
		most := int64(0)
		for i := range 32 {
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
			if i%4 == 3 {
				most = max(most, heap()-before)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v: %d MB written, %d MB stored, %d kB kept", c.o, 32*size>>20, st.n>>20, most>>10)
		if most > c.limit {
			t.Errorf("%+v: the writer keeps %d kB, limit %d kB", c.o, most>>10, c.limit>>10)
		}
	}
}

// TestManyColumns writes ten thousand columns: each takes little.
func TestManyColumns(t *testing.T) {
	const columns, rows = 10_000, 20
	b := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range rows {
		b.Append(int64(i))
	}
	a := b.NewArray()
	fields, arrays := make([]arrow.Field, columns), make([]arrow.Array, columns)
	for i := range fields {
		fields[i], arrays[i] = arrow.Field{Name: fmt.Sprint("c", i), Type: a.DataType(), Nullable: true}, a
	}
	rec := array.NewRecord(arrow.NewSchema(fields, nil), arrays, rows)
	p, err := Plan(rec.Schema(), arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	w, err := arrowio.NewWriter(context.Background(), Format(), &nowhere{}, p)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if kept := heap() - before; kept > columns*16<<10 {
		t.Errorf("the writer keeps %d kB of %d columns", kept>>10, columns)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
