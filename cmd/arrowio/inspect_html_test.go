package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// reportOf makes a report and returns its text.
func reportOf(t *testing.T, code int, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "report.html")
	if o := do(t, append([]string{"inspect", "--html", out}, args...)...); o.code != code || o.out != "" {
		t.Fatalf("%s: exit %d, want %d: %s%s", args, o.code, code, o.out, o.err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 1_000_000 {
		t.Errorf("%d bytes", len(text))
	}
	return string(text)
}

var (
	rowPattern  = regexp.MustCompile(`(?s)<tr id="c(\d+)">(.*?)</tr>`)
	cellPattern = regexp.MustCompile(`(?s)<t[dh][^>]*>(.*?)</t[dh]>`)
	tagPattern  = regexp.MustCompile(`(?s)<title>.*?</title>|<[^>]*>`)
)

// columnsOf returns the cells of the list of columns by the heads of the list, in its order.
func columnsOf(t *testing.T, text string) (rows []map[string]string) {
	t.Helper()
	_, list, ok := strings.Cut(text, `aria-labelledby="columns" tabindex="0"><table>`)
	if !ok {
		t.Fatal("no list of columns")
	}
	list, _, _ = strings.Cut(list, "</table>")
	head, _, _ := strings.Cut(list, "<tbody>")
	cells := func(s string) (out []string) {
		for _, m := range cellPattern.FindAllStringSubmatch(s, -1) {
			out = append(out, strings.ReplaceAll(tagPattern.ReplaceAllString(m[1], ""), "\u00a0", " "))
		}
		return out
	}
	names := cells(head)
	for _, m := range rowPattern.FindAllStringSubmatch(list, -1) {
		row := map[string]string{"number": m[1]}
		for i, c := range cells(m[2]) {
			row[names[i]] = c
		}
		rows = append(rows, row)
	}
	return rows
}

// What the report says of columns is what inspect --json says, and what is known of the file: it was written in the order of id__mono.
func TestReportOfORC(t *testing.T) {
	const in = "../../testdata/orc/java-2.3.1/pruning.orc"
	var doc struct {
		Columns []struct {
			Path      string
			Bytes     int64
			Codec     string
			Encodings []string
			Stats     struct {
				Values, Nulls *int64
				Min, Max      string
			}
		}
	}
	if err := json.Unmarshal([]byte(ok(t, "inspect", "--json", in)), &doc); err != nil {
		t.Fatal(err)
	}
	text := reportOf(t, 0, in)
	rows := columnsOf(t, text)
	if len(rows) != len(doc.Columns) || len(rows) == 0 {
		t.Fatalf("%d columns, want %d", len(rows), len(doc.Columns))
	}
	var sizes []int64
	for _, r := range rows {
		var n int
		if _, err := fmt.Sscan(r["number"], &n); err != nil {
			t.Fatal(err)
		}
		c := doc.Columns[n]
		sizes = append(sizes, c.Bytes)
		low := strings.ReplaceAll(c.Stats.Min, `"`, "&#34;")
		if r["Column"] != c.Path || r["Codec"] != c.Codec || r["Encoding"] != strings.Join(c.Encodings, ", ") || r["Least"] != low {
			t.Errorf("%v, want %+v", r, c)
		}
		if c.Stats.Nulls != nil && *c.Stats.Nulls > 0 && r["Nulls"] != fmt.Sprintf("%.1f %%", 100*float64(*c.Stats.Nulls)/6000) {
			t.Errorf("%s: nulls %s, want %d of 6000", c.Path, r["Nulls"], *c.Stats.Nulls)
		}
	}
	if !slices.IsSortedFunc(sizes, func(a, b int64) int { return int(b - a) }) {
		t.Errorf("not by size: %d", sizes)
	}
	for _, r := range rows {
		want := map[string]string{
			"id__mono": "sorted", "name__seq": "sorted", "at__seq": "sorted", "day__days": "sorted", "city__dict__r10": "not sorted", "amount__small": "not sorted",
		}[r["Column"]]
		if want != "" && r["Order"] != want {
			t.Errorf("%s is %s, want %s", r["Column"], r["Order"], want)
		}
		if r["Column"] == "id__mono" && r["A lookup reads"] != "1 of 2" {
			t.Errorf("a lookup reads %s", r["A lookup reads"])
		}
	}
	for _, want := range []string{"CREATE EXTERNAL TABLE `pruning` (\n  `id__mono` BIGINT,", "STORED AS ORC", "CREATE TABLE &#34;pruning&#34; (\n  &#34;id__mono&#34; BIGINT,", "&#34;type&#34;: &#34;record&#34;", "<dd>6,000</dd>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}

// A report of a sample has histograms of the rows, and is the same every time.
func TestReportOfSample(t *testing.T) {
	csv := filepath.Join(t.TempDir(), "in.csv")
	var b strings.Builder
	b.WriteString("n,word,at\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "%d,%s,2024-01-%02d\n", i, []string{"yes", "no", "no", "no"}[i%4], 1+i%28)
	}
	if err := os.WriteFile(csv, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	orc := filepath.Join(filepath.Dir(csv), "x.orc")
	ok(t, "convert", "--orc-stripe-rows", "100", csv, orc)
	all := reportOf(t, 0, "--sample", "1000", orc)
	for _, want := range []string{"1,000 rows of 1,000", `aria-label="Histogram of n, from 0 to 999"`, `aria-label="Histogram of at, from 2024-01-01 to 2024-01-28"`, "<dt>no</dt>", "75.0\u00a0%", "25.0\u00a0%", "28 different; nulls 0"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q", want)
		}
	}
	// 24 bars of 999/24 values each: 41 or 42 of the rows.
	if n := strings.Count(all, "<title>42</title>") + strings.Count(all, "<title>41</title>"); n != 24 {
		t.Errorf("%d bars", n)
	}
	first, second := reportOf(t, 0, "--sample", "50", orc), reportOf(t, 0, "--sample", "50", orc)
	if first != second {
		t.Error("two reports differ")
	}
	if text := reportOf(t, 0, "--sample", "10", csv); !strings.Contains(text, "10 rows, the first ones") && !strings.Contains(text, "10 rows of 1,000, chosen at random") {
		t.Error("no sample of text")
	}
}

// Names from a file are text in the report, whatever they are.
func TestReportOfHostileNames(t *testing.T) {
	dir := t.TempDir()
	csv, orc := filepath.Join(dir, "in.csv"), filepath.Join(dir, "<img src=x onerror=alert(1)>.orc")
	if err := os.WriteFile(csv, []byte("<script>alert(1)</script>,\u202egpj,\"\"\"><svg onload=alert(2)>\"\n1,2,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ok(t, "convert", csv, orc)
	text := reportOf(t, 0, "--sample", "1", "--verify", orc)
	for _, never := range []string{"<script", "<img", "<svg onload", "\u202e"} {
		if strings.Contains(text, never) {
			t.Errorf("%q is in it", never)
		}
	}
	for _, want := range []string{"&lt;script&gt;alert(1)&lt;/script&gt;", `\u{202e}gpj`, "&lt;img src=x"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in it", want)
		}
	}
}

// A file that cannot be read, or is not sound, is in the report; the exit code says so.
func TestReportOfDamage(t *testing.T) {
	dir := t.TempDir()
	good, err := os.ReadFile("../../testdata/orc/java-2.3.1/many-stripes.orc")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"a.orc": good, "b.orc": append(slices.Clone(good[:len(good)/2]), "not an ending"...), "c.orc": good} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := reportOf(t, 1, dir)
	for _, want := range []string{"1 file cannot be read", "It cannot be read: ", `<h2 id="f0-file">a.orc</h2>`, `<h2 id="f1-file">b.orc</h2>`, `<h2 id="f2-file">c.orc</h2>`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	changed := filepath.Join(dir, "changed.trv")
	ok(t, "convert", filepath.Join(dir, "a.orc"), changed)
	data, err := os.ReadFile(changed)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-3] ^= 0x40
	if err := os.WriteFile(changed, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if text := reportOf(t, 1, "--verify", changed); !strings.Contains(text, `<dd class="bad">1 fault</dd>`) && !strings.Contains(text, " faults</dd>") {
		t.Error("no fault in it")
	}
	if text := reportOf(t, 0, "--verify", filepath.Join(dir, "a.orc")); !strings.Contains(text, "Everything that could be checked agrees") {
		t.Error("no verdict")
	}
	if o := do(t, "inspect", "--html", filepath.Join(dir, "none.html"), filepath.Join(dir, "none.orc")); o.code != 3 {
		t.Errorf("a file that does not exist: exit %d", o.code)
	}
}

// The directories of a Kudu server: every table with rows is looked into.
func TestReportOfKudu(t *testing.T) {
	server := fixtures.Unpack(t, "../../testdata/kudu/kudu-1.17.1/file.tar.gz")
	text := reportOf(t, 0, "--from", "kudu", filepath.Join(server, "wal"))
	for _, want := range []string{": table altered</h2>", ": table unflushed</h2>", "--kudu-table partitioned", "tombstoned", "3 rowsets, log of 1 segment", "rowset 2"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(text, "Schema drift") {
		t.Error("tables of one server are compared")
	}
}

// Of many tables the first are looked into, and how many there are is said.
func TestTablesNotLookedInto(t *testing.T) {
	members := []arrowio.MemberInfo{{Kind: "tablet", Bytes: 1}, {Kind: "table", Name: "empty", Open: []arrowio.Choice{{Option: "kudu-table", Value: "e"}}}}
	for range maxReportTables {
		members = append(members, arrowio.MemberInfo{Kind: "table", Bytes: 1, Open: []arrowio.Choice{{Option: "kudu-table", Value: "t"}}})
	}
	if got := notLookedInto(members); got != "" {
		t.Error(got)
	}
	if got := notLookedInto(append(members, members[2])); got != "the first 12 of 13 tables are looked into: --kudu-table looks into another" {
		t.Error(got)
	}
}

// The report appears when it is complete, and replaces nothing unasked.
func TestReportFile(t *testing.T) {
	const in = "../../testdata/orc/java-2.3.1/one-row.orc"
	dir := t.TempDir()
	out := filepath.Join(dir, "r.html")
	ok(t, "inspect", "--html", out, in)
	if o := do(t, "inspect", "--html", out, in); o.code != 2 || !strings.Contains(o.err, "--force") {
		t.Errorf("exit %d: %s", o.code, o.err)
	}
	ok(t, "inspect", "--html", out, "--force", in)
	if text := ok(t, "inspect", "--html", "-", in); !strings.HasPrefix(text, "<!doctype html>") || !strings.HasSuffix(text, "</html>\n") {
		t.Errorf("on standard output: %.40q", text)
	}
	for _, args := range [][]string{{"--html", ""}, {"--html", out, "--json"}, {"--sample", "3"}, {"--force"}, {"--verify"}, {"--html", out, "--sample", "0"}, {"--html", out, "--sample", "100001"}, {"--html", filepath.Join(dir, "new.html"), "--where", "nothing = 1"}} {
		if o := do(t, append(append([]string{"inspect"}, args...), in)...); o.code != 2 {
			t.Errorf("%s: exit %d: %s", args, o.code, o.err)
		}
	}
	found, err := os.ReadDir(dir)
	if err != nil || len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
}

// Every format that is read has a report.
func TestReportOfFormats(t *testing.T) {
	dir := t.TempDir()
	csv := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(csv, []byte("a,b\n1,x\n2,y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{"csv", "jsonl", "arrow", "arrows", "parquet", "orc", "trv"} {
		file := filepath.Join(dir, "in."+ext)
		if ext != "csv" {
			ok(t, "convert", csv, file)
		}
		text := reportOf(t, 0, "--verify", "--sample", "2", "--where", "a > 1", file)
		hive := map[string]string{
			"csv": "-- Hive reads CSV by OpenCSVSerde, to which every column is text. This is the table of the ORC files that arrowio convert makes of them.\nCREATE",
			"orc": "<code>CREATE EXTERNAL TABLE", "parquet": "STORED AS PARQUET", "jsonl": "-- Hive reads JSON by a SerDe", "trv": "-- Hive does not read these files. This",
		}[ext]
		if !strings.Contains(text, hive) || !strings.Contains(text, "\nSTORED AS ") {
			t.Errorf("%s: no %q", ext, hive)
		}
		for _, want := range []string{"<h2 id=\"columns\">", "<h2 id=\"schema\">", "a: int64", "<h2 id=\"verdict\">", "<h2 id=\"sample\">", "<h2 id=\"filter\">"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q", ext, want)
			}
		}
	}
}
