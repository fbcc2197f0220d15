package dataset

import (
	"context"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
)

// Extent is what a planner must know about a file: its identity and its splits.
type Extent struct {
	ID     string          // identity of the file: see arrowio.Identity
	Splits []arrowio.Split // the result of File.Splits
}

// Measure returns the extent of an open file, which the caller closes. The result shares no memory with f.
func Measure(ctx context.Context, f arrowio.File) (Extent, error) {
	id, err := arrowio.Identity(ctx, f)
	if err != nil {
		return Extent{}, err
	}
	return Extent{ID: id, Splits: slices.Clone(f.Splits())}, nil
}

// Rows returns the number of rows of the file; arrowio.UnknownRows = only reading tells.
func (e Extent) Rows() int64 {
	if len(e.Splits) == 0 {
		return 0
	}
	return e.Splits[len(e.Splits)-1].Rows.End
}

// Bytes returns the stored bytes of all splits.
func (e Extent) Bytes() int64 {
	n := int64(0)
	for _, s := range e.Splits {
		n = sum(n, s.Bytes)
	}
	return n
}

// sum returns n plus a count from a file. A negative count is taken as 0; a sum that overflows becomes the greatest int64.
func sum(n, more int64) int64 {
	more = max(more, 0)
	if n > math.MaxInt64-more {
		return math.MaxInt64
	}
	return n + more
}
