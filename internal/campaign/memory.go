package campaign

import (
	"runtime/metrics"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// meter is an allocator that knows how much is in use, and the most that ever was.
type meter struct {
	memory.GoAllocator
	used, most atomic.Int64
}

func (m *meter) Allocate(n int) []byte {
	m.add(int64(n))
	return m.GoAllocator.Allocate(n)
}

func (m *meter) Reallocate(n int, b []byte) []byte {
	m.add(int64(n - len(b)))
	return m.GoAllocator.Reallocate(n, b)
}

func (m *meter) Free(b []byte) {
	m.add(int64(-len(b)))
	m.GoAllocator.Free(b)
}

func (m *meter) add(n int64) {
	now := m.used.Add(n)
	for most := m.most.Load(); now > most && !m.most.CompareAndSwap(most, now); most = m.most.Load() {
	}
}

// allocated returns the bytes allocated on the heap so far, freed ones included.
func allocated() int64 {
	s := [1]metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s[:])
	return int64(s[0].Value.Uint64())
}
