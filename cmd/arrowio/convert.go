package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/writers"
	"github.com/arrowio/arrowio/writers/hivetable"
	"github.com/arrowio/arrowio/writers/icebergtable"
)

// convertFlags are the flags of `arrowio convert`.
type convertFlags struct {
	*readFlags
	*selectFlags
	*writeFlags
	metadata *metadataFlags
	edit     convert.MetadataEdit // what metadata says
	progress *wordValue
	sort     sortValue
	limit    numberValue
	parts    columnsValue
	dryRun   bool
	json     bool
	done     func(r *convert.Report) error // takes the report in place of printReport; nil = none
}

func (a *app) convertCommand() *cobra.Command {
	cmd, _ := a.convertCommandAndFlags()
	return cmd
}

func (a *app) convertCommandAndFlags() (*cobra.Command, *convertFlags) {
	f := &convertFlags{}
	cmd := &cobra.Command{
		Use:   "convert [flags] INPUT... OUTPUT",
		Short: "Convert any readable format to any writable one",
		Long: `Convert reads the rows of every INPUT, in order, and writes them to OUTPUT.

OUTPUT appears only when it is complete; a failed or interrupted run leaves nothing behind. --dry-run writes nothing and
prints what would become of each column and of the metadata, what reading OUTPUT back would not show, and which values would
be refused; without it, a note on standard error tells what would not be shown.

Metadata of the input, and of its columns, goes to OUTPUT where its format has a place for it. --metadata sets a key,
which is an error where the format has no place for it; --drop-metadata leaves one out.

--sort puts the rows in order before they are written; rows of equal values stay in the order in which they are read. --sort
without a value sorts by the key of OUTPUT, if its format has one. --sort=A,B sorts by these columns: -A is descending, and
nulls are last unless "A nulls first" puts them first. Rows that do not fit into half of --memory are kept in scratch files
beside OUTPUT until they are written. --limit writes only the first rows, with --sort the first in that order; only these are
kept while rows are sorted.

--partition-by makes OUTPUT a directory with a directory NAME=VALUE for every value of these columns, as Hive and Spark do it,
and files without the columns below; arrowio reads them as columns again. Rows are sorted by these columns for that.

OUTPUT hive://HOST:PORT/DATABASE.TABLE adds the rows to a table that Hive's metastore knows, in new partitions or as new files
of those that are there.

OUTPUT is one file, and a directory of files only for the formats kudu and cfile, with --partition-by, with --max-file-bytes,
where OUTPUT ends in a slash, and for Trevni where the rows take more than --row-group-bytes, if that is given. A note says so
in the last case. To standard output goes one file: rows that need more are an error, and nothing is written.`,
		Example: `  arrowio convert events.orc events.parquet
  arrowio convert --where "price > 100" --columns id,price sales/*.trv big.arrow
  arrowio convert --compression deflate:9 --row-group-bytes 64MiB table.parquet out.trv
  arrowio convert --dry-run table.parquet out.trv
  arrowio convert --exclude payload --limit 1000 events.orc few.parquet
  arrowio convert --sort=host,-time events.orc sorted.parquet
  arrowio convert --partition-by country,day --max-file-bytes 1GB events/ --to parquet table/
  arrowio convert --metadata owner=ops --drop-metadata pandas table.parquet events.orc
  arrowio convert --sort --kudu-key host,time events.orc events.kudu/
  arrowio convert --from kudu --kudu-table metrics --kudu-data-dir /data/1 /wal metrics.parquet
  arrowio convert events.csv hive://metastore:9083/sales.events
  arrowio convert --from csv --to jsonl - - < in.csv | head`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := inputs(cmd, args[:max(0, len(args)-1)]); err != nil {
				if len(args) == 1 {
					return usagef("convert: OUTPUT is missing; usage: arrowio convert [flags] INPUT... OUTPUT")
				}
				return err
			}
			if args[len(args)-1] == "" {
				return usagef("convert: the name of OUTPUT is empty")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			last := len(args) - 1
			return a.convert(cmd.Context(), f, args[:last], args[last])
		},
	}
	f.readFlags = a.addReadFlags(cmd)
	f.shown = addSchemaFlags(cmd)
	f.selectFlags = addSelectFlags(cmd)
	f.writeFlags = a.addWriteFlags(cmd, f.readFlags.options)
	f.metadata = addMetadataFlags(cmd)
	f.progress = addProgressFlag(cmd)
	addSortFlag(cmd, &f.sort)
	f.limit.min = 1
	cmd.Flags().VarP(&f.limit, "limit", "n", "write the first `N` rows (default: all)")
	cmd.Flags().Var(someColumns{&f.parts}, "partition-by", "make OUTPUT a directory with a directory NAME=VALUE for every value of these columns")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print what would become of each column, and write nothing")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a report (or the plan) as a JSON object")
	return cmd, f
}

