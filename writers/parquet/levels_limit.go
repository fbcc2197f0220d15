package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"
)

// mostLevels is how deep a schema may be nested for readers, ours among them: a list is two levels, and what is in it. Ours keeps levels
// in bytes.
const mostLevels = 255

// schemaLevels returns how many levels of a Parquet schema a type takes.
func schemaLevels(t arrow.DataType) int {
	switch t := t.(type) {
	case *arrow.MapType:
		return 2 + max(schemaLevels(t.KeyType()), schemaLevels(t.ItemType()))
	case arrow.ListLikeType:
		return 2 + schemaLevels(t.Elem())
	case *arrow.StructType:
		n := 0
		for _, f := range t.Fields() {
			n = max(n, schemaLevels(f.Type))
		}
		return 1 + n
	case *arrow.DictionaryType:
		return schemaLevels(t.ValueType)
	case *arrow.RunEndEncodedType:
		return schemaLevels(t.Encoded())
	case arrow.ExtensionType:
		return schemaLevels(t.StorageType())
	}
	return 1
}
