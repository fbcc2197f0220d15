// Package parquet reads Apache Parquet. A split is a row group. Only the column chunks that a projection needs are fetched. A
// filter leaves out row groups by their statistics and bloom filters, and pages by the page index.
//
// Package internal/parquetwire/decode decodes bytes into Arrow buffers, a batch of rows at a time:
//
//	footer      schema elements become nodes, which know the levels of their slots     schema.go, stored.go
//	pages       headers, CRCs, decompression                                           pages.go
//	column      levels and values of a leaf, page by page                              column.go, values*.go
//	tree        lists, structs and maps, put together from the levels of their leaves   assemble.go
//	row group   batches of all columns                                                 rowgroup.go
//
// Types are those of the Arrow schema in the file's metadata, if there is one, and otherwise Parquet's own. Encrypted columns,
// columns of type VARIANT or with LZO compression, and column chunks in other files are not read; the other columns of such
// files are.
package parquet
