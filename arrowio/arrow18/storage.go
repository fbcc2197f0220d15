package arrow18

import (
	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow/go/v15/arrow"
)

// alike reports whether arrays of a and of b have the same buffers and the same number of children. Neither is an extension
// type. The types of children are not compared.
func alike(a arrow.DataType, b arrow18.DataType) bool {
	if int(a.ID()) != int(b.ID()) {
		return false
	}
	switch a := a.(type) {
	case *arrow.FixedSizeBinaryType:
		return a.ByteWidth == b.(*arrow18.FixedSizeBinaryType).ByteWidth
	case *arrow.FixedSizeListType:
		return a.Len() == b.(*arrow18.FixedSizeListType).Len()
	case *arrow.StructType:
		return a.NumFields() == b.(*arrow18.StructType).NumFields()
	case arrow.UnionType:
		return a.NumFields() == b.(arrow18.UnionType).NumFields()
	case *arrow.DictionaryType:
		return int(a.IndexType.ID()) == int(b.(*arrow18.DictionaryType).IndexType.ID())
	}
	return true
}

// storage15 returns the type that the values of an extension type are stored as, and other types as they are.
func storage15(t arrow.DataType) arrow.DataType {
	for {
		e, ok := t.(arrow.ExtensionType)
		if !ok {
			return t
		}
		t = e.StorageType()
	}
}

// storage18 is storage15 for v18.
func storage18(t arrow18.DataType) arrow18.DataType {
	for {
		e, ok := t.(arrow18.ExtensionType)
		if !ok {
			return t
		}
		t = e.StorageType()
	}
}

// child15 returns the type of child i of an array of type t; nil = it has none.
func child15(t arrow.DataType, i int) arrow.DataType {
	switch t := storage15(t).(type) {
	case *arrow.StructType:
		if i < t.NumFields() {
			return t.Field(i).Type
		}
	case arrow.ListLikeType:
		if i == 0 {
			return t.Elem()
		}
	case arrow.NestedType: // unions and run-end encoded types
		if i < t.NumFields() {
			return t.Fields()[i].Type
		}
	}
	return nil
}

// child18 is child15 for v18.
func child18(t arrow18.DataType, i int) arrow18.DataType {
	switch t := storage18(t).(type) {
	case *arrow18.StructType:
		if i < t.NumFields() {
			return t.Field(i).Type
		}
	case arrow18.ListLikeType:
		if i == 0 {
			return t.Elem()
		}
	case arrow18.NestedType:
		if i < t.NumFields() {
			return t.Fields()[i].Type
		}
	}
	return nil
}
