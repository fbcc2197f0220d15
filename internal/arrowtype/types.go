package arrowtype

import "github.com/apache/arrow/go/v15/arrow"

// Storage returns the type that the values of an extension type are stored as, and other types as they are.
func Storage(t arrow.DataType) arrow.DataType {
	for {
		e, ok := t.(arrow.ExtensionType)
		if !ok {
			return t
		}
		t = e.StorageType()
	}
}

// Value returns the type of the values that an extension type, a dictionary or run ends hold.
func Value(t arrow.DataType) arrow.DataType {
	for {
		switch x := t.(type) {
		case arrow.ExtensionType:
			t = x.StorageType()
		case *arrow.DictionaryType:
			t = x.ValueType
		case *arrow.RunEndEncodedType:
			t = x.Encoded()
		default:
			return t
		}
	}
}
