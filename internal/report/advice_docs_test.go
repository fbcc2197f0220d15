package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The table of the documentation has every advice that a report can give.
func TestAdviceIsDocumented(t *testing.T) {
	docs, err := os.ReadFile("../../docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(docs), "## Advice and its thresholds")
	verb := regexp.MustCompile(`%[.0-9]*[a-z]`)
	n := 0
	for _, name := range []string{"advice.go", "dataset.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(x ast.Node) bool {
			call, ok := x.(*ast.CallExpr)
			if !ok || len(call.Args) != 3 {
				return true
			}
			if f, ok := call.Fun.(*ast.Ident); !ok || f.Name != "add" {
				return true
			}
			longest := "" // of what is always said
			ast.Inspect(call.Args[1], func(x ast.Node) bool {
				if lit, ok := x.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					text, _ := strconv.Unquote(lit.Value)
					for _, part := range verb.Split(text, -1) {
						if part = strings.Trim(strings.TrimPrefix(part, "s "), " :,"); len(part) > len(longest) {
							longest = part
						}
					}
				}
				return true
			})
			n++
			if !strings.Contains(table, longest) {
				t.Errorf("docs/report.md has no line about %q", longest)
			}
			return true
		})
	}
	if n < 20 {
		t.Errorf("only %d found: are they given in another way?", n)
	}
}
