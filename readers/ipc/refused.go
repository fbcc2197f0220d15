package ipc

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowipc"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// refusal says why something of a field that keep names, nil = all, cannot be read, and its path below the field as far as that
// leads through structs; "" = all of it can be read.
func refusal(n *arrowipc.Node, keep []arrowio.ProjectedField) (path []string, why string) {
	if n.Dict != nil {
		return refusal(n.Dict, nil)
	}
	switch t := arrowtype.Storage(n.Type).(type) {
	case *arrow.StructType:
		if keep == nil {
			for i := range n.Children {
				keep = append(keep, arrowio.ProjectedField{Index: i})
			}
		}
		for _, k := range keep {
			if below, why := refusal(n.Children[k.Index], k.Children); why != "" {
				return append([]string{t.Field(k.Index).Name}, below...), why
			}
		}
		return nil, ""
	case *arrow.MapType:
		if entries := n.Children[0].Children; len(entries) == 2 {
			if _, why := refusal(entries[0], nil); why != "" {
				return nil, why
			}
			_, why = refusal(entries[1], keep)
			return nil, why
		}
	}
	for _, k := range n.Children {
		if _, why := refusal(k, keep); why != "" {
			return nil, why
		}
	}
	return nil, n.Refused
}

// refuse returns the error of a column of p that cannot be read.
func refuse(s *arrowipc.Schema, p arrowio.Projection) error {
	for _, f := range p.Fields {
		if path, why := refusal(s.Columns[f.Index], f.Children); why != "" {
			name := expr.Quote(append([]string{s.Arrow.Field(f.Index).Name}, path...)...)
			return errs.Locate(errs.Errorf(errs.ErrUnsupported, "%s; %w leaves it out", why, errs.Opt("exclude", name)), errs.At{Column: name})
		}
	}
	return nil
}

// refused returns the names of top-level columns of which something cannot be read.
func refused(s *arrowipc.Schema) (names []string) {
	for i, n := range s.Columns {
		if _, why := refusal(n, nil); why != "" {
			names = append(names, s.Arrow.Field(i).Name)
		}
	}
	return names
}

// Refuses implements arrowio.Refuser.
func (f *file) Refuses() bool { return len(f.RefusedColumns()) > 0 }

// RefusedColumns returns the names of columns of which something cannot be read.
func (f *file) RefusedColumns() []string { return refused(f.Footer.Schema) }

// Refuses implements arrowio.Refuser.
func (s *stream) Refuses() bool { return len(s.RefusedColumns()) > 0 }

// RefusedColumns returns the names of columns of which something cannot be read.
func (s *stream) RefusedColumns() []string { return refused(s.schema) }
