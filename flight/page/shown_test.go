package page

import (
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/flight"
)

// numbered writes rows with an id, a number that repeats (null in every seventh row), a text and a list, as CSV would have them,
// in batches.
func numbered(t *testing.T, path string, rows, batch int) {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "k", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "name", Type: arrow.BinaryTypes.String},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8), Nullable: true},
	}, nil)
	var recs []arrow.Record
	for from := 0; from < rows; from += batch {
		b := array.NewRecordBuilder(memory.DefaultAllocator, s)
		for i := from; i < min(rows, from+batch); i++ {
			b.Field(0).(*array.Int64Builder).Append(int64(i))
			if i%7 == 0 {
				b.Field(1).AppendNull()
			} else {
				b.Field(1).(*array.Int32Builder).Append(keyOf(i))
			}
			b.Field(2).(*array.StringBuilder).Append("n" + strconv.Itoa(i))
			b.Field(3).AppendNull()
		}
		rec := b.NewRecord()
		t.Cleanup(rec.Release)
		b.Release()
		recs = append(recs, rec)
	}
	write(t, path, recs...)
}

func keyOf(i int) int32 { return int32(i * 7919 % 1009) }

// sortedIDs are those of numbered rows by k, stable, nulls last.
func sortedIDs(rows int, descending bool, keep func(i int) bool) []int {
	var ids []int
	for i := range rows {
		if keep(i) {
			ids = append(ids, i)
		}
	}
	slices.SortStableFunc(ids, func(a, b int) int {
		switch {
		case a%7 == 0 && b%7 == 0:
			return 0
		case a%7 == 0:
			return 1
		case b%7 == 0:
			return -1
		case descending:
			return int(keyOf(b) - keyOf(a))
		}
		return int(keyOf(a) - keyOf(b))
	})
	return ids
}

var nameCell = regexp.MustCompile(`>n(\d+)</td>`)

func idsOf(body string) (ids []int) {
	for _, m := range nameCell.FindAllStringSubmatch(body, -1) {
		i, _ := strconv.Atoi(m[1])
		ids = append(ids, i)
	}
	return ids
}

func ways(body string) (prev, next string) {
	way := func(rel string) string {
		m := regexp.MustCompile(`<a href="([^"]*)" rel="` + rel + `"`).FindStringSubmatch(body)
		if m == nil {
			return ""
		}
		return html.UnescapeString(m[1])
	}
	return way("prev"), way("next")
}

// Links lead through all rows that a filter leaves, in the order that was asked for, forwards and back.
func TestPaging(t *testing.T) {
	const rows = 1500
	path := filepath.Join(t.TempDir(), "rows.arrow")
	numbered(t, path, rows, 400)
	s := newSite(t, flight.Options{}, map[string]flight.Spec{"d": files(path)})
	keep := func(i int) bool { return i%7 != 0 && keyOf(i) >= 900 }
	var plain []int
	for i := range rows {
		if keep(i) {
			plain = append(plain, i)
		}
	}
	if len(plain) < 120 || len(plain)%rowsAtOnce == 0 {
		t.Fatal(len(plain))
	}
	for query, want := range map[string][]int{
		"where=k+%3E%3D+900":                   plain,
		"where=k+%3E%3D+900&sort=k":            sortedIDs(rows, false, keep),
		"where=k+%3E%3D+900&sort=-k":           sortedIDs(rows, true, keep),
		"where=k+%3E%3D+900&sort=-k&show=name": sortedIDs(rows, true, keep),
		"where=k+%3E%3D+900&show=name&show=k":  plain,
		"sort=k":                               sortedIDs(rows, false, func(int) bool { return true }),
		"sort=-k":                              sortedIDs(rows, true, func(int) bool { return true }),
		"where=id+%3C+1000&sort=k":             sortedIDs(1000, false, func(int) bool { return true }), // as many as fill pages
	} {
		var got []int
		var addresses []string
		at := "/datasets/d/rows?" + query
		for at != "" && len(got) <= len(want) {
			body := s.get(at, 200)
			page := idsOf(body)
			if len(page) != min(rowsAtOnce, len(want)-len(got)) {
				t.Fatalf("%s: %d rows", at, len(page))
			}
			got = append(got, page...)
			prev, next := ways(body)
			if n := len(addresses); n > 0 && !slices.Equal(idsOf(s.get(prev, 200)), idsOf(s.get(addresses[n-1], 200))) {
				t.Errorf("%s: the way back leads to %s", at, prev)
			}
			addresses = append(addresses, at)
			at = next
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, want %d:\n%v\n%v", query, len(got), len(want), got, want)
		}
	}
}

