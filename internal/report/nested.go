package report

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// repeating returns the paths of the outermost columns of a schema whose elements, entries or branches are columns of their own. Filters
// are not about what is inside of them, nor is the order of rows, and no command chooses it alone.
func repeating(s *arrow.Schema) (out []string) {
	if s == nil {
		return nil
	}
	var visit func(above []string, fields []arrow.Field)
	visit = func(above []string, fields []arrow.Field) {
		for _, f := range fields {
			path := append(above[:len(above):len(above)], f.Name)
			switch t := f.Type.(type) {
			case *arrow.StructType:
				visit(path, t.Fields())
			case arrow.NestedType:
				out = append(out, expr.Quote(path...))
			}
		}
	}
	visit(nil, s.Fields())
	return out
}

// isInside reports whether a stored column is inside of one of the columns at the paths.
func isInside(path string, of []string) bool {
	for _, p := range of {
		if rest, ok := strings.CutPrefix(path, p); ok && rest != "" && (rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}
