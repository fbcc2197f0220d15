// Package parquet reads Apache Parquet through arrow's own packages: a split is a row group, only the column chunks
// that a projection needs are fetched, and row groups are pruned by their statistics.
//
// Files come from strangers, and arrow's packages trust what they read, so three things stand around them:
//
//   - The footer is walked before they see it: its Thrift structure, the size of every list and string, the depth and
//     width of the schema (footer.go); then every column chunk must lie in the file. An Arrow schema in the metadata
//     is read by package arrowipc and kept from them (types.go).
//   - They panic on what they did not expect, by design and by accident. Each call goes through guard, which turns a
//     panic into ErrCorrupt. Nested columns are put together here (column.go), because arrow's own decode them on
//     goroutines, whose panics nobody can catch.
//   - What comes out is checked against its type (package arrowcheck), text being UTF-8 included.
//
// Types follow the Arrow schema that the file may carry, else Parquet's own. Not read: LZ4 and LZO compression,
// encryption, and column chunks in other files.
package parquet
