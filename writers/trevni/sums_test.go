package trevni_test

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	reader "github.com/arrowio/arrowio/readers/trevni"
	writer "github.com/arrowio/arrowio/writers/trevni"
)

// TestZeroedOnlySum zeroes the checksum of the only block of a file: no other block tells that it is damage.
func TestZeroedOnlySum(t *testing.T) {
	ctx := context.Background()
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer b.Release()
	b.Field(0).(*array.Float64Builder).AppendValues([]float64{1, 2, 3}, nil)
	rec := b.NewRecord()
	defer rec.Release()
	f := writer.Format()
	p, err := f.Plan(schema, arrowio.WriteOptions{Compression: "none"})
	if err != nil {
		t.Fatal(err)
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(ctx, f, st, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(rec), w.Close()); err != nil {
		t.Fatal(err)
	}
	for _, file := range st.Objects() {
		clear(file[len(file)-4:])
		r, err := reader.Open(ctx, local.NewBytesSource(file), arrowio.Limits{}, reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, there := r.Schema().Metadata().GetValue("trevni.arrowio.checksums"); there {
			t.Error("what the writer says of checksums is shown as the user's metadata")
		}
		faults := 0
		if err := r.Verify(ctx, func(error) { faults++ }); err != nil || faults == 0 {
			t.Errorf("%d faults, %v", faults, err)
		}
	}
}
