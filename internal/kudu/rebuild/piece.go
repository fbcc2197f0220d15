package rebuild

import (
	"context"

	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Unreadable is the kind of a block whose footer cannot be read.
const Unreadable cfilewire.Kind = 0xff

// Piece is a block, and what it says of itself.
type Piece struct {
	ID       uint64
	Seq      uint64 // the id without the number of a data directory: blocks that are written together have consecutive ones
	Kind     cfilewire.Kind
	Type     cfilewire.DataType
	Nullable bool
	Array    bool
	Keyed    bool // a column with an index of keys: the only one of its rowset's key
	Rows     int64
	Changes  Changes // of a delta file

	owner *RowSet
	taken bool // a delta file that has a rowset
}

// Name is the id as Kudu prints it.
func (p *Piece) Name() string { return kuduwire.BlockName(p.ID) }

// Order is how the changes of one row follow each other in a delta file.
type Order uint8

// Orders.
const (
	OrderUnknown    Order = iota // no row has several
	OrderAscending               // as in REDO files
	OrderDescending              // as in UNDO files
	OrderMixed                   // as in no file that Kudu writes
)

// Changes sums up a delta file.
type Changes struct {
	Rows      int64 // that it changes, each counted once
	Last      int64 // the greatest of them
	Order     Order
	Deletes   int64
	Reinserts int64
	Updates   int64
	MinTime   uint64
	MaxTime   uint64
	Columns   []ChangedColumn // in the order of their ids
}

// ChangedColumn is a column that a delta file sets.
type ChangedColumn struct {
	ID    int32
	Width int // of its values in bytes, or one of the constants
	Null  bool
}

// Widths of columns that have none.
const (
	NoWidth       = -1 // there is no value: it is only set to null
	SeveralWidths = -2
)

// Column is what a rowset's column is, as far as its file tells.
type Column struct {
	Type     cfilewire.DataType
	Nullable bool
	Array    bool
}

func (p *Piece) column() Column { return Column{p.Type, p.Nullable, p.Array} }

// Certainty is how sure it is that blocks belong together.
type Certainty uint8

// Certainties.
const (
	Doubtful Certainty = iota + 1 // there are other ways that are as good
	Likely                        // there are other ways, and they are much less probable
	Sure                          // there is no other way
)

var certaintyNames = [...]string{Doubtful: "doubtful", Likely: "likely", Sure: "sure"}

// String returns the word for it.
func (c Certainty) String() string { return certaintyNames[c] }

// ParseCertainty returns the certainty of a word; 0 = there is none.
func ParseCertainty(word string) Certainty {
	for c := Doubtful; c <= Sure; c++ {
		if certaintyNames[c] == word {
			return c
		}
	}
	return 0
}

// Checks tell what only the contents of blocks do. An error is one of reading that ends everything: a damaged block is a no.
type Checks interface {
	// InBloom reports whether a bloom filter has every key of a key index or of a column.
	InBloom(ctx context.Context, bloom, keys *Piece) (bool, error)
	// KeyColumns returns how many of the first of the columns a key index has the keys of; 0 = not of these.
	KeyColumns(ctx context.Context, columns []*Piece, index *Piece) (int, error)
	// Born reports whether all rows that deltas change had been inserted before, as the UNDO file of a rowset tells.
	Born(ctx context.Context, undo, deltas *Piece) (bool, error)
}

// RowSet is blocks that belong together.
type RowSet struct {
	Columns []*Piece // in the order of their ids; nil = its block is missing
	Keys    int      // how many of them are the key; 0 = not known
	Rows    int64
	Index   *Piece // of the keys; nil = the key is one column, or it is missing
	Bloom   *Piece // nil = missing
	Undo    []*Delta
	Redo    []*Delta
	Certainty
	Ways int      // in which the blocks could be put together, this one included
	Why  []string // doubts, and what is lost

	Match *Match // the schema that fits; nil = none is known

	first, end uint64   // Seq of the first and the last block, without deltas
	mixed      bool     // blocks of others lie among its own
	known      []Column // where columns are missing: what all of them are
}

// ID is the id of its first block.
func (r *RowSet) ID() uint64 {
	for _, c := range r.Columns {
		if c != nil {
			return c.ID
		}
	}
	return 0
}

// Delta is a delta file of a rowset.
type Delta struct {
	*Piece
	Certainty
	Ways int // rowsets of which it may be
	Why  string
}

// Groups is what was found.
type Groups struct {
	RowSets []*RowSet
	// Loose are the blocks that fit nowhere, by Seq. Unreadable ones are among them.
	Loose []*Piece
	// Torn are the delta files that fit several rowsets, or none, and are in none of RowSets.
	Torn []*Delta
}

func (r *RowSet) doubt(c Certainty, ways int, why string) {
	r.Certainty = min(r.Certainty, c)
	r.Ways = max(r.Ways, ways)
	r.Why = append(r.Why, why)
}
