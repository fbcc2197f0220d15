package arrowc

// #include <stdlib.h>
// #include "arrowc.h"
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// poolBytes is how much freed memory stays for the next batch: as much as scans of Go keep.
const poolBytes = 256 << 20

var (
	blocks = &mallocBlocks{live: map[unsafe.Pointer]int{}}
	pool   = arrowbuf.NewPoolFrom(poolBytes, blocks)
)

// Memory is the allocator of what is handed over: C's memory, kept for reuse as that of every other scan.
func Memory() memory.Allocator { return pool }

// Allocated returns how many bytes of Memory are in use; what is kept for reuse is not counted.
func Allocated() int64 { return blocks.bytes.Load() - pool.Kept() }

// Trim gives what is kept for reuse back to the system.
func Trim() {
	pool.Trim()
	C.arrowc_trim()
}

// mallocBlocks is C's heap. It knows its blocks, so that nothing else is ever given to free.
type mallocBlocks struct {
	bytes atomic.Int64
	mu    sync.RWMutex
	live  map[unsafe.Pointer]int // block -> bytes
}

func (m *mallocBlocks) Allocate(n int) []byte {
	p := C.arrowc_allocate(C.size_t(n))
	if p == nil {
		panic("arrowc: out of memory") // as Go's own heap does; a scan reports it
	}
	m.mu.Lock()
	m.live[p] = n
	m.mu.Unlock()
	m.bytes.Add(int64(n))
	return unsafe.Slice((*byte)(p), n)
}

func (m *mallocBlocks) Owns(b []byte) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, ok := m.live[unsafe.Pointer(unsafe.SliceData(b))]
	return ok
}

func (m *mallocBlocks) Free(b []byte) {
	p := unsafe.Pointer(unsafe.SliceData(b))
	m.mu.Lock()
	n, ok := m.live[p]
	delete(m.live, p)
	m.mu.Unlock()
	if ok {
		m.bytes.Add(-int64(n))
		C.free(p)
	}
}
