package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/race"
)

func write(t *testing.T, files ...File) string {
	t.Helper()
	r := New(Options{Title: "title"})
	for _, f := range files {
		r.Add(f)
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// big is a file of many columns and groups.
func big(columns, groups int, name string) *arrowio.Info {
	info := &arrowio.Info{Format: "orc", Rows: int64(groups), Bytes: int64(columns * groups * 100)}
	for g := range groups {
		info.Groups = append(info.Groups, arrowio.GroupInfo{Rows: arrowio.RowRange{Start: int64(g), End: int64(g + 1)}, Bytes: int64(columns * 100), Detail: name})
	}
	for c := range columns {
		col := arrowio.ColumnInfo{
			Path: fmt.Sprint(name, c), Type: []string{"int64", "utf8"}[c%2], Stored: name, Bytes: int64(groups * 100), Codec: name, Encodings: []string{name, name, name},
			Index: name, Checksum: name, Secret: name, Stats: &arrowio.ColumnStats{Values: int64(groups), Min: name, Max: name},
		}
		for g := range groups {
			col.BlockList = append(col.BlockList, arrowio.BlockInfo{Group: g, Kind: "DATA", Bytes: 100})
			col.GroupStats = append(col.GroupStats, arrowio.ColumnStats{Values: 1, Min: fmt.Sprint(g * c % 977), Max: fmt.Sprint(g*c%977 + 9)})
		}
		info.Columns = append(info.Columns, col)
	}
	return info
}

// However much there is, a report has at most 1 MB, and all of 1,000 columns is in it where names are of a common length.
func TestSize(t *testing.T) {
	long := strings.Repeat("<&\u202e\"'", 100)
	stripes := 1000
	if race.Enabled {
		stripes = 100 // a tenth of the time, and no other goroutine
	}
	for _, c := range []struct {
		name  string
		files []File
		all   int // columns that must be in it
	}{
		{"1,000 columns of 1,000 stripes", []File{{Name: "f", Info: big(1000, stripes, "column ")}}, 1000},
		{"long names", []File{{Name: long, Info: big(1200, 20, long)}}, 0},
		{"many files", func() (out []File) {
			for i := range 1500 {
				out = append(out, File{Name: fmt.Sprint(long, i), Info: &arrowio.Info{Format: long, Members: make([]arrowio.MemberInfo, i%3)}, Error: long})
			}
			return out
		}(), 0},
		{"long texts", []File{{Name: "f", Info: &arrowio.Info{Notes: repeat(long+long+long, 5000), Facts: make([]arrowio.Fact, 5000)}, Warnings: make([]arrowio.Warning, 5000)}}, 0},
	} {
		text := write(t, c.files...)
		if len(text) > maxBytes {
			t.Errorf("%s: %d bytes", c.name, len(text))
		}
		if n := strings.Count(text, `<tr id="c`); n < c.all {
			t.Errorf("%s: %d columns", c.name, n)
		}
	}
}

func repeat(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

// What a report leaves out it says, with how much that is.
func TestLeftOut(t *testing.T) {
	info := big(60, 1000, "c")
	info.Columns[0].Encodings = repeat("E", 11)
	info.Notes, info.Facts, info.Metadata = repeat("note", 103), make([]arrowio.Fact, 102), map[string][]byte{"k": nil}
	var fields []arrow.Field
	for i := range 9000 {
		fields = append(fields, arrow.Field{Name: fmt.Sprint("field", i), Type: arrow.PrimitiveTypes.Int64})
	}
	schema := arrow.NewSchema(fields, nil)
	f := File{
		Name: "f", Info: info, Schema: schema, Warnings: make([]arrowio.Warning, 105), Sample: NewCollector(schema).Sample(0, true),
		Filter: &Filter{Units: make([]arrowio.PlanInfo, 204)}, Verdict: &Verdict{Faults: []string{"x"}, FaultsOf: 3},
	}
	text := write(t, f)
	for _, want := range []string{
		"of 1,000 stripes, in 40 bands", "17 that follow one another as one;", "The first 200 of 1,000.", ", 3 more</td>", "Left out: 3 notes more.", "Left out: 2 pairs more.", "Left out: 5 warnings more.",
		"Left out: 4 parts more.", "The first 1 of 3.", "of 9,000 columns.", "more lines left out)", "Columns too small to be seen are drawn together.", "The largest first.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	var files []File
	for i := range 210 {
		files = append(files, File{
			Name: fmt.Sprintf("t/k=%d/x", i), Info: &arrowio.Info{Format: "orc", Bytes: 1, Rows: 1}, Schema: arrow.NewSchema([]arrow.Field{{Name: "a", Type: &arrow.FixedSizeBinaryType{ByteWidth: 1 + i%9}}}, nil),
		})
	}
	text = write(t, files...)
	for _, want := range []string{"<h1>title: 210 files</h1>", "The first 200 of 210.", "; and 3 more types</td>", "In the list only: 198 more files."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}

// What comes from files reaches the page as text only, and nothing of the page comes from elsewhere.
func TestHostile(t *testing.T) {
	bad := `<script>alert(1)</script>"><img src=x onerror=alert(2)>` + "\u202e\x1b]0;x\x07\x00'"
	info := big(20, 5, bad)
	info.Version, info.Writer, info.Format = bad, bad, bad
	info.Metadata = map[string][]byte{bad: []byte(bad)}
	info.Facts, info.Notes = []arrowio.Fact{{Name: bad, Value: bad}}, []string{bad}
	info.Members = []arrowio.MemberInfo{{Kind: bad, Name: bad, ID: bad, State: bad, Detail: bad, Open: []arrowio.Choice{{Option: bad, Value: bad}}}}
	f := File{
		Name: bad, Info: info, Error: bad, Warnings: []arrowio.Warning{arrowio.Warnf(arrowio.WarnDoubt, bad)}, Unread: bad,
		Schema:  arrow.NewSchema([]arrow.Field{{Name: bad, Type: arrow.StructOf(arrow.Field{Name: bad, Type: arrow.BinaryTypes.String})}}, nil),
		Verdict: &Verdict{Said: bad, Faults: []string{bad}, FaultsOf: 1},
		Filter:  &Filter{Text: bad, Reads: bad, Units: []arrowio.PlanInfo{{Unit: bad, By: []string{bad}}}, Names: []string{bad}},
		Sample:  &Sample{Rows: 1, Columns: []SampleColumn{{Name: bad, Type: bad, Low: bad, High: bad, Bins: []int64{1, 2}, Top: []Value{{bad, 2}}}}},
	}
	for n := 1; n <= 2; n++ {
		text := write(t, []File{f, f}[:n]...)
		for _, never := range []string{"<script", "<img", "\u202e", "\x1b", "\x07", "\x00"} {
			if i := strings.Index(text, never); i >= 0 {
				t.Errorf("%q is in it: %q", never, text[max(0, i-100):i+50])
			}
		}
		if !strings.Contains(text, "&lt;script&gt;alert(1)") || !strings.Contains(text, `\u{202e}`) {
			t.Error("the names are not in it")
		}
		if m := regexp.MustCompile(`(?i)\s(src|href)="[^#]|url\(|@import|https?:`).FindString(text); m != "" {
			t.Errorf("it refers to something else: %q", m)
		}
	}
}

// The content security policy allows the style sheet that is in the page, and nothing else.
func TestPolicy(t *testing.T) {
	text := write(t, File{Name: "f", Info: big(2, 2, "c")})
	style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(text)
	policy := regexp.MustCompile(`Content-Security-Policy" content="(.*?)"`).FindStringSubmatch(text)
	if style == nil || policy == nil {
		t.Fatal("no style or no policy")
	}
	sum := sha256.Sum256([]byte(style[1]))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if got := html.UnescapeString(policy[1]); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if strings.Contains(text, " style=") || strings.Contains(text, " onclick") {
		t.Error("a style or a handler outside of the style sheet")
	}
}

// findings are the advice for a file, by kind.
func findings(info *arrowio.Info) string {
	var out []string
	for _, f := range condense(File{Name: "f", Info: info}).findings {
		out = append(out, f.Kind+": "+f.What)
	}
	return strings.Join(out, "\n")
}

// Each advice is given on one side of its threshold, and not on the other.
func TestAdvice(t *testing.T) {
	group := func(n int, bytes, rows, index int64) (out []arrowio.GroupInfo) {
		for i := range n {
			out = append(out, arrowio.GroupInfo{Rows: arrowio.RowRange{Start: int64(i) * rows, End: int64(i+1) * rows}, Bytes: bytes, Index: index})
		}
		return out
	}
	uneven := group(5, 64<<20, 1000, 0)
	uneven[4].Rows.End += 3000
	even := group(5, 64<<20, 1000, 0)
	even[4].Rows.End += 2999
	bounds := func(low, step, width int) (out []arrowio.ColumnStats) {
		for i := range 8 {
			out = append(out, arrowio.ColumnStats{Values: 10, Min: fmt.Sprint(low + step*i), Max: fmt.Sprint(low + step*i + width)})
		}
		return out
	}
	one := func(c arrowio.ColumnInfo) []arrowio.ColumnInfo { return []arrowio.ColumnInfo{c} }
	wide := func(n int) (out []arrowio.ColumnInfo) {
		for i := range n {
			out = append(out, arrowio.ColumnInfo{Path: fmt.Sprint("c", i), Bytes: 1})
		}
		out[0].Bytes = 1000
		return out
	}
	nested := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64)}, arrow.Field{Name: "long", Type: arrow.PrimitiveTypes.Int64})}}, nil)
	const mib = 1 << 20
	for _, c := range []struct {
		name string
		info arrowio.Info
		want string // part of the advice
		not  bool   // it must not be given
	}{
		{"stripes of 2 MB", arrowio.Info{Format: "orc", Groups: group(64, 2*mib, 1000, 0)}, "advice: stripes are small: 2.0\u00a0MiB on average", false},
		{"stripes of 8 MB", arrowio.Info{Format: "orc", Groups: group(64, 8*mib, 1000, 0)}, "are small", true},
		{"a small file", arrowio.Info{Format: "orc", Groups: group(2, mib, 1000, 0)}, "are small", true},
		{"a stripe of 2 GB", arrowio.Info{Format: "orc", Groups: group(2, 2<<30, 1000, 0)}, "the largest stripe has 2.0\u00a0GiB", false},
		{"uneven", arrowio.Info{Format: "parquet", Groups: uneven}, "row groups are uneven: the largest has 4,000 rows, the one in the middle 1,000", false},
		{"not so uneven", arrowio.Info{Format: "parquet", Groups: even}, "uneven", true},
		{"indexes", arrowio.Info{Format: "orc", Groups: group(2, 64*mib, 1000, 7*mib)}, "indexes are 10.9\u00a0% of the bytes", false},
		{"fewer indexes", arrowio.Info{Format: "orc", Groups: group(2, 64*mib, 1000, 6*mib)}, "indexes are", true},
		{"no codec", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "a", Bytes: mib, Codec: "none"})}, "no codec: 100.0\u00a0% of the bytes", false},
		{"little without", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "a", Bytes: mib - 1, Codec: "none"})}, "no codec", true},
		{"zlib", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "a", Bytes: mib, Codec: "zlib"})}, "codec", true},
		{"a codec in vain", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "a", Bytes: 2 * mib, RawBytes: 2*mib + 1, Codec: "zlib"})}, "a codec that does nothing: a", false},
		{"a codec", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "a", Bytes: 2 * mib, RawBytes: 3 * mib, Codec: "zlib"})}, "does nothing", true},
		{"no dictionary", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "a", Type: "utf8", Bytes: mib, Codec: "zlib", Encodings: []string{"DIRECT_V2"}})}, "no dictionary is used", false},
		{"a dictionary", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "a", Type: "utf8", Bytes: mib, Codec: "zlib", Encodings: []string{"DICTIONARY_V2"}})}, "no dictionary", true},
		{"90 %", arrowio.Info{Columns: wide(20)}, "good: 1 of 20 columns hold 98.1\u00a0% of the bytes: c0", false},
		{"few columns", arrowio.Info{Columns: wide(7)}, "of the bytes", true},
		{"sorted", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "a", Type: "int64", Bytes: 10, GroupStats: bounds(0, 10, 9)})}, "good: sorted by a", false},
		{"look up", arrowio.Info{Groups: group(8, 64*mib, 10, 0), Columns: one(arrowio.ColumnInfo{Path: "a", Type: "int64", Bytes: 512 * mib, Codec: "zlib", GroupStats: bounds(0, 0, 900)})}, "no bloom filters, and statistics do not help to look up a", false},
		{"look up by bloom filters", arrowio.Info{Groups: group(8, 64*mib, 10, 0), Columns: one(arrowio.ColumnInfo{Path: "a", Type: "int64", Index: "bloom filters", Bytes: 512 * mib, Codec: "zlib", GroupStats: bounds(0, 0, 900)})}, "bloom", true},
		{"no statistics", arrowio.Info{Groups: group(1, mib, 10, 0), Columns: one(arrowio.ColumnInfo{Path: "a", Type: "int64", Bytes: 1})}, "no statistics", false},
		{"statistics", arrowio.Info{Groups: group(1, mib, 10, 0), Columns: one(arrowio.ColumnInfo{Path: "a", Type: "int64", Bytes: 1, Stats: &arrowio.ColumnStats{Values: 1, Min: "1", Max: "2"}})}, "no statistics", true},
		{"a list without statistics", arrowio.Info{Groups: group(1, mib, 10, 0), Columns: one(arrowio.ColumnInfo{Path: "l.item", Type: "int64", Parent: "l", Bytes: 1})}, "no statistics", true},
		{"look up in a list", arrowio.Info{Groups: group(8, 64*mib, 10, 0), Columns: one(arrowio.ColumnInfo{Path: "l.item", Parent: "l", Type: "int64", Bytes: 512 * mib, Codec: "zlib", GroupStats: bounds(0, 0, 900)})}, "look up", true},
		{"look up in a list of Parquet", arrowio.Info{Schema: nested, Groups: group(8, 64*mib, 10, 0), Columns: one(arrowio.ColumnInfo{Path: "s.l.list.element", Type: "int64", Bytes: 512 * mib, Codec: "zlib", GroupStats: bounds(0, 0, 900)})}, "look up", true},
		{"look up in a struct", arrowio.Info{Schema: nested, Groups: group(8, 64*mib, 10, 0), Columns: one(arrowio.ColumnInfo{Path: "s.long", Type: "int64", Bytes: 512 * mib, Codec: "zlib", GroupStats: bounds(0, 0, 900)})}, "look up s.long", false},
		{"sorted in a list", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "l.item", Parent: "l", Type: "int64", Bytes: 10, GroupStats: bounds(0, 10, 9)})}, "sorted", true},
		{"doubts in a list", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "l.item", Parent: "l", Type: "int64", Stats: &arrowio.ColumnStats{Doubt: "HIVE-1"}})}, "do not trust", true},
		{"no dictionary in a list", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "l.item", Parent: "l", Type: "utf8", Bytes: mib, Codec: "zlib", Encodings: []string{"DIRECT_V2"}})}, "no dictionary", true},
		{"only nulls in a list", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "l.item", Parent: "l", Type: "int64", Stats: &arrowio.ColumnStats{Nulls: 9}})}, "only nulls", true},
		{"one value in a list", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "l.item", Parent: "l", Type: "int64", Stats: &arrowio.ColumnStats{Values: 9, Min: "4", Max: "4"}})}, "one value", true},
		{"masked", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "a", Type: "int64", Secret: `key "k" version 0, masked by nullify`})}, "encrypted, and shown masked: a", false},
		{"bad checksum", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "a", Type: "int64", Checksum: "crc32c", Verdict: "1 of 2 blocks differ"})}, "bad: checksums do not match: a: 1 of 2 blocks differ", false},
		{"good checksum", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "a", Type: "int64", Checksum: "crc32c", Verdict: "ok"})}, "checksums", true},
		{"only nulls", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "a", Type: "int64", Stats: &arrowio.ColumnStats{Nulls: 9}})}, "only nulls: a", false},
		{"one value", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "a", Type: "int64", Stats: &arrowio.ColumnStats{Values: 9, Min: "4", Max: "4"}})}, "one value in all rows: a", false},
		{"one value and nulls", arrowio.Info{Columns: one(arrowio.ColumnInfo{Path: "a", Type: "int64", Stats: &arrowio.ColumnStats{Values: 9, Nulls: 1, Min: "4", Max: "4"}})}, "one value", true},
	} {
		got := findings(&c.info)
		if strings.Contains(got, c.want) == c.not {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// The list of columns says why bounds are not to be relied upon.
func TestDoubtIsListed(t *testing.T) {
	r := New(Options{})
	r.Add(File{Name: "x.orc", Info: &arrowio.Info{Format: "orc", Columns: []arrowio.ColumnInfo{{Path: "t", Type: "timestamp[ns]", Stats: &arrowio.ColumnStats{Values: 9, Min: "1900-05-05", Max: "1969-05-05", Doubt: "moments in UTC"}}}}})
	var page strings.Builder
	if err := r.Write(&page); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), `<th scope="col">Doubt</th>`) || !strings.Contains(page.String(), `<td class="wide">moments in UTC</td>`) {
		t.Error("no doubt in the list of columns")
	}
}

