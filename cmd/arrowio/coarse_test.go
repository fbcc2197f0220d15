package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
)

const farFile = "../../testdata/orc/java-2.3.1/times-far-v11"

// farRows are what Java says of the file: seconds and nanoseconds of each column, rounded down.
func farRows(t *testing.T) []string {
	t.Helper()
	f, err := os.Open(farFile + ".jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(b.String()), "\n")
}

func TestTimesBeyondNanoseconds(t *testing.T) {
	in, rows := farFile+".orc", len(farRows(t))
	dir := t.TempDir()
	for _, args := range [][]string{
		{"cat", "--format", "jsonl", in},
		{"head", "-n", "1000", "--format", "jsonl", in},
		{"tail", "-n", "1000", "--format", "jsonl", in},
		{"sample", "-n", "1000", "--format", "jsonl", in},
		{"convert", "--to", "jsonl", in, "-"},
	} {
		o := do(t, args...)
		o.err, _, _ = strings.Cut(o.err, "arrowio: -: note: ") // of what jsonl does not keep
		if o.code != 0 || strings.Count(o.out, "\n") != rows {
			t.Errorf("%q: exit %d, %d rows: %s", args, o.code, strings.Count(o.out, "\n"), o.err)
		}
		if !strings.Contains(o.err, "warning: columns a__far, b__far__r10 are read in microseconds (--timestamp-unit") || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%q: %s", args, o.err)
		}
	}
	table := strings.Split(do(t, "cat", in).out, "\n")[2:]
	for i, text := range farRows(t) {
		var times [][]int64
		if err := json.Unmarshal([]byte(text), &times); err != nil {
			t.Fatal(err)
		}
		want := []string{"NULL", "NULL"}
		for k, x := range times {
			if x != nil {
				want[k] = time.Unix(x[0], x[1]).UTC().Format("2006-01-02T15:04:05.000000") + []string{"", "Z"}[k]
			}
		}
		if got := strings.Split(table[i], " │ "); strings.TrimSpace(got[0]) != want[0] || got[1] != want[1] {
			t.Errorf("row %d: %q, want %q", i, got, want)
		}
	}
	out := filepath.Join(dir, "out.arrow")
	var r struct {
		Rows     int
		Warnings []struct {
			Kind    string
			Columns []string
		}
	}
	if o := do(t, "convert", "--json", in, out); o.code != 0 || json.Unmarshal([]byte(o.out), &r) != nil || r.Rows != rows ||
		len(r.Warnings) != 1 || r.Warnings[0].Kind != "coarse" || len(r.Warnings[0].Columns) != 2 {
		t.Errorf("%+v: %+v", r, o)
	}
	s, _ := readIPC(t, out)
	if got := s.Field(0).Type.String() + ", " + s.Field(1).Type.String(); got != "timestamp[us], timestamp[us, tz=UTC]" {
		t.Error(got)
	}
	// Only what is read counts, and who asks for a unit gets it.
	if o := do(t, "count", in); o.code != 0 || o.err != "" {
		t.Errorf("%+v", o)
	}
	if o := do(t, "head", "--columns", "a__far", in); o.code != 0 || !strings.Contains(o.err, "warning: column a__far is read in microseconds (--timestamp-unit") {
		t.Errorf("%+v", o)
	}
	if o := do(t, "cat", "--timestamp-unit", "ms", in); o.code != 0 || o.err != "" || !strings.Contains(o.out, ".000 │") {
		t.Errorf("%+v", o)
	}
	fails(t, do(t, "convert", "--timestamp-unit", "ns", in, filepath.Join(dir, "ns.arrow")), 1, "does not fit timestamp[ns]", "--timestamp-unit=us")
	only(t, dir, "out.arrow")
}

// silent hides the statistics of files.
type silent struct{ arrowio.File }

// Unwrap returns the file with them.
func (s silent) Unwrap() arrowio.File { return s.File }

// BeyondNanoseconds is that of a file without statistics.
func (s silent) BeyondNanoseconds() (beyond, unknown []string) {
	if f, ok := arrowio.As[interface {
		BeyondNanoseconds() (beyond, unknown []string)
	}](s.File); ok {
		beyond, unknown = f.BeyondNanoseconds()
	}
	return nil, append(beyond, unknown...)
}

