// Package parquet reads Apache Parquet: a split is a row group, only the column chunks that a projection needs are
// fetched, and a filter leaves out row groups by their statistics and bloom filters, and pages by the page index.
//
// Bytes are decoded by package internal/parquetwire/decode and kernels straight into Arrow buffers, a batch of rows at a
// time:
//
//	footer      schema elements become nodes, which know the levels of their slots     schema.go, stored.go
//	pages       headers, CRCs, decompression                                           pages.go
//	column      levels and values of a leaf, page by page                              column.go, values*.go
//	tree        lists, structs and maps, put together from the levels of their leaves   assemble.go
//	row group   batches of all columns                                                 rowgroup.go
//
// Types follow the Arrow schema that the file may carry, else Parquet's own. Not read: encrypted columns, VARIANT,
// LZO compression, and column chunks in other files; the other columns of such files are.
package parquet
