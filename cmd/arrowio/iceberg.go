package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/writers/icebergtable"
)

// icebergCommand has the commands that change tables of Iceberg.
func (a *app) icebergCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "iceberg",
		Short: "Delete rows of an Iceberg table, or compact it",
		Long: `These commands change a table of Iceberg without rows from elsewhere. TABLE is its directory, or iceberg://CATALOG/NAMESPACE.TABLE.
Each makes one snapshot, and older snapshots stay. To add or replace rows, use arrowio convert --to iceberg.`,
		Example:               "  arrowio iceberg delete warehouse/db/events --where \"day < DATE '2024-01-01'\"\n  arrowio iceberg compact iceberg://prod/db.events",
		DisableFlagsInUseLine: true,
		RunE:                  a.noCommand,
	}
	cmd.AddCommand(a.icebergDeleteCommand(), a.icebergCompactCommand())
	return cmd
}

// icebergFlags are the flags of both.
type icebergFlags struct {
	where         filterValue
	dryRun, json  bool
	compression   string
	rowGroupBytes sizeValue
	target        sizeValue
	jobs          countValue
	memory        sizeValue
	options       *optionFlags
}

// oneTable takes one TABLE.
func oneTable(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return usagef("iceberg %s: name one TABLE: the directory of a table, or iceberg://CATALOG/NAMESPACE.TABLE", cmd.Name())
	}
	return nil
}

func (a *app) icebergDeleteCommand() *cobra.Command {
	f := &icebergFlags{jobs: countValue{min: 1}}
	cmd := &cobra.Command{
		Use:   "delete [flags] TABLE --where EXPR",
		Short: "Delete the rows for which a condition is true",
		Long: `Delete deletes the rows of TABLE for which --where is true, in one snapshot. Rows for which it is false, or null, stay.

Files of which the manifests show that all rows are to be deleted are taken out of the table without being read. Of the others the
columns of the condition are read; those with rows to be deleted get a file of position deletes in tables of format version 2, a
deletion vector in version 3, and are written again without the rows in version 1, or if the table has write.delete.mode=copy-on-write.

If somebody else changes the table meanwhile, the deletion begins anew with the new state; files that did not change are not read again.`,
		Example: `  arrowio iceberg delete warehouse/db/events --where "user_id = 4711"
  arrowio iceberg delete --dry-run iceberg://prod/db.events --where "day < DATE '2024-01-01'"`,
		Args:              oneTable,
		ValidArgsFunction: completeDirs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.where.x == nil {
				return usagef("iceberg delete: --where is missing: it says which rows are deleted")
			}
			return a.changeTable(cmd.Context(), f, args[0], func(ctx context.Context, o icebergtable.Options) (*icebergtable.Outcome, error) {
				return icebergtable.Delete(ctx, args[0], o, f.where.x)
			}, deletedText)
		},
	}
	addWhere(cmd.Flags(), &f.where, "delete the rows for which this is true, such as \"price >= 10 AND tag IN ('x', 'y')\"; see arrowio help where")
	f.add(a, cmd)
	return cmd
}

func (a *app) icebergCompactCommand() *cobra.Command {
	f := &icebergFlags{jobs: countValue{min: 1}}
	cmd := &cobra.Command{
		Use:   "compact [flags] TABLE",
		Short: "Join small files, and leave out deleted rows",
		Long: `Compact writes files of TABLE again, in one snapshot that has the same rows: files of less than three quarters of the target size that
share a partition, files with deleted rows, and files of more than 1.8 times the target size. Rows get the table's sort order, and
in tables of format version 3 they keep their ids. Delete files that no data file needs any more are taken out of the table.

If somebody else changes some of these files meanwhile, those of the same partition are written again.`,
		Example: `  arrowio iceberg compact warehouse/db/events
  arrowio iceberg compact --target-size 256MiB --where "day >= DATE '2024-01-01'" iceberg://prod/db.events`,
		Args:              oneTable,
		ValidArgsFunction: completeDirs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.changeTable(cmd.Context(), f, args[0], func(ctx context.Context, o icebergtable.Options) (*icebergtable.Outcome, error) {
				return icebergtable.Compact(ctx, args[0], o, icebergtable.CompactOptions{Where: f.where.x, TargetBytes: int64(f.target)})
			}, compactedText)
		},
	}
	addWhere(cmd.Flags(), &f.where, "leave out files of which the manifests show that no row satisfies this; see arrowio help where")
	cmd.Flags().Var(&f.target, "target-size", "stored bytes of a file (default: what the table says, or 512MiB)")
	f.add(a, cmd)
	return cmd
}

