package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/internal/sinkblocks"
	"github.com/arrowio/arrowio/writers"
)

// mergeFlags are the flags of merge and split.
type mergeFlags struct {
	read     *readFlags
	metadata *metadataFlags
	progress *wordValue
	bytes    sizeValue
	rows     numberValue
	parts    numberValue
	padding  string
	force    bool
	dryRun   bool
	json     bool
}

func (a *app) addMergeFlags(cmd *cobra.Command) *mergeFlags {
	f := &mergeFlags{read: &readFlags{options: newOptionFlags(), partitions: &partitionFlags{mode: wordValue{words: []string{"hive"}, word: "hive"}}}}
	fs := cmd.Flags()
	f.read.from = wordValue{words: a.readerNames(), kind: "FORMAT"}
	addWord(cmd, &f.read.from, "from", "read INPUT as this format instead of telling it by content")
	a.addStoreFlags(cmd)
	f.metadata = addMetadataFlags(cmd)
	f.progress = addProgressFlag(cmd)
	f.rows.min, f.parts.min = 1, 1
	fs.Var(&f.bytes, "max-file-bytes", "begin another file when one would have more stored bytes; OUTPUT is then a directory")
	fs.Var(&f.rows, "max-file-rows", "begin another file when one would have more than `N` rows; OUTPUT is then a directory")
	fs.Var(&f.parts, "max-file-parts", "begin another file when one has `N` stripes or row groups; OUTPUT is then a directory")
	fs.StringVar(&f.padding, sinkblocks.PaddingOption, sinkblocks.Auto, "keep stripes of ORC within the blocks of the store by zeros between them: of HDFS (auto), nowhere (none), or blocks of so many bytes, which HDFS makes then (`auto|none|SIZE`)")
	fs.BoolVar(&f.force, "force", false, "replace OUTPUT if it exists")
	fs.BoolVar(&f.dryRun, "dry-run", false, "look at the files, print what would be written, and write nothing")
	fs.BoolVar(&f.json, "json", false, "print a report as a JSON object")
	return f
}

// divided reports whether OUTPUT may be several files.
func (f *mergeFlags) divided() bool { return f.bytes > 0 || f.rows.n > 0 || f.parts.n > 0 }

func (a *app) mergeCommand() *cobra.Command {
	var f *mergeFlags
	cmd := &cobra.Command{
		Use:   "merge [flags] INPUT... OUTPUT",
		Short: "Make one file of several by copying stripes, row groups or blocks",
		Long: `Merge writes the rows of every INPUT, in order, to one file of the same format. Stripes of ORC, row groups of Parquet and blocks of
Trevni are copied as they are stored: nothing is decoded, so it is many times as fast as convert, and encodings, compression, indexes and
bloom filters stay as they are. Statistics of an ORC file are joined from those of the stripes, and those of a Trevni file from its files.

The files must be alike: the same types and names in the same order, the same writer and version, of ORC also the same codec, rows of a
row group and calendar, of Trevni the same codecs, checksums and Avro schema. What differs is an error that names it, before anything is written; convert merges such files by writing them
anew. Small stripes stay small; convert makes large ones of them. Encrypted files and files of a Hive ACID table are refused.

Stripes of ORC lie within the blocks of HDFS, as convert has them: see --orc-block-padding. A Trevni file is one block there.

Metadata of the files is kept where all that have a key agree on its value. --drop-metadata leaves a key out, --metadata sets one.

OUTPUT appears only when it is complete. With a --max-file flag it is a directory of files part-00000, part-00001 and so on.`,
		Example: `  arrowio merge events/*.orc events.orc
  arrowio merge --max-file-bytes 1GiB events/ merged/
  arrowio merge --dry-run --json events/ merged.orc`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("merge takes at least one INPUT and an OUTPUT; usage: arrowio merge [flags] INPUT... OUTPUT")
			}
			return inputs(cmd, args[:len(args)-1])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			last := len(args) - 1
			return a.merge(cmd.Context(), f, args[:last], args[last], false)
		},
	}
	f = a.addMergeFlags(cmd)
	return cmd
}

func (a *app) splitCommand() *cobra.Command {
	var f *mergeFlags
	cmd := &cobra.Command{
		Use:   "split [flags] INPUT OUTPUT",
		Short: "Make several files of one by copying stripes or row groups",
		Long: `Split writes the stripes or row groups of INPUT to files part-00000, part-00001 and so on in the directory OUTPUT, as they are stored:
nothing is decoded. It is the reverse of merge, whose help says what is copied. At least one of --max-file-bytes, --max-file-rows and --max-file-parts
says where a file ends. A stripe is never divided, so a file may have more than these bytes or rows where one stripe has. Trevni files
cannot be split: their columns are divided at different rows.`,
		Example: `  arrowio split --max-file-parts 1 big.orc stripes/
  arrowio split --max-file-bytes 256MiB big.orc pieces/`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("split takes one INPUT and one OUTPUT; usage: arrowio split [flags] INPUT OUTPUT")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !f.divided() {
				return usagef("split: say where a file ends, with --max-file-bytes, --max-file-rows or --max-file-parts")
			}
			return a.merge(cmd.Context(), f, args[:1], args[1], true)
		},
	}
	f = a.addMergeFlags(cmd)
	return cmd
}

