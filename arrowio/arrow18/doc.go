// Package arrow18 passes types, schemas, arrays and records between the two versions of Arrow for Go, without a copy:
//
//	To…     from github.com/apache/arrow/go/v15 to github.com/apache/arrow-go/v18
//	From…   from github.com/apache/arrow-go/v18 to github.com/apache/arrow/go/v15
//
// All other packages of arrowio use v15. A program that uses v18 converts with this package. It is a module of its own, so
// that other programs do not depend on v18.
//
// Errors are errs.Error values: errs.ErrUnsupported for what the other version does not have, errs.ErrSchema for types that do
// not fit. They name the column.
//
// # Ownership
//
// A result shares the memory of its source and holds a reference to it. The caller releases the result, and still
// releases the source, in any order; the memory is freed when both are gone. Neither may be changed while the other is
// in use. Where a function fails it holds nothing.
//
// # Types
//
// Types correspond one to one. decimal32, decimal64 and variants exist in v18 only: From… returns an error that names
// them. Names inside a map ("key", "value") are those of the target.
//
// An extension type becomes the type that is registered under its name in the other version. Where none is, its field
// gets the storage type, and the extension's name and parameters stand in the field's metadata under ExtensionNameKey
// and ExtensionMetadataKey, as they do in Arrow IPC; a field with such metadata becomes an extension type again in a
// version that knows it. A dictionary and a run-end encoded array have no field for that, so there it is an error.
//
// # C data
//
// No program can link the cdata packages of both versions: they define the same C symbols. This package uses neither.
package arrow18
