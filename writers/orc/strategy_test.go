package orc_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// TestEncodingStrategy: numbers that need five bits are stored in five by the strategy compression, in eight by the
// strategy speed, which is the default. They neither repeat nor ascend, so that direct runs of 512 are the shortest.
func TestEncodingStrategy(t *testing.T) {
	const n = 10 * 512
	pack := func(width int64) int64 { return 10 * (2 + 512*width/8) } // the header of a direct run has two bytes
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	s := schemaOf(field("n", arrow.PrimitiveTypes.Int64))
	rec := build(memory.NewGoAllocator(), s, n, func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.Int64Builder).Append(int64(i*13%32) - 16)
	})
	defer rec.Release()
	for strategy, want := range map[string]int64{"": pack(8), "speed": pack(8), "compression": pack(5)} {
		objects := write(t, s, []arrow.Record{rec}, arrowio.WriteOptions{
			Compression: "none", Options: map[string]string{"orc-encoding-strategy": strategy}, Allocator: mem,
		})
		check(t, objects, rec)
		_, stripes := layout(t, one(t, objects))
		for _, x := range stripes[0].Streams {
			if x.Kind == orcwire.Data && x.Length != want {
				t.Errorf("strategy %q: %d bytes of numbers, want %d", strategy, x.Length, want)
			}
		}
	}
}
