package arrowc

// #include "arrowc.h"
import "C"

import (
	"slices"
	"unsafe"
)

const (
	// largeBlock is what is cut from extents: below it, the heap is as good.
	largeBlock = 64 << 10
	// extentBytes is how much is mapped at once; ownExtent is the size of blocks that have an extent of their own.
	extentBytes = 32 << 20
	ownExtent   = extentBytes / 4
	hugePage    = 2 << 20
	// blockAlign is what every block begins at a multiple of.
	blockAlign = 64
)

// extent is memory of the system from which blocks are cut.
//
// Rows that are held are written to pages that nobody used before, and with pages of 4 KiB their faults cost more than
// decoding. So an extent begins on a huge page and asks for such. Where the system has none it gives small ones.
type extent struct {
	base  unsafe.Pointer
	size  int
	holes []hole // sorted by offset, none beside another
	most  int    // size of the largest hole
}

// hole is a part of an extent that is free.
type hole struct {
	at, size int
	dirty    int // so many bytes at most are of blocks that were here, and still backed by the system
}

// empty tells whether no block is in x.
func (x *extent) empty() bool { return x.most == x.size }

func (x *extent) measure() {
	x.most = 0
	for _, h := range x.holes {
		x.most = max(x.most, h.size)
	}
}

// extents cuts blocks from extents, the oldest first, so that young ones become empty. What was freed stays backed, to be
// used again: for long, as long as it is not more than keep and an eighth of what is in use, and linger bytes beyond that
// until they turn out to be idle.
type extents struct {
	keep   int
	linger int
	list   []*extent
	taken  int // bytes of blocks
	dirty  int // of all holes
	least  int // that was dirty since the last call of idle
}

// take returns n bytes, and the extent that they are of; nil = the system has none.
func (e *extents) take(n int) (unsafe.Pointer, *extent) {
	n = aligned(n)
	for _, x := range e.list {
		if x.most >= n && (n < ownExtent || x.size == n) {
			return e.cut(x, n), x
		}
	}
	size := extentBytes
	if n >= ownExtent {
		size = n
	}
	// The last page of a block that is a little larger than a number of huge pages is a small one.
	base := C.arrowc_map(C.size_t(size), C.size_t(hugePage), C.size_t(size/hugePage*hugePage))
	if base == nil {
		return nil, nil
	}
	x := &extent{base: base, size: size, holes: []hole{{size: size}}, most: size}
	e.list = append(e.list, x)
	return e.cut(x, n), x
}

func aligned(n int) int { return (n + blockAlign - 1) &^ (blockAlign - 1) }

// cut takes n bytes of the first hole that has them.
func (e *extents) cut(x *extent, n int) unsafe.Pointer {
	i := slices.IndexFunc(x.holes, func(h hole) bool { return h.size >= n })
	h := &x.holes[i]
	at, was := h.at, h.size
	h.at, h.size = h.at+n, h.size-n
	e.soil(h, min(h.dirty, h.size))
	if h.size == 0 {
		x.holes = slices.Delete(x.holes, i, i+1)
	}
	if was == x.most {
		x.measure()
	}
	e.taken += n
	return unsafe.Add(x.base, at)
}

// soil says how much of a hole is dirty.
func (e *extents) soil(h *hole, n int) {
	e.count(n - h.dirty)
	h.dirty = n
}

func (e *extents) count(dirty int) {
	e.dirty += dirty
	e.least = min(e.least, e.dirty)
}

// give takes a block of n bytes back.
func (e *extents) give(x *extent, p unsafe.Pointer, n int) {
	n = aligned(n)
	e.taken -= n
	e.count(n)
	at := int(uintptr(p) - uintptr(x.base))
	i, _ := slices.BinarySearchFunc(x.holes, at, func(h hole, at int) int { return h.at - at })
	x.holes = slices.Insert(x.holes, i, hole{at, n, n})
	if i+1 < len(x.holes) && at+n == x.holes[i+1].at {
		x.join(i)
	}
	if i > 0 && x.holes[i-1].at+x.holes[i-1].size == at {
		i--
		x.join(i)
	}
	x.most = max(x.most, x.holes[i].size)
	e.clean(e.kept() + e.linger)
}

// kept is how much may be dirty for any time.
func (e *extents) kept() int { return e.keep + e.taken/8 }

// idle returns how much was dirty all the time since its last call and is more than may be kept.
func (e *extents) idle() int {
	n := e.least - e.kept()
	e.least = e.dirty
	return max(n, 0)
}

// join makes one of hole i and the next one.
func (x *extent) join(i int) {
	a, b := &x.holes[i], x.holes[i+1]
	a.size += b.size
	a.dirty += b.dirty
	x.holes = slices.Delete(x.holes, i+1, i+2)
}

// clean gives memory back to the system until no more than most bytes that are free are backed: whole extents first, then
// huge pages, then whatever there is. The last makes small pages of the huge ones around it; without it, a block that is
// held for long would hold all that was ever beside it.
func (e *extents) clean(most int) {
	for i := len(e.list) - 1; i >= 0 && e.dirty > most; i-- {
		if x := e.list[i]; x.empty() {
			e.count(-x.holes[0].dirty)
			C.arrowc_unmap(x.base, C.size_t(x.size))
			e.list = slices.Delete(e.list, i, i+1)
		}
	}
	if e.dirty > most {
		e.discard(hugePage)
		if e.dirty > most/2 { // or the next block would bring us here again
			e.discard(1)
		}
	}
}

// discard gives all back that lies in holes and whole pages.
func (e *extents) discard(page int) {
	for _, x := range e.list {
		for i := range x.holes {
			h := &x.holes[i]
			from := (h.at + page - 1) / page * page
			n := (h.at+h.size)/page*page - from
			if h.dirty > 0 && n > 0 {
				C.arrowc_discard(unsafe.Add(x.base, from), C.size_t(n))
				e.soil(h, min(h.dirty, h.size-n))
			}
		}
	}
}
