package dataset

import (
	"context"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
)

// Extent is what a planner has to know of a file: what it is, and how it is divided.
type Extent struct {
	ID     string          // see arrowio.Identity
	Splits []arrowio.Split // as File.Splits returns them
}

// Measure returns the extent of an open file, which stays the caller's. The result shares no memory with f.
func Measure(ctx context.Context, f arrowio.File) (Extent, error) {
	id, err := arrowio.Identity(ctx, f)
	if err != nil {
		return Extent{}, err
	}
	return Extent{ID: id, Splits: slices.Clone(f.Splits())}, nil
}

// Rows returns how many rows the file has; arrowio.UnknownRows = only reading tells.
func (e Extent) Rows() int64 {
	if len(e.Splits) == 0 {
		return 0
	}
	return e.Splits[len(e.Splits)-1].Rows.End
}

// Bytes returns how many stored bytes the splits have.
func (e Extent) Bytes() int64 {
	n := int64(0)
	for _, s := range e.Splits {
		n = sum(n, s.Bytes)
	}
	return n
}

// sum adds a count that a file has told: a negative one is none, and what no int64 can hold is the greatest of them.
func sum(n, more int64) int64 {
	more = max(more, 0)
	if n > math.MaxInt64-more {
		return math.MaxInt64
	}
	return n + more
}