// mergeJSON is the JSON of a merge or a split.
type mergeJSON struct {
	*convert.MergeReport
	Directory bool              `json:"directory"`
	Warnings  []arrowio.Warning `json:"warnings"`
}

func (a *app) merge(ctx context.Context, f *mergeFlags, in []string, out string, split bool) error {
	edit, err := f.metadata.edit()
	if err != nil {
		return err
	}
	for _, i := range in {
		if i == "-" {
			return usagef("%s cannot be standard input: files are looked at before they are copied", "INPUT")
		}
	}
	directory := f.divided() || strings.HasSuffix(out, "/")
	switch {
	case out == "-" && directory:
		return usagef("a --max-file flag makes a directory of files: it cannot go to standard output")
	case out == "-" && f.json:
		return usagef("--json cannot be used with OUTPUT -: both write to standard output")
	}
	padding, err := sinkblocks.Padding(f.padding)
	if err != nil {
		return err
	}
	if err := checkOverlap(in, out); err != nil {
		return err
	}
	all, err := a.expand(ctx, in, f.read)
	if err != nil {
		return err
	}
	merged, err := a.mergeInputs(all, f)
	if err != nil {
		return err
	}
	format, err := a.mergedFormat(ctx, merged[0])
	if err != nil {
		return err
	}
	if split && format.Name == "trevni" {
		return errs.Locate(errs.Errorf(errs.ErrUnsupported, "Trevni files cannot be split by copying: their columns are divided into blocks at different rows; convert with --max-file-bytes makes several files"), errs.At{File: merged[0].Name})
	}
	if f.padding != sinkblocks.Auto && format.Name != "orc" {
		return usagef("--%s is an option of orc, but INPUT is %s", sinkblocks.PaddingOption, format.Name)
	}
	store, err := a.openStore(ctx, format, out, f.force, directory)
	if err != nil {
		return err
	}
	defer store.Abort() // does nothing once it is committed
	var bar *progress
	var done atomic.Int64
	report, err := convert.Merge(ctx, merged, store, convert.MergeOptions{
		MaxFileBytes: int64(f.bytes), MaxFileRows: f.rows.n, MaxFileParts: int(f.parts.n), Extension: format.Extensions[0], BlockBytes: padding,
		Metadata: edit, DryRun: f.dryRun,
		Progress: func(n, all int64) {
			if done.Store(n); bar == nil {
				bar = a.startProgress(f.progress.word, out, work{rows: -1, bytes: all, read: done.Load})
			}
		},
	})
	bar.stop()
	if err != nil {
		return outputError(out, err)
	}
	if len(report.Files) == 1 && !directory {
		report.Files[0].Name = out
	}
	switch {
	case f.json:
		return printJSON(a.stdout, mergeJSON{report, directory, a.warnings.list()})
	case f.dryRun:
		_, err := fmt.Fprintln(a.stdout, mergeSummary(report, "would be copied", out))
		return err
	case out != "-":
		if _, tty := a.terminal(a.stderr); f.progress.word == "always" || f.progress.word == "auto" && tty {
			a.onErrors().line("", "  ", mergeSummary(report, "copied", out)+", "+took(report.Seconds))
		}
	}
	return nil
}

// mergeInputs says how the files are opened. Files of a table or of several partitions have something to say that a merged file
// could not.
func (a *app) mergeInputs(all []dataset.Input, f *mergeFlags) ([]convert.MergeInput, error) {
	var out []convert.MergeInput
	for _, in := range all {
		if in.IsMember() {
			return nil, usagef("%s is a file of a table, which says more about its rows; use convert", displayName(in.Path))
		}
		if in.Partition() != all[0].Partition() {
			return nil, usagef("%s lies below %s, and %s below %s: what these directories say would be lost; merge one directory at a time",
				displayName(all[0].Path), orElse(all[0].Partition(), "no partition"), displayName(in.Path), orElse(in.Partition(), "no partition"))
		}
		out = append(out, convert.MergeInput{Name: displayName(in.Path), Open: func(ctx context.Context) (*dataset.File, error) {
			file, err := a.open(ctx, in, f.read)
			if err != nil {
				return nil, err
			}
			return file.File, nil
		}})
	}
	return out, nil
}

// mergedFormat returns the format of the first file, as one that is written.
func (a *app) mergedFormat(ctx context.Context, first convert.MergeInput) (arrowio.OutputFormat, error) {
	file, err := first.Open(ctx)
	if err != nil {
		return arrowio.OutputFormat{}, err
	}
	name := file.Format()
	if err := file.Close(); err != nil {
		return arrowio.OutputFormat{}, err
	}
	return writers.Lookup(name)
}

func mergeSummary(r *convert.MergeReport, verb, out string) string {
	s := counted(int64(r.Inputs), "file")
	if part := partOf(r.Format); part != "" {
		s = counted(int64(r.Parts), part) + " of " + s
	}
	s += fmt.Sprintf(" with %s, %s, %s to %s", counted(r.Rows, "row"), humanize.IBytes(uint64(r.BytesOut)), verb, printable(out))
	if n := len(r.Files); n > 1 {
		s += " in " + counted(int64(n), "file")
	}
	return s
}

// partOf is what the parts of a format are called, "" = files are copied whole.
func partOf(format string) string {
	switch format {
	case "orc":
		return "stripe"
	case "trevni":
		return ""
	}
	return "row group"
}
