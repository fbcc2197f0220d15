package main

import (
	"context"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
)

type countFlags struct {
	*readFlags
	*selectFlags
	progress *wordValue
	json     bool
}

// countDoc is the JSON of a count.
type countDoc struct {
	Rows    int64    `json:"rows"`
	Files   []string `json:"files"`
	Format  *string  `json:"format"` // null = several
	Formats []string `json:"formats"`

	Warnings []arrowio.Warning `json:"warnings"`
}

func (a *app) countCommand() *cobra.Command {
	f := &countFlags{}
	cmd := &cobra.Command{
		Use:   "count [flags] INPUT...",
		Short: "Count rows",
		Long: `Count prints how many rows all INPUTs have together. What files say of themselves is enough for that, where they do, and what the
metadata of an Iceberg table say of files without deletes, which are then not opened, but for the first. With --where the columns that the filter needs are read, and only of the parts that may have rows of it.`,
		Example: `  arrowio count events.orc
  arrowio count --where "price > 100 AND tag IS NOT NULL" events/`,
		Args: inputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.count(cmd.Context(), f, args)
		},
	}
	f.readFlags = a.addReadFlags(cmd)
	f.shown = addSchemaFlags(cmd)
	f.selectFlags = &selectFlags{columns: columnsValue{}, batchRows: countValue{min: 1}, onlyRows: true}
	fs := cmd.Flags()
	addWhere(fs, &f.where, "count only rows for which this is true, such as \"price >= 10 AND tag IN ('x', 'y')\"; see arrowio help where")
	fs.Var(&f.rows, "rows", "only rows A up to but not including B, counted before --where; A: and :B too")
	f.progress = addProgressFlag(cmd)
	fs.BoolVar(&f.json, "json", false, "as a JSON object")
	return cmd
}

func (a *app) count(ctx context.Context, f *countFlags, in []string) error {
	var n countDoc
	err := a.untilRead(func() (again bool, err error) {
		n, again, err = a.countOnce(ctx, f, in)
		return again, err
	})
	switch {
	case err != nil:
		return err
	case f.json:
		n.Warnings = a.warnings.list()
		return printJSON(a.stdout, n)
	}
	return a.printf("%d\n", n.Rows)
}

// countOnce is one attempt of a count. again = columns must be read in another unit, so call it again.
func (a *app) countOnce(ctx context.Context, f *countFlags, in []string) (n countDoc, again bool, err error) {
	ds, err := a.openDataset(ctx, in, f.readFlags, f.selectFlags)
	if err != nil {
		return n, false, err
	}
	defer ds.close()
	n.Files, n.Format, n.Formats = ds.files, ds.formats.one(), ds.formats.names()
	if err := f.readFlags.options.check(ds.used(f.readFlags.options)...); err != nil {
		return n, false, err
	}
	bar := a.startProgress(f.progress.word, "count", ds.work(f.selectFlags))
	defer bar.stop()
	if f.where.x == nil && f.rows.RowRange == (arrowio.RowRange{}) {
		n.Rows = ds.counted()
	}
	rr, err := ds.Scan(ctx, scanOptions(f.readFlags, f.selectFlags))
	if err != nil {
		return n, false, err
	}
	defer rr.Release()
	for rr.Next() {
		n.Rows += rr.Record().NumRows()
		bar.set(n.Rows)
	}
	if err := rr.Err(); err != nil {
		return n, a.coarsenAfter(err, f.readFlags, ds, in), ds.explain(err)
	}
	return n, false, nil
}

// counted returns the rows of the files whose table says how many they have, and leaves these files out of what is scanned.
func (d *inputSet) counted() (rows int64) {
	d.Fragments = slices.DeleteFunc(slices.Clone(d.Fragments), func(f arrowio.Fragment) bool {
		if f.Rows <= 0 || f.Rows > math.MaxInt64-rows {
			return false
		}
		rows += f.Rows
		return true
	})
	return rows
}
