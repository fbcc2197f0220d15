//go:build !duckdb || !cgo || !((linux || darwin) && (amd64 || arm64))

package duckdb

// Available tells whether this build has DuckDB in it.
const Available = false
