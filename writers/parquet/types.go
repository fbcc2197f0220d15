package parquet

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
)

// refuse adds to list what stands at path and below and cannot be written.
func refuse(list []string, path string, t arrow.DataType) []string {
	no := func(why string) []string { return append(list, fmt.Sprintf("column %s (%s)%s", path, t, why)) }
	switch t := t.(type) {
	case *arrow.StructType:
		if t.NumFields() == 0 {
			return no(": a group without fields")
		}
		for _, f := range t.Fields() {
			list = refuse(list, path+"."+f.Name, f.Type)
		}
		return list
	case *arrow.ListType:
		return refuse(list, path+".item", t.Elem())
	case *arrow.FixedSizeListType:
		return refuse(list, path+".item", t.Elem())
	case *arrow.MapType:
		return refuse(refuse(list, path+".key", t.KeyType()), path+".value", t.ItemType())
	case *arrow.DictionaryType:
		if _, ok := t.ValueType.(*arrow.DictionaryType); ok {
			return no(": a dictionary of dictionaries")
		}
		return refuse(list, path, t.ValueType)
	case arrow.ExtensionType:
		if t.StorageType().ID() == arrow.DICTIONARY {
			return no(": an extension of a dictionary")
		}
		return refuse(list, path, t.StorageType())
	case *arrow.FixedSizeBinaryType:
		if t.ByteWidth == 0 {
			return no(": values without bytes")
		}
		return list
	case arrow.DecimalType:
		if t.GetScale() < 0 {
			return no(": a negative scale")
		}
		return list
	}
	switch t.ID() {
	case arrow.NULL, arrow.BOOL, arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64, arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY,
		arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP:
		return list
	}
	return no("")
}

// dictionaryStays tells whether a dictionary is given to arrow's writer as it is. All others are written as their values.
func dictionaryStays(t *arrow.DictionaryType) bool {
	return arrow.IsBinaryLike(t.ValueType.ID()) || arrow.IsLargeBinaryLike(t.ValueType.ID())
}

// stored names what Parquet has for a type.
func stored(t arrow.DataType) string {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		return stored(t.ValueType)
	case arrow.ExtensionType:
		return stored(t.StorageType())
	case *arrow.StructType:
		return "group"
	case *arrow.ListType, *arrow.FixedSizeListType:
		return "LIST"
	case *arrow.MapType:
		return "MAP"
	case *arrow.TimestampType:
		unit := t.Unit
		if unit == arrow.Second {
			unit = arrow.Millisecond
		}
		if t.TimeZone != "" {
			return fmt.Sprintf("INT64 TIMESTAMP(%s, UTC)", unit)
		}
		return fmt.Sprintf("INT64 TIMESTAMP(%s)", unit)
	case *arrow.Time32Type:
		return "INT32 TIME(ms)"
	case *arrow.Time64Type:
		return fmt.Sprintf("INT64 TIME(%s)", t.Unit)
	case arrow.DecimalType:
		return fmt.Sprintf("FIXED_LEN_BYTE_ARRAY DECIMAL(%d, %d)", t.GetPrecision(), t.GetScale())
	case *arrow.FixedSizeBinaryType:
		return fmt.Sprintf("FIXED_LEN_BYTE_ARRAY(%d)", t.ByteWidth)
	}
	return physical[t.ID()]
}

var physical = map[arrow.Type]string{
	arrow.NULL: "INT32 NULL", arrow.BOOL: "BOOLEAN",
	arrow.INT8: "INT32 INT(8)", arrow.INT16: "INT32 INT(16)", arrow.INT32: "INT32", arrow.INT64: "INT64",
	arrow.UINT8: "INT32 UINT(8)", arrow.UINT16: "INT32 UINT(16)", arrow.UINT32: "INT32 UINT(32)", arrow.UINT64: "INT64 UINT(64)",
	arrow.FLOAT16: "FIXED_LEN_BYTE_ARRAY(2) FLOAT16", arrow.FLOAT32: "FLOAT", arrow.FLOAT64: "DOUBLE",
	arrow.STRING: "BYTE_ARRAY STRING", arrow.LARGE_STRING: "BYTE_ARRAY STRING", arrow.BINARY: "BYTE_ARRAY", arrow.LARGE_BINARY: "BYTE_ARRAY",
	arrow.DATE32: "INT32 DATE", arrow.DATE64: "INT32 DATE",
}

// loss says what reading a type back does not show; for nested types, what is lost of the first child that loses
// something.
func loss(t arrow.DataType) string {
	in := func(name string, t arrow.DataType) string {
		if l := loss(t); l != "" {
			return "in " + name + ": " + l
		}
		return ""
	}
	switch t := t.(type) {
	case *arrow.TimestampType:
		if t.Unit == arrow.Second {
			return "the unit: written as milliseconds"
		}
	case *arrow.Time32Type:
		if t.Unit == arrow.Second {
			return "the unit: written as milliseconds"
		}
	case *arrow.Date64Type:
		return "the type: written as days, which all values must be"
	case *arrow.DictionaryType:
		if !dictionaryStays(t) {
			return "the dictionary"
		}
		if t.IndexType.ID() != arrow.INT32 {
			return "the dictionary's index type"
		}
	case *arrow.ListType:
		if !t.ElemField().Nullable {
			return "that items are never null"
		}
		return in("item", t.Elem())
	case *arrow.FixedSizeListType:
		if !t.ElemField().Nullable {
			return "that items are never null"
		}
		return in("item", t.Elem())
	case *arrow.MapType:
		if !t.ItemField().Nullable {
			return "that values are never null"
		}
		if l := in("key", t.KeyType()); l != "" {
			return l
		}
		return in("value", t.ItemType())
	case *arrow.StructType:
		for _, f := range t.Fields() {
			if l := in(f.Name, f.Type); l != "" {
				return l
			}
		}
	}
	return ""
}