// add adds the flags that both commands have.
func (f *icebergFlags) add(a *app, cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.BoolVar(&f.dryRun, "dry-run", false, "only print what would happen")
	fs.BoolVar(&f.json, "json", false, "as a JSON object")
	fs.StringVar(&f.compression, "compression", "", "codec of new files: `NAME[:LEVEL]` (default: what the table says, or the format's own)")
	fs.Var(&f.rowGroupBytes, "row-group-bytes", "uncompressed bytes of a row group or stripe (default: what the table says)")
	fs.Var(&f.jobs, "jobs", "columns worked on at once (default: the number of CPUs)")
	fs.Var(&f.memory, "memory", "memory for rows that are sorted, and for files being read (default 1GiB)")
	f.options = newOptionFlags()
	for _, w := range dataFormats() {
		f.options.add(cmd, w.Name, w.Options)
	}
	for _, o := range icebergtable.Format().Options {
		if o.Name == "iceberg-catalog" || strings.HasPrefix(o.Name, "hive-") { // what says how a catalog is reached
			f.options.add(cmd, icebergtable.Name, []arrowio.Option{o})
		}
	}
}

// changeTable runs a change of a table and prints what it did.
func (a *app) changeTable(ctx context.Context, f *icebergFlags, name string, change func(context.Context, icebergtable.Options) (*icebergtable.Outcome, error), text func(*icebergtable.Outcome) string) error {
	o := a.icebergOptions(ctx, f.options)
	o.DryRun = f.dryRun
	o.Write = arrowio.WriteOptions{Compression: f.compression, RowGroupBytes: int64(f.rowGroupBytes), Memory: int64(f.memory), Parallelism: f.jobs.n}
	start := time.Now()
	out, err := change(ctx, o)
	switch {
	case err != nil:
		return inFile(name, err)
	case f.json:
		return printJSON(a.stdout, out)
	}
	s := text(out)
	switch {
	case s == nothingToCompact && f.dryRun:
	case f.dryRun:
		s = "would be done: " + s
	case out.Snapshot == 0:
		s += "; the table stays as it is"
	default:
		s += fmt.Sprintf("; snapshot %d, %s", out.Snapshot, took(time.Since(start).Seconds()))
	}
	return a.printf("%s\n", s)
}

// listed joins what there is more than none of.
func listed(first string, more ...string) string {
	parts := []string{first}
	for _, s := range more {
		if s != "" && !strings.HasPrefix(s, "0 ") {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}

func deletedText(o *icebergtable.Outcome) string {
	return listed(
		counted(o.Rows, "row")+" deleted", counted(int64(o.Dropped), "file")+" dropped whole", counted(int64(o.Marked), "file")+" with new deletes",
		counted(int64(o.Rewritten), "file")+" written again", counted(int64(o.Cleared), "delete file")+" dropped",
	)
}

const nothingToCompact = "nothing to compact"

func compactedText(o *icebergtable.Outcome) string {
	if o.Rewritten == 0 && o.Cleared == 0 {
		return nothingToCompact
	}
	what := counted(int64(o.Rewritten), "file")
	if !o.DryRun {
		what += fmt.Sprintf(" with %s written again as %d", counted(o.Rows, "row"), o.Written)
	} else {
		what += " written again"
	}
	return listed(what, counted(int64(o.Cleared), "delete file")+" dropped")
}
