package arrowio

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// Format is one readable format. Each format's package has a function that returns it, and callers list the formats that they
// want.
type Format struct {
	Name       string
	Extensions []string // with the dot; they decide only if the content does not (csv, jsonl)
	Options    []Option // what OpenOptions.Options may hold; names begin with the format's name
	// Match reports whether a file with these first and last bytes (up to 64 each) is of this format; nil = never.
	Match func(head, tail []byte) bool
	// MatchBeside reports whether src, the file of a name, is of this format because of what lies beside it, with open for that.
	// It is asked before Match; nil = never.
	MatchBeside func(ctx context.Context, src Source, name string, open func(ctx context.Context, name string) (OpenSource, error)) bool
	// Open reads the metadata of a file and returns the File. The caller closes src after it has closed the File.
	Open func(ctx context.Context, src Source, o OpenOptions) (File, error)
	// OpenPath opens the directory at path, for formats that are whole directories; nil = the format reads single sources. Such a
	// format is used only if the caller names it. Open is then nil, or opens single files from such directories. The File opens
	// and closes everything that it reads, and is a ByteCounter.
	OpenPath func(ctx context.Context, path string, o OpenOptions) (File, error)
	// MatchTree reports whether a directory as a whole is of this format, so that its files must not be read one by one; nil =
	// never. A format has both MatchTree and OpenTree, which opens such a directory, or neither. It may read single sources as
	// well. The caller owns t, which the File uses until it is closed.
	MatchTree func(ctx context.Context, t Tree) (bool, error)
	OpenTree  func(ctx context.Context, t Tree, o OpenOptions) (File, error)
	// MatchTable reports whether a directory is a table of this format: metadata in it say which files, of other formats, have its
	// rows, and how they are shown; nil = never. A format has both MatchTable and OpenTable, or neither. It may read nothing else:
	// Open then returns an error.
	MatchTable func(ctx context.Context, t Tree) (bool, error)
	// MatchTableFile returns the directory of the table whose metadata the file of a path or URL holds; ok is false for other
	// files. nil = such files are not recognised.
	MatchTableFile func(name string) (dir string, ok bool)
	// OpenTable returns the files of the table in t, in the order of its rows; at least one, which may have no rows. All have the
	// table's schema as Fragment.Schema. metadata is the path or URL of the file of MatchTableFile; "" = the current one in t.
	// With ForInfo and ForVerify, fragments without rows of the table may come first: for the table itself, and for files that say
	// which rows are deleted.
	OpenTable func(ctx context.Context, t Tree, metadata string, o OpenOptions) ([]Fragment, error)
	// Schemes are the schemes of URLs, in lower case, that name tables in a catalog; nil = there are none. A format has both Schemes
	// and OpenNamed, or neither. It may read nothing else: Open then returns an error.
	Schemes []string
	// OpenNamed returns the files of the table that a URL of one of Schemes names, as OpenTable does; files that OpenOptions.Filter
	// excludes may be missing. If another format reads the table, metadata is the path or URL of the file of its metadata
	// (MatchTableFile), options are for that format, beside those that the caller has given, and there are no fragments.
	OpenNamed func(ctx context.Context, url string, o OpenOptions) (fragments []Fragment, metadata string, options map[string]string, err error)
	// ParseFragment returns the fragment that Fragment.Marshal of OpenTable or OpenNamed wrote.
	ParseFragment func(text []byte, o OpenOptions) (Fragment, error)
	// LooksLike reports whether a local directory looks like one that OpenPath opens, so that its files must not be read one by
	// one; nil = never.
	LooksLike func(path string) bool
	// Finished returns how many bytes of a file its writer had finished, if a side file says so; ok is false if there is no such
	// side file. Finished opens side files with open. nil = the format has no such side files, and all bytes count.
	Finished func(ctx context.Context, name string, open func(ctx context.Context, name string) (OpenSource, error)) (n int64, ok bool, err error)
}

// Option describes one option of a format. It is --NAME on the command line, and NAME in a Flight command.
type Option struct {
	Name    string   // "trevni-view"
	Usage   string   // one line
	Default string   // what the zero value means
	Values  []string // the values that are allowed; nil = any text
	// Repeated says that the option takes several values. On the command line the flag is given several times; in
	// OpenOptions.Options the values are one text, separated by line feeds. No value may be empty or contain a line feed.
	Repeated bool
	// Files says that the value, or each line of it, is the name of a file unless it is JSON. The content of that file then
	// decides which rows are read.
	Files bool
	// Remote says that a client of a server may set the option for its own call. Such an option changes only how values are shown
	// or stored, and names no file.
	Remote bool
}

// OpenOptions goes to Format.Open. The zero value is the default.
type OpenOptions struct {
	Limits  Limits
	Options map[string]string // values by Option.Name; an unknown name or a value that is not allowed is errs.ErrOption
	For     Purpose           // what the File will be used for
	// Name is the path or URL from which the source was opened; "" = not known.
	Name string
	// Schema is what the file will be shown under, with the columns found by name; nil = not known. A format that infers types may
	// leave open those that it says, and one that can read a column as several types may choose the one that it says.
	Schema *arrow.Schema
	// Converted says that values whose types Schema does not have are converted after they were read, also where that loses something.
	Converted bool
	// OpenSource opens another file that an option names; nil = local.OpenFile does.
	OpenSource func(ctx context.Context, name string) (OpenSource, error)
	// OpenTree returns the directory at a path or URL, which need not exist; nil = local.DirTree does.
	OpenTree func(name string) (Tree, error)
	// Lend has the files below a URL be asked for with credentials that a catalog vends: see stores.Stores.Lend; nil = they are not used.
	Lend func(url string, settings map[string]string, again func(ctx context.Context) (map[string]string, error)) error
	// Filter is a filter that every scan of a table will have, alone or joined with others by AND; nil = not known. It is about the
	// columns as Schema has them, or as the table has them.
	Filter expr.Expr
}