// silentRun runs the program on files whose statistics nobody sees.
func silentRun(t *testing.T, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	a := newApp(t.Context(), nil, &out, &errs)
	for i := range a.readers {
		open := a.readers[i].Open
		a.readers[i].Open = func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
			f, err := open(ctx, src, o)
			if err != nil {
				return nil, err
			}
			return silent{f}, nil
		}
		if tree := a.readers[i].OpenTree; tree != nil {
			a.readers[i].OpenTree = func(ctx context.Context, t arrowio.Tree, o arrowio.OpenOptions) (arrowio.File, error) {
				f, err := tree(ctx, t, o)
				if err != nil {
					return nil, err
				}
				return silent{f}, nil
			}
		}
	}
	code := a.run(t.Context(), args)
	return outcome{code, out.String(), errs.String()}
}

func TestTimesBeyondNanosecondsWithoutStatistics(t *testing.T) {
	dir, in := t.TempDir(), farFile+".orc"
	want := do(t, "cat", in)
	for _, args := range [][]string{{"cat", in}, {"head", "-n", "1000", in}} {
		if o := silentRun(t, args...); o.code != 0 || o.out != want.out || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, "warning: columns a__far, b__far__r10 are read in microseconds (--timestamp-unit") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	out := filepath.Join(dir, "out.arrow")
	if o := silentRun(t, "convert", in, out); o.code != 0 || strings.Count(o.err, "\n") != 1 {
		t.Errorf("%+v", o)
	}
	if got := ok(t, "cat", out); got != want.out {
		t.Errorf("got\n%swant\n%s", got, want.out)
	}
	// What is sent away at once is looked at before.
	for _, args := range [][]string{{"cat", "--format", "jsonl", in}, {"cat", "--format", "csv", in}, {"convert", "--to", "jsonl", in, "-"}, {"sample", "--format", "jsonl", in}} {
		o, want := silentRun(t, args...), do(t, args...)
		if o.err, _, _ = strings.Cut(o.err, "arrowio: -: note: "); args[0] == "sample" {
			want.out = o.out // another choice
		}
		if o.code != 0 || o.out != want.out || o.out == "" || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, "warning: columns a__far, b__far__r10 are read in microseconds (--timestamp-unit") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	only(t, dir, "out.arrow")
}

// Statistics and bloom filters are compared in the unit of the column.
func TestFiltersOfTimesBeyondNanoseconds(t *testing.T) {
	in, plain := farFile+".orc", filepath.Join(t.TempDir(), "plain.arrow")
	if o := do(t, "convert", in, plain); o.code != 0 {
		t.Fatal(o.err)
	}
	for _, column := range []string{"a__far", "b__far__r10"} {
		for _, literal := range []string{"0500-01-01", "1970-01-01", "2000-01-01", "2400-06-01", "9000-01-01"} {
			for _, op := range []string{"<", "<=", "=", "!=", ">", ">="} {
				where := column + " " + op + " '" + literal + "'"
				got, want := do(t, "count", "--where", where, in), do(t, "count", "--where", where, plain)
				if got.code != 0 || want.code != 0 || got.out != want.out {
					t.Errorf("%s: %q %s, want %q %s", where, got.out, got.err, want.out, want.err)
				}
			}
		}
	}
}

