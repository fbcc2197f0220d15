package trevni_test

import (
	"context"
	"errors"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/writertest"
	writer "github.com/arrowio/arrowio/writers/trevni"
)

// TestOneBlock: where the store divides files into blocks, each file is one: what is larger than the store's blocks asks for a
// block of exactly its size, before the first byte, in each of several files.
func TestOneBlock(t *testing.T) {
	rec := events(30_000)
	defer rec.Release()
	for _, c := range []struct {
		block, rowGroup int64
	}{{100 << 10, 0}, {64 << 20, 0}, {10 << 10, 300 << 10}} {
		st := writertest.NewBlockStore(c.block)
		p, err := writer.Plan(rec.Schema(), arrowio.WriteOptions{RowGroupBytes: c.rowGroup})
		if err != nil {
			t.Fatal(err)
		}
		w, err := arrowio.NewWriter(context.Background(), writer.Format(), st, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(rec), w.Close()); err != nil {
			t.Fatal(err)
		}
		objects := st.Objects()
		if several := c.rowGroup > 0; several != (len(objects) > 2) {
			t.Errorf("%d files", len(objects))
		}
		for name, b := range objects {
			if got, asked := st.Asked[name]; asked != (int64(len(b)) > c.block) || asked && got != int64(len(b)) {
				t.Errorf("blocks of %d bytes: %s has %d bytes, and asked for a block of %d", c.block, name, len(b), got)
			}
		}
	}
}
