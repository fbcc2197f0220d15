package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
)

// pyarrow 26 has written this file: id is 1 to 5, at is INT96 of int96Times, two rows a row group, plain and uncompressed.
const int96Bytes = "UEFSMRUAFSwVLCwVBBUAFQYVBhwYCAIAAAAAAAAAGAgBAAAAAAAAABYAKAgCAAAAAAAAABgIAQAAAAAAAAAREQAAAAIAAAAEAQEAAAAAAAAAAgAAAAAAAAAVABU8FTwsFQQVABUGFQYcAAAAAgAAAAQBAAAAAAAAAADHaSUACLpR72IDAAA0ayUAFQAVLBUsLBUEFQAVBhUGHBgIBAAAAAAAAAAYCAMAAAAAAAAAFgAoCAQAAAAAAAAAGAgDAAAAAAAAABERAAAAAgAAAAQBAwAAAAAAAAAEAAAAAAAAABUAFSQVJCwVBBUAFQYVBhwAAAACAAAAAwEAAAAAAAAAAHNrTAAVABUcFRwsFQIVABUGFQYcGAgFAAAAAAAAABgIBQAAAAAAAAAWACgIBQAAAAAAAAAYCAUAAAAAAAAAEREAAAACAAAAAgEFAAAAAAAAABUAFSQVJCwVAhUAFQYVBhwAAAACAAAAAgEAAAAAAAAAAPyeIgAVBBk8NQAYBnNjaGVtYRUEABUEJQIYAmlkABUGJQIYAmF0ABYKGTwZLCYAHBUEGSUGABkYAmlkFQAWBBaqARaqASYIPBgIAgAAAAAAAAAYCAEAAAAAAAAAFgAoCAIAAAAAAAAAGAgBAAAAAAAAABERABkcFQAVABUCADwpBhkmAAQAAAAmABwVBhklBgAZGAJhdBUAFgQWYhZiJrIBSRwVABUAFQIAPCkGGSYABAAAABaMAhYEJggWjAIAGSwmABwVBBklBgAZGAJpZBUAFgQWqgEWqgEmlAI8GAgEAAAAAAAAABgIAwAAAAAAAAAWACgIBAAAAAAAAAAYCAMAAAAAAAAAEREAGRwVABUAFQIAPCkGGSYABAAAACYAHBUGGSUGABkYAmF0FQAWBBZKFkomvgNJHBUAFQAVAgA8KQYZJgICAAAAFvQBFgQmlAIW9AEAGSwmABwVBBklBgAZGAJpZBUAFgIWmgEWmgEmiAQ8GAgFAAAAAAAAABgIBQAAAAAAAAAWACgIBQAAAAAAAAAYCAUAAAAAAAAAEREAGRwVABUAFQIAPCkGGSYAAgAAACYAHBUGGSUGABkYAmF0FQAWAhZKFkomogVJHBUAFQAVAgA8KQYZJgACAAAAFuQBFgImiAQW5AEAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRksHAAAHAAAABICAABQQVIx"

var int96Times = []string{"2001-01-01T00:00:00", "2002-01-01T01:02:03.456789", "9000-01-01T00:00:00", "", "1500-01-01T00:00:00"}

// int96File writes the file; finer nanoseconds are added to its second time.
func int96File(t *testing.T, finer uint64) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(int96Bytes)
	if err != nil {
		t.Fatal(err)
	}
	old := binary.LittleEndian.AppendUint64(nil, 3723456789000)
	if bytes.Count(b, old) != 1 {
		t.Fatal("the file has no such time")
	}
	b = bytes.Replace(b, old, binary.LittleEndian.AppendUint64(nil, 3723456789000+finer), 1)
	name := filepath.Join(t.TempDir(), "far.parquet")
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// int96Lines are the rows as JSON lines.
func int96Lines() string {
	var b strings.Builder
	for i, at := range int96Times {
		if at == "" {
			fmt.Fprintf(&b, "{\"id\":%d,\"at\":null}\n", i+1)
		} else {
			fmt.Fprintf(&b, "{\"id\":%d,\"at\":%q}\n", i+1, at)
		}
	}
	return b.String()
}

