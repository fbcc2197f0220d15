package view

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// LeftOut returns the paths of the columns of f, and of the children of structs in them, that Show of f under `to` does not show, because
// `to` does not have them. Of a column that is left out the children are not listed. The error is that of Show if columns cannot be matched.
func LeftOut(f arrowio.File, to *arrow.Schema, o Options) ([]string, error) {
	var x leaving
	if c, ok := composedIn(f); ok && o.Columns == nil && o.Constants == nil {
		x.rules = o.fileRules()
		for _, m := range c.MatchFiles(to, o) {
			x.fields(m.Schema.Fields(), to.Fields(), m.Columns, nil)
		}
		return x.paths, nil
	}
	own := f.Schema()
	r, columns, err := matched(own, to, o)
	if err != nil {
		return nil, err
	}
	x.rules = r
	x.fields(own.Fields(), to.Fields(), columns, nil)
	return x.paths, nil
}

// leaving grows field by field.
type leaving struct {
	rules
	paths []string
}

// fields looks at two lists of fields; at is the one of `from` for each of `to`, -1 = none.
func (x *leaving) fields(from, to []arrow.Field, at []int, above []string) {
	used := make([]bool, len(from))
	for i, f := range to {
		if at[i] >= 0 {
			used[at[i]] = true
			x.inside(from[at[i]].Type, f.Type, append(slices.Clone(above), from[at[i]].Name))
		}
	}
	for i, f := range from {
		if path := expr.Quote(append(slices.Clone(above), f.Name)...); !used[i] && !slices.Contains(x.paths, path) {
			x.paths = append(x.paths, path)
		}
	}
}

func (x *leaving) inside(from, to arrow.DataType, path []string) {
	a, b := arrowtype.Value(from), arrowtype.Value(to)
	s, ok := a.(*arrow.StructType)
	t, both := b.(*arrow.StructType)
	switch {
	case ok && both:
		at := make([]int, t.NumFields())
		for i := range at {
			at[i] = x.find(s.Fields(), t.Field(i).Name)
		}
		x.fields(s.Fields(), t.Fields(), at, path)
	case ok || both: // the types do not fit, or are cast
	default:
		in, out := fieldsIn(a), fieldsIn(b)
		for i := range min(len(in), len(out)) {
			x.inside(in[i].Type, out[i].Type, append(slices.Clone(path), in[i].Name))
		}
	}
}
