package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// ORC that the program writes goes through every command that reads it.
func TestORCThroughEveryCommand(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 2500)
	_, want := readIPC(t, in)
	orc := filepath.Join(dir, "out.orc")
	ok(t, "convert", "--orc-row-index-stride", "500", "--orc-bloom", "id,name", "--compression", "zstd", in, orc)
	back := filepath.Join(dir, "back.arrow")
	ok(t, "convert", orc, back)
	if _, got := readIPC(t, back); got != want {
		t.Error("rows differ after a round trip")
	}
	if got := ok(t, "cat", "--columns", "id,tags", "--where", "id = 7", "--format", "jsonl", orc); got != "{\"id\":7,\"tags\":null}\n" {
		t.Errorf("cat: %q", got)
	}
	if got := ok(t, "schema", orc); !strings.Contains(got, "orc, 4 columns") {
		t.Errorf("schema: %s", got)
	}
	if got := ok(t, "verify", orc); !strings.HasPrefix(got, orc+": ok (no column has a checksum; all ") {
		t.Errorf("verify: %q", got)
	}
	if got := ok(t, "inspect", orc); !strings.Contains(got, "zstd") {
		t.Errorf("inspect: %s", got)
	}

	// The same file from standard input to standard output.
	b, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	o := doWith(t, t.Context(), strings.NewReader(string(b)), "convert", "--from", "ipc", "--to", "orc", "--orc-row-index-stride", "500", "--orc-bloom", "id,name", "--compression", "zstd", "-", "-")
	if w, err := os.ReadFile(orc); err != nil || o.code != 0 || o.out != string(w) {
		t.Errorf("%v, exit %d, %d bytes on standard output, %d in the file: %s", err, o.code, len(o.out), len(w), o.err)
	}
}

func TestORCParts(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 5000)
	_, want := readIPC(t, in)
	parts := filepath.Join(dir, "parts")
	if err := os.Mkdir(parts, 0o777); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(parts, "out")
	ok(t, "convert", "--to", "orc", "--max-file-bytes", "20KiB", "--orc-row-index-stride", "200", "--orc-stripe-rows", "400", "--compression", "none", in, out)
	if n := names(t, out); len(n) < 3 || n[0] != "part-00000.orc" {
		t.Errorf("parts %q", n)
	}
	back := filepath.Join(dir, "back.arrow")
	ok(t, "convert", out, back)
	if _, got := readIPC(t, back); got != want {
		t.Error("rows differ after a round trip through parts")
	}
}

// What ORC does not keep is listed before it is lost, and noted when it is.
func TestORCLosses(t *testing.T) {
	dir := t.TempDir()
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	s := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Uint16, Nullable: true},
		{Name: "d", Type: dict, Nullable: true},
		{Name: "kept", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "Asia/Tokyo"}, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	b.Field(0).(*array.Uint16Builder).Append(1)
	if err := b.Field(1).(*array.BinaryDictionaryBuilder).AppendString("x"); err != nil {
		t.Fatal(err)
	}
	b.Field(2).(*array.Int64Builder).Append(2)
	b.Field(3).(*array.TimestampBuilder).Append(3)
	rec := b.NewRecord()
	defer rec.Release()
	in, out := writeIPC(t, filepath.Join(dir, "in.arrow"), s, rec), filepath.Join(dir, "out.orc")

	text := ok(t, "convert", "--dry-run", in, out)
	for _, want := range []string{"as orc, 3 things lost", "comes back as int32", "unless --dictionary is given", "zone UTC instead of Asia/Tokyo", "timestamp with local time zone", "dictionary or direct, zlib"} {
		if !strings.Contains(text, want) {
			t.Errorf("the plan does not tell %q:\n%s", want, text)
		}
	}
	var plan struct {
		Plan struct {
			Format  string
			Columns []struct{ Path, Stored, Loss string }
		}
	}
	if err := json.Unmarshal([]byte(ok(t, "convert", "--dry-run", "--json", in, out)), &plan); err != nil {
		t.Fatal(err)
	}
	if c := plan.Plan.Columns; plan.Plan.Format != "orc" || len(c) != 4 || c[0].Stored != "int" || c[0].Loss == "" || c[2].Loss != "" {
		t.Errorf("%+v", plan)
	}
	only(t, dir, "in.arrow")

	o := do(t, "convert", in, out)
	if o.code != 0 || !strings.Contains(o.err, "not all can be read back") || !strings.Contains(o.err, "n: comes back as int32") {
		t.Errorf("exit %d: %s", o.code, o.err)
	}
}

// Types that ORC has no place for are all named, and nothing is written.
func TestORCRefuses(t *testing.T) {
	dir := t.TempDir()
	s := arrow.NewSchema([]arrow.Field{
		{Name: "fine", Type: arrow.PrimitiveTypes.Int64},
		{Name: "span", Type: arrow.FixedWidthTypes.DayTimeInterval},
		{Name: "l", Type: arrow.ListOf(arrow.FixedWidthTypes.MonthDayNanoInterval)},
	}, nil)
	in := writeIPC(t, filepath.Join(dir, "in.arrow"), s)
	out := filepath.Join(dir, "out.orc")
	for _, dry := range []string{"--dry-run=true", "--dry-run=false"} {
		o := do(t, "convert", dry, in, out)
		fails(t, o, 1, "span (", "l.item (")
		if strings.Contains(o.err, "fine") {
			t.Errorf("names a column that is in no way: %s", o.err)
		}
	}
	fails(t, do(t, "convert", "--columns", "fine", "--compression", "lzo", in, out), 2, "lzo")
	fails(t, do(t, "convert", "--columns", "fine", "--orc-version", "3", in, out), 2, "orc-version")
	only(t, dir, "in.arrow")
	ok(t, "convert", "--columns", "fine", in, out)
}
