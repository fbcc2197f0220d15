package budget

import (
	"sync/atomic"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Batch is what the batch being built may still take of Limits.BatchBytes and, in elements that take no memory, of
// Limits.BatchElements. Goroutines that decode parts of it have it in common.
type Batch struct {
	left     atomic.Int64
	elements atomic.Int64
	limit    int64
	most     int64 // elements
}

// NewBatch returns a full budget.
func NewBatch(lim errs.Limits) *Batch {
	lim = lim.WithDefaults()
	b := &Batch{limit: lim.BatchBytes, most: lim.BatchElements}
	b.Reset()
	return b
}

// Take takes n bytes; ErrLimit if there are fewer left.
func (b *Batch) Take(n int64) error {
	if b.left.Add(-n) < 0 {
		return errs.Errorf(errs.ErrLimit, "the batch is over the limit BatchBytes = %d: take fewer rows", b.limit)
	}
	return nil
}

// Count takes n elements of lists; ErrLimit if there are fewer left.
func (b *Batch) Count(n int64) error {
	if b.elements.Add(-n) < 0 {
		return errs.Errorf(errs.ErrLimit, "the batch has more elements of lists than the limit BatchElements = %d: take fewer rows", b.most)
	}
	return nil
}

// Give returns n bytes that were taken for nothing.
func (b *Batch) Give(n int64) { b.left.Add(n) }

// Taken returns how many bytes were taken since the last Reset.
func (b *Batch) Taken() int64 { return b.limit - b.left.Load() }

// Left returns how many bytes may still be taken.
func (b *Batch) Left() int64 { return b.left.Load() }

// Reset starts the next batch.
func (b *Batch) Reset() {
	b.left.Store(b.limit)
	b.elements.Store(b.most)
}