// Purpose is what a File is opened for. Formats that are single files may ignore it.
type Purpose uint8

// The purposes.
const (
	ForRows Purpose = iota // anything
	// ForInfo is for File.Info alone. If the options do not say which part of a directory to read, the format may open an
	// overview of it: a File without columns and rows, whose Info.Members list what can be read.
	ForInfo
	// ForVerify is for Verifier.Verify alone. A damaged file may be opened without an error; Verify then reports the damage.
	ForVerify
)

// File is what a format driver implements. All methods may be called concurrently. Users call Scan, not these.
type File interface {
	// Schema is the Arrow schema of the whole file; it never changes.
	Schema() *arrow.Schema
	// Info describes the file for people and programs.
	Info(ctx context.Context, o InfoOptions) (*Info, error)
	// Splits lists the units of parallel work in row order. Every row is in exactly one of them. The caller must not change the
	// slice.
	Splits() []Split
	// Prune returns the rows of s that may satisfy pred, at the granularity of the format's own indexes.
	Prune(ctx context.Context, s Split, pred *expr.Bound) (RowSet, error)
	// Read fetches the bytes that are needed to read the columns of p in the given rows of s. It returns a reader that stands
	// before the first row of s. The caller may Read only rows that are in rows, and must Skip all others. The records are
	// allocated from mem. The caller closes the reader.
	Read(ctx context.Context, s Split, rows RowSet, p Projection, mem memory.Allocator) (SplitReader, error)
	Close() error
}

// SplitReader decodes one split, from its first row to its last, in one goroutine at a time. It does no I/O if the format's
// splits are bounded in bytes. The reader of a stream (Split.Rows.End == UnknownRows) reads while it decodes.
//
// Skip and Read return the number of rows that they skipped or read. It is less than n only at the end of a split of unknown
// length.
type SplitReader interface {
	// Skip skips the next n rows.
	Skip(n int64) (int64, error)
	// Read appends the next n rows to the batch being built.
	Read(n int) (int, error)
	// Take returns the batch built so far, which may have no rows, and starts the next. The caller releases it.
	Take() (arrow.Record, error)
	// Close frees what the reader holds, including a batch that was begun. It may be called twice.
	Close() error
}

// Sizer is implemented by split readers that know before decoding how large rows are. Fit returns how many of the next n rows
// take about the given number of bytes of Arrow memory. It returns at least 1 if n is at least 1.
type Sizer interface {
	Fit(n int, bytes int64) int
}

// RunReader is implemented by split readers to which many short runs of rows cost less at once than run by run. ReadRuns appends
// runs of rows to the batch being built, as Skip and Read from run to run would. They are counted from where the reader stands,
// sorted and apart. Rows between them that are among those that the reader was opened for may be decoded too, and an error may be
// about one of these. The caller keeps runs.
//
// A RunReader to which scattered rows cost less as bits has a method ReadMask(mask []uint64, off, n int) error, too. It appends, of the
// next n rows, those whose bits are set in mask, and passes over the others: that of row i is bit off+i, where bit k is bit k%64 of
// word k/64. Rows whose bits are not set are as rows between runs. The caller keeps mask.
type RunReader interface {
	ReadRuns(runs []RowRange) error
}

// Verifier is implemented by files that can check themselves. Verify compares every checksum, count, offset and statistic with
// the data. It calls report once for each fault, in file order, and returns an error only if it could not go on.
type Verifier interface {
	Verify(ctx context.Context, report func(error)) error
}

// ChecksumCounter is implemented by a Verifier whose files may lack checksums. Verify can only decode data without a checksum; it
// cannot compare it.
type ChecksumCounter interface {
	// CountChecksums returns how much of the stored data has checksums, and which columns Verify does not decode. It does not
	// tell whether the checksums are right. Call it after Verify.
	CountChecksums(ctx context.Context) (Checksums, error)
}

// Checksums says how many parts of a file hold data, and how many of them have a checksum.
type Checksums struct {
	Unit  string `json:"unit"`  // what a part is: "column", "page", "block" or "file"
	Parts int    `json:"parts"` // number of parts that hold data and can be read
	With  int    `json:"with"`  // number of these parts that have a checksum
	// Undecoded lists the dotted paths of columns with values that cannot be decoded, because a key or an Arrow type for them is
	// missing. That is no fault, but Verify could not check everything that the file states about these columns.
	Undecoded []string `json:"-"`
}

// Dumper is implemented by files that can print their own bytes, annotated.
type Dumper interface {
	Dump(ctx context.Context, w io.Writer) error
}

// ByteCounter is implemented by files that open sources themselves, so that the caller cannot count what is read from them.
// BytesRead returns how many stored bytes have been read so far; any goroutine may call it at any time, also after Close.
// BytesStored returns how many bytes are stored in all; it must be called before Close.
type ByteCounter interface {
	BytesRead() int64
	BytesStored() int64
}

// UnknownRows is the value of Split.Rows.End when the format does not say how many rows there are, as with streams.
const UnknownRows = int64(-1)

// Split is the unit of parallel work: an ORC stripe, or a row range of a Trevni or CFile file cut at block boundaries.
type Split struct {
	Ordinal int
	Rows    RowRange // rows of the file; End is UnknownRows for a stream, which has only one split
	Bytes   int64    // stored bytes, an estimate for scheduling
}

// Known reports whether the number of rows of s is known before reading.
func (s Split) Known() bool { return s.Rows.End != UnknownRows }
