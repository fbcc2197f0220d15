package main

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers/kudu"
)

// jsonDumper is an arrowio.Dumper that can also write JSON.
type jsonDumper interface {
	DumpJSON(ctx context.Context, w io.Writer) error
}

func (a *app) dumpCommand() *cobra.Command {
	var read *readFlags
	var asJSON bool
	var shown *schemaFlags // to say why not
	cmd := &cobra.Command{
		Use:   "dump INPUT",
		Short: "The bytes of a file, annotated",
		Long: `Dump prints every byte of a file's structure with its offset and what it means. It dumps Trevni, ORC and CFile files, and the
files of a Kudu server. For other formats, such as Parquet, use arrowio inspect.

Of a Kudu server it also prints the small files: superblocks, consensus metadata, instance files, block records and segments
of write-ahead logs, with --json as JSON. They need not lie in a server's directory. Of a container of blocks (data/*.data) it lists
the blocks, which --kudu-block shows one by one.`,
		Example: `  arrowio dump small.orc | less
  arrowio dump broken.trv | tail
  arrowio dump --json wal/tablet-meta/6efb0fa8568e447a997dcabf75694a08`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("dump takes one INPUT, not %d", len(args))
			}
			return inputs(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if shown.given() {
				return usagef("dump shows bytes as they are stored, and --schema and --cast say how rows are read: see arrowio cat, or inspect for what becomes of the columns")
			}
			return a.eachFile(cmd.Context(), args, read, func(f *openFile) error {
				d, ok := arrowio.As[arrowio.Dumper](f)
				j, canJSON := arrowio.As[jsonDumper](f)
				switch {
				case !ok && f.IsDirectory() && f.Format() == kudu.Name:
					return errs.Errorf(errs.ErrUnsupported, "there is no dump of a Kudu directory: name one of its files, such as tablet-meta/TABLET or wals/TABLET/wal-000000001, or a block with --kudu-block ID; inspect lists tablets and blocks")
				case !ok && f.IsDirectory():
					return errs.Errorf(errs.ErrUnsupported, "there is no dump of a directory; inspect tells what this one of %s holds", f.Format())
				case ok && asJSON && !canJSON:
					return usagef("dump --json shows the small files of a Kudu server, and this is a file of %s; inspect --json describes it", f.Format())
				case !ok:
					return errs.Errorf(errs.ErrUnsupported, "dump does not read %s files, only Trevni, ORC, CFile and those of a Kudu server; arrowio inspect tells what this file holds", f.Format())
				}
				w := bufio.NewWriterSize(a.stdout, 64<<10)
				dump := d.Dump
				if asJSON {
					dump = j.DumpJSON
				}
				// What was understood before an error is printed too: that is what a dump is for.
				return errors.Join(dump(cmd.Context(), w), w.Flush())
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (the small files of a Kudu server only)")
	read = a.addReadFlags(cmd)
	read.purpose = arrowio.ForInfo // of a directory it is enough to know what it is
	shown = addSchemaFlags(cmd)
	_, _ = cmd.Flags().MarkHidden("schema"), cmd.Flags().MarkHidden("cast") // they exist
	return cmd
}
