package expr

import "github.com/apache/arrow/go/v15/arrow"

// Exact returns e with each column named by its full path in s, every name in quotes and spelled as in s. So e means the same
// columns under a schema that has those of s and others, as long as no two columns or children of one struct there have one name.
func Exact(e Expr, s *arrow.Schema) (Expr, error) {
	b := binder{schema: s, bound: &Bound{}}
	if _, err := b.node(e); err != nil {
		return nil, &BindError{err}
	}
	return mapColumns(e, func(path string) string {
		c := b.bound.cols[b.paths[path]]
		return quoteAll(c.names) + c.inner
	}), nil
}

// ExactPath returns the path that leads from a top-level field through the named children, with every name in quotes: unlike a path
// of Quote it names nothing else where a name has dots.
func ExactPath(names ...string) string { return quoteAll(names) }
