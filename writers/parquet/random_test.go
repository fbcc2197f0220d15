package parquet

import (
	"errors"
	"math/rand"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	reader "github.com/arrowio/arrowio/readers/parquet"
)

// TestRandom writes random batches of every type that can be written, slices among them, and reads them back.
func TestRandom(t *testing.T) {
	if err := arrow.RegisterExtensionType(conformance.LabelOf(arrow.Null)); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := arrow.UnregisterExtensionType("label"); err != nil {
			t.Error(err)
		}
	}()
	written := 0
	for i, typ := range conformance.Types() {
		mem := memory.NewGoAllocator() // arrow's parquet package frees some of its buffers in finalizers
		schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: typ, Nullable: true}}, nil)
		p, err := Format().Plan(schema, arrowio.WriteOptions{})
		if err != nil {
			if !errors.Is(err, errs.ErrSchema) {
				t.Errorf("%s: %v", typ, err)
			}
			continue
		}
		g := conformance.Generator{Rand: rand.New(rand.NewSource(int64(i))), Mem: mem, Nulls: 0.3}
		var recs []arrow.Record
		for _, n := range []int{10, 1, 30} {
			a := g.Sliced(typ, n)
			recs = append(recs, array.NewRecord(schema, []arrow.Array{a}, int64(n)))
			a.Release()
		}
		objects, err := write(recs, arrowio.WriteOptions{Allocator: mem})
		if err != nil {
			// Random milliseconds are no dates, and random seconds too large: errors that say so.
			if s := typ.String(); !(s == "date64" || strings.HasPrefix(s, "timestamp[s")) || !errors.Is(err, errs.ErrSchema) {
				t.Errorf("%s: %v", typ, err)
			}
			continue
		}
		written++
		got := batch(t, reader.Format(), objects["part-00000.parquet"], nil, mem)
		if want := comesBack(typ); got.Column(0).DataType().String() != want.String() {
			t.Errorf("%s comes back as %s, not as %s", typ, got.Column(0).DataType(), want)
		}
		row := int64(0)
		for _, rec := range recs {
			h := got.NewSlice(row, row+rec.NumRows())
			row += rec.NumRows()
			if p.Columns[0].Loss == "" {
				if err := conformance.EqualArrays(rec.Column(0), h.Column(0)); err != nil {
					t.Errorf("%s: %v", typ, err)
				}
				continue
			}
			for i := 0; i < int(rec.NumRows()); i++ {
				if a, b := text(rec.Column(0), i), text(h.Column(0), i); a != b && !strings.Contains(typ.String(), "nullable") {
					t.Errorf("%s[%d] = %s, want %s", typ, i, b, a)
				}
			}
		}
	}
	if written < 40 {
		t.Errorf("only %d types were written", written)
	}
}
