package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
)

// Nothing is written among the files of servers, nor to stores, which would become directories of that name.
func TestKuduOutdir(t *testing.T) {
	root := fixtures.Unpack(t, "../../testdata/kudu/replicas-1.17.1/replicas.tar.gz")
	wal := filepath.Join(root, "0", "wal")
	for _, x := range []struct{ out, want string }{
		{filepath.Join(root, "1", "wal"), "has files of a Kudu server"}, // OUTDIR was forgotten
		{filepath.Join(root, "1"), "has files of a Kudu server"},
		{filepath.Join(root, "1", "data"), "has files of a Kudu server"},
		{filepath.Join(root, "1", "wal", "consensus-meta", "a", "b"), "lies in " + filepath.Join(root, "1", "wal")},
		{filepath.Join(root, "1", "data", "data", "x"), "lies in " + filepath.Join(root, "1", "data")},
		{"s3://my-bucket/rescued", "is in a store"},
		{"hdfs://localhost:1/rescued", "is in a store"},
		{"-", "OUTDIR is -"},
	} {
		fails(t, do(t, "kudu", "export", "--all", wal, x.out), 2, x.want)
		fails(t, do(t, "kudu", "split", "--wal-dir", wal, root, x.out), 2, x.want)
	}
	for _, name := range []string{filepath.Join(root, "1", "wal", "metrics.parquet"), "s3:", "hdfs:", "-"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if o := do(t, "kudu", "export", "--all", wal, "file://"+filepath.Join(root, "1", "rescued")); o.code != exitOK { // and told of the other servers
		t.Errorf("%+v", o)
	}
	if _, err := os.Stat(filepath.Join(root, "1", "rescued", "metrics.parquet")); err != nil {
		t.Error(err)
	}
}
