package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/fixtures"
)

// A dry run finds what is wrong with OUTPUT, with the code and the words of the real run, and leaves nothing there.
func TestDryRunChecksOutput(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 4)
	there := peopleFile(t, dir, "there.arrow", 0, 4)
	foreign := filepath.Join(dir, "foreign")
	if err := os.MkdirAll(filepath.Join(foreign, "mine"), 0o777); err != nil {
		t.Fatal(err)
	}
	before := names(t, dir)
	for _, c := range []struct {
		code int
		args []string
	}{
		{2, []string{in, there}},
		{3, []string{in, filepath.Join(dir, "missing", "out.arrow")}},
		{3, []string{in, filepath.Join(in, "out.arrow")}},
		{2, []string{"--force", "--to", "parquet", in, foreign}},
		{2, []string{"--partition-by", "id", "--to", "parquet", in, foreign}},
	} {
		real, dry := do(t, append([]string{"convert"}, c.args...)...), do(t, append([]string{"convert", "--dry-run"}, c.args...)...)
		fails(t, dry, c.code)
		if dry != real {
			t.Errorf("%q: %+v, and the real run %+v", c.args, dry, real)
		}
		only(t, dir, before...)
	}
	ok(t, "convert", "--dry-run", "--force", in, there)
	ok(t, "convert", "--dry-run", in, filepath.Join(dir, "new.arrow"))
	only(t, dir, before...)
	if runtime.GOOS != "linux" {
		return
	}
	const sealed = "/proc/self/fdinfo/out.arrow" // where nobody makes files
	real, dry := do(t, "convert", in, sealed), do(t, "convert", "--dry-run", in, sealed)
	fails(t, real, 3)
	fails(t, dry, 3)
}

// What a plan takes is written, but for values that it says are refused.
func TestDryRunTellsOfRefusedValues(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.orc")
	ok(t, "convert", tableFile(t, filepath.Join(dir, "in.arrow"), `[{"id":1,"at":"2020-01-02 03:04:05.000000001"}]`, "id int64", "at nanos"), in)
	out := filepath.Join(dir, "out.trv")
	if o := do(t, "convert", "--dry-run", "--trevni-timestamps=micros", in, out); o.code != 0 || !strings.Contains(o.out, "refused") || !strings.Contains(o.out, "values that are no whole number of microseconds") {
		t.Errorf("%+v", o)
	}
	o := do(t, "convert", "--dry-run", "--trevni-timestamps=micros", "--json", in, out)
	conforms(t, "convert", o.out)
	var r struct {
		Plan struct {
			Columns []struct{ Path, Refused string }
		}
	}
	if err := json.Unmarshal([]byte(o.out), &r); err != nil || len(r.Plan.Columns) != 2 || r.Plan.Columns[0].Refused != "" || r.Plan.Columns[1].Refused != "values that are no whole number of microseconds" {
		t.Errorf("%+v %v", r, err)
	}
	fails(t, do(t, "convert", "--trevni-timestamps=micros", in, out), 1, out, "column at", "no whole number of microseconds", "--timestamp-unit=us reads")
	if o := do(t, "convert", "--timestamp-unit=us", in, out); o.code != 0 {
		t.Error(o.err)
	}
}

