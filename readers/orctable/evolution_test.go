package orctable

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/readers/orc"
)

// renamedTable has a column that is called s at first and is renamed then, and another one that is called s from there on. What Hive
// reads in such tables TestHiveEvolution has; here are the same rules, row for row.
func renamedTable(t *testing.T) memTree {
	t.Helper()
	inner := func(second string) arrow.Field {
		return field("n", arrow.StructOf(field("a", i32), field(second, text)))
	}
	return memTree{
		"000000_0": rowsAs(t, []arrow.Field{field("id", i64), field("s", text), inner("b")}, `[{"id": 1, "s": "second 1", "n": {"a": 10, "b": "in 1"}}]`),
		"delta_1_1_0/bucket_00000": eventsOf(t, 1, []arrow.Field{field("id", i64), field("renamed", text), inner("c"), field("v", text)},
			`[{"id": 2, "renamed": "second 2", "n": {"a": 20, "c": "in 2"}, "v": "fourth 2"}, {"id": 3, "renamed": "second 3"}]`),
		"delete_delta_2_2_0/bucket_00000": eventsFile(t, deletes(2, 1, b0, 1), nil),
		"delta_3_3_0/bucket_00000": eventsOf(t, 3, []arrow.Field{field("ID", i64), field("v", text), inner("c"), field("s", text)},
			`[{"ID": 4, "v": "second 4", "n": {"a": 40, "c": "in 4"}, "s": "fourth 4"}]`),
	}
}

// under shows a table under a schema.
func under(t *testing.T, f arrowio.File, by view.Match, fields ...arrow.Field) arrowio.File {
	t.Helper()
	shown, err := view.Show(f, arrow.NewSchema(fields, nil), view.Options{Match: by})
	if err != nil {
		t.Fatal(err)
	}
	return shown
}

func TestRenamedColumns(t *testing.T) {
	m := renamedTable(t)
	name, position := openTable(t, m, Options{}), openTable(t, m, Options{ByPosition: true})
	old, later := []arrow.Field{field("id", i64), field("s", text)}, []arrow.Field{field("id", i64), field("renamed", text)}
	for _, c := range []struct {
		what string
		f    arrowio.File
		want []string
	}{
		{"newest by name", name, []string{
			`{"ID":1,"n":{"a":10,"c":null},"s":"second 1","v":null}`, `{"ID":2,"n":{"a":20,"c":"in 2"},"s":null,"v":"fourth 2"}`, `{"ID":4,"n":{"a":40,"c":"in 4"},"s":"fourth 4","v":"second 4"}`,
		}},
		{"newest by position", position, []string{
			`{"ID":1,"n":{"a":10,"c":null},"s":null,"v":"second 1"}`, `{"ID":2,"n":{"a":20,"c":"in 2"},"s":"fourth 2","v":"second 2"}`, `{"ID":4,"n":{"a":40,"c":"in 4"},"s":"fourth 4","v":"second 4"}`,
		}},
		{"old by name", under(t, name, view.ByName, old...), []string{`{"id":1,"s":"second 1"}`, `{"id":2,"s":null}`, `{"id":4,"s":"fourth 4"}`}},
		{"old by position", under(t, position, view.ByPosition, old...), []string{`{"id":1,"s":"second 1"}`, `{"id":2,"s":"second 2"}`, `{"id":4,"s":"second 4"}`}},
		{"later by name", under(t, name, view.ByName, later...), []string{`{"id":1,"renamed":null}`, `{"id":2,"renamed":"second 2"}`, `{"id":4,"renamed":null}`}},
		{"later by name in any case", under(t, name, view.ByNameFold, field("Id", i64), field("RENAMED", text)), []string{`{"Id":1,"RENAMED":null}`, `{"Id":2,"RENAMED":"second 2"}`, `{"Id":4,"RENAMED":null}`}},
		{"numbers for names", under(t, name, view.ByName, field("_col0", i64), field("_col1", text)), []string{`{"_col0":1,"_col1":"second 1"}`, `{"_col0":2,"_col1":"second 2"}`, `{"_col0":4,"_col1":"second 4"}`}},
		{"old by position, opened by name", under(t, name, view.ByPosition, old...), []string{`{"id":1,"s":"second 1"}`, `{"id":2,"s":"second 2"}`, `{"id":4,"s":"second 4"}`}},
	} {
		if got := linesOf(t, c.f, arrowio.ScanOptions{}); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.what, got, c.want)
		}
	}
}

