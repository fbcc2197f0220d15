package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	readkudu "github.com/arrowio/arrowio/readers/kudu"
	writekudu "github.com/arrowio/arrowio/writers/kudu"
)

// kuduCommand has the commands for operators of Kudu.
func (a *app) kuduCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kudu",
		Short: "Work on the directories of a Kudu tablet server",
		Long: `These commands work on the directories of a Kudu tablet server that is stopped or lost: they list its tables, write
them to files, divide rows among tablets, and import rows. To read tables, use the other commands of arrowio with --from kudu,
for example arrowio cat --from kudu.`,
		Example:               "  arrowio kudu list /kudu/wal\n  arrowio kudu export --all /kudu/wal rescued/\n  arrowio kudu import metrics.kudu --wal-dir /kudu/wal --data-dir /disk1/kudu --tablet 27d38d8cc1d64fcabaf1cc938909010e",
		DisableFlagsInUseLine: true,
		RunE:                  a.noCommand,
	}
	cmd.AddCommand(a.kuduListCommand(), a.kuduExportCommand(), a.kuduSplitCommand(), a.kuduImportCommand())
	return cmd
}

// kuduImportFlags are the flags of `arrowio kudu import`.
type kuduImportFlags struct {
	writekudu.ImportOptions
	json     bool
	progress *wordValue
}

func (a *app) kuduImportCommand() *cobra.Command {
	f := &kuduImportFlags{}
	cmd := &cobra.Command{
		Use:   "import [flags] SETDIR",
		Short: "Put rowsets into a tablet of a stopped server",
		Long: `Import adds all rowsets of SETDIR to one tablet of a stopped tablet server. SETDIR is a directory OUT.kudu that convert
wrote. The server has the rows when it starts again.

Import first checks that the server is stopped, that the columns match the table, that every file is complete and sorted, that
all rows belong to the tablet (kudu split divides them), and that the tablet does not have their keys yet. It holds the locks of
the server until it ends. It writes the blocks to new files, then replaces the tablet's superblock in one step, and keeps the old
superblock beside the new one. If it fails before that step, the tablet stays as it was. --dry-run does all checks and prints
what import would write.

--force imports in spite of doubts: the tablet has other replicas, which do not get the rows; it has deleted rows with the same
keys; or some directories may be incomplete. It never adds a key that the tablet has.`,
		Example: `  arrowio convert --kudu-key host,time metrics.parquet metrics.kudu
  arrowio kudu import --dry-run metrics.kudu --wal-dir /kudu/wal --data-dir /disk1/kudu --data-dir /disk2/kudu --tablet 27d38d8cc1d64fcabaf1cc938909010e
  sudo arrowio kudu import metrics.kudu --wal-dir /kudu/wal --data-dir /disk1/kudu --data-dir /disk2/kudu --tablet 27d38d8cc1d64fcabaf1cc938909010e`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 || args[0] == "":
				return usagef("kudu import: SETDIR is missing: name a directory OUT.kudu that convert wrote")
			case len(args) > 1:
				return usagef("kudu import takes one SETDIR, not %s", strings.Join(args, ", "))
			case f.Wal == "":
				return usagef("kudu import: --wal-dir is missing: name the write-ahead log directory of the server (its --fs_wal_dir)")
			case f.Tablet == "":
				return usagef("kudu import: --tablet is missing: name the id of a tablet; kudu list prints them")
			}
			return nil
		},
		ValidArgsFunction: completeDirs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Set = args[0]
			return a.kuduImport(cmd.Context(), f)
		},
	}
	fs := cmd.Flags()
	addServerFlags(cmd, &f.Wal, &f.Metadata, &f.Data)
	fs.StringVar(&f.Tablet, "tablet", "", "`ID` of the tablet that gets the rows")
	fs.BoolVar(&f.Force, "force", false, "import in spite of doubts")
	fs.BoolVar(&f.DryRun, "dry-run", false, "do all checks and print what would be written, but write nothing")
	fs.BoolVar(&f.json, "json", false, "print the report as a JSON object")
	f.progress = addProgressFlag(cmd)
	if a.completes {
		// The flag exists: it was added above.
		_ = cmd.RegisterFlagCompletionFunc("tablet", func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return f.tablets(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
		})
	}
	return cmd
}

