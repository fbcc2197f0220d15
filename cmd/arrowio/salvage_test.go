package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// damaged copies a file of testdata with a flipped bit.
func damaged(t *testing.T, name string, off int, bit byte) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../../testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	b[off] ^= 1 << bit
	out := filepath.Join(t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(out, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return out
}

// What is intact of an ORC file comes, and each loss is reported: damage in the first row group of a stripe, of one column.
func TestSalvageORC(t *testing.T) {
	const name = "orc/java-2.3.1/strides-none.orc" // row groups of 1000 rows, stripes of 2050 and 150
	whole := strings.SplitAfter(ok(t, "cat", "--format", "jsonl", "../../testdata/"+name), "\n")
	in := damaged(t, name, 29191, 4) // a tag of a union in the second row group
	o := do(t, "cat", "--format", "jsonl", in)
	if o.code != exitData || !strings.Contains(o.err, "--salvage=rows reads what is intact") {
		t.Errorf("without the option: exit %d, %s", o.code, o.err)
	}
	o = do(t, "cat", "--format", "jsonl", "--salvage", "rows", in)
	if want := strings.Join(whole[:1000], "") + strings.Join(whole[2000:], ""); o.code != exitLost || o.out != want {
		t.Errorf("rows: exit %d, %d bytes of rows, want %d", o.code, len(o.out), len(want))
	}
	if want := "lost: rows 1000 to 2000 (stripe 0): left out because of column h__small__r10: DATA stream at 29333: tag 17 of a union of 2 variants\n"; !strings.HasSuffix(o.err, want) {
		t.Errorf("told: %s", o.err)
	}
	o = do(t, "count", "--json", "--salvage", "rows", in)
	conforms(t, "count", o.out)
	var doc struct {
		Rows     int64
		Warnings []struct {
			Kind  string
			Place string
			Rows  int64
			Range struct{ Start, End int64 } `json:"row_range"`
			Bytes struct{ Start, End int64 } `json:"byte_range"`
		}
	}
	if err := json.Unmarshal([]byte(o.out), &doc); err != nil || o.code != exitLost {
		t.Fatalf("exit %d: %v", o.code, err)
	}
	if w := doc.Warnings; len(w) != 1 || w[0].Kind != "lost" || w[0].Place != "stripe 0" || w[0].Rows != 1000 || doc.Rows+w[0].Rows != 2200 ||
		w[0].Range.Start != 1000 || w[0].Range.End != 2000 || w[0].Bytes.Start > 29191 || w[0].Bytes.End <= 29191 {
		t.Errorf("%s", o.out)
	}
	// A union has no nulls, so its rows are left out in this mode, too; another column is null.
	if o = do(t, "count", "--salvage", "columns", in); o.out != "1200\n" || o.code != exitLost {
		t.Errorf("columns: exit %d: %s", o.code, o.out)
	}
	in = damaged(t, name, 32471, 7) // a double in the first row group
	o = do(t, "cat", "--format", "jsonl", "--salvage", "columns", in)
	got := strings.SplitAfter(o.out, "\n")
	if o.code != exitLost || len(got) != len(whole) || strings.Join(got[1000:], "") != strings.Join(whole[1000:], "") {
		t.Fatalf("columns: exit %d, %d lines", o.code, len(got))
	}
	for i := range 1000 {
		var a, b map[string]any
		if err := json.Unmarshal([]byte(whole[i]), &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(got[i]), &b); err != nil {
			t.Fatal(err)
		}
		if a["i__finite"] = nil; fmt.Sprint(a) != fmt.Sprint(b) {
			t.Fatalf("row %d is %v, want %v", i, b, a)
		}
	}
	// A filter sees what is shown: statistics of the damaged part prune nothing.
	if o = do(t, "count", "--salvage", "columns", "--where", "i__finite IS NULL", in); o.code != exitLost || o.out == "0\n" {
		t.Errorf("a filter: exit %d: %s", o.code, o.out)
	}
	// Without damage the option changes nothing.
	if o = do(t, "cat", "--format", "jsonl", "--salvage", "columns", "../../testdata/"+name); o.code != exitOK || o.out != strings.Join(whole, "") || o.err != "" {
		t.Errorf("a sound file: exit %d: %s", o.code, o.err)
	}
}

// Checksums tell which blocks of a Trevni file are intact.
func TestSalvageTrevni(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.trv")
	ok(t, "convert", "--compression", "none", peopleFile(t, dir, "in.arrow", 0, 40_000), in)
	whole := strings.SplitAfter(ok(t, "cat", "--format", "jsonl", in), "\n")
	b, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(in, b, 0o666); err != nil {
		t.Fatal(err)
	}
	if o := do(t, "cat", in); o.code != exitData || !strings.Contains(o.err, "--salvage=rows reads what is intact") {
		t.Errorf("without the option: exit %d, %s", o.code, o.err)
	}
	o := do(t, "count", "--json", "--salvage", "rows", in)
	conforms(t, "count", o.out)
	var doc struct {
		Rows     int
		Warnings []struct {
			Rows  int
			Range struct{ Start, End int } `json:"row_range"`
			Bytes struct{ Start, End int } `json:"byte_range"`
		}
	}
	if err := json.Unmarshal([]byte(o.out), &doc); err != nil || o.code != exitLost || len(doc.Warnings) != 1 {
		t.Fatalf("exit %d: %v: %s", o.code, err, o.out)
	}
	w := doc.Warnings[0]
	if w.Rows == 0 || doc.Rows+w.Rows != 40_000 || w.Range.End-w.Range.Start != w.Rows || w.Bytes.Start > len(b)/2 || w.Bytes.End <= len(b)/2 {
		t.Errorf("%s", o.out)
	}
	o = do(t, "cat", "--format", "jsonl", "--salvage", "rows", in)
	if want := strings.Join(whole[:w.Range.Start], "") + strings.Join(whole[w.Range.End:], ""); o.code != exitLost || o.out != want {
		t.Errorf("rows: exit %d, %d bytes of rows, want %d", o.code, len(o.out), len(want))
	}
	if o = do(t, "cat", "--format", "jsonl", "--salvage", "columns", in); o.code != exitLost || strings.Count(o.out, "\n") != 40_000 {
		t.Errorf("columns: exit %d: %d bytes", o.code, len(o.out))
	}
	// A count reads no column: nothing of what it says is lost.
	if o = do(t, "count", "--salvage", "columns", in); o.code != exitOK || o.out != "40000\n" {
		t.Errorf("columns: exit %d: %s", o.code, o.out)
	}
}
