package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/tableprofile"
)

// profileOf returns what profile --json prints.
func profileOf(t *testing.T, args ...string) (p tableprofile.Profile) {
	t.Helper()
	if err := json.Unmarshal([]byte(ok(t, append([]string{"profile", "--json"}, args...)...)), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProfileTable(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.jsonl")
	if err := os.WriteFile(in, []byte(`{"id":1,"name":"a b","tags":["x","x"]}
{"id":-2,"name":"","tags":[]}
{"id":0,"name":null,"tags":null}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	want := in + `: jsonl, 3 rows, 3 columns
column    │ type  │ values │ nulls │ distinct │ min │ median │ max │      mean │ length           │ among them                 │ frequent
──────────┼───────┼────────┼───────┼──────────┼─────┼────────┼─────┼───────────┼──────────────────┼────────────────────────────┼────────────────────
id        │ int64 │        │     0 │        3 │ -2  │ 0      │ 1   │ -0.333333 │                  │ zero 33.3%, negative 33.3% │ -2 33.3%, 0 33.3%
name      │ utf8  │        │ 33.3% │        2 │ ""  │        │ a b │           │ 0 to 3, mean 1.5 │ empty 50.0%                │ "" 50.0%, a b 50.0%
tags      │ list  │        │ 33.3% │          │     │        │     │           │ 0 to 2, mean 1   │ empty 50.0%                │ 
tags.item │ utf8  │      2 │     0 │        1 │ x   │        │ x   │           │ 1                │                            │ x 100%
`
	if got := ok(t, "profile", in); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// What is an estimate says so; what is exact does not. Several files are counted, not named.
func TestProfileOfEstimates(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("many,few,none\n")
	for i := range 40_000 {
		b.WriteString(strconv.Itoa(i) + "," + strconv.Itoa(i%7) + ",\n")
	}
	for _, name := range []string{"a.csv", "b.csv", "c.csv", "d.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := ok(t, "profile", dir)
	if head := dir + ": 4 files, csv, 160,000 rows, 3 columns\n"; !strings.HasPrefix(text, head) {
		t.Errorf("%q, want %q", text[:min(len(text), 2*len(head))], head)
	}
	cells := map[string][]string{}
	for line := range strings.Lines(text) {
		row := strings.Split(line, "│")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		cells[row[0]] = row
	}
	at := func(row, column string) string {
		for i, name := range cells["column"] {
			if name == column {
				return cells[row][i]
			}
		}
		t.Fatalf("no column %s in %s", column, text)
		return ""
	}
	if v := at("many", "median"); !strings.HasPrefix(v, "~") || !strings.HasPrefix(at("many", "distinct"), "~") {
		t.Errorf("estimates are %s and %s", v, at("many", "distinct"))
	}
	if at("few", "median") != "3" || at("few", "distinct") != "7" || at("none", "distinct") != "0" || at("many", "max") != "39999" || at("many", "mean") != "19999.5" {
		t.Errorf("%s", text)
	}
	page := ok(t, "profile", "--html", "-", dir)
	if !strings.Contains(page, "<h1>"+dir+": 4 files</h1>") {
		t.Error("the page does not say how many files it is of")
	}
	_, card, _ := strings.Cut(page, `<li id="c0">`)
	many, rest, _ := strings.Cut(card, "</li>")
	few, none, _ := strings.Cut(rest, `<li id="c2">`)
	for _, want := range []string{"<dt>median<dd>~", "<dt>5\u00a0%<dd>~", "<title>~", `aria-label="Estimated histogram`, "<dt>different<dd>~"} {
		if !strings.Contains(many, want) {
			t.Errorf("no %q in %s", want, many)
		}
	}
	if strings.Contains(few, "~") || strings.Contains(few, "Estimated") || !strings.Contains(few, "<dt>median<dd>3<") || !strings.Contains(none, "<dt>different<dd>0<") {
		t.Errorf("%s %s", few, none)
	}
	if !strings.Contains(ok(t, "profile", "--json", dir), `"quantiles_exact": false`) {
		t.Error("JSON does not say that quantiles are estimates")
	}
}

// Rows are chosen as in other commands, and what a profile says does not depend on --jobs.
func TestProfileOfChosenRows(t *testing.T) {
	const pruning = "../../testdata/orc/java-2.3.1/pruning.orc"
	for _, c := range []struct {
		args     []string
		rows     int64
		min, max string
	}{
		{nil, 6000, "0", "17997"},
		{[]string{"--jobs", "1"}, 6000, "0", "17997"},
		{[]string{"--limit", "10"}, 10, "0", "27"},
		{[]string{"-n", "5", "--rows", "1000:2000"}, 5, "3000", "3012"},
		{[]string{"--where", "id__mono >= 100 AND id__mono < 200"}, 33, "102", "198"},
		{[]string{"--where", "id__mono >= 100", "-n", "2"}, 2, "102", "105"},
		{[]string{"--batch-rows", "7", "--memory", "1MB"}, 6000, "0", "17997"},
		{[]string{"--schema", "struct<id__mono:bigint,other:string>"}, 6000, "0", "17997"},
		{[]string{pruning}, 12000, "0", "17997"},
	} {
		p := profileOf(t, append([]string{"--columns", "id__mono", pruning}, c.args...)...)
		if len(p.Columns) != 1 || p.Rows != c.rows || *p.Columns[0].Min != c.min || *p.Columns[0].Max != c.max {
			t.Errorf("%q: %+v", c.args, p)
		}
	}
	if p := profileOf(t, "--limit", "0", pruning); p.Rows != 0 || len(p.Columns) != 14 || *p.Columns[0].Nulls != 0 {
		t.Errorf("no rows: %+v", p)
	}
	fails(t, do(t, "profile", "--columns", "none", pruning), 2, "none")
	fails(t, do(t, "profile", "--orc-names", "x", pruning), 2, "--orc-names")
	fails(t, do(t, "profile"), 2, "INPUT is missing")
}

// Columns whose times do not fit nanoseconds are read in microseconds, as in other commands.
func TestProfileOfFarTimes(t *testing.T) {
	o := do(t, "profile", "--json", "../../testdata/orc/java-2.3.1/times-far-v11.orc")
	var p tableprofile.Profile
	if err := json.Unmarshal([]byte(o.out), &p); err != nil || o.code != 0 || !strings.Contains(o.err, "microseconds") {
		t.Fatalf("%v %+v", err, o)
	}
}

// Numbers of values and nulls, and the least and greatest values, are those that ORC's and Avro's own writers have put into their files.
func TestProfileAndStatistics(t *testing.T) {
	for _, in := range []string{"../../testdata/orc/java-2.3.1/pruning.orc", "../../testdata/trevni/java-1.12.1/avro-nested.trv"} {
		var info struct {
			Columns []struct {
				Path, Type, Parent string
				Stats              *struct {
					Values, Nulls *int64
					Min, Max      string
				}
			}
		}
		if err := json.Unmarshal([]byte(ok(t, "inspect", "--json", in)), &info); err != nil {
			t.Fatal(err)
		}
		of := map[string]tableprofile.Column{}
		for _, c := range profileOf(t, in).Columns {
			of[c.Path] = c
		}
		for _, s := range info.Columns {
			c, found := of[s.Path]
			if !found || s.Stats == nil || s.Parent != "" {
				continue
			}
			if v := s.Stats.Values; v != nil && *v != c.Values() {
				t.Errorf("%s: %s: %d values, want %d", in, s.Path, c.Values(), *v)
			}
			if n := s.Stats.Nulls; n != nil && *n != *c.Nulls {
				t.Errorf("%s: %s: %d nulls, want %d", in, s.Path, *c.Nulls, *n)
			}
			if !strings.HasPrefix(s.Type, "int") && s.Type != "utf8" {
				continue
			}
			plain := func(v string) string {
				if text, err := strconv.Unquote(v); err == nil {
					return text
				}
				return v
			}
			if s.Stats.Min != "" && (plain(s.Stats.Min) != *c.Min || plain(s.Stats.Max) != *c.Max) {
				t.Errorf("%s: %s: from %s to %s, want %s to %s", in, s.Path, *c.Min, *c.Max, s.Stats.Min, s.Stats.Max)
			}
		}
	}
}
