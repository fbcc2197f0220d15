package main

import (
	"context"
	"io"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/celltext"
)

type catFlags struct {
	*readFlags
	*selectFlags
	write    *optionFlags
	format   wordValue
	progress *wordValue
	limit    int64
}

func (a *app) catCommand() *cobra.Command {
	f := &catFlags{}
	cmd := &cobra.Command{
		Use:        "cat [flags] INPUT...",
		SuggestFor: []string{"head", "show", "print"},
		Short:      "Print rows as a table, JSON lines or CSV",
		Long: `Cat prints the rows of every INPUT, in order.

A table is for eyes: long values are clipped, a null reads NULL (text that says so is quoted), nested values are compact
JSON, bytes are hexadecimal. The first rows settle the widths. --format jsonl and csv print every value whole.`,
		Example: `  arrowio cat --limit 10 events.trv
  arrowio cat --columns id,user.name --where "id BETWEEN 5 AND 9" events.orc
  arrowio cat --format jsonl events.trv | jq .id`,
		Args: inputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("limit") && f.limit < 0 {
				return usagef("--limit takes a number of rows, not %d", f.limit)
			}
			if !cmd.Flags().Changed("limit") {
				f.limit = math.MaxInt64
			}
			return a.cat(cmd.Context(), f, args)
		},
	}
	f.readFlags = a.addReadFlags(cmd)
	f.shown = addSchemaFlags(cmd)
	f.selectFlags = addSelectFlags(cmd)
	f.format = wordValue{word: "table", words: append([]string{"table"}, textFormats...), kind: "FORMAT"}
	addWord(cmd, &f.format, "format", "table, jsonl or csv")
	f.progress = addProgressFlag(cmd)
	cmd.Flags().Int64Var(&f.limit, "limit", 0, "stop after `N` rows (default: all)")
	f.write = f.readFlags.options.sibling()
	for _, w := range a.writers {
		if isText(w.Name) {
			f.write.add(cmd, w.Name, w.Options)
		}
	}
	return cmd
}

func (a *app) cat(ctx context.Context, f *catFlags, in []string) error {
	ds, err := a.openDataset(ctx, in, f.readFlags, f.selectFlags)
	if err != nil {
		return err
	}
	defer ds.close()
	used := ds.used(f.readFlags.options)
	if f.format.word != "table" {
		used = append(used, usedFormat{f.write, f.format.word, "the output"})
	}
	if err := f.readFlags.options.check(used...); err != nil {
		return err
	}
	o := limitScan(scanOptions(f.readFlags, f.selectFlags), f.limit)
	p, err := arrowio.Project(ds.Schema, o.Columns)
	if err != nil {
		return asUsage(err)
	}
	var out rowPrinter
	if f.format.word == "table" {
		width, _ := a.terminal(a.stdout)
		out = &tablePrinter{w: a.stdout, width: width, schema: p.Schema}
	} else if out, err = a.newFormatPrinter(ctx, f, p.Schema); err != nil {
		return err
	}
	mode := f.progress.word
	if _, tty := a.terminal(a.stdout); tty {
		mode = "never" // the rows are progress enough, and on the same screen
	}
	bar := a.startProgress(mode, "cat", ds.work(f.selectFlags))
	defer bar.stop()
	if err := printRows(ctx, ds.Dataset, o, f.limit, out, bar); err != nil {
		_ = out.Abort() // what is printed is printed
		return ds.locate(err)
	}
	return out.Close()
}

// limitScan keeps a scan from reading much further than limit rows.
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

// rowPrinter is an arrowio.Writer by another name: cat prints through the writers of jsonl and csv.
type rowPrinter = arrowio.Writer

// printRows sends up to limit rows to out.
func printRows(ctx context.Context, ds *arrowio.Dataset, o arrowio.ScanOptions, limit int64, out rowPrinter, bar *progress) error {
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
		n := min(rec.NumRows(), limit)
		if err := writeRows(out, rec, n); err != nil {
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

func writeRows(out rowPrinter, rec arrow.Record, n int64) error {
	if n == rec.NumRows() {
		return out.Write(rec)
	}
	part := rec.NewSlice(0, n)
	defer part.Release()
	return out.Write(part)
}

// newFormatPrinter prints through the writer of a text format.
func (a *app) newFormatPrinter(ctx context.Context, f *catFlags, s *arrow.Schema) (rowPrinter, error) {
	format, err := a.outputFormat(f.format.word, "-")
	if err != nil {
		return nil, err
	}
	plan, err := format.Plan(s, arrowio.WriteOptions{Options: f.write.forFormat(format.Name), Parallelism: 1})
	if err != nil {
		return nil, err
	}
	return arrowio.NewWriter(ctx, format, arrowio.NewStreamStore(a.stdout), plan)
}

// tableRows is how many rows settle the widths of a table.
const tableRows = 1000

// tablePrinter prints batches as a table. It holds the text of one batch's first rows at most.
type tablePrinter struct {
	w      io.Writer
	width  int // of the terminal; 0 = none
	schema *arrow.Schema
	grid   *grid
	rows   int64
}

// Write prints a batch.
func (t *tablePrinter) Write(rec arrow.Record) error {
	if rec.NumRows() == 0 {
		return nil
	}
	writers := make([]celltext.Writer, rec.NumCols())
	for k, col := range rec.Columns() {
		writers[k] = celltext.New(col)
	}
	c := &celltext.Cell{Limit: cellLimit}
	format := func(i int, row []string) {
		for k, write := range writers {
			c.Text = c.Text[:0]
			write(c, i)
			row[k] = string(c.Text)
		}
	}
	i, n := 0, int(rec.NumRows())
	if t.grid == nil {
		first := make([][]string, min(n, tableRows))
		for ; i < len(first); i++ {
			first[i] = make([]string, len(writers))
			format(i, first[i])
		}
		if err := t.start(first); err != nil {
			return err
		}
		for _, row := range first {
			if err := t.grid.row(row); err != nil {
				return err
			}
		}
	}
	row := make([]string, len(writers))
	for ; i < n; i++ {
		format(i, row)
		if err := t.grid.row(row); err != nil {
			return err
		}
	}
	t.rows += int64(n)
	return t.grid.flush()
}

func (t *tablePrinter) start(first [][]string) (err error) {
	header := make([]string, t.schema.NumFields())
	right := make([]bool, len(header))
	for k, f := range t.schema.Fields() {
		header[k] = printable(f.Name)
		right[k] = isNumber(f.Type)
	}
	t.grid, err = newGrid(t.w, header, right, first, gridMaximum, t.width)
	return err
}

// Close prints the header of a table without rows.
func (t *tablePrinter) Close() error {
	if t.grid == nil {
		if err := t.start(nil); err != nil {
			return err
		}
	}
	return t.grid.flush()
}

// Abort prints what is ready.
func (t *tablePrinter) Abort() error {
	if t.grid == nil {
		return nil
	}
	return t.grid.flush()
}

func isNumber(t arrow.DataType) bool {
	return arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID()) || arrow.IsDecimal(t.ID())
}
