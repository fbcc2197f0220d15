package arrowbuf

import (
	"bytes"
	"fmt"
	"math/rand"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/race"
)

func TestPoolBuffersAreAlignedWithSlack(t *testing.T) {
	p := NewPool(1 << 20)
	for _, n := range []int{0, 1, 63, 64, 65, 127, 128, 129, 1000, 4096, 8191, 8192, 8193, 1 << 15, 1<<15 + 1, 1 << 20, 1<<28 + 1} {
		b := p.Allocate(n)
		if len(b) != n {
			t.Errorf("Allocate(%d): length %d", n, len(b))
		}
		if cap(b) < n+Slack {
			t.Errorf("Allocate(%d): capacity %d leaves no slack", n, cap(b))
		}
		if misaligned(b) != 0 {
			t.Errorf("Allocate(%d): not aligned", n)
		}
		if cap(b) != BlockBytes(n) {
			t.Errorf("Allocate(%d): capacity %d, not %d", n, cap(b), BlockBytes(n))
		}
		if n <= 1<<20 && n > 64 && cap(b) >= 2*n+blockExtra-Slack {
			t.Errorf("Allocate(%d): capacity %d wastes more than half", n, cap(b))
		}
		p.Free(b)
	}
}

func TestPoolReusesWhatIsFreed(t *testing.T) {
	p := NewPool(1 << 20)
	a := p.Allocate(1000)
	p.Free(a)
	if got := p.Kept(); got != 1024+blockExtra {
		t.Fatalf("kept %d bytes", got)
	}
	b := p.Allocate(700)
	if &a[0] != &b[0] {
		t.Error("a freed block of the right size was not used")
	}
	if c := p.Allocate(1 << 20); cap(c) > 1<<20+blockExtra || cap(p.Allocate(1<<20+Slack)) != cap(c) {
		t.Error("a power of two, or one and Slack, takes the next larger block")
	} else if c = p.Allocate(1<<20 + 64 + Slack); cap(c) != 1<<20+blockExtra {
		t.Error("a power of two and one, rounded up, and Slack take the next larger block")
	}
	if p.Kept() != 0 {
		t.Error("a block in use is counted as kept")
	}
	p.Free(b[:0]) // a shorter slice of the same block is the same block
	if p.Kept() == 0 {
		t.Error("freed with length 0, the block was lost")
	}
}

func TestPoolIsBounded(t *testing.T) {
	p := NewPool(10 << 10)
	var bs [][]byte
	for range 100 {
		bs = append(bs, p.Allocate(1024))
	}
	for _, b := range bs {
		p.Free(b)
		if p.Kept() > 10<<10 {
			t.Fatalf("kept %d bytes", p.Kept())
		}
	}
	if p.Kept() < 9<<10 {
		t.Errorf("kept only %d bytes", p.Kept())
	}
	big := p.Allocate(100 << 10)
	p.Free(big) // larger than the bound: dropped, and must not evict everything in vain
	if p.Kept() > 10<<10 {
		t.Fatalf("kept %d bytes", p.Kept())
	}
}

func TestPoolForgetsSizesOutOfUse(t *testing.T) {
	p := NewPool(64 << 10)
	var small [][]byte
	for range 60 {
		small = append(small, p.Allocate(1024))
	}
	for _, b := range small {
		p.Free(b)
	}
	// The work moves on to another size: it must find room.
	a := p.Allocate(16 << 10)
	p.Free(a)
	if b := p.Allocate(16 << 10); &a[0] != &b[0] {
		t.Error("blocks of a size out of use were kept in place of the one in use")
	}
}

func TestPoolLeavesForeignMemoryAlone(t *testing.T) {
	p := NewPool(1 << 20)
	for _, b := range [][]byte{nil, {}, make([]byte, 100), make([]byte, 1024), memory.NewGoAllocator().Allocate(4096)} {
		p.Free(b)
	}
	own := p.Allocate(4096)
	p.Free(own[64:]) // not the start of a block
	if p.Kept() != 0 {
		t.Errorf("kept %d bytes of foreign memory", p.Kept())
	}
}

