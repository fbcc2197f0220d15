package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// csvFile writes rows of columns id and s.
func csvFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(file, []byte("id,s\n1,x\n2,y\n3,z\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestColumnsTwiceOrNone(t *testing.T) {
	in := csvFile(t)
	out := filepath.Join(t.TempDir(), "out.csv")
	for _, args := range [][]string{{"cat", in}, {"head", in}, {"tail", in}, {"sample", in}, {"convert", in, out}} {
		with := func(flags ...string) []string { return append(append([]string{args[0]}, flags...), args[1:]...) }
		fails(t, do(t, with("--columns", "id,id")...), 2, "--columns names column id twice")
		fails(t, do(t, with("--columns", `id,"id"`)...), 2, "twice")
		fails(t, do(t, with("--columns", "")...), 2, "no column is left")
		fails(t, do(t, with("--exclude", "id,s")...), 2, "no column is left")
	}
	if got := ok(t, "scan", "--columns", "", in); !strings.Contains(got, "3 rows") {
		t.Error(got)
	}
	fails(t, do(t, "count", "--where", "id", in), 2, "column id is int64: only a boolean column is a condition by itself")
}

// A list of columns that names none is no list: an empty variable of a shell must not change what is done.
func TestColumnsEmpty(t *testing.T) {
	in := csvFile(t)
	for _, args := range [][]string{{"diff", "--key", "", in, in}, {"cat", "--exclude", "", in}, {"convert", "--partition-by", "", in, t.TempDir() + "/out"}, {"browse", "--exclude", "", in}, {"convert", "--sort=", in, t.TempDir() + "/out.orc"}} {
		o := do(t, args...)
		if o.code != 2 || !strings.Contains(o.err, "empty column name") && args[1] != "--sort=" {
			t.Errorf("%q: %+v", args, o)
		}
	}
}

// A range without rows is no error, as over Flight and in Python: no row is read.
func TestRowsNone(t *testing.T) {
	in := csvFile(t)
	for _, rows := range []string{"0:0", ":0", "2:2", "9:9"} {
		if got := ok(t, "cat", "--format", "csv", "--rows", rows, in); got != "id,s\n" {
			t.Errorf("cat --rows %s: %q", rows, got)
		}
		if got := ok(t, "count", "--rows", rows, in); got != "0\n" {
			t.Errorf("count --rows %s: %q", rows, got)
		}
		out := filepath.Join(t.TempDir(), "out.csv")
		ok(t, "convert", "--rows", rows, in, out)
		if got := ok(t, "count", out); got != "0\n" {
			t.Errorf("convert --rows %s: %q", rows, got)
		}
		if got := ok(t, "scan", "--rows", rows, in); !strings.Contains(got, "0 rows") {
			t.Errorf("scan --rows %s: %q", rows, got)
		}
	}
	fails(t, do(t, "cat", "--rows", "3:2", in), 2, "row B is before row A")
}

// Columns of types that do not go together are named, with the flag that leaves them out, and do not keep rows from being counted.
func TestColumnsThatDoNotMeet(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"1.jsonl": `{"id":1,"s":{"a":1}}`, "2.jsonl": `{"id":2,"s":[1]}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fails(t, do(t, "cat", dir), 1, "column s", "--exclude")
	if got := ok(t, "cat", "--exclude", "s", "--format", "csv", dir); got != "id\n1\n2\n" {
		t.Error(got)
	}
	if got := ok(t, "count", dir); got != "2\n" {
		t.Error(got)
	}
}

// What directories say can be asked for in inspect --where, too.
func TestInspectWhereDirectories(t *testing.T) {
	in, dir := csvFile(t), filepath.Join(t.TempDir(), "by")
	ok(t, "convert", "--partition-by", "s", "--to", "parquet", in, dir)
	var doc struct {
		Files []struct {
			File    string
			Pruning struct {
				Rows int64
				Of   int64 `json:"rows_total"`
			}
			Plan []struct{ Left int64 }
		}
	}
	if err := json.Unmarshal([]byte(ok(t, "inspect", "--json", "--where", "s = 'y' AND id > 0", dir)), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Files) != 3 {
		t.Fatalf("%+v", doc)
	}
	for _, f := range doc.Files {
		want := int64(0)
		if strings.Contains(f.File, "s=y") {
			want = 1
		}
		if f.Pruning.Rows != want || f.Pruning.Of != 1 || len(f.Plan) != 1 || f.Plan[0].Left != want {
			t.Errorf("%+v", f)
		}
	}
	fails(t, do(t, "inspect", "--where", "nope = 1", dir), 2, "nope")
}

// A byte that is read twice, for the types of columns and for their values, is one byte of the input.
func TestBytesInOnce(t *testing.T) {
	in := csvFile(t)
	var r struct {
		BytesIn int64 `json:"bytes_in"`
	}
	if err := json.Unmarshal([]byte(ok(t, "convert", "--json", in, filepath.Join(t.TempDir(), "a.parquet"))), &r); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(in)
	if err != nil || r.BytesIn != fi.Size() {
		t.Error(r.BytesIn, fi.Size(), err)
	}
}

// Text is read packed, other formats are not.
func TestCompressedFiles(t *testing.T) {
	dir := t.TempDir()
	for name, told := range map[string][]string{"a.csv.gz": {"compressed data at", "gzip"}, "a.orc.gz": {"compressed with gzip", "unpack it first"}} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("\x1f\x8b\x08\x00 and more that nobody can unpack"), 0o600); err != nil {
			t.Fatal(err)
		}
		fails(t, do(t, "cat", file), 1, told...)
	}
	gzipped := filepath.Join(dir, "noname")
	ok(t, "convert", csvFile(t), filepath.Join(dir, "c.csv.gz"))
	b, err := os.ReadFile(filepath.Join(dir, "c.csv.gz"))
	if err == nil {
		err = os.WriteFile(gzipped, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	advice := "the whole file is compressed with gzip; unpack it first, or, if it is csv or jsonl, name the format with --from"
	fails(t, do(t, "cat", gzipped), 1, advice)
	if got, want := ok(t, "cat", "--from", "csv", gzipped), ok(t, "cat", csvFile(t)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, format := range []string{"orc", "parquet", "ipc", "avro", "trevni"} {
		fails(t, do(t, "cat", "--from", format, gzipped), 1, "the whole file is compressed with gzip, with which "+format+" is not read; unpack it first (")
	}
	renamed := filepath.Join(dir, "c.orc")
	if err := os.WriteFile(renamed, b, 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, do(t, "cat", renamed), 1, "with which orc is not read; unpack it first")
	xz := filepath.Join(dir, "d.csv.xz")
	if err := os.WriteFile(xz, []byte("\xfd7zXZ\x00\x00\x04 and more"), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, do(t, "cat", xz), 1, "the whole file is compressed with xz, which is not read; unpack it first")
	fails(t, do(t, "cat", "--from", "csv", xz), 1, "the whole file is compressed with xz, with which csv is not read; unpack it first (")
	packed := filepath.Join(dir, "b.jsonl.zst")
	ok(t, "convert", csvFile(t), packed)
	if got, want := ok(t, "cat", "--format", "csv", packed), ok(t, "cat", "--format", "csv", csvFile(t)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
