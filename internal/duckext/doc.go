// Package duckext is an extension of DuckDB: table functions over tables that the caller opens, for a library that DuckDB
// loads. It is built with the tag duckdb_extension, on Linux and macOS.
//
// # The API
//
// DuckDB gives an extension a struct of functions (duckdb_extension.h). Those of version 1.2.0 of the API are used, whose
// places in the struct stay; so one file is loaded by DuckDB 1.2 and all later versions that have this API. No function of
// DuckDB is linked.
//
// # From a batch to vectors
//
//	Table.Scan -> arrowc.Stream -> struct ArrowArray: one queue for all threads of a scan
//	thread: takes a batch, and copies 2048 rows of it at a time, column by column, into the vectors of a chunk
//
// Goroutines decode, threads of DuckDB copy. They do it in C, without a call into Go. Fixed-size values are copied by one
// loop for each type, texts with one call for a vector (text.c). A value that DuckDB would show as another one is an error.
//
// # Lifetime
//
// A table is open from the bind of a statement until DuckDB forgets its plan. A scan lives as long as the pipeline that
// pulls from it; ending it cancels what goroutines are reading. No connection is kept: it would keep the database open.
package duckext
