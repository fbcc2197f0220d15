package schemadiff

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// Extension returns the name of a field's extension type, registered or known by metadata alone, and what it stores; "" = it
// has none. An extension of an extension stores what that does. That of a dictionary's values is the dictionary's, for files know no
// other.
func Extension(f arrow.Field) (name string, storage arrow.DataType) {
	name, _ = f.Metadata.GetValue(ExtensionName)
	if e, ok := f.Type.(arrow.ExtensionType); ok {
		name = e.ExtensionName()
	}
	storage = arrowtype.Storage(f.Type)
	if d, ok := storage.(*arrow.DictionaryType); ok {
		if e, ok := d.ValueType.(arrow.ExtensionType); ok {
			return e.ExtensionName(), &arrow.DictionaryType{IndexType: d.IndexType, ValueType: arrowtype.Storage(e), Ordered: d.Ordered}
		}
	}
	return name, storage
}

// Stores reports whether values of an extension type that are stored as one type can be of it when they come back as another: if
// these are the same but for the names of the items of lists, nulls and metadata, or text or bytes that are laid out in another way.
func Stores(storage, back arrow.DataType) bool {
	for _, alike := range [][]arrow.Type{
		{arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW},
		{arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW},
	} {
		if slices.Contains(alike, storage.ID()) && slices.Contains(alike, back.ID()) {
			return true
		}
	}
	return !slices.ContainsFunc(Fields([]arrow.Field{{Type: storage}}, []arrow.Field{{Type: back}}), func(d Difference) bool {
		return d.Aspect == Type || d.Aspect == Name
	})
}

// WithoutExtension returns a field as what its extension type stores.
func WithoutExtension(f arrow.Field) arrow.Field {
	_, f.Type = Extension(f)
	var keys, values []string
	for i, k := range f.Metadata.Keys() {
		if k != ExtensionName && k != ExtensionMetadata {
			keys, values = append(keys, k), append(values, f.Metadata.Values()[i])
		}
	}
	f.Metadata = arrow.NewMetadata(keys, values)
	return f
}