// The plan of a table of Kudu names its key, says that rows must come in its order, and how they are put into it.
func TestDryRunTellsOfTheKey(t *testing.T) {
	dir := t.TempDir()
	first := tableFile(t, filepath.Join(dir, "a.arrow"), `[{"id":1,"n":2},{"id":3,"n":4}]`, "id int64", "n int64")
	second := tableFile(t, filepath.Join(dir, "b.arrow"), `[{"id":2,"n":5}]`, "id int64", "n int64")
	server := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/log.tar.gz")
	key := func(in []string, more ...string) (text, refused string) {
		t.Helper()
		args := append(append([]string{"convert", "--dry-run"}, more...), append(in, filepath.Join(dir, "out.kudu"))...)
		o := do(t, append(args, "--json")...)
		conforms(t, "convert", o.out)
		var r struct {
			Plan struct {
				Key     []string
				Columns []struct{ Path, Refused string }
			}
		}
		if err := json.Unmarshal([]byte(o.out), &r); err != nil || len(r.Plan.Key) == 0 || r.Plan.Columns[0].Path != r.Plan.Key[0] {
			t.Fatalf("%+v %v", o, err)
		}
		for _, c := range r.Plan.Columns[1:] {
			if strings.Contains(c.Refused, "rows") {
				t.Errorf("%+v", c)
			}
		}
		return ok(t, args...), strings.TrimPrefix(r.Plan.Columns[0].Refused, "nulls; ")
	}
	const (
		line  = "the key is id: rows must come in its order, and no two rows may have the same key\n"
		order = "rows whose key does not come after that of the row before; --sort puts rows in this order"
	)
	if text, refused := key([]string{first}, "--kudu-key=id"); !strings.Contains(text, line) || refused != order {
		t.Errorf("%s, %q", text, refused)
	}
	ok(t, "convert", "--kudu-key=id", first, filepath.Join(dir, "one.kudu"))
	for _, by := range []string{"--sort=n", "--sort=-id", "--sort=n,id"} {
		if _, refused := key([]string{first}, "--kudu-key=id", by); refused != strings.TrimSuffix(order, "; --sort puts rows in this order") {
			t.Errorf("%s: %q", by, refused)
		}
	}
	for _, by := range []string{"--sort", "--sort=id", "--sort=id,n"} {
		if _, refused := key([]string{first, second}, "--kudu-key=id", by); refused != "rows with the same key" {
			t.Errorf("%s: %q", by, refused)
		}
	}
	if _, refused := key([]string{first, second}, "--kudu-key=id"); !strings.Contains(refused, "the 2 parts of INPUT are read one after the other") || !strings.Contains(refused, "--sort") {
		t.Errorf("%q", refused)
	}
	fails(t, do(t, "convert", "--kudu-key=id", first, second, filepath.Join(dir, "two.kudu")), 1, "in the order of the key", "--sort")
	ok(t, "convert", "--sort", "--kudu-key=id", first, second, filepath.Join(dir, "two.kudu"))
	fails(t, do(t, "convert", "--sort", "--kudu-key=id", first, first, filepath.Join(dir, "twice.kudu")), 1, "must be unique")

	if _, refused := key([]string{server}, "--from=kudu", "--kudu-table=partitioned"); !strings.Contains(refused, "parts of INPUT are read one after the other") {
		t.Errorf("%q", refused)
	}
}

// Digits that Trevni cannot hold are cut off, towards the past, of every format that has such times; without the flag the error
// names it, and the plan says what is refused.
func TestTimestampUnitOfEveryFormat(t *testing.T) {
	dir := t.TempDir()
	arrow := tableFile(t, filepath.Join(dir, "in.arrow"), `[{"id":1,"at":"2020-01-02 03:04:05.000000001"},{"id":2,"at":"1969-12-31 23:59:58.999999999"},{"id":3,"at":null}]`, "id int64", "at nanos")
	for _, name := range []string{"in.arrows", "in.parquet", "in.csv", "in.orc"} {
		ok(t, "convert", arrow, filepath.Join(dir, name))
	}
	const want = "{\"id\":1,\"at\":\"2020-01-02T03:04:05Z\"}\n{\"id\":2,\"at\":\"1969-12-31T23:59:58.999999Z\"}\n{\"id\":3,\"at\":null}\n"
	for _, name := range []string{"in.arrow", "in.arrows", "in.parquet", "in.csv", "in.orc"} {
		in, out := filepath.Join(dir, name), filepath.Join(dir, name+".trv")
		fails(t, do(t, "convert", "--trevni-timestamps=micros", in, out), 1, out, "column at", "no whole number of microseconds", "--timestamp-unit=us reads")
		for flag, refused := range map[string]bool{"--timestamp-unit=us": false, "--timestamp-unit=ns": true} {
			if o := do(t, "convert", "--dry-run", "--trevni-timestamps=micros", flag, in, out); o.code != 0 || o.err != "" || strings.Contains(o.out, "refused") != refused {
				t.Errorf("%s %s: %+v", name, flag, o)
			}
		}
		if o := do(t, "convert", "--timestamp-unit=us", in, out); o.code != 0 {
			t.Errorf("%s: %s", name, o.err)
			continue
		}
		if got := strings.ReplaceAll(ok(t, "cat", "--format", "jsonl", out), "Z\"", "\""); got != strings.ReplaceAll(want, "Z\"", "\"") {
			t.Errorf("%s: %s", name, got)
		}
		for where, want := range map[string]string{"at = '2020-01-02 03:04:05'": "1\n", "at < '1970-01-01'": "1\n", "at > '2020-01-02 03:04:05'": "0\n", "at IS NULL": "1\n"} {
			if got := ok(t, "count", "--timestamp-unit=us", "--where", strings.ReplaceAll(where, "5'", "5Z'"), in); got != want {
				t.Errorf("%s, %s: %q", name, where, got)
			}
		}
	}
}

