package arrowio

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// Format is one readable format. It is a value: packages export it, callers list the ones they want.
type Format struct {
	Name       string
	Extensions []string // with the dot, for formats that no byte tells apart (csv, jsonl)
	Options    []Option // what OpenOptions.Options may hold, names with the format's prefix
	// Match reports whether a file with these first and last bytes (up to 64 each) is of this format; nil = never.
	Match func(head, tail []byte) bool
	// Open reads the file's own description and returns it; src stays the caller's to close, after the File.
	Open func(ctx context.Context, src Source, o OpenOptions) (File, error)
	// OpenPath opens a format that is a whole directory, at path; nil = the format reads single sources. Nothing but its name
	// chooses the format for a directory. Open may be nil then, or opens single files that belong to such directories. The
	// File opens what it reads and closes it; what it counts of that it tells as a ByteCounter.
	OpenPath func(ctx context.Context, path string, o OpenOptions) (File, error)
	// MatchTree reports whether a directory as a whole is of this format, so that the files in it are not to be read one by
	// one; nil = never. Formats have it together with OpenTree, which opens such a directory; a format may read single
	// sources as well. t stays the caller's, and is in use until the File is closed.
	MatchTree func(ctx context.Context, t Tree) (bool, error)
	OpenTree  func(ctx context.Context, t Tree, o OpenOptions) (File, error)
	// LooksLike reports whether a directory of this machine looks like one that OpenPath opens, so that the files in it are
	// not to be read one by one; nil = never.
	LooksLike func(path string) bool
	// Finished returns how many of the bytes of a file its writer had finished, where that stands beside it, with open for
	// what lies there; ok is false where nothing does. nil = all of them.
	Finished func(ctx context.Context, name string, open func(ctx context.Context, name string) (OpenSource, error)) (n int64, ok bool, err error)
}

// Option describes one format option: on the command line --NAME, in a Flight command the same word.
type Option struct {
	Name    string   // "trevni-view"
	Usage   string   // one line
	Default string   // what the zero value means
	Values  []string // the words it takes; nil = free text
	// Repeated says that the option takes several values: a flag given several times, and in OpenOptions.Options one
	// text with a line feed between them. No value may be empty or hold a line feed.
	Repeated bool
	// Files says that the value, or each line of it, names a file where it is not JSON. The rows of a file that is opened
	// with the option depend on that file, too.
	Files bool
	// Remote says that a client of a server may set the option for its own call: it changes how values look, or how they are
	// stored, and names no file.
	Remote bool
}

// OpenOptions goes to Format.Open. The zero value is the default.
type OpenOptions struct {
	Limits  Limits
	Options map[string]string // by Option.Name; an unknown name or value is errs.ErrOption
	For     Purpose           // what the File is wanted for
	// Name is the path or URL that the source was opened by; "" = it has none that is known.
	Name string
	// OpenSource opens another file that an option names; nil = local.OpenFile does.
	OpenSource func(ctx context.Context, name string) (OpenSource, error)
}

// Purpose is what a File is opened for. Formats that are single files need not look at it.
type Purpose uint8

// Purposes.
const (
	ForRows Purpose = iota // anything
	// ForInfo is for File.Info alone: a directory of which the options do not tell what to read may be opened as an
	// overview of it, a File without columns and rows whose Info.Members are what can be read.
	ForInfo
	// ForVerify is for Verifier.Verify alone: a file may be opened in spite of damage, which Verify then reports.
	ForVerify
)

// File is what a format driver implements. All methods may be called concurrently. Users call Scan, not these.
type File interface {
	// Schema is the Arrow schema of the whole file; it never changes.
	Schema() *arrow.Schema
	// Info describes the file for people and programs.
	Info(ctx context.Context, o InfoOptions) (*Info, error)
	// Splits lists the units of parallel work, in row order, covering every row once. The caller must not change it.
	Splits() []Split
	// Prune returns the rows of s that may satisfy pred, at the granularity of the format's own indexes.
	Prune(ctx context.Context, s Split, pred *expr.Bound) (RowSet, error)
	// Read fetches what rows of s need for p and returns a reader positioned before the first row of s.
	// Only rows in rows may be asked for with SplitReader.Read; all others must be passed with Skip.
	// mem provides the memory of the records.
	Read(ctx context.Context, s Split, rows RowSet, p Projection, mem memory.Allocator) (SplitReader, error)
	Close() error
}

// SplitReader decodes one split, forward only, in one goroutine. It does no I/O for formats whose splits are bounded
// in bytes; streams (Split.Rows.End == UnknownRows) read as they go.
//
// Skip and Read return how many rows they passed; fewer than asked only at the end of a split of unknown length.
type SplitReader interface {
	// Skip passes over n rows.
	Skip(n int64) (int64, error)
	// Read appends the next n rows to the batch being built.
	Read(n int) (int, error)
	// Take hands over the batch built so far (possibly of no rows) and starts the next; the caller releases it.
	Take() (arrow.Record, error)
	// Close frees what the reader holds, a half-built batch included. It may be called twice.
	Close() error
}

// Sizer is implemented by split readers that can tell, before decoding, how many of the next n rows make about the
// given number of bytes of Arrow memory. The answer is at least 1 when n is.
type Sizer interface {
	Fit(n int, bytes int64) int
}

// Verifier is implemented by files that can check themselves: every checksum, count, offset and statistic against
// the data. report is called once for each fault, in file order; Verify returns an error only if it could not go on.
type Verifier interface {
	Verify(ctx context.Context, report func(error)) error
}

// ChecksumCounter is implemented by a Verifier whose files may lack checksums: what they do not cover, Verify can only decode.
type ChecksumCounter interface {
	// CountChecksums says how much of the stored data has checksums, and what Verify does not decode. It does not say whether the
	// checksums are right. It is called after Verify.
	CountChecksums(ctx context.Context) (Checksums, error)
}

// Checksums says how many parts of a file hold data, and how many of them have a checksum.
type Checksums struct {
	Unit  string `json:"unit"`  // what a part is: "column", "page", "block" or "file"
	Parts int    `json:"parts"` // that hold data and can be read
	With  int    `json:"with"`  // of these, with a checksum
	// Undecoded are the dotted paths of columns of which some values cannot be decoded, for want of a key or of an Arrow type for
	// them. That is no fault, but Verify has not compared them with all that the file says of them.
	Undecoded []string `json:"-"`
}

// Dumper is implemented by files that can print their own bytes, annotated.
type Dumper interface {
	Dump(ctx context.Context, w io.Writer) error
}

// ByteCounter is implemented by files that open sources of their own, which nobody else can count. BytesRead returns how
// many stored bytes were read so far; it may be called at any time, by any goroutine, also after Close. BytesStored returns
// how many there are, before Close.
type ByteCounter interface {
	BytesRead() int64
	BytesStored() int64
}

// UnknownRows stands in Split.Rows.End where the format does not say how many rows there are (streams).
const UnknownRows = int64(-1)

// Split is the unit of parallel work: an ORC stripe, or a row range of a Trevni or CFile file cut at block boundaries.
type Split struct {
	Ordinal int
	Rows    RowRange // rows of the file; End is UnknownRows for a stream, which is then the only split
	Bytes   int64    // stored bytes, an estimate for scheduling
}

// Known reports whether the number of rows of s is known before reading.
func (s Split) Known() bool { return s.Rows.End != UnknownRows }
