package main

import (
	"bufio"
	"errors"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

func (a *app) dumpCommand() *cobra.Command {
	var read *readFlags
	var shown *schemaFlags // to say why not
	cmd := &cobra.Command{
		Use:   "dump INPUT",
		Short: "The bytes of a file, annotated",
		Long:  "Dump prints every byte of a file's structure with its offset and what it means.",
		Example: `  arrowio dump small.orc | less
  arrowio dump broken.trv | tail`,
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
				switch {
				case !ok && f.IsDirectory():
					return errs.Errorf(errs.ErrUnsupported, "there is no dump of a directory; inspect tells what this one of %s holds", f.Format())
				case !ok:
					return errs.Errorf(errs.ErrUnsupported, "no dump of %s files; inspect tells what such a file holds", f.Format())
				}
				w := bufio.NewWriterSize(a.stdout, 64<<10)
				// What was understood before an error is printed too: that is what a dump is for.
				return errors.Join(d.Dump(cmd.Context(), w), w.Flush())
			})
		},
	}
	read = a.addReadFlags(cmd)
	shown = addSchemaFlags(cmd)
	_, _ = cmd.Flags().MarkHidden("schema"), cmd.Flags().MarkHidden("cast") // they exist
	return cmd
}