// Statistics are those of the column that is shown, not of another one that has its name in the file.
func TestFiltersOnRenamedColumns(t *testing.T) {
	m := renamedTable(t)
	name, position := openTable(t, m, Options{}), openTable(t, m, Options{ByPosition: true})
	old, all := []arrow.Field{field("id", i64), field("s", text)}, []arrow.Field{field("w", i64), field("x", text), field("y", arrow.StructOf(field("A", i32))), field("z", text)}
	for _, c := range []struct {
		f      arrowio.File
		filter string
		ids    string
		pruned int64 // rows
	}{
		{position, "v = 'second 1'", "1", 2},
		{position, "v = 'second 2'", "2", 2},
		{position, "s = 'fourth 4'", "4", 2},
		{position, "s = 'second 1'", "", 3},
		{position, "s IS NULL", "1", 1}, // a row of the second file that is deleted has none
		{name, "s = 'second 1'", "1", 2},
		{name, "s IS NULL", "2", 2},
		{name, "v = 'second 1'", "", 3},
		{under(t, position, view.ByPosition, old...), "s = 'second 4'", "4", 2},
		{under(t, position, view.ByPosition, old...), "s = 'fourth 4'", "", 3},
		{under(t, name, view.ByName, old...), "s = 'fourth 4'", "4", 2},
		{under(t, name, view.ByName, old...), "s = 'second 4'", "", 3},
		{under(t, position, view.ByPosition, all...), "x >= 'second 2'", "2 4", 1},
		{under(t, position, view.ByPosition, all...), "y.A = 20", "2", 2},
		{under(t, position, view.ByPosition, all...), "z <> 'fourth 2'", "4", 2},
		{under(t, position, view.ByPosition, all...), "NOT (z = 'fourth 2') OR w = 1", "1 4", 1},
	} {
		x, err := expr.Parse(c.filter)
		if err != nil {
			t.Fatal(err)
		}
		r, err := arrowio.Scan(t.Context(), c.f, arrowio.ScanOptions{Filter: x, Columns: []string{c.f.Schema().Field(0).Name}})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for r.Next() {
			for i := range int(r.Record().NumRows()) {
				ids = append(ids, r.Record().Column(0).ValueStr(i))
			}
		}
		if got := strings.Join(ids, " "); got != c.ids || r.Err() != nil || r.Stats().RowsPruned != c.pruned {
			t.Errorf("%s: rows %q, want %q, %d are pruned, want %d: %v", c.filter, got, c.ids, r.Stats().RowsPruned, c.pruned, r.Err())
		}
		r.Release()
	}
}

