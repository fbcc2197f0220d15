package arrowmeta

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Names of stored keys.
const (
	KeysName       = "arrowio.keys"
	FieldPrefix    = "arrowio.field."
	FieldHexPrefix = "arrowio.field-hex."
)

// FieldID is the key, in the metadata of a field, of the id that the field has in its file: for Arrow's implementations that of
// Parquet's schema, here of other formats that have ids, too.
const FieldID = "PARQUET:field_id"

// ZoneUnsaid is the key, in the metadata of a timestamp of a table's file, that says that the file does not tell whether it is an
// instant: the table does.
const ZoneUnsaid = "iceberg.zone-unsaid"

// Pair is an entry of a store.
type Pair struct {
	Key   string
	Value []byte
}

// Store returns what a file stores for the metadata of a schema, in order. Keys that begin with prefix are the format's
// own. reserved tells stored keys that mean something to the format itself; such keys, and those that are not UTF-8, are
// left out. nil = there are none.
func Store(md arrow.Metadata, prefix string, reserved func(key string) bool) []Pair {
	var pairs []Pair
	var own []string
	used := map[string]bool{KeysName: true}
	for pass := range 2 { // the format's own keys keep their names
		for i, k := range md.Keys() {
			key, formats := strings.CutPrefix(k, prefix)
			if formats != (pass == 0) || used[key] || !utf8.ValidString(key) || reserved != nil && reserved(key) {
				continue
			}
			used[key] = true
			pairs = append(pairs, Pair{key, []byte(md.Values()[i])})
			if !formats {
				own = append(own, key)
			}
		}
	}
	if len(own) > 0 {
		list, _ := json.Marshal(own) //nolint:errchkjson // strings always marshal
		pairs = append(pairs, Pair{KeysName, list})
	}
	return pairs
}

// Show returns the metadata of a schema for what a file stores, as Store made it or as any other writer did.
func Show(pairs []Pair, prefix string) arrow.Metadata {
	own := map[string]bool{}
	listed := -1
	for i, p := range pairs {
		var names []string
		if p.Key != KeysName || json.Unmarshal(p.Value, &names) != nil {
			continue
		}
		for _, n := range names {
			own[n] = true
		}
		listed = i
	}
	keys, values := make([]string, 0, len(pairs)), make([]string, 0, len(pairs))
	for i, p := range pairs {
		if i == listed {
			continue
		}
		key := p.Key
		if !own[key] {
			key = prefix + key
		}
		keys, values = append(keys, key), append(values, string(p.Value))
	}
	return arrow.NewMetadata(keys, values)
}

// StoreField returns the key and the value under which a field's store keeps an entry that is not of the format. It
// returns false for a key that is not UTF-8.
func StoreField(key, value string) (k, v string, ok bool) {
	switch {
	case !utf8.ValidString(key):
		return "", "", false
	case utf8.ValidString(value):
		return FieldPrefix + key, value, true
	}
	return FieldHexPrefix + key, hex.EncodeToString([]byte(value)), true
}

// ShowField is the reverse of StoreField. It returns false for what is stored otherwise.
func ShowField(key, value string) (k, v string, ok bool) {
	if name, ok := strings.CutPrefix(key, FieldPrefix); ok {
		return name, value, true
	}
	if name, ok := strings.CutPrefix(key, FieldHexPrefix); ok {
		b, err := hex.DecodeString(value)
		return name, string(b), err == nil
	}
	return "", "", false
}

// OfField returns the metadata of a field with those by which its extension type is known where it is not registered.
func OfField(f arrow.Field) arrow.Metadata {
	e, ok := f.Type.(arrow.ExtensionType)
	if !ok {
		return f.Metadata
	}
	keys, values := slices.Clone(f.Metadata.Keys()), slices.Clone(f.Metadata.Values())
	for _, kv := range [][2]string{{schemadiff.ExtensionName, e.ExtensionName()}, {schemadiff.ExtensionMetadata, e.Serialize()}} {
		if i := slices.Index(keys, kv[0]); i >= 0 {
			values[i] = kv[1]
		} else {
			keys, values = append(keys, kv[0]), append(values, kv[1])
		}
	}
	return arrow.NewMetadata(keys, values)
}
