package arrowc

// #include "arrowc.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// Freed memory stays for the next batch, and as a table that is let go may be the room of the next one, whose pages would
// cost more than its decoding, much of it does: up to lingerBytes, until they were not used for lingerTime. What stays for
// good is little, for the many idle processes of a cluster. Most of it is in extents and not in the pool's lists: there,
// freed blocks that lie side by side become one.
const (
	poolBytes   = 32 << 20
	keepBytes   = 32 << 20
	lingerBytes = 1 << 30
	lingerTime  = 5 * time.Second
)

var (
	blocks = newCBlocks(keepBytes, lingerBytes)
	pool   = arrowbuf.NewPoolFrom(poolBytes, blocks)
)

// ErrNoMemory is what an allocator panics with, or wraps, when the system has no more memory.
var ErrNoMemory = errors.New("there is not enough memory")

// Memory is the allocator of what is handed over: C's memory, kept for reuse as that of every other scan.
func Memory() memory.Allocator { return pool }

// Allocated returns how many bytes of Memory are in use; what is kept for reuse is not counted.
func Allocated() int64 { return blocks.bytes.Load() - pool.Kept() }

// Trim gives what is kept for reuse back to the system.
func Trim() {
	pool.Trim()
	blocks.trim()
	C.arrowc_trim()
}

// cBlocks is memory of C: its heap for small blocks, extents for large ones. It knows its blocks, so that nothing else is
// ever given back.
type cBlocks struct {
	bytes   atomic.Int64
	mu      sync.RWMutex
	live    map[unsafe.Pointer]placed
	extents extents
	wait    time.Duration // between calls of giveIdle
	ticking bool          // it will be called
}

// placed is where a block is from.
type placed struct {
	size int
	in   *extent // nil = the heap
}

func newCBlocks(keep, linger int) *cBlocks {
	return &cBlocks{live: map[unsafe.Pointer]placed{}, extents: extents{keep: keep, linger: linger}, wait: lingerTime}
}

func (m *cBlocks) Allocate(n int) []byte {
	m.mu.Lock()
	p, in := m.place(n)
	if p != nil {
		m.live[p] = placed{n, in}
	}
	m.mu.Unlock()
	if p == nil {
		panic(fmt.Errorf("%w for %d bytes of a batch", ErrNoMemory, n)) // a scan reports it
	}
	m.bytes.Add(int64(n))
	return unsafe.Slice((*byte)(p), n)
}

func (m *cBlocks) place(n int) (unsafe.Pointer, *extent) {
	if n >= largeBlock {
		if p, in := m.extents.take(n); p != nil {
			return p, in
		}
	}
	return C.arrowc_allocate(C.size_t(n)), nil
}

func (m *cBlocks) Owns(b []byte) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, ok := m.live[unsafe.Pointer(unsafe.SliceData(b))]
	return ok
}

func (m *cBlocks) Free(b []byte) {
	p := unsafe.Pointer(unsafe.SliceData(b))
	m.mu.Lock()
	defer m.mu.Unlock()
	at, ok := m.live[p]
	if !ok {
		return
	}
	delete(m.live, p)
	m.bytes.Add(-int64(at.size))
	if at.in == nil {
		C.arrowc_free(p)
		return
	}
	m.extents.give(at.in, p, at.size)
	if !m.ticking {
		m.extents.idle() // from now on
		m.tick()
	}
}

// tick has giveIdle called while there is more than may be kept.
func (m *cBlocks) tick() {
	if m.ticking = m.extents.dirty > m.extents.kept(); m.ticking {
		time.AfterFunc(m.wait, m.giveIdle)
	}
}

// giveIdle gives back what was not used since its last call, in steps, so that nobody waits long for the lock.
func (m *cBlocks) giveIdle() {
	const step = 4 * extentBytes
	m.mu.Lock()
	defer m.mu.Unlock()
	for idle := m.extents.idle(); idle > 0; idle -= step {
		m.extents.clean(max(0, m.extents.dirty-min(idle, step)))
		m.mu.Unlock()
		runtime.Gosched()
		m.mu.Lock()
	}
	m.tick()
}

// trim gives back all that is not in use.
func (m *cBlocks) trim() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.extents.clean(0)
}
