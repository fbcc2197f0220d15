//go:build duckdb && cgo && (amd64 || arm64)

package duckdb

// #cgo LDFLAGS: -Wl,--wrap=duckdb_je_malloc -Wl,--wrap=duckdb_je_realloc
// #include "alloclimit.h"
import "C"

// limitProcess bounds the memory that the process may have to itself after an allocation of a MiB or more.
func limitProcess(bytes int64) { C.alloclimit_set(C.int64_t(bytes)) }
