package main

import (
	"bytes"
	"encoding/json"
	"errors"
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
	// A count, which reads no column, tells of all losses: it is asked how much is left.
	if o = do(t, "count", "--salvage", "columns", in); o.code != exitLost || o.out != "40000\n" {
		t.Errorf("columns: exit %d: %s", o.code, o.out)
	}
}

// An ORC file without its tail is read by the footers of its stripes, under the schema of a sibling or one that is written out; stripes
// that were moved are found.
func TestSalvageORCWithoutTail(t *testing.T) {
	const name = "../../testdata/orc/java-2.3.1/many-stripes.orc" // 40 stripes of 25 rows
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.SplitAfter(ok(t, "cat", "--format", "jsonl", name), "\n")
	other := []byte(strings.Repeat("other bytes ", 500))
	in := filepath.Join(t.TempDir(), "in.orc")
	salvage := func(b []byte, flags ...string) outcome {
		if err := os.WriteFile(in, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return do(t, append(append([]string{"cat", "--from", "orc", "--format", "jsonl", "--salvage", "rows"}, flags...), in)...)
	}
	cut := b[:len(b)-500]
	o := salvage(cut)
	if o.code != exitUsage || !strings.Contains(o.err, "stripes are there: 40, of 1000 rows, and 2 columns with those within others; name another file of the same table, or the columns, with --schema") {
		t.Errorf("without a schema: exit %d, %s", o.code, o.err)
	}
	rows := func(from, to int) string { return strings.Join(whole[from:to], "") }
	for what, c := range map[string]struct {
		b     []byte
		flags []string
		code  int
		want  string
		told  string
	}{
		"a sibling":        {cut, []string{"--schema", name}, exitLost, rows(0, 1000), "stripes found by their footers: 40, of 1000 rows"},
		"a text":           {cut, []string{"--schema", "struct<a__mono:int,b__dict:string>"}, exitLost, rows(0, 1000), "behind the last stripe"},
		"half of the file": {b[:4000], []string{"--schema", name}, exitLost, rows(0, 450), "stripes found by their footers: 18, of 450 rows"},
		"whole stripes":    {b[:3915], []string{"--schema", name}, exitLost, rows(0, 450), "lost: the file ends with the last stripe that was found: rows may be missing"},
		"too few columns":  {cut, []string{"--schema", "struct<a:int>"}, exitUsage, "", "stripes are there: 40, of 1000 rows, with 2 columns, those within others counted; --schema has 1"},
		"a type too many":  {cut, []string{"--schema", "struct<a:int,b:array<string>>"}, exitUsage, "", "with 2 columns, those within others counted; --schema has 3"},
		"a date":           {cut, []string{"--schema", "struct<a:date,b:string>"}, exitUsage, "", "column a: --schema says date, and the statistics of stripe 0 are those of integers"},
		"other types":      {cut, []string{"--schema", "struct<a:string,b:int>"}, exitUsage, "", "column a: --schema says string, and the statistics of stripe 0 are those of integers"},
		"bytes behind":     {append(b[:len(b):len(b)], other...), nil, exitOK, rows(0, 1000), "other bytes follow"},
		"bytes before":     {append(other[:len(other):len(other)], b...), nil, exitOK, rows(0, 1000), "the file begins here, and the 6000 bytes in front of it are not read"},
		"bytes missing":    {append(b[:4000:4000], b[4300:]...), nil, exitLost, rows(0, 450) + rows(500, 1000), "stripes 20 to 39 are 300 bytes in front of where the footer says"},
		"no stripe":        {b[:100], []string{"--schema", name}, exitData, "", "no stripe was found in 100 bytes"},
	} {
		if o := salvage(c.b, c.flags...); o.code != c.code || o.out != c.want || !strings.Contains(o.err, c.told) {
			t.Errorf("%s: exit %d, %d bytes of rows, want exit %d and %d: %s", what, o.code, len(o.out), c.code, len(c.want), o.err)
		}
	}
}

// A repair is a sound file of the same format and shape, with the rows that are intact.
func TestRepair(t *testing.T) {
	const name = "orc/java-2.3.1/strides-zstd.orc"
	in, out := damaged(t, "orc/java-2.3.1/ints-smallint-v11.orc", 3000, 4), filepath.Join(t.TempDir(), "out.orc")
	o := do(t, "repair", "--salvage", "columns", in, out)
	if o.code != exitLost || !strings.Contains(o.err, "lost: rows 0 to 400 (stripe 0): null in column ") {
		t.Fatalf("exit %d: %s", o.code, o.err)
	}
	if got := ok(t, "verify", out); !strings.Contains(got, "all 400 rows decode") {
		t.Error(got)
	}
	if got := ok(t, "inspect", out); !strings.Contains(got, "row groups of 1000 rows") || !strings.Contains(got, "zlib") {
		t.Error(got)
	}
	want := ok(t, "cat", "--format", "jsonl", "../../testdata/orc/java-2.3.1/small-zlib.orc")
	whole := filepath.Join(t.TempDir(), "whole.orc") // a file that is not damaged stays as it is
	if o := do(t, "repair", "../../testdata/orc/java-2.3.1/small-zlib.orc", whole); o.code != exitOK {
		t.Fatalf("exit %d: %s", o.code, o.err)
	}
	if got := ok(t, "cat", "--format", "jsonl", whole); got != want {
		t.Error("rows differ after a repair of a sound file")
	}
	fails(t, do(t, "repair", "../../testdata/"+name), exitUsage, "repair takes one INPUT and one OUTPUT")
	fails(t, do(t, "repair", "--to", "parquet", "../../testdata/"+name, filepath.Join(t.TempDir(), "x")), exitUsage, "repair writes the format of INPUT, which is orc")
	fails(t, do(t, "repair", peopleFile(t, t.TempDir(), "in.arrow", 0, 10), out), exitUsage, "repair is for ORC and Trevni")
}

// Nothing replaces a damaged file: what is lost now might still be found later.
func TestRescueKeepsItsInput(t *testing.T) {
	in := damaged(t, "orc/java-2.3.1/ints-smallint-v11.orc", 3000, 4)
	before, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	link, hard := filepath.Join(t.TempDir(), "link.orc"), filepath.Join(filepath.Dir(in), "hard.orc")
	if err := errors.Join(os.Symlink(in, link), os.Link(in, hard)); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{in, filepath.Dir(in) + "/./" + filepath.Base(in), link, hard} {
		fails(t, do(t, "repair", "--force", in, out), exitUsage, "what is lost now might still be found later; name another OUTPUT")
		fails(t, do(t, "convert", "--force", "--salvage", "rows", in, out), exitUsage, "name another OUTPUT")
	}
	if after, err := os.ReadFile(in); err != nil || !bytes.Equal(after, before) {
		t.Error("INPUT has changed:", err)
	}
	fails(t, do(t, "repair", in, filepath.Join(t.TempDir(), "out.parquet")), exitUsage, "repair writes the format of INPUT, which is orc, and ")
}

// Plain columns of Trevni have no nulls: where damaged values become null, the repaired file has an Avro schema.
func TestRepairPlainColumns(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.trv"), filepath.Join(dir, "out.trv")
	var b bytes.Buffer
	for i := range 40_000 {
		fmt.Fprintf(&b, "{\"n\":%d,\"m\":%d}\n", i*7919%100_003, i)
	}
	rows := filepath.Join(dir, "in.jsonl")
	if err := os.WriteFile(rows, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	ok(t, "convert", "--trevni-schema", "columns", "--compression", "none", rows, in)
	file, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	file[len(file)/4] ^= 1
	if err := os.WriteFile(in, file, 0o666); err != nil {
		t.Fatal(err)
	}
	o := do(t, "repair", "--salvage", "columns", in, out)
	if o.code != exitLost || !strings.Contains(o.err, "null in column n") {
		t.Fatalf("exit %d: %s", o.code, o.err)
	}
	ok(t, "verify", out)
	if got := strings.TrimSpace(ok(t, "count", "--where", "m >= 0", out)); got != "40000" {
		t.Errorf("%s rows", got)
	}
	o = do(t, "repair", "--force", "--salvage", "columns", "--trevni-schema", "columns", in, out)
	if o.code != exitData || !strings.Contains(o.err, "plain columns have none: --trevni-schema=avro gives nulls a place") {
		t.Errorf("plain columns: exit %d, %s", o.code, o.err)
	}
	for _, c := range []struct {
		code int
		args []string
	}{{exitLost, []string{"count"}}, {exitLost, []string{"cat", "--limit", "1"}}, {exitOK, []string{"cat", "--limit", "1", "--columns", "m"}}} {
		if o := do(t, append(c.args, "--salvage", "columns", in)...); o.code != c.code || strings.Contains(o.err, "lost: rows") != (c.code == exitLost) {
			t.Errorf("%q: exit %d, want %d: %s", c.args, o.code, c.code, o.err)
		}
	}
}

// A file whose columns are plain and whose codec is not written is repaired all the same: the codec becomes the usual one.
func TestRepairPlainBzip2(t *testing.T) {
	in, out := damaged(t, "trevni/java-1.12.1/prim-bzip2-null.trv", 2100, 0), filepath.Join(t.TempDir(), "out.trv")
	o := do(t, "repair", "--salvage", "columns", in, out)
	if o.code != exitLost || !strings.Contains(o.err, ": null in column ") {
		t.Fatalf("exit %d: %s", o.code, o.err)
	}
	ok(t, "verify", out)
	want := ok(t, "count", "../../testdata/trevni/java-1.12.1/prim-bzip2-null.trv")
	if got := ok(t, "count", out); got != want {
		t.Errorf("%s rows, want %s", got, want)
	}
}
