package arrowio

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// slice is array.NewSlice for arrays of which others may read parts already. Arrow's package writes the number of nulls of data of type
// null again for each array that it makes of it, so no two parts share such data. The caller releases the slice.
func slice(a arrow.Array, from, to int64) arrow.Array {
	if !hasNullType(a.DataType()) {
		return array.NewSlice(a, from, to)
	}
	d := array.NewSliceData(a.Data(), from, to)
	defer d.Release()
	own := ownNulls(d)
	defer own.Release()
	return array.MakeFromData(own)
}

// hasNullType reports whether t, or a type below it, is null.
func hasNullType(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.NullType:
		return true
	case arrow.ExtensionType:
		return hasNullType(t.StorageType())
	case arrow.NestedType:
		for _, f := range t.Fields() {
			if hasNullType(f.Type) {
				return true
			}
		}
	}
	return false
}

// ownNulls returns d with other data in the place of what is of type null. The caller releases it.
func ownNulls(d arrow.ArrayData) arrow.ArrayData {
	if d.DataType().ID() == arrow.NULL {
		return array.NewData(d.DataType(), d.Len(), []*memory.Buffer{nil}, nil, d.Len(), d.Offset())
	}
	if !hasNullType(d.DataType()) || len(d.Children()) == 0 {
		d.Retain()
		return d
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, k := range d.Children() {
		children[i] = ownNulls(k)
		defer children[i].Release()
	}
	return array.NewData(d.DataType(), d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
}
