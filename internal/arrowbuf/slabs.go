package arrowbuf

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// slabs are the objects that an Arena hands out next. Wide batches of few rows have thousands of them; Go's allocator and collector take less
// time for a few at once. None is handed out twice, so who holds on to one holds at most the others of its slab, without their values.
type slabs struct {
	buffers []memory.Buffer
	lists   []*memory.Buffer
	data    []array.Data
	next    int // how many objects the next slab has
}

// Slabs have from leastSlab objects, for batches of few columns, to mostSlab.
const (
	leastSlab = 4
	mostSlab  = 32
)

// grown returns how many objects the next slab has.
func (s *slabs) grown() int {
	s.next = min(max(leastSlab, 2*s.next), mostSlab)
	return s.next
}

// buffer returns a new empty buffer.
func (a *Arena) buffer() *memory.Buffer {
	if !a.Alone {
		return memory.NewResizableBuffer(a.Allocator)
	}
	s := &a.slabs
	if len(s.buffers) == 0 {
		s.buffers = make([]memory.Buffer, s.grown())
	}
	b := &s.buffers[0]
	s.buffers = s.buffers[1:]
	*b = *memory.NewResizableBuffer(a.Allocator)
	return b
}

// mostBuffers is how many buffers an array has at most, those of its children and views left out.
const mostBuffers = 3

// Buffers returns an empty list with room for the buffers of an array.
func (a *Arena) Buffers() []*memory.Buffer {
	if !a.Alone {
		return make([]*memory.Buffer, 0, mostBuffers)
	}
	s := &a.slabs
	if len(s.lists) == 0 {
		s.lists = make([]*memory.Buffer, mostBuffers*s.grown())
	}
	l := s.lists[:0:mostBuffers]
	s.lists = s.lists[mostBuffers:]
	return l
}

// Data returns what array.NewData does. It takes over the caller's references to the buffers and children.
func (a *Arena) Data(t arrow.DataType, n int, buffers []*memory.Buffer, children []arrow.ArrayData, nulls int) *array.Data {
	var d *array.Data
	if a.Alone {
		s := &a.slabs
		if len(s.data) == 0 {
			s.data = make([]array.Data, s.grown())
		}
		d = &s.data[0]
		s.data = s.data[1:]
		d.Retain()
		d.Reset(t, n, buffers, children, nulls, 0)
	} else {
		d = array.NewData(t, n, buffers, children, nulls, 0)
	}
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
	for _, c := range children {
		if c != nil {
			c.Release()
		}
	}
	return d
}
