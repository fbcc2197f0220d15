package dataset

import (
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// Exclude returns the paths of columns without the excluded ones, for arrowio.Project. If columns is nil, it starts with all
// columns of s. If a child of a struct is excluded, the other children remain. A path that names no field is errs.ErrSchema.
func Exclude(s *arrow.Schema, columns, excluded []string) ([]string, error) {
	if len(excluded) == 0 {
		return columns, nil
	}
	var out [][]int
	if columns == nil {
		for i := range s.NumFields() {
			out = append(out, []int{i})
		}
	}
	for _, c := range columns {
		path, err := expr.Resolve(s, c)
		if err != nil {
			return nil, errs.Errorf(errs.ErrSchema, "%w", err)
		}
		out = append(out, path)
	}
	for _, c := range excluded {
		path, err := expr.Resolve(s, c)
		if err != nil {
			return nil, errs.Errorf(errs.ErrSchema, "%w", err)
		}
		var rest [][]int
		for _, p := range out {
			rest = append(rest, without(s, p, path)...)
		}
		out = rest
	}
	names, fields := make([]string, len(out)), s.Fields()
	for i, p := range out {
		names[i] = pathName(s, fields, p)
		if !expr.Numbered(names[i]) {
			continue
		}
		if found, err := expr.Resolve(s, names[i]); err != nil || !slices.Equal(found, p) { // a column is called #2
			return nil, errs.Errorf(errs.ErrSchema, "%s: no name and no number chooses this column alone", names[i])
		}
	}
	return names, nil
}

// without returns the paths of what remains of column p without column x.
func without(s *arrow.Schema, p, x []int) [][]int {
	n := min(len(p), len(x))
	switch {
	case !slices.Equal(p[:n], x[:n]):
		return [][]int{p}
	case len(x) <= len(p):
		return nil
	}
	var out [][]int
	fields := fieldsBelow(s, p)
	for i := range fields {
		out = append(out, without(s, append(slices.Clone(p), i), x)...)
	}
	return out
}

// fieldsBelow returns the fields of the struct that a column is, or of the one inside its lists and maps.
func fieldsBelow(s *arrow.Schema, path []int) []arrow.Field {
	fields := s.Fields()
	for _, i := range path {
		fields = structFields(fields[i].Type)
	}
	return fields
}

func structFields(t arrow.DataType) []arrow.Field {
	switch t := t.(type) {
	case *arrow.StructType:
		return t.Fields()
	case *arrow.MapType: // before the list that it is
		return structFields(t.ItemType())
	case arrow.ListLikeType:
		return structFields(t.Elem())
	}
	return nil
}

// pathName returns the path by which Resolve finds a column of s, whose fields are given. The path begins with the column's
// number if other columns have the same name.
func pathName(s *arrow.Schema, fields []arrow.Field, path []int) string {
	names := make([]string, len(path))
	for k, i := range path {
		names[k] = fields[i].Name
		fields = structFields(fields[i].Type)
	}
	if len(s.FieldIndices(names[0])) < 2 {
		return expr.Quote(names...)
	}
	number := "#" + strconv.Itoa(path[0]+1)
	if len(names) == 1 {
		return number
	}
	return number + "." + expr.Quote(names[1:]...)
}

// excludesAll reports whether all of some columns, given by their paths, are excluded.
func excludesAll(excluded, paths []string) bool {
	for _, p := range paths {
		if !slices.Contains(excluded, p) {
			return false
		}
	}
	return true
}
