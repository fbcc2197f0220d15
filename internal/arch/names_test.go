package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// mostNames is how many lines go doc -short says of package arrowio at most: two screens.
const mostNames = 80

// TestFewNames: package arrowio has the contracts, and what is not one of them stands where it is used.
func TestFewNames(t *testing.T) {
	files, err := filepath.Glob("../../arrowio/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	n := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			n += names(d)
		}
	}
	if n > mostNames {
		t.Errorf("package arrowio has %d names, at most %d are wanted", n, mostNames)
	}
}

// names counts as go doc -short does: types and functions each, groups of constants and variables once.
func names(d ast.Decl) int {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.IsExported() {
			return 1
		}
	case *ast.GenDecl:
		n := 0
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					n++
				}
			case *ast.ValueSpec:
				if n == 0 && s.Names[0].IsExported() {
					n = 1
				}
			}
		}
		return n
	}
	return 0
}
