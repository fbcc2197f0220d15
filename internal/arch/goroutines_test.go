package arch

import (
	"go/ast"
	"slices"
)

// exception is a package that may do what others leave to internal/workers. pkg is a pattern as in rule.
type exception struct {
	pkg string
	why string
}

// mayStart are the packages that start goroutines themselves.
var mayStart = []exception{
	{"internal/workers", "it is what the others use"},
	{"arrowio", "a scan decodes splits ahead, in order and within a budget of memory"},
	{"arrowio/dataset", "files are opened before their turn"},
	{"arrowio/conformance", "a file is scanned several times at once, as callers may do it"},
	{"flight/**", "an RPC may end before what it started; gRPC has servers of its own"},
	{"cmd/arrowio", "signals, the line of progress and HTTP servers last as long as the command"},
	{"cmd/libarrowio", "a call goes on while the caller, in C, does something else"},
	{"internal/arrowc", "a stream is read while its consumer, in C, does something else"},
	{"internal/duckdb", "a query is interrupted while it runs in C"},
	{"internal/metastorefake", "a server answers while the tests that started it ask"},
	{"internal/remote", "the first request that fails cancels the others"},
	{"internal/s3store", "parts are uploaded while the next one is written"},
	{"examples/**", "they show what a program does"},
	{"testdata/**", "programs that put load on a server"},
}

// mayRecover are the packages that recover from panics themselves.
var mayRecover = []exception{
	{"internal/workers", "Guard, Catch and Foreign are what the others use"},
}

func excepted(list []exception, dir string) bool {
	return slices.ContainsFunc(list, func(e exception) bool { return within(e.pkg, dir) })
}

// checkGoroutines refuses go statements, Go methods (those of sync.WaitGroup and errgroup.Group start a goroutine) and
// calls of recover where no exception allows them.
func (c *checker) checkGoroutines(dir string, s *source) {
	start, recovers := excepted(mayStart, dir), excepted(mayRecover, dir)
	fault := func(n ast.Node, what string) {
		c.fault(c.fset.Position(n.Pos()).String(), "%s %s: use internal/workers, or list an exception in goroutines_test.go", dir, what)
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if !start {
				fault(n, "starts a goroutine")
			}
		case *ast.CallExpr:
			switch f := n.Fun.(type) {
			case *ast.Ident:
				if f.Name == "recover" && !recovers {
					fault(n, "calls recover")
				}
			case *ast.SelectorExpr:
				if x, ok := f.X.(*ast.Ident); f.Sel.Name == "Go" && !start && !(ok && x.Name == "workers") {
					fault(n, "starts a goroutine")
				}
			}
		}
		return true
	})
}
