package extsort

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// layout is a type as it is given and as it is sorted: without dictionaries, which are uint32 columns instead.
type layout struct {
	outer, inner arrow.DataType
	dict         *dictionary // this is one
	children     []*layout   // where one of them has a dictionary
}

func newLayout(dt arrow.DataType, mem memory.Allocator) *layout {
	l := &layout{outer: dt, inner: dt}
	storage := arrowtype.Storage(dt)
	if t, ok := storage.(*arrow.DictionaryType); ok {
		l.inner = arrow.PrimitiveTypes.Uint32
		l.dict = newDictionary(t, mem)
		return l
	}
	types := childTypes(storage)
	children := make([]*layout, len(types))
	changed := false
	for i, t := range types {
		children[i] = newLayout(t, mem)
		types[i] = children[i].inner
		changed = changed || !children[i].same()
	}
	if changed {
		l.children = children
		l.inner = withChildTypes(storage, types)
	}
	return l
}

// same reports whether arrays need not be touched.
func (l *layout) same() bool { return l.dict == nil && l.children == nil }

// each calls f for every dictionary.
func (l *layout) each(f func(*dictionary)) {
	if l.dict != nil {
		f(l.dict)
	}
	for _, k := range l.children {
		k.each(f)
	}
}

// enter returns d as it is sorted. The caller keeps d and releases the result.
func (l *layout) enter(d arrow.ArrayData) (arrow.ArrayData, error) {
	if l.same() {
		d.Retain()
		return d, nil
	}
	if l.dict != nil {
		return l.dict.enter(d)
	}
	return l.rebuild(d, l.inner, (*layout).enter)
}

// leave returns d, which enter made or which was made of such, as it was given. The caller keeps d and releases the result.
func (l *layout) leave(d arrow.ArrayData) (arrow.ArrayData, error) {
	if l.same() {
		d.Retain()
		return d, nil
	}
	if l.dict != nil {
		return l.dict.leave(d, l.outer)
	}
	return l.rebuild(d, l.outer, (*layout).leave)
}

// rebuild returns d with other children, as type dt.
func (l *layout) rebuild(d arrow.ArrayData, dt arrow.DataType, through func(*layout, arrow.ArrayData) (arrow.ArrayData, error)) (arrow.ArrayData, error) {
	children := make([]arrow.ArrayData, 0, len(l.children))
	defer func() {
		for _, k := range children {
			k.Release()
		}
	}()
	for i, c := range d.Children() {
		k, err := through(l.children[i], c)
		if err != nil {
			return nil, err
		}
		children = append(children, k)
	}
	// NewData keeps the slices that it is given.
	return array.NewData(dt, d.Len(), append([]*memory.Buffer(nil), d.Buffers()...), append([]arrow.ArrayData(nil), children...), d.NullN(), d.Offset()), nil
}

// childTypes returns the types of an array's children. The caller may change it.
func childTypes(dt arrow.DataType) []arrow.DataType {
	switch t := dt.(type) {
	case *arrow.RunEndEncodedType:
		return []arrow.DataType{t.RunEnds(), t.Encoded()}
	case *arrow.MapType:
		return []arrow.DataType{t.Elem()}
	case arrow.ListLikeType:
		return []arrow.DataType{t.Elem()}
	case arrow.NestedType:
		types := make([]arrow.DataType, t.NumFields())
		for i, f := range t.Fields() {
			types[i] = f.Type
		}
		return types
	}
	return nil
}

// withChildTypes returns a type of the same memory layout as dt with other children.
func withChildTypes(dt arrow.DataType, types []arrow.DataType) arrow.DataType {
	elem := arrow.Field{Name: "item", Type: types[0], Nullable: true}
	switch t := dt.(type) {
	case *arrow.RunEndEncodedType:
		return arrow.RunEndEncodedOf(types[0], types[1])
	case *arrow.LargeListType:
		return arrow.LargeListOfField(elem)
	case *arrow.ListViewType:
		return arrow.ListViewOfField(elem)
	case *arrow.LargeListViewType:
		return arrow.LargeListViewOfField(elem)
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), elem)
	case arrow.ListLikeType: // a map is a list of its entries
		return arrow.ListOfField(elem)
	case *arrow.StructType:
		return arrow.StructOf(withTypes(t.Fields(), types)...)
	case *arrow.SparseUnionType:
		return arrow.SparseUnionOf(withTypes(t.Fields(), types), t.TypeCodes())
	case *arrow.DenseUnionType:
		return arrow.DenseUnionOf(withTypes(t.Fields(), types), t.TypeCodes())
	}
	return dt
}

func withTypes(fields []arrow.Field, types []arrow.DataType) []arrow.Field {
	out := append([]arrow.Field(nil), fields...)
	for i := range out {
		out[i].Type = types[i]
	}
	return out
}
