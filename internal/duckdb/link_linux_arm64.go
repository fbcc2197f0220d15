//go:build duckdb && cgo

package duckdb

import _ "github.com/duckdb/duckdb-go-bindings/lib/linux-arm64" // the static library
