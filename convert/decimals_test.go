package convert_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

// Decimals of 32 and 64 bits, which Arrow for Go v15 does not have, come back as those of 128 bits. The plan says so of the files that have
// them, and only of the columns that are written.
func TestNarrowDecimals(t *testing.T) {
	dir := t.TempDir()
	small, middle := &arrow.Decimal32Type{Precision: 7, Scale: 3}, &arrow.Decimal64Type{Precision: 17, Scale: 3}
	of := func(small, middle arrow.DataType) *arrow.Schema {
		return arrow.NewSchema([]arrow.Field{
			{Name: "small", Type: small, Nullable: true},
			{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "middle", Type: middle, Nullable: true}), Nullable: true},
			{Name: "l", Type: arrow.ListOf(small), Nullable: true},
			{Name: "wide", Type: &arrow.Decimal128Type{Precision: 7, Scale: 3}, Nullable: true},
		}, nil)
	}
	narrow, wide := of(small, middle), of(&arrow.Decimal128Type{Precision: 7, Scale: 3}, &arrow.Decimal128Type{Precision: 17, Scale: 3})
	create := func(name string, s *arrow.Schema) {
		t.Helper()
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(`[{"small":"1.250","s":{"middle":"2.500"},"l":["3.750",null],"wide":"4.000"}]`))
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Release()
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var w interface {
			Write(arrow.RecordBatch) error
			Close() error
		}
		switch filepath.Ext(name) {
		case ".arrow":
			w, err = ipc.NewFileWriter(f, ipc.WithSchema(s))
		default:
			w = ipc.NewWriter(f, ipc.WithSchema(s))
		}
		if err == nil {
			err = w.Write(rec)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	create("wide.arrow", wide)
	losses := func(format string, columns []string, names ...string) (lost []string) {
		t.Helper()
		for i, n := range names {
			names[i] = filepath.Join(dir, n)
		}
		ds, err := readers.OpenDataset(t.Context(), names, readers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer ds.Close()
		if w := ds.Warnings(columns); len(w) > 0 {
			t.Errorf("%v", w)
		}
		f, err := writers.Lookup(format)
		if err != nil {
			t.Fatal(err)
		}
		r, err := convert.Convert(t.Context(), ds, f, nil, convert.Options{DryRun: true, Scan: arrowio.ScanOptions{Columns: columns}})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range r.Losses() {
			lost = append(lost, l.String())
		}
		return lost
	}
	all := []string{"small: decimal32(7, 3) is read as decimal128(7, 3)", "s: decimal64(17, 3) is read as decimal128(17, 3)", "l: decimal32(7, 3) is read as decimal128(7, 3)"}
	for _, name := range []string{"in.arrow", "in.arrows"} {
		create(name, narrow)
		for _, c := range []struct{ columns, names, want []string }{
			{nil, []string{name}, all},
			{nil, []string{name, "wide.arrow"}, all},
			{nil, []string{"wide.arrow", name}, all},
			{[]string{"s", "wide"}, []string{name}, all[1:2]},
			{nil, []string{"wide.arrow"}, nil},
		} {
			if got := losses("ipc", c.columns, slices.Clone(c.names)...); !slices.Equal(got, c.want) {
				t.Errorf("%v of %v: %q, want %q", c.columns, c.names, got, c.want)
			}
		}
	}
	if got := losses("orc", nil, "in.arrow"); !slices.Contains(got, "s.middle: decimal64(17, 3) is read as decimal128(17, 3)") {
		t.Errorf("%q", got)
	}
}
