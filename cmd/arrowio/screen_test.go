package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	writekudu "github.com/arrowio/arrowio/writers/kudu"
)

func TestWrapWidth(t *testing.T) {
	for _, c := range []struct {
		text         string
		width, first int
		want         string
	}{
		{"a bc def", 20, 20, "a bc def"},
		{"a bc def", 4, 4, "a bc|def"},
		{"a bc def", 6, 2, "a|bc def"},
		{"abcdef gh", 4, 4, "abcd|ef|gh"},
		{"世界 世界", 5, 5, "世界|世界"},
		{"世界", 1, 1, "世|界"},
		{"", 4, 4, ""},
	} {
		if got := strings.Join(wrapWidth(c.text, c.width, c.first), "|"); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

// What is printed for people fits terminals of all widths, and says the same on all of them.
func TestEverythingFitsTheTerminal(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.orc")
	ok(t, "convert", peopleFile(t, dir, "in.arrow", 0, 2000), in)

	t.Chdir(dir)
	for _, args := range [][]string{
		{"inspect", "in.orc"},
		{"inspect", "--blocks", "--where", "id < 10", "in.orc"},
		{"schema", "in.orc"},
		{"convert", "--dry-run", "in.orc", "out.trv"},
		{"scan", "in.orc"},
	} {
		for width := 40; width <= 200; width += 16 {
			o := onTerminal(t, width, args...)
			if o.code != 0 {
				t.Fatalf("%q: %+v", args, o)
			}
			fits(t, o.out, width)
			for _, column := range []string{"name", "at.x"} {
				if args[0] != "scan" && !strings.Contains(o.out, column) && !strings.Contains(o.out, "x: float64") {
					t.Errorf("%q in %d columns does not tell %s:\n%s", args, width, column, o.out)
				}
			}
			if args[0] == "scan" && (width < 60) != strings.Contains(o.out, "─ run 1 ─") {
				t.Errorf("scan in %d columns:\n%s", width, o.out)
			}
		}
	}
	for width := 40; width <= 200; width += 40 {
		for _, args := range [][]string{{"cat", "--help"}, {"help"}, {"kudu", "--help"}} {
			// Examples and words are not broken.
			for line := range strings.Lines(onTerminal(t, width, args...).out) {
				line = strings.TrimRight(line, "\n")
				if strings.HasPrefix(line, "  arrowio ") || len(strings.Fields(line)) < 3 || strings.HasPrefix(line, "Usage") {
					continue
				}
				if displayWidth(line) > width {
					t.Errorf("%q: %d columns, not %d: %s", args, displayWidth(line), width, line)
				}
			}
		}
	}
}

// The first lines of kudu import and kudu split fit, and count as people do.
func TestKuduReportsFitTheTerminal(t *testing.T) {
	tablet := strings.Repeat("0123456789abcdef", 2)
	for width := 40; width <= 200; width += 40 {
		var b strings.Builder
		r := &writekudu.ImportReport{Rows: 1, Bytes: 4500, Tablet: tablet, Table: "d_unflushed", BlockManager: "log"}
		if err := printImportHead(sheet{&b, width}, r, 0); err != nil {
			t.Fatal(err)
		}
		split := &writekudu.SplitReport{Table: "d_unflushed", Rows: 2, Elsewhere: 1, Tablets: []writekudu.SplitTablet{{ID: tablet, Rows: 1}}}
		if err := printSplit(sheet{&b, width}, split, 0); err != nil {
			t.Fatal(err)
		}
		fits(t, b.String(), width)
		if !strings.HasPrefix(b.String(), "1 row, 4.4 KiB, imported in 0s into") || !strings.Contains(b.String(), "1 row is left out") {
			t.Error(b.String())
		}
	}
}

func TestVersionFlag(t *testing.T) {
	flag, command := ok(t, "--version"), ok(t, "version")
	if flag != command || !strings.HasPrefix(flag, "arrowio ") || !strings.Contains(flag, runtime.Version()) || strings.Count(flag, "\n") != 1 {
		t.Errorf("%q, %q", flag, command)
	}
	var v version
	if err := json.Unmarshal([]byte(ok(t, "version", "--json")), &v); err != nil || v.Go != runtime.Version() || v.Version == "" {
		t.Errorf("%+v, %v", v, err)
	}
	fails(t, do(t, "--version", "cta"), 2, "cta", "cat")
}

func TestSummary(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 2000)
	out := filepath.Join(dir, "out.parquet")
	for _, c := range []struct {
		args     []string
		terminal bool
		told     bool
	}{
		{nil, true, true},
		{nil, false, false},
		{[]string{"--progress", "always"}, false, true},
		{[]string{"--progress", "never"}, true, false},
	} {
		args := append([]string{"convert", "--force", in, out}, c.args...)
		o := do(t, args...)
		if c.terminal {
			o = onTerminal(t, 80, args...)
		}
		told := strings.Contains(o.err, "2,000 rows, ") && strings.Contains(o.err, " times the size\n")
		if o.code != 0 || o.out != "" || told != c.told {
			t.Errorf("%q: %+v", c.args, o)
		}
	}
	var r struct {
		Rows     int64
		BytesIn  int64 `json:"bytes_in"`
		BytesOut int64 `json:"bytes_out"`
		Seconds  float64
	}
	if err := json.Unmarshal([]byte(ok(t, "convert", "--force", "--json", in, out)), &r); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(out)
	if err != nil || r.Rows != 2000 || r.BytesOut != fi.Size() || r.BytesIn < 1000 || r.Seconds <= 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestTook(t *testing.T) {
	for seconds, want := range map[float64]string{0.0123: "12ms", 1.2345: "1.23s", 83.4: "1m23s"} {
		if got := took(seconds); got != want {
			t.Errorf("%v: %s, want %s", seconds, got, want)
		}
	}
}
