package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// filesBelow lists the files below a directory, by slashed paths.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, name)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// Names of directories are those that Hive's FileUtils.escapePathName makes; pyarrow and DuckDB read them, too.
func TestPartitionBy(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	rows := `id,city,day,n
1,Wien,2024-01-01,5
2,a=b/c %,2024-01-02,-6
3,Zürich,2024-01-01,5
4,Wien,2024-01-02,5
5,,2024-01-01,7
6,"{x}[y]^'""#*:?\",2024-01-01,5
7,Wien,2024-01-01,5
`
	if err := os.WriteFile(in, []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"orc", "parquet", "ipc", "trevni", "avro", "csv", "jsonl"} {
		out := filepath.Join(dir, format)
		ok(t, "convert", "--csv-null", "", "--partition-by", "city,day", "--to", format, in, out+"/")
		files := filesBelow(t, out)
		var got []string
		for _, name := range files {
			got = append(got, strings.TrimSuffix(filepath.ToSlash(filepath.Dir(name)), "/"))
			if !strings.HasPrefix(filepath.Base(name), "part-00000.") {
				t.Errorf("%s: %s", format, name)
			}
		}
		want := []string{
			`city=%7Bx}%5By%5D%5E%27%22%23%2A%3A%3F%5C/day=2024-01-01`, `city=Wien/day=2024-01-01`, `city=Wien/day=2024-01-02`, `city=Zürich/day=2024-01-01`,
			`city=__HIVE_DEFAULT_PARTITION__/day=2024-01-01`, `city=a%3Db%2Fc %25/day=2024-01-02`,
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", format, got, want)
		}
		back := ok(t, "convert", "--columns", "id,city,day,n", "--sort=id", "--to", "csv", "--csv-null", "", out, "-")
		if back != rows {
			t.Errorf("%s: got\n%swant\n%s", format, back, rows)
		}
	}
}

