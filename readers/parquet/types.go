package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// settle gives a field, and what is below it, the type that it has in Arrow. Arrow's package takes every timestamp for an
// instant, and forgets what nested types know of their children: names, metadata, and whether they can be null. stored
// is the field in the Arrow schema that the file carries, nil where there is none; arrow's package does not get to see
// it. What it says counts as far as the stored columns can be read that way.
func settle(f *pqarrow.SchemaField, s *schema.Schema, stored *arrow.Field) {
	if stored != nil {
		plain := *stored
		plain.Type = storage(stored.Type)
		stored = &plain
		if f.Field.Name == stored.Name {
			f.Field.Metadata = merge(stored.Metadata, f.Field.Metadata)
		}
	}
	f.Field.Metadata = withoutID(f.Field.Metadata)
	if isLeaf(f) {
		f.Field.Type = leafType(f.Field.Type, s.Column(f.ColIndex).LogicalType(), stored)
		return
	}
	for i := range f.Children {
		settle(&f.Children[i], s, storedChild(stored, i, len(f.Children)))
	}
	switch f.Field.Type.(type) {
	case *arrow.StructType:
		fields := make([]arrow.Field, len(f.Children))
		for i := range fields {
			fields[i] = *f.Children[i].Field
		}
		f.Field.Type = arrow.StructOf(fields...)
	case *arrow.ListType, *arrow.FixedSizeListType:
		f.Field.Type = arrow.ListOfField(item(f, stored))
		if stored != nil {
			if t, ok := stored.Type.(*arrow.FixedSizeListType); ok {
				f.Field.Type = arrow.FixedSizeListOfField(t.Len(), item(f, stored))
			}
		}
	case *arrow.MapType:
		settleMap(f, stored)
	}
}

// leafType returns the type of a leaf that Parquet has as t.
func leafType(t arrow.DataType, l schema.LogicalType, stored *arrow.Field) arrow.DataType {
	if t, ok := t.(*arrow.TimestampType); ok {
		return timestamp(t, l, stored)
	}
	if stored == nil {
		return t
	}
	want := stored.Type
	switch w := want.(type) {
	case *arrow.DictionaryType:
		if t.ID() == arrow.STRING || t.ID() == arrow.BINARY {
			return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: t, Ordered: w.Ordered}
		}
	case *arrow.LargeStringType:
		if t.ID() == arrow.STRING {
			return want
		}
	case *arrow.LargeBinaryType:
		if t.ID() == arrow.BINARY {
			return want
		}
	case *arrow.Decimal256Type:
		if d, ok := t.(*arrow.Decimal128Type); ok && d.Precision == w.Precision && d.Scale == w.Scale {
			return want
		}
	}
	return t
}

// storage returns t without the extension types at and below it.
func storage(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return storage(t.StorageType())
	case *arrow.StructType:
		fields := t.Fields()
		for i := range fields {
			fields[i].Type = storage(fields[i].Type)
		}
		return arrow.StructOf(fields...)
	case *arrow.ListType:
		e := t.ElemField()
		e.Type = storage(e.Type)
		return arrow.ListOfField(e)
	case *arrow.FixedSizeListType:
		e := t.ElemField()
		e.Type = storage(e.Type)
		return arrow.FixedSizeListOfField(t.Len(), e)
	case *arrow.MapType:
		m := arrow.MapOfWithMetadata(storage(t.KeyType()), t.KeyField().Metadata, storage(t.ItemType()), t.ItemField().Metadata)
		m.SetItemNullable(t.ItemField().Nullable)
		m.KeysSorted = t.KeysSorted
		return m
	}
	return t
}

// as returns d, whose type is the storage of t, as t. The caller releases it.
func as(d arrow.ArrayData, t arrow.DataType) arrow.ArrayData {
	if arrow.TypeEqual(d.DataType(), t) {
		d.Retain()
		return d
	}
	inner := t
	for {
		e, ok := inner.(arrow.ExtensionType)
		if !ok {
			break
		}
		inner = e.StorageType()
	}
	var kids []arrow.ArrayData
	if n, ok := inner.(arrow.NestedType); ok {
		for i, f := range n.Fields() {
			k := as(d.Children()[i], f.Type)
			defer k.Release()
			kids = append(kids, k)
		}
	}
	if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil {
		return array.NewDataWithDictionary(t, d.Len(), d.Buffers(), d.NullN(), d.Offset(), dict)
	}
	return array.NewData(t, d.Len(), d.Buffers(), kids, d.NullN(), d.Offset())
}

// settleMap gives a map, and the entries below it, the type that their fields make.
func settleMap(f *pqarrow.SchemaField, stored *arrow.Field) {
	entries := &f.Children[0]
	if len(entries.Children) != 2 { // a map without values is a list of keys
		f.Field.Type = arrow.ListOfField(*entries.Field)
		return
	}
	key, value := entries.Children[0].Field, entries.Children[1].Field
	m := arrow.MapOfWithMetadata(key.Type, key.Metadata, value.Type, value.Metadata)
	m.SetItemNullable(value.Nullable)
	if stored != nil {
		if o, ok := stored.Type.(*arrow.MapType); ok {
			m.KeysSorted = o.KeysSorted
		}
	}
	f.Field.Type = m
	entries.Field.Type = m.Elem()
}

// item returns the field of a list's items, under the name that the stored schema has for it.
func item(f *pqarrow.SchemaField, stored *arrow.Field) arrow.Field {
	out := *f.Children[0].Field
	out.Name = "item"
	if s := storedChild(stored, 0, 1); s != nil {
		out.Name, out.Metadata = s.Name, s.Metadata
	}
	return out
}

// storedChild returns child i of n of a stored field, nil where it has other children.
func storedChild(stored *arrow.Field, i, n int) *arrow.Field {
	if stored == nil {
		return nil
	}
	t, ok := stored.Type.(arrow.NestedType)
	if !ok || t.NumFields() != n {
		return nil
	}
	f := t.Fields()[i]
	return &f
}

// timestamp returns the type with the zone that the stored schema says, else UTC for instants and none for local times.
func timestamp(t *arrow.TimestampType, l schema.LogicalType, stored *arrow.Field) arrow.DataType {
	if stored != nil {
		if o, ok := stored.Type.(*arrow.TimestampType); ok {
			return &arrow.TimestampType{Unit: t.Unit, TimeZone: o.TimeZone}
		}
	}
	if l, ok := l.(interface{ IsAdjustedToUTC() bool }); ok && !l.IsAdjustedToUTC() {
		return &arrow.TimestampType{Unit: t.Unit}
	}
	return t
}

// merge returns a with what b has besides.
func merge(a, b arrow.Metadata) arrow.Metadata {
	keys, values := a.Keys(), a.Values()
	for i, k := range b.Keys() {
		if a.FindKey(k) < 0 {
			keys, values = append(keys[:len(keys):len(keys)], k), append(values[:len(values):len(values)], b.Values()[i])
		}
	}
	return arrow.NewMetadata(keys, values)
}

// withoutID drops the field id that arrow's package gives to fields that have none.
func withoutID(md arrow.Metadata) arrow.Metadata {
	const key, none = "PARQUET:field_id", "-1"
	if v, ok := md.GetValue(key); !ok || v != none {
		return md
	}
	var keys, values []string
	for i, k := range md.Keys() {
		if k != key {
			keys, values = append(keys, k), append(values, md.Values()[i])
		}
	}
	return arrow.NewMetadata(keys, values)
}