func (a *app) convert(ctx context.Context, f *convertFlags, in []string, out string) error {
	format, err := a.convertedFormat(ctx, f, out)
	if err != nil {
		return err
	}
	if f.edit, err = f.metadata.edit(); err != nil {
		return err
	}
	if out == "-" && f.json && !f.dryRun {
		return usagef("--json cannot be used with OUTPUT -: both write to standard output")
	}
	if out == "-" && f.maxFileBytes > 0 {
		return usagef("--max-file-bytes makes a directory of files: it cannot go to standard output")
	}
	if len(f.parts) > 0 && format.Name == icebergtable.Name {
		return usagef("--partition-by makes directories of files: a new table of Iceberg is partitioned by --iceberg-partition, and one that exists as it says itself")
	}
	if out == "-" && len(f.parts) > 0 {
		return usagef("--partition-by makes a directory of files: it cannot go to standard output")
	}
	if err := checkOverlap(in, out); err != nil {
		return err
	}
	if slices.Contains(f.readFlags.options.given(), "salvage") { // directories, as Kudu's are, are checked above
		if err := checkRescue(in, out); err != nil {
			return err
		}
	}
	f.readFlags.lossless = true
	once := func() error {
		return a.untilRead(func() (again bool, err error) { return a.convertTo(ctx, f, format, in, out) })
	}
	if out == "-" { // rows may be out already
		return once()
	}
	return f.readFlags.untilSound(once)
}

// convertTo is one attempt of a conversion. again = columns must be read in another unit, so call it again.
func (a *app) convertTo(ctx context.Context, f *convertFlags, format arrowio.OutputFormat, in []string, out string) (again bool, err error) {
	// The output is checked before the input is read: an hour of spooled input is a bad time to learn that it exists. A dry run
	// finds what the real one would.
	var store arrowio.Store
	var inside []usedFormat // of what files of OUTPUT are
	switch format.Name {
	case icebergtable.Name:
		format, store, inside, err = a.openTable(ctx, f, out)
	case hivetable.Name:
		format, store, err = a.openHive(ctx, f, out)
	default:
		store, err = a.openStore(ctx, format, out, f.force, f.directory(format, out))
	}
	if err != nil {
		return false, err
	}
	defer store.Abort() // does nothing once it is committed
	if f.dryRun {
		if err := tryToWrite(ctx, store); err != nil {
			return false, err
		}
	}
	ds, err := a.openDataset(ctx, in, f.readFlags, f.selectFlags)
	if err != nil {
		return false, f.sort.explain(err, in)
	}
	defer ds.close()
	used := append([]usedFormat{{f.writeFlags.options, format.Name, "OUTPUT"}}, inside...)
	if err := f.readFlags.options.check(append(used, ds.used(f.readFlags.options)...)...); err != nil {
		return false, err
	}
	if format.Name == icebergtable.Name || format.Name == hivetable.Name {
		if err := noneLeftOut(ds.Lost); err != nil {
			return false, err
		}
	}

	lost := f.edit.Remaining(ds.Lost)
	a.tellLost(&dataset.Dataset{Fragments: ds.Fragments, Lost: lost}, f.columns)
	run := func(ds *inputSet, progress func(convert.Progress)) (*convert.Report, error) {
		return convert.Convert(ctx, ds.Dataset, format, store, convert.Options{
			Scan:      scanOptions(f.readFlags, f.selectFlags),
			Write:     writeOptions(f.readFlags, f.writeFlags, format),
			Sort:      f.sort.columns,
			SortByKey: f.sort.byKey,
			Limit:     f.limit.n,

			PartitionBy: f.parts,
			Metadata:    f.edit,
			DryRun:      f.dryRun,
			BytesIn:     ds.read,
			Progress:    progress,
		})
	}
	var coarse *arrowio.WritePlan
	switch {
	case f.dryRun:
		coarse, err = a.coarsePlan(ctx, f, ds, in, func(ds *inputSet) (*convert.Report, error) { return run(ds, nil) })
		if err != nil {
			return false, err
		}
		a.tellUndecided(f.readFlags, f.selectFlags, ds, in)
	case out == "-":
		again, err := a.lookFirst(f.readFlags, f.selectFlags, ds, in, func() error { return a.readUnprinted(ctx, f, ds) })
		if again || err != nil {
			return again, err
		}
	}
	bar := a.startSteps(f.progressMode(), ds.work(f.selectFlags))
	defer bar.stop()
	report, err := run(ds, bar.set)
	bar.stop()
	if err != nil {
		if out != "-" && a.coarsenAfter(err, f.readFlags, ds, in) {
			return true, nil
		}
		a.tellLater()
		return false, outputError(out, ds.cutFiner(f.readFlags, ds.explain(ds.cureNames(f.readFlags, err))))
	}
	f.planFiner(report.Plan)
	f.planFar(report.Plan, ds, in)
	addCoarse(report.Plan, coarse)
	planOrder(report.Plan, report.SortedBy, ds.parts())
	if f.done != nil {
		a.tellLater()
		return false, f.done(report)
	}
	return false, a.printReport(f, format, out, report, lost, snapshotIn(store))
}

// readUnprinted reads the rows that a conversion reads.
func (a *app) readUnprinted(ctx context.Context, f *convertFlags, ds *inputSet) error {
	limit := int64(math.MaxInt64)
	if f.limit.n > 0 && f.sort.columns == nil && !f.sort.byKey {
		limit = f.limit.n
	}
	return printRows(ctx, ds.Dataset, limitScan(scanOptions(f.readFlags, f.selectFlags), limit), 0, limit, unprinted{}, nil)
}

