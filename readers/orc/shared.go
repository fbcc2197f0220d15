package orc

import (
	"context"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// sharedStreams are the streams of a stripe of a far source that is cut into several splits: one read of them serves all splits, where each
// would read anew the chunks at its ends, and the small gaps. They are let go of with the last user of the stripe.
type sharedStreams struct {
	ready  chan struct{}    // closed when the rest does not change any more
	pieces map[int64][]byte // by offset; nil = reading failed
	ranges []arrowio.ByteRange
}

// pieces returns how many splits the stripe is cut into.
func (s *stripe) pieces() int {
	first, _ := slices.BinarySearchFunc(s.file.cuts, s.ordinal, func(c cut, ordinal int) int { return c.stripe - ordinal })
	n := 0
	for first+n < len(s.file.cuts) && s.file.cuts[first+n].stripe == s.ordinal {
		n++
	}
	return n
}

// share returns streams of the stripe, by their offsets: the first call reads them, and others wait for it. nil = they were not read, and
// the caller reads what it needs by itself.
func (s *stripe) share(ctx context.Context, streams []arrowio.ByteRange) map[int64][]byte {
	s.mu.Lock()
	x := s.shared
	if x == nil {
		x = &sharedStreams{ready: make(chan struct{}), ranges: streams}
		s.shared = x
		s.mu.Unlock()
		defer close(x.ready)
		pieces, _, err := arrowio.ReadRangesInto(ctx, s.file.src, streams, nil, bitpack.SrcSlack)
		if err != nil {
			s.mu.Lock()
			s.shared = nil // the next one may have more luck
			s.mu.Unlock()
			return nil
		}
		x.pieces = make(map[int64][]byte, len(streams))
		for i, r := range streams {
			x.pieces[r.Off] = pieces[i]
		}
		return x.pieces
	}
	s.mu.Unlock()
	if !slices.Equal(x.ranges, streams) {
		return nil // it is another projection
	}
	select {
	case <-x.ready:
		return x.pieces
	case <-ctx.Done():
		return nil
	}
}
