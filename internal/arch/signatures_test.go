package arch

import (
	"go/ast"
	"path"
	"strconv"
	"strings"
)

// isPublic reports whether users may import a package.
func isPublic(dir string) bool {
	if strings.Contains("/"+dir+"/", "/internal/") {
		return false
	}
	top, _, _ := strings.Cut(dir, "/")
	switch top {
	case "arrowio", "readers", "writers", "convert", "flight":
		return true
	}
	return false
}

// checkSignatures refuses types of internal packages in what a public package exports: users can neither name them nor look
// them up. It looks at what the source says, not at what the compiler infers.
func (c *checker) checkSignatures(dir string, s *source) {
	if !isPublic(dir) {
		return
	}
	internal := map[string]string{} // packages by their names in this file
	for _, spec := range s.ast.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		own, inside := strings.CutPrefix(imported, c.module+"/")
		if err != nil || !inside || isPublic(own) {
			continue
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		internal[name] = own
	}
	if len(internal) == 0 {
		return
	}
	x := signatures{checker: c, internal: internal}
	for _, d := range s.ast.Decls {
		x.declaration(d)
	}
}

// signatures looks at the declarations of a file.
type signatures struct {
	*checker
	internal map[string]string
}

func (x *signatures) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			receiver := receiverOf(d.Recv.List[0].Type)
			if !ast.IsExported(receiver) {
				return
			}
			name = receiver + "." + name
		}
		if d.Name.IsExported() {
			x.typ(name, d.Type)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					x.typ(spec.Name.Name, spec.Type)
				}
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					if n.IsExported() && spec.Type != nil {
						x.typ(n.Name, spec.Type)
					}
				}
			}
		}
	}
}

// receiverOf returns the name of the type of a receiver.
func receiverOf(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiverOf(t.X)
	case *ast.IndexExpr:
		return receiverOf(t.X)
	case *ast.IndexListExpr:
		return receiverOf(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// typ reports the internal types that a type shows. Fields that are not exported are not shown.
func (x *signatures) typ(name string, t ast.Node) {
	ast.Inspect(t, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			for _, f := range n.Fields.List {
				for _, field := range f.Names {
					if field.IsExported() {
						x.typ(name+"."+field.Name, f.Type)
					}
				}
				if len(f.Names) == 0 && ast.IsExported(embedded(f.Type)) {
					x.typ(name+"."+embedded(f.Type), f.Type)
				}
			}
			return false
		case *ast.SelectorExpr:
			p, ok := n.X.(*ast.Ident)
			if !ok || x.internal[p.Name] == "" {
				return false
			}
			x.fault(x.fset.Position(n.Pos()).String(), "%s shows %s.%s of %s, which users cannot name", name, p.Name, n.Sel.Name, x.internal[p.Name])
			return false
		}
		return true
	})
}

// embedded returns the name of the field that an embedded type makes.
func embedded(t ast.Expr) string {
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if s, ok := t.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return receiverOf(t)
}
