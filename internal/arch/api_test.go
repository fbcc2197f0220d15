package arch

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

var rewriteAPI = flag.Bool("rewrite-api", false, "write docs/api.txt anew")

const apiFile = "../../docs/api.txt"

// TestAPI compares what users may call with docs/api.txt, so that no change of it goes unseen.
func TestAPI(t *testing.T) {
	lines, err := listAPI(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if *rewriteAPI {
		if err := os.WriteFile(apiFile, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(apiFile)
	if err != nil {
		t.Fatal(err)
	}
	stands := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, l := range stands {
		if !slices.Contains(lines, l) {
			t.Errorf("gone: %s", l)
		}
	}
	for _, l := range lines {
		if !slices.Contains(stands, l) {
			t.Errorf("new: %s", l)
		}
	}
	if t.Failed() {
		t.Error("If users are to see this change, run make api and tell of it in CHANGELOG.md.")
	}
}

func TestListAPI(t *testing.T) {
	got, err := listAPI(fstest.MapFS{
		"readers/a/a.go": {Data: []byte(`package a
import "io"
const (
	A, b Kind = 1, 2
	C
)
var V = io.EOF
type Kind int
func (k Kind) String() string { return "" }
func (k *Kind) hidden() {}
type S struct {
	io.Reader
	X, y int
	F func(a, b int) (n int, err error)
}
type I interface { M(x int); hidden() }
type set[T comparable] map[T]bool
func (set[T]) Add(T) {}
type G[K comparable, V any] struct{}
func (g *G[K, V]) Get(key K, more ...V) V { panic(0) }
type N = map[string]I
func F[T ~int | string](x []T) {}
`)},
		"readers/a/a_other.go":      {Data: []byte("//go:build !linux\n\npackage a\n\nfunc F[T ~int | string](y []T) {}\n")},
		"readers/a/a_test.go":       {Data: []byte("package a\n\nfunc Tested() {}\n")},
		"readers/a/internal/b/b.go": {Data: []byte("package b\n\nfunc B() {}\n")},
		"cmd/c/c.go":                {Data: []byte("package main\n\nfunc C() {}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"readers/a: const A Kind",
		"readers/a: const C",
		"readers/a: func (*G[K, V]) Get(K, ...V) V",
		"readers/a: func (Kind) String() string",
		"readers/a: func F[T ~int | string]([]T)",
		"readers/a: type G[K comparable, V any] struct",
		"readers/a: type I interface",
		"readers/a: type I interface, M(int)",
		"readers/a: type I interface, others cannot implement it",
		"readers/a: type Kind int",
		"readers/a: type N = map[string]I",
		"readers/a: type S struct",
		"readers/a: type S struct, F func(int, int) (int, error)",
		"readers/a: type S struct, X int",
		"readers/a: type S struct, embeds io.Reader",
		"readers/a: var V",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// listAPI returns a line for each thing that public packages export, as their source declares it: sorted, without names of
// parameters and without values.
func listAPI(fsys fs.FS) ([]string, error) {
	l := apiLister{lines: map[string]bool{}}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		dir := path.Dir(name)
		if err != nil || d.IsDir() || !isPublic(dir) || strings.Contains(dir, "testdata") || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		b, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, b, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ignoredByBuild(f) || f.Name.Name == "main" {
			return err
		}
		l.dir = dir
		for _, d := range f.Decls {
			l.declaration(d)
		}
		return nil
	})
	return slices.Sorted(maps.Keys(l.lines)), err
}

// apiLister collects lines; those of the package in dir now.
type apiLister struct {
	dir   string
	lines map[string]bool
}

func (l *apiLister) add(format string, args ...any) {
	l.lines[l.dir+": "+fmt.Sprintf(format, args...)] = true
}

func (l *apiLister) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() {
			return
		}
		receiver := ""
		if d.Recv != nil {
			t := d.Recv.List[0].Type
			if !ast.IsExported(receiverOf(t)) {
				return
			}
			receiver = "(" + types.ExprString(t) + ") "
		}
		l.add("func %s%s%s%s", receiver, d.Name.Name, typeParams(d.Type.TypeParams), signature(d.Type))
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					l.typ(spec)
				}
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					if n.IsExported() {
						l.add("%s", strings.TrimSpace(d.Tok.String()+" "+n.Name+" "+typeText(spec.Type)))
					}
				}
			}
		}
	}
}

func (l *apiLister) typ(spec *ast.TypeSpec) {
	name := spec.Name.Name
	head := "type " + name + typeParams(spec.TypeParams)
	if spec.Assign.IsValid() {
		l.add("%s = %s", head, typeText(spec.Type))
		return
	}
	switch t := spec.Type.(type) {
	case *ast.StructType:
		l.add("%s struct", head)
		for _, f := range t.Fields.List {
			for _, n := range f.Names {
				if n.IsExported() {
					l.add("type %s struct, %s %s", name, n.Name, typeText(f.Type))
				}
			}
			if len(f.Names) == 0 && ast.IsExported(embedded(f.Type)) {
				l.add("type %s struct, embeds %s", name, typeText(f.Type))
			}
		}
	case *ast.InterfaceType:
		l.add("%s interface", head)
		for _, f := range t.Methods.List {
			for _, n := range f.Names {
				if n.IsExported() {
					l.add("type %s interface, %s%s", name, n.Name, signature(f.Type.(*ast.FuncType)))
				} else {
					l.add("type %s interface, others cannot implement it", name)
				}
			}
			if len(f.Names) == 0 {
				l.add("type %s interface, embeds %s", name, typeText(f.Type))
			}
		}
	default:
		l.add("%s %s", head, typeText(spec.Type))
	}
}

// typeText writes a type without the names of the parameters of a function.
func typeText(t ast.Expr) string {
	switch t := t.(type) {
	case nil:
		return ""
	case *ast.FuncType:
		return "func" + signature(t)
	}
	return types.ExprString(t)
}

// signature writes parameters and results without their names.
func signature(t *ast.FuncType) string {
	text := "(" + strings.Join(unnamed(t.Params), ", ") + ")"
	switch results := unnamed(t.Results); len(results) {
	case 0:
		return text
	case 1:
		return text + " " + results[0]
	default:
		return text + " (" + strings.Join(results, ", ") + ")"
	}
}

func unnamed(l *ast.FieldList) []string {
	if l == nil {
		return nil
	}
	var all []string
	for _, f := range l.List {
		for range max(1, len(f.Names)) {
			all = append(all, typeText(f.Type))
		}
	}
	return all
}

func typeParams(l *ast.FieldList) string {
	if l == nil {
		return ""
	}
	var all []string
	for _, f := range l.List {
		for _, n := range f.Names {
			all = append(all, n.Name+" "+types.ExprString(f.Type))
		}
	}
	return "[" + strings.Join(all, ", ") + "]"
}
