package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/fixtures"
)

// Several servers are one INPUT: no row is read twice, and the list says which replica is read and why.
func TestKuduReplicas(t *testing.T) {
	const testdata = "../../testdata/kudu/replicas-1.17.1/"
	root := fixtures.Unpack(t, testdata+"replicas.tar.gz")
	dirs := []string{filepath.Join(root, "2"), filepath.Join(root, "0"), filepath.Join(root, "1")}
	var told struct{ Rows map[string][]any }
	fixtures.ReadJSON(t, testdata+"replicas.json", &told)
	want := 0
	for _, row := range told.Rows {
		if row != nil {
			want++
		}
	}
	for _, merge := range []string{"false", "true"} {
		got := strings.Count(ok(t, append([]string{"cat", "--from", "kudu", "--kudu-merge=" + merge, "--format", "jsonl"}, dirs...)...), "\n")
		if got != want {
			t.Errorf("merge %s: %d rows, %d were acknowledged", merge, got, want)
		}
	}
	text := ok(t, append([]string{"kudu", "list"}, dirs...)...)
	for _, s := range []string{"its log goes furthest", "its log ends before that of the one that is read", "1 table, 2 tablets"} {
		if !strings.Contains(text, s) {
			t.Errorf("no word of %q:\n%s", s, text)
		}
	}
	out := ok(t, append([]string{"kudu", "list", "--json"}, dirs...)...)
	conforms(t, "kudu-list", out)
	var l kuduListing
	if err := json.Unmarshal([]byte(out), &l); err != nil {
		t.Fatal(err)
	}
	for _, x := range l.Tables[0].Tablets {
		if len(x.Replicas) != 3 || !x.Replicas[0].Chosen || x.Replicas[1].Chosen || x.Replicas[2].Dir != dirs[0] || x.Replicas[0].Last == "" {
			t.Errorf("%+v", x)
		}
	}
	for _, more := range [][]string{nil, {"--salvage"}, {"--merge"}} {
		args := append(append([]string{"--all"}, more...), dirs...)
		r := exportOf(t, exitOK, append(args, filepath.Join(t.TempDir(), "out"))...)
		if len(r.Tables) != 1 || r.Tables[0].Rows != int64(want) || r.Tables[0].Tablets != 2 || len(r.Tables[0].Create) != 2 {
			t.Errorf("%s: %+v", more, r.Tables)
		}
	}
	fails(t, do(t, append([]string{"kudu", "export", "--table", "nothing"}, append(dirs, filepath.Join(t.TempDir(), "out"))...)...), 2, `no table "nothing", only metrics`)
	for _, command := range [][]string{{"list"}, {"export", "--all"}} {
		args := append(append(append([]string{"kudu"}, command...), "--replica", "none"), dirs...)
		if command[0] == "export" {
			args = append(args, filepath.Join(t.TempDir(), "out"))
		}
		o := do(t, args...)
		if fails(t, o, 2, `--replica: "none" is neither`, dirs[0]); strings.Count(o.err, "\n") != 1 || o.out != "" {
			t.Errorf("%+v", o)
		}
	}
	fails(t, do(t, "count", "--from", "kudu", dirs[0], dirs[0]), 2, "was named before")

	// A tablet that no server has is named; the files of its replicas are gone.
	for _, d := range dirs {
		for _, folder := range []string{"wal/tablet-meta", "wal/consensus-meta", "wal/wals"} {
			if err := os.RemoveAll(filepath.Join(d, folder, l.Tables[0].Tablets[0].ID)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if o := do(t, append([]string{"count", "--from", "kudu"}, dirs...)...); o.code != exitOK || !strings.Contains(o.err, "rows are missing") || !strings.Contains(o.err, "hash bucket") {
		t.Errorf("%+v", o)
	}
}

// A loss makes the exit code 4 without --salvage, too: the newer logs are cut short, and the server that is whole is old.
func TestKuduReplicasLost(t *testing.T) {
	root := t.TempDir()
	fixtures.UnpackInto(t, root, "../../testdata/kudu/replicas-1.17.1/replicas.tar.gz")
	dirs := []string{filepath.Join(root, "0"), filepath.Join(root, "1"), filepath.Join(root, "2")}
	for _, d := range dirs[:2] {
		logs, err := filepath.Glob(filepath.Join(d, "wal/wals/*/wal-*"))
		if err != nil || len(logs) == 0 {
			t.Fatal("no logs", err)
		}
		for _, name := range logs {
			fi, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(name, fi.Size()/4); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, args := range [][]string{{"count", "--from", "kudu"}, {"count", "--from", "kudu", "--kudu-merge"}} {
		if o := do(t, append(args, dirs...)...); o.code != exitLost || !strings.Contains(o.err, "lost: ") {
			t.Errorf("%s: %+v", args, o)
		}
	}
	for _, args := range [][]string{{"--all"}, {"--all", "--merge"}} {
		if r := exportOf(t, exitLost, append(append(args, dirs...), filepath.Join(t.TempDir(), "out"))...); len(r.Tables) != 1 || r.Failed != 0 {
			t.Errorf("%s: %+v", args, r)
		}
	}
}

// A column of the replica that is read turns out to be damaged in the middle of an export: another replica is read.
func TestKuduExportOfDamagedReplica(t *testing.T) {
	root := t.TempDir()
	fixtures.UnpackInto(t, root, "../../testdata/kudu/replicas-1.17.1/replicas.tar.gz")
	dirs := []string{filepath.Join(root, "0"), filepath.Join(root, "1"), filepath.Join(root, "2")}
	want := exportOf(t, exitOK, append(append([]string{"--all"}, dirs...), filepath.Join(t.TempDir(), "out"))...).Tables[0].Rows
	// Each container of the server that is read has a few damaged bytes.
	names, err := filepath.Glob(filepath.Join(dirs[0], "data/data/*.data"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		b := fixtures.Read(t, name)
		for at := 40; at < len(b); at += 4096 { // of each block
			b[at] ^= 1
		}
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	r := exportOf(t, exitOK, append(append([]string{"--all"}, dirs...), out)...)
	if len(r.Tables) != 1 || r.Failed > 0 || r.Tables[0].Rows != want || len(r.Tables[0].Warnings) == 0 || !strings.HasPrefix(r.Tables[0].Warnings[0].Place, "tablet ") {
		t.Errorf("%+v, want %d rows", r.Tables, want)
	}
	to := filepath.Join(t.TempDir(), "out.parquet")
	if o := do(t, append(append([]string{"convert", "--from", "kudu"}, dirs...), to)...); o.code != exitOK || !strings.Contains(o.err, "is damaged, so another is looked for") {
		t.Errorf("%+v", o)
	}
	if got := strings.TrimSpace(ok(t, "count", to)); got != strconv.FormatInt(want, 10) {
		t.Errorf("%s rows, want %d", got, want)
	}
	o := do(t, append([]string{"cat", "--from", "kudu"}, dirs...)...)
	fails(t, o, exitData, "--kudu-replica=", "--kudu-check", "--kudu-salvage")
}
