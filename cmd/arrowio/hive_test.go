package main

import (
	"net"
	"net/http"
	"net/http/httptest"
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
	stored := metastore.Storage{Columns: []metastore.Column{{Name: "id", Type: "bigint"}}, Location: parts, InputFormat: "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat", OutputFormat: "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat", SerDe: "org.apache.hadoop.hive.ql.io.orc.OrcSerde"}
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
	url = "hive://" + s.Start(t) + "/d."
	s.Tables["d.loop"] = ice("loop", url+"loop")
	return url, dir
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
	server, _, _ := strings.Cut(strings.TrimPrefix(url, "hive://"), "/")
	catalog := []string{"--iceberg-catalog", "uri=thrift://" + server}
	if got := ok(t, append([]string{"count", "--iceberg-snapshot", "1", "iceberg://any/d.ice"}, catalog...)...); got != "5\n" {
		t.Errorf("by the catalog: %q", got)
	}
	fails(t, do(t, "count", url+"loop"), exitData, "names yet another table")
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

// TestHiveWritten adds rows to a table, to a partition that is there and to a new one.
func TestHiveWritten(t *testing.T) {
	url, _ := hiveServer(t)
	csv := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(csv, []byte("P,id\n2,5\n7,6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ok(t, "convert", "--dry-run", csv, url+"t"); !strings.Contains(got, "bigint") || !strings.Contains(got, "do not fit into tinyint") {
		t.Errorf("%s", got)
	}
	ok(t, "convert", csv, url+"t")
	if got := ok(t, "cat", "--where", "id > 2", "--format", "jsonl", url+"t"); got != "{\"id\":5,\"p\":2}\n{\"id\":6,\"p\":7}\n" {
		t.Errorf("%s", got)
	}
	fails(t, do(t, "convert", "--force", csv, url+"t"), exitUsage, "added")
	fails(t, do(t, "convert", "--partition-by", "P", csv, url+"t"), exitUsage, "table says")
	fails(t, do(t, "convert", "--to", "orc", csv, url+"t"), exitUsage, "leave out --to")
	fails(t, do(t, "convert", "--to", "hive", csv, "x.orc"), exitUsage, "hive://")
	fails(t, do(t, "convert", csv, url+"ice"), exitData, "Iceberg")
	fails(t, do(t, "convert", csv, url+"none"), exitUsage, "no table d.none")
}

// TestIcebergCatalog reads a table that a catalog names which speaks Iceberg's REST protocol.
func TestIcebergCatalog(t *testing.T) {
	dir := icebergTable(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := `{"defaults": {}, "overrides": {}}`
		switch r.URL.Path {
		case "/v1/config":
		case "/v1/namespaces/db/tables/events":
			text = `{"metadata-location": "file:` + dir + `/metadata/v1.metadata.json"}`
		case "/v1/namespaces/db/tables/moved":
			text = `{"metadata-location": "s3a://gone/w/metadata/v1.metadata.json"}`
		default:
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(text)) // a client that is gone has its own error
	}))
	t.Cleanup(s.Close)
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	if err := os.Mkdir(filepath.Join(home, "arrowio"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "arrowio", "catalogs.yaml"), []byte("catalog:\n  prod:\n    type: rest\n    uri: "+s.URL+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"4\n", []string{"count", "iceberg://prod/db.events"}},
		{"2\n", []string{"count", "--where", "id >= 2", "iceberg://prod/db.events"}},
		{"5\n", []string{"count", "--iceberg-snapshot", "1", "iceberg://prod/db.events"}},
		{"4\n", []string{"count", "--iceberg-relocate", "s3://gone/w=" + dir, "iceberg://prod/db.moved"}},
		{"4\n", []string{"count", "--iceberg-catalog", "uri=" + s.URL, "iceberg://other/db.events"}},
	} {
		if got := ok(t, c.args...); got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
	fails(t, do(t, "count", "iceberg://prod/db.none"), 2, "404")
	fails(t, do(t, "count", "iceberg://none/db.events"), 2, "not configured")
	fails(t, do(t, "count", "iceberg://prod"), 2, "NAMESPACE.TABLE")
}

// A server that cannot be reached, or cannot answer now, is the system and not the data.
func TestServersOfTablesNotReached(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := l.Addr().String()
	l.Close()
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusTooManyRequests} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(s.Close)
		fails(t, do(t, "count", "--iceberg-catalog", "uri="+s.URL, "iceberg://any/db.events"), exitSystem, http.StatusText(status))
	}
	fails(t, do(t, "count", "hive://"+gone+"/d.t"), exitSystem, "cannot be reached")
	fails(t, do(t, "count", "--iceberg-catalog", "uri=thrift://"+gone, "iceberg://any/db.events"), exitSystem, "cannot be reached")
	fails(t, do(t, "count", "--iceberg-catalog", "uri=http://"+gone, "iceberg://any/db.events"), exitSystem, "does not answer")
	for _, port := range []string{"99999", "0", "x", ""} {
		fails(t, do(t, "count", "hive://localhost:"+port+"/d.t"), exitUsage, "port")
	}
	fails(t, do(t, "count", "--iceberg-catalog", "uri=http://"+gone, "--iceberg-catalog", "credential=a:b", "--iceberg-catalog", "oauth2-server-uri=localhost:1", "iceberg://any/db.events"), exitUsage, "oauth2-server-uri is not http://")
	fails(t, do(t, "count", "--iceberg-catalog", "uri=http://localhost:99999", "iceberg://any/db.events"), exitUsage, "port")
}
