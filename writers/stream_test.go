package writers

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/readers"
)

// TestStreamIsNotCutShort: where rows need a second file and the output takes one, what it has got is no whole file of fewer
// rows.
func TestStreamIsNotCutShort(t *testing.T) {
	rec := record()
	defer rec.Release()
	for _, name := range []string{"parquet", "ipc", "orc", "trevni"} {
		f, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		o := arrowio.WriteOptions{MaxFileBytes: 1}
		if name != "ipc" { // it has none
			o.RowGroupBytes = 1
		}
		p, err := f.Plan(rec.Schema(), o)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w, err := arrowio.NewWriter(context.Background(), f, local.NewStreamStore(&out), p)
		for n := 0; n < 10_000 && err == nil; n++ { // ORC looks at the size now and then
			err = w.Write(rec)
		}
		if !errors.Is(err, errs.ErrOption) {
			t.Fatalf("%s: %v", name, err)
		}
		path := filepath.Join(t.TempDir(), "out"+f.Extensions[0])
		if err := errors.Join(w.Abort(), os.WriteFile(path, out.Bytes(), 0o666)); err != nil {
			t.Fatal(err)
		}
		if r, err := readers.OpenFile(context.Background(), path, readers.Options{Format: name}); err == nil {
			t.Errorf("%s: %d bytes can be read as a file", name, out.Len())
			_ = r.Close()
		}
	}
}
