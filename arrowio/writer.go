package arrowio

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// OutputFormat is one writable format. Each format's package has a function that returns it, and callers list the formats that
// they want.
type OutputFormat struct {
	Name       string
	Extensions []string // with the dot; the first is used for parts
	Options    []Option
	Directory  bool // the output is always a directory of objects (cfile)
	// OneDictionary says that the dictionaries of all batches become one for each column of a file, so that its index type must number
	// the values of all.
	OneDictionary bool
	// Plan decides how every column is stored, and lists every loss, before a byte is written. A schema that cannot be written is
	// errs.ErrSchema; the error names all columns that cannot be written.
	Plan func(s *arrow.Schema, o WriteOptions) (*WritePlan, error)
	// Create opens the driver for a plan. The driver creates objects in st and does not commit st; NewWriter does that.
	Create func(ctx context.Context, st Store, p *WritePlan) (Writer, error)
}

// WriteOptions goes to OutputFormat.Plan. The zero value is the default.
type WriteOptions struct {
	Compression   string // "NAME" or "NAME:LEVEL"; "" = the format's default
	RowGroupBytes int64  // uncompressed bytes of a row group or stripe, or of a Trevni file; 0 = the format's default
	MaxFileBytes  int64  // stored bytes after which the writer starts another file; 0 = never
	Memory        int64  // bytes that the writer may keep in memory before it uses scratch files; 0 = 1 GiB
	Parallelism   int    // columns encoded at once; 0 = GOMAXPROCS
	Options       map[string]string
	Allocator     memory.Allocator // for decoded dictionaries and the like; nil = memory.DefaultAllocator
}

// WritePlan says what a writer will do: how each column and the metadata are stored, and what is lost; see Losses.
type WritePlan struct {
	Format  string          `json:"format"`
	Schema  *arrow.Schema   `json:"-"` // schema of the batches that Write takes
	Columns []PlannedColumn `json:"columns"`
	// Metadata has an entry for each key of the schema's metadata, in order, and entries without a key for losses of the file as
	// a whole.
	Metadata []PlannedKey `json:"metadata,omitempty"`
	// Key names the columns by which the rows must be sorted, ascending, and whose values no two rows may share; nil = rows may
	// come in any order. The driver checks it. See convert.Options.SortByKey.
	Key []string `json:"key,omitempty"`
	// Parts is a sentence that says when the rows are written as several files, and the output is a directory. "" = the output is
	// one file, unless OutputFormat.Directory or WriteOptions.MaxFileBytes say otherwise.
	Parts string `json:"parts,omitempty"`
	// Sorted names the columns by which the rows are sorted; nil = not known. The caller of NewWriter sets it, and a driver may
	// store it in the file.
	Sorted  []SortedColumn `json:"-"`
	Options WriteOptions   `json:"-"`
	Driver  any            `json:"-"` // the driver's own part
}

// SortedColumn is one of the columns by which rows are sorted. Each column orders rows that are equal in the columns before it.
type SortedColumn struct {
	Column     string // dotted path
	Descending bool
	NullsFirst bool
}

// PlannedColumn says how one column is stored, and what of it is lost.
type PlannedColumn struct {
	Path     string `json:"path"`
	Type     string `json:"type"`   // Arrow
	Stored   string `json:"stored"` // the type in the output, as its format names it
	Encoding string `json:"encoding,omitempty"`
	Loss     string `json:"loss,omitempty"` // what is lost; "" = nothing
	// Refused says which values of the type Write refuses with errs.ErrSchema; "" = none. The plan cannot know whether the rows
	// have such values.
	Refused string `json:"refused,omitempty"`
	// Advice says what other options would do better; "" = nothing.
	Advice string `json:"advice,omitempty"`
}

// Writer encodes batches. The caller owns rec; Write does not use it after it has returned. Close finishes the output; Abort
// discards it. The caller ends a Writer by one of the two. Abort after Close is allowed and does nothing.
type Writer interface {
	Write(rec arrow.Record) error
	Close() error
	Abort() error
}

// Store is the place that a writer's objects are written to. It is one transaction: Commit makes all objects visible together.
type Store interface {
	// Create opens a new object, such as "part-00000.trv". Names are relative to the output and may contain slashes.
	Create(ctx context.Context, name string) (Sink, error)
	// Scratch opens a temporary file, for data that does not fit into memory. Closing it deletes it.
	Scratch() (ScratchFile, error)
	// Commit makes all objects visible under their names at once. If it fails, none becomes visible.
	Commit() error
	// Abort removes all objects. After Commit it does nothing.
	Abort() error
}

// Sink receives the bytes of one object. Close finishes the object, which becomes visible only by Store.Commit.
//
// A sink of a store that divides objects into blocks, as HDFS, also has the methods BlockBytes() int64 and SetBlockBytes(n int64)
// error, which may be called before the first Write: Trevni files are one block then, and stripes of ORC files lie within blocks. A
// sink that wraps another has a method Unwrap() Sink.
type Sink interface {
	io.Writer
	Close() error
}

// ScratchFile is a temporary file for one writer.
type ScratchFile interface {
	io.Writer
	io.ReaderAt
	Close() error
}
