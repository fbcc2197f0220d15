package orctext

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// Ordered returns a line of rows with the entries of maps sorted by their text, and of entries with one key the last alone:
// as readers that make hash maps of them see them. fields are the columns.
func Ordered(line string, fields []arrow.Field) string {
	return orderedParts(json.RawMessage(line), func(i int) arrow.DataType { return fields[i].Type })
}

func orderedParts(raw json.RawMessage, of func(i int) arrow.DataType) string {
	parts, ok := split(raw)
	if !ok {
		return string(raw)
	}
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = orderedValue(p, of(i))
	}
	return "[" + strings.Join(out, ",") + "]"
}

// split returns what an array holds.
func split(raw json.RawMessage) ([]json.RawMessage, bool) {
	var parts []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &parts) != nil {
		return nil, false
	}
	return parts, true
}

func orderedValue(raw json.RawMessage, t arrow.DataType) string {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return orderedValue(raw, t.StorageType())
	case *arrow.DictionaryType:
		return orderedValue(raw, t.ValueType)
	case *arrow.RunEndEncodedType:
		return orderedValue(raw, t.Encoded())
	case *arrow.StructType:
		return orderedParts(raw, func(i int) arrow.DataType { return t.Field(i).Type })
	case *arrow.MapType:
		return orderedEntries(raw, t)
	case arrow.ListLikeType:
		return orderedParts(raw, func(int) arrow.DataType { return t.Elem() })
	}
	return string(raw)
}

func orderedEntries(raw json.RawMessage, t *arrow.MapType) string {
	parts, ok := split(raw)
	if !ok {
		return string(raw)
	}
	last := map[string]string{}
	for _, p := range parts {
		e, ok := split(p)
		if !ok || len(e) != 2 {
			return string(raw)
		}
		key := orderedValue(e[0], t.KeyType())
		last[key] = "[" + key + "," + orderedValue(e[1], t.ItemType()) + "]"
	}
	out := make([]string, 0, len(last))
	for _, e := range last {
		out = append(out, e)
	}
	slices.Sort(out)
	return "[" + strings.Join(out, ",") + "]"
}
