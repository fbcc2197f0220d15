//go:build !duckdb || !cgo || !((linux || darwin) && (amd64 || arm64))

package main

import "github.com/spf13/cobra"

// queryCommand is the command in builds without DuckDB; it says so.
func (a *app) queryCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "query",
		Short:              "SQL over files, with DuckDB (not in this build)",
		Example:            "  go build -tags duckdb ./cmd/arrowio",
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(*cobra.Command, []string) error {
			return usagef("query: this build has no DuckDB in it: go build -tags duckdb ./cmd/arrowio makes one, on Linux and macOS, with a C compiler")
		},
	}
}