// A filter whose literal nanoseconds cannot hold is not decided by the unit where nothing else is known of a file.
func TestFiltersOfTimesBeyondNanosecondsWithoutStatistics(t *testing.T) {
	in := farFile + ".orc"
	literals := map[string]time.Time{}
	for _, year := range []int{500, 1600, 2000, 2300, 9000} {
		at := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		literals[at.Format("'2006-01-02'")] = at
	}
	count := func(column int, pass func(time.Time) bool) (n int) {
		for _, text := range farRows(t) {
			var times [][]int64
			if err := json.Unmarshal([]byte(text), &times); err != nil {
				t.Fatal(err)
			}
			if x := times[column]; x != nil && pass(time.Unix(x[0], x[1])) {
				n++
			}
		}
		return n
	}
	first := time.Unix(58198343736, 0).UTC()
	for column, name := range []string{"a__far", "b__far__r10"} {
		wants := map[string]int{
			name + " IN ('1500-01-01', '9500-01-01')":                                 0,
			"a__far IN ('1500-01-01', '" + first.Format("2006-01-02 15:04:05") + "')": 1,
			name + " BETWEEN '1500-01-01' AND '1600-01-01'":                           0,
			name + " BETWEEN '1500-01-01' AND '9000-01-01'":                           count(column, func(x time.Time) bool { return !x.After(literals["'9000-01-01'"]) }),
		}
		for text, at := range literals {
			for op, pass := range map[string]func(int) bool{
				"<":  func(c int) bool { return c < 0 },
				"<=": func(c int) bool { return c <= 0 },
				"=":  func(c int) bool { return c == 0 },
				"<>": func(c int) bool { return c != 0 },
				">":  func(c int) bool { return c > 0 },
				">=": func(c int) bool { return c >= 0 },
			} {
				n := count(column, func(x time.Time) bool { return pass(x.Compare(at)) })
				wants[name+" "+op+" "+text] = n
				wants["NOT ("+name+" "+op+" "+text+")"] = count(column, func(time.Time) bool { return true }) - n
			}
		}
		for where, want := range wants {
			if o := silentRun(t, "count", "--where", where, in); o.code != 0 || o.out != fmt.Sprintln(want) {
				t.Errorf("%s: %+v, want %d", where, o, want)
			}
		}
	}
	table := filepath.Join(t.TempDir(), "table")
	acidTable(t, table)
	for where, want := range map[string]string{"at < '1600-01-01'": "1\n", "at > '1600-01-01'": "1\n", "at > '1400-01-01'": "2\n", "at <> '1500-01-01'": "1\n"} {
		if o := silentRun(t, "count", "--where", where, table); o.code != 0 || o.out != want {
			t.Errorf("%s: %+v, want %s", where, o, want)
		}
	}
	if o := silentRun(t, "cat", "--format", "jsonl", "--columns", "at", table); o.code != 0 || strings.Count(o.out, "\n") != 2 || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, "warning: column at is read in microseconds (--timestamp-unit") {
		t.Errorf("%+v", o)
	}
	where := []string{"--where", "a__far > '9000-01-01'", in}
	want := do(t, append([]string{"cat"}, where...)...).out
	for _, args := range [][]string{{"cat"}, {"head", "-n", "1000"}, {"tail", "-n", "1000"}, {"sample", "-n", "1000"}} {
		if o := silentRun(t, append(args, where...)...); o.code != 0 || o.out != want {
			t.Errorf("%q: %+v", args, o)
		}
	}
	if o := silentRun(t, append([]string{"scan", "--json"}, where...)...); o.code != 0 || !strings.Contains(o.out, fmt.Sprintf(`"rows": %d,`, strings.Count(want, "\n")-2)) {
		t.Errorf("%+v", o)
	}
	o := silentRun(t, append([]string{"inspect", "--json"}, where...)...)
	var r struct{ Pruning struct{ Splits int } }
	if err := json.Unmarshal([]byte(o.out), &r); err != nil || r.Pruning.Splits != 1 {
		t.Errorf("%+v %v", o, err)
	}
}

// farAndNear makes two ORC files: only the second has times that nanoseconds cannot hold.
func farAndNear(t *testing.T, dir string) (near, far string) {
	t.Helper()
	var out []string
	for name, year := range map[string]string{"near": "2001", "far": "9000"} {
		in := tableFile(t, filepath.Join(t.TempDir(), "in.arrow"), `[{"id":1,"at":"`+year+`-01-01 00:00:00"},{"id":2,"at":"2000-01-01 00:00:00"}]`, "id int64", "at seconds")
		out = append(out, filepath.Join(dir, name+".orc"))
		ok(t, "convert", in, out[len(out)-1])
	}
	return filepath.Join(dir, "near.orc"), filepath.Join(dir, "far.orc")
}

