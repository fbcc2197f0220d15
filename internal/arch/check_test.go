package arch

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// checker walks a module and collects what is wrong with it.
type checker struct {
	fsys   fs.FS
	module string
	fset   *token.FileSet
	faults []string
	notes  []string
}

func (c *checker) fault(where, format string, args ...any) {
	c.faults = append(c.faults, where+": "+fmt.Sprintf(format, args...))
}

// source is one Go file that is part of a package: not one marked //go:build ignore.
type source struct {
	name      string // relative to the module
	ast       *ast.File
	lines     int
	test      bool
	generated bool
}

func (s *source) base() string { return path.Base(s.name) }

func (c *checker) run() error {
	mod, err := fs.ReadFile(c.fsys, "go.mod")
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(mod), "\n")
	c.module = strings.TrimSpace(strings.TrimPrefix(first, "module "))
	c.fset = token.NewFileSet()
	if err := c.root(); err != nil {
		return err
	}
	packages := map[string][]*source{}
	err = fs.WalkDir(c.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if d.IsDir() {
			if name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || strings.Contains(name, "/testdata")) {
				return fs.SkipDir
			}
			if _, err := fs.Stat(c.fsys, path.Join(name, "go.mod")); err == nil && name != "." {
				return fs.SkipDir // a module of its own
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") {
			return nil
		}
		s, err := c.parse(name)
		if err != nil {
			return err
		}
		if s != nil {
			packages[path.Dir(name)] = append(packages[path.Dir(name)], s)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for dir, sources := range packages {
		c.checkPackage(dir, sources)
	}
	slices.Sort(c.faults)
	slices.Sort(c.notes)
	return nil
}

// root checks the top level against its list, apart from what git ignores there by name.
func (c *checker) root() error {
	entries, err := fs.ReadDir(c.fsys, ".")
	if err != nil {
		return err
	}
	ignored := []string{".git"}
	if b, err := fs.ReadFile(c.fsys, ".gitignore"); err == nil {
		for line := range strings.Lines(string(b)) {
			ignored = append(ignored, strings.Trim(strings.TrimSpace(line), "/"))
		}
	}
	for _, e := range entries {
		matches := func(pattern string) bool {
			ok, err := path.Match(pattern, e.Name())
			return ok && err == nil
		}
		if !slices.Contains(topLevel, e.Name()) && !slices.ContainsFunc(ignored, matches) {
			c.fault(e.Name(), "the top level does not hold this")
		}
	}
	return nil
}

func (c *checker) parse(name string) (*source, error) {
	b, err := fs.ReadFile(c.fsys, name)
	if err != nil {
		return nil, err
	}
	f, err := parser.ParseFile(c.fset, name, b, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if ignoredByBuild(f) {
		return nil, nil
	}
	return &source{
		name:      name,
		ast:       f,
		lines:     c.fset.File(f.Pos()).LineCount(),
		test:      strings.HasSuffix(name, "_test.go"),
		generated: ast.IsGenerated(f),
	}, nil
}

// ignoredByBuild reports whether a file says //go:build ignore: a program of its own that lies beside what it makes.
func ignoredByBuild(f *ast.File) bool {
	for _, g := range f.Comments {
		if g.Pos() > f.Package {
			break
		}
		for _, l := range g.List {
			if x, err := constraint.Parse(l.Text); err == nil && x.String() == "ignore" {
				return true
			}
		}
	}
	return false
}

func (c *checker) checkPackage(dir string, sources []*source) {
	code := slices.DeleteFunc(slices.Clone(sources), func(s *source) bool { return s.test })
	if len(code) > 0 {
		c.checkDoc(dir, code)
		c.checkImports(dir, code)
	}
	for _, s := range sources {
		if s.test {
			c.checkSkips(s)
			continue
		}
		c.checkGoroutines(dir, s)
		c.checkErrorTexts(dir, s)
		c.checkSignatures(dir, s)
		if s.generated {
			continue
		}
		c.checkInit(s)
		if s.lines > hardLines {
			c.fault(s.name, "%d lines, at most %d: one concept a file", s.lines, hardLines)
		} else if s.lines > softLines {
			c.notes = append(c.notes, fmt.Sprintf("%s: %d lines, more than %d", s.name, s.lines, softLines))
		}
	}
}

// checkDoc wants "Package name …" in doc.go, or "Name …" in doc.go or main.go of a command, and nowhere else.
func (c *checker) checkDoc(dir string, code []*source) {
	found := false
	for _, s := range code {
		command := s.ast.Name.Name == "main"
		if s.ast.Doc == nil {
			continue
		}
		text := s.ast.Doc.Text()
		switch {
		case s.base() != "doc.go" && !(command && s.base() == "main.go"):
			c.fault(s.name, "package comment belongs in doc.go")
		case !command && !strings.HasPrefix(text, "Package "+s.ast.Name.Name+" "):
			c.fault(s.name, "package comment does not begin with \"Package %s\"", s.ast.Name.Name)
		case strings.TrimSpace(text) == "":
			c.fault(s.name, "package comment is empty")
		default:
			found = true
		}
	}
	if !found {
		c.fault(dir, "no doc.go with a package comment")
	}
}

func (c *checker) checkImports(dir string, code []*source) {
	i := slices.IndexFunc(rules, func(r rule) bool { _, ok := match(r.pkg, dir); return ok })
	if i < 0 {
		c.fault(dir, "no rule says what this package may import; see rules_test.go")
		return
	}
	r := rules[i]
	star, _ := match(r.pkg, dir)
	wire := strings.HasSuffix(dir, "wire") && strings.HasPrefix(dir, "internal/")
	for _, s := range code {
		for _, spec := range s.ast.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			at := c.fset.Position(spec.Pos()).String()
			own, inside := strings.CutPrefix(imported, c.module+"/")
			switch {
			case imported == "C":
				if !within("cmd/libarrowio/**", dir) && !slices.Contains([]string{"internal/arrowc", "internal/duckdb", "internal/duckext"}, dir) {
					c.fault(at, "cgo is for cmd/libarrowio, internal/arrowc, internal/duckdb and internal/duckext alone")
				}
			case inside:
				if !strings.HasPrefix(own, dir+"/") && !slices.ContainsFunc(r.may, func(p string) bool {
					return within(strings.ReplaceAll(p, "$", star), own)
				}) {
					c.fault(at, "%s may not import %s: rule %q: %s", dir, own, r.pkg, r.why)
				}
			case slices.ContainsFunc(r.never, func(p string) bool { return within(p, imported) }):
				c.fault(at, "%s may not import %s: rule %q: %s", dir, imported, r.pkg, r.why)
			case wire && within(arrowPath, imported) && !strings.HasPrefix(s.base(), "arrow"):
				c.fault(at, "only arrow*.go of a wire package may import %s", imported)
			}
		}
	}
}

// checkInit refuses init functions: what a package offers is an exported value that callers list.
func (c *checker) checkInit(s *source) {
	for _, d := range s.ast.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			c.fault(c.fset.Position(f.Pos()).String(), "init function: nothing registers itself, tables are values")
		}
	}
}

