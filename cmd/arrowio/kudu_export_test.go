package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// exportOf exports a server, and returns the report.
func exportOf(t *testing.T, code int, args ...string) (out kuduExport) {
	t.Helper()
	o := do(t, append([]string{"kudu", "export", "--json"}, args...)...)
	if o.code != code {
		t.Fatalf("%+v", o)
	}
	conforms(t, "kudu-export", o.out)
	if err := json.Unmarshal([]byte(o.out), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Every table is written with the rows that Kudu's client saw, and with what makes it anew.
func TestKuduExport(t *testing.T) {
	const testdata = "../../testdata/kudu/kudu-1.17.1/"
	dir, rows := fixtures.Unpack(t, testdata+"file.tar.gz"), fixtures.Unpack(t, testdata+"rows.tar.gz")
	to := filepath.Join(t.TempDir(), "out")
	r := exportOf(t, exitOK, "--all", dir, to)
	if len(r.Tables) != 9 || r.Failed > 0 {
		t.Errorf("%+v", r)
	}
	for _, x := range r.Tables {
		want := strings.Count(string(fixtures.Read(t, filepath.Join(rows, x.Name+".jsonl"))), "\n")
		if got := strings.Count(ok(t, "cat", "--format", "jsonl", x.Output), "\n"); int64(got) != x.Rows || got != want || x.Error != nil || len(x.Create) != 2 {
			t.Errorf("%s: %d rows, want %d: %+v", x.Name, got, want, x)
		}
	}
	for name, texts := range map[string][]string{
		"partitioned.create.json": {`"num_buckets": 2`, `"column_type": "DECIMAL"`, `"precision": 20`, `"length": 12`, `"key_column_names"`},
		"partitioned.create.sql":  {"PARTITION BY HASH (`last`) PARTITIONS 2\nSTORED AS KUDU", "`m` DECIMAL(20, 3)", "PRIMARY KEY (`s`, `i`,", "'kudu.num_tablet_replicas' = '1'"},
		"unflushed.create.sql":    {"-- column once was immutable", "CREATE TABLE `unflushed`", "DEFAULT "},
	} {
		text := string(fixtures.Read(t, filepath.Join(to, name)))
		for _, want := range texts {
			if !strings.Contains(text, want) {
				t.Errorf("%s has not %q: %s", name, want, text)
			}
		}
	}
	// Nothing is replaced without --force, and a table that cannot be written does not stop the others.
	if err := os.Remove(filepath.Join(to, "types.create.json")); err != nil {
		t.Fatal(err)
	}
	again := exportOf(t, 2, "--table", "types", "--table", "changed", dir, to)
	if again.Failed != 2 || len(again.Tables) != 2 || !strings.Contains(again.Tables[0].Error.Message, "exists already") {
		t.Errorf("%+v", again)
	}
	exportOf(t, exitOK, "--force", "--to", "trevni", "--compression", "deflate:9", "--table", "types", dir, to)
	if got := ok(t, "count", filepath.Join(to, "types.trv")); strings.TrimSpace(got) != "40" {
		t.Error(got)
	}
	fails(t, do(t, "kudu", "export", "--all", dir), 2, "name DIR and OUTDIR")
	fails(t, do(t, "kudu", "export", dir, to), 2, "--all")
	fails(t, do(t, "kudu", "export", "--table", "nothing", dir, to), 2, `no table "nothing", only altered, changed, `)
	fails(t, do(t, "kudu", "export", "--all", dir, filepath.Join(dir, "data", "x")), 2)
}

// cancelling cancels at the first error that is printed.
type cancelling struct {
	bytes.Buffer
	cancel context.CancelCauseFunc
}

func (c *cancelling) Write(p []byte) (int, error) {
	c.cancel(errInterrupted)
	return c.Buffer.Write(p)
}

// An export that is interrupted reports what it has written, and names what it has not.
func TestKuduExportInterrupted(t *testing.T) {
	dir, to := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/file.tar.gz"), t.TempDir()
	exportOf(t, exitOK, "--table", "changed", dir, to)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var out bytes.Buffer
	told := cancelling{cancel: cancel}
	// The second table is there already: its error interrupts the export.
	code := run(ctx, []string{"kudu", "export", "--json", "--all", dir, to}, strings.NewReader(""), &out, &told)
	if code != exitInterrupted || !strings.Contains(told.String(), "arrowio: interrupted") {
		t.Errorf("exit %d: %s", code, told.String())
	}
	conforms(t, "kudu-export", out.String())
	var r kuduExport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Tables) != 9 || r.Failed != 8 || r.Tables[0].Name != "altered" || r.Tables[0].Error != nil || r.Tables[0].Output == "" {
		t.Fatalf("%+v", r)
	}
	for i, x := range r.Tables[1:] {
		kind := "interrupted"
		if i == 0 {
			kind = "usage"
		}
		if x.Error == nil || x.Error.Kind != kind || x.Output != "" {
			t.Errorf("%s: %+v", x.Name, x)
		}
	}
}

// The loss of a write-ahead log is told with its table, and not before, too.
func TestKuduExportToldOnce(t *testing.T) {
	dir := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/file.tar.gz")
	if err := os.RemoveAll(filepath.Join(dir, "wal", "wals")); err != nil {
		t.Fatal(err)
	}
	r := exportOf(t, exitLost, "--all", "--salvage", dir, t.TempDir())
	for _, w := range r.Warnings {
		if w.Kind == arrowio.WarnLost {
			t.Errorf("at the top: %+v", w)
		}
	}
	for _, x := range r.Tables {
		if x.Tablets == 1 && !slices.ContainsFunc(x.Warnings, func(w arrowio.Warning) bool { return w.Kind == arrowio.WarnLost }) {
			t.Errorf("%s: nothing is told of its log: %+v", x.Name, x.Warnings)
		}
	}
}

// A damaged table fails, the others are written; with --salvage what is intact of it comes back, and its losses are reported.
func TestKuduExportDamaged(t *testing.T) {
	dir := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/file.tar.gz")
	var block string // the last column of the table types
	blocks := filepath.Join(dir, "data", "data")
	err := filepath.WalkDir(blocks, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, "0222121984130349") {
			block = path
		}
		return err
	})
	if err != nil || block == "" {
		t.Fatal(err, block)
	}
	b := fixtures.Read(t, block)
	b[30] ^= 1
	if err := os.WriteFile(block, b, 0o600); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	r := exportOf(t, 1, "--all", dir, filepath.Join(to, "a"))
	i := slices.IndexFunc(r.Tables, func(x exportedTable) bool { return x.Error != nil })
	if r.Failed != 1 || len(r.Tables) != 9 || r.Tables[i].Name != "types" || r.Tables[i].Output != "" || r.Tables[i].Error.Column != "date" {
		t.Errorf("%+v", r)
	}
	if left, err := filepath.Glob(filepath.Join(to, "a", "*types*")); err != nil || len(left) > 0 {
		t.Errorf("of a table that failed there is %q, %v", left, err)
	}
	// The reports name the flags of this command, and say what a second export needs.
	for _, format := range []string{"parquet", "kudu"} {
		o := do(t, "kudu", "export", "--all", "--to", format, dir, filepath.Join(to, format))
		if o.code != 1 || !strings.Contains(o.err, "; --salvage reads what is left") || !strings.Contains(o.out, "--table; with --all, --force replaces") {
			t.Errorf("%s: exit %d: %s\n%s", format, o.code, o.out, o.err)
		}
		if left, err := filepath.Glob(filepath.Join(to, format, "*types*")); err != nil || len(left) > 0 {
			t.Errorf("of a table that failed there is %q, %v", left, err)
		}
		if left, err := filepath.Glob(filepath.Join(to, format, ".*")); err != nil || len(left) > 0 {
			t.Errorf("hidden files are left: %q, %v", left, err)
		}
	}
	fails(t, do(t, "count", "--from", "kudu", "--kudu-table", "types", "--salvage", "rows", dir), exitUsage, "that of kudu is --kudu-salvage")
	if got := kuduSpelling((&app{}).kuduListCommand())("x; --kudu-salvage reads it, --kudu-rebuild puts it together"); got != "x; arrowio kudu export --salvage reads it, --rebuild puts it together" {
		t.Error(got)
	}
	r = exportOf(t, exitLost, "--all", "--salvage", dir, filepath.Join(to, "b"))
	if r.Failed > 0 || r.Tables[i].Rows != 40 || len(r.Tables[i].Warnings) == 0 {
		t.Errorf("%+v", r.Tables[i])
	}
	o := do(t, "kudu", "export", "--all", dir, filepath.Join(to, "c"))
	if o.code != 1 || !strings.Contains(o.out, "│ failed") || !strings.Contains(o.out, "; 1 failed") || strings.Count(o.err, "table types: ") != 1 {
		t.Errorf("%+v", o)
	}
}