// The warning names the file that has the times, not the first of all.
func TestTimesBeyondNanosecondsNameTheirFile(t *testing.T) {
	near, far := farAndNear(t, t.TempDir())
	for _, args := range [][]string{{"cat", near, far}, {"convert", "--to", "csv", near, far, "-"}, {"schema", near, far}} {
		o := do(t, args...)
		if o.code != 0 || !strings.HasPrefix(o.err, "arrowio: "+far+": warning: ") || strings.Count(o.err, "warning") != 1 {
			t.Errorf("%q: %+v", args, o)
		}
	}
	out := filepath.Join(t.TempDir(), "out.arrow")
	silently := silentRun(t, "convert", near, far, out)
	if silently.code != 0 || !strings.HasPrefix(silently.err, "arrowio: "+far+": warning: ") {
		t.Errorf("%+v", silently)
	}
}

// inspect shows what is read, and its --where what a scan does.
func TestInspectTimesBeyondNanoseconds(t *testing.T) {
	near, far := farAndNear(t, t.TempDir())
	o := do(t, "inspect", near, far, far)
	if o.code != 0 || strings.Count(o.out, "timestamp[ns") != 1 || strings.Count(o.out, "timestamp[us") != 2 || !strings.HasPrefix(o.err, "arrowio: "+far+": warning: ") {
		t.Errorf("%+v", o)
	}
	for where, want := range map[string]int{"at > '8000-01-01'": 1, "at < '1990-01-01'": 0} {
		o := do(t, "inspect", "--json", "--where", where, far)
		var r struct {
			Pruning  struct{ Splits int }
			Warnings []struct{ Kind string }
		}
		if err := json.Unmarshal([]byte(o.out), &r); err != nil || r.Pruning.Splits != want || len(r.Warnings) != 1 || r.Warnings[0].Kind != "coarse" {
			t.Errorf("%s: %+v %v %s", where, r, err, o.err)
		}
	}
}

