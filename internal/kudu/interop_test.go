//go:build interop

package kudu_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/arrowio/arrowio/internal/orctext"
)

// scale is how many times as many rows as the fixtures have the tables here get.
const scale = "10"

func variable(t *testing.T, name string) string {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		t.Fatalf("%s is not set: run make interop", name)
	}
	return v
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	return runWith(t, nil, name, args...)
}

// runWith runs a command with more in its environment.
func runWith(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(cmd.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return string(out)
}

// table is what the Java client says of one: how many rows it has now, and had at each snapshot.
type table struct {
	Table     string
	Rows      int
	Snapshots []struct {
		Timestamp uint64
		Rows      int
	}
}

// Directories of a real tablet server, of each block manager, give the rows that Kudu's own client saw before the server
// ended: every type in every encoding with every codec, rows changed and deleted before and after flushes, compacted,
// under altered schemas, and rows that are in the log alone. Some servers are killed, some encrypt their
// files, and one has the records of blocks in RocksDB.
func TestRealServers(t *testing.T) {
	// As they come: space is set aside in logs and containers.
	ahead := []string{"--log_preallocate_segments=true", "--log_container_preallocate_bytes=33554432"}
	for _, x := range []struct {
		name, manager, end string
		version            string
		flags              []string
		scale              string
	}{
		{"file", "file", "kill", "1.17.1", []string{"--encrypt_data_at_rest=true", "--encryption_key_length=256"}, scale},
		{"log", "log", "stop", "1.17.1", ahead, scale},
		// RocksDB's smallest buffer, so that there are tables.
		{"logr", "logr", "kill", "1.18.1", append([]string{"--encrypt_data_at_rest=true", "--enable_multi_tenancy=true", "--log_container_rdb_write_buffer_size=65536"}, ahead...), "1"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			server, rows := filepath.Join(t.TempDir(), "server"), t.TempDir()
			kudu, env := variable(t, "ARROWIO_KUDU"), []string{"ARROWIO_KUDU_VERSION=" + x.version}
			ended := false
			stop := func() {
				if !ended {
					runWith(t, env, kudu, x.end, server)
				}
				ended = true
			}
			t.Cleanup(stop)
			runWith(t, env, kudu, "get")
			runWith(t, env, kudu, append([]string{"start", server, x.manager}, x.flags...)...)
			run(t, "java", "-Xmx1g", "-jar", variable(t, "ARROWIO_KUDU_JUDGE_JAR"), "churn", server, rows, x.scale)
			stop()
			for _, x := range tables(t, rows) {
				t.Run(x.Table, func(t *testing.T) {
					compare(t, server, x.Table, filepath.Join(rows, x.Table+".jsonl.gz"), x.Rows)
					for i, s := range x.Snapshots {
						text := filepath.Join(rows, fmt.Sprintf("%s@%d.jsonl.gz", x.Table, i+1))
						compare(t, server, x.Table, text, s.Rows, "--kudu-snapshot", strconv.FormatUint(s.Timestamp, 10))
					}
				})
			}
		})
	}
}

func tables(t *testing.T, dir string) (out []table) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "tables.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	if len(out) < 10 {
		t.Fatalf("%d tables", len(out))
	}
	return out
}

// compare reads a table with arrowio and compares it with the lines of text, both sorted: a scan of Kudu's is in the order
// of keys, a reading of files in that of rowsets.
func compare(t *testing.T, server, table, text string, rows int, flags ...string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), table+".arrow")
	args := append([]string{"convert", "--from", "kudu", "--force", "--kudu-data-dir", filepath.Join(server, "data"), "--kudu-table", table}, flags...)
	run(t, variable(t, "ARROWIO_BIN"), append(args, filepath.Join(server, "wal"), out)...)
	got, want := arrowLines(t, out), zippedLines(t, text)
	if len(want) != rows {
		t.Fatalf("%s has %d lines, not %d", text, len(want), rows)
	}
	slices.Sort(got)
	slices.Sort(want)
	if len(got) != len(want) {
		t.Errorf("%s: %d rows, want %d", filepath.Base(text), len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: row %d\n got %s\nwant %s", filepath.Base(text), i, got[i], want[i])
		}
	}
}

func arrowLines(t *testing.T, name string) (lines []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i := range r.NumRecords() {
		rec, err := r.Record(i)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, orctext.Rows(rec)...)
	}
	return lines
}

func zippedLines(t *testing.T, name string) []string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}
