package arrowbuf

import (
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/bitpack"
)

func TestOffsets(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	o := NewOffsets(&Arena{Allocator: mem})
	if o.Len() != 0 || o.End() != 0 {
		t.Errorf("%d slots that end at %d", o.Len(), o.End())
	}
	_, ends := o.Grow(2, 2)
	if len(ends) != 3 || ends[0] != 0 {
		t.Fatalf("got %v", ends)
	}
	ends[1], ends[2] = 5, 7
	slots, ends := o.Grow(4, 2) // the first and the last have values
	if ends[0] != 7 || len(slots) != 5 || len(ends) != 3 {
		t.Fatalf("got %v and %v", slots, ends)
	}
	ends[1], ends[2] = 8, 10
	bitpack.SpreadOffsets(slots, []byte{0b1001}, 0)
	o.Append(11)
	if _, ends := o.Grow(0, 0); len(ends) != 1 || ends[0] != 11 {
		t.Errorf("got %v", ends)
	}
	if o.Len() != 7 || o.End() != 11 {
		t.Errorf("%d slots that end at %d", o.Len(), o.End())
	}
	b := o.Take()
	if got := arrow.Int32Traits.CastFromBytes(b.Bytes()); !slices.Equal(got, []int32{0, 5, 7, 8, 8, 8, 10, 11}) {
		t.Errorf("got %v", got)
	}
	b.Release()

	b = o.Take() // of no slots
	if got := arrow.Int32Traits.CastFromBytes(b.Bytes()); !slices.Equal(got, []int32{0}) {
		t.Errorf("got %v", got)
	}
	b.Release()
	o.Grow(3, 3)
	o.Release()
}
