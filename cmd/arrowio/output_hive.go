package main

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/writers/hivetable"
	"github.com/arrowio/arrowio/writers/orc"
	"github.com/arrowio/arrowio/writers/parquet"
)

// openHive opens OUTPUT as a table of Hive, and returns its format. Nothing is written before the rows are.
func (a *app) openHive(ctx context.Context, f *convertFlags, out string) (arrowio.OutputFormat, arrowio.Store, error) {
	switch {
	case f.force:
		return arrowio.OutputFormat{}, nil, usagef("--force replaces what is there, and rows of a table of Hive are not replaced: without it they are added")
	case len(f.parts) > 0:
		return arrowio.OutputFormat{}, nil, usagef("the table says by which columns it is partitioned, not --partition-by")
	}
	t, err := hivetable.Open(ctx, out, hivetable.Options{
		Files:   []arrowio.OutputFormat{orc.Format(), parquet.Format()},
		Options: f.writeFlags.options.forFormat(hivetable.Name),
		Stores:  a.places(ctx),
	})
	if err != nil {
		return arrowio.OutputFormat{}, nil, inFile(out, err)
	}
	return t.Format(), &namedStore{Store: t, name: out}, nil
}
