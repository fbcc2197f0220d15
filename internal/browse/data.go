package browse

import "context"

// Data is what a browser shows. The browser calls its methods in the background, several at a time; a key may cancel their
// contexts.
type Data interface {
	// Title names what is open, in a few words.
	Title() string
	// Files lists the names of the files.
	Files() []string
	// Broken returns why a file could not be opened; its rows are left out. nil = it could.
	Broken(file int) error
	// Fields lists the columns of the rows.
	Fields() []Field
	// File describes a file: with details also its columns and blocks in each group of rows, which may cost reads.
	File(ctx context.Context, file int, details bool) (*File, error)
	// Select returns the rows for which a condition in the language of --where holds; "" = all. It reads nothing.
	Select(where string) (Rows, error)
	// Command returns the command line that prints what is seen, which may cost reads, and what it prints besides or otherwise; "" = nothing.
	Command(ctx context.Context, s Seen) (command, but string, err error)
	// Bytes returns up to n bytes of a file, from offset off.
	Bytes(ctx context.Context, file int, off int64, n int) ([]byte, error)
	// Explain returns what the bytes off..end mean, in order of their offsets, as far as the format's annotations tell.
	Explain(ctx context.Context, file int, off, end int64) ([]Note, error)
}

// Seen is what is on the screen.
type Seen struct {
	File   int  // the file that a view is about
	Blocks bool // with the blocks of its columns

	Rows        Rows // some of these instead of a file; nil = a file
	Where       string
	Columns     []int // numbers of Fields; nil = all
	First, Last int64 // Last is the row behind the last

	Sorted bool // rows First to Last by a field
	By     int
	Desc   bool
	Most   int // of the rows in this order
}

// Rows are rows that can be read by their numbers, from 0. Which rows a filter leaves is found step by step.
type Rows interface {
	// Count returns how many rows are known so far, and whether these are all.
	Count() (n int64, all bool)
	// Looked returns how many rows were looked at to find these, and of how many; of = -1 is not known.
	Looked() (n, of int64)
	// Extend goes on looking for rows until n are known, or all.
	Extend(ctx context.Context, n int64) error
	// Page reads up to n rows, as far as there are any, of some columns, given by their numbers.
	Page(ctx context.Context, columns []int, first int64, n int) ([][]string, error)
	// Place returns the number of a row of a file, which has been counted from the file's first. It is for rows without a filter.
	Place(ctx context.Context, file int, row int64) (int64, error)
	// FileOf returns the file in which a row is; -1 = the row is not known.
	FileOf(row int64) int
	// FirstOf returns the number of the first row that is in a file or in one after it. found is false if there is none.
	FirstOf(ctx context.Context, file int) (row int64, found bool, err error)
	// Record reads all columns of one row. Values are longer than in a page.
	Record(ctx context.Context, row int64) ([]string, error)
	// Find returns the next row after from, or the last before it, where a column holds text. It reports the rows that it has looked
	// at by progress, which may be called often. found is false if there is none.
	Find(ctx context.Context, text string, columns []int, from int64, back bool, progress func(rows int64)) (row int64, column int, found bool, err error)
}

// Field is a column of the rows.
type Field struct {
	Name   string
	Type   string
	Number bool // aligned right, never clipped, sorted as a number
	Short  bool // never clipped
}

// Fact is a property of a file.
type Fact struct{ Name, Value string }

// File describes a file.
type File struct {
	Name    string
	Facts   []Fact
	Columns []Column
	Groups  []Group // rows that are stored together: stripes, row groups, row sets, or the units in which the file is read
	GroupOf string  // what a group is called
	Details bool
}

// Column describes a stored column. Numbers below 0 are not known.
type Column struct {
	Name, Type, Stored string
	Encodings, Codec   string
	Bytes, Raw         int64
	Values, Nulls      int64
	Min, Max, Sum      string
	Facts              []Fact        // what else is known
	Blocks             []Block       // with details
	Groups             []GroupValues // with details, in the order of File.Groups; nil = not stored
}

// GroupValues are the statistics of a column in a group of rows.
type GroupValues struct {
	Values, Nulls int64
	Min, Max      string
	Doubt         string // why filters do not use them; "" = they do
}

// Block is a piece of a column in the file.
type Block struct {
	Group      int
	Kind       string
	Encoding   string
	Rows       int64
	Off, Bytes int64
	Raw        int64
	First      string
	Elsewhere  string // the bytes lie in another file, or have another name than an offset; "" = they lie in this one
}

// Group is rows that are stored together.
type Group struct {
	First, Rows int64 // Rows below 0 = not known
	Off, Bytes  int64 // Off below 0 = not in one place
	Detail      string
}

// Note says what some bytes of a file mean.
type Note struct {
	Off, End int64
	Text     string
}
