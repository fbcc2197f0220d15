package csv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowcheck"
	"github.com/arrowio/arrowio/internal/recordsplit"
)

func openText(text string, o map[string]string) (arrowio.File, error) {
	return Format().Open(context.Background(), local.NewBytesSource([]byte(text)), arrowio.OpenOptions{Options: o})
}

// read returns the schema as "name type, …" and the rows as text, null as NULL.
func read(t testing.TB, text string, o map[string]string, columns []string) (schema string, rows [][]string, err error) {
	t.Helper()
	f, err := openText(text, o)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	p, err := arrowio.Project(f.Schema(), columns)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, c := range p.Schema.Fields() {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %s", c.Name, c.Type)
	}
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	r, err := f.Read(context.Background(), f.Splits()[0], nil, p, mem)
	if err != nil {
		return b.String(), nil, err
	}
	defer r.Close()
	for {
		n, err := r.Read(3)
		if err != nil || n == 0 {
			return b.String(), rows, err
		}
		rec, err := r.Take()
		if err != nil {
			return b.String(), rows, err
		}
		if err := arrowcheck.Record(rec); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < n; i++ {
			var row []string
			for _, c := range rec.Columns() {
				row = append(row, strings.Clone(cell(c, i)))
			}
			rows = append(rows, row)
		}
		rec.Release()
	}
}

