package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/arrowcheck"
)

// table makes a directory of csv files, one row "x" each, named by their number.
func table(t *testing.T, dirs ...string) string {
	t.Helper()
	root := t.TempDir()
	for i, d := range dirs {
		put(t, filepath.Join(root, filepath.FromSlash(d), fmt.Sprintf("f%d.csv", i)), fmt.Sprintf("x\n%d\n", i))
	}
	return root
}

func openTable(t *testing.T, o Options, paths ...string) *Dataset {
	t.Helper()
	d, err := OpenAll(t.Context(), paths, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func columnsOf(s *arrow.Schema) string {
	var out []string
	for _, f := range s.Fields() {
		out = append(out, f.Name+":"+f.Type.String())
	}
	return strings.Join(out, " ")
}

func parse(t *testing.T, text string) expr.Expr {
	t.Helper()
	e, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// scanRows reads rows as lines, with a checked allocator.
func scanRows(t *testing.T, d *Dataset, o arrowio.ScanOptions) string {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	o.Allocator = mem
	s, err := d.Scan(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	var b strings.Builder
	for s.Next() {
		rec := s.Record()
		if err := arrowcheck.Record(rec); err != nil {
			t.Error(err)
		}
		for i := range int(rec.NumRows()) {
			for k, c := range rec.Columns() {
				if k > 0 {
					b.WriteByte(' ')
				}
				b.WriteString(c.ValueStr(i))
			}
			b.WriteByte('\n')
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPartitionTypes(t *testing.T) {
	const null = nullPartition
	for _, c := range []struct {
		values []string
		types  string
		want   string // type, then values
	}{
		{[]string{"1", "-20", "9223372036854775807"}, "", "int64 -20 1 9223372036854775807"},
		{[]string{"1", "9223372036854775808"}, "", "utf8 1 9223372036854775808"},
		{[]string{"01", "2"}, "", "utf8 01 2"},
		{[]string{"+1"}, "", "utf8 +1"},
		{[]string{"-0"}, "", "utf8 -0"},
		{[]string{"1.0", "2"}, "", "utf8 1.0 2"},
		{[]string{"2024-02-29", "1969-12-31"}, "", "date32 1969-12-31 2024-02-29"},
		{[]string{"2023-02-29"}, "", "utf8 2023-02-29"},
		{[]string{"2024-2-9"}, "", "utf8 2024-2-9"},
		{[]string{"2024-01-01", "5"}, "", "utf8 2024-01-01 5"},
		{[]string{null, "7"}, "", "int64 7 (null)"},
		{[]string{null, "2024-01-01"}, "", "date32 2024-01-01 (null)"},
		{[]string{null}, "", "utf8 (null)"},
		{[]string{""}, "", "utf8 "},
		{[]string{"a=b", "c"}, "", "utf8 a=b c"},
		{[]string{"a%20b%2Fc%3A", "%C3%BC", "100%", "%zz%41"}, "", "utf8 %zzA 100% a b/c: ü"},
		{[]string{"1", "2"}, "k=utf8", "utf8 1 2"},
		{[]string{"1", "2"}, "k=int32", "int32 1 2"},
		{[]string{"01", "2", null}, "k=int64", "int64 1 2 (null)"},
		{[]string{"2024-01-01"}, "k=string", "utf8 2024-01-01"},
		{[]string{null}, "k=date", "date32 (null)"},
	} {
		o := Options{Formats: formats()}
		if c.types != "" {
			var err error
			if o.Partitions.Types, err = PartitionTypes(c.types); err != nil {
				t.Fatal(err)
			}
		}
		var dirs []string
		for _, v := range c.values {
			dirs = append(dirs, "k="+v)
		}
		d := openTable(t, o, table(t, dirs...))
		rows := strings.Split(strings.TrimSuffix(scanRows(t, d, arrowio.ScanOptions{Columns: []string{"k"}}), "\n"), "\n")
		slices.Sort(rows)
		if i := slices.Index(rows, "(null)"); i >= 0 {
			rows = append(slices.Delete(rows, i, i+1), "(null)")
		}
		if strings.HasPrefix(c.want, "int64 -20") {
			rows[0], rows[1] = rows[slices.Index(rows, "-20")], "1"
		}
		if got := d.Schema.Field(1).Type.String() + " " + strings.Join(rows, " "); got != c.want {
			t.Errorf("%v %s: got %q, want %q", c.values, c.types, got, c.want)
		}
		if f := d.Schema.Field(1); f.Name != "k" || !f.Nullable {
			t.Errorf("%v", f)
		}
	}
	for _, bad := range []string{"", "k", "=int64", "k=int7", "k=int64,", "k=int64,j"} {
		if _, err := PartitionTypes(bad); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	got, err := PartitionTypes("a=int32,b=c=date32")
	if err != nil || len(got) != 2 || got["b=c"] != arrow.FixedWidthTypes.Date32 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestPartitions(t *testing.T) {
	root := table(t, "y=2023/m=11", "y=2023/m=12", "y=2024/m=1", "y="+nullPartition+"/m=2")
	put(t, filepath.Join(root, "_tmp", "y=1", "m=1", "f.csv"), "x\n9\n")
	put(t, filepath.Join(root, "y=2024", "_SUCCESS"), "")
	d := openTable(t, Options{Formats: formats()}, root)
	if got := columnsOf(d.Schema); got != "x:int64 y:int64 m:int64" {
		t.Error(got)
	}
	const all = "0 2023 11\n1 2023 12\n2 2024 1\n3 (null) 2\n"
	for _, jobs := range []int{1, 4} {
		if got := scanRows(t, d, arrowio.ScanOptions{Parallelism: jobs}); got != all {
			t.Errorf("got\n%s", got)
		}
		if got := scanRows(t, d, arrowio.ScanOptions{Parallelism: jobs, Columns: []string{"m", "x"}}); got != "11 0\n12 1\n1 2\n2 3\n" {
			t.Errorf("got\n%s", got)
		}
		if got := scanRows(t, d, arrowio.ScanOptions{Parallelism: jobs, Columns: []string{"y"}, Rows: arrowio.RowRange{Start: 1, End: 3}}); got != "2023\n2024\n" {
			t.Errorf("got\n%s", got)
		}
		if got := scanRows(t, d, arrowio.ScanOptions{Parallelism: jobs, Columns: []string{}}); strings.Count(got, "\n") != 4 {
			t.Errorf("got\n%s", got)
		}
	}
	// Below a directory of its own a key is none; a file named by itself has none; a pattern begins where it is one.
	for path, want := range map[string]string{
		"y=2023":                 "x:int64 m:int64",
		"y=2023/m=11/f0.csv":     "x:int64",
		"y=*/m=1*":               "x:int64 y:int64 m:int64",
		"y=2023/m=1[12]/*.csv":   "x:int64 m:int64",
		"y=202[34]/m=1/f2.csv":   "x:int64 y:int64 m:int64",
		"y=2023/m=11/f[0-9].csv": "x:int64",
	} {
		if got := columnsOf(openTable(t, Options{Formats: formats()}, filepath.Join(root, filepath.FromSlash(path))).Schema); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := columnsOf(openTable(t, Options{Formats: formats(), Partitions: Partitions{Off: true}}, root).Schema); got != "x:int64" {
		t.Errorf("off: %s", got)
	}
	// Several roots of one table.
	other := table(t, "y=1/m=1")
	if got := scanRows(t, openTable(t, Options{Formats: formats()}, root, other), arrowio.ScanOptions{}); got != all+"0 1 1\n" {
		t.Errorf("got\n%s", got)
	}
	// A key may begin with an underscore.
	if got := columnsOf(openTable(t, Options{Formats: formats()}, table(t, "_p=1")).Schema); got != "x:int64 _p:int64" {
		t.Error(got)
	}
	if _, err := OpenAll(t.Context(), []string{table(t, "_p=1")}, Options{Formats: formats(), Partitions: Partitions{Off: true}}); !errors.Is(err, errs.ErrUnsupported) {
		t.Error(err)
	}
	// Directories between that are no keys mean nothing; names are unescaped too.
	if got := columnsOf(openTable(t, Options{Formats: formats()}, table(t, "a/k%3D=1/b/j=2", "c/d/k%3D=2/j=3")).Schema); got != "x:int64 k=:int64 j:int64" {
		t.Error(got)
	}
}

func TestPartitionMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		dirs []string
		o    Partitions
		say  []string
		is   error
	}{
		"depth":     {[]string{"a=1/b=1", "a=2"}, Partitions{}, []string{"a=2", "f1.csv", "f0.csv", "a, b", "--partitions=none"}, errs.ErrSchema},
		"none":      {[]string{"a=1", "z"}, Partitions{}, []string{"f1.csv", "none"}, errs.ErrSchema},
		"order":     {[]string{"a=1/b=1", "b=2/a=2"}, Partitions{}, []string{"b=2", "a, b", "b, a"}, errs.ErrSchema},
		"names":     {[]string{"a=1", "b=1"}, Partitions{}, []string{"f1.csv"}, errs.ErrSchema},
		"twice":     {[]string{"a=1/a=2"}, Partitions{}, []string{`"a"`, "f0.csv"}, errs.ErrSchema},
		"type":      {[]string{"a=1", "a=x"}, Partitions{Types: map[string]arrow.DataType{"a": arrow.PrimitiveTypes.Int64}}, []string{"a=x", "f1.csv", "int64"}, errs.ErrSchema},
		"range":     {[]string{"a=3000000000"}, Partitions{Types: map[string]arrow.DataType{"a": arrow.PrimitiveTypes.Int32}}, []string{"int32"}, errs.ErrSchema},
		"no date":   {[]string{"a=2024-13-01"}, Partitions{Types: map[string]arrow.DataType{"a": arrow.FixedWidthTypes.Date32}}, []string{"date32"}, errs.ErrSchema},
		"bytes":     {[]string{"a=%FF"}, Partitions{}, []string{"UTF-8", "f0.csv"}, errs.ErrSchema},
		"no key":    {[]string{"a=1"}, Partitions{Types: map[string]arrow.DataType{"b": arrow.PrimitiveTypes.Int32}}, []string{`"b"`, "only a"}, errs.ErrOption},
		"no keys":   {[]string{"z"}, Partitions{Types: map[string]arrow.DataType{"b": arrow.PrimitiveTypes.Int32}}, []string{"KEY=VALUE"}, errs.ErrOption},
		"empty key": {[]string{"=1", "a=1"}, Partitions{}, []string{"f0.csv"}, errs.ErrSchema},
	} {
		_, err := OpenAll(t.Context(), []string{table(t, c.dirs...)}, Options{Formats: formats(), Partitions: c.o})
		if !errors.Is(err, c.is) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, s := range c.say {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %q does not tell %q", name, err, s)
			}
		}
	}
}

// counted is csv, of which it is known which files were opened.
func counted() (arrowio.Format, func() string) {
	var opened []string
	f := arrowio.Format{Name: "csv", Extensions: []string{".csv"}}
	all := formats()
	csv := all[slices.IndexFunc(all, func(f arrowio.Format) bool { return f.Name == "csv" })]
	f.Open = func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
		opened = append(opened, strings.TrimSuffix(filepath.Base(o.Name), ".csv"))
		return csv.Open(ctx, src, o)
	}
	return f, func() string {
		s := strings.Join(opened, " ")
		opened = nil
		return s
	}
}

// A filter on columns of directories leaves whole files unopened: by scans of a dataset that was made for anything, and
// from the start by one that was made for the filter.
func TestPartitionPruning(t *testing.T) {
	root := table(t, "d=2024-01-01/k=a", "d=2024-01-01/k=b", "d=2024-01-02/k=a", "d="+nullPartition+"/k=b", "d=2024-01-03/k="+nullPartition)
	f, opened := counted()
	o := Options{Formats: []arrowio.Format{f}}
	d := openTable(t, o, root)
	if got := columnsOf(d.Schema); got != "x:int64 d:date32 k:utf8" || opened() != "f0 f1 f2 f4 f3" {
		t.Error(got)
	}
	rows := []string{"0 2024-01-01 a", "1 2024-01-01 b", "2 2024-01-02 a", "4 2024-01-03 (null)", "3 (null) b"}
	for filter, want := range map[string]string{ // which rows, and which files are opened for them
		"d = '2024-01-01'":                  "0 1",
		"d = DATE '2024-01-01'":             "0 1",
		"NOT d = '2024-01-01'":              "2 4",
		"d < '2024-01-02' AND k = 'b'":      "1",
		"d < '2024-01-02' OR k = 'b'":       "0 1 3",
		"d IN ('2024-01-02', '2024-01-03')": "2 4",
		"k LIKE 'a%'":                       "0 2",
		"k IS NULL":                         "4",
		"NOT (k IS NULL OR d IS NULL)":      "0 1 2",
		"d = '1999-01-01'":                  "",
		"NOT (d = '2024-01-01' OR x = 2)":   "4 : 2",
		"d = '2024-01-01' AND x = 1":        "1 : 0",
		"x = 3":                             "3 : 0 1 2 4",
		"x = 3 OR d = '2024-01-02'":         "2 3 : 0 1 4",
		"x = 3 AND NOT d IS NULL":           " : 0 1 2 4",
		"NOT (x = 3 AND d IS NULL)":         "0 1 2 4 : 3",
	} {
		e := parse(t, filter)
		keep, also, _ := strings.Cut(want, " : ")
		if rest, ok := strings.CutPrefix(want, " : "); ok {
			keep, also = "", rest
		}
		wantRows := ""
		var wantOpened []string
		for _, r := range rows {
			if slices.Contains(strings.Fields(keep), r[:1]) {
				wantRows += r + "\n"
			}
			if slices.Contains(strings.Fields(keep+" "+also), r[:1]) {
				wantOpened = append(wantOpened, "f"+r[:1])
			}
		}
		if got := scanRows(t, d, arrowio.ScanOptions{Filter: e, Parallelism: 1}); got != wantRows {
			t.Errorf("%s: got\n%s", filter, got)
		}
		if got := opened(); got != strings.Join(wantOpened, " ") {
			t.Errorf("%s: opened %s", filter, got)
		}
		o := o
		o.Filter = e
		d := openTable(t, o, root)
		if len(wantOpened) == 0 {
			wantOpened = []string{"f0"} // for its schema
		}
		if got := opened(); got != strings.Join(wantOpened, " ") {
			t.Errorf("%s: the dataset opened %s", filter, got)
		}
		if got := columnsOf(d.Schema); got != "x:int64 d:date32 k:utf8" {
			t.Errorf("%s: %s", filter, got)
		}
		if got := scanRows(t, d, arrowio.ScanOptions{Filter: e}); got != wantRows {
			t.Errorf("%s: got\n%s", filter, got)
		}
		opened()
	}
	// Rows are counted before the filter, so that every file must be opened.
	got := scanRows(t, d, arrowio.ScanOptions{Filter: parse(t, "k = 'a'"), Rows: arrowio.RowRange{Start: 1, End: 5}, Parallelism: 1})
	if got != "2 2024-01-02 a\n" || opened() != "f0 f1 f2 f4 f3" {
		t.Errorf("rows: %s", got)
	}
	for _, bad := range []string{"d = 'x'", "k > 5"} {
		o := o
		o.Filter = parse(t, bad)
		_, err := OpenAll(t.Context(), []string{root}, o)
		if err == nil {
			var d *Dataset
			if d, err = OpenAll(t.Context(), []string{root}, o); err == nil {
				_, err = d.Scan(t.Context(), arrowio.ScanOptions{Filter: o.Filter})
			}
		}
		if err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// Files that a filter does not need count for the schema where something is asked for that only they have.
func TestPartitionPruningAndSchemas(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "p=1", "a.csv"), "x,old\n1,o\n")
	put(t, filepath.Join(root, "p=2", "b.csv"), "x,new\n2,n\n")
	o := Options{Formats: formats(), Filter: parse(t, "p = 2")}
	if got := columnsOf(openTable(t, o, root).Schema); got != "x:int64 new:utf8 p:int64" {
		t.Error(got)
	}
	o.Columns = []string{"old", "p"}
	d := openTable(t, o, root)
	if got := columnsOf(d.Schema); got != "x:int64 old:utf8 new:utf8 p:int64" {
		t.Error(got)
	}
	if got := scanRows(t, d, arrowio.ScanOptions{Filter: o.Filter, Columns: o.Columns}); got != "(null) 2\n" {
		t.Error(got)
	}
	o = Options{Formats: formats(), Filter: parse(t, "p = 2 AND old IS NULL")}
	if got := scanRows(t, openTable(t, o, root), arrowio.ScanOptions{Filter: o.Filter}); got != "2 (null) n 2\n" {
		t.Error(got)
	}
}

// A column of the same name in a file is left out, with a word about it; its place is behind all of the files'.
func TestPartitionShadows(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "p=1", "a.csv"), "p,x\nwrong,1\n")
	put(t, filepath.Join(root, "p=2", "b.csv"), "x\n2\n")
	put(t, filepath.Join(root, "p=3", "c.csv"), "x,p\n3,4.5\n") // of another type, which does not matter then
	var told []string
	o := Options{Formats: formats(), Warn: func(w arrowio.Warning) { told = append(told, filepath.Base(w.File)+": "+w.Text) }, Columns: []string{"x", "p"}}
	d := openTable(t, o, root)
	if got := columnsOf(d.Schema); got != "x:int64 p:int64" {
		t.Error(got)
	}
	if got := scanRows(t, d, arrowio.ScanOptions{}); got != "1 1\n2 2\n3 3\n" {
		t.Error(got)
	}
	if got := scanRows(t, d, arrowio.ScanOptions{Filter: parse(t, "p = 3 AND x > 0")}); got != "3 3\n" {
		t.Error(got)
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], "a.csv: column p ") {
		t.Errorf("%q", told)
	}
	for i, want := range []int{1, 0, 1} {
		f, err := d.Fragments[i].Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := arrowio.WarningsOf(f); len(got) != want {
			t.Errorf("%d: %q", i, got)
		}
		info, err := f.Info(t.Context(), arrowio.InfoOptions{})
		if err != nil || info.Schema.NumFields() != 2 || info.Facts[len(info.Facts)-1] != (arrowio.Fact{Name: "partition p", Value: fmt.Sprint(i + 1)}) {
			t.Errorf("%+v, %v", info, err)
		}
		if _, err := arrowio.Identity(t.Context(), f); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Files without names of their own, and files that are matched by position, are told from directories' columns.
func TestPartitionsByPosition(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "p=1", "a.csv"), "_col0,_col1\n1,a\n")
	put(t, filepath.Join(root, "p=2", "b.csv"), "id,name,more\n2,b,0.5\n")
	if got := scanRows(t, openTable(t, Options{Formats: formats()}, root), arrowio.ScanOptions{Columns: []string{"id", "name", "more", "p"}}); got != "1 a (null) 1\n2 b 0.5 2\n" {
		t.Error(got)
	}
	put(t, filepath.Join(root, "p=1", "a.csv"), "q,p\n1,a\n")
	d := openTable(t, Options{Formats: formats(), Match: view.ByPosition}, root)
	if got := columnsOf(d.Schema); got != "q:int64 more:double p:int64" && got != "q:int64 more:float64 p:int64" {
		t.Error(got)
	}
	if got := scanRows(t, d, arrowio.ScanOptions{}); got != "1 (null) 1\n2 0.5 2\n" {
		t.Error(got)
	}
}

// The column is made once for many batches, in memory that the budget of a batch knows of.
func TestPartitionBatches(t *testing.T) {
	root := t.TempDir()
	value := strings.Repeat("v", 200)
	put(t, filepath.Join(root, "k="+value, "f.csv"), "x\n"+strings.Repeat("1\n", 10_000))
	d := openTable(t, Options{Formats: formats()}, root)
	for _, c := range []struct {
		o       arrowio.ScanOptions
		batches int64
	}{
		{arrowio.ScanOptions{BatchRows: 1000}, 10},
		{arrowio.ScanOptions{Columns: []string{"k"}, BatchRows: 3000}, 4},
		{arrowio.ScanOptions{BatchRows: 3000, Filter: parse(t, "x = 1 AND k LIKE 'v%'")}, 4},
	} {
		s, err := d.Scan(t.Context(), c.o)
		if err != nil {
			t.Fatal(err)
		}
		n := int64(0)
		for s.Next() {
			rec := s.Record()
			k := rec.Column(int(rec.NumCols()) - 1)
			for i := range k.Len() {
				if k.ValueStr(i) != value {
					t.Fatalf("row %d: %q", i, k.ValueStr(i))
				}
			}
			n += rec.NumRows()
		}
		if s.Err() != nil || n != 10_000 || s.Stats().Batches < c.batches || s.Stats().Batches > c.batches+1 {
			t.Errorf("%+v: %d rows, %d batches, %v", c.o, n, s.Stats().Batches, s.Err())
		}
		s.Release()
	}
}

// Every format reads so; ORC is pruned by its own statistics as before.
func TestPartitionsOfFormats(t *testing.T) {
	for name := range samples {
		b, err := os.ReadFile(testdata + name)
		if err != nil {
			t.Fatal(err)
		}
		root := t.TempDir()
		for _, k := range []string{"a", "b"} {
			put(t, filepath.Join(root, "part="+k, "file"+filepath.Ext(name)), string(b))
		}
		one := openTable(t, Options{Formats: formats()}, testdata+name)
		two := openTable(t, Options{Formats: formats()}, root)
		if two.Schema.NumFields() != one.Schema.NumFields()+1 {
			t.Errorf("%s: %s", name, two.Schema)
		}
		want := scanRows(t, one, arrowio.ScanOptions{})
		for _, k := range []string{"a", "b"} {
			got := scanRows(t, two, arrowio.ScanOptions{Filter: parse(t, "part = '"+k+"'")})
			if !strings.Contains(got, " "+k+"\n") || strings.ReplaceAll(got, " "+k+"\n", "\n") != want {
				t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
			}
		}
	}
}

// A directory that is read as a whole lies below keys as a file does.
func TestPartitionsOfTrees(t *testing.T) {
	var asked atomic.Int64
	box := arrowio.Format{
		Name: "box",
		MatchTree: func(ctx context.Context, tree arrowio.Tree) (bool, error) {
			asked.Add(1)
			entries, err := tree.List(ctx, "")
			return slices.ContainsFunc(entries, func(e arrowio.TreeEntry) bool { return e.Name == "box" }), err
		},
		OpenTree: func(ctx context.Context, tree arrowio.Tree, o arrowio.OpenOptions) (arrowio.File, error) {
			src, err := tree.Open(ctx, "data/rows.csv")
			if err != nil {
				return nil, err
			}
			all := formats()
			csv := all[slices.IndexFunc(all, func(f arrowio.Format) bool { return f.Name == "csv" })]
			f, err := csv.Open(ctx, src, o)
			if err != nil {
				return nil, err
			}
			return owner{f, src}, nil
		},
	}
	root := t.TempDir()
	for _, k := range []string{"1", "2"} {
		put(t, filepath.Join(root, "k="+k, "box"), "")
		put(t, filepath.Join(root, "k="+k, "data", "rows.csv"), "x\n"+k+"0\n")
	}
	o := Options{Formats: append(formats(), box)}
	d := openTable(t, o, root)
	if got := scanRows(t, d, arrowio.ScanOptions{}); got != "10 1\n20 2\n" || asked.Load() == 0 {
		t.Error(got)
	}
	if got, err := expand(t.Context(), []string{root}, o); err != nil || len(got) != 2 || got[0] != filepath.Join(root, "k=1") {
		t.Errorf("%v, %v", got, err)
	}
}

// The filter of partitions and the filter of rows are one: whatever is left to files, the outcome is the same.
func TestPartitionFilterProperty(t *testing.T) {
	values := map[string][]string{"s": {"a", "b", nullPartition}, "n": {"1", "2", "30", nullPartition}}
	var dirs []string
	for _, s := range values["s"] {
		for _, n := range values["n"] {
			dirs = append(dirs, "s="+s+"/n="+n)
		}
	}
	d := openTable(t, Options{Formats: formats()}, table(t, dirs...))
	var leaves []string
	for _, v := range []string{"1", "2", "30", "31"} {
		for _, op := range []string{"=", "!=", "<", ">="} {
			leaves = append(leaves, "n "+op+" "+v, "x "+op+" "+v)
		}
	}
	leaves = append(leaves, "s = 'a'", "s >= 'b'", "s LIKE '%'", "s IS NULL", "n IS NOT NULL", "x IS NULL", "s IN ('a')", "n IN (2, 30)")
	for i := 0; i < len(leaves); i += 2 {
		a, b, c := leaves[i], leaves[(i*7+3)%len(leaves)], leaves[(i*5+1)%len(leaves)]
		for _, text := range []string{
			a, "NOT " + a, a + " AND " + b, a + " OR " + b, "NOT (" + a + " OR NOT (" + b + " AND " + c + "))", "(" + a + " OR " + b + ") AND NOT " + c,
		} {
			e := parse(t, text)
			got := scanRows(t, d, arrowio.ScanOptions{Filter: e})
			// The same without pruning: rows are counted first.
			want := scanRows(t, d, arrowio.ScanOptions{Filter: e, Rows: arrowio.RowRange{End: 1000}})
			plain := &Dataset{Schema: d.Schema}
			for _, fr := range d.Fragments {
				plain.Fragments = append(plain.Fragments, arrowio.Fragment{Name: fr.Name, Open: func(ctx context.Context) (arrowio.File, error) {
					f, err := fr.Open(ctx)
					return unpruned{f}, err
				}})
			}
			if bare := scanRows(t, plain, arrowio.ScanOptions{Filter: e}); got != want || got != bare {
				t.Errorf("%s: got\n%swant\n%sor\n%s", text, got, want, bare)
			}
		}
	}
}

// unpruned is a file without indexes.
type unpruned struct{ arrowio.File }

func (unpruned) Prune(_ context.Context, s arrowio.Split, _ *expr.Bound) (arrowio.RowSet, error) {
	return arrowio.RowSet{}.Add(s.Rows), nil
}

// A name in another case is that of the files where they have it to the case, not that of a directory.
func TestPartitionsOfOtherCase(t *testing.T) {
	root := table(t, "X=5/Y=1", "X=0/Y=2") // the files have x
	for where, want := range map[string]string{
		"x = 0":           "0 5 1\n",
		"X = 0":           "1 0 2\n",
		"y = 2":           "1 0 2\n",
		"y = 2 AND x = 1": "1 0 2\n",
		"y = 1 AND x = 1": "",
		"x < X":           "0 5 1\n",
		"x != X":          "1 0 2\n0 5 1\n",
		"NOT (x > X)":     "0 5 1\n",
		"Y <= x":          "",
		"Y = X OR x = X":  "",
		"y > X":           "1 0 2\n",
	} {
		d := openTable(t, Options{Formats: formats(), Filter: parse(t, where)}, root)
		if got := scanRows(t, d, arrowio.ScanOptions{Filter: parse(t, where)}); got != want {
			t.Errorf("%s: %q, want %q", where, got, want)
		}
	}
}