// Pages of sorted rows need no more memory and no more rows at once, however many there are to sort.
func TestSortMany(t *testing.T) {
	const rows = 3*sortRows + 11
	path := filepath.Join(t.TempDir(), "rows.arrow")
	numbered(t, path, rows, 50_000)
	s := newSite(t, flight.Options{}, map[string]flight.Spec{"d": files(path)})
	s.o.Timeout = 5 * 60 * 1e9 // the machine may be busy
	want := sortedIDs(rows, true, func(int) bool { return true })
	for _, from := range []int{0, 9900, maxSorted - rowsAtOnce} {
		body := s.get(fmt.Sprintf("/datasets/d/rows?sort=-k&show=name&from=%d", from), 200)
		if got := idsOf(body); !slices.Equal(got, want[from:from+rowsAtOnce]) {
			t.Errorf("from %d: %v\n%v", from, got, want[from:from+rowsAtOnce])
		}
		if _, next := ways(body); (next == "") != (from == maxSorted-rowsAtOnce) || (next == "") != strings.Contains(body, "Pages of sorted rows end here, behind 10,000 rows") {
			t.Errorf("from %d: next is %q:\n%s", from, next, body)
		}
	}
	contains(t, "sorted rows", s.get("/datasets/d/rows?sort=-k&from=100", 200), "Rows 100 to 149, counted from 0, sorted by k, descending.")
	body := s.get("/datasets/d/rows?sort=-k&from=99999999", 200)
	contains(t, "beyond", body, "Pages of sorted rows end behind row 10,000", "/datasets/d/rows.csv?", "/datasets/d/rows?from=9950&amp;sort=-k")
	contains(t, "beyond a filter", s.get("/datasets/d/rows?sort=-k&where=k+%3E+0&from=999999", 200), "narrow the filter, or download")
	list := s.get("/datasets/d/rows?sort=list", 200)
	if contains(t, "a list", list, `role="alert"`, "Rows cannot be sorted so"); strings.Contains(list, "--sort") {
		t.Error(list)
	}
	contains(t, "no column", s.get("/datasets/d/rows?sort=-nope&show=nix", 200), "There is no column nix.")
}

// A head is a button that leads to an address of its own.
func TestHeads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.arrow")
	numbered(t, path, 10, 10)
	s := newSite(t, flight.Options{}, map[string]flight.Spec{"d": files(path)})
	body := s.get("/datasets/d/rows?sort=k", 200)
	contains(t, "heads", body, `aria-sort="ascending"`, `name="by" value="-k" aria-label="Sort by k, descending"`, `name="by" value="id" aria-label="Sort by id, ascending"`,
		`<input type="hidden" name="sort" value="k">`, "sorted by k, ascending", `<a href="/datasets/d/rows?">Do not sort</a>`)
	if strings.Contains(body, `value="list" aria-label`) {
		t.Error("a list can be sorted by")
	}
	for query, want := range map[string]string{
		"where=id+%3E+3&sort=k&by=-k":                "/datasets/d/rows?sort=-k&where=id+%3E+3",
		"show=k&show=id&by=name&from=3&column=2":     "/datasets/d/rows?show=id&show=k&sort=name",
		"by=nope":                                    "/datasets/d/rows?",
		"show=id&show=k&show=name&show=list&by=id":   "/datasets/d/rows?sort=id",
		"by=id&where=%0d%0aLocation:+//evil.example": "/datasets/d/rows?sort=id&where=Location%3A+%2F%2Fevil.example",
	} {
		if w := s.do("GET", "/datasets/d/rows?"+query, nil); w.Code != 303 || w.Header().Get("Location") != want {
			t.Errorf("%s: %d %q", query, w.Code, w.Header().Get("Location"))
		}
	}
}

