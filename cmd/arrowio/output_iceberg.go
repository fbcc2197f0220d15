package main

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/writers/icebergtable"
	"github.com/arrowio/arrowio/writers/orc"
	"github.com/arrowio/arrowio/writers/parquet"
)

// dataFormats are the formats of data files of tables.
func dataFormats() []arrowio.OutputFormat {
	return []arrowio.OutputFormat{orc.Format(), parquet.Format()}
}

// icebergOptions returns how a table is opened to be changed.
func (a *app) icebergOptions(ctx context.Context, given *optionFlags) icebergtable.Options {
	o := icebergtable.Options{Files: dataFormats(), Options: given.forFormat(icebergtable.Name), FileOptions: map[string]map[string]string{}, Stores: a.places(ctx)}
	for _, f := range o.Files {
		o.FileOptions[f.Name] = given.forFormat(f.Name)
	}
	for _, f := range a.readers {
		if f.Name == icebergtable.Name {
			o.Reader = f
		}
	}
	return o
}

// openTable opens OUTPUT as an Iceberg table, and returns its format. Nothing is written before the rows are.
func (a *app) openTable(ctx context.Context, f *convertFlags, out string) (arrowio.OutputFormat, arrowio.Store, []usedFormat, error) {
	if out == "-" {
		return arrowio.OutputFormat{}, nil, nil, usagef("an Iceberg table is a directory of files: it cannot go to standard output")
	}
	o := a.icebergOptions(ctx, f.writeFlags.options)
	o.Force = f.force
	t, err := icebergtable.Open(ctx, out, o)
	if err != nil {
		return arrowio.OutputFormat{}, nil, nil, inFile(out, err)
	}
	files, err := t.FileFormat()
	if err != nil {
		return arrowio.OutputFormat{}, nil, nil, inFile(out, err)
	}
	return t.Format(), &namedStore{Store: t, name: out}, []usedFormat{{f.writeFlags.options, files, "the format of data files"}}, nil
}
