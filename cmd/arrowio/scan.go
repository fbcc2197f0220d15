package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
)

type scanFlags struct {
	*readFlags
	*selectFlags
	repeat   countValue
	progress *wordValue
	json     bool
}

func (a *app) scanCommand() *cobra.Command {
	f := &scanFlags{repeat: countValue{n: 1, min: 1}}
	cmd := &cobra.Command{
		Use:   "scan [flags] INPUT...",
		Short: "Decode to Arrow and discard: how fast, with how much memory",
		Long: `Scan opens every INPUT, decodes it to Arrow batches, lets them go, and tells what that took. A repeat is all of it:
opening, decoding, closing. CPU seconds are those of the whole process, user and system; with --jobs 1 everything runs
in one goroutine. Arrow bytes are the sizes of the batches' buffers, file bytes what was read from the file.

--json prints {"files", "format", "formats", "file_size", "rows", "batches", "arrow_bytes", "file_bytes",
"peak_rss_bytes", "repeats": [{"rows", "batches", "arrow_bytes", "file_bytes", "wall_seconds", "cpu_seconds", "user_seconds",
"system_seconds", "allocs", "alloc_bytes"}]}; the numbers outside of repeats are those of the last one.`,
		Example: `  arrowio scan events.orc
  arrowio scan --repeat 5 --jobs 1 --json events.trv | jq '[.repeats[].cpu_seconds] | min'
  arrowio scan --columns id --mmap --cpuprofile cpu.out events.trv`,
		Args: inputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.scan(cmd.Context(), f, args)
		},
	}
	f.readFlags = a.addReadFlags(cmd)
	f.shown = addSchemaFlags(cmd)
	f.selectFlags = addSelectFlags(cmd)
	f.onlyRows = true
	f.progress = addProgressFlag(cmd)
	cmd.Flags().Var(&f.repeat, "repeat", "do it so many times")
	cmd.Flags().BoolVar(&f.json, "json", false, "as a JSON object")
	return cmd
}

// usage is what a process has used so far; zero on systems that do not report it.
type usage struct {
	user, system time.Duration
	peak         int64 // bytes of memory, the most at any time
}

// scanReport is the JSON of a scan.
type scanReport struct {
	Files    []string `json:"files"`
	Format   *string  `json:"format"` // null = several
	Formats  []string `json:"formats"`
	FileSize int64    `json:"file_size"`
	scanned
	PeakRSS int64        `json:"peak_rss_bytes"`
	Repeats []scanRepeat `json:"repeats"`

	Warnings []arrowio.Warning `json:"warnings"`

	formats string // for a person
}

// scanned is the number of rows, batches and bytes of a scan.
type scanned struct {
	Rows       int64 `json:"rows"`
	Batches    int64 `json:"batches"`
	ArrowBytes int64 `json:"arrow_bytes"`
	FileBytes  int64 `json:"file_bytes"`
}

// scanRepeat is one scan with its time and memory.
type scanRepeat struct {
	scanned
	Wall       float64 `json:"wall_seconds"`
	CPU        float64 `json:"cpu_seconds"`
	User       float64 `json:"user_seconds"`
	System     float64 `json:"system_seconds"`
	Allocs     uint64  `json:"allocs"`
	AllocBytes uint64  `json:"alloc_bytes"`
}

func (a *app) scan(ctx context.Context, f *scanFlags, in []string) error {
	if f.repeat.n > 1 && in[0] == "-" {
		return usagef("standard input can be read only once: --repeat needs a file")
	}
	report := scanReport{}
	for range f.repeat.n {
		var r scanRepeat
		err := a.untilRead(func() (again bool, err error) {
			r, again, err = a.scanOnce(ctx, f, in, &report)
			return again, err
		})
		if err != nil {
			return err
		}
		report.Repeats = append(report.Repeats, r)
		report.scanned = r.scanned
	}
	report.PeakRSS = processUsage().peak
	if f.json {
		report.Warnings = a.warnings.list()
		return printJSON(a.stdout, report)
	}
	return printScan(a.onSheet(a.stdout), report)
}

