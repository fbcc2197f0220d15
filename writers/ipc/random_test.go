package ipc

import (
	"errors"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// TestRandom writes random batches of every type, slices among them, with another dictionary each, and reads them back.
func TestRandom(t *testing.T) {
	if err := arrow.RegisterExtensionType(conformance.LabelOf(arrow.Null)); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := arrow.UnregisterExtensionType("label"); err != nil {
			t.Error(err)
		}
	}()
	for _, f := range formats {
		for i, typ := range conformance.Types() {
			if refuse(typ) != "" {
				if _, err := f.Plan(arrow.NewSchema([]arrow.Field{{Name: "c", Type: typ}}, nil), arrowio.WriteOptions{}); !errors.Is(err, errs.ErrSchema) {
					t.Errorf("%s: %v", typ, err)
				}
				continue
			}
			mem := checked(t)
			g := conformance.Generator{Rand: rand.New(rand.NewSource(int64(i))), Mem: mem, Nulls: 0.3}
			schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: typ, Nullable: true}}, nil)
			var recs []arrow.Record
			for _, n := range []int{10, 1, 30} {
				a := g.Sliced(typ, n)
				recs = append(recs, array.NewRecord(schema, []arrow.Array{a}, int64(n)))
				a.Release()
			}
			codec := []string{"none", "lz4", "zstd"}[i%3]
			got := read(t, f.Name, one(t, f, recs, arrowio.WriteOptions{Compression: codec, Allocator: mem}), mem)
			row := int64(0)
			for _, rec := range got {
				for at := int64(0); at < rec.NumRows(); at++ {
					k, rest := 0, row
					for rest >= recs[k].NumRows() {
						rest -= recs[k].NumRows()
						k++
					}
					w, h := recs[k].NewSlice(rest, rest+1), rec.NewSlice(at, at+1)
					if err := conformance.Equal(w, h); err != nil {
						t.Fatalf("%s: %s, row %d: %v", f.Name, typ, row, err)
					}
					w.Release()
					h.Release()
					row++
				}
			}
			if row == 0 {
				t.Errorf("%s: %s: no rows", f.Name, typ)
			}
			release(got)
			release(recs)
		}
	}
}
