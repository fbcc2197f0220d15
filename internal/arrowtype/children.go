package arrowtype

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Children returns the fields inside a list, a struct, a union or a map, whose fields are key and value; nil = t is another type.
// The caller may change the slice.
func Children(t arrow.DataType) []arrow.Field {
	switch t := t.(type) {
	case *arrow.MapType:
		return []arrow.Field{t.KeyField(), t.ItemField()}
	case arrow.ListLikeType:
		return []arrow.Field{t.ElemField()}
	case *arrow.StructType:
		return append([]arrow.Field{}, t.Fields()...)
	case arrow.UnionType:
		return append([]arrow.Field{}, t.Fields()...)
	}
	return nil
}

// WithChildren returns a type like t with other children, in the order of Children; t itself if t has none.
func WithChildren(t arrow.DataType, children []arrow.Field) arrow.DataType {
	switch t := t.(type) {
	case *arrow.MapType:
		key, item := children[0], children[1]
		m := arrow.MapOfWithMetadata(key.Type, key.Metadata, item.Type, item.Metadata)
		m.SetItemNullable(item.Nullable)
		m.KeysSorted = t.KeysSorted
		return m
	case *arrow.ListType:
		return arrow.ListOfField(children[0])
	case *arrow.LargeListType:
		return arrow.LargeListOfField(children[0])
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), children[0])
	case *arrow.ListViewType:
		return arrow.ListViewOfField(children[0])
	case *arrow.LargeListViewType:
		return arrow.LargeListViewOfField(children[0])
	case *arrow.StructType:
		return arrow.StructOf(children...)
	case *arrow.SparseUnionType:
		return arrow.SparseUnionOf(children, t.TypeCodes())
	case *arrow.DenseUnionType:
		return arrow.DenseUnionOf(children, t.TypeCodes())
	}
	return t
}

// Inside returns t with the types of its children replaced by what change returns for them; t itself if t has none.
func Inside(t arrow.DataType, change func(arrow.DataType) arrow.DataType) arrow.DataType {
	children := Children(t)
	for i := range children {
		children[i].Type = change(children[i].Type)
	}
	return WithChildren(t, children)
}

// MostMaps is how many maps may lie within one another in what is read. Arrow v15 makes the arrays inside a map twice, so
// that each map within a map doubles them.
const MostMaps = 16

// Maps returns how many maps lie within one another in t.
func Maps(t arrow.DataType) int {
	n := 0
	for _, c := range Children(Value(t)) {
		n = max(n, Maps(c.Type))
	}
	if Value(t).ID() == arrow.MAP {
		n++
	}
	return n
}

// CheckMaps refuses a schema with more than MostMaps maps within one another; nil has none.
func CheckMaps(s *arrow.Schema) error {
	if s == nil {
		return nil
	}
	for _, f := range s.Fields() {
		if n := Maps(f.Type); n > MostMaps {
			return errs.Locate(errs.Errorf(errs.ErrLimit, "%d maps within one another, of which %d at most are read: Arrow would make their arrays 2^%d times", n, MostMaps, n), errs.At{Column: f.Name})
		}
	}
	return nil
}