// A table that cannot be exported leaves nothing behind, also where it fails in the middle.
func TestKuduExportLeavesNothing(t *testing.T) {
	dir := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/file.tar.gz")
	var blocks []string
	err := filepath.WalkDir(filepath.Join(dir, "data", "data"), func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasPrefix(e.Name(), "0") {
			blocks = append(blocks, path)
		}
		return err
	})
	if err != nil || len(blocks) == 0 {
		t.Fatal(blocks, err)
	}
	for _, path := range blocks {
		b := fixtures.Read(t, path)
		b[len(b)/3] ^= 1
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, to := range []string{"parquet", "kudu", "cfile"} {
		out := filepath.Join(t.TempDir(), "out")
		r := exportOf(t, exitData, "--to", to, "--table", "types", "--table", "altered", "--table", "partitioned", dir, out)
		left, err := os.ReadDir(out)
		if err != nil || len(left) > 0 || r.Failed != 3 || len(r.Tables[0].Create) > 0 {
			t.Errorf("%s: %v, %v, %+v", to, left, err, r.Tables)
		}
	}
}

// Sets have the rows in the order of the key, in which they come from no table of several rowsets.
func TestKuduExportToKudu(t *testing.T) {
	const testdata = "../../testdata/kudu/kudu-1.17.1/"
	dir, rows := fixtures.Unpack(t, testdata+"log.tar.gz"), fixtures.Unpack(t, testdata+"rows.tar.gz")
	r := exportOf(t, exitOK, "--all", "--to", "kudu", dir, filepath.Join(t.TempDir(), "out"))
	if len(r.Tables) != 9 || r.Failed > 0 {
		t.Errorf("%+v", r)
	}
	for _, x := range r.Tables {
		want := strings.Count(string(fixtures.Read(t, filepath.Join(rows, x.Name+".jsonl"))), "\n")
		if got := strings.TrimSpace(ok(t, "count", x.Output)); int(x.Rows) != want || got != strconv.Itoa(want) {
			t.Errorf("%s: %d and %s rows, want %d", x.Name, x.Rows, got, want)
		}
		ok(t, "verify", x.Output)
	}
}

