// Package decode decodes the parts of a Parquet file: metadata in Thrift's compact protocol, page headers, levels,
// indexes, bloom filters, and the values of pages. It knows bytes and numbers, not Arrow.
//
// A file:
//
//	"PAR1" | column chunks, bloom filters, indexes | FileMetaData | length of it, 4 bytes little-endian | "PAR1"
//
// A column chunk is pages, each a PageHeader and its body. The body of a data page of version 1 is compressed as a
// whole, that of version 2 behind its levels:
//
//	v1  length, repetition levels | length, definition levels | values
//	v2  repetition levels | definition levels | values (compressed)
//
// Nothing is allocated because a number in a file says so: lists are compared with the bytes that are left, and the
// structures built from a footer are counted against a budget.
package decode
