package dataset

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/readers/avro"
	"github.com/arrowio/arrowio/readers/cfile"
	"github.com/arrowio/arrowio/readers/csv"
	"github.com/arrowio/arrowio/readers/ipc"
	"github.com/arrowio/arrowio/readers/jsonl"
	"github.com/arrowio/arrowio/readers/kudu"
	"github.com/arrowio/arrowio/readers/orctable"
	"github.com/arrowio/arrowio/readers/parquet"
	"github.com/arrowio/arrowio/readers/trevni"
)

const testdata = "../../testdata/"

var samples = map[string]string{
	"ipc/pyarrow-26.0.1/types.arrow":        "ipc",
	"ipc/pyarrow-26.0.1/types.arrows":       "ipc-stream",
	"parquet/pyarrow-26.0.1/groups.parquet": "parquet",
	"csv/pyarrow-26.0.1/types.csv":          "csv",
	"jsonl/pyarrow-26.0.1/rows.jsonl":       "jsonl",
}

// formats are those that the tests read. Package readers, which has all, imports this one.
func formats() []arrowio.Format {
	return []arrowio.Format{
		trevni.Format(), orctable.Format(), cfile.Format(), kudu.Format(), ipc.Format(), ipc.StreamFormat(), parquet.Format(),
		avro.Format(), csv.Format(), jsonl.Format(),
	}
}

// expand returns the paths of what List finds.
func expand(ctx context.Context, paths []string, o Options) (out []string, err error) {
	for _, p := range paths {
		inputs, err := List(ctx, p, o)
		if err != nil {
			return nil, err
		}
		for _, in := range inputs {
			out = append(out, in.Path)
		}
	}
	return out, nil
}

// owner is a file that closes what is below it.
type owner struct {
	arrowio.File
	below io.Closer
}

func (c owner) Close() error { return errors.Join(c.File.Close(), c.below.Close()) }

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// mixedTree is a directory of files that are meant and others.
func mixedTree(t *testing.T) string {
	dir := t.TempDir()
	for _, n := range []string{"b.csv", "a.csv", "sub/c.csv", ".hidden.csv", "_SUCCESS", "_tmp/d.csv", ".git/e.csv", "notes.txt"} {
		put(t, filepath.Join(dir, n), "x,y\n1,"+n+"\n")
	}
	b, err := os.ReadFile(testdata + "ipc/pyarrow-26.0.1/empty.arrow")
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "unnamed"), string(b))
	return dir
}
