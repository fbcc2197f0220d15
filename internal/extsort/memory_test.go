//go:build !race

package extsort

import (
	"context"
	"errors"
	"math/rand"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/race"
)

func TestRowTooLarge(t *testing.T) {
	s := fields("k", arrow.PrimitiveTypes.Int64, "v", arrow.BinaryTypes.String)
	for _, c := range []struct {
		size int
		want error
	}{{127 << 10, nil}, {129 << 10, errs.ErrLimit}} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		b := array.NewRecordBuilder(mem, s)
		var recs []arrow.Record
		for i := range 20 {
			b.Field(0).(*array.Int64Builder).Append(int64(-i))
			b.Field(1).(*array.StringBuilder).Append(strings.Repeat("x", c.size))
			if i%3 == 2 || i == 19 {
				recs = append(recs, b.NewRecord())
			}
		}
		got, stats, err := sortAll(context.Background(), recs, keysOf("k"), Options{Memory: 1 << 20, Scratch: (&disk{}).scratch, Allocator: mem})
		if !errors.Is(err, c.want) || c.want == nil && (err != nil || stats.Runs == 0) {
			t.Errorf("rows of %d: %v", c.size, err)
		}
		if err == nil {
			check(t, got, recs, expected(recs, []int{0}, keysOf("k")))
		}
		releaseAll(got)
		releaseAll(recs)
		b.Release()
		mem.AssertSize(t, 0)
	}
}

// counting counts the memory in use.
type counting struct {
	memory.Allocator
	mu        sync.Mutex
	now, peak int64
}

func (c *counting) note(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now += n
	c.peak = max(c.peak, c.now)
}

func (c *counting) Allocate(n int) []byte {
	b := c.Allocator.Allocate(n)
	c.note(int64(cap(b)))
	return b
}

func (c *counting) Reallocate(n int, b []byte) []byte {
	c.note(-int64(cap(b)))
	b = c.Allocator.Reallocate(n, b)
	c.note(int64(cap(b)))
	return b
}

func (c *counting) Free(b []byte) {
	c.note(-int64(cap(b)))
	c.Allocator.Free(b)
}

// Batches that were added belong to the sorter: what they hold, and all else that it takes, stays within the limit but
// for the batch that is being added.
func TestMemoryIsBounded(t *testing.T) {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	schemas := map[string]*arrow.Schema{
		"narrow": fields("k", arrow.PrimitiveTypes.Int64),
		"wide":   fields("k", arrow.PrimitiveTypes.Int64, "a", arrow.BinaryTypes.String, "b", arrow.FixedWidthTypes.Boolean, "c", &arrow.Decimal128Type{Precision: 38}, "d", arrow.BinaryTypes.LargeBinary, "e", dict),
		"texts":  fields("k", arrow.BinaryTypes.Binary, "l", arrow.BinaryTypes.String),
		"nested": fields("k", arrow.PrimitiveTypes.Int16, "v", arrow.ListOf(arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true})), "m", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int8)),
	}
	for name, s := range schemas {
		for _, m := range []int64{1 << 20, 8 << 20} {
			if m > 1<<20 && (race.Enabled || name == "texts" || name == "nested") {
				continue
			}
			for _, rows := range []int{500, 30_000} {
				mem := &counting{Allocator: arrowbuf.NewPool(1)}
				g := &conformance.Generator{Rand: rand.New(rand.NewSource(1)), Mem: mem, Nulls: 0.1}
				x, err := New(s, keysOf("k"), Options{Memory: m, Allocator: mem, Scratch: (&disk{}).scratch, Parallelism: 2})
				if err != nil {
					t.Fatal(err)
				}
				largest, added := int64(0), int64(0)
				for added < 4*m {
					rec := g.Record(s, rows)
					size := pinned{}.add(rec.Columns())
					largest = max(largest, size)
					added += size
					if err := x.Add(context.Background(), rec); err != nil {
						t.Fatal(err)
					}
					rec.Release()
				}
				peak := mem.peak - largest
				mem.peak = 0
				rr, err := x.Merge(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				for rr.Next() {
				}
				if rr.Err() != nil {
					t.Fatal(rr.Err())
				}
				rr.Release()
				stats := x.Stats()
				x.Close()
				t.Logf("%s, batches of %d rows, %d bytes added in batches of %d, memory %d: %d while adding, %d while merging; %+v", name, rows, added, largest, m, peak, mem.peak, stats)
				if peak > m || mem.peak > m {
					t.Errorf("%s, batches of %d rows, %d bytes added in batches of %d, memory %d: %d while adding, %d while merging", name, rows, added, largest, m, peak, mem.peak)
				}
				if mem.now != 0 {
					t.Errorf("%s: %d bytes were not freed", name, mem.now)
				}
			}
		}
	}
}

// The same seen from outside: what the process has on its heap.
func TestHeapIsBounded(t *testing.T) {
	const m = 32 << 20
	heap := func() int64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return int64(s.HeapAlloc)
	}
	recs := lineitem(65536, func(i int) int64 { return int64(i * 7919 % 65537) })
	dir := t.TempDir()
	pool := arrowbuf.NewPool(1 << 20)
	before := heap()
	x, err := New(recs[0].Schema(), keysOf("l_partkey", "l_orderkey"), Options{Memory: m, Allocator: pool, Scratch: func() (arrowio.ScratchFile, error) { return scratchIn(dir) }})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	peak := int64(0)
	for i := range 12 { // 130 MB
		copied, err := arrowbuf.Narrow(recs[0], [][2]int64{{0, 30_000}, {30_000, 65536}}, pool)
		if err != nil {
			t.Fatal(err)
		}
		err = x.Add(context.Background(), copied)
		copied.Release()
		if err != nil {
			t.Fatal(i, err)
		}
		peak = max(peak, heap()-before)
	}
	rr, err := x.Merge(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; rr.Next(); n++ {
		if n%10 == 0 {
			peak = max(peak, heap()-before)
		}
	}
	rr.Release()
	if rr.Err() != nil || x.Stats().Runs < 3 {
		t.Error(rr.Err(), x.Stats())
	}
	t.Logf("%d bytes", peak)
	if peak > m {
		t.Errorf("%d bytes on the heap, with %d of memory", peak, m)
	}
}
