package arrowbuf

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Slack is how many bytes beyond its length every buffer of a Pool may be written: kernels store whole words and
// vectors without looking at the end.
const Slack = 64

const (
	alignment   = 64
	blockExtra  = 3 * Slack // one for the promise, two for callers that ask for a round number, one more and Slack themselves
	minClass    = 6         // blocks of 64 bytes
	maxClass    = 28        // blocks of 256 MiB; larger ones come from Go's heap and go back to it
	poolClasses = maxClass - minClass + 1
)

// Pool is a memory.Allocator that keeps freed blocks for the next Allocate, because touching fresh pages costs more
// than decoding into them. Blocks are 2^k + 3*Slack bytes, one free list per k; every buffer is 64-byte aligned and has
// at least Slack bytes of capacity beyond its length. Memory is not zeroed: see Clean.
//
// Free takes only what Allocate or Reallocate of this or another Pool returned, once; other slices are left to the
// garbage collector. A buffer that is never freed is collected like any other Go memory: a Pool does not know it.
// All methods may be called concurrently.
//
// The blocks of a Pool of NewPoolFrom are not Go's: there, what is never freed is lost, and what another Pool returned is
// left alone.
type Pool struct {
	max  int64  // bytes kept at most
	from Blocks // nil = Go's heap

	mu   sync.Mutex
	kept int64
	tick uint64
	free [poolClasses]freeList
}

// freeList holds the unused blocks of one size; the last one freed is the next one used, while it is still cached.
type freeList struct {
	blocks [][]byte
	used   uint64 // Pool.tick at the last Allocate of this size
}

// NewPool returns a Pool that keeps at most maxBytes of freed memory for reuse. Memory in use is not bounded by it.
func NewPool(maxBytes int64) *Pool { return &Pool{max: maxBytes} }

// Blocks is memory that is not Go's. All methods may be called concurrently.
type Blocks interface {
	// Allocate returns n bytes of undefined content, of capacity n and 64-byte aligned.
	Allocate(n int) []byte
	// Owns tells whether b begins where a block begins that Allocate returned and Free has not taken.
	Owns(b []byte) bool
	// Free takes a block that is owned.
	Free(b []byte)
}

// NewPoolFrom returns a Pool like NewPool whose blocks come from elsewhere, and go back there when they are not kept.
func NewPoolFrom(maxBytes int64, from Blocks) *Pool { return &Pool{max: maxBytes, from: from} }

// sharedBytes covers the batches under way of a wide scan on every core: see Shared.
const sharedBytes = 256 << 20

var shared = NewPool(sharedBytes)

// Shared returns the pool of this process, the default of every scan that brings no allocator. It is one for all, not
// one per scan, so that a server of many short scans reuses memory between them and the memory that lies idle is
// bounded once (256 MiB), whatever the number of scans.
func Shared() *Pool { return shared }

// Allocate returns size bytes of undefined content.
func (p *Pool) Allocate(size int) []byte {
	b, _ := p.allocate(size)
	return b
}

// allocate also reports whether the memory is fresh from Go's heap, that is zero.
func (p *Pool) allocate(size int) (b []byte, fresh bool) {
	c := classOf(size)
	if c > maxClass {
		b, fresh = p.newBlock(size + Slack)
		return b[:size], fresh
	}
	p.mu.Lock()
	l := &p.free[c-minClass]
	p.tick++
	l.used = p.tick
	if n := len(l.blocks); n > 0 {
		b = l.blocks[n-1]
		l.blocks[n-1] = nil
		l.blocks = l.blocks[:n-1]
		p.kept -= int64(cap(b))
	}
	p.mu.Unlock()
	if b != nil {
		return b[:size], false
	}
	b, fresh = p.newBlock(1<<c + blockExtra)
	return b[:size], fresh
}

// BlockBytes returns how many bytes a Pool takes for n.
func BlockBytes(n int) int {
	c := classOf(n)
	if c > maxClass {
		return n + Slack
	}
	return 1<<c + blockExtra
}

// newBlock returns n bytes of capacity n, aligned, and whether they are zero.
func (p *Pool) newBlock(n int) (b []byte, zero bool) {
	if p.from != nil {
		return p.from.Allocate(n), false
	}
	return newBlock(n), true
}

// drop gives up a block.
func (p *Pool) drop(b []byte) {
	if p.from != nil {
		p.from.Free(b)
	}
}

// Reallocate returns b with the new size: the same memory where it fits, otherwise a larger block with the content
// copied and b freed. A block of which three quarters or more become unused is exchanged for a smaller one.
// Bytes beyond the old length are undefined.
func (p *Pool) Reallocate(size int, b []byte) []byte {
	out, _ := p.reallocate(size, b)
	return out
}

