package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
)

// readFlags says how inputs are opened.
type readFlags struct {
	from    wordValue
	jobs    countValue
	memory  sizeValue
	mmap    bool
	options *optionFlags
	again   *dataset.Again               // of the dataset that is being opened; nil = none
	purpose arrowio.Purpose              // of the command
	looks   bool                         // the command looks at what is there, and passes over links in directories that lead to nothing
	leftOut func(path string, err error) // called for files that cannot be opened, where others can; nil = they are errors

	lossless bool           // times that are read in microseconds must not lose digits
	coarse   []coarseColumn // what coarsen has chosen
	nanos    []string       // paths of columns that are read in nanoseconds, since a file has them so: see settle

	partitions *partitionFlags
	shown      *schemaFlags // of commands that read rows; nil = files are shown as they are
}

func (a *app) addReadFlags(cmd *cobra.Command) *readFlags {
	r := &readFlags{jobs: countValue{min: 1}, options: newOptionFlags()}
	fs := cmd.Flags()
	r.from = wordValue{words: a.readerNames(), kind: "FORMAT"}
	addWord(cmd, &r.from, "from", "read INPUT as this format instead of telling it by content")
	fs.Var(&r.jobs, "jobs", "splits decoded at once; 1 = everything in one goroutine (default: the number of CPUs)")
	fs.Var(&r.memory, "memory", "memory for splits in flight, and for a writer before it spills (default 1GiB)")
	fs.BoolVar(&r.mmap, "mmap", false, "map input files into memory instead of reading them")
	r.partitions = addPartitionFlags(cmd)
	a.addStoreFlags(cmd)
	for _, f := range a.readers {
		r.options.add(cmd, f.Name, f.Options)
	}
	if a.completes {
		a.reads[cmd] = r
	}
	return r
}

// selectFlags choose the rows and columns that a scan returns.
type selectFlags struct {
	columns   columnsValue
	exclude   columnsValue
	where     filterValue
	rows      rowsValue
	batchRows countValue
	onlyRows  bool // the command is of use without any column
}

func addSelectFlags(cmd *cobra.Command) *selectFlags {
	s := addColumnFlags(cmd)
	cmd.Flags().Var(&s.rows, "rows", "only rows A up to but not including B, counted before --where; A: and :B too")
	return s
}

// addColumnFlags is addSelectFlags for commands with their own flags for ranges of rows.
func addColumnFlags(cmd *cobra.Command) *selectFlags {
	s := &selectFlags{batchRows: countValue{min: 1}}
	fs := cmd.Flags()
	fs.Var(&s.columns, "columns", "only these columns, in this order; a.b is child b of struct a, whose children keep their order; #3 the third column, for those of one name")
	fs.Var(someColumns{&s.exclude}, "exclude", "all columns but these; a.b is child b of struct a")
	addWhere(fs, &s.where, "only rows for which this is true, such as \"price >= 10 AND tag IN ('x', 'y')\"; may be given several times; see arrowio help where")
	fs.Var(&s.batchRows, "batch-rows", "rows of a batch (default 65536)")
	return s
}

func addWhere(fs *pflag.FlagSet, v *filterValue, usage string) { fs.Var(v, "where", usage) }

// scanOptions returns the options of a scan with both kinds of flags.
func scanOptions(r *readFlags, s *selectFlags) arrowio.ScanOptions {
	o := arrowio.ScanOptions{Parallelism: r.jobs.n, MemoryBudget: int64(r.memory)}
	if s != nil {
		o.Columns, o.Filter, o.Rows, o.BatchRows = s.columns, s.where.x, s.rows.RowRange, s.batchRows.n
	}
	return o
}

// writeFlags says how an output is written.
type writeFlags struct {
	to            wordValue
	compression   string
	rowGroupBytes sizeValue
	maxFileBytes  sizeValue
	force         bool
	options       *optionFlags
}

func (a *app) addWriteFlags(cmd *cobra.Command, read *optionFlags) *writeFlags {
	w := &writeFlags{options: read.sibling()}
	fs := cmd.Flags()
	w.to = wordValue{words: a.writerNames(), kind: "FORMAT"}
	addWord(cmd, &w.to, "to", "write this format instead of telling it by OUTPUT's ending")
	fs.StringVar(&w.compression, "compression", "", "codec of the output: `NAME[:LEVEL]` (default: the format's own)")
	fs.Var(&w.rowGroupBytes, "row-group-bytes", "uncompressed bytes of a row group or stripe (default: the format's own), of a block of Avro, and of a Trevni file (default: any number); other formats have none")
	fs.Var(&w.maxFileBytes, "max-file-bytes", "make OUTPUT a directory of parts of about this many stored bytes")
	fs.BoolVar(&w.force, "force", false, "replace OUTPUT if it exists")
	for _, f := range a.writers {
		w.options.add(cmd, f.Name, f.Options)
	}
	return w
}

// writeOptions returns the options for the writer of a format.
func writeOptions(r *readFlags, w *writeFlags, f arrowio.OutputFormat) arrowio.WriteOptions {
	return arrowio.WriteOptions{
		Compression:   w.compression,
		RowGroupBytes: int64(w.rowGroupBytes),
		MaxFileBytes:  int64(w.maxFileBytes),
		Memory:        int64(r.memory),
		Parallelism:   r.jobs.n,
		Options:       w.options.forFormat(f.Name),
	}
}

// addWord adds a flag whose value is one of a few words, with completion.
func addWord(cmd *cobra.Command, v *wordValue, name, usage string) {
	cmd.Flags().Var(v, name, usage)
}

func (a *app) readerNames() []string {
	names := make([]string, len(a.readers))
	for i, f := range a.readers {
		names[i] = f.Name
	}
	return names
}

func (a *app) writerNames() []string {
	names := make([]string, len(a.writers))
	for i, f := range a.writers {
		names[i] = f.Name
	}
	return names
}
