//go:build duckdb && cgo

package duckdb

import _ "github.com/duckdb/duckdb-go-bindings/lib/darwin-amd64" // the static library
