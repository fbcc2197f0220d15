package arrowio

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// OutputFormat is one writable format. It is a value: packages export it, callers list the ones they want.
type OutputFormat struct {
	Name       string
	Extensions []string // with the dot; the first is used for parts
	Options    []Option
	Directory  bool // the output is always a directory of objects (cfile)
	// Plan maps every column and states every loss before a byte is written. A schema that cannot be written is
	// errs.ErrSchema naming all columns in the way.
	Plan func(s *arrow.Schema, o WriteOptions) (*WritePlan, error)
	// Create opens the driver for a plan. The driver creates objects in st and never commits st: NewWriter does.
	Create func(ctx context.Context, st Store, p *WritePlan) (Writer, error)
}

// WriteOptions goes to OutputFormat.Plan. The zero value is the default.
type WriteOptions struct {
	Compression   string // "NAME" or "NAME:LEVEL"; "" = the format's default
	RowGroupBytes int64  // uncompressed bytes of a row group or stripe, and of a Trevni file; 0 = the format's default
	MaxFileBytes  int64  // start another part beyond this many stored bytes; 0 = never
	Memory        int64  // what the writer may hold before it spills; 0 = 1 GiB
	Parallelism   int    // columns encoded at once; 0 = GOMAXPROCS
	Options       map[string]string
	Allocator     memory.Allocator // for decoded dictionaries and the like; nil = memory.DefaultAllocator
}

// WritePlan is what a writer will do: what becomes of each column and of the metadata, and what would be lost; see Losses.
type WritePlan struct {
	Format  string          `json:"format"`
	Schema  *arrow.Schema   `json:"-"` // of the batches that Write takes
	Columns []PlannedColumn `json:"columns"`
	// Metadata has an entry for each key of the schema's metadata, in order, and entries without a key for what is lost of
	// the file as a whole.
	Metadata []PlannedKey `json:"metadata,omitempty"`
	// Key names the columns by whose values, ascending, the rows must come, no key twice; nil = in any order. The driver
	// checks it. See convert.Options.Sort.
	Key []string `json:"key,omitempty"`
	// Parts says, as a sentence, when the rows become several files, and so the output a directory; "" = always one file, or
	// what OutputFormat.Directory and WriteOptions.MaxFileBytes say.
	Parts string `json:"parts,omitempty"`
	// Sorted names the columns that the rows will come sorted by; nil = nobody says. Whoever writes sets it, and a driver
	// may note it in the file.
	Sorted  []SortedColumn `json:"-"`
	Options WriteOptions   `json:"-"`
	Driver  any            `json:"-"` // the driver's own part
}

// SortedColumn is a column that rows are sorted by, after those before it.
type SortedColumn struct {
	Column     string // dotted path
	Descending bool
	NullsFirst bool
}

// PlannedColumn says what becomes of one column.
type PlannedColumn struct {
	Path     string `json:"path"`
	Type     string `json:"type"`   // Arrow
	Stored   string `json:"stored"` // the target's own type, in its own words
	Encoding string `json:"encoding,omitempty"`
	Loss     string `json:"loss,omitempty"` // what reading back will not show; "" = nothing
	// Refused says which values of the type Write refuses, with errs.ErrSchema: whether there are any, only the rows tell. "" = none.
	Refused string `json:"refused,omitempty"`
}

// Writer encodes batches. Write does not keep rec after it returns. Close finishes the output; Abort gives it up.
// Exactly one of Close and Abort ends a Writer; Abort after Close is allowed and does nothing.
type Writer interface {
	Write(rec arrow.Record) error
	Close() error
	Abort() error
}

// Store is where a writer's objects go, one transaction: objects become visible together, by Commit.
type Store interface {
	// Create opens an object. Names are flat, or slash-separated below the output ("part-00000.trv").
	Create(ctx context.Context, name string) (Sink, error)
	// Scratch opens a file for data that outgrew memory; closing it deletes it.
	Scratch() (ScratchFile, error)
	// Commit makes everything created visible under its final name, atomically, or nothing.
	Commit() error
	// Abort removes everything. After Commit it does nothing.
	Abort() error
}

// Sink takes the bytes of one object. Close finishes it; it stays invisible until the Store's Commit.
type Sink interface {
	io.Writer
	Close() error
}

// ScratchFile is private temporary storage.
type ScratchFile interface {
	io.Writer
	io.ReaderAt
	Close() error
}