// Unions are refused by the plan as by the real run, those of one branch among them.
func TestDryRunRefusesUnions(t *testing.T) {
	dir := t.TempDir()
	for name, of := range map[string]func([]arrow.Field, []arrow.UnionTypeCode) arrow.DataType{
		"dense":  func(f []arrow.Field, c []arrow.UnionTypeCode) arrow.DataType { return arrow.DenseUnionOf(f, c) },
		"sparse": func(f []arrow.Field, c []arrow.UnionTypeCode) arrow.DataType { return arrow.SparseUnionOf(f, c) },
	} {
		union := of([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, []arrow.UnionTypeCode{0})
		for _, typ := range []arrow.DataType{union, arrow.ListOf(union)} {
			in := writeIPC(t, filepath.Join(dir, name+".arrow"), arrow.NewSchema([]arrow.Field{{Name: "u", Type: typ}, {Name: "n", Type: arrow.PrimitiveTypes.Int8}}, nil))
			out := filepath.Join(dir, "out.parquet")
			real, dry := do(t, "convert", in, out), do(t, "convert", "--dry-run", in, out)
			fails(t, dry, 1, "column u", "Parquet has no unions")
			if dry != real {
				t.Errorf("%+v, and the real run %+v", dry, real)
			}
			ok(t, "convert", "--force", "--exclude", "u", in, filepath.Join(dir, "rest.parquet"))
		}
	}
}

// So it does of columns that are read in microseconds, because nanoseconds cannot hold their times: finer digits are an error.
func TestDryRunTellsOfFinerDigits(t *testing.T) {
	var r struct {
		Plan struct {
			Columns []struct{ Path, Refused string }
		}
	}
	_, far := farAndNear(t, t.TempDir())
	table := filepath.Join(t.TempDir(), "table")
	acidTable(t, table)
	for _, in := range []string{far, table} {
		o := do(t, "convert", "--dry-run", "--json", in, filepath.Join(t.TempDir(), "out.trv"))
		if err := json.Unmarshal([]byte(o.out), &r); err != nil || len(r.Plan.Columns) != 2 || r.Plan.Columns[0].Refused != "" || r.Plan.Columns[1].Refused != "values that are no whole number of microseconds" {
			t.Errorf("%+v %v", o, err)
		}
	}
	o := do(t, "convert", "--dry-run", "--json", "--timestamp-unit=us", far, filepath.Join(t.TempDir(), "out.trv"))
	if strings.Contains(o.out, "refused") {
		t.Errorf("%+v", o)
	}
}

// variantFile makes a Parquet file of the columns id and var, where var is annotated as VARIANT.
func variantFile(t *testing.T, dir string) string {
	t.Helper()
	name := filepath.Join(dir, "variant.parquet")
	ok(t, "convert", tableFile(t, filepath.Join(dir, "plain.arrow"), `[{"id":1,"var":{"x":1,"y":"a"}}]`, "id int64", "var xy"), name)
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	element := []byte("\x18\x03var\x15\x04") // field 4 of a SchemaElement, a name; field 5, 2 children
	at := bytes.LastIndex(file, element)
	if at < 0 {
		t.Fatal("the schema has no var")
	}
	logical := []byte("\x5c\x0c\x20\x00\x00") // field 10, a LogicalType; its field 16, a VariantType
	file = slices.Insert(file, at+len(element), logical...)
	size := file[len(file)-8:]
	binary.LittleEndian.PutUint32(size, binary.LittleEndian.Uint32(size)+uint32(len(logical)))
	if err := os.WriteFile(name, file, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// A plan refuses the columns that the real run cannot read, in its words.
func TestDryRunRefusesUnreadableColumns(t *testing.T) {
	dir := t.TempDir()
	in, out := variantFile(t, dir), filepath.Join(dir, "out.orc")
	for _, flags := range [][]string{nil, {"--where", "id > 0"}, {"--columns", "id", "--where", "var.x = 1"}} {
		args := append(flags, in, out)
		real, dry := do(t, append([]string{"convert"}, args...)...), do(t, append([]string{"convert", "--dry-run"}, args...)...)
		fails(t, dry, 1, in, "column var", "VARIANT", "--exclude=var")
		if dry != real {
			t.Errorf("%q: %+v, and the real run %+v", flags, dry, real)
		}
	}
	ok(t, "convert", "--dry-run", "--exclude", "var", in, out)
	ok(t, "convert", "--exclude", "var", in, out)
}

// A file without columns has a plan with an empty list of columns, as the schema of the JSON says.
func TestPlanWithoutColumns(t *testing.T) {
	dir := t.TempDir()
	in := tableFile(t, filepath.Join(dir, "in.arrow"), `[]`)
	for _, flags := range [][]string{{"--dry-run"}, nil} {
		o := do(t, append(append([]string{"convert", "--json"}, flags...), in, filepath.Join(dir, "out.orc"))...)
		if o.code != 0 || !strings.Contains(o.out, `"columns": []`) {
			t.Errorf("%q: %+v", flags, o)
		}
		conforms(t, "convert", o.out)
	}
}