// A dry run says which times are an error, where nanoseconds were asked for.
func TestDryRunOfFarTimes(t *testing.T) {
	dir := t.TempDir()
	nested, text := filepath.Join(dir, "nested.parquet"), filepath.Join(dir, "far.csv")
	b, err := base64.StdEncoding.DecodeString(int96Nested)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(nested, b, 0o666), os.WriteFile(text, []byte("a,b\n2020-01-01T00:00:00,1\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	const refused = "times before 1677 or after 2262, unless --timestamp-unit=us is given"
	for _, c := range []struct {
		args []string
		want string // the columns
	}{
		{[]string{"--timestamp-unit=ns", nested}, "[s.t l.item \"a.b\" near]"},
		{[]string{"--timestamp-unit=us", nested}, "[]"},
		{[]string{nested}, "[]"},
		{[]string{"--timestamp-unit=ns", text}, "[a]"},
		{[]string{text}, "[]"},
	} {
		o := do(t, append(append([]string{"convert", "--dry-run", "--json"}, c.args...), filepath.Join(dir, "out.orc"))...)
		conforms(t, "convert", o.out)
		var r struct{ Plan arrowio.WritePlan }
		if err := json.Unmarshal([]byte(o.out), &r); err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, c := range r.Plan.Columns {
			if strings.Contains(c.Refused, refused) {
				got = append(got, c.Path)
			}
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%q: %v, want %s", c.args, got, c.want)
		}
	}
	o := do(t, "convert", "--dry-run", nested, filepath.Join(dir, "out.orc"))
	if !strings.Contains(o.err, "warning: columns s.t, l.item, a.b, near are read in microseconds if there are times ") {
		t.Errorf("%+v", o)
	}
}

// INT96 has no statistics: that a column has times that nanoseconds cannot hold is found in its rows, before the first is printed.
func TestInt96BeyondNanoseconds(t *testing.T) {
	in := int96File(t, 0)
	want := int96Lines()
	for _, args := range [][]string{
		{"cat", "--format", "jsonl", in},
		{"cat", "--format", "jsonl", "--jobs", "1", in},
		{"head", "-n", "1000", "--format", "jsonl", in},
		{"tail", "-n", "1000", "--format", "jsonl", in},
		{"sample", "-n", "1000", "--format", "jsonl", in},
		{"convert", "--to", "jsonl", in, "-"},
	} {
		o := do(t, args...)
		o.err, _, _ = strings.Cut(o.err, "arrowio: -: note: ") // of what jsonl does not keep
		if o.code != 0 || o.out != want || strings.Count(o.err, "\n") != 1 || !strings.HasPrefix(o.err, "arrowio: "+in+": warning: ") || !strings.Contains(o.err, "warning: column at is read in microseconds (--timestamp-unit") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	if o := do(t, "cat", in); o.code != 0 || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.out, "9000-01-01T00:00:00.000000") {
		t.Errorf("%+v", o)
	}
	// Only what is read counts.
	for _, args := range [][]string{{"head", "-n", "2"}, {"cat", "--rows", "0:2"}, {"cat", "--columns", "id"}, {"cat", "--where", "id <= 2"}, {"count"}, {"convert", "--limit", "2", "--to", "jsonl"}} {
		args = append(args, in)
		if args[0] == "convert" {
			args = append(args, "-")
		}
		o := do(t, args...)
		if o.err, _, _ = strings.Cut(o.err, "arrowio: -: note: "); o.code != 0 || o.err != "" {
			t.Errorf("%q: %+v", args, o)
		}
	}
	for _, args := range [][]string{{"tail", "-n", "1"}, {"cat", "--where", "id = 5"}, {"cat", "--where", "at < '1600-01-01'"}, {"scan"}} {
		if o := do(t, append(args, in)...); o.code != 0 || !strings.Contains(o.err, "warning: column at is read in microseconds (--timestamp-unit") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	out := filepath.Join(t.TempDir(), "out.arrow")
	if o := do(t, "convert", in, out); o.code != 0 || !strings.Contains(o.err, "warning: column at is read in microseconds (--timestamp-unit") {
		t.Errorf("%+v", o)
	}
	if s, _ := readIPC(t, out); s.Field(1).Type.String() != "timestamp[us]" {
		t.Error(s)
	}
	if got := ok(t, "cat", "--format", "jsonl", out); got != want {
		t.Error(got)
	}
}

// Rows that pass a filter are those that pass it in microseconds, whether nanoseconds hold the literal or not.
func TestInt96Filters(t *testing.T) {
	in := int96File(t, 0)
	var times []time.Time
	for _, text := range int96Times {
		if text != "" {
			at, err := time.Parse("2006-01-02T15:04:05", text)
			if err != nil {
				t.Fatal(err)
			}
			times = append(times, at)
		}
	}
	for _, day := range []string{"0500-01-01", "1500-01-01", "1600-01-01", "2001-01-01", "2300-01-01", "9000-01-01", "9500-01-01"} {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		for op, pass := range map[string]func(int) bool{
			"<":  func(c int) bool { return c < 0 },
			"<=": func(c int) bool { return c <= 0 },
			"=":  func(c int) bool { return c == 0 },
			"<>": func(c int) bool { return c != 0 },
			">":  func(c int) bool { return c > 0 },
			">=": func(c int) bool { return c >= 0 },
		} {
			n := 0
			for _, x := range times {
				if pass(x.Compare(at)) {
					n++
				}
			}
			where := "at " + op + " '" + day + "'"
			for where, want := range map[string]int{where: n, "NOT (" + where + ")": len(times) - n} {
				if o := do(t, "count", "--where", where, in); o.code != 0 || o.out != fmt.Sprintln(want) {
					t.Errorf("%s: %+v, want %d", where, o, want)
				}
				if o := do(t, "cat", "--format", "jsonl", "--columns", "id", "--where", where, in); o.code != 0 || strings.Count(o.out, "\n") != want {
					t.Errorf("%s: %+v, want %d", where, o, want)
				}
			}
		}
	}
}

// A conversion loses no digits; who asks for a unit gets it.
func TestInt96FinerDigits(t *testing.T) {
	in := int96File(t, 1)
	dir := t.TempDir()
	for _, args := range [][]string{{in, filepath.Join(dir, "out.arrow")}, {"--to", "jsonl", in, "-"}} {
		o := do(t, append([]string{"convert"}, args...)...)
		if at := strings.Index(o.err, "warning: column at is read in microseconds (--timestamp-unit"); at >= 0 {
			_, o.err, _ = strings.Cut(o.err[at:], "\n")
		}
		fails(t, o, 1, in, "column at", "finer than a microsecond", "--parquet-int96=us cuts")
	}
	for _, args := range [][]string{{"cat"}, {"cat", "--parquet-int96=us"}, {"cat", "--timestamp-unit=us"}} {
		if o := do(t, append(args, "--format", "jsonl", in)...); o.code != 0 || o.out != int96Lines() {
			t.Errorf("%q: %+v", args, o)
		}
	}
	if o := do(t, "convert", "--parquet-int96=us", in, filepath.Join(dir, "us.arrow")); o.code != 0 || o.err != "" {
		t.Errorf("%+v", o)
	}
	if o := do(t, "cat", "--rows", ":2", "--format", "jsonl", in); o.code != 0 || o.err != "" || !strings.Contains(o.out, "2002-01-01T01:02:03.456789001") {
		t.Errorf("%+v", o)
	}
	fails(t, do(t, "cat", "--jobs", "1", "--rows", "2:", "--parquet-int96=ns", in), 1, in, "column at", "9000-01-01T00:00:00 does not fit timestamp[ns]; --parquet-int96=us can hold it")
	for _, flag := range []string{"", "--parquet-int96=us"} {
		args := slices.DeleteFunc([]string{"cat", "--jobs", "1", "--rows", "2:", "--timestamp-unit=ns", flag, in}, func(s string) bool { return s == "" })
		fails(t, do(t, args...), 1, in, "column at", "9000-01-01T00:00:00 does not fit timestamp[ns]; --timestamp-unit=us can hold it")
	}
	b, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	fails(t, doWith(t, t.Context(), bytes.NewReader(b), "cat", "--rows", "2:", "-"), 1, "standard input", "column at", "9000-01-01T00:00:00 does not fit timestamp[ns]; --timestamp-unit=us can hold it", "for standard input")
	only(t, dir, "us.arrow")
}

// The flag that cuts digits off is named whichever file is the first: JSON Lines has no timestamps, and no such flag.
func TestFinerDigitsOfSeveralFormats(t *testing.T) {
	dir := t.TempDir()
	text, times := filepath.Join(dir, "a.jsonl"), tableFile(t, filepath.Join(dir, "b.arrow"), `[{"a":2,"t":"2020-01-01 00:00:00.123456789"}]`, "a int64", "t nanos")
	if err := os.WriteFile(text, []byte(`{"a":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, in := range [][]string{{text, times}, {times, text}} {
		o := do(t, append([]string{"convert", "--trevni-timestamps=micros"}, append(in, filepath.Join(dir, "out.trv"))...)...)
		fails(t, o, 1, "column t", "no whole number of microseconds", "--timestamp-unit=us reads timestamps without what is finer")
	}
}

// A dry run reads no rows: it says of which columns only these tell.
func TestInt96DryRun(t *testing.T) {
	in := int96File(t, 0)
	out := filepath.Join(t.TempDir(), "out.trv")
	o := do(t, "convert", "--dry-run", "--json", in, out)
	conforms(t, "convert", o.out)
	var r struct{ Warnings []arrowio.Warning }
	if err := json.Unmarshal([]byte(o.out), &r); err != nil || len(r.Warnings) != 1 || r.Warnings[0].Kind != arrowio.WarnCoarse || fmt.Sprint(r.Warnings[0].Columns) != "[at]" {
		t.Errorf("%+v %v", o, err)
	}
	for _, args := range [][]string{{"--columns", "id"}, {"--parquet-int96=us"}, {"--parquet-int96=ns"}} {
		if o := do(t, append(append([]string{"convert", "--dry-run"}, args...), in, out)...); o.code != 0 || o.err != "" {
			t.Errorf("%q: %+v", args, o)
		}
	}
}

// pyarrow 26 has written this file, of two rows: s is a struct of t, l a list, a.b a name with a dot, all INT96 of the years 2001 and
// 9000; near has 2001 alone.
const int96Nested = "UEFSMRUAFTwVPCwVBBUAFQYVBhwAAAACAAAABAIAAAAAAAAAAMdpJQAAAAAAAAAAAHNrTAAVABVKFUosFQYVABUGFQYcAAAAAgAAAAMCAwAAAAMfAAAAAAAAAAAAx2klAAAAAAAAAAAAc2tMABUAFTwVPCwVBBUAFQYVBhwAAAACAAAABAEAAAAAAAAAAHNrTAAAAAAAAAAAAMdpJQAVABUkFSQsFQQVABUGFQYcAAAAAgAAAAMBAAAAAAAAAADHaSUAFQQZjDUAGAZzY2hlbWEVCAA1AhgBcxUCABUGJQIYAXQANQIYAWwVAhUGTDwAAAA1BBgEbGlzdBUCABUGJQIYB2VsZW1lbnQAFQYlAhgDYS5iABUGJQIYBG5lYXIAFgQZHBlMJgAcFQYZJQYAGSgBcwF0FQAWBBZiFmImCEkcFQAVABUCADwpBhk2AAAEAAAAJgAcFQYZJQYAGTgBbARsaXN0B2VsZW1lbnQVABYGFnAWcCZqSRwVABUAFQIAPCkmBAIZRgACAAQAAAAmABwVBhklBgAZGANhLmIVABYEFmIWYibaAUkcFQAVABUCADwpBhkmAAQAAAAmABwVBhklBgAZGARuZWFyFQAWBBZKFkomvAJJHBUAFQAVAgA8KQYZJgICAAAAFv4CFgQmCBb+AgAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjYuMC4xGUwcAAAcAAAcAAAcAAAAYgEAAFBBUjE="

// Times are found in structs and lists; only the columns that have some are read in another unit.
func TestInt96Nested(t *testing.T) {
	b, err := base64.StdEncoding.DecodeString(int96Nested)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "nested.parquet")
	if err := os.WriteFile(in, b, 0o666); err != nil {
		t.Fatal(err)
	}
	o := do(t, "cat", "--format", "jsonl", in)
	const want = `{"s":{"t":"2001-01-01T00:00:00"},"l":["2001-01-01T00:00:00","9000-01-01T00:00:00"],"a.b":"9000-01-01T00:00:00","near":"2001-01-01T00:00:00"}
{"s":{"t":"9000-01-01T00:00:00"},"l":[],"a.b":"2001-01-01T00:00:00","near":null}
`
	if o.code != 0 || o.out != want || strings.Count(o.err, "\n") != 1 || strings.Contains(o.err, "near") {
		t.Errorf("%+v", o)
	}
	for columns, far := range map[string]string{"s.t": "s.t", "l": "l.item", `"a.b"`: "a.b", "near": ""} {
		o := do(t, "cat", "--format", "jsonl", "--columns", columns, in)
		if o.code != 0 || strings.Count(o.out, "\n") != 2 || (far == "") != (o.err == "") || !strings.Contains(o.err, "warning: column "+far+" is read in microseconds (--timestamp-unit") && far != "" {
			t.Errorf("%s: %+v", columns, o)
		}
	}
	out := filepath.Join(dir, "out.arrow")
	if o := do(t, "convert", in, out); o.code != 0 {
		t.Errorf("%+v", o)
	}
	s, _ := readIPC(t, out)
	if got := fmt.Sprint(s.Field(0).Type, s.Field(1).Type, s.Field(2).Type, s.Field(3).Type); got != "struct<t: timestamp[us]> list<item: timestamp[us], nullable> timestamp[us] timestamp[ns]" {
		t.Error(got)
	}
}

// A file with a coarser unit beside INT96 makes both microseconds, whichever comes first.
func TestInt96BesideCoarserUnit(t *testing.T) {
	far := tableFile(t, filepath.Join(t.TempDir(), "far.arrow"), `[{"at":300000000000}]`, "at plain seconds")
	in := int96File(t, 0)
	for _, files := range [][]string{{far, in}, {in, far}} {
		out := filepath.Join(t.TempDir(), "out.arrow")
		if o := do(t, "convert", "--columns", "at", files[0], files[1], out); o.code != 0 {
			t.Errorf("%v: %+v", files, o)
		} else if s, _ := readIPC(t, out); s.Field(0).Type.String() != "timestamp[us]" {
			t.Errorf("%v: %v", files, s)
		}
	}
}