// scanOnce is one attempt of a scan. again = columns must be read in another unit, so call it again.
func (a *app) scanOnce(ctx context.Context, f *scanFlags, in []string, report *scanReport) (r scanRepeat, again bool, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu := processUsage()
	start := time.Now()

	ds, err := a.openDataset(ctx, in, f.readFlags, f.selectFlags)
	if err != nil {
		return r, false, err
	}
	defer ds.close()
	if err := f.readFlags.options.check(ds.used(f.readFlags.options)...); err != nil {
		return r, false, err
	}
	report.Files, report.Format, report.Formats, report.FileSize = ds.files, ds.formats.one(), ds.formats.names(), ds.size
	report.formats = ds.formats.String()
	bar := a.startProgress(f.progress.word, "scan", ds.work(f.selectFlags))
	defer bar.stop()
	if r.scanned, err = discard(ctx, ds, f, bar); err != nil {
		return scanRepeat{}, a.coarsenAfter(err, f.readFlags, ds, in), ds.explain(err)
	}
	r.FileBytes = ds.read()
	if err := ds.close(); err != nil {
		return r, false, err
	}

	r.Wall = time.Since(start).Seconds()
	used := processUsage()
	r.User, r.System = (used.user - cpu.user).Seconds(), (used.system - cpu.system).Seconds()
	r.CPU = r.User + r.System
	runtime.ReadMemStats(&after)
	r.Allocs, r.AllocBytes = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
	return r, false, nil
}

// discard reads all rows and discards them.
func discard(ctx context.Context, ds *inputSet, f *scanFlags, bar *progress) (s scanned, err error) {
	rr, err := ds.Scan(ctx, scanOptions(f.readFlags, f.selectFlags))
	if err != nil {
		return s, err
	}
	defer rr.Release()
	for rr.Next() {
		rec := rr.Record()
		s.Rows += rec.NumRows()
		s.Batches++
		for _, col := range rec.Columns() {
			s.ArrowBytes += arrowBytes(col.Data())
		}
		bar.set(s.Rows)
	}
	return s, rr.Err()
}

// arrowBytes returns the bytes of all buffers of an array and its children.
func arrowBytes(d arrow.ArrayData) int64 {
	var n int64
	for _, b := range d.Buffers() {
		if b != nil {
			n += int64(b.Len())
		}
	}
	for _, c := range d.Children() {
		n += arrowBytes(c)
	}
	if d.DataType().ID() == arrow.DICTIONARY && d.Dictionary() != nil {
		n += arrowBytes(d.Dictionary())
	}
	return n
}

func printScan(w sheet, r scanReport) error {
	w.line("", "  ", fmt.Sprintf("%s: %s, %s in %s, %s of Arrow, %s read of %s", printable(strings.Join(r.Files, " ")), r.formats,
		counted(r.Rows, "row"), plural(int(r.Batches), "batch"), humanize.IBytes(uint64(r.ArrowBytes)), humanize.IBytes(uint64(r.FileBytes)),
		humanize.IBytes(uint64(r.FileSize))))
	header := []string{"run", "wall s", "cpu s", "rows/s", "Arrow/s", "allocs", "allocated"}
	right := map[string]bool{}
	for _, h := range header {
		right[h] = true
	}
	rows := make([][]string, len(r.Repeats))
	for i, x := range r.Repeats {
		rows[i] = []string{
			fmt.Sprint(i + 1), fmt.Sprintf("%.3f", x.Wall), fmt.Sprintf("%.3f", x.CPU), humanize.Comma(int64(float64(x.Rows) / max(x.Wall, 1e-9))),
			humanize.IBytes(uint64(float64(x.ArrowBytes) / max(x.Wall, 1e-9))), humanize.Comma(int64(x.Allocs)), humanize.IBytes(x.AllocBytes),
		}
	}
	if err := printTable(w, header, right, rows); err != nil {
		return err
	}
	if r.PeakRSS == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "peak memory %s\n", humanize.IBytes(uint64(r.PeakRSS)))
	return err
}