func TestPartitionByDetails(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 4000)
	out := filepath.Join(dir, "out.arrow")
	// Rows stay as they come within a directory, or as --sort says; what does not fit into memory goes to scratch files.
	ok(t, "convert", "--memory", "1MiB", "--partition-by", "name", "--where", "id < 40", "--sort=-id", in, out)
	if n := len(filesBelow(t, out)); n != 31 { // 30 names and null
		t.Errorf("%d files", n)
	}
	if got := ok(t, "cat", "--format", "jsonl", "--columns", "id", "--where", "name IS NULL", out); !strings.HasPrefix(got, "{\"id\":39}\n{\"id\":35}\n") {
		t.Error(got)
	}
	// Parts of a directory.
	parts := filepath.Join(dir, "parts")
	ok(t, "convert", "--exclude", "name,tags", "--max-file-bytes", "10KB", "--to", "jsonl", "--batch-rows", "100", "--partition-by", "id", "--limit", "3", in, parts)
	if got := filesBelow(t, parts); !slices.Equal(got, []string{"id=0/part-00000.jsonl", "id=1/part-00000.jsonl", "id=2/part-00000.jsonl"}) {
		t.Errorf("%q", got)
	}
	plan := ok(t, "convert", "--dry-run", "--partition-by", "name", in, filepath.Join(dir, "x.orc"))
	for _, part := range []string{"directories name=…", "comes back behind the columns of the files", "sorted by name"} {
		if !strings.Contains(plan, part) {
			t.Errorf("no %q in\n%s", part, plan)
		}
	}
	empty := filepath.Join(dir, "empty.csv")
	if err := os.WriteFile(empty, []byte("a,b\n1,\"\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := names(t, dir)
	bad := filepath.Join(dir, "bad")
	for _, c := range []struct {
		code  int
		args  []string
		parts []string
	}{
		{2, []string{"--partition-by", "nmae", "--to", "orc", in, bad}, []string{"partition", "nmae", "name"}},
		{2, []string{"--partition-by", "at.x", "--to", "orc", in, bad}, []string{"partition", "at.x", "struct"}},
		{2, []string{"--partition-by", "tags", "--to", "orc", in, bad}, []string{"partition", "tags", "list"}},
		{2, []string{"--partition-by", "id,id", "--to", "orc", in, bad}, []string{"partition", "twice"}},
		{2, []string{"--partition-by", "id", "--columns", "id", "--to", "orc", in, bad}, []string{"no column is left"}},
		{2, []string{"--partition-by", "id", "--to", "cfile", in, bad}, []string{"cfile", "directory"}},
		{2, []string{"--partition-by", "id", "--to", "csv", in, "-"}, []string{"--partition-by", "standard output"}},
		{1, []string{"--partition-by", "b", "--to", "orc", empty, bad}, []string{"column b", `""`, "null"}},
	} {
		fails(t, do(t, append([]string{"convert"}, c.args...)...), c.code, c.parts...)
		only(t, dir, before...)
	}
}

// What --partition-by made is replaced under --force, whatever its columns are, and nothing else is.
func TestPartitionByReplaces(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 3)
	out := filepath.Join(dir, "out")
	write := func(args ...string) []string {
		return append(append([]string{"convert", "--force", "--to", "orc"}, args...), in, out)
	}
	for _, c := range []struct {
		args  []string
		files []string
	}{
		{[]string{"--partition-by", "id"}, []string{"id=0/part-00000.orc", "id=1/part-00000.orc", "id=2/part-00000.orc"}},
		{[]string{"--partition-by", "id", "--limit", "2"}, []string{"id=0/part-00000.orc", "id=1/part-00000.orc"}},
		{[]string{"--columns", "name,id,at", "--partition-by", "name,id", "--where", "id = 1"}, nil},
		{[]string{"--partition-by", "id", "--where", "id = 2"}, []string{"id=2/part-00000.orc"}},
	} {
		ok(t, write(c.args...)...)
		if got := filesBelow(t, out); c.files != nil && !slices.Equal(got, c.files) {
			t.Errorf("%q: %q, want %q", c.args, got, c.files)
		}
		only(t, dir, "in.arrow", "out")
	}
	for _, name := range []string{"notes.txt", "id=2/notes.txt", "id=2/part-00000-6a5c.c000.orc", "name=x/part-00000.orc", "id=2/sub=1/part-00000.orc", "part-00000.orc"} {
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		fails(t, do(t, write("--partition-by", "id")...), 2, "out: the directory holds", "remove it first")
		if b, err := os.ReadFile(path); string(b) != "mine" {
			t.Errorf("%s is gone: %v", name, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if parent := filepath.Dir(path); parent != out && filepath.Base(parent) != "id=2" {
			if err := os.Remove(parent); err != nil {
				t.Fatal(err)
			}
		}
	}
	fails(t, do(t, write()...), 2, "out: is a directory", "end the name in /")
	only(t, dir, "in.arrow", "out")
}

// Of no rows there is an empty directory, as Spark and DuckDB have it.
func TestPartitionByOfNoRows(t *testing.T) {
	dir := t.TempDir()
	in, out := peopleFile(t, dir, "in.arrow", 0, 40), filepath.Join(dir, "out")
	ok(t, "convert", "--partition-by", "id", "--where", "id < 0", "--to", "orc", in, out)
	only(t, out)
}

// Directories have the names that Spark 3 gives them: floats as Java writes them, decimals with their scale, timestamps without zeros
// at the end of the fraction.
func TestPartitionByOfEveryType(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.arrow")
	fields := []arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int8},
		{Name: "d", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "f", Type: arrow.PrimitiveTypes.Float32, Nullable: true},
		{Name: "m", Type: &arrow.Decimal128Type{Precision: 38, Scale: 2}, Nullable: true},
		{Name: "w", Type: &arrow.Decimal256Type{Precision: 60, Scale: 3}, Nullable: true},
		{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Nanosecond}, Nullable: true},
		{Name: "s", Type: &arrow.TimestampType{Unit: arrow.Second}, Nullable: true},
		{Name: "z", Type: &arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}, Nullable: true},
		{Name: "b", Type: arrow.BinaryTypes.Binary, Nullable: true},
		{Name: "l", Type: arrow.FixedWidthTypes.Time32s, Nullable: true},
	}
	s := arrow.NewSchema(fields, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(`[
		{"id": 1, "d": 1.5, "f": 0.1, "m": "0.05", "w": "123456789012345678901234567890123456789.125", "t": "2020-01-02 03:04:05.500", "s": "1969-12-31 23:59:59"},
		{"id": 2, "d": 1e10, "f": 1e-9, "m": "-123456789012345678901234567890123456.70", "w": "-0.001", "t": "1969-12-31 23:59:59.999999999", "s": "2020-01-02 00:00:00"},
		{"id": 3, "d": -0.0, "f": 1e7, "m": "7.00"},
		{"id": 4, "d": 0.0, "f": 9999999, "m": "-0.07"}]`))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	writeIPC(t, in, s, rec)
	const null = "__HIVE_DEFAULT_PARTITION__"
	for column, want := range map[string][]string{
		"d": {"0.0", "1.0E10", "1.5"},
		"f": {"0.1", "1.0E-9", "1.0E7", "9999999.0"},
		"m": {"-0.07", "-123456789012345678901234567890123456.70", "0.05", "7.00"},
		"w": {"-0.001", "123456789012345678901234567890123456789.125", null},
		"t": {"1969-12-31 23%3A59%3A59.999999999", "2020-01-02 03%3A04%3A05.5", null},
		"s": {"1969-12-31 23%3A59%3A59", "2020-01-02 00%3A00%3A00", null},
	} {
		out := filepath.Join(dir, column)
		if o := do(t, "convert", "--columns", "id,"+column, "--partition-by", column, "--to", "parquet", in, out); o.code != 0 {
			t.Errorf("%s: %s", column, o.err)
			continue
		}
		var got []string
		for _, name := range filesBelow(t, out) {
			got = append(got, strings.TrimPrefix(filepath.Base(filepath.Dir(name)), column+"="))
		}
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", column, got, want)
		}
		if got := ok(t, "count", out); got != "4\n" {
			t.Errorf("%s: %s rows", column, got)
		}
	}
	for column, says := range map[string]string{"z": "timestamp[s, tz=UTC]", "b": "binary", "l": "time32[s]"} {
		fails(t, do(t, "convert", "--partition-by", column, "--to", "parquet", in, filepath.Join(dir, "bad")), 2, "--partition-by="+column, says, "decimals")
	}
}

// What directories say must fit --schema, and counts in place of what the file says, for verify as for reading.
func TestVerifyKeysUnderSchema(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "k=x"), 0o700); err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(dir, "k=x", "a.csv")
	if err := os.WriteFile(in, []byte("a,k\n1,2020-01-01\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const told = "k=x/a.csv: the directory k=x: the value is no int32\n"
	if o := do(t, "verify", "--schema", "struct<k:int,a:bigint>", dir); o.code != 1 || o.out != filepath.Join(dir, told) {
		t.Errorf("got %+v, want %s", o, told)
	}
	fails(t, do(t, "cat", "--schema", "struct<k:int,a:bigint>", dir), 1, "the directory k=x: the value is no int32")
	for _, schema := range []string{"struct<k:string,a:bigint>", `{"fields": [{"name": "k", "type": "utf8", "nullable": false}, {"name": "a", "type": "int64"}]}`} {
		if got := ok(t, "verify", "--schema", schema, dir); !strings.Contains(got, "ok") {
			t.Error(got)
		}
	}
	ok(t, "verify", "--partitions", "none", "--schema", "struct<k:date,a:bigint>", dir)
}
