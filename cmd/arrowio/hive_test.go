package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/metastorefake"
)

// hiveServer starts a metastore with the table of icebergTable as d.ice, and as d.moved from where it was before, and a table d.t of ORC
// files with the rows 1 and 2 of a column id, in partitions of the same number. It returns the beginning of their URLs.
func hiveServer(t *testing.T) (url, dir string) {
	t.Helper()
	dir = icebergTable(t)
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "metadata", "*.metadata.json"))
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	ice := func(name, at string) *metastore.Table {
		return &metastore.Table{Database: "d", Name: name, Kind: "EXTERNAL_TABLE", Parameters: map[string]string{"table_type": "ICEBERG", "metadata_location": at}}
	}
	s := &metastorefake.Server{Tables: map[string]*metastore.Table{
		"d.ice":   ice("ice", "file:"+found[len(found)-1]),
		"d.moved": ice("moved", "hdfs://gone:8020/w/metadata/"+filepath.Base(found[len(found)-1])),
	}, Partitions: map[string][]metastore.Partition{}}
	parts := filepath.Join(t.TempDir(), "t")
	stored := metastore.Storage{Columns: []metastore.Column{{Name: "id", Type: "bigint"}}, Location: parts, InputFormat: "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat"}
	s.Tables["d.t"] = &metastore.Table{Database: "d", Name: "t", Kind: "EXTERNAL_TABLE", Storage: stored, Keys: []metastore.Column{{Name: "p", Type: "tinyint"}}}
	for _, n := range []string{"1", "2"} {
		in := filepath.Join(parts, "p="+n)
		if err := os.MkdirAll(in, 0o700); err != nil {
			t.Fatal(err)
		}
		csv := filepath.Join(t.TempDir(), "x.csv")
		if err := os.WriteFile(csv, []byte("id\n"+n+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		ok(t, "convert", csv, filepath.Join(in, "x.orc"))
		at := stored
		at.Location = in
		s.Partitions["d.t"] = append(s.Partitions["d.t"], metastore.Partition{Values: []string{n}, Storage: at})
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	t.Cleanup(func() { l.Close(); <-done })
	return "hive://" + l.Addr().String() + "/d.", dir
}

func TestHive(t *testing.T) {
	url, dir := hiveServer(t)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"2\n", []string{"count", url + "t"}},
		{"1\n", []string{"count", "--where", "p = 2", url + "t"}},
		{"{\"id\":2,\"p\":2}\n", []string{"cat", "--where", "p > 1", "--format", "jsonl", url + "t"}},
		{"4\n", []string{"count", url + "ice"}},
		{"5\n", []string{"count", "--iceberg-snapshot", "1", url + "ice"}},
		{"4\n", []string{"count", "--hive-relocate", "hdfs://gone:8020/w=" + dir, "--iceberg-relocate", "/other=/x", url + "moved"}},
	} {
		if got := ok(t, c.args...); got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
	if got := ok(t, "inspect", url+"t"); !strings.Contains(got, "partitions 2") || !strings.Contains(got, "EXTERNAL_TABLE") {
		t.Errorf("%s", got)
	}
	if got := ok(t, "verify", url+"t"); strings.Count(got, "x.orc") != 2 {
		t.Errorf("%s", got)
	}
	if got := ok(t, "schema", url+"t"); !strings.Contains(got, "p: int8") {
		t.Errorf("%s", got)
	}
}
