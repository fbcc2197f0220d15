//go:build interop

package writers

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/readers"
)

const readNames = `
import sys, pyarrow.ipc, pyarrow.parquet
a, p = pyarrow.ipc.open_file(sys.argv[1]).read_all(), pyarrow.parquet.read_table(sys.argv[2])
for t in a, p:
    assert t.schema.names == ["p\\xd2s", "b"], t.schema
    assert t.schema.field(1).type.field(0).name == "q\\xffz", t.schema
    assert t.to_pylist()[1]["b"]["r"] == 6, t
`

// pyarrow opens what is made of files whose names are not UTF-8.
func TestNamesNotUTF8Judged(t *testing.T) {
	python := os.Getenv("ARROWIO_PYTHON")
	if python == "" {
		t.Fatal("ARROWIO_PYTHON is not set: make interop does")
	}
	rec := named()
	defer rec.Release()
	for ext, compression := range uncompressed {
		f, err := readers.OpenFile(t.Context(), misnamed(t, ext, compression, rec), readers.Options{})
		if err != nil {
			t.Fatal(ext, err)
		}
		got := scanned(t, f)
		out := filepath.Join(t.TempDir(), "out")
		write(t, out+".arrow", got, arrowio.WriteOptions{})
		write(t, out+".parquet", got, arrowio.WriteOptions{})
		got.Release()
		if text, err := exec.Command(python, "-c", readNames, out+".arrow", out+".parquet").CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", ext, err, text)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
