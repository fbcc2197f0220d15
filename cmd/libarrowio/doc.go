// Libarrowio is arrowio as a C library, for other languages in the same process:
//
//	go build -buildmode=c-shared -o libarrowio.so ./cmd/libarrowio
//
// What it offers is in arrowio.h. Requests and answers are JSON; rows come and go through the Arrow C stream interface,
// without a copy. The Python package in python/ is made of it.
//
// With the tag duckdb_extension it is an extension of DuckDB, too, once the program in internal/duckext/footer has appended
// what DuckDB wants to know of it: see docs/duckdb.md.
package main

func main() {}
