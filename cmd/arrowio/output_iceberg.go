package main

import (
	"context"
	"slices"
	"strings"

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
	o.Reader = a.tableReader()
	return o
}

// convertedFormat returns the format that a conversion writes. A directory that is an Iceberg table is written to as one.
func (a *app) convertedFormat(ctx context.Context, f *convertFlags, out string) (arrowio.OutputFormat, error) {
	format, err := a.outputFormat(f.to.word, out)
	about := a.aboutTables(f.writeFlags.options)
	if f.to.word != "" || out == "-" || err == nil && (about == "" || format.Name == icebergtable.Name) {
		return format, err
	}
	if a.isTable(ctx, out) {
		return icebergtable.Format(), nil
	}
	if about != "" {
		return arrowio.OutputFormat{}, usagef("--%s is about tables of Iceberg, and %s is none: name a table that exists, or make one there with --to iceberg", about, out)
	}
	return format, err
}

// aboutTables returns an option that was given of what is written to Iceberg tables; "" = there is none.
func (a *app) aboutTables(given *optionFlags) string {
	reader := a.tableReader()
	for _, o := range icebergtable.Format().Options {
		reads := slices.ContainsFunc(reader.Options, func(r arrowio.Option) bool { return r.Name == o.Name })
		if !reads && strings.HasPrefix(o.Name, icebergtable.Name+"-") && slices.Contains(given.given(), o.Name) {
			return o.Name
		}
	}
	return ""
}

// isTable reports whether a directory is an Iceberg table. Whatever else it is, writing to it tells.
func (a *app) isTable(ctx context.Context, name string) bool {
	t, err := a.places(ctx).Tree(name)
	if err != nil {
		return false
	}
	ok, err := a.tableReader().MatchTable(ctx, t)
	return ok && err == nil
}

// tableReader returns the format that reads Iceberg tables.
func (a *app) tableReader() arrowio.Format {
	for _, f := range a.readers {
		if f.Name == icebergtable.Name {
			return f
		}
	}
	return arrowio.Format{}
}

// snapshotIn returns the id of the snapshot that a store has made in a table; 0 = none.
func snapshotIn(store arrowio.Store) int64 {
	if n, ok := store.(*namedStore); ok {
		if t, ok := n.Store.(*icebergtable.Table); ok {
			return t.Snapshot()
		}
	}
	return 0
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
