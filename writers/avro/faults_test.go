package avro_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/writertest"
	"github.com/arrowio/arrowio/writers/avro"
)

// events returns rows of numbers and texts, some of them null.
func events(n int) arrow.Record {
	s := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	tags := b.Field(1).(*array.ListBuilder)
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if tags.Append(i%3 > 0); i%3 > 0 {
			tags.ValueBuilder().(*array.StringBuilder).AppendStringValues([]string{"a", "bc"}, []bool{true, i%2 > 0})
		}
	}
	return b.NewRecord()
}

// TestFaults lets each call to the store fail, one after another: the error comes out, and nothing is left behind.
func TestFaults(t *testing.T) {
	rec := events(2_500)
	defer rec.Release()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	if count := writertest.CheckFaults(t, avro.Format(), rec, 1_000, arrowio.WriteOptions{RowGroupBytes: 4 << 10, MaxFileBytes: 8 << 10, Allocator: mem}); count.Sinks < 2 {
		t.Errorf("%d files: too few to fail", count.Sinks)
	}
	mem.AssertSize(t, 0)
}

// TestAbort gives up at every stage.
func TestAbort(t *testing.T) {
	rec := events(2_500)
	defer rec.Release()
	writertest.CheckAbort(t, avro.Format(), rec, arrowio.WriteOptions{RowGroupBytes: 4 << 10}, func(int, *writertest.Store) {})
}

// TestCancel: a cancelled context ends the writer at the next batch.
func TestCancel(t *testing.T) {
	rec := events(100)
	defer rec.Release()
	writertest.CheckCancel(t, avro.Format(), rec)
}

// The same rows make the same file, however they come in batches; files of other rows have another sync marker.
func TestStable(t *testing.T) {
	file := func(batches ...arrow.Record) []byte {
		st := local.NewMemStore()
		p, err := avro.Format().Plan(batches[0].Schema(), arrowio.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w, err := arrowio.NewWriter(context.Background(), avro.Format(), st, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range batches {
			if err := w.Write(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return st.Objects()["part-00000.avro"]
	}
	rec := events(20_000)
	defer rec.Release()
	whole := file(rec)
	if !bytes.Equal(whole, file(rec.NewSlice(0, 7), rec.NewSlice(7, 15_000), rec.NewSlice(15_000, 20_000))) {
		t.Error("batches make a difference")
	}
	if other := file(rec.NewSlice(1, 20_000)); bytes.Equal(other[len(other)-16:], whole[len(whole)-16:]) {
		t.Error("other rows have the same sync marker")
	}
}
