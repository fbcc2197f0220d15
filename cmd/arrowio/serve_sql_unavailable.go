//go:build !duckdb || !cgo || !((linux || darwin) && (amd64 || arm64))

package main

import "github.com/arrowio/arrowio/flight"

// apply leaves a server with the SQL that it answers itself, which has no views.
func (f *sqlFlags) apply(o *flight.Options) (stop func(), err error) {
	o.SQL.Views = f.views
	return func() {}, nil
}
