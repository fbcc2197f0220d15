//go:build duckdb_extension

package main

import "strings"

// named writes an argument as SQL does.
func named(name, value string) string {
	return name + " := '" + strings.ReplaceAll(value, "'", "''") + "'"
}
