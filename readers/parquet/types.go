package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// settle corrects the types that arrow's package gives to a field and to what is below it. It takes every timestamp for
// an instant, and forgets what nested types know of their children: names, metadata, and whether they can be null.
// stored is the field in the Arrow schema of the file, nil where there is none.
func settle(f *pqarrow.SchemaField, s *schema.Schema, stored *arrow.Field) {
	if stored != nil && f.Field.Name == stored.Name {
		f.Field.Metadata = merge(stored.Metadata, f.Field.Metadata)
	}
	f.Field.Metadata = withoutID(f.Field.Metadata)
	if isLeaf(f) {
		if t, ok := f.Field.Type.(*arrow.TimestampType); ok {
			f.Field.Type = timestamp(t, s.Column(f.ColIndex).LogicalType(), stored)
		}
		return
	}
	for i := range f.Children {
		settle(&f.Children[i], s, storedChild(stored, i, len(f.Children)))
	}
	switch t := f.Field.Type.(type) {
	case *arrow.StructType:
		fields := make([]arrow.Field, len(f.Children))
		for i := range fields {
			fields[i] = *f.Children[i].Field
		}
		f.Field.Type = arrow.StructOf(fields...)
	case *arrow.ListType:
		f.Field.Type = arrow.ListOfField(item(f, stored))
	case *arrow.FixedSizeListType:
		f.Field.Type = arrow.FixedSizeListOfField(t.Len(), item(f, stored))
	case *arrow.MapType:
		settleMap(f, stored)
	}
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
