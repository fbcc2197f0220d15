package main

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/local"
)

// catFlags are the flags of the commands that print rows.
type catFlags struct {
	*readFlags
	*selectFlags
	*showFlags
	write    *optionFlags
	format   wordValue
	progress *wordValue
	limit    numberValue
}

func (a *app) catCommand() *cobra.Command {
	f := &catFlags{}
	cmd := &cobra.Command{
		Use:        "cat [flags] INPUT...",
		SuggestFor: []string{"show", "print"},
		Short:      "Print rows as a table, JSON lines or CSV",
		Long: `Cat prints the rows of every INPUT, in order.

A table is for eyes: long values are clipped, a null reads NULL (text that says so is quoted, as is empty text and text with
spaces at its ends), nested values are compact JSON, bytes are hexadecimal. On a terminal the table fits its width: columns in
the middle are left out where there are too many, and the last line counts them. --expanded prints every field on a line of
its own. What does not fit the screen goes through $PAGER, or less. --format jsonl and csv print every value whole.`,
		Example: `  arrowio cat --limit 10 events.trv
  arrowio cat --columns id,user.name --where "id BETWEEN 5 AND 9" events.orc
  arrowio cat --exclude payload --expanded events.orc
  arrowio cat --format jsonl events.trv | jq .id`,
		Args: inputs,
	}
	f.selectFlags = addSelectFlags(cmd)
	a.addCatFlags(cmd, f)
	f.limit.n = math.MaxInt64
	cmd.Flags().VarP(&f.limit, "limit", "n", "stop after `N` rows (default: all)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.cat(cmd.Context(), f, args)
	}
	return cmd
}

// addCatFlags adds these flags to a command.
func (a *app) addCatFlags(cmd *cobra.Command, f *catFlags) {
	f.readFlags = a.addReadFlags(cmd)
	f.shown = addSchemaFlags(cmd)
	f.showFlags = addShowFlags(cmd)
	f.format = wordValue{word: "table", words: append([]string{"table"}, textFormats...), kind: "FORMAT"}
	addWord(cmd, &f.format, "format", "table, jsonl or csv")
	f.progress = addProgressFlag(cmd)
	f.write = f.readFlags.options.sibling()
	for _, w := range a.writers {
		if isText(w.Name) {
			f.write.add(cmd, w.Name, w.Options)
		}
	}
}

func (a *app) cat(ctx context.Context, f *catFlags, in []string) error {
	return a.printing(ctx, f, in, func(ctx context.Context, ds *inputSet, out rowPrinter) error {
		o := limitScan(scanOptions(f.readFlags, f.selectFlags), f.limit.n)
		bar := a.startProgress(a.catProgress(f), "cat", ds.work(f.selectFlags))
		defer bar.stop()
		return printRows(ctx, ds.Dataset, o, 0, f.limit.n, out, bar)
	})
}

// printing opens the inputs and a printer for the selected columns, calls print, which sends rows to the printer, and closes
// both.
func (a *app) printing(ctx context.Context, f *catFlags, in []string, print func(context.Context, *inputSet, rowPrinter) error) error {
	return a.untilRead(func() (again bool, err error) { return a.printOnce(ctx, f, in, print) })
}

// printOnce is one attempt of printing. again = columns must be read in another unit, so call it again.
func (a *app) printOnce(ctx context.Context, f *catFlags, in []string, print func(context.Context, *inputSet, rowPrinter) error) (again bool, err error) {
	ds, err := a.openDataset(ctx, in, f.readFlags, f.selectFlags)
	if err != nil {
		return false, err
	}
	defer ds.close()
	used := ds.used(f.readFlags.options)
	if f.format.word != "table" {
		used = append(used, usedFormat{f.write, f.format.word, "the output"})
	}
	if err := f.readFlags.options.check(used...); err != nil {
		return false, err
	}
	if again, err := a.lookFirst(f.readFlags, f.selectFlags, ds, in, func() error { return print(ctx, ds, unprinted{}) }); again || err != nil {
		return again, err
	}
	p, err := arrowio.Project(ds.Schema, f.columns)
	if err != nil {
		return false, asUsage(err)
	}
	var out rowPrinter
	if f.format.word == "table" {
		out = a.newTablePrinter(p.Schema, f.showFlags)
	} else if out, err = a.newFormatPrinter(ctx, f.format.word, f.write, a.page(f.showFlags), p.Schema); err != nil {
		return false, err
	}
	if err := print(ctx, ds, out); err != nil {
		if u, ok := out.(interface{ untouched() bool }); ok && u.untouched() && a.coarsenAfter(err, f.readFlags, ds, in) {
			return true, nil
		}
		_ = out.Abort() // what is printed is printed
		return false, ds.explain(pagerLeft(err))
	}
	return false, pagerLeft(out.Close())
}

