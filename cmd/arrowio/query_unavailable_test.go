//go:build !duckdb || !cgo || !((linux || darwin) && (amd64 || arm64))

package main

import "testing"

func TestQueryIsNotInThisBuild(t *testing.T) {
	fails(t, do(t, "query", "--format", "csv", "select 1"), exitUsage, "-tags duckdb")
}