func (p *Pool) reallocate(size int, b []byte) (out []byte, fresh bool) {
	if size+Slack <= cap(b) {
		if c, pooled := blockClass(b); !pooled || classOf(size)+2 > c {
			return b[:size], false
		}
	}
	out, fresh = p.allocate(size)
	copy(out, b)
	p.Free(b)
	return out, fresh
}

// Free gives b back. Nothing may use b, or slices of it, afterwards.
func (p *Pool) Free(b []byte) {
	if p.from != nil && !p.from.Owns(b) {
		return
	}
	c, ok := blockClass(b)
	if !ok {
		p.drop(b)
		return
	}
	b = b[:cap(b)]
	if poisonFreed {
		for i := range b {
			b[i] = 0xDB
		}
	}
	p.mu.Lock()
	if size := int64(cap(b)); p.makeRoom(size, c) {
		l := &p.free[c-minClass]
		if poisonFreed {
			l.mustNotHold(b)
		}
		l.blocks = append(l.blocks, b)
		p.kept += size
	} else {
		p.drop(b)
	}
	p.mu.Unlock()
}

// Trim gives up all memory that is kept for reuse.
func (p *Pool) Trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.free {
		for _, b := range p.free[i].blocks {
			p.drop(b)
		}
		p.free[i].blocks = nil
	}
	p.kept = 0
}

// makeRoom drops blocks of the sizes that have been out of use for longest until size more bytes may be kept.
// It reports false when those are of the class that is being freed, or when nothing is left to drop.
func (p *Pool) makeRoom(size int64, class int) bool {
	for p.kept+size > p.max {
		oldest := -1
		for i := range p.free {
			if len(p.free[i].blocks) > 0 && (oldest < 0 || p.free[i].used < p.free[oldest].used) {
				oldest = i
			}
		}
		if oldest < 0 || p.free[oldest].used >= p.free[class-minClass].used {
			return false
		}
		l := &p.free[oldest]
		n := len(l.blocks) - 1
		p.kept -= int64(cap(l.blocks[n]))
		p.drop(l.blocks[n])
		l.blocks[n] = nil
		l.blocks = l.blocks[:n]
	}
	return true
}

// mustNotHold panics when b is on the list already. Only debug builds ask.
func (l *freeList) mustNotHold(b []byte) {
	for _, x := range l.blocks {
		if unsafe.SliceData(x) == unsafe.SliceData(b) {
			panic("arrowbuf: buffer freed twice")
		}
	}
}

// Kept returns how many bytes of freed memory p holds.
func (p *Pool) Kept() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept
}

// classOf returns the k of the smallest block that holds size bytes and Slack.
func classOf(size int) int {
	size -= blockExtra - Slack
	if size <= 1<<minClass {
		return minClass
	}
	return bits.Len(uint(size - 1))
}

// blockClass returns the k of the block that b begins, and false when b is not a pooled block.
func blockClass(b []byte) (int, bool) {
	n := cap(b) - blockExtra
	if n < 1<<minClass || n > 1<<maxClass || n&(n-1) != 0 || misaligned(b) != 0 {
		return 0, false
	}
	return bits.TrailingZeros(uint(n)), true
}

// newBlock returns n zero bytes, aligned, of capacity n.
func newBlock(n int) []byte {
	b := make([]byte, n)
	if misaligned(b) == 0 { // Go aligns all but small and oddly sized blocks
		return b
	}
	b = make([]byte, n+alignment-1)
	if r := misaligned(b); r != 0 {
		b = b[alignment-r:]
	}
	return b[:n:n]
}

// misaligned returns how far b starts beyond a multiple of 64.
func misaligned(b []byte) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) % alignment)
}

// Clean returns an allocator over mem whose memory is zero. Arrow's own builders and kernels may rely on that; code of
// this module does not. What is not a Pool is returned as it is. Both may be used together: buffers of one may be
// freed by the other.
func Clean(mem memory.Allocator) memory.Allocator {
	if p, ok := mem.(*Pool); ok {
		return cleanPool{p}
	}
	return mem
}

type cleanPool struct{ p *Pool }

func (c cleanPool) Allocate(size int) []byte {
	b, fresh := c.p.allocate(size)
	if !fresh {
		clear(b)
	}
	return b
}

func (c cleanPool) Reallocate(size int, b []byte) []byte {
	old := len(b)
	out, fresh := c.p.reallocate(size, b)
	if !fresh && size > old {
		clear(out[old:])
	}
	return out
}

func (c cleanPool) Free(b []byte) { c.p.Free(b) }
