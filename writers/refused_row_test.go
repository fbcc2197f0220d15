package writers_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

// Errors of values that formats refuse name the column and the row, counted from the first that was given, and the value as it is.
func TestRefusedValuesNameColumnAndRow(t *testing.T) {
	for _, c := range []struct {
		t     arrow.DataType
		good  int64
		bad   int64
		texts string // of which the error has one
		by    string
	}{
		{arrow.FixedWidthTypes.Date64, 86_400_000, 1, "1 ms", "orc trevni avro parquet cfile"},
		{arrow.FixedWidthTypes.Date64, 86_400_000, 864_000_000_000_000_000, "864000000000000000 ms", "orc trevni avro parquet cfile"},
		{&arrow.Decimal128Type{Precision: 4, Scale: 2}, 1234, 1234567, "12345.67|1234567", "orc trevni avro parquet cfile"},
		{&arrow.TimestampType{Unit: arrow.Second}, 1, -1 << 63, "-9223372036854775808", "orc trevni avro parquet cfile"},
		{arrow.FixedWidthTypes.Time32s, 86_399, 86_400, "86400 s", "csv jsonl"},
		{arrow.FixedWidthTypes.Time32ms, 0, -1, "-1 ms", "csv jsonl"},
		{arrow.FixedWidthTypes.Time64ns, 0, -1000, "-1000 ns", "csv jsonl"},
	} {
		for _, f := range writers.All() {
			if !strings.Contains(c.by, f.Name) {
				continue
			}
			s := arrow.NewSchema([]arrow.Field{{Name: "x", Type: c.t, Nullable: true}}, nil)
			err := writeRows(t, f, s, [][]int64{{c.good, c.good, c.good}, {c.good, c.good, c.bad, c.good, c.bad}})
			if err == nil || !errors.Is(err, errs.ErrSchema) {
				t.Errorf("%s: %s: %v", f.Name, c.t, err)
				continue
			}
			text := err.Error()
			said := false
			for v := range strings.SplitSeq(c.texts, "|") {
				said = said || strings.Contains(text, v)
			}
			if !said || !strings.Contains(text, "column x") || !strings.Contains(text, "row 5:") {
				t.Errorf("%s: %s: %v", f.Name, c.t, err)
			}
		}
	}
}

func writeRows(t *testing.T, f arrowio.OutputFormat, s *arrow.Schema, batches [][]int64) error {
	t.Helper()
	p, err := f.Plan(s, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := arrowio.NewWriter(t.Context(), f, local.NewMemStore(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, values := range batches {
		b := array.NewRecordBuilder(memory.DefaultAllocator, s)
		for _, v := range values {
			switch b := b.Field(0).(type) {
			case *array.Date64Builder:
				b.Append(arrow.Date64(v))
			case *array.Decimal128Builder:
				b.Append(decimal128.FromI64(v))
			case *array.TimestampBuilder:
				b.Append(arrow.Timestamp(v))
			case *array.Time32Builder:
				b.Append(arrow.Time32(v))
			case *array.Time64Builder:
				b.Append(arrow.Time64(v))
			default:
				t.Fatal(s)
			}
		}
		rec := b.NewRecord()
		err := w.Write(rec)
		rec.Release()
		b.Release()
		if err != nil {
			_ = w.Abort() // the error of Write tells
			return err
		}
	}
	return w.Close()
}

// Formats that do not refuse times outside of a day bring them back.
func TestTimesOutsideOfDayComeBack(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.FixedWidthTypes.Time32s, Nullable: true}}, nil)
	given := []int64{-1, 0, 86_400, 100_000}
	for _, f := range writers.All() {
		if strings.Contains("csv jsonl kudu", f.Name) { // Kudu wants a key, and stores columns as CFile does
			continue
		}
		p, err := f.Plan(s, arrowio.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "x"+f.Extensions[0])
		st, err := local.NewFileStore(name, local.FileStoreOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w, err := arrowio.NewWriter(t.Context(), f, st, p)
		if err != nil {
			t.Fatal(err)
		}
		rec := timesOf(s, given)
		err = errors.Join(w.Write(rec), w.Close())
		rec.Release()
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		d, err := readers.OpenDataset(t.Context(), []string{name}, readers.Options{})
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		rr, err := d.Scan(t.Context(), arrowio.ScanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for rr.Next() {
			switch a := rr.Record().Column(0).(type) {
			case *array.Time32:
				for i := range a.Len() {
					got = append(got, int64(a.Value(i))/int64(time.Second/a.DataType().(*arrow.Time32Type).Unit.Multiplier()))
				}
			case *array.Int32:
				for i := range a.Len() {
					got = append(got, int64(a.Value(i)))
				}
			default:
				t.Errorf("%s: %s", f.Name, a.DataType())
			}
		}
		if err := rr.Err(); err != nil || !slices.Equal(got, given) {
			t.Errorf("%s: got %v, %v", f.Name, got, err)
		}
		rr.Release()
		_ = d.Close() // it was read
	}
}

func timesOf(s *arrow.Schema, values []int64) arrow.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for _, v := range values {
		b.Field(0).(*array.Time32Builder).Append(arrow.Time32(v))
	}
	return b.NewRecord()
}
