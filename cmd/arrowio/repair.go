package main

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
)

// repairCommand is convert, to the format of INPUT.
func (a *app) repairCommand() *cobra.Command {
	cmd, f := a.convertCommandAndFlags()
	write := cmd.RunE
	cmd.Use = "repair [flags] INPUT OUTPUT"
	cmd.Short = "Write what is intact of a damaged ORC or Trevni file as a sound file"
	cmd.Long = `Repair reads what is intact of INPUT, as --salvage rows does, and writes it to OUTPUT: a file of the same format, with the same codec,
size of compressed chunks and rows of a row group, where these are known. Statistics and indexes are computed anew. What is lost is
reported, and the exit code is then 4. Bloom filters, encryption and the division into stripes are not kept.

Rows that the statistics of INPUT contradict count as damaged. Where the rows are right and the statistics are wrong, use convert
without --salvage: it writes all rows, with statistics of their own.

With --salvage columns, a Trevni file of plain columns becomes one with an Avro schema: plain columns have no nulls.

INPUT is never changed. All flags of convert can be used, and have precedence.`
	cmd.Example = `  arrowio repair damaged.orc sound.orc
  arrowio repair --salvage columns --json damaged.trv sound.trv
  arrowio repair --schema sibling.orc cut-off.orc sound.orc`
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 2 {
			return usagef("repair takes one INPUT and one OUTPUT; usage: arrowio repair [flags] INPUT OUTPUT")
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := a.repairAs(cmd.Context(), cmd, f, args[0], args[1]); err != nil {
			return err
		}
		return write(cmd, args)
	}
	return cmd
}

// repairAs sets the flags of a repair that were not given.
func (a *app) repairAs(ctx context.Context, cmd *cobra.Command, f *convertFlags, in, out string) error {
	given := func(name string) bool { return cmd.Flags().Lookup(name) != nil && cmd.Flags().Lookup(name).Changed }
	if !given("salvage") {
		if err := cmd.Flags().Set("salvage", "rows"); err != nil {
			return err
		}
	}
	file, err := a.open(ctx, dataset.Input{Path: in}, f.readFlags)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	like, ok := arrowio.As[interface{ WriteOptions() map[string]string }](file.File)
	if !ok {
		return usagef("%s is of the format %s: repair is for ORC and Trevni; use convert", in, file.Format())
	}
	options := like.WriteOptions()
	if options == nil {
		options = map[string]string{}
	}
	if options["to"] = file.Format(); given("to") && f.to.word != file.Format() {
		return usagef("repair writes the format of INPUT, which is %s; use convert --salvage for another", file.Format())
	}
	if to, err := a.outputFormat("", out); err == nil && out != "-" && to.Name != file.Format() && !given("to") {
		return usagef("repair writes the format of INPUT, which is %s, and %s has the ending of %s files; name an OUTPUT of that format, or use convert --salvage", file.Format(), out, to.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if given(name) {
			continue
		}
		if err := cmd.Flags().Set(name, options[name]); err != nil {
			return err
		}
	}
	return nil
}
