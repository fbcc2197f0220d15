package main

import (
	"context"
	"math"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
)

func (a *app) tailCommand() *cobra.Command {
	f := &catFlags{}
	cmd := &cobra.Command{
		Use:   "tail [flags] INPUT...",
		Short: "Print the last rows",
		Long: `Tail prints the last rows of all INPUTs together, 10 where --limit does not say how many, in their order and as arrowio cat
prints them. It reads from the end: with a filter the columns that the filter needs, until there are enough rows, and then the
rows themselves. Formats that do not tell how many rows a file has (csv, jsonl, ipc-stream) are read whole.`,
		Example: `  arrowio tail events.orc
  arrowio tail -n 100 --where "level = 'error'" --columns time,message logs/`,
		Args: inputs,
	}
	f.selectFlags = addColumnFlags(cmd)
	a.addCatFlags(cmd, f)
	addShortLimit(cmd, &f.limit)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.printing(cmd.Context(), f, args, func(ctx context.Context, ds *inputSet, out rowPrinter) error {
			return a.tail(ctx, f, ds, out)
		})
	}
	return cmd
}

func (a *app) tail(ctx context.Context, f *catFlags, ds *inputSet, out rowPrinter) error {
	if f.limit.n == 0 {
		return nil
	}
	o := scanOptions(f.readFlags, f.selectFlags)
	bar := a.startProgress(f.progress.word, "tail", ds.work(f.selectFlags))
	at, skip, err := lastRows(ctx, ds.Dataset, o, f.limit.n)
	bar.stop()
	if err != nil {
		return err
	}
	if o.BatchRows == 0 && f.limit.n < 65536 {
		o.BatchRows = int(max(f.limit.n, 4096))
	}
	o.Rows = arrowio.RowRange{Start: at.rows.Start, End: math.MaxInt64}
	return printRows(ctx, from(ds.Dataset, at.fragment), o, skip, math.MaxInt64, out, nil)
}

// lastRows finds where the last n rows of a scan begin: in which file and piece of it, and how many rows of the scan are to be
// passed over there.
func lastRows(ctx context.Context, ds *dataset.Dataset, o arrowio.ScanOptions, n int64) (at piece, skip int64, err error) {
	o = countOptions(o)
	var found int64
	for i := len(ds.Fragments) - 1; i >= 0 && found < n; i-- {
		err = withFragment(ctx, ds, i, func(f arrowio.File) error {
			splits := f.Splits()
			if streamed(f) {
				splits = splits[:1]
			}
			for k := len(splits) - 1; k >= 0 && found < n; k-- {
				of, err := matching(ctx, f, splits[k], o)
				if err != nil {
					return err
				}
				for j := len(of) - 1; j >= 0 && found < n; j-- {
					found += of[j].matches
					at = piece{fragment: i, rows: of[j].rows}
				}
			}
			return nil
		})
		if err != nil {
			return at, 0, err
		}
	}
	return at, max(0, found-n), nil
}

// matching returns where in a split there are rows that satisfy the filter.
func matching(ctx context.Context, f arrowio.File, s arrowio.Split, o arrowio.ScanOptions) ([]piece, error) {
	if s.Known() {
		if o.Filter == nil {
			return []piece{{rows: s.Rows, matches: s.Rows.Len()}}, nil
		}
		o.Rows = s.Rows
		if s.Rows.Len() == 0 {
			return nil, nil
		}
	}
	rr, err := arrowio.Scan(ctx, f, o)
	if err != nil {
		return nil, err
	}
	return pieces(rr, nil)
}
