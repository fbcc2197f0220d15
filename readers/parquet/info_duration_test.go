package parquet_test

import (
	"errors"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	reader "github.com/arrowio/arrowio/readers/parquet"
	writer "github.com/arrowio/arrowio/writers/parquet"
)

// TestInfoOfDurations inspects statistics of durations, which arrow's own scalars cannot print.
func TestInfoOfDurations(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: arrow.FixedWidthTypes.Duration_ms}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer b.Release()
	b.Field(0).(*array.DurationBuilder).AppendValues([]arrow.Duration{-5, 70}, nil)
	rec := b.NewRecord()
	defer rec.Release()
	p, err := writer.Format().Plan(schema, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(t.Context(), writer.Format(), st, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(rec), w.Close()); err != nil {
		t.Fatal(err)
	}
	for _, file := range st.Objects() {
		f, err := reader.Format().Open(t.Context(), local.NewBytesSource(file), arrowio.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, err := f.Info(t.Context(), arrowio.InfoOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if s := info.Columns[0].Stats; s == nil || s.Min != "-5ms" || s.Max != "70ms" {
			t.Errorf("%+v", s)
		}
	}
}
