// Package duckdb answers SQL with DuckDB in the process, over tables that the caller scans: built with the tag duckdb,
// on Linux and macOS. Without the tag only Available is here.
//
// # A file is a table function
//
// DuckDB asks for a name that is no table through a replacement scan; it becomes arrowio('name'). That function binds
// (the schema), begins a scan each time a plan runs it (so a file that stands in a query twice is scanned twice), and
// fills chunks. It is told which columns are wanted; a batch is taken over without a copy as far as DuckDB's own Arrow
// conversion does without one.
//
//	Table.Scan -> arrowc.Stream -> struct ArrowArray -> slices of 2048 rows, a column each -> duckdb_data_chunk_from_arrow
//	duckdb_fetch_chunk -> duckdb_data_chunk_to_arrow -> struct ArrowArrayStream -> arrowc.Reader
//
// # Filters
//
// The C API tells a table function nothing of filters. So a statement is planned first, and the optimised plan is read
// (json_serialize_plan): conditions that stand directly over a scan, of a column and constants, become a filter of the
// file. A file that is scanned more than once gets the OR of what stands over each of its scans. DuckDB applies its own
// conditions still, so these only prune. Both happen in one transaction, so that now() means the same in both.
package duckdb