func cell(c arrow.Array, i int) string {
	if c.IsNull(i) {
		return "NULL"
	}
	return c.ValueStr(i)
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text, schema string
		o                  map[string]string
		rows               [][]string
	}{
		{
			name: "RFC 4180", text: "a,b\r\n1,\"x, \"\"y\"\"\r\nz\"\r\n2,w\r\n", schema: "a int64, b utf8",
			rows: [][]string{{"1", "x, \"y\"\r\nz"}, {"2", "w"}},
		},
		{name: "CR alone", text: "a,b\r1,2\r3,4\r", schema: "a int64, b int64", rows: [][]string{{"1", "2"}, {"3", "4"}}},
		{
			name: "CR alone, and quotes", text: "\"a\nb\",c\r1,\"x\ry\r\nz\"\r2,w", schema: "a\nb int64, c utf8",
			rows: [][]string{{"1", "x\ry\r\nz"}, {"2", "w"}},
		},
		{name: "no line end at the end", text: "a\n1", schema: "a int64", rows: [][]string{{"1"}}},
		{name: "byte order mark", text: "\ufeffa\n1\n", schema: "a int64", rows: [][]string{{"1"}}},
		{name: "quoted name behind a byte order mark", text: "\ufeff\"a b\"\n1\n", schema: "a b int64", rows: [][]string{{"1"}}},
		{
			name: "null and the empty string", text: "a,b,c\n1,,\"\"\n,x,y\n", schema: "a int64, b utf8, c utf8",
			rows: [][]string{{"1", "NULL", ""}, {"NULL", "x", "y"}},
		},
		{name: "blank lines", text: "a,b\n\n1,2\n\n3,4\n\n", schema: "a int64, b int64", rows: [][]string{{"1", "2"}, {"3", "4"}}},
		{name: "one line end", text: "\n"},
		{name: "one line end behind a byte order mark", text: "\ufeff\r\n"},
		{name: "one line end, a column without a name and no header", o: map[string]string{"csv-header": "false"}, text: "\n", schema: "f0 utf8", rows: [][]string{{"NULL"}}},
		{name: "a column without a name", text: "\n1\n", schema: "f0 int64", rows: [][]string{{"1"}}},
		{name: "a column without a name in quotes", text: "\"\"\n", schema: "f0 utf8"},
		{name: "blank lines in one column", text: "a\nx\n\n\"\"\n", schema: "a utf8", rows: [][]string{{"x"}, {"NULL"}, {""}}},
		{
			name: "no header", o: map[string]string{"csv-header": "false"}, text: "1,x\n2,y\n", schema: "f0 int64, f1 utf8",
			rows: [][]string{{"1", "x"}, {"2", "y"}},
		},
		{name: "tabs", o: map[string]string{"csv-delimiter": "tab"}, text: "a\tb\n1,5\t2\n", schema: "a utf8, b int64", rows: [][]string{{"1,5", "2"}}},
		{
			name: "spelled nulls", o: map[string]string{"csv-null": "NULL,NA"}, text: "a,b\nNULL,\n1,NA\n2,\"NA\"\n", schema: "a int64, b utf8",
			rows: [][]string{{"NULL", ""}, {"1", "NULL"}, {"2", "NA"}},
		},
		{name: "all text", o: map[string]string{"csv-types": "utf8"}, text: "a,b\n01,\n", schema: "a utf8, b utf8", rows: [][]string{{"01", "NULL"}}},
		{
			name: "integers", text: "a,b,c,d,e\n9223372036854775807,9223372036854775808,007,-0,+1\n-9223372036854775808,1,1,1,1\n",
			schema: "a int64, b utf8, c utf8, d float64, e utf8",
			rows: [][]string{
				{"9223372036854775807", "9223372036854775808", "007", "-0", "+1"},
				{"-9223372036854775808", "1", "1", "1", "1"},
			},
		},
		{
			name: "floats", text: "a,b,c,d\n1.5,NaN,1e400,9007199254740993\n2,-Inf,1,0.5\n", schema: "a float64, b float64, c utf8, d utf8",
			rows: [][]string{{"1.5", "NaN", "1e400", "9007199254740993"}, {"2", "-Inf", "1", "0.5"}},
		},
		{
			name: "digits of floats", text: "a,b,c,d,e\n0.1234567890123456789,0.30000000000000004,1e-400,12345678901234567.89,1.000000000000000055511e-01\n1,0.10000000000000001,1,0.5,3\n",
			schema: "a utf8, b float64, c utf8, d utf8, e float64",
			rows: [][]string{
				{"0.1234567890123456789", "0.30000000000000004", "1e-400", "12345678901234567.89", "0.1"},
				{"1", "0.1", "1", "0.5", "3"},
			},
		},
		{
			name: "booleans and dates", text: "a,b,c\ntrue,1969-12-31,2023-02-29\nFALSE,0000-02-29,2023-02-28\n", schema: "a bool, b date32, c utf8",
			rows: [][]string{{"true", "1969-12-31", "2023-02-29"}, {"false", "0000-02-29", "2023-02-28"}},
		},
		{
			name: "timestamps", text: "a,b,c,d\n2020-01-02 03:04,2020-01-02T03:04:05.678901+02:00,1969-12-31 23:59:59.000000001,2020-01-02\n" +
				"2020-01-02T03:04:05.5,1970-01-01T00:00:00Z,2020-01-02 00:00:00,2020-01-02 00:00\n",
			schema: "a timestamp[us], b timestamp[us, tz=UTC], c timestamp[ns], d utf8",
			rows: [][]string{
				{"2020-01-02 03:04:00Z", "2020-01-02 01:04:05.678901Z", "1969-12-31 23:59:59.000000001Z", "2020-01-02"},
				{"2020-01-02 03:04:05.5Z", "1970-01-01 00:00:00Z", "2020-01-02 00:00:00Z", "2020-01-02 00:00"},
			},
		}, // arrow writes Z always
		{
			name: "the first and the last time in nanoseconds", text: "a,b\n1677-09-21T00:12:43.145224192,2262-04-11T21:47:16.854775807-02:00\n2262-04-11T23:47:16.854775807,1677-09-21T02:12:43.145224192+02:00\n",
			schema: "a timestamp[ns], b timestamp[ns, tz=UTC]",
			rows: [][]string{
				{"1677-09-21 00:12:43.145224192Z", "2262-04-11 23:47:16.854775807Z"},
				{"2262-04-11 23:47:16.854775807Z", "1677-09-21 00:12:43.145224192Z"},
			},
		},
		{
			name: "one nanosecond too early, and too late", text: "a,b\n1677-09-21T00:12:43.145224191,2262-04-11T23:47:16.854775808\n", schema: "a utf8, b utf8",
			rows: [][]string{{"1677-09-21T00:12:43.145224191", "2262-04-11T23:47:16.854775808"}},
		},
		{name: "nothing", text: "", schema: ""},
		{name: "header alone", text: "a,,a\n", schema: "a utf8, f1 utf8, a utf8"},
		{name: "names like those of nameless columns", text: "f1,,,f2,f2_\n", schema: "f1 utf8, f1_ utf8, f2__ utf8, f2 utf8, f2_ utf8"},
		{name: "a column of nulls", text: "a,b\n,1\n", schema: "a utf8, b int64", rows: [][]string{{"NULL", "1"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema, rows, err := read(t, c.text, c.o, nil)
			if err != nil {
				t.Fatal(err)
			}
			if schema != c.schema || fmt.Sprint(rows) != fmt.Sprint(c.rows) {
				t.Errorf("got %s %q\nwant %s %q", schema, rows, c.schema, c.rows)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		o          map[string]string
		kind       errs.Kind
		says       []string
	}{
		{"misfit", "a,b\n1,x\n2,y\nz,w\n", map[string]string{"csv-sample": "2"}, errs.ErrSchema, []string{"line 4", "column a", "int64", "--csv-types=utf8", "--csv-sample=all"}},
		{"digits that a float64 does not keep", "a\n1.5\n0.1234567890123456789\n", map[string]string{"csv-sample": "1"}, errs.ErrSchema, []string{"line 3", "column a", "float64", "0.1234567890123456789"}},
		{"too few fields", "a,b\n1,2\n3\n", nil, errs.ErrCorrupt, []string{"line 3", "fields is 1", "columns is 2"}},
		{"too few fields behind the sample", "a,b\n1,2\n3\n", map[string]string{"csv-sample": "1"}, errs.ErrCorrupt, []string{"line 3"}},
		{"CR inside", "a,b\n1,2\r3,4\n", nil, errs.ErrCorrupt, []string{"line 2", "field 2", "LF, CR LF or CR"}},
		{"LF inside", "a,b\r1,2\n3,4\r", nil, errs.ErrCorrupt, []string{"line 2", "field 2", "LF, CR LF or CR"}},
		{"open quote", "a,b\n1,\"x\n2,3\n", nil, errs.ErrCorrupt, []string{"line 2", "never closed"}},
		{"text behind a quote", "a\n\"x\"y\n", nil, errs.ErrCorrupt, []string{"line 2"}},
		{"quote inside a field", "a\nx\"y\n", nil, errs.ErrCorrupt, []string{"line 2"}},
		{"not UTF-8", "a\n\xff\n", nil, errs.ErrCorrupt, []string{"line 2", "column a", "UTF-8"}},
		{"name not UTF-8", "\xff\n", nil, errs.ErrCorrupt, []string{"line 1"}},
		{"UTF-16", "\xff\xfea\x00", nil, errs.ErrUnsupported, []string{"UTF-16"}},
		{"delimiter", "a", map[string]string{"csv-delimiter": "\""}, errs.ErrOption, nil},
		{"sample", "a", map[string]string{"csv-sample": "0"}, errs.ErrOption, nil},
		{"unknown option", "a", map[string]string{"csv-x": "0"}, errs.ErrOption, []string{"csv-header"}},
	} {
		_, _, err := read(t, c.text, c.o, nil)
		if !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, s := range append(c.says, "csv: ") {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %q does not say %q", c.name, err, s)
			}
		}
	}
}

func TestLineNumbersCountLinesInQuotes(t *testing.T) {
	_, _, err := read(t, "a,b\n\"x\ny\",1\n2\n", nil, nil)
	if err == nil || !strings.Contains(err.Error(), "line 4") {
		t.Errorf("got %v", err)
	}
}

func TestProjection(t *testing.T) {
	schema, rows, err := read(t, "a,b,c\n1,x,2.5\n3,y,\n", nil, []string{"c", "a"})
	if err != nil || schema != "c float64, a int64" || fmt.Sprint(rows) != "[[2.5 1] [NULL 3]]" {
		t.Errorf("%s %v %v", schema, rows, err)
	}
	_, rows, err = read(t, "a,b,c\n1,x,2.5\n3,y,\n", nil, []string{})
	if err != nil || len(rows) != 2 {
		t.Errorf("no column: %v %v", rows, err)
	}
}

func TestLongValues(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	_, rows, err := read(t, "a,b\n"+long+",\""+long+"\n"+long+"\"\n", nil, nil)
	if err != nil || len(rows) != 1 || rows[0][0] != long || rows[0][1] != long+"\n"+long {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	src := local.NewBytesSource([]byte("a\n" + long + "\n"))
	_, err = Format().Open(context.Background(), src, arrowio.OpenOptions{Limits: arrowio.Limits{ValueBytes: 1 << 19}})
	if !errors.Is(err, errs.ErrLimit) {
		t.Errorf("got %v", err)
	}
}

func TestManyBatches(t *testing.T) {
	var b strings.Builder
	b.WriteString("a\n")
	const n = 3*recordsplit.BatchRows + 5
	for i := range n {
		fmt.Fprintln(&b, i)
	}
	f, err := openText(b.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := arrowio.Project(f.Schema(), nil)
	r, err := f.Read(context.Background(), f.Splits()[0], nil, p, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if k, err := r.Skip(recordsplit.BatchRows + 2); k != recordsplit.BatchRows+2 || err != nil {
		t.Fatal(k, err)
	}
	if k, err := r.Read(2 * recordsplit.BatchRows); k != 2*recordsplit.BatchRows || err != nil {
		t.Fatal(k, err)
	}
	rec, err := r.Take()
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	if v := rec.Column(0).ValueStr(2*recordsplit.BatchRows - 1); v != fmt.Sprint(3*recordsplit.BatchRows+1) {
		t.Errorf("the last is %s", v)
	}
	if k, err := r.Read(100); k != 3 || err != nil {
		t.Errorf("at the end: %d, %v", k, err)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"a,b\r\n1,\"x, \"\"y\"\"\r\nz\"\r\n2,w\r\n", "a\n2020-01-02 03:04:05.5\n", "\ufeffa,b\n,\"\"\n", "\"\n\"", "a,b\n1\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, _, err := read(t, s, map[string]string{"csv-sample": "2"}, nil)
		if e := (*errs.Error)(nil); err != nil && (!errors.As(err, &e) || e.Kind == errs.ErrInternal) {
			t.Fatal(err)
		}
	})
}

// TestPyarrow reads what pyarrow wrote; the rows are those of the script beside the files.
func TestPyarrow(t *testing.T) {
	for name, o := range map[string]map[string]string{"types.csv": nil, "quoted.csv": nil, "semicolon.csv": {"csv-delimiter": ";"}} {
		b, err := os.ReadFile("../../testdata/csv/pyarrow-26.0.1/" + name)
		if err != nil {
			t.Fatal(err)
		}
		schema, rows, err := read(t, string(b), o, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := "i int64, f float64, b bool, d date32, t timestamp[us], z timestamp[us, tz=UTC], s utf8"; schema != want {
			t.Errorf("%s: %s", name, schema)
		}
		want := [][]string{
			{"0", "0.5", "true", "1970-01-01", "1970-01-01 00:00:00Z", "1970-01-01 00:00:00Z", ""},
			{"NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL"},
			{"-1", "-1e-300", "false", "0001-02-03", "1969-12-31 23:59:59.999999Z", "1969-12-31 23:59:59.999999Z", `a "b", c`},
			{"9223372036854775807", "1e+300", "true", "2024-02-29", "2023-11-14 22:13:20.123456Z", "2023-11-14 22:13:20.123456Z", "line\nbreak é"},
		}
		if fmt.Sprintf("%q", rows) != fmt.Sprintf("%q", want) {
			t.Errorf("%s: %q, want %q", name, rows, want)
		}
	}
}

// All columns of one name are read, and a warning says so.
func TestColumnsOfOneName(t *testing.T) {
	const text = "a,b,a,c,c\n1,x,2.5,3,4\n"
	schema, rows, err := read(t, text, nil, nil)
	if err != nil || schema != "a int64, b utf8, a float64, c int64, c int64" || fmt.Sprint(rows) != "[[1 x 2.5 3 4]]" {
		t.Errorf("%s %v %v", schema, rows, err)
	}
	f, err := openText(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, w := range arrowio.WarningsOf(f) {
		if w.Kind != arrowio.WarnNames || !strings.Contains(w.Text, "2 columns") || !strings.Contains(w.Text, "--csv-names=position") {
			t.Error(w)
		}
		names = append(names, w.Columns...)
	}
	if fmt.Sprint(names) != "[a c]" {
		t.Error(names)
	}
	schema, rows, err = read(t, text, map[string]string{"csv-names": "position"}, []string{"f2", "f0"})
	if err != nil || schema != "f2 float64, f0 int64" || fmt.Sprint(rows) != "[[2.5 1]]" {
		t.Errorf("%s %v %v", schema, rows, err)
	}
	if f, err = openText(text, map[string]string{"csv-names": "position"}); err != nil || arrowio.WarningsOf(f) != nil {
		t.Errorf("%v %v", arrowio.WarningsOf(f), err)
	}
}