// catProgress reports whether a progress bar is drawn while rows are printed.
func (a *app) catProgress(f *catFlags) string {
	if _, tty := a.terminal(a.stdout); tty {
		return "never" // the rows are progress enough, and on the same screen
	}
	return f.progress.word
}

// limitScan ends a scan without a filter after limit rows, and makes batches small, so that a scan reads little beyond what is
// printed.
func limitScan(o arrowio.ScanOptions, limit int64) arrowio.ScanOptions {
	if limit == math.MaxInt64 {
		return o
	}
	if o.BatchRows == 0 && limit < 65536 {
		o.BatchRows = int(max(limit, 1))
		if o.Filter != nil {
			o.BatchRows = max(o.BatchRows, 4096) // few rows may pass; smaller batches only cost time
		}
	}
	if o.Filter != nil || limit == 0 {
		return o
	}
	end := o.Rows.Start + limit
	if end < 0 {
		return o // beyond every file
	}
	if o.Rows.End == 0 || end < o.Rows.End {
		o.Rows.End = end
	}
	return o
}

// rowPrinter prints rows: a table, or one of the writers of jsonl and csv.
type rowPrinter = arrowio.Writer

// printRows skips the first skip rows of a scan and sends at most limit rows after them to out.
func printRows(ctx context.Context, ds *dataset.Dataset, o arrowio.ScanOptions, skip, limit int64, out rowPrinter, bar *progress) error {
	if limit == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // what the scan has read ahead is of no use when enough rows are out
	rr, err := ds.Scan(ctx, o)
	if err != nil {
		return err
	}
	defer rr.Release()
	var rows int64
	for limit > 0 && rr.Next() {
		rec := rr.Record()
		from := min(rec.NumRows(), skip)
		skip -= from
		n := min(rec.NumRows()-from, limit)
		if err := writeRows(out, rec, from, n); err != nil {
			return err
		}
		limit -= n
		rows += n
		bar.set(rows)
	}
	if limit == 0 {
		return nil
	}
	return rr.Err()
}

// writeRows sends n rows of a record to out, beginning with row from.
func writeRows(out rowPrinter, rec arrow.Record, from, n int64) error {
	if n == rec.NumRows() {
		return out.Write(rec)
	}
	if n == 0 {
		return nil
	}
	part := rec.NewSlice(from, from+n)
	defer part.Release()
	return out.Write(part)
}

// newFormatPrinter returns a printer that writes a text format to w.
func (a *app) newFormatPrinter(ctx context.Context, name string, options *optionFlags, w io.Writer, s *arrow.Schema) (rowPrinter, error) {
	format, err := a.outputFormat(name, "-")
	if err != nil {
		return nil, err
	}
	plan, err := format.Plan(s, arrowio.WriteOptions{Options: options.forFormat(format.Name), Parallelism: 1})
	if err != nil {
		return nil, err
	}
	out, err := arrowio.NewWriter(ctx, format, local.NewStreamStore(w), plan)
	if err != nil {
		return nil, err
	}
	return closing{out, w}, nil
}

// closing closes the writer below a printer, if it is a Closer.
type closing struct {
	rowPrinter
	w io.Writer
}

func (c closing) Close() error {
	if err := c.rowPrinter.Close(); err != nil {
		_ = closeWriter(c.w) // err is the reason
		return err
	}
	return closeWriter(c.w)
}

func (c closing) Abort() error {
	return errors.Join(c.rowPrinter.Abort(), closeWriter(c.w))
}

func closeWriter(w io.Writer) error {
	if p, ok := w.(*pager); ok {
		return p.Close()
	}
	return nil
}
