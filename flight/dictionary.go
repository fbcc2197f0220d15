package flight

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/dataset"
)

// plainDictionaries returns d with plain values where it has dictionaries: files are shown under the dataset's schema
// whatever their own is.
func plainDictionaries(d *dataset.Dataset) *dataset.Dataset {
	fields := make([]arrow.Field, d.Schema.NumFields())
	changed := false
	for i, f := range d.Schema.Fields() {
		t := plain(f.Type)
		changed = changed || t != f.Type
		f.Type = t
		fields[i] = f
	}
	if !changed {
		return d
	}
	md := d.Schema.Metadata()
	out := *d
	out.Schema = arrow.NewSchema(fields, &md)
	return &out
}

// plain returns t with the values' types where it has dictionaries; t itself where it has none, or where a type holds
// them that cannot be shown otherwise.
func plain(t arrow.DataType) arrow.DataType {
	field := func(f arrow.Field) (arrow.Field, bool) {
		p := plain(f.Type)
		same := p == f.Type
		f.Type = p
		return f, !same
	}
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return plain(t.ValueType)
	case *arrow.ListType:
		if f, ok := field(t.ElemField()); ok {
			return arrow.ListOfField(f)
		}
	case *arrow.LargeListType:
		if f, ok := field(t.ElemField()); ok {
			return arrow.LargeListOfField(f)
		}
	case *arrow.FixedSizeListType:
		if f, ok := field(t.ElemField()); ok {
			return arrow.FixedSizeListOfField(t.Len(), f)
		}
	case *arrow.MapType:
		k, kc := field(t.KeyField())
		v, vc := field(t.ItemField())
		if kc || vc {
			m := arrow.MapOfWithMetadata(k.Type, k.Metadata, v.Type, v.Metadata)
			m.KeysSorted = t.KeysSorted
			m.SetItemNullable(v.Nullable)
			return m
		}
	case *arrow.StructType:
		fields := make([]arrow.Field, t.NumFields())
		changed := false
		for i, f := range t.Fields() {
			var c bool
			fields[i], c = field(f)
			changed = changed || c
		}
		if changed {
			return arrow.StructOf(fields...)
		}
	}
	return t
}