func TestPoolReallocate(t *testing.T) {
	p := NewPool(1 << 20)
	b := p.Allocate(0)
	rng := rand.New(rand.NewSource(1))
	var want []byte
	for range 2000 {
		n := rng.Intn(5000)
		b = p.Reallocate(n, b)
		if len(b) != n || cap(b) < n+Slack || misaligned(b) != 0 {
			t.Fatalf("Reallocate(%d): length %d, capacity %d", n, len(b), cap(b))
		}
		k := min(n, len(want))
		if !bytes.Equal(b[:k], want[:k]) {
			t.Fatal("content lost")
		}
		rng.Read(b)
		want = append(want[:0], b...)
	}
	grown := p.Reallocate(100_000, p.Reallocate(90_000, nil))
	if small := p.Reallocate(10, grown); cap(small) > 1024 {
		t.Errorf("10 bytes pin %d", cap(small))
	}
}

func TestCleanIsZero(t *testing.T) {
	p := NewPool(1 << 20)
	dirty := func(n int) {
		b := p.Allocate(n)
		for i := range b[:cap(b)] {
			b[:cap(b)][i] = 0xFF
		}
		p.Free(b)
	}
	c := Clean(p)
	for _, n := range []int{1, 64, 100, 5000} {
		dirty(n)
		b := c.Allocate(n)
		if !bytes.Equal(b, make([]byte, n)) {
			t.Errorf("Allocate(%d) is not zero", n)
		}
		dirty(3 * n)
		b = c.Reallocate(3*n, b)
		if !bytes.Equal(b, make([]byte, 3*n)) {
			t.Errorf("Reallocate(%d) is not zero", 3*n)
		}
		c.Free(b)
	}
	g := memory.NewGoAllocator()
	if Clean(g) != memory.Allocator(g) {
		t.Error("Clean must leave other allocators alone")
	}
	bl := array.NewInt64Builder(c)
	defer bl.Release()
	dirty(1000)
	bl.AppendNulls(100)
	arr := bl.NewArray()
	defer arr.Release()
	if arr.NullN() != 100 {
		t.Error("arrow's builder made an array with", arr.NullN(), "nulls")
	}
}

func TestPoolUnderCheckedAllocator(t *testing.T) {
	mem := memory.NewCheckedAllocator(NewPool(1 << 20))
	defer mem.AssertSize(t, 0)
	buf := memory.NewResizableBuffer(mem)
	for n := 1; n < 100_000; n = n*3 + 1 {
		buf.Resize(n)
	}
	buf.Resize(5)
	buf.Release()
}

// Every goroutine marks its buffers and looks at the marks again: no buffer may have two owners.
func TestPoolConcurrently(t *testing.T) {
	rounds := 2000
	if race.Enabled {
		rounds = 600
	}
	p := NewPool(256 << 10)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			rng := rand.New(rand.NewSource(int64(g)))
			var held [][]byte
			for i := range rounds {
				b := p.Allocate(8 + rng.Intn(8000))
				for j := range b {
					b[j] = byte(g)
				}
				held = append(held, b)
				if len(held) > 8 || i == rounds-1 {
					for _, h := range held {
						for j := range h {
							if h[j] != byte(g) {
								t.Error("a buffer in use was handed out again")
								return
							}
						}
						p.Free(h)
					}
					held = held[:0]
				}
			}
		}()
	}
	wg.Wait()
	if p.Kept() > 256<<10 {
		t.Errorf("kept %d bytes", p.Kept())
	}
}

// 500 MB of output in batches of 16 buffers, two batches alive: what a scan does to its allocator.
func BenchmarkAllocate(b *testing.B) {
	const size, total, batch = 512 << 10, 500 << 20, 16
	src := make([]byte, size)
	for _, a := range []struct {
		name string
		mem  memory.Allocator
	}{{"GoAllocator", memory.NewGoAllocator()}, {"Pool", NewPool(256 << 20)}, {"Clean", Clean(NewPool(256 << 20))}} {
		b.Run(fmt.Sprintf("mem=%s", a.name), func(b *testing.B) {
			b.SetBytes(total)
			b.ReportAllocs()
			var live [][]byte
			for b.Loop() {
				for done := 0; done < total; done += size {
					buf := a.mem.Allocate(size)
					copy(buf, src)
					if live = append(live, buf); len(live) == 2*batch {
						for _, x := range live[:batch] {
							a.mem.Free(x)
						}
						live = append(live[:0], live[batch:]...)
					}
				}
			}
		})
	}
}
