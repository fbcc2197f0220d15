//go:build duckdb && cgo

package duckdb

import _ "github.com/duckdb/duckdb-go-bindings/lib/darwin-arm64" // the static library
