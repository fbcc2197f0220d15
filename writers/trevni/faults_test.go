package trevni_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/writertest"
	writer "github.com/arrowio/arrowio/writers/trevni"
)

// TestFaults lets each call to the store fail, one after another: the error comes out, and nothing is left behind.
func TestFaults(t *testing.T) {
	rec := events(2_500)
	defer rec.Release()
	for _, parallelism := range []int{1, 3} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		o := arrowio.WriteOptions{RowGroupBytes: 80 << 10, Memory: 20 << 10, Parallelism: parallelism, Compression: "snappy", Allocator: mem}
		if count := writertest.CheckFaults(t, writer.Format(), rec, 1_000, o); count.Scratches == 0 || count.Sinks < 2 {
			t.Errorf("%d scratch files, %d files: too few to fail", count.Scratches, count.Sinks)
		}
		mem.AssertSize(t, 0)
	}
}

// TestAbort gives up at every stage.
func TestAbort(t *testing.T) {
	rec := events(2_500)
	defer rec.Release()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	o := arrowio.WriteOptions{RowGroupBytes: 100 << 10, Memory: 1, Allocator: mem}
	writertest.CheckAbort(t, writer.Format(), rec, o, func(batches int, s *writertest.Store) {
		if batches > 0 && s.Scratches == 0 {
			t.Error("nothing was spilled")
		}
	})
}

// TestCancel: a cancelled context ends the writer at the next batch.
func TestCancel(t *testing.T) {
	rec := events(100)
	defer rec.Release()
	writertest.CheckCancel(t, writer.Format(), rec)
}