// tablets returns the completions of --tablet: ids, with the names of their tables.
func (f *kuduImportFlags) tablets(ctx context.Context) (out []cobra.Completion) {
	v, err := readkudu.OpenOverview(ctx, f.Wal, arrowio.Limits{}, readkudu.Options{Metadata: f.Metadata, Data: f.Data})
	if err != nil {
		return nil
	}
	defer func() { _ = v.Close() }() // it was only read
	info, err := v.Info(ctx, arrowio.InfoOptions{})
	if err != nil {
		return nil
	}
	for _, m := range info.Members {
		if m.Kind == "tablet" {
			out = append(out, cobra.CompletionWithDesc(m.ID, m.Name))
		}
	}
	return out
}

func (a *app) kuduImport(ctx context.Context, f *kuduImportFlags) error {
	var bar *progress
	var done atomic.Int64
	f.Progress = func(n, total int64) {
		done.Store(n)
		if bar == nil {
			bar = a.startProgress(f.progress.word, "import", work{rows: -1, bytes: total, read: done.Load})
		}
	}
	start := time.Now()
	r, err := writekudu.Import(ctx, f.ImportOptions)
	bar.stop()
	if r == nil || err != nil && !f.DryRun && !r.Done {
		return err
	}
	show := a.printImport
	if f.json {
		show = func(r *writekudu.ImportReport, _ time.Duration) error { return printJSON(a.stdout, r) }
	}
	return errors.Join(err, show(r, time.Since(start)))
}

// printImport prints what was done, or in a dry run what would be done, with every block.
func (a *app) printImport(r *writekudu.ImportReport, took time.Duration) error {
	w := a.onSheet(a.stdout)
	if err := printImportHead(w, r, took); err != nil {
		return err
	}
	right := map[string]bool{"rowset": true, "rows": true, "bytes": true}
	var sets, blocks [][]string
	for _, s := range r.RowSets {
		id := fmt.Sprint(s.ID)
		sets = append(sets, []string{id, humanize.Comma(s.Rows), humanize.Comma(s.Bytes), s.MinKey, s.MaxKey})
		for _, b := range s.Blocks {
			blocks = append(blocks, []string{id, b.ID, b.What, humanize.Comma(b.Bytes), b.From, b.Path})
		}
	}
	if err := printTable(w, []string{"rowset", "rows", "bytes", "least key", "greatest key"}, right, sets); err != nil {
		return err
	}
	if r.DryRun {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := printTable(w, []string{"rowset", "block", "holds", "bytes", "from", "goes to"}, right, blocks); err != nil {
			return err
		}
	}
	var out strings.Builder
	for _, c := range r.Filled {
		fmt.Fprintf(&out, "column %s is not in the set: %s in all its rows\n", c.Name, c.With)
	}
	for _, d := range r.Doubts {
		fmt.Fprintf(&out, "doubt: %s\n", d)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&out, "note: %s\n", n)
	}
	if r.Backup != "" {
		fmt.Fprintf(&out, "the superblock is %s, and was %s\n", r.Superblock, r.Backup)
	}
	for line := range strings.Lines(out.String()) {
		if err := w.printLine(strings.TrimSuffix(line, "\n")); err != nil {
			return err
		}
	}
	return nil
}

func printImportHead(w sheet, r *writekudu.ImportReport, took time.Duration) error {
	what := "imported in " + took.Round(time.Millisecond).String()
	if r.DryRun {
		what = "to import"
	}
	return w.printLine(fmt.Sprintf("%s, %s, %s into tablet %s of table %s (%s block manager)",
		counted(r.Rows, "row"), humanize.IBytes(uint64(r.Bytes)), what, r.Tablet, r.Table, r.BlockManager))
}
