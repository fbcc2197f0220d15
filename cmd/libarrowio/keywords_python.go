//go:build !duckdb_extension

package main

import "strconv"

// named writes an argument as Python does.
func named(name, value string) string { return name + "=" + strconv.Quote(value) }
