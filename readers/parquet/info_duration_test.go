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
	checkBounds(t, arrow.FixedWidthTypes.Duration_ms, func(b array.Builder) { b.(*array.DurationBuilder).AppendValues([]arrow.Duration{-5, 70}, nil) }, "-5ms", "70ms")
}

// TestInfoOfDecimals inspects statistics of decimals that no double holds. They have the digits behind the point that their column has.
func TestInfoOfDecimals(t *testing.T) {
	for _, c := range []struct {
		typ      arrow.DataType
		min, max string
	}{
		{&arrow.Decimal128Type{Precision: 20, Scale: 2}, "-0.01", "1.10"},
		{&arrow.Decimal128Type{Precision: 9, Scale: 2}, "-5.10", "7.77"},
		{&arrow.Decimal128Type{Precision: 30, Scale: 2}, "0.10", "12345678901234567890.10"},
		{&arrow.Decimal128Type{Precision: 38}, "-99999999999999999999999999999999999999", "3"},
		{&arrow.Decimal256Type{Precision: 60, Scale: 2}, "1.10", "12345678901234567890123456789012345678901234567890.10"},
	} {
		checkBounds(t, c.typ, func(b array.Builder) {
			for _, text := range []string{c.max, c.min} {
				if err := b.AppendValueFromString(text); err != nil {
					t.Fatal(err)
				}
			}
		}, c.min, c.max)
	}
}

// checkBounds writes values of a type, and checks the bounds that inspecting the file shows.
func checkBounds(t *testing.T, typ arrow.DataType, values func(array.Builder), low, high string) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: typ}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer b.Release()
	values(b.Field(0))
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
		if s := info.Columns[0].Stats; s == nil || s.Min != low || s.Max != high {
			t.Errorf("%v: %+v, want %s to %s", typ, s, low, high)
		}
	}
}