// Where no superblock can be read, the message names the flag that helps, as this command spells it.
func TestKuduExportNoSuperblocks(t *testing.T) {
	dir := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/file.tar.gz")
	wal := filepath.Join(dir, "wal")
	if err := os.RemoveAll(filepath.Join(wal, "tablet-meta")); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{{"export", "--all", wal, out}, {"list", wal}} {
		o := do(t, append([]string{"kudu"}, args...)...)
		if o.code != exitData || !strings.Contains(o.err, " --rebuild=likely") || strings.Contains(o.err, "--kudu-") {
			t.Errorf("%+v", o)
		}
	}
	r := exportOf(t, exitLost, "--all", "--salvage", wal, out)
	if len(r.Tables) > 0 || len(r.Warnings) == 0 {
		t.Errorf("%+v", r)
	}
	// A part of them is lost: what is lost is in the report, by tablet, and the others are written.
	dir = fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/file.tar.gz")
	supers, err := filepath.Glob(filepath.Join(dir, "wal", "tablet-meta", "*"))
	if err != nil || len(supers) < 2 {
		t.Fatal(supers, err)
	}
	if err := errors.Join(os.Remove(supers[0]), os.Truncate(supers[1], 100)); err != nil {
		t.Fatal(err)
	}
	r = exportOf(t, exitLost, "--all", dir, filepath.Join(t.TempDir(), "out"))
	for _, path := range supers[:2] {
		place := "tablet " + filepath.Base(path)
		if !slices.ContainsFunc(r.Warnings, func(w arrowio.Warning) bool { return w.Kind == arrowio.WarnLost && w.Place == place }) {
			t.Errorf("no loss of %s: %+v", place, r.Warnings)
		}
	}
}
