package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
)

const farTimes = "../../testdata/orc/java-2.3.1/times-far-v11"

// farRows are what Java says of the file: seconds and nanoseconds of each column, rounded down.
func farRows(t *testing.T) []string {
	t.Helper()
	f, err := os.Open(farTimes + ".jsonl.gz")
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
	in, rows := farTimes+".orc", len(farRows(t))
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
		if !strings.Contains(o.err, "warning: these columns are read in microseconds") || !strings.HasSuffix(o.err, ": a__far, b__far__r10\n") || strings.Count(o.err, "\n") != 1 {
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
	if o := do(t, "head", "--columns", "a__far", in); o.code != 0 || !strings.HasSuffix(o.err, ": a__far\n") {
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

func TestTimesBeyondNanosecondsWithoutStatistics(t *testing.T) {
	dir, in := t.TempDir(), farTimes+".orc"
	run := func(args ...string) outcome {
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
		}
		code := a.run(t.Context(), args)
		return outcome{code, out.String(), errs.String()}
	}
	want := do(t, "cat", in)
	for _, args := range [][]string{{"cat", in}, {"head", "-n", "1000", in}} {
		if o := run(args...); o.code != 0 || o.out != want.out || strings.Count(o.err, "\n") != 2 { // a column at a time
			t.Errorf("%q: %+v", args, o)
		}
	}
	out := filepath.Join(dir, "out.arrow")
	if o := run("convert", in, out); o.code != 0 || strings.Count(o.err, "\n") != 2 {
		t.Errorf("%+v", o)
	}
	if got := ok(t, "cat", out); got != want.out {
		t.Errorf("got\n%swant\n%s", got, want.out)
	}
	fails(t, run("convert", "--to", "jsonl", in, "-"), 1, "does not fit timestamp[ns]")
	only(t, dir, "out.arrow")
}

// Statistics and bloom filters are compared in the unit of the column.
func TestFiltersOfTimesBeyondNanoseconds(t *testing.T) {
	in, plain := farTimes+".orc", filepath.Join(t.TempDir(), "plain.arrow")
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
