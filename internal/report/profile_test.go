package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/dustin/go-humanize"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/tableprofile"
)

func writeProfile(t *testing.T, o ProfileOptions, p *tableprofile.Profile) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteProfile(&b, o, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func ptr[T any](v T) *T { return &v }

// measured is a column of a number, or of text, of which everything is known.
func measured(path, typ, value string) tableprofile.Column {
	c := tableprofile.Column{Path: path, Type: typ, Rows: 5000, Nulls: ptr[int64](500), Distinct: &tableprofile.Distinct{Count: 4321, Error: 0.0081}, Min: ptr(value), Max: ptr(value)}
	for i := range 10 {
		c.Top = append(c.Top, tableprofile.Frequent{Value: value, Count: int64(100 - i), AtMost: int64(110 - i)})
	}
	if typ == "utf8" {
		c.Empty, c.Lengths = ptr[int64](1), &tableprofile.Lengths{Min: 1, Max: 1000, Mean: 12.345}
		return c
	}
	c.Mean, c.StdDev, c.Zero, c.Negative = ptr(1234.5678), ptr(98.7654), ptr[int64](5), ptr[int64](7)
	for _, share := range []float64{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99} {
		c.Quantiles = append(c.Quantiles, tableprofile.Quantile{Share: share, Value: value})
	}
	c.Histogram = &tableprofile.Histogram{From: value, To: value, Below: 45, Above: 44}
	for i := range 24 {
		c.Histogram.Counts = append(c.Histogram.Counts, int64(i*i%97))
	}
	return c
}

// However many columns there are, the page has at most 1 MB, and all of 1,000 columns are in it where names and values are of a common length.
func TestProfileSize(t *testing.T) {
	long := strings.Repeat("<&\u202e\"'", 60)
	for _, c := range []struct {
		name        string
		columns     int
		path, value string
		all         int // columns that must be in it
	}{
		{"1,000 columns", 1000, "measure of day ", "12345.678901", 1000},
		{"5,000 columns", 5000, "c", "1234", 1000},
		{"long names", 1200, long, long, 30},
	} {
		p := &tableprofile.Profile{Rows: 5000, ExactDistinct: 256}
		for i := range c.columns {
			p.Columns = append(p.Columns, measured(c.path+strconv.Itoa(i), []string{"int64", "utf8", "float64", "timestamp[ns]"}[i%4], c.value))
		}
		text := writeProfile(t, ProfileOptions{Title: long, Warnings: make([]arrowio.Warning, 5000)}, p)
		if len(text) > maxBytes {
			t.Errorf("%s: %d bytes", c.name, len(text))
		}
		if !strings.Contains(text, "Left out, so that the page is not too large: the count of each bar") || !strings.Contains(text, "The first 100 of 5,000.") {
			t.Errorf("%s: it does not say what it leaves out", c.name)
		}
		n := strings.Count(text, `<li id="c`)
		if n < c.all {
			t.Errorf("%s: %d columns", c.name, n)
		}
		if told := strings.Contains(text, fmt.Sprintf("The first %s of %s.", humanize.Comma(int64(n)), humanize.Comma(int64(c.columns)))); told != (n < c.columns) {
			t.Errorf("%s: %d of %d columns, and it says so: %v", c.name, n, c.columns, told)
		}
	}
}

// Nothing of a file becomes a part of the page, and what cannot be seen is escaped.
func TestProfileIsEscaped(t *testing.T) {
	hostile := "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u202e\x1b[2J"
	p := &tableprofile.Profile{Rows: 5000, Columns: []tableprofile.Column{measured(hostile, hostile, hostile), measured(hostile, "utf8", hostile)}}
	text := writeProfile(t, ProfileOptions{Title: hostile, Formats: hostile, Filter: hostile, Warnings: []arrowio.Warning{{Text: hostile}}}, p)
	_, body, _ := strings.Cut(text, "</style>")
	for _, bad := range []string{"<script", "<img", "\u202e", "\x1b"} {
		if strings.Contains(body, bad) {
			t.Errorf("it has %q", bad)
		}
	}
	for _, tag := range regexp.MustCompile(`<[^>]*>`).FindAllString(body, -1) {
		if rest := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(tag, ""); regexp.MustCompile(`(?i)\s(on[a-z]+|src|style)=|['"]`).MatchString(rest) {
			t.Errorf("it has %s", tag)
		}
	}
	if n := strings.Count(text, `&lt;script&gt;alert(1)&lt;/script&gt;`); n < 10 {
		t.Errorf("the text is there %d times", n)
	}
}

// What stands out among columns.
func TestProfileFindings(t *testing.T) {
	column := func(path, typ string, nulls, distinct int64, exact bool) tableprofile.Column {
		c := tableprofile.Column{Path: path, Type: typ, Rows: 1000, Nulls: &nulls}
		if distinct > 0 {
			c.Distinct = &tableprofile.Distinct{Count: distinct, Exact: exact}
		}
		return c
	}
	id, about, twice, float := column("id", "int64", 0, 1000, true), column("about", "utf8", 0, 990, false), column("twice", "utf8", 0, 990, false), column("float", "float64", 0, 1000, true)
	twice.Top = []tableprofile.Frequent{{Value: "x", Count: 2, AtMost: 3}}
	float.NaN = ptr[int64](1)
	text := column("text", "utf8", 10, 20, true)
	text.Empty = ptr[int64](1)
	inside := column("list.item", "int64", 0, 3, true)
	inside.Rows, inside.Distinct.Count = 3, 3
	p := &tableprofile.Profile{Rows: 1000, Columns: []tableprofile.Column{id, about, twice, float, text, inside, column("none", "null", 1000, 0, false), column("few", "int8", 950, 9, true), column("one", "int8", 0, 1, true), column("or null", "int8", 1, 1, true)}}
	var got []string
	for _, f := range profileFindings(p, nil) {
		got = append(got, f.What)
	}
	want := "only nulls: none; mostly null: few; NaN: float; empty text beside nulls: text; one value in every row: one; no value twice: id; hardly any value twice: about"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if p.Rows = 0; profileFindings(p, nil) != nil {
		t.Error("no rows stand out")
	}
}

// Of columns that are shown masked nothing else is told: their values are not those of the file.
func TestProfileFindingsMasked(t *testing.T) {
	column := func(path string, nulls int64) tableprofile.Column {
		return tableprofile.Column{Path: path, Type: "int64", Rows: 9, Nulls: &nulls, Distinct: &tableprofile.Distinct{Count: 1, Exact: true}}
	}
	p := &tableprofile.Profile{Rows: 9, Columns: []tableprofile.Column{column("a", 9), column("s", 0), column(`s."a b"`, 9), column("s.c", 9), column("ab", 0)}}
	warnings := []arrowio.Warning{{Kind: arrowio.WarnDoubt, Columns: []string{"s.c"}}, {Kind: arrowio.WarnMasked, Columns: []string{"a", "s.a b"}}}
	var got []string
	for _, f := range profileFindings(p, warnings) {
		got = append(got, f.What)
	}
	want := `encrypted, and shown masked: a, s."a b"; only nulls: s.c; one value in every row: s, ab`
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

// Bars put together are of what they count, and lines end where the picture does.
func TestOutline(t *testing.T) {
	for _, c := range []struct {
		counts []int64
		most   int
		want   string
	}{
		{[]int64{1, 2, 0}, 24, "M0 20H0V10H40V0H80V20H120V20z"},
		{[]int64{1, 1, 4, 0, 1}, 3, "M0 20H0V10H40V0H80V15H120V20z"},
		{[]int64{1000, 1}, 2, "M0 20H0V0H60V19H120V20z"},
	} {
		if got := outline(c.counts, c.most); got != c.want {
			t.Errorf("%d: %s, want %s", c.counts, got, c.want)
		}
	}
}

// Seconds keep their digits, with and without a fraction and a time zone.
func TestProfileTimes(t *testing.T) {
	for _, c := range []struct{ typ, value, want string }{
		{"timestamp[ms, tz=UTC]", "2020-01-01T10:20:30.000Z", "2020-01-01T10:20:30Z"},
		{"timestamp[us, tz=America/New_York]", "2020-01-01T10:20:00.000000Z", "2020-01-01T10:20:00Z"},
		{"timestamp[ns, tz=+05:30]", "2020-01-01T10:20:50.120000000Z", "2020-01-01T10:20:50.12Z"},
		{"timestamp[ns]", "2020-01-01T10:20:40.000000000", "2020-01-01T10:20:40"},
		{"timestamp[s, tz=UTC]", "2020-01-01T10:20:40Z", "2020-01-01T10:20:40Z"},
		{"time64[us]", "10:20:30.000000", "10:20:30"},
	} {
		text := writeProfile(t, ProfileOptions{}, &tableprofile.Profile{Rows: 5000, Columns: []tableprofile.Column{measured("t", c.typ, c.value)}})
		for _, want := range []string{"<dt>least<dd>" + c.want + "<", "<dt>greatest<dd>" + c.want + "<", "<dt>" + c.want + "<", "<p class=\"ends\"><span>~" + c.want} {
			if !strings.Contains(text, want) {
				t.Errorf("%s %s: no %s", c.typ, c.value, want)
			}
		}
		x := collected{field: arrow.Field{Type: &arrow.TimestampType{TimeZone: "UTC"}}}
		if got := x.end(c.value); got != c.want {
			t.Errorf("%s of a sample: %s", c.value, got)
		}
	}
}
