package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
)

// The rows of a table, divided again: each tablet gets those that its server has put there.
func TestKuduSplit(t *testing.T) {
	for _, manager := range []string{"file", "log"} {
		dir := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/"+manager+".tar.gz")
		at := t.TempDir()
		set, out := filepath.Join(at, "all.kudu"), filepath.Join(at, "tablets")
		table := func(more ...string) []string {
			return append([]string{"--from", "kudu", "--kudu-table", "partitioned"}, more...)
		}
		ok(t, append([]string{"convert", "--sort", "--kudu-encoding", "s=plain"}, table(dir, set)...)...)
		wal := "--wal-dir=" + filepath.Join(dir, "wal")

		nothing := filepath.Join(at, "nothing.kudu")
		fails(t, do(t, "kudu", "split", nothing, out, wal), 3, nothing+": kudu: there is no set of rowsets", "arrowio convert")
		want := "53 rows to divide among tablets of table partitioned\n"
		if got := ok(t, "kudu", "split", "--dry-run", set, out, wal); !strings.HasPrefix(got, want) || strings.Contains(got, "left out") {
			t.Error(got)
		}
		if _, err := os.Stat(out); err == nil {
			t.Error("a dry run has written something")
		}
		var r struct {
			Done            bool
			Rows, Elsewhere int64
			Tablets         []struct {
				ID, Set string
				Rows    int
			}
		}
		o := do(t, "kudu", "split", "--json", "--progress", "always", "--memory", "1", set, out, wal) // a pass for each tablet
		if err := json.Unmarshal([]byte(o.out), &r); err != nil || o.code != 0 || !strings.Contains(o.err, "split") {
			t.Fatalf("%+v, %v", o, err)
		}
		if !r.Done || r.Rows != 53 || r.Elsewhere != 0 || len(r.Tablets) != 2 {
			t.Errorf("%+v", r)
		}
		for _, x := range r.Tablets {
			text := ok(t, append([]string{"cat", "--format", "jsonl"}, table("--kudu-tablet", x.ID, dir)...)...)
			if got := ok(t, "cat", "--format", "jsonl", x.Set); got != text || strings.Count(got, "\n") != x.Rows || x.Rows < 10 {
				t.Errorf("tablet %s got %s\nits server has %s", x.ID, got, text)
			}
			if got := ok(t, "verify", x.Set); !strings.HasSuffix(got, ": ok\n") {
				t.Error(got)
			}
			if got := ok(t, "inspect", x.Set); !strings.Contains(got, "plain") {
				t.Errorf("encodings are not those of the set: %s", got)
			}
		}
		if got := ok(t, "kudu", "split", "--table", "partitioned", set, filepath.Join(at, "again"), wal); !strings.Contains(got, filepath.Join(at, "again", r.Tablets[0].ID+".kudu")) {
			t.Error(got)
		}

		fails(t, do(t, "kudu", "split", set, out, wal), 2, "exists")
		fails(t, do(t, "kudu", "split", set, filepath.Join(at, "x"), wal, "--table", "nothing"), 2, `no tablet of table "nothing"`, "partitioned")
		fails(t, do(t, "kudu", "split", set, wal), 2, "SETDIR and OUTDIR")
		fails(t, do(t, "kudu", "split", set, out), 2, "--wal-dir")
		if err := os.Remove(filepath.Join(dir, "wal", "tablet-meta", r.Tablets[1].ID)); err != nil {
			t.Fatal(err)
		}
		fails(t, do(t, "kudu", "split", set, filepath.Join(at, "x"), wal), 1, "of 53 rows belong to tablets of table partitioned that this server does not have", "--partial")
		if got := ok(t, "kudu", "split", "--partial", set, filepath.Join(at, "x"), wal); !strings.Contains(got, "rows are left out") {
			t.Error(got)
		}
	}
}
