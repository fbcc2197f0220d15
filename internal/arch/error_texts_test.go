package arch

import (
	"go/ast"
	"go/token"
	"slices"
)

// mayLookAtTexts are the packages that decide something by the text of an error.
var mayLookAtTexts = []exception{
	{"arrowio/errs", "it makes the texts: it spells options and finds the errors that were joined"},
	{"internal/campaign", "it judges what users read of damaged files"},
	{"flight", "it shows the text without the server's paths, and the error itself where there are none"},
}

// deciding are the functions of package strings that say something of a text. Those that make another text of it are allowed.
var deciding = []string{"Compare", "Contains", "ContainsAny", "Count", "EqualFold", "HasPrefix", "HasSuffix", "Index", "LastIndex"}

// checkErrorTexts refuses code that compares the text of errors, or looks for words in it: errors have a kind, a place and a
// cause for errors.Is and errors.As.
func (c *checker) checkErrorTexts(dir string, s *source) {
	if excepted(mayLookAtTexts, dir) {
		return
	}
	for _, d := range s.ast.Decls {
		texts := map[string]bool{} // variables that were given the text of an error
		isText := func(x ast.Expr) bool {
			name, ok := x.(*ast.Ident)
			return ok && texts[name.Name] || callsError(x)
		}
		ast.Inspect(d, func(n ast.Node) bool {
			found := false
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, x := range n.Lhs {
					if name, ok := x.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
						texts[name.Name] = callsError(n.Rhs[i])
					}
				}
			case *ast.BinaryExpr:
				found = (n.Op == token.EQL || n.Op == token.NEQ) && (isText(n.X) || isText(n.Y))
			case *ast.SwitchStmt:
				found = n.Tag != nil && isText(n.Tag)
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(deciding, f.Sel.Name) {
					pkg, ok := f.X.(*ast.Ident)
					found = ok && pkg.Name == "strings" && slices.ContainsFunc(n.Args, isText)
				}
			}
			if found {
				c.fault(c.fset.Position(n.Pos()).String(), "%s looks at the text of an error: use errors.Is, errors.As or a kind of arrowio/errs", dir)
			}
			return true
		})
	}
}

// callsError reports whether x is a call of a method Error without arguments.
func callsError(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok || len(call.Args) > 0 {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	return ok && f.Sel.Name == "Error"
}
