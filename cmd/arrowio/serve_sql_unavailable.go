//go:build !duckdb || !cgo || !((linux || darwin) && (amd64 || arm64))

package main

import "github.com/arrowio/arrowio/flight"

// apply leaves a server with the SQL that it answers itself.
func (f *sqlFlags) apply(*flight.Options) (stop func(), err error) { return func() {}, nil }
