package main

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/writers/icebergtable"
	"github.com/arrowio/arrowio/writers/orc"
	"github.com/arrowio/arrowio/writers/parquet"
)

// openTable opens OUTPUT as an Iceberg table, and returns its format. Nothing is written before the rows are.
func (a *app) openTable(ctx context.Context, f *convertFlags, out string) (arrowio.OutputFormat, arrowio.Store, error) {
	if out == "-" {
		return arrowio.OutputFormat{}, nil, usagef("an Iceberg table is a directory of files: it cannot go to standard output")
	}
	t, err := icebergtable.Open(ctx, out, icebergtable.Options{
		Files:   []arrowio.OutputFormat{orc.Format(), parquet.Format()},
		Options: f.writeFlags.options.forFormat(icebergtable.Name),
		Force:   f.force,
		Stores:  a.places(ctx),
	})
	if err != nil {
		return arrowio.OutputFormat{}, nil, inFile(out, err)
	}
	return t.Format(), &namedStore{Store: t, name: out}, nil
}