// The error of a time that a unit asked for cannot hold has the time, and the unit that can.
func TestUnitThatCannotHoldATime(t *testing.T) {
	dir := t.TempDir()
	in, near := filepath.Join(dir, "far.csv"), filepath.Join(dir, "near.csv")
	for path, text := range map[string]string{in: "a\n0001-01-01T00:00:00.5\n", near: "a\n2020-01-01T00:00:00.000000001\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const says = "column a: 0001-01-01T00:00:00.5 does not fit timestamp[ns]; --timestamp-unit=us can hold it"
	o := do(t, "cat", "--timestamp-unit=ns", in)
	o.out = ""
	fails(t, o, 1, in, says)
	o = do(t, "cat", in, near)
	o.out = ""
	fails(t, o, 1, in, says)
	if o := do(t, "cat", "--timestamp-unit=us", "--format", "jsonl", in, near); o.code != 0 || strings.Count(o.out, "\n") != 2 {
		t.Errorf("%+v", o)
	}
}

// Statistics of ORC may be a day off: of times that near to the ends of nanoseconds only the rows tell.
func TestTimesNearTheEndsOfNanoseconds(t *testing.T) {
	dir := t.TempDir()
	for at, unit := range map[string]string{
		"2262-04-11T23:47:16.854775807": "ns", "1677-09-21T00:12:43.145224192": "ns",
		"2262-04-12T00:00:00": "us", "1677-09-21T00:12:43": "us", "2262-04-14T00:00:00": "us", "1677-09-19T00:00:00": "us",
	} {
		text, in := filepath.Join(dir, at+".csv"), filepath.Join(dir, at+".orc")
		if err := os.WriteFile(text, []byte("at\n"+at+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		ok(t, "convert", text, in)
		piped, out := do(t, "convert", "--to", "ipc-stream", in, "-"), filepath.Join(dir, at+".arrows")
		if piped.code != 0 {
			t.Errorf("%s: %+v", at, piped)
			continue
		}
		if err := os.WriteFile(out, []byte(piped.out), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := ok(t, "schema", out); !strings.Contains(got, "timestamp["+unit+"]") {
			t.Errorf("%s: %s", at, got)
		}
		if got := ok(t, "cat", "--format", "jsonl", out); got != `{"at":"`+at+"\"}\n" {
			t.Errorf("%s: %s", at, got)
		}
		if o := do(t, "convert", "--dry-run", in, filepath.Join(dir, "none.arrow")); o.code != 0 || !strings.Contains(o.err, "microseconds") {
			t.Errorf("%s: %+v", at, o)
		}
	}
}

// Where no unit is chosen the error says why, and which flag chooses one.
func TestTimesBeyondNanosecondsAreRefused(t *testing.T) {
	_, far := farAndNear(t, t.TempDir())
	b, err := os.ReadFile(far)
	if err != nil {
		t.Fatal(err)
	}
	fails(t, doWith(t, t.Context(), bytes.NewReader(b), "cat", "-"), 1, "standard input", "column at", "--timestamp-unit=us can hold it", "for standard input")
	if o := doWith(t, t.Context(), bytes.NewReader(b), "cat", "--timestamp-unit=us", "-"); o.code != 0 || !strings.Contains(o.out, "9000-01-01") {
		t.Errorf("%+v", o)
	}
	fails(t, do(t, "cat", "--schema", "struct<at:timestamp with local time zone>", far), 1, far, "column at", "--timestamp-unit=us can hold it", "with --schema")
	if o := do(t, "cat", "--timestamp-unit=us", "--schema", "struct<at:timestamp with local time zone>", far); o.code != 0 || !strings.Contains(o.out, "9000-01-01") {
		t.Errorf("%+v", o)
	}
}

// acidTable makes a Hive ACID table of the columns id and at: a row of 2001 and one of 1500, which nanoseconds cannot hold.
func acidTable(t *testing.T, table string) {
	t.Helper()
	dir, delta := t.TempDir(), filepath.Join(table, "delta_0000001_0000001_0000")
	if err := os.MkdirAll(delta, 0o777); err != nil {
		t.Fatal(err)
	}
	events := tableFile(t, filepath.Join(dir, "events.arrow"),
		`[{"operation":0,"originalTransaction":1,"bucket":536870912,"rowId":0,"currentTransaction":1,"row":{"id":3,"at":"1500-01-01 00:00:00"}}]`,
		"operation int32", "originalTransaction int64", "bucket int32", "rowId int64", "currentTransaction int64", "row event")
	ok(t, "convert", "--to", "orc", events, filepath.Join(delta, "bucket_00000"))
	ok(t, "convert", "--to", "orc", tableFile(t, filepath.Join(dir, "near.arrow"), `[{"id":1,"at":"2001-01-01 00:00:00"}]`, "id int64", "at seconds"), filepath.Join(table, "000000_0"))
}

func TestTimesBeyondNanosecondsOfTables(t *testing.T) {
	dir := t.TempDir()
	near, far := farAndNear(t, dir)
	schema, mapping := `{"type":"struct","schema-id":0,"fields":[{"id":7,"name":"when","required":false,"type":"timestamptz"}]}`, `[{"field-id":7,"names":["at"]}]`
	if o := do(t, "cat", "--orc-iceberg-schema", schema, "--orc-name-mapping", mapping, near, far); o.code != 0 || o.err != "" || !strings.Contains(o.out, "9000-01-01T00:00:00.000000") {
		t.Errorf("Iceberg: %+v", o)
	}
	table := filepath.Join(dir, "table")
	acidTable(t, table)
	for _, args := range [][]string{{"cat"}, {"tail", "--columns", "at"}, {"cat", "--where", "at < '1600-01-01'"}, {"schema"}, {"inspect"}} {
		o := do(t, append(args, table)...)
		if o.code != 0 || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, "warning: column at is read in microseconds (--timestamp-unit") {
			t.Errorf("%q: %+v", args, o)
		}
		if args[0] != "schema" && args[0] != "inspect" && !strings.Contains(o.out, "1500-01-01T00:00:00.000000") || strings.Contains(o.out, "timestamp[ns") {
			t.Errorf("%q: %s", args, o.out)
		}
	}
	if o := do(t, "cat", "--columns", "id", table); o.code != 0 || o.err != "" {
		t.Errorf("%+v", o)
	}
}
