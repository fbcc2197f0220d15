package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// loss says what reading a type back does not show, "" = nothing.
func loss(t arrow.DataType) string {
	if back := comesBack(t); !arrow.TypeEqual(t, back, arrow.CheckMetadata()) || back.Fingerprint() != t.Fingerprint() || back.String() != t.String() {
		return "comes back as " + back.String()
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
		return bare(t.Encoded())
	case *arrow.DictionaryType:
		switch arrowtype.Storage(t.ValueType).ID() {
		case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
			return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String, Ordered: t.Ordered}
		case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
			return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.Binary, Ordered: t.Ordered}
		}
		return bare(t.ValueType)
	case *arrow.StructType, *arrow.MapType, *arrow.FixedSizeListType, *arrow.LargeListType:
		return arrowtype.Inside(t, comesBack)
	case arrow.ListLikeType:
		return arrow.ListOfField(fieldComesBack(t.ElemField()))
	case arrow.ExtensionType:
		if back := comesBack(t.StorageType()); !arrow.TypeEqual(back, t.StorageType()) {
			return back
		}
		return t
	}
	return t
}

func fieldComesBack(f arrow.Field) arrow.Field {
	f.Type = comesBack(f.Type)
	return f
}

// bare returns the type as which a type is read back where the stored Arrow schema does not help: below dictionaries and
// run ends.
func bare(t arrow.DataType) arrow.DataType {
	field := func(f arrow.Field) arrow.Field {
		return arrow.Field{Name: f.Name, Type: bare(f.Type), Nullable: f.Nullable}
	}
	switch t := arrowtype.Value(t).(type) {
	case *arrow.TimestampType:
		unit := t.Unit
		if unit == arrow.Second {
			unit = arrow.Millisecond
		}
		if t.TimeZone != "" {
			return &arrow.TimestampType{Unit: unit, TimeZone: "UTC"}
		}
		return &arrow.TimestampType{Unit: unit}
	case *arrow.DurationType:
		return arrow.PrimitiveTypes.Int64
	case *arrow.LargeStringType, *arrow.StringViewType:
		return arrow.BinaryTypes.String
	case *arrow.LargeBinaryType, *arrow.BinaryViewType:
		return arrow.BinaryTypes.Binary
	case *arrow.Decimal256Type:
		if t.Precision <= 38 {
			return &arrow.Decimal128Type{Precision: t.Precision, Scale: t.Scale}
		}
		return t
	case *arrow.StructType:
		fields := make([]arrow.Field, t.NumFields())
		for i, f := range t.Fields() {
			fields[i] = field(f)
		}
		return arrow.StructOf(fields...)
	case *arrow.MapType:
		m := arrow.MapOf(bare(t.KeyType()), bare(t.ItemType()))
		m.SetItemNullable(t.ItemField().Nullable)
		return m
	case arrow.ListLikeType:
		item := field(t.ElemField())
		item.Name = "item"
		return arrow.ListOfField(item)
	default:
		return comesBack(t)
	}
}
