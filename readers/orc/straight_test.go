package orc

import (
	"context"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/internal/orcwire"
	writer "github.com/arrowio/arrowio/writers/orc"
)

// bigValues writes a file without a codec whose columns of strings and of floats take much.
func bigValues(t *testing.T, rows int) string {
	t.Helper()
	padded := arrow.NewMetadata([]string{orcwire.MetaType}, []string{"char(40)"})
	s := arrow.NewSchema([]arrow.Field{
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "padded", Type: arrow.BinaryTypes.String, Nullable: true, Metadata: padded},
		{Name: "f64", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "f32", Type: arrow.PrimitiveTypes.Float32, Nullable: true},
	}, nil)
	p, err := writer.Plan(s, arrowio.WriteOptions{Compression: "none", Parallelism: 1, Options: map[string]string{"orc-dictionary": "0"}})
	if err != nil {
		t.Fatal(err)
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(context.Background(), writer.Format(), st, p)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewSource(1))
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for range rows {
		text := make([]byte, rng.Intn(40))
		for i := range text {
			text[i] = byte('a' + rng.Intn(26))
		}
		b.Field(0).(*array.StringBuilder).Append(string(text))
		b.Field(1).(*array.StringBuilder).Append(string(text[:len(text)/2]))
		b.Field(2).(*array.Float64Builder).Append(rng.Float64())
		b.Field(3).(*array.Float32Builder).Append(rng.Float32())
	}
	rec := b.NewRecord()
	defer rec.Release()
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "big.orc")
	for _, b := range st.Objects() {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// Values of a near file without a codec, read to where they are wanted with those that are let go of, are those of the
// runs; so are those of which too many go for that.
func TestReadRunsStraight(t *testing.T) {
	t.Parallel()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	src, err := local.OpenFile(bigValues(t, 40_000))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}()
	f, err := Open(t.Context(), src, arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	if err := conformance.Everything(f, mem, 5000, func(r arrow.Record) error { all = append(all, orctext.Rows(r)...); return nil }); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewSource(2))
	for _, oneIn := range []int{100, 100, 300, 30, 12, 6, 2} {
		for _, s := range f.Splits() {
			var calls [][]arrowio.RowRange
			var call []arrowio.RowRange
			var want []string
			start := s.Rows.Start
			for at := s.Rows.Start; at <= s.Rows.End; at++ {
				if at < s.Rows.End && rng.Intn(oneIn) > 0 {
					continue
				}
				if at > start {
					call = append(call, arrowio.RowRange{Start: start, End: at})
					want = append(want, all[start:at]...)
				}
				start = at + 1
				if at == s.Rows.End || rng.Intn(10_000) == 0 {
					calls, call = append(calls, call), nil
				}
			}
			got, err := readRuns(t, f, s, calls, mem, false)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("one row in %d gone: %d rows, not these %d: %s", oneIn, len(got), len(want), strings.Join(got[:min(3, len(got))], " "))
			}
		}
	}
}
