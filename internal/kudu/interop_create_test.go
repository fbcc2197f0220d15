//go:build interop

package kudu_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/kudu"
)

// rangedTables are tables that Kudu's own tool makes, with ranges of each type that it knows.
var rangedTables = map[string]string{
	"ints": `{"table_name":"ints","schema":{"columns":[{"column_name":"a","column_type":"INT64","is_nullable":false,"encoding":"RLE","comment":"it's 1"},
		{"column_name":"b","column_type":"INT8","is_nullable":false},{"column_name":"v","column_type":"INT32","is_nullable":true,"default_value":"-7","compression":"LZ4","cfile_block_size":8192},
		{"column_name":"x","column_type":"DOUBLE","is_nullable":false,"default_value":"0.1"},{"column_name":"s","column_type":"STRING","is_nullable":true,"default_value":"é\\\"'"},
		{"column_name":"y","column_type":"BOOL","is_nullable":true,"default_value":"true"}],"key_column_names":["a","b"]},
		"partition":{"hash_partitions":[{"columns":["b"],"num_buckets":3,"seed":5}],"range_partition":{"columns":["a"],"range_bounds":[
		{"upper_bound":{"bound_type":"EXCLUSIVE","bound_values":["-5000000000"]}},{"lower_bound":{"bound_type":"INCLUSIVE","bound_values":["0"]},"upper_bound":{"bound_type":"INCLUSIVE","bound_values":["9"]}}]}},"num_replicas":1}`,
	"texts": `{"table_name":"texts","schema":{"columns":[{"column_name":"s","column_type":"STRING","is_nullable":false},{"column_name":"d","column_type":"DATE","is_nullable":false}],"key_column_names":["s","d"]},
		"partition":{"range_partition":{"columns":["s"],"range_bounds":[{"lower_bound":{"bound_type":"INCLUSIVE","bound_values":["a \\\"b"]},"upper_bound":{"bound_type":"EXCLUSIVE","bound_values":["c"]}}]}},"num_replicas":1}`,
	"times": `{"table_name":"times","schema":{"columns":[{"column_name":"t","column_type":"UNIXTIME_MICROS","is_nullable":false},
		{"column_name":"u","column_type":"UNIXTIME_MICROS","is_nullable":true,"default_value":"1600000000000001"},{"column_name":"d","column_type":"DATE","is_nullable":true,"default_value":"-18000"},
		{"column_name":"f","column_type":"FLOAT","is_nullable":true,"default_value":"1.5"}],"key_column_names":["t"]},
		"partition":{"range_partition":{"columns":["t"],"range_bounds":[{"lower_bound":{"bound_type":"INCLUSIVE","bound_values":["1600000000000000"]}}]}},"num_replicas":1}`,
}

// clusterWith starts a cluster, has its tool make tables, and returns what it says of them.
func clusterWith(t *testing.T, dir string, tables map[string]string) map[string]string {
	t.Helper()
	script := variable(t, "ARROWIO_KUDU")
	run(t, script, "start", dir, "log")
	stopped := false
	t.Cleanup(func() {
		if !stopped {
			run(t, script, "kill", dir)
		}
	})
	ports, err := os.ReadFile(filepath.Join(dir, "ports"))
	if err != nil {
		t.Fatal(err)
	}
	master := "127.0.0.1:" + strings.Fields(string(ports))[0]
	out := map[string]string{}
	for name, text := range tables {
		run(t, script, "tool", "table", "create", master, text)
		out[name] = run(t, script, "tool", "table", "describe", master, name, "-show_attributes", "-show_column_comment")
	}
	run(t, script, "stop", dir)
	stopped = true
	return out
}

// What DefinitionOf tells of a table Kudu's own tool takes, and the table that it makes is the same, as that tool describes it. So are
// the tables that Kudu's Java client has made for testdata.
func TestCreateAgain(t *testing.T) {
	first := filepath.Join(t.TempDir(), "first")
	want := clusterWith(t, first, rangedTables)
	again := map[string]string{}
	define := func(root, table string) string {
		d, err := kudu.Define(t.Context(), filepath.Join(root, "wal"), arrowio.Limits{}, kudu.Options{Data: []string{filepath.Join(root, "data")}, Table: table})
		if err != nil {
			t.Fatal(err)
		}
		return string(d.Tool)
	}
	for name := range rangedTables {
		again[name] = define(first, name)
	}
	server := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/log.tar.gz")
	for _, name := range []string{"altered", "changed", "empty", "partitioned", "types", "unflushed"} {
		again[name] = define(server, name)
	}
	got := clusterWith(t, filepath.Join(t.TempDir(), "second"), again)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s\n got %s\nwant %s\nfrom %s", name, got[name], text, again[name])
		}
	}
	for name, text := range again {
		var x struct {
			Schema struct {
				Columns []struct {
					Name string `json:"column_name"`
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &x); err != nil {
			t.Fatal(err)
		}
		for _, c := range x.Schema.Columns {
			if !strings.Contains(got[name], c.Name+" ") {
				t.Errorf("%s has no column %s: %s", name, c.Name, got[name])
			}
		}
	}
}
