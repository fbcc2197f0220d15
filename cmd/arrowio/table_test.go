package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// wideFile has one row of columns c00, c01, …
func wideFile(t *testing.T, columns int) string {
	t.Helper()
	var fields []arrow.Field
	var values []string
	for k := range columns {
		name := fmt.Sprintf("c%02d", k)
		f := arrow.Field{Name: name, Type: arrow.BinaryTypes.String, Nullable: true}
		value := fmt.Sprintf("%q:%q", name, strings.Repeat("x", 5+k))
		if k%4 == 1 {
			f.Type, value = arrow.PrimitiveTypes.Int64, fmt.Sprintf("%q:%d", name, 1_000_000_000*(k+1))
		}
		fields, values = append(fields, f), append(values, value)
	}
	schema := arrow.NewSchema(fields, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader("[{"+strings.Join(values, ",")+"}]"))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	return writeIPC(t, filepath.Join(t.TempDir(), "wide.arrow"), schema, rec)
}

// fits fails the test for lines wider than width.
func fits(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := displayWidth(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d columns, not %d: %s", n, width, line)
		}
	}
}

func TestTableFitsTheTerminal(t *testing.T) {
	in := wideFile(t, 30)
	want := `c00   │        c01 │ … │         c29
──────┼────────────┼───┼────────────
xxxxx │ 2000000000 │ … │ 30000000000
1 row × 30 columns (3 shown)
`
	if o := onTerminal(t, 40, "cat", in); o.out != want {
		t.Errorf("got\n%swant\n%s", o.out, want)
	}
	for width := 40; width <= 200; width += 7 {
		fits(t, onTerminal(t, width, "cat", in).out, width)
		fits(t, onTerminal(t, width, "cat", "-x", in).out, width)
	}
	if o := do(t, "cat", in); strings.Contains(o.out, gridEllipsis) || strings.Contains(o.out, "×") || strings.Count(o.out, "\n") != 3 {
		t.Errorf("without a terminal:\n%s", o.out)
	}
	if o := onTerminal(t, 80, "cat", "--columns", "c00,c01", in); !strings.HasSuffix(o.out, "\n1 row × 2 columns\n") {
		t.Errorf("all fit:\n%s", o.out)
	}
	if o := onTerminal(t, 80, "cat", "--where", "c00 = 'y'", in); !strings.HasSuffix(o.out, "\n0 rows × 30 columns (13 shown)\n") {
		t.Errorf("no rows:\n%s", o.out)
	}
}

// The first file's rows are narrow: the columns are aligned all the same.
func TestTableOfSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	a, b := peopleFile(t, dir, "a.arrow", 0, 1), peopleFile(t, dir, "b.arrow", 99_999, 100_002)
	want := `    id │ name
───────┼──────────────
     0 │ person 0
 99999 │ NULL
100000 │ person 100000
100001 │ person 100001
`
	if got := ok(t, "cat", "--columns", "id,name", a, b); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestExpanded(t *testing.T) {
	in := peopleFile(t, t.TempDir(), "in.arrow", 3, 5)
	want := `─ row 1 ───────────────────────
id   │ 3
name │ NULL
tags │ NULL
at   │ {"x":3.5,"y":null}
─ row 2 ───────────────────────
id   │ 4
name │ person 4
tags │ ["t1",null]
at   │ {"x":4.5,"y":null}
`
	want = strings.ReplaceAll(want, "─ row 1 ───────────────────────", "─ row 1 ───────────────────")
	want = strings.ReplaceAll(want, "─ row 2 ───────────────────────", "─ row 2 ───────────────────")
	if got := ok(t, "cat", "--expanded", in); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	o := onTerminal(t, 20, "cat", "-x", "--columns", "at", "--rows", "0:1", in) // the least is 40
	if want := "─ row 1 ────────────────────────────────\nat │ {\"x\":3.5,\"y\":null}\n1 row × 1 column\n"; o.out != want {
		t.Errorf("got\n%swant\n%s", o.out, want)
	}
}

func TestCutWidth(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc|d"},
		{"世界世界", 5, "世界|世界"},
		{"世界", 1, "世|界"},
		{"", 3, ""},
	} {
		if got := strings.Join(cutWidth(c.text, c.width), "|"); got != c.want {
			t.Errorf("%q by %d: %s, want %s", c.text, c.width, got, c.want)
		}
	}
}

func TestPager(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 100)
	screenOf := func(height int, args ...string) outcome {
		t.Helper()
		return onScreen(t, screen{80, height}, args...)
	}
	t.Setenv("PAGER", "sed 's/^/> /'")
	if o := screenOf(50, "head", in); o.code != 0 || strings.Contains(o.out, ">") || strings.Count(o.out, "\n") != 13 {
		t.Errorf("what fits went through the pager: %+v", o)
	}
	for _, format := range []string{"table", "jsonl", "csv"} {
		if o := screenOf(50, "cat", "--format", format, in); o.code != 0 || strings.Count(o.out, "\n> ") < 99 {
			t.Errorf("%s: %+v", format, o)
		}
	}
	if o := screenOf(50, "cat", "-x", in); o.code != 0 || strings.Count(o.out, "\n> ") < 99 {
		t.Errorf("%+v", o)
	}
	if o := screenOf(50, "cat", "--no-pager", in); o.code != 0 || strings.Contains(o.out, ">") {
		t.Errorf("--no-pager: %+v", o)
	}
	if o := do(t, "cat", in); o.code != 0 || strings.Contains(o.out, ">") {
		t.Errorf("no terminal: %+v", o)
	}
	t.Setenv("PAGER", filepath.Join(dir, "missing"))
	if o := screenOf(50, "cat", in); o.code != 0 || strings.Count(o.out, "\n") != 103 {
		t.Errorf("no such pager: %+v", o)
	}
	// A pager that is left before it has everything is no failure.
	t.Setenv("PAGER", "head -n 2; true")
	big := peopleFile(t, dir, "big.arrow", 0, 5_000)
	if o := screenOf(50, "cat", big); o.code != 0 || o.err != "" || strings.Count(o.out, "\n") != 2 {
		t.Errorf("the pager was left: %+v", o)
	}
}

func TestPagerCommand(t *testing.T) {
	for _, c := range []struct {
		pager, less string
		found       bool
		want        string
	}{
		{"", "", true, "[less -FRX]"},
		{"", "-S", true, "[less]"},
		{"", "", false, "[]"},
		{"less", "", true, "[less -FRX]"},
		{"less -S", "", true, "[sh -c less -S]"},
		{"more", "", false, "[more]"},
		{"cat", "", true, "[]"},
	} {
		got := pagerCommand(func(name string) string { return map[string]string{"PAGER": c.pager, "LESS": c.less}[name] },
			func(string) (string, error) {
				if c.found {
					return "/usr/bin/less", nil
				}
				return "", os.ErrNotExist
			})
		if fmt.Sprint(got) != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
