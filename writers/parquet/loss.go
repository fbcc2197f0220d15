package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"
)

// loss says what reading a type back does not show, "" = nothing.
func loss(t arrow.DataType) string {
	if back := comesBack(t); !arrow.TypeEqual(t, back, arrow.CheckMetadata()) || back.Fingerprint() != t.Fingerprint() || back.String() != t.String() {
		return "the type: it is read back as " + back.String()
	}
	return ""
}

// comesBack returns the type as which a type is read back.
func comesBack(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.TimestampType:
		if t.Unit == arrow.Second {
			return &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: t.TimeZone}
		}
	case *arrow.Time32Type:
		return arrow.FixedWidthTypes.Time32ms
	case *arrow.Date64Type:
		return arrow.FixedWidthTypes.Date32
	case *arrow.RunEndEncodedType:
		return comesBack(t.Encoded())
	case *arrow.DictionaryType:
		if v := valueType(t); arrow.IsBinaryLike(v.ID()) {
			return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: v, Ordered: t.Ordered}
		}
		return comesBack(t.ValueType)
	case *arrow.StructType:
		fields := make([]arrow.Field, t.NumFields())
		for i, f := range t.Fields() {
			fields[i] = fieldComesBack(f)
		}
		return arrow.StructOf(fields...)
	case *arrow.MapType:
		key, item := t.KeyField(), t.ItemField()
		m := arrow.MapOfWithMetadata(comesBack(key.Type), key.Metadata, comesBack(item.Type), item.Metadata)
		m.SetItemNullable(item.Nullable)
		m.KeysSorted = t.KeysSorted
		return m
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), fieldComesBack(t.ElemField()))
	case *arrow.LargeListType:
		return arrow.LargeListOfField(fieldComesBack(t.ElemField()))
	case arrow.ListLikeType:
		return arrow.ListOfField(fieldComesBack(t.ElemField()))
	case arrow.ExtensionType:
		return t
	}
	return t
}

func fieldComesBack(f arrow.Field) arrow.Field {
	f.Type = comesBack(f.Type)
	return f
}
