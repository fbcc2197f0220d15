package view

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
)

// equalTypes reports whether types are the same, with the metadata of their fields, and with maps whose keys are sorted in both or
// in neither, which arrow.TypeEqual does not look at.
func equalTypes(a, b arrow.DataType) bool {
	return arrow.TypeEqual(a, b, arrow.CheckMetadata()) && slices.Equal(sortedMaps(nil, a), sortedMaps(nil, b))
}

// sortedMaps adds whether the keys of each map in t are sorted.
func sortedMaps(to []bool, t arrow.DataType) []bool {
	if m, ok := t.(*arrow.MapType); ok {
		to = append(to, m.KeysSorted)
	}
	if n, ok := t.(arrow.NestedType); ok {
		for _, f := range n.Fields() {
			to = sortedMaps(to, f.Type)
		}
	}
	return to
}