// Several files: sizes, skew, columns that differ, directories KEY=VALUE.
func TestDataset(t *testing.T) {
	schema := func(fields ...arrow.Field) *arrow.Schema { return arrow.NewSchema(fields, nil) }
	a, b := arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String}
	var files []File
	for i := range 10 {
		files = append(files, File{
			Name: fmt.Sprintf("t/day=%d/x.orc", i%2), Info: &arrowio.Info{Format: "orc", Rows: 10, Bytes: 1000}, Schema: schema(a, b),
		})
	}
	files[3].Info.Bytes = 9000
	files[4].Schema = schema(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64}, b)
	files[5].Schema = schema(a)
	files = append(files, File{Name: "t/day=1/bad.orc", Error: "it is damaged"})
	r := New(Options{})
	for _, f := range files {
		r.Add(f)
	}
	d := r.dataset(levels[0], r.common())
	if d.Files != 11 || d.Failed != 1 || d.Bytes != 18_000 || d.Rows != 100 || d.Formats != "orc" {
		t.Errorf("%+v", d)
	}
	if d.Lines[0].Name != "day=1/x.orc" || d.Lines[0].Bytes != 9000 || d.Lines[0].Share != "50.0\u00a0%" || d.Lines[10].Trouble != "cannot be read" {
		t.Errorf("%+v", d.Lines)
	}
	if want := "[{a [{int32 9 day=0/x.orc} {int64 1 day=0/x.orc}] 0 0} {b [{utf8 9 day=0/x.orc}] 0 1}]"; fmt.Sprint(d.Drift) != want {
		t.Errorf("%v, want %s", d.Drift, want)
	}
	if want := "[{day=0 5 50 5000 27.8\u00a0%} {day=1 5 50 13000 72.2\u00a0%}]"; fmt.Sprint(d.Keys) != want {
		t.Errorf("%v, want %s", d.Keys, want)
	}
	var said []string
	for _, f := range d.Findings {
		said = append(said, f.What)
	}
	for _, want := range []string{"1 file cannot be read", "files are small: 1.8\u00a0KiB on average", "files are uneven: the largest has 8.8\u00a0KiB, the one in the middle 1000\u00a0B", "2 columns differ between files"} {
		if !strings.Contains(strings.Join(said, "\n"), want) {
			t.Errorf("no %q in %q", want, said)
		}
	}
}
