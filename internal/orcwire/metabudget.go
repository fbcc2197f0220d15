package orcwire

import (
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// metaBudget bounds the memory that the parsed form of a message takes. An element may take two bytes of a message
// and many of memory, so the limit on a message's bytes alone does not bound it.
type metaBudget struct{ left, limit int64 }

// metaGrowth is how much larger than Limits.MetadataBytes the parsed form may be. A stripe takes about 15 bytes of a
// footer and 72 here, a type 10 and 200.
const metaGrowth = 8

func newMetaBudget(lim errs.Limits) *metaBudget {
	limit := lim.MetadataBytes
	return &metaBudget{left: min(limit, math.MaxInt64/metaGrowth) * metaGrowth, limit: limit}
}

// take accounts for n elements of size bytes each. n is a count of things that are there, so the product is small.
func (b *metaBudget) take(n int, size uintptr) error {
	if b.left -= int64(n) * int64(size); b.left < 0 {
		return errs.Errorf(errs.ErrLimit, "parsed, it takes over %d times the limit MetadataBytes = %d", metaGrowth, b.limit)
	}
	return nil
}
