package client

import (
	"math/bits"
	"sync"
)

// memories has the memory of frames and of bodies, of all connections.
var memories = &pool{}

const (
	// leastClass and mostClass are the binary logarithms of what is kept: 1 KiB to 64 MiB.
	leastClass, mostClass = 10, 26
	// steps are the sizes of an octave: memory is at most a quarter larger than what was asked for.
	steps = 4
)

// pool keeps memory that nothing refers to, by size, until the garbage collector wants it. New pages and zeroing them cost as much as
// copying into them, and a stream needs the same few sizes again and again. It implements mem.BufferPool and memory.Allocator.
type pool struct {
	classes [(mostClass-leastClass)*steps + 1]sync.Pool // of *[]byte
}

// class returns the class that holds n bytes and the size of its memory; -1 = none.
func class(n int) (at, size int) {
	if n <= 1<<leastClass {
		return 0, 1 << leastClass
	}
	if n > 1<<mostClass {
		return -1, n
	}
	octave := bits.Len(uint(n-1)) - 1 // n is in (1 << octave, 2 << octave]
	step := 1 << octave / steps
	k := (n - 1<<octave + step - 1) / step // 1 to steps
	return (octave-leastClass)*steps + k, 1<<octave + k*step
}

// Get implements mem.BufferPool. What the bytes are is not defined: gRPC and split fill them.
func (p *pool) Get(n int) *[]byte {
	at, size := class(n)
	if at >= 0 {
		if b, ok := p.classes[at].Get().(*[]byte); ok {
			*b = (*b)[:n]
			return b
		}
	}
	b := make([]byte, n, size)
	return &b
}

// Put implements mem.BufferPool. Memory of other sizes is left to the garbage collector.
func (p *pool) Put(b *[]byte) {
	if at, size := class(cap(*b)); at >= 0 && size == cap(*b) {
		p.classes[at].Put(b)
	}
}

// Allocate, Reallocate and Free implement memory.Allocator. Memory of a kilobyte and more begins at a multiple of 64, as Go's
// classes of these sizes do.

// Allocate returns n bytes, which are not zero.
func (p *pool) Allocate(n int) []byte { return *p.Get(n) }

// Reallocate returns n bytes that begin with those of b.
func (p *pool) Reallocate(n int, b []byte) []byte {
	if n <= cap(b) {
		return b[:n]
	}
	out := p.Allocate(n)
	copy(out, b)
	p.Free(b)
	return out
}

// Free takes memory back.
func (p *pool) Free(b []byte) { p.Put(&b) }
