package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Each format's page that has a chapter "Conformance" names tests that are there.
func TestConformanceChapters(t *testing.T) {
	faults, lines := conformanceFaults(t, os.DirFS("../.."))
	for _, f := range faults {
		t.Error(f)
	}
	if lines == 0 {
		t.Error("no page has a line about conformance")
	}
}

// conformanceChapter is the heading; the chapter ends at the next one of the same depth.
const conformanceChapter = "## Conformance"

var testName = regexp.MustCompile("^`([a-z0-9_/]+)\\.((?:Test|Fuzz|Example)[A-Za-z0-9_]+)`$")

// conformanceFaults looks at the tables below "## Conformance" in docs/formats/*.md. The heads of their columns end in Read,
// Written and Tests. Tests are PACKAGE.TestName in backquotes, with commas between them; only what is neither read nor written (–, –)
// may do without, as –. It returns what is wrong and the number of lines that name tests.
func conformanceFaults(t *testing.T, fsys fs.FS) (faults []string, lines int) {
	t.Helper()
	pages, err := fs.Glob(fsys, "docs/formats/*.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string][]string{}
	for _, page := range pages {
		b, err := fs.ReadFile(fsys, page)
		if err != nil {
			t.Fatal(err)
		}
		inside, rows := false, 0
		var head []string
		for i, line := range strings.Split(string(b), "\n") {
			fault := func(format string, args ...any) {
				faults = append(faults, fmt.Sprintf("%s:%d: ", page, i+1)+fmt.Sprintf(format, args...))
			}
			switch {
			case strings.HasPrefix(line, "# "), strings.HasPrefix(line, "## "):
				if inside && rows == 0 {
					fault("the chapter before has no table")
				}
				inside, head = strings.TrimSpace(line) == conformanceChapter, nil
				continue
			case !inside:
				continue
			case !strings.HasPrefix(line, "|"):
				head = nil
				continue
			}
			cells := tableCells(line)
			n := len(cells)
			switch {
			case head == nil:
				head = cells
				if n < 4 || !slices.Equal(cells[n-3:], []string{"Read", "Written", "Tests"}) {
					fault("the head of a table ends in Read, Written and Tests")
				}
			case strings.Trim(line, "|-: ") == "":
			case n != len(head):
				fault("%d cells below a head of %d", n, len(head))
			case slices.Contains(cells, ""):
				fault("a cell is empty")
			case cells[n-1] == "–":
				if rows++; cells[n-2] != "–" || cells[n-3] != "–" {
					fault("no test, but it is read or written")
				}
			default:
				rows++
				lines++
				for _, name := range strings.Split(cells[n-1], ",") {
					m := testName.FindStringSubmatch(strings.TrimSpace(name))
					if m == nil {
						fault("%q is no test: want `PACKAGE.TestName`", name)
						continue
					}
					if tests[m[1]] == nil {
						tests[m[1]] = testsOf(t, fsys, m[1])
					}
					if !slices.Contains(tests[m[1]], m[2]) {
						fault("package %s has no %s", m[1], m[2])
					}
				}
			}
		}
		if inside && rows == 0 {
			faults = append(faults, page+": the last chapter has no table")
		}
	}
	return faults, lines
}

// tableCells divides a line of a Markdown table at each | that has no backslash in front.
func tableCells(line string) []string {
	const bar = "\x00"
	line = strings.ReplaceAll(strings.TrimSpace(line), `\|`, bar)
	cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
	for i, c := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(c, bar, "|"))
	}
	return cells
}

// testsOf returns the names of the functions in a package's tests, those with build tags too.
func testsOf(t *testing.T, fsys fs.FS, pkg string) []string {
	t.Helper()
	files, err := fs.Glob(fsys, path.Join(pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, name := range files {
		b, err := fs.ReadFile(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, b, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

func TestConformanceFaults(t *testing.T) {
	const head = "# F\n\n## Conformance\n\n| Section | Statement | Read | Written | Tests |\n|---|---|---|---|---|\n"
	for _, c := range []struct{ name, page, want string }{
		{"no chapter", "# F\n\n| a | b |\n", ""},
		{"a test", head + "| 1 | s | yes | yes | `a/b.TestX` |\n", ""},
		{"two tests", head + "| 1 | s | yes | yes | `a/b.TestX`, `a/b.FuzzY` |\n", ""},
		{"a bar in a statement", head + "| 1 | `a \\| b` | yes | yes | `a/b.TestX` |\n", ""},
		{"not done", head + "| 1 | s | – | – | – |\n", ""},
		{"other chapters", head + "| 1 | s | yes | yes | `a/b.TestX` |\n\n## Next\n\n| a | b |\n|---|---|\n| `x.TestNone` | |\n", ""},
		{"parts of the chapter", head + "| 1 | s | yes | yes | `a/b.TestX` |\n\n### More\n\n| a | Read |\n", "docs/formats/f.md:11: the head of a table ends"},
		{"no such test", head + "| 1 | s | yes | yes | `a/b.TestZ` |\n", "docs/formats/f.md:7: package a/b has no TestZ"},
		{"a method", head + "| 1 | s | yes | yes | `a/b.TestM` |\n", "has no TestM"},
		{"no such package", head + "| 1 | s | yes | yes | `a.TestX` |\n", "package a has no TestX"},
		{"no backquotes", head + "| 1 | s | yes | yes | a/b.TestX |\n", "is no test"},
		{"a comma too many", head + "| 1 | s | yes | yes | `a/b.TestX`, |\n", "is no test"},
		{"nothing named", head + "| 1 | s | yes | yes | |\n", "a cell is empty"},
		{"read without a test", head + "| 1 | s | yes | – | – |\n", "no test, but it is read or written"},
		{"a cell too few", head + "| 1 | yes | yes | `a/b.TestX` |\n", "4 cells below a head of 5"},
		{"no table", "# F\n\n## Conformance\n\n## Next\n", "has no table"},
		{"no table at the end", "# F\n\n## Conformance\n", "has no table"},
	} {
		got, _ := conformanceFaults(t, fstest.MapFS{
			"docs/formats/f.md": {Data: []byte(c.page)},
			"a/b/x_test.go":     {Data: []byte("//go:build interop\n\npackage b\n\nfunc TestX(t *testing.T) {}\n\nfunc FuzzY(f *testing.F) {}\n\nfunc (m) TestM() {}\n")},
		})
		text := strings.Join(got, "\n")
		if c.want == "" && text != "" || c.want != "" && !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
}
