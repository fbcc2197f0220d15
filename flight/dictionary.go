package flight

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/internal/arrowtype"
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
	switch x := t.(type) {
	case *arrow.DictionaryType:
		return plain(x.ValueType)
	case *arrow.ListType, *arrow.LargeListType, *arrow.FixedSizeListType, *arrow.MapType, *arrow.StructType:
		same := true
		out := arrowtype.Inside(t, func(t arrow.DataType) arrow.DataType {
			p := plain(t)
			same = same && p == t
			return p
		})
		if !same {
			return out
		}
	}
	return t
}
