package dataset

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// An Iceberg table is a directory with metadata/*.metadata.json. This metadata says which files are data and which of their rows
// are deleted. The files below the directory, read together, are not the rows of the table, since some belong to older snapshots
// and some are delete files.

// refuseTable returns an error for the directory of an Iceberg table.
func refuseTable(ctx context.Context, t arrowio.Tree) error {
	entries, err := t.List(ctx, "metadata")
	if err != nil { // mostly there is none; what else is wrong, reading it will tell
		return ctx.Err()
	}
	isMetadata := func(e arrowio.TreeEntry) bool {
		return !e.Dir && (strings.HasSuffix(e.Name, ".metadata.json") || strings.HasSuffix(e.Name, ".metadata.json.gz"))
	}
	if !slices.ContainsFunc(entries, isMetadata) {
		return nil
	}
	return errs.Locate(errs.Errorf(errs.ErrUnsupported, "this is an Iceberg table, which cannot be read as a whole yet: "+
		"its files hold deleted rows and rows of older snapshots, too; name the data files of one snapshot, or read all files with --from orc or --from parquet"), errs.At{File: t.Path("")})
}

// refuseDeletes returns an error for a file of an Iceberg table whose rows say which rows of other files are deleted.
func refuseDeletes(schema *arrow.Schema, known []arrowio.Format, format string) error {
	kind := iceberg.Deletes(schema)
	if kind == "" {
		return nil
	}
	help := "leave it out"
	for _, f := range known {
		i := slices.IndexFunc(f.Options, func(o arrowio.Option) bool { return strings.HasSuffix(o.Name, "-deletes") })
		if f.Name == format && i >= 0 {
			help += ", and name it with --" + f.Options[i].Name + " to leave out the rows that it lists"
		}
	}
	return errs.Errorf(errs.ErrUnsupported, "this file lists deleted rows of an Iceberg table, by %s; its own rows are not rows of the table: "+
		"%s; --from %s reads it by itself", kind, help, format)
}

// refusingDeletes returns open, extended to refuse delete files. It is for files that are read as one.
func refusingDeletes(open func(ctx context.Context, i int) (arrowio.File, error), known []arrowio.Format) func(ctx context.Context, i int) (arrowio.File, error) {
	return func(ctx context.Context, i int) (arrowio.File, error) {
		f, err := open(ctx, i)
		if err != nil {
			return nil, err
		}
		format := ""
		if d, ok := arrowio.As[*File](f); ok {
			format = d.Format()
		}
		if err := refuseDeletes(f.Schema(), known, format); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return f, nil
	}
}
