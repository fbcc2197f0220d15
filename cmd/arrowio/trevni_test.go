package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Trevni has everything that the commands can show: blocks, checksums, a verifier.
func TestTrevniThroughEveryCommand(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 2500)
	trv, back := filepath.Join(dir, "out.trv"), filepath.Join(dir, "back.arrow")
	ok(t, "convert", in, trv)
	ok(t, "convert", trv, back)
	_, want := readIPC(t, in)
	if _, got := readIPC(t, back); got != want {
		t.Error("rows differ after a round trip")
	}
	if got := ok(t, "cat", "--columns", "id,tags", "--where", "id = 7", "--format", "jsonl", trv); got != "{\"id\":7,\"tags\":null}\n" {
		t.Errorf("cat: %q", got)
	}
	if got := ok(t, "schema", trv); !strings.Contains(got, "trevni, 4 columns") {
		t.Errorf("schema: %s", got)
	}
	if got := ok(t, "schema", "--trevni-view", "columns", trv); !strings.Contains(got, "trevni.name=") {
		t.Errorf("schema of the columns: %s", got)
	}
	if got := ok(t, "verify", trv); got != trv+": ok\n" {
		t.Errorf("verify: %q", got)
	}
	if got := ok(t, "inspect", "--blocks", trv); !strings.Contains(got, "checksum") || !strings.Contains(got, "offset") {
		t.Errorf("inspect: %s", got)
	}
	var doc struct {
		ChecksumsChecked bool `json:"checksums_checked"`
		Columns          []struct {
			Path, Verdict string
			BlockList     []struct{ Rows, Offset, Bytes int64 } `json:"block_list"`
		}
	}
	if err := json.Unmarshal([]byte(ok(t, "inspect", "--blocks", "--json", trv)), &doc); err != nil {
		t.Fatal(err)
	}
	if !doc.ChecksumsChecked || len(doc.Columns) == 0 || len(doc.Columns[0].BlockList) == 0 || doc.Columns[0].Verdict == "" {
		t.Fatalf("%+v", doc)
	}
	if err := json.Unmarshal([]byte(ok(t, "inspect", "--json", "--checksums=false", trv)), &doc); err != nil || doc.ChecksumsChecked {
		t.Errorf("%v: checksums were checked", err)
	}
	if got := ok(t, "inspect", "--checksums=false", trv); !strings.Contains(got, "--checksums reads every block") {
		t.Errorf("inspect: %s", got)
	}

	// One byte inside of a block turns: every command says where, none leaves anything behind.
	b, err := os.ReadFile(trv)
	if err != nil {
		t.Fatal(err)
	}
	block := doc.Columns[0].BlockList[0]
	b[block.Offset+block.Bytes/2] ^= 0x40
	bad := filepath.Join(dir, "bad.trv")
	if err := os.WriteFile(bad, b, 0o666); err != nil {
		t.Fatal(err)
	}
	o := do(t, "verify", bad)
	if o.code != 1 || !strings.HasPrefix(o.out, bad+": trevni: column "+doc.Columns[0].Path) || !strings.Contains(o.err, "1 fault found") {
		t.Errorf("verify: %+v", o)
	}
	fails(t, do(t, "convert", bad, filepath.Join(dir, "x.arrow")), 1, "bad.trv: trevni: ", doc.Columns[0].Path)
	only(t, dir, "back.arrow", "bad.trv", "in.arrow", "out.trv")
	o = do(t, "--json-errors", "convert", bad, filepath.Join(dir, "x.arrow"))
	var f failure
	if err := json.Unmarshal([]byte(o.err), &f); err != nil || f.Kind != "corrupt" || f.File != bad || f.Format != "trevni" || f.Column == "" || f.Offset == 0 {
		t.Errorf("%v: %s", err, o.err)
	}
}

// Trevni output is one file however many rows there are, unless --row-group-bytes limits it. Then plan, note and JSON say that
// OUTPUT is, or may be, a directory.
func TestTrevniParts(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 2500)
	const why = "rows that take more than 4.0 KiB before compression are divided among files in a directory"
	limited := func(args ...string) []string {
		return append([]string{"convert", "--row-group-bytes", "4KiB"}, args...)
	}
	type report struct {
		Directory *bool
		Plan      struct{ Parts string }
		Files     []struct{ Name string }
	}
	parse := func(text string) (r report) {
		t.Helper()
		if err := json.Unmarshal([]byte(text), &r); err != nil || r.Directory == nil {
			t.Fatalf("%v: %s", err, text)
		}
		return r
	}

	one := filepath.Join(dir, "one.trv")
	if got := ok(t, "convert", "--dry-run", in, one); strings.Contains(got, "directory") {
		t.Errorf("plan of one file: %s", got)
	}
	if r := parse(ok(t, "convert", "--json", in, one)); *r.Directory || r.Plan.Parts != "" || len(r.Files) != 1 || r.Files[0].Name != "one.trv" {
		t.Errorf("%+v", r)
	}

	many := filepath.Join(dir, "many.trv")
	if got := ok(t, limited("--dry-run", in, many)...); !strings.Contains(got, why) {
		t.Errorf("plan: %s", got)
	}
	if r := parse(ok(t, limited("--dry-run", "--json", in, many)...)); *r.Directory || r.Plan.Parts != why {
		t.Errorf("plan: %+v", r)
	}
	o := do(t, limited(in, many)...)
	entries, err := os.ReadDir(many)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("arrowio: %s: note: this is a directory of %d files: %s\n", many, len(entries), why); o.code != 0 || len(entries) < 2 || o.err != want {
		t.Errorf("%d files, %+v, want %q", len(entries), o, want)
	}
	if r := parse(ok(t, limited("--force", "--json", in, many+"/")...)); !*r.Directory || r.Plan.Parts != why || len(r.Files) != len(entries) {
		t.Errorf("%+v", r)
	}
	if got := ok(t, "count", many); strings.TrimSpace(got) != "2500" {
		t.Errorf("count: %q", got)
	}
	if o := do(t, limited(in, filepath.Join(dir, "asked.trv")+"/")...); o.code != 0 || o.err != "" {
		t.Errorf("a directory that was asked for: %+v", o)
	}
	if o := do(t, limited("--limit", "3", in, filepath.Join(dir, "few.trv"))...); o.code != 0 || o.err != "" {
		t.Errorf("rows that fit into a file: %+v", o)
	}

	o = do(t, limited("--to", "trevni", in, "-")...)
	fails(t, o, 2, "more than one file", "--row-group-bytes")
	if o.out != "" {
		t.Errorf("%d bytes went to standard output before the error", len(o.out))
	}
	b, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	if o := do(t, "convert", "--to", "trevni", in, "-"); o.code != 0 || o.out != string(b) {
		t.Errorf("standard output: exit %d, %d bytes, want those of the file, %d: %s", o.code, len(o.out), len(b), o.err)
	}
}
