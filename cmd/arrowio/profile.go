package main

import (
	"context"
	"errors"
	"io"
	"math"
	"runtime"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/report"
	"github.com/arrowio/arrowio/internal/tableprofile"
)

type profileFlags struct {
	*readFlags
	*selectFlags
	progress *wordValue
	limit    numberValue
	json     bool
	html     string
	force    bool
	noScan   bool
}

// profileMemory is the part of --memory that is for what is kept of columns.
const profileMemory = 4

func (a *app) profileCommand() *cobra.Command {
	f := &profileFlags{limit: numberValue{n: math.MaxInt64}}
	cmd := &cobra.Command{
		Use:        "profile [flags] INPUT...",
		SuggestFor: []string{"summarize", "summary"},
		Short:      "What the values of each column are: nulls, distinct values, range, quantiles, frequent values",
		Long: `Profile reads all rows of the INPUTs and prints a line a column, and one for each field, element, key and value of nested ones:
nulls, how many different values, the least, the middle and the greatest value, mean, lengths, shares of zero, empty and true values,
and the most frequent values. --json has more: other quantiles, standard deviations, histograms, ten frequent values. --html writes a page
for a browser with all of it.

Numbers of nulls, least and greatest values, lengths and means are exact; the table shows means with six digits, or as many as stand
before the point. Standard deviations are those of the values as a whole population (stddev_pop of SQL), and are rounded. All else is
exact of a column that has at most 16,384 different values (fewer if there are many columns: --memory). Of other columns, what is
marked ~ is an estimate: the number of different values is HyperLogLog's, with a standard error of 0.8 %, medians and other quantiles
are those of a t-digest; counts of frequent values are marked ≥ and may be more.

With --no-scan it reads no rows, and tells what the statistics of all files say exactly: rows, and of columns that lie in structs alone
nulls, the least and the greatest value, and the mean of whole numbers, as far as they are known. Nulls that are not are "unknown";
the rest is left out.`,
		Example: `  arrowio profile events.orc
  arrowio profile --columns id,user.name --where "price > 100" events/
  arrowio profile --html profile.html events.orc
  arrowio profile --no-scan s3://bucket/events/
  arrowio profile --json events.trv | jq '.columns[] | {path, nulls, distinct: .distinct.count}'`,
		Args: inputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.checkNoScan(cmd.Flags().Changed); err != nil {
				return err
			}
			if cmd.Flags().Changed("html") {
				return a.profilePage(cmd.Context(), f, args)
			}
			if f.force {
				return usagef("--force is only for --html")
			}
			return a.profile(cmd.Context(), f, args)
		},
	}
	f.readFlags = a.addReadFlags(cmd)
	f.looks = true
	f.shown = addSchemaFlags(cmd)
	f.selectFlags = addSelectFlags(cmd)
	fs := cmd.Flags()
	fs.VarP(&f.limit, "limit", "n", "stop after `N` rows (default: all)")
	fs.BoolVar(&f.noScan, "no-scan", false, "read no rows: tell only what the statistics of the files say exactly")
	f.progress = addProgressFlag(cmd)
	fs.BoolVar(&f.json, "json", false, "as a JSON object")
	fs.StringVar(&f.html, "html", "", "write a page for a browser to `FILE`, - for standard output")
	fs.BoolVar(&f.force, "force", false, "with --html, replace FILE if it is a page")
	return cmd
}

// profileDoc is the JSON of a profile.
type profileDoc struct {
	Files   []string `json:"files"`
	Format  *string  `json:"format"` // null = several
	Formats []string `json:"formats"`
	*tableprofile.Profile

	Warnings []arrowio.Warning `json:"warnings"`

	title   string // and formats: for a person
	formats string
}

func (a *app) profile(ctx context.Context, f *profileFlags, in []string) error {
	doc, err := a.measure(ctx, f, in)
	switch {
	case err != nil:
		return err
	case f.json:
		return printJSON(a.stdout, doc)
	}
	return printProfile(a.onSheet(a.stdout), doc)
}

