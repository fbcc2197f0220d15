//go:build cgo && linux

package arrowc

import (
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"
)

// check walks all extents: holes are in order, apart from each other and from blocks, and everything is counted.
func (m *cBlocks) check(t *testing.T) {
	t.Helper()
	taken, dirty, live := 0, 0, map[*extent]int{}
	for p, at := range m.live {
		if at.in == nil {
			continue
		}
		n := aligned(at.size)
		taken += n
		live[at.in] += n
		from := int(uintptr(p) - uintptr(at.in.base))
		for _, h := range at.in.holes {
			if from < h.at+h.size && h.at < from+n {
				t.Fatalf("a block of %d at %d lies in the hole %+v", n, from, h)
			}
		}
	}
	for _, x := range m.extents.list {
		free, most, end := 0, 0, -1
		for _, h := range x.holes {
			if h.at <= end || h.size <= 0 || h.dirty < 0 || h.dirty > h.size {
				t.Fatalf("holes %+v", x.holes)
			}
			end = h.at + h.size
			free, dirty, most = free+h.size, dirty+h.dirty, max(most, h.size)
		}
		if end > x.size || most != x.most || free+live[x] != x.size {
			t.Fatalf("%d of %d bytes are free and %d in use; the largest hole has %d, not %d", free, x.size, live[x], most, x.most)
		}
	}
	if taken != m.extents.taken || dirty != m.extents.dirty {
		t.Fatalf("%d bytes in use and %d dirty; counted were %d and %d", taken, dirty, m.extents.taken, m.extents.dirty)
	}
}

// mark writes to the ends of a block and to its middle; marked tells whether it is still there.
func mark(b []byte, v byte)        { b[0], b[len(b)/2], b[len(b)-1] = v, v, v }
func marked(b []byte, v byte) bool { return b[0] == v && b[len(b)/2] == v && b[len(b)-1] == v }

func TestExtents(t *testing.T) {
	const keep = 16 << 20
	m := newCBlocks(keep, 0)
	r := rand.New(rand.NewPCG(1, 2))
	type held struct {
		b []byte
		v byte
	}
	var all []held
	for i := range 3000 {
		if len(all) > 0 && (r.IntN(5) < 2 || len(all) > 120) {
			k := r.IntN(len(all))
			if !marked(all[k].b, all[k].v) {
				t.Fatal("a block was written by another")
			}
			m.Free(all[k].b)
			all[k] = all[len(all)-1]
			all = all[:len(all)-1]
		} else {
			n := []int{100, largeBlock - 1, largeBlock, 1<<16 + 128, 1<<19 + 128, 1<<20 + 128, ownExtent - 1, ownExtent + 128}[r.IntN(8)]
			b := m.Allocate(n)
			if len(b) != n || cap(b) != n || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%blockAlign != 0 {
				t.Fatalf("%d bytes of capacity %d at %p, want %d", len(b), cap(b), b, n)
			}
			if !m.Owns(b) || m.Owns(b[1:]) {
				t.Fatal("it does not know its blocks")
			}
			mark(b, byte(i))
			all = append(all, held{b, byte(i)})
		}
		if e := &m.extents; e.dirty > keep+e.taken/8+(len(all)+len(e.list))*2*4096 { // pages that a block has a part of stay
			t.Fatalf("%d bytes are free and kept, %d in use", e.dirty, e.taken)
		}
		if i%50 == 0 {
			m.check(t)
		}
	}
	for _, h := range all {
		if !marked(h.b, h.v) {
			t.Fatal("a block was written by another")
		}
		m.Free(h.b)
		m.Free(h.b) // it is not a block any more
	}
	m.check(t)
	if m.bytes.Load() != 0 || m.extents.taken != 0 {
		t.Errorf("%d bytes left", m.bytes.Load())
	}
	m.trim()
	if len(m.extents.list) != 0 {
		t.Errorf("%d extents left", len(m.extents.list))
	}
}

// TestOneOfMany keeps one block of sixteen: what was around them goes back to the system.
func TestOneOfMany(t *testing.T) {
	m := newCBlocks(4<<20, 0)
	var few, many [][]byte
	for i := range 512 {
		b := m.Allocate(256<<10 + 128)
		if mark(b, byte(i)); i%16 == 0 {
			few = append(few, b)
		} else {
			many = append(many, b)
		}
	}
	for _, b := range many {
		m.Free(b)
	}
	m.check(t)
	if e := &m.extents; e.dirty > 4<<20+e.taken/8+1<<20 {
		t.Errorf("%d bytes are kept beside %d", e.dirty, e.taken)
	}
	for i, b := range few {
		if !marked(b, byte(16*i)) {
			t.Error("a block that is in use was given back")
		}
		m.Free(b)
	}
	m.trim()
	if m.extents.taken != 0 || m.extents.dirty != 0 || len(m.extents.list) != 0 {
		t.Errorf("%+v", m.extents)
	}
}

func TestReused(t *testing.T) {
	m := newCBlocks(64<<20, 0)
	a := m.Allocate(1 << 20)
	m.Free(a)
	if b := m.Allocate(1 << 20); unsafe.SliceData(b) != unsafe.SliceData(a) {
		t.Error("what was freed is not the next one")
	} else {
		m.Free(b)
	}
	m.trim()
}

// TestLinger holds much, lets it go and holds it again: it is the same memory, and goes when nobody has wanted it for long.
func TestLinger(t *testing.T) {
	const keep, blockBytes = 4 << 20, 1 << 20
	m := newCBlocks(keep, 1<<30)
	m.wait = time.Hour
	hold := func(n int) (all [][]byte) {
		for i := range n {
			b := m.Allocate(blockBytes)
			mark(b, byte(i))
			all = append(all, b)
		}
		return all
	}
	free := func(all [][]byte) {
		for _, b := range all {
			m.Free(b)
		}
	}
	dirty := func() int {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.check(t)
		return m.extents.dirty
	}
	const n = 128
	free(hold(n))
	if d := dirty(); d != n*blockBytes {
		t.Fatalf("%d bytes stay, want all %d", d, n*blockBytes)
	}
	extents := len(m.extents.list)
	m.giveIdle()
	half := hold(n / 2)
	free(half)
	m.giveIdle() // half was used since the last time
	if d := dirty(); d < n/2*blockBytes || d > n/2*blockBytes+2*extentBytes {
		t.Errorf("%d bytes stay, want about %d", d, n/2*blockBytes)
	}
	free(hold(n))
	if len(m.extents.list) != extents {
		t.Errorf("%d extents, there were %d", len(m.extents.list), extents)
	}
	m.wait = time.Millisecond
	m.giveIdle()
	for deadline := time.Now().Add(time.Minute); dirty() > keep; time.Sleep(m.wait) {
		if time.Now().After(deadline) {
			t.Fatalf("%d bytes are kept, nobody has asked for any", dirty())
		}
	}
	few := hold(8)
	free(few)
	if d := dirty(); d > keep+8*blockBytes {
		t.Errorf("%d bytes", d)
	}
	m.trim()
	if d := dirty(); d != 0 {
		t.Errorf("%d bytes after a trim", d)
	}
}

// TestLingerBound lets go more than may linger.
func TestLingerBound(t *testing.T) {
	const keep, linger = 4 << 20, 48 << 20
	m := newCBlocks(keep, linger)
	var all [][]byte
	for range 128 {
		all = append(all, m.Allocate(1<<20))
	}
	for _, b := range all {
		m.Free(b)
		if e := &m.extents; e.dirty > keep+linger+e.taken/8 {
			t.Fatalf("%d bytes are kept", e.dirty)
		}
	}
	m.trim()
}
