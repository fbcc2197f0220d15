package arrowbuf_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// What an arena hands out from slabs lives, and is freed, by itself, whatever happens to its neighbours.
func TestArenaAlone(t *testing.T) {
	for _, alone := range []bool{false, true} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		a := &arrowbuf.Arena{Allocator: mem, Alone: alone}
		var kept []arrow.Array
		const n = 300 // more than several slabs have
		for i := range n {
			v := arrowbuf.NewVec[int64](a)
			v.Grow(2)[0] = int64(i)
			v.Values()[1] = int64(-i)
			d := a.Data(arrow.PrimitiveTypes.Int64, 2, append(a.Buffers(), nil, v.Take()), nil, 0)
			parent := a.Data(arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64}), 2, append(a.Buffers(), nil), []arrow.ArrayData{d}, 0)
			arr := array.MakeFromData(parent)
			parent.Release()
			if i%3 == 0 {
				arr.Release()
				continue
			}
			kept = append(kept, arr)
		}
		for i, arr := range kept {
			x := arr.(*array.Struct).Field(0).(*array.Int64)
			want := int64(i/2*3 + 1 + i%2)
			if x.Value(0) != want || x.Value(1) != -want {
				t.Fatalf("array %d has %v, want %d", i, x, want)
			}
			arr.Release()
		}
		mem.AssertSize(t, 0)
	}
}