// conversion is the JSON of a conversion.
type conversion struct {
	*convert.Report
	// Directory says that OUTPUT is a directory of files, of a dry run that it will be, whatever the rows are.
	Directory bool `json:"directory"`
	// Snapshot is the id of the snapshot that an Iceberg table has got; 0 = none.
	Snapshot int64             `json:"snapshot,omitempty,string"`
	Warnings []arrowio.Warning `json:"warnings"`
}

func (a *app) conversionOf(r *convert.Report, directory bool) conversion {
	return conversion{Report: r, Directory: directory || len(r.Files) > 1, Warnings: a.warnings.list()}
}

// directory reports whether OUTPUT is always a directory, whatever the number of files.
func (f *convertFlags) directory(format arrowio.OutputFormat, out string) bool {
	return len(f.parts) > 0 || f.maxFileBytes > 0 || format.Directory || strings.HasSuffix(out, "/")
}

func (f *convertFlags) progressMode() string {
	if f.dryRun {
		return "never"
	}
	return f.progress.word
}

// outputError adds the name of OUTPUT to errors about it: values that it cannot store, and errors of the system about its path.
func outputError(out string, err error) error {
	var ae *errs.Error
	if errors.As(err, &ae) && ae.Kind == errs.ErrSchema {
		for _, o := range errs.OptionsOf(err) {
			if ae.Column == "" && (o.Name == "sort" || o.Name == "partition-by") { // about the flag, not about values
				return asUsage(err)
			}
		}
		return inFile(out, err)
	}
	return err
}

// printReport prints the result of a conversion. told are the losses that warnings have named already, and snapshot is what a table has
// got, 0 = none.
func (a *app) printReport(f *convertFlags, format arrowio.OutputFormat, out string, r *convert.Report, told []arrowio.Loss, snapshot int64) error {
	a.tellLater()
	directory := f.directory(format, out)
	if len(r.Files) == 1 && !directory {
		r.Files[0].Name = path.Base(filepath.ToSlash(out)) // whatever the writer called it
	}
	switch {
	case f.json:
		c := a.conversionOf(r, directory)
		c.Snapshot = snapshot
		return printJSON(a.stdout, c)
	case f.dryRun:
		return printPlan(a.onSheet(a.stdout), out, r.Plan, r.SortedBy)
	}
	a.noteLosses(out, r.Plan, told)
	a.noteAdvice(out, r.Plan)
	if !directory {
		a.noteParts(out, r.Plan, int64(len(r.Files)))
	}
	_, tty := a.terminal(a.stderr)
	if f.progress.word == "never" || f.progress.word == "auto" && !tty {
		return nil
	}
	s := summary(out, r)
	if snapshot != 0 {
		s += fmt.Sprintf(", snapshot %d", snapshot)
	}
	a.onErrors().line("", "  ", s)
	return nil
}

// summary returns the result of a conversion in one line.
func summary(out string, r *convert.Report) string {
	s := fmt.Sprintf("%s, %s read, %s written to %s", counted(r.Rows, "row"), humanize.IBytes(uint64(max(r.BytesIn, 0))),
		humanize.IBytes(uint64(r.BytesOut)), printable(out))
	if n := len(r.Files); n > 1 {
		s += fmt.Sprintf(" in %s", counted(int64(n), "file"))
	}
	s += fmt.Sprintf(", %s", took(r.Seconds))
	if r.BytesIn > 0 && r.BytesOut > 0 {
		s += fmt.Sprintf(", %.3g times the size", float64(r.BytesOut)/float64(r.BytesIn))
	}
	return s
}

// took formats a duration with about three digits.
func took(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d >= 10*time.Second:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// outputFormat returns the format to write: the one that is named, or that of the extension.
func (a *app) outputFormat(name, out string) (arrowio.OutputFormat, error) {
	switch {
	case (name == hivetable.Name || name == "") && strings.HasPrefix(out, hivetable.Name+"://"):
		return hivetable.Format(), nil
	case name == hivetable.Name:
		return arrowio.OutputFormat{}, usagef("%s is no table of Hive: name one as hive://HOST:PORT/DATABASE.TABLE", out)
	case strings.HasPrefix(out, hivetable.Name+"://"):
		return arrowio.OutputFormat{}, usagef("%s is a table of Hive, which says how its files are stored: leave out --to %s", out, name)
	case name == icebergtable.Name, name == "" && strings.HasPrefix(out, icebergtable.Name+"://"):
		return icebergtable.Format(), nil
	case strings.HasPrefix(out, icebergtable.Name+"://"):
		return arrowio.OutputFormat{}, usagef("%s is a table of Iceberg: --to %s does not go there", out, name)
	case name == "" && out == "-":
		return arrowio.OutputFormat{}, usagef("the format of standard output is missing; give --to %s", strings.Join(a.writerNames(), "|"))
	}
	return writers.For(name, strings.TrimRight(out, "/"))
}