// Columns are chosen by name, whatever the names are.
func TestColumns(t *testing.T) {
	dir := t.TempDir()
	names := []string{"plain", `"plain"`, "select", "a.b", "twice", "twice", "", "#2", "-x", "a\nb", strings.Repeat("é", 100), "\u202ex", `<script>`, "A", "a", "&show=x"}
	columns := make([][]string, len(names))
	for i, n := range names {
		columns[i] = []string{n, fmt.Sprintf("v%d", i), fmt.Sprintf("w%d", i)}
	}
	write(t, filepath.Join(dir, "a.arrow"), record(t, columns...))
	s := newSite(t, flight.Options{}, map[string]flight.Spec{"d": files(dir)})
	body := s.get("/datasets/d/rows", 200)
	keys := regexp.MustCompile(`name="show" value="([^"]*)">`).FindAllStringSubmatch(body, -1)
	if len(keys) != len(names) {
		t.Fatalf("%d columns to choose from", len(keys))
	}
	seen := map[string]bool{}
	for i, k := range keys {
		key := html.UnescapeString(k[1])
		seen[key] = true
		body := s.get("/datasets/d/rows?show="+url.QueryEscape(key)+"&sort=-"+url.QueryEscape(key), 200)
		if n := strings.Count(body, "<td"); n != 2 || strings.Index(body, fmt.Sprintf(">w%d<", i)) > strings.Index(body, fmt.Sprintf(">v%d<", i)) || !strings.Contains(body, fmt.Sprintf(">w%d<", i)) {
			t.Errorf("column %d by %q: %d cells\n%s", i, key, n, body)
		}
		if !strings.Contains(body, `value="`+k[1]+`" checked>`) || strings.Count(body, " checked>") != 1 {
			t.Errorf("column %d by %q is not checked", i, key)
		}
		other := (i + 1) % len(keys)
		sorted := s.get("/datasets/d/rows?show="+url.QueryEscape(html.UnescapeString(keys[other][1]))+"&sort=-"+url.QueryEscape(key), 200)
		if strings.Count(sorted, "<td") != 2 || strings.Index(sorted, fmt.Sprintf(">w%d<", other)) > strings.Index(sorted, fmt.Sprintf(">v%d<", other)) {
			t.Errorf("column %d sorted by %q:\n%s", other, key, sorted)
		}
	}
	if len(seen) != len(names) {
		t.Errorf("two columns have one key: %v", seen)
	}
	body = s.get("/datasets/d/rows?show=a.b&show=plain&where=plain+%3D+%27w0%27", 200)
	contains(t, "a choice", body, "Columns: 2 of 16", ">w0<", ">w3<", "rows.csv?show=plain&amp;show=a.b&amp;where=", "2 columns:")
	if strings.Contains(body, ">v0<") || strings.Contains(body, ">w2<") {
		t.Error("what was not asked for")
	}
	contains(t, "no column", s.get("/datasets/d/rows?show="+url.QueryEscape("<b>"), 200), "There is no column &lt;b&gt;.")
}

// Of many columns a few are listed, and others are found by a part of their names; those that are checked stay.
func TestFindColumns(t *testing.T) {
	dir := t.TempDir()
	var columns [][]string
	for i := range 1000 {
		columns = append(columns, []string{fmt.Sprintf("Col %d", i), "v" + strconv.Itoa(i)})
	}
	write(t, filepath.Join(dir, "a.arrow"), record(t, columns...))
	s := newSite(t, flight.Options{}, map[string]flight.Spec{"d": files(dir)})
	box := regexp.MustCompile(`name="show" value="([^"]*)"( checked)?>`)
	for query, want := range map[string]struct {
		boxes, checked int
		says           string
	}{
		"":                                   {60, 0, "The first 60 of 1,000 are listed."},
		"find=col+99":                        {11, 0, "11 columns of 1,000 have it in their names."},
		"find=+COL+999+":                     {1, 0, "1 column of 1,000 has it in its name."},
		"find=9":                             {60, 0, "271 columns of 1,000 have it in their names; the first 60 are listed."},
		"find=nope":                          {0, 0, "0 columns of 1,000 have it in their names."},
		"find=col+99&show=Col+7&show=Col+99": {12, 2, "11 columns of 1,000"},
		"show=Col+999":                       {61, 1, "The first 60 of 1,000"},
		"find=" + strings.Repeat("x", 5000):  {0, 0, "0 columns of 1,000"},
		"find=%3Cb%3E":                       {0, 0, `value="&lt;b&gt;"`},
	} {
		body := s.get("/datasets/d/rows?"+query, 200)
		boxes := box.FindAllStringSubmatch(body, -1)
		checked := 0
		for _, b := range boxes {
			if b[2] != "" {
				checked++
			}
		}
		if len(boxes) != want.boxes || checked != want.checked {
			t.Errorf("%.40s: %d boxes, %d checked", query, len(boxes), checked)
		}
		contains(t, query, body, want.says, `<label for="find">Name has</label>`)
		if open := strings.Contains(body, "<details open><summary>Columns:"); open != (query != "") {
			t.Errorf("%.40s: open: %v", query, open)
		}
	}
	// What is looked for is no part of what is shown.
	if body := s.get("/datasets/d/rows?find=col+99", 200); strings.Contains(body, "find=col") || !strings.Contains(body, ">v39<") {
		t.Error("looking for columns changes rows or addresses")
	}
	few := filepath.Join(t.TempDir(), "few")
	if err := os.Mkdir(few, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(few, "a.arrow"), record(t, columns[:60]...))
	s = newSite(t, flight.Options{}, map[string]flight.Spec{"d": files(few)})
	if body := s.get("/datasets/d/rows", 200); strings.Contains(body, `id="find"`) || strings.Count(body, `name="show"`) != 60 {
		t.Error("60 columns need no search")
	}
}
