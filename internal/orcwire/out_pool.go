package orcwire

import (
	"math/bits"
	"sync"
)

// OutPool has buffers that streams no longer need, for others. Streams of several goroutines may share one. The zero
// value is ready.
type OutPool struct {
	mu   sync.Mutex
	free [25][][]byte // by the bits of the capacity
}

const (
	// smallBuffer is the capacity up to which those of buffers are powers of two.
	smallBuffer = 128 << 10
	// usualBuffer is what larger ones have if that is enough: a piece, or a chunk of the usual size and what is behind it.
	usualBuffer = outPiece + MaxRoom
	// searched is how many larger buffers are looked at.
	searched = 8
)

// get returns an empty buffer with room for n bytes. Its capacity follows from n alone: where parts of streams end does
// not depend on which buffers come back when.
func (p *OutPool) get(n int) []byte {
	switch {
	case n <= smallBuffer:
		n = 1 << bits.Len(uint(max(n, 64)-1))
	case n <= usualBuffer:
		n = usualBuffer
	}
	if k := bits.Len(uint(n)); k < len(p.free) {
		p.mu.Lock()
		defer p.mu.Unlock()
		free := p.free[k]
		last := len(free) - 1
		for i := last; i >= max(0, last-searched); i-- {
			if b := free[i]; cap(b) >= n {
				free[i], free[last] = free[last], nil
				p.free[k] = free[:last]
				return b[:0:n]
			}
		}
	}
	return make([]byte, 0, n)
}

// Put gives buffers to the pool, such as what Out.Take returned. The caller must not use them any more.
func (p *OutPool) Put(buffers ...[]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range buffers {
		if k := bits.Len(uint(cap(b))); cap(b) >= 64 && k < len(p.free) {
			p.free[k] = append(p.free[k], b[:0])
		}
	}
}
