package parquet_test

import (
	"errors"
	"math"
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

// TestInfoOfFarTimes inspects statistics of times that 64 bits of nanoseconds do not hold, and of bytes. The texts are those of
// datetime.datetime(1970, 1, 1) + datetime.timedelta(…) of Python, and of the calendar's rules beyond its years.
func TestInfoOfFarTimes(t *testing.T) {
	times := func(low, high int64) func(array.Builder) {
		return func(b array.Builder) {
			b.(*array.TimestampBuilder).AppendValues([]arrow.Timestamp{arrow.Timestamp(low), arrow.Timestamp(high)}, nil)
		}
	}
	checkBounds(t, &arrow.TimestampType{Unit: arrow.Microsecond}, times(-62135596800_000000, 253402300799_000000), "0001-01-01T00:00:00", "9999-12-31T23:59:59")
	checkBounds(t, &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}, times(-62135596800_000, 253402300799_000), "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z")
	checkBounds(t, &arrow.TimestampType{Unit: arrow.Microsecond}, times(math.MinInt64, math.MaxInt64), "-290308-12-21T19:59:05.224192", "294247-01-10T04:00:54.775807")
	checkBounds(t, arrow.FixedWidthTypes.Date32, func(b array.Builder) {
		b.(*array.Date32Builder).AppendValues([]arrow.Date32{math.MinInt32, math.MaxInt32}, nil)
	}, "-5877641-06-23", "5881580-07-11")
	checkBounds(t, arrow.BinaryTypes.Binary, func(b array.Builder) {
		b.(*array.BinaryBuilder).AppendValues([][]byte{{}, {0, 0xff}}, nil)
	}, "0x", "0x00ff")
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