// profilePage writes a page.
func (a *app) profilePage(ctx context.Context, f *profileFlags, in []string) error {
	switch {
	case f.html == "":
		return usagef("--html: the name of FILE is empty")
	case f.json:
		return usagef("--html and --json exclude each other")
	}
	st, err := a.openPage(ctx, in, f.html, f.force)
	if err != nil {
		return err
	}
	doc, err := a.measure(ctx, f, in)
	if err != nil {
		return errors.Join(err, st.Abort())
	}
	o := report.ProfileOptions{
		Title: reportTitle(in), Version: buildVersion().Version, Files: len(doc.Files), Formats: doc.formats, Filter: f.where.String(), Part: f.part(), Warnings: doc.Warnings,
	}
	if err := writePage(ctx, st, func(w io.Writer) error { return report.WriteProfile(w, o, doc.Profile) }); err != nil {
		return errors.Join(err, st.Abort())
	}
	return nil
}

// part says which rows are profiled, besides by a filter; "" = all.
func (f *profileFlags) part() string {
	var said []string
	if f.noScan {
		said = append(said, noRowsRead)
	}
	if r := f.rows.String(); r != "" {
		said = append(said, "rows "+r)
	}
	if f.limit.n < math.MaxInt64 {
		said = append(said, "the first "+humanize.Comma(f.limit.n))
	}
	return strings.Join(said, ", of these ")
}

// measure makes the profile.
func (a *app) measure(ctx context.Context, f *profileFlags, in []string) (doc profileDoc, err error) {
	err = a.untilRead(func() (again bool, err error) {
		doc, again, err = a.profileOnce(ctx, f, in)
		return again, err
	})
	doc.Warnings = a.warnings.list()
	return doc, err
}

// profileOnce is one attempt of a profile. again = columns must be read in another unit, so call it again.
func (a *app) profileOnce(ctx context.Context, f *profileFlags, in []string) (doc profileDoc, again bool, err error) {
	ds, err := a.openDataset(ctx, in, f.readFlags, f.selectFlags)
	if err != nil {
		return doc, false, err
	}
	defer ds.close()
	doc = profileDoc{Files: ds.files, Format: ds.formats.one(), Formats: ds.formats.names(), title: reportTitle(in), formats: ds.formats.String()}
	if len(ds.files) == 1 {
		doc.title = ds.files[0]
	}
	if err := f.readFlags.options.check(ds.used(f.readFlags.options)...); err != nil {
		return doc, false, err
	}
	if f.noScan {
		doc.Profile, err = profileStatistics(ctx, ds, f.columns)
		return doc, false, err
	}
	bar := a.startProgress(f.progress.word, "profile", ds.work(f.selectFlags))
	defer bar.stop()
	o := limitScan(scanOptions(f.readFlags, f.selectFlags), f.limit.n)
	if o.MemoryBudget == 0 {
		o.MemoryBudget = 1 << 30
	}
	kept := o.MemoryBudget / profileMemory
	o.MemoryBudget -= kept
	p, err := profileRows(ctx, ds, o, tableprofile.Options{Memory: kept, Workers: o.Parallelism}, f.limit.n, bar)
	if err != nil {
		return doc, a.coarsenAfter(err, f.readFlags, ds, in), ds.explain(err)
	}
	doc.Profile = p
	return doc, false, nil
}

// profileRows measures at most limit rows of a scan.
func profileRows(ctx context.Context, ds *inputSet, o arrowio.ScanOptions, to tableprofile.Options, limit int64, bar *progress) (*tableprofile.Profile, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // what the scan has read ahead is of no use when enough rows are read
	schema, err := arrowio.Project(ds.Schema, o.Columns)
	if err != nil {
		return nil, asUsage(err)
	}
	if to.Workers == 0 {
		to.Workers = runtime.GOMAXPROCS(0)
	}
	p := tableprofile.New(schema.Schema, to)
	if limit == 0 {
		return p.Profile(), nil
	}
	rr, err := ds.Scan(ctx, o)
	if err != nil {
		return nil, err
	}
	defer rr.Release()
	var rows int64
	for rows < limit && rr.Next() {
		rec := rr.Record()
		n := min(rec.NumRows(), limit-rows)
		if err := writeRows(profiling{p}, rec, 0, n); err != nil {
			return nil, err
		}
		rows += n
		bar.set(rows)
	}
	if rows < limit && rr.Err() != nil {
		return nil, rr.Err()
	}
	return p.Profile(), nil
}

// profiling is a rowPrinter that measures rows.
type profiling struct{ *tableprofile.Profiler }

func (p profiling) Write(rec arrow.Record) error { return p.Add(rec) }
func (p profiling) Close() error                 { return nil }
func (p profiling) Abort() error                 { return nil }