// A column of the files that was dropped may have the name that a column of the partitions has now.
func TestDroppedColumnNamedLikePartition(t *testing.T) {
	m := memTree{
		"p=1/delta_1_1_0/bucket_00000": eventsOf(t, 1, []arrow.Field{field("id", i64), field("P", text)}, `[{"id": 1, "P": "9"}]`),
		"p=1/delta_2_2_0/bucket_00000": eventsOf(t, 2, []arrow.Field{field("id", i64)}, `[{"id": 2}]`),
		"p=2/delta_2_2_0/bucket_00000": eventsOf(t, 2, []arrow.Field{field("id", i64)}, `[{"id": 3}]`),
	}
	for _, position := range []bool{false, true} {
		f := openTable(t, m, Options{ByPosition: position})
		for filter, want := range map[string]string{"p = '1'": `{"id":1,"p":"1"} {"id":2,"p":"1"}`, "p = '1' AND id < 2": `{"id":1,"p":"1"}`, "p = '9'": ""} {
			x, err := expr.Parse(filter)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(linesOf(t, f, arrowio.ScanOptions{Filter: x}), " "); got != want {
				t.Errorf("%s: %s", filter, got)
			}
		}
	}
	// By position the columns of the partitions do not count, wherever the schema has them.
	f := openTable(t, m, Options{ByPosition: true, RowIDs: true})
	shown := under(t, f, view.ByPosition, field("P", text), field("x", i64), field(RowIDColumn, rowIDType), field("y", text))
	want := []string{`{"P":"1","x":1,"y":"9"}`, `{"P":"1","x":2,"y":null}`, `{"P":"2","x":3,"y":null}`}
	if got := linesOf(t, shown, arrowio.ScanOptions{Columns: []string{"x", "y", "P"}}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := linesOf(t, shown, arrowio.ScanOptions{Columns: []string{RowIDColumn}}); len(got) != 3 || !strings.Contains(got[0], `"writeid":1`) {
		t.Errorf("%q", got)
	}
}

// Events are matched as Hive does: their own columns and those of the row by position, structs in these by name.
func TestRenamedColumnsOfEvents(t *testing.T) {
	m := renamedTable(t)
	f := openTable(t, m, Options{ByPosition: true, Events: true})
	rows := func(f arrowio.File, filter string) string {
		var x expr.Expr
		if filter != "" {
			var err error
			if x, err = expr.Parse(filter); err != nil {
				t.Fatal(err)
			}
		}
		return strings.Join(linesOf(t, f, arrowio.ScanOptions{Columns: []string{"row"}, Filter: x}), "\n")
	}
	want := `{"row":{"ID":1,"n":{"a":10,"c":null},"s":null,"v":"second 1"}}
{"row":{"ID":2,"n":{"a":20,"c":"in 2"},"s":"fourth 2","v":"second 2"}}
{"row":{"ID":3,"n":null,"s":null,"v":"second 3"}}
{"row":null}
{"row":{"ID":4,"n":{"a":40,"c":"in 4"},"s":"fourth 4","v":"second 4"}}`
	if got := rows(f, ""); got != want {
		t.Errorf("%s", got)
	}
	if got := rows(f, "row.v = 'second 2'"); got != strings.Split(want, "\n")[1] {
		t.Errorf("%s", got)
	}
	shown := under(t, f, view.ByPosition, append(slices.Clone(eventFields), field("r", arrow.StructOf(field("x", i64), field("s", text))))...)
	got := linesOf(t, shown, arrowio.ScanOptions{Columns: []string{"r", "operation"}})
	if len(got) != 5 || got[1] != `{"operation":0,"r":{"s":"second 2","x":2}}` || got[0] != `{"operation":0,"r":{"s":"second 1","x":1}}` {
		t.Errorf("%q", got)
	}
	shown = under(t, openTable(t, m, Options{Events: true}), view.ByName, field("row", arrow.StructOf(field("id", i64), field("s", text))))
	if got := rows(shown, "row.s >= 'a'"); got != `{"row":{"id":1,"s":"second 1"}}`+"\n"+`{"row":{"id":4,"s":"fourth 4"}}` {
		t.Errorf("%s", got)
	}
}

// What is said of columns under a schema is about all files, not about the newest.
func TestWhatIsSaidOfRenamedColumns(t *testing.T) {
	m := renamedTable(t)
	f := openTable(t, m, Options{})
	if w := warnings(f); len(w) != 1 || !strings.HasSuffix(w[0], "not shown: renamed") {
		t.Errorf("%q", w)
	}
	if w := warnings(openTable(t, m, Options{ByPosition: true})); len(w) != 0 {
		t.Errorf("by position: %q", w)
	}
	shown := under(t, f, view.ByName, field("id", i64), field("renamed", text), field("n", arrow.StructOf(field("b", text), field("q", text))), field("none", i64))
	if w := arrowio.WarningsOf(shown); len(w) != 0 {
		t.Errorf("%q", w)
	}
	if a := view.AbsentOf(shown); a.All || !slices.Equal(a.Columns, []string{"n.q", "none"}) {
		t.Errorf("%+v", a)
	}
	only := under(t, f, view.ByName, field("renamed", text))
	if w := arrowio.WarningsOf(only); len(w) != 1 || !strings.HasPrefix(w[0].Text, "000000_0 and 1 more file: no column of the schema") {
		t.Errorf("%q", w)
	}
	none := under(t, f, view.ByName, field("other", text))
	if a := view.AbsentOf(none); !a.All || !a.Catalog || !slices.Equal(a.Has, []string{"ID", "v", "n", "s"}) || len(arrowio.WarningsOf(none)) != 0 {
		t.Errorf("%+v, %q", a, arrowio.WarningsOf(none))
	}

	explain := func(by view.Match, fields ...arrow.Field) string {
		t.Helper()
		out, ok, err := view.ExplainFile(f, arrow.NewSchema(fields, nil), view.Options{Match: by})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		var lines []string
		for _, x := range out {
			line := x.Path + "<" + x.From + " " + x.How
			if x.Files > 0 {
				line += strings.Repeat("+", x.Files) + strings.Repeat("-", x.FilesTotal-x.Files)
			}
			lines = append(lines, line)
		}
		return strings.Join(lines, ", ")
	}
	// Three files have rows, and n has another type in the first.
	if got, want := explain(view.ByPosition, field("x", i64), field("y", text), field("z", arrow.StructOf(field("b", text)))), "x<id as it is++-, x<ID as it is+--, "+
		"y<s as it is+--, y<renamed as it is+--, y<v as it is+--, z<n inside+--, z<n inside++-, z.b<n.b as it is+--, z.b< null++-, "+
		"<n.a left out, <n.c left out++-, <v left out+--, <s left out+--"; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if got, want := explain(view.ByName, field("s", text), field("id", i64)), "s<s as it is++-, s< null+--, id<id as it is++-, id<ID as it is+--, <n left out+--, <renamed left out+--, <n left out++-, <v left out++-"; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}

	info, err := under(t, f, view.ByPosition, field("x", i64), field("y", text)).Info(t.Context(), arrowio.InfoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, c := range info.Columns {
		if columns = append(columns, c.Path); c.Bytes == 0 {
			t.Errorf("%+v", c)
		}
	}
	if got := strings.Join(columns, " "); !strings.HasPrefix(got, "x y ") || strings.Contains(got, "renamed") || slices.ContainsFunc(info.Notes, func(n string) bool { return strings.Contains(n, "not shown") }) {
		t.Errorf("%s, %q", got, info.Notes)
	}
}

// Types that do not fit are refused, with the file and the column.
func TestRenamedColumnsThatDoNotFit(t *testing.T) {
	m := renamedTable(t)
	m["delta_4_4_0/bucket_00000"] = eventsOf(t, 4, []arrow.Field{field("s", text), field("id", i64)}, `[{"s": "x", "id": 5}]`)
	_, err := Open(t.Context(), m, arrowio.Limits{}, Options{ByPosition: true}, orc.Options{})
	if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "delta_1_1_0/bucket_00000") && !strings.Contains(err.Error(), "000000_0") || !strings.Contains(err.Error(), "column id") {
		t.Error(err)
	}
	f := openTable(t, m, Options{})
	if _, err := view.Show(f, arrow.NewSchema([]arrow.Field{field("x", i64), field("y", text)}, nil), view.Options{Match: view.ByPosition}); !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "delta_4_4_0/bucket_00000") || !strings.Contains(err.Error(), "column x") {
		t.Error(err)
	}
	// A table without rows is shown under any schema that its newest file fits.
	empty := openTable(t, memTree{"base_1/bucket_00000": eventsFile(t, nil, nil)}, Options{})
	if got := linesOf(t, under(t, empty, view.ByName, field("s", text), field("q", i64)), arrowio.ScanOptions{}); len(got) > 1 {
		t.Errorf("%q", got)
	}
	if a := view.AbsentOf(under(t, empty, view.ByName, field("s", text), field("q", i64))); !slices.Equal(a.Columns, []string{"q"}) {
		t.Errorf("%+v", a)
	}
}
