package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	writekudu "github.com/arrowio/arrowio/writers/kudu"
)

// kuduSplitFlags are the flags of `arrowio kudu split`.
type kuduSplitFlags struct {
	writekudu.SplitOptions
	jobs     countValue
	memory   sizeValue
	json     bool
	progress *wordValue
}

func (a *app) kuduSplitCommand() *cobra.Command {
	f := &kuduSplitFlags{jobs: countValue{min: 1}}
	cmd := &cobra.Command{
		Use:   "split [flags] SETDIR OUTDIR",
		Short: "Divide rowsets among the tablets of a table",
		Long: `Split divides the rows of SETDIR among the tablets that a tablet server has of a table. For each tablet it writes a set
OUTDIR/ID.kudu, which kudu import adds to that tablet. It reads only the server's superblocks, so the server may run.

The hashes and ranges of a row's key tell which tablet the row belongs to; Kudu looks for the row nowhere else. If the tablets of a
table are on several servers, run split for each server with --partial, which leaves out the rows of other servers' tablets
and prints how many there are.`,
		Example: `  arrowio convert --sort --kudu-key host,time --kudu-table metrics metrics.parquet metrics.kudu
  arrowio kudu split metrics.kudu tablets --wal-dir /kudu/wal
  for set in tablets/*.kudu; do
    sudo arrowio kudu import "$set" --wal-dir /kudu/wal --data-dir /disk1/kudu --tablet "$(basename "$set" .kudu)"
  done`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) != 2 || args[0] == "" || args[1] == "":
				return usagef("kudu split: name SETDIR and OUTDIR: a directory OUT.kudu that convert wrote, and a directory to create")
			case f.Wal == "":
				return usagef("kudu split: --wal-dir is missing: name the write-ahead log directory of the server (its --fs_wal_dir)")
			}
			return nil
		},
		ValidArgsFunction: completeDirs,
		RunE: func(cmd *cobra.Command, args []string) error {
			out, err := kuduOutdir("kudu split", args[1])
			if err != nil {
				return err
			}
			f.Set, f.Out = args[0], out
			return a.kuduSplit(cmd.Context(), f)
		},
	}
	fs := cmd.Flags()
	addServerFlags(cmd, &f.Wal, &f.Metadata, &f.Data)
	fs.StringVar(&f.Table, "table", "", "`NAME` of the table (default: the table of the set)")
	fs.BoolVar(&f.Partial, "partial", false, "leave out rows of tablets that this server does not have")
	fs.BoolVar(&f.DryRun, "dry-run", false, "only count the rows of each tablet")
	fs.BoolVar(&f.json, "json", false, "print the report as a JSON object")
	fs.Var(&f.jobs, "jobs", "columns encoded at once (default: the number of CPUs)")
	fs.Var(&f.memory, "memory", "memory for sets that are written at once; more of them take more passes (default 512MiB)")
	f.progress = addProgressFlag(cmd)
	return cmd
}

// addServerFlags adds the flags for the directories of a tablet server.
func addServerFlags(cmd *cobra.Command, wal, metadata *string, data *[]string) {
	fs := cmd.Flags()
	fs.StringVar(wal, "wal-dir", "", "the server's `DIR` of write-ahead logs (--fs_wal_dir)")
	fs.StringArrayVar(data, "data-dir", nil, "a data `DIR` of the server (--fs_data_dirs); repeat for each (default: the directory of the logs and the directory data beside it)")
	fs.StringVar(metadata, "metadata-dir", "", "the server's metadata `DIR` (--fs_metadata_dir), if it has one (default: the directory of the logs, then the data directories)")
	for _, name := range []string{"wal-dir", "data-dir", "metadata-dir"} {
		_ = cmd.MarkFlagDirname(name) // it fails only for a flag that does not exist
	}
}

func (a *app) kuduSplit(ctx context.Context, f *kuduSplitFlags) error {
	var bar *progress
	var done atomic.Int64
	f.Progress = func(n, total int64) {
		done.Store(n)
		if bar == nil {
			bar = a.startProgress(f.progress.word, "split", work{rows: -1, bytes: total, read: done.Load})
		}
	}
	f.Jobs, f.Memory = f.jobs.n, int64(f.memory)
	start := time.Now()
	r, err := writekudu.Split(ctx, f.SplitOptions)
	bar.stop()
	if r == nil || !r.Done && !(f.DryRun && len(r.Tablets) > 0) {
		return err
	}
	if f.json {
		return errors.Join(err, printJSON(a.stdout, r))
	}
	return errors.Join(err, printSplit(a.onSheet(a.stdout), r, time.Since(start)))
}

func printSplit(w sheet, r *writekudu.SplitReport, took time.Duration) error {
	what := "divided in " + took.Round(time.Millisecond).String()
	if r.DryRun {
		what = "to divide"
	}
	if err := w.printLine(fmt.Sprintf("%s %s among tablets of table %s", counted(r.Rows, "row"), what, r.Table)); err != nil {
		return err
	}
	var lines [][]string
	for _, t := range r.Tablets {
		lines = append(lines, []string{t.ID, humanize.Comma(t.Rows), t.Set})
	}
	if err := printTable(w, []string{"tablet", "rows", "set"}, map[string]bool{"rows": true}, lines); err != nil {
		return err
	}
	if r.Elsewhere == 0 {
		return nil
	}
	text := "1 row is left out: it belongs to a tablet that this server does not have"
	if r.Elsewhere > 1 {
		text = humanize.Comma(r.Elsewhere) + " rows are left out: they belong to tablets that this server does not have"
	}
	return w.printLine(text)
}
