package trevni

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// withoutNulls returns a schema whose named fields cannot be null: fields at the top level, and of structs.
func withoutNulls(s *arrow.Schema, names []string) (*arrow.Schema, error) {
	fields := slices.Clone(s.Fields())
	for _, name := range names {
		if name == "*" {
			for i := range fields {
				fields[i].Nullable = fields[i].Type.ID() == arrow.NULL
			}
			continue
		}
		path, err := expr.Resolve(s, name)
		if err == nil {
			err = notNull(fields, path)
		}
		if err != nil {
			return nil, errs.Errorf(errs.ErrOption, "%w: %q: %w", errs.Opt("trevni-not-null", ""), name, err)
		}
	}
	md := s.Metadata()
	return arrow.NewSchema(fields, &md), nil
}

func notNull(fields []arrow.Field, path []int) error {
	f := &fields[path[0]]
	if len(path) == 1 {
		if f.Type.ID() == arrow.NULL {
			return errs.Errorf(errs.ErrOption, "a column of nulls")
		}
		f.Nullable = false
		return nil
	}
	st, ok := f.Type.(*arrow.StructType)
	if !ok {
		return errs.Errorf(errs.ErrOption, "%s is no struct", f.Name)
	}
	children := slices.Clone(st.Fields())
	if err := notNull(children, path[1:]); err != nil {
		return err
	}
	f.Type = arrow.StructOf(children...)
	return nil
}