// checkSkips refuses Skip, Skipf and SkipNow on what a file calls a testing.T, B, F or TB.
func (c *checker) checkSkips(s *source) {
	testers := map[string]bool{}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncType); ok {
			for _, p := range f.Params.List {
				if isTester(p.Type) {
					for _, name := range p.Names {
						testers[name.Name] = true
					}
				}
			}
		}
		return true
	})
	ast.Inspect(s.ast, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && testers[x.Name] && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) {
			c.fault(c.fset.Position(sel.Pos()).String(), "%s.%s: no test is skipped; one that needs a tool has a build tag", x.Name, sel.Sel.Name)
		}
		return true
	})
}

// isTester reports whether a parameter's type is *testing.T, *testing.B, *testing.F or testing.TB.
func isTester(x ast.Expr) bool {
	if p, ok := x.(*ast.StarExpr); ok {
		x = p.X
	}
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "testing" && slices.Contains([]string{"T", "B", "F", "TB"}, sel.Sel.Name)
}

// match reports whether a package matches a rule's pattern, and what its * stands for.
func match(pattern, pkg string) (star string, ok bool) {
	if below, deep := strings.CutSuffix(pattern, "/**"); deep {
		for p := pkg; p != "."; p = path.Dir(p) {
			if star, ok = match(below, p); ok {
				return star, true
			}
		}
		return "", false
	}
	if ok, err := path.Match(pattern, pkg); !ok || err != nil {
		return "", false
	}
	before, after, found := strings.Cut(pattern, "*")
	if !found {
		return "", true
	}
	return pkg[len(before) : len(pkg)-len(after)], true
}

// within reports whether an import path is one that the pattern means.
func within(pattern, imported string) bool {
	_, ok := match(pattern, imported)
	return ok
}
