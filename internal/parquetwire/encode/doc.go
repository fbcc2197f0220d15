// Package encode writes the parts of a Parquet file: metadata in Thrift's compact protocol, page headers, levels
// and dictionary indices in the RLE/bit-packed hybrid, bloom filters. It knows bytes and numbers, not Arrow.
//
// A file:
//
//	"PAR1"
//	row group: column chunk: [dictionary page] data page … | column chunk … | [bloom filters]
//	…
//	[column indexes] [offset indexes]
//	FileMetaData | length of it, 4 bytes little-endian | "PAR1"
//
// A page is a PageHeader and its body, which is compressed. The body of a data page of version 1 is compressed whole,
// that of version 2 behind its levels:
//
//	v1  length, repetition levels | length, definition levels | values
//	v2  repetition levels | definition levels | values (compressed)
//
// Levels that can only be 0 are left out.
package encode
