package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/tableprofile"
)

// What the statistics of real files say without a scan is what a scan finds, in every file that can be read. So it is with our writers.
func TestProfileWithoutScan(t *testing.T) {
	var files []string
	for _, dir := range []string{"orc", "parquet", "trevni"} {
		err := filepath.WalkDir("../../testdata/"+dir, func(path string, e fs.DirEntry, err error) error {
			if slices.Contains([]string{".orc", ".parquet", ".trv"}, filepath.Ext(path)) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	for _, in := range []string{"orc/java-2.3.1/pruning.orc", "orc/java-2.3.1/ints-bigint-v12.orc", "orc/java-2.3.1/floats-v12.orc"} {
		for _, ext := range []string{".orc", ".parquet", ".trv"} {
			out := filepath.Join(dir, strings.ReplaceAll(in, "/", "-")+ext)
			ok(t, "convert", "../../testdata/"+in, out)
			files = append(files, out)
		}
	}
	told := map[string]int{} // bounds and means
	for _, path := range files {
		scan, short := do(t, "profile", "--json", path), do(t, "profile", "--json", "--no-scan", path)
		switch {
		case scan.code != 0: // of a kind that is refused
		case short.code != 0:
			t.Errorf("%s: %+v", path, short)
		default:
			told[filepath.Ext(path)] += sameProfile(t, path, profileIn(t, short.out), profileIn(t, scan.out))
		}
	}
	for ext, least := range map[string]int{".orc": 1000, ".parquet": 50, ".trv": 10} {
		if told[ext] < least {
			t.Errorf("%s: only %d bounds and means", ext, told[ext])
		}
	}
}

// Statistics of several files are joined. Where one file does not know, nobody does.
func TestProfileOfFilesWithoutScan(t *testing.T) {
	const pruning = "../../testdata/orc/java-2.3.1/pruning.orc"
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	ok(t, "convert", pruning, "--rows", "0:10", path("few.parquet"))
	ok(t, "convert", pruning, "--rows", "10:30", "--columns", "id__mono,group__days", "--schema", "struct<id__mono:bigint,group__days:bigint>", path("wide.parquet"))
	ok(t, "convert", pruning, "--rows", "2000:", path("last.trv"))
	ok(t, "convert", pruning, "--rows", "0:0", path("none.orc"))
	ok(t, "convert", pruning, "--rows", "0:10", path("silent.arrow"))
	column := func(p tableprofile.Profile, path string) tableprofile.Column {
		return p.Columns[slices.IndexFunc(p.Columns, func(c tableprofile.Column) bool { return c.Path == path })]
	}
	for _, in := range [][]string{{path("few.parquet"), path("last.trv"), path("none.orc")}, {pruning, path("none.orc"), pruning}} {
		short, scan := profileOf(t, append(in, "--no-scan")...), profileOf(t, in...)
		if told := sameProfile(t, strings.Join(in, " "), short, scan); told < 4 {
			t.Errorf("%q: only %d bounds and means: %+v", in, told, short)
		}
	}
	for _, other := range []string{path("silent.arrow"), path("few.parquet")} {
		p := profileOf(t, "--no-scan", pruning, other)
		if p.Rows != 6010 {
			t.Errorf("%s: %d rows", other, p.Rows)
		}
		if c := column(p, "id__mono"); c.Mean != nil || (c.Nulls == nil) != strings.HasSuffix(other, ".arrow") || (c.Min == nil) != strings.HasSuffix(other, ".arrow") {
			t.Errorf("%s: %+v", other, c)
		}
	}
	for i, text := range []string{`{"id":1}`, `{"ID":2}`} { // which are two columns
		lines := path(fmt.Sprintf("case%d.jsonl", i))
		if err := os.WriteFile(lines, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		ok(t, "convert", lines, path(fmt.Sprintf("case%d.orc", i)))
	}
	if p := profileIn(t, do(t, "profile", "--json", "--no-scan", path("case0.orc"), path("case1.orc")).out); len(p.Columns) != 2 || column(p, "id").Max != nil || column(p, "ID").Nulls != nil {
		t.Errorf("%+v", p)
	}
	short, scan := profileOf(t, "--no-scan", path("few.parquet"), path("wide.parquet")), profileOf(t, path("few.parquet"), path("wide.parquet"))
	if sameProfile(t, "of two widths", short, scan) < 2 {
		t.Errorf("%+v", short)
	}
	// A column of another type in one of the files, and one that is in the name of a directory.
	if err := os.MkdirAll(path("table/k=1"), 0o700); err != nil {
		t.Fatal(err)
	}
	ok(t, "convert", pruning, "--columns", "id__mono,group__days", "--schema", "struct<id__mono:bigint,group__days:bigint>", path("table/k=1/wide.orc"))
	ok(t, "convert", pruning, "--columns", "id__mono,group__days", path("table/k=1/own.orc"))
	p := profileOf(t, "--no-scan", path("table"))
	if id, wide, key := column(p, "id__mono"), column(p, "group__days"), column(p, "k"); id.Max == nil || wide.Nulls == nil || wide.Max == nil || key.Nulls != nil || p.Rows != 12000 {
		t.Errorf("%+v", p)
	}
}

// It is said that nothing was read, and what needs a scan is refused.
func TestProfileSaysThatNothingWasRead(t *testing.T) {
	const pruning = "../../testdata/orc/java-2.3.1/pruning.orc"
	if got := ok(t, "profile", "--no-scan", "--columns", "id__mono,score__finite__first", pruning); got != pruning+`: orc, 6,000 rows, 2 columns; what statistics say: no rows were read
column               │ type    │ nulls │ min   │ max   │   mean
─────────────────────┼─────────┼───────┼───────┼───────┼───────
id__mono             │ int64   │     0 │ 0     │ 17997 │ 8998.5
score__finite__first │ float64 │ 50.0% │ -1000 │ 999   │       
` {
		t.Errorf("%s", got)
	}
	const nested = "../../testdata/parquet/pyarrow-26.0.1/nested.parquet"
	if got := ok(t, "profile", "--no-scan", "--columns", "wide", nested); !regexp.MustCompile(`(?m)^wide.p.r .*│ unknown │`).MatchString(got) || !regexp.MustCompile(`(?m)^wide.p.q .*│   45.0% │`).MatchString(got) {
		t.Errorf("%s", got)
	}
	if page := ok(t, "profile", "--no-scan", "--html", "-", nested); !strings.Contains(page, "<dt>nulls<dd>unknown<") || !strings.Contains(page, "Nulls are unknown where") {
		t.Error("the page does not say that nulls are unknown")
	}
	page := ok(t, "profile", "--no-scan", "--html", "-", pruning)
	for _, want := range []string{"<dt>Only</dt><dd>what statistics say: no rows were read</dd>", "<dt>greatest<dd>17997<", "No rows were read.</p>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, args := range [][]string{
		{"--where", "id__mono > 3"}, {"--rows", "0:7"}, {"--limit", "7"}, {"--schema", "struct<id__mono:bigint>"}, {"--cast", "java"}, {"--orc-by", "position"},
	} {
		fails(t, do(t, append([]string{"profile", "--no-scan", pruning}, args...)...), 2, "--no-scan and "+args[0])
	}
	lines := filepath.Join(t.TempDir(), "in.jsonl")
	if err := os.WriteFile(lines, []byte(`{"id":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, do(t, "profile", "--no-scan", lines), 2, "does not say how many rows")
}

func profileIn(t *testing.T, text string) (p tableprofile.Profile) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// sameProfile compares what statistics tell with what a scan found, and returns how many bounds and means they tell.
func sameProfile(t *testing.T, path string, short, scan tableprofile.Profile) (told int) {
	t.Helper()
	if short.Rows != scan.Rows || short.Scanned || !scan.Scanned {
		t.Errorf("%s: %d rows, want %d; %t %t", path, short.Rows, scan.Rows, short.Scanned, scan.Scanned)
	}
	of := map[string]tableprofile.Column{}
	for _, c := range scan.Columns {
		of[c.Path] = c
	}
	for _, c := range short.Columns {
		w, found := of[c.Path]
		if !found || c.Type != w.Type || c.Rows != w.Rows || c.Depth != w.Depth {
			t.Errorf("%s: %+v, want %+v", path, c, w)
			continue
		}
		if c.Nulls != nil && *c.Nulls != *w.Nulls {
			t.Errorf("%s: %s: %d nulls, want %d", path, c.Path, *c.Nulls, *w.Nulls)
		}
		if c.Min != nil {
			if told++; w.Min == nil || *c.Min != *w.Min || *c.Max != *w.Max {
				t.Errorf("%s: %s: %s to %s, want %+v", path, c.Path, *c.Min, *c.Max, w)
			}
		}
		if c.Mean != nil {
			if told++; w.Mean == nil || math.Abs(*c.Mean-*w.Mean) > 1e-9*max(1, magnitude(*c.Min), magnitude(*c.Max)) {
				t.Errorf("%s: %s: mean %g, want %+v", path, c.Path, *c.Mean, w)
			}
		}
	}
	return told
}

// magnitude is that of an integer; a scan adds floating point numbers.
func magnitude(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return math.Abs(v)
}
