package arrowc

// #include "arrowc.h"
import "C"

import (
	"runtime"
	"runtime/cgo"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/workers"
)

const arraySize = int(unsafe.Sizeof(C.struct_ArrowArray{}))

// held is what a batch holds on to until C has released all of it.
type held struct {
	rec arrow.Record
	pin runtime.Pinner
}

// layout counts the structures and pointers of a tree of arrays.
type layout struct{ nodes, pointers, sizes int }

func (l *layout) add(d arrow.ArrayData) {
	l.nodes++
	buffers, views := buffersOf(d)
	l.pointers += len(buffers)
	if views {
		l.pointers++
		l.sizes += len(buffers) - 2
	}
	for _, c := range d.Children() {
		l.pointers++
		l.add(c)
	}
	if hasDictionary(d) {
		l.add(d.Dictionary())
	}
}

func (l *layout) bytes() int {
	return l.nodes*arraySize + l.pointers*pointerSize + l.sizes*8
}

func hasDictionary(d arrow.ArrayData) bool {
	return arrowtype.Storage(d.DataType()).ID() == arrow.DICTIONARY
}

// dataBuffer is a buffer of an array, as C sees it.
type dataBuffer struct {
	start    unsafe.Pointer
	size     int
	validity bool
}

// buffersOf returns the buffers of an array in the order of the C data interface, and whether their sizes follow as one
// more, as they do for views.
func buffersOf(d arrow.ArrayData) (out []dataBuffer, views bool) {
	have := d.Buffers()
	validity := true
	switch arrowtype.Storage(d.DataType()).ID() {
	case arrow.NULL, arrow.RUN_END_ENCODED:
		return nil, false
	case arrow.DENSE_UNION, arrow.SPARSE_UNION:
		have, validity = have[1:], false // v15 keeps a place for a validity that unions do not have
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		views = true
	}
	out = make([]dataBuffer, len(have))
	for i, b := range have {
		out[i].validity = validity && i == 0
		if b != nil && b.Len() > 0 {
			out[i].start, out[i].size = unsafe.Pointer(unsafe.SliceData(b.Bytes())), b.Len()
		}
	}
	return out, views
}

// exportRecord fills out, a struct ArrowArray whose memory is zero, with rec as an array of structs. It retains rec until C has released
// everything.
func exportRecord(rec arrow.Record, to unsafe.Pointer) {
	out := (*C.struct_ArrowArray)(to)
	n := int(rec.NumCols())
	l := layout{pointers: 1 + n}
	for i := range n {
		l.add(rec.Column(i).Data())
	}
	b, shared := newBlock(l.bytes())
	h := &held{rec: rec}
	x := exporter{b: &b, shared: shared, pin: &h.pin}
	root := C.struct_ArrowArray{length: C.int64_t(rec.NumRows()), n_buffers: 1, n_children: C.int64_t(n)}
	root.buffers = (*unsafe.Pointer)(b.take(pointerSize))
	children := x.children(n)
	for i := range n {
		x.array(rec.Column(i).Data(), children[i])
	}
	if n > 0 {
		root.children = unsafe.SliceData(children)
	}
	rec.Retain()
	shared.handle = C.uint64_t(cgo.NewHandle(h))
	*out = root
	C.arrowc_own_array(out, shared)
}

type exporter struct {
	b      *block
	shared *C.struct_arrowc_shared
	pin    *runtime.Pinner
}

// children takes n structures and an array of pointers to them.
func (x *exporter) children(n int) []*C.struct_ArrowArray {
	if n == 0 {
		return nil
	}
	nodes := unsafe.Slice((*C.struct_ArrowArray)(x.b.take(n*arraySize)), n)
	pointers := unsafe.Slice((**C.struct_ArrowArray)(x.b.take(n*pointerSize)), n)
	for i := range nodes {
		pointers[i] = &nodes[i]
	}
	return pointers
}

func (x *exporter) array(d arrow.ArrayData, out *C.struct_ArrowArray) {
	out.length, out.offset = C.int64_t(d.Len()), C.int64_t(d.Offset())
	out.null_count = C.int64_t(nulls(d))
	buffers, views := buffersOf(d)
	n := len(buffers)
	if views {
		n++
	}
	if n > 0 {
		pointers := unsafe.Slice((*unsafe.Pointer)(x.b.take(n*pointerSize)), n)
		for i, b := range buffers {
			switch {
			case b.start != nil:
				x.pin.Pin((*byte)(b.start)) // nothing where it is C's memory
				pointers[i] = b.start
			case !b.validity:
				pointers[i] = unsafe.Pointer(&C.arrowc_zeroes)
			}
		}
		if views {
			sizes := unsafe.Slice((*int64)(x.b.take((len(buffers)-2)*8)), len(buffers)-2)
			for i, b := range buffers[2:] {
				sizes[i] = int64(b.size)
			}
			pointers[n-1] = unsafe.Pointer(unsafe.SliceData(sizes))
		}
		out.n_buffers, out.buffers = C.int64_t(n), unsafe.SliceData(pointers)
	}
	if below := d.Children(); len(below) > 0 {
		children := x.children(len(below))
		for i, c := range below {
			x.array(c, children[i])
		}
		out.n_children, out.children = C.int64_t(len(below)), unsafe.SliceData(children)
	}
	if hasDictionary(d) {
		out.dictionary = (*C.struct_ArrowArray)(x.b.take(arraySize))
		x.array(d.Dictionary(), out.dictionary)
	}
	C.arrowc_own_array(out, x.shared)
}

// nulls returns the null count as C wants it: none for types that have no validity, all for nulls, -1 where it was not
// counted.
func nulls(d arrow.ArrayData) int {
	switch arrowtype.Storage(d.DataType()).ID() {
	case arrow.NULL:
		return d.Len()
	case arrow.DENSE_UNION, arrow.SPARSE_UNION, arrow.RUN_END_ENCODED:
		return 0
	}
	if b := d.Buffers(); len(b) == 0 || b[0] == nil || b[0].Len() == 0 {
		return 0
	}
	return max(-1, d.NullN())
}

//export arrowcGiveBack
func arrowcGiveBack(handle C.uint64_t) {
	_ = workers.Catch(func() error { // C takes no error here, and a bug here must not end the process of others
		h := cgo.Handle(handle)
		x := h.Value().(*held)
		h.Delete()
		x.pin.Unpin()
		x.rec.Release()
		return nil
	})
}
