package orc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	writer "github.com/arrowio/arrowio/writers/orc"
)

const (
	rowsOfShort      = 150 // of a stripe
	shortStripeCount = 40
)

// shortText is a value of a file of short stripes: each stripe has words of its own, of other lengths than those of the next.
func shortText(row int) string {
	return fmt.Sprint(row/rowsOfShort, strings.Repeat("x", row/rowsOfShort%7*row%5), row%9)
}

// ofShortStripes returns a file of many short stripes.
func ofShortStripes(t *testing.T, compression string) []byte {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "same", Type: arrow.BinaryTypes.String},
	}, nil)
	p, err := writer.Plan(s, arrowio.WriteOptions{Compression: compression, Parallelism: 1, Options: map[string]string{"orc-stripe-rows": fmt.Sprint(rowsOfShort)}})
	if err != nil {
		t.Fatal(err)
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(t.Context(), writer.Format(), st, p)
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for stripe := range shortStripeCount {
		for i := range rowsOfShort {
			row := stripe*rowsOfShort + i
			if row%4 == 0 {
				b.Field(0).AppendNull()
				b.Field(1).AppendNull()
			} else {
				b.Field(0).(*array.Int64Builder).Append(int64(row))
				b.Field(1).(*array.StringBuilder).Append(shortText(row))
			}
			b.Field(2).(*array.StringBuilder).Append(fmt.Sprint(i % 3))
		}
		rec := b.NewRecord()
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		rec.Release()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, b := range st.Objects() {
		return b
	}
	return nil
}

// Memory of stripes that have been read serves those that come next, but none that an array still refers to.
func TestShortStripes(t *testing.T) {
	for _, compression := range []string{"none", "zstd"} {
		b := ofShortStripes(t, compression)
		path := filepath.Join(t.TempDir(), "short.orc")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		near, err := local.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		defer near.Close()
		for _, o := range []Options{{}, {Dictionary: true}} {
			for _, columns := range [][]string{{"n", "text", "same"}, {"text"}, {"n", "same"}} {
				readShortStripes(t, local.NewBytesSource(b), o, columns)
				readShortStripes(t, near, o, columns)
			}
		}
	}
}

func readShortStripes(t *testing.T, src arrowio.Source, o Options, columns []string) {
	t.Helper()
	f, err := Open(t.Context(), src, arrowio.Limits{}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n := len(f.footer.Stripes); n < shortStripeCount/2 {
		t.Fatalf("%d stripes", n)
	}
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	for range 2 {
		r, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{Columns: columns, Allocator: mem, BatchRows: 100})
		if err != nil {
			t.Fatal(err)
		}
		var recs []arrow.Record // until all has been read
		for r.Next() {
			r.Record().Retain()
			recs = append(recs, r.Record())
		}
		if err := r.Err(); err != nil {
			t.Fatal(err)
		}
		r.Release()
		row := 0
		for _, rec := range recs {
			for i := range int(rec.NumRows()) {
				checkShort(t, rec, i, row)
				row++
			}
			rec.Release()
		}
		if row != rowsOfShort*shortStripeCount {
			t.Fatalf("%d rows", row)
		}
	}
}

func checkShort(t *testing.T, rec arrow.Record, i, row int) {
	t.Helper()
	for c, field := range rec.Schema().Fields() {
		want := ""
		switch {
		case field.Name == "same":
			want = fmt.Sprint(row % rowsOfShort % 3)
		case row%4 == 0:
			want = array.NullValueStr
		case field.Name == "n":
			want = fmt.Sprint(row)
		default:
			want = shortText(row)
		}
		a := rec.Column(c)
		got := a.ValueStr(i)
		if d, ok := a.(*array.Dictionary); ok && d.IsValid(i) {
			got = d.Dictionary().ValueStr(d.GetValueIndex(i))
		}
		if got != want {
			t.Fatalf("row %d, %s: %q, want %q", row, field.Name, got, want)
		}
	}
}
