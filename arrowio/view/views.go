package view

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// fromViews puts the values of views one behind the other. Views may share bytes, so that a small file can ask for any amount of memory.
func fromViews(d arrow.ArrayData, to arrow.DataType, mem memory.Allocator) (arrow.ArrayData, error) {
	offsets := newBuffer[int64](mem, d.Len()+1)
	dst := arrow.GetData[int64](offsets.Bytes())
	dst[0] = 0
	if d.Len() == 0 {
		return withValues(d, to, mem, offsets, nil), nil
	}
	var bitmap []byte
	if b := d.Buffers()[0]; b != nil {
		bitmap = b.Bytes()
	}
	views := valuesOf[arrow.ViewHeader](d, d.Len())
	var n int64
	for i := range views {
		if at := d.Offset() + i; len(bitmap) == 0 || bitmap[at/8]>>(at%8)&1 != 0 {
			n += int64(views[i].Len()) // a null's view may be anything
		}
		dst[i+1] = n
	}
	if n > math.MaxInt32 {
		offsets.Release()
		return nil, errs.Errorf(errs.ErrLimit, "views of %d bytes in a batch, more than %d; ask for smaller batches", n, math.MaxInt32)
	}
	data := newBuffer[byte](mem, int(n))
	all := data.Bytes()
	for i := range views {
		v := &views[i]
		part := all[dst[i]:dst[i+1]]
		switch {
		case len(part) == 0:
		case v.IsInline():
			copy(part, v.InlineBytes())
		default:
			copy(part, d.Buffers()[2+v.BufferIndex()].Bytes()[v.BufferOffset():])
		}
	}
	return withValues(d, to, mem, offsets, data), nil
}

// toViews reports whether text or bytes with 32-bit offsets are to be views. Files of both types are joined as text with 64-bit offsets;
// a schema may name views.
func toViews(from, to arrow.DataType) bool {
	return from.ID() == arrow.STRING && to.ID() == arrow.STRING_VIEW || from.ID() == arrow.BINARY && to.ID() == arrow.BINARY_VIEW
}

// viewConversion makes views of text or bytes with 32-bit offsets. What does not fit into a view stays where it is.
func viewConversion(to arrow.DataType) convertFunc {
	return func(d arrow.ArrayData, _ *scope, mem memory.Allocator) (arrow.ArrayData, error) {
		out := newBuffer[[arrow.ViewHeaderSizeBytes]byte](mem, d.Len())
		bufs := []*memory.Buffer{out}
		var all []byte
		if data := d.Buffers()[2]; data != nil {
			data.Retain()
			bufs, all = append(bufs, data), data.Bytes()
		}
		if d.Len() > 0 {
			putViews(out.Bytes(), all, listOffsets[int32](d))
		}
		return withValues(d, to, mem, bufs...), nil
	}
}

// putViews fills dst, 16 bytes for each, with views of the values that lie in all, between one offset and the next. A view is the
// length, 4 bytes, and the value in the next 12, or where it is longer its first 4 bytes, the number of its buffer, 0, and its offset there.
func putViews(dst, all []byte, offsets []int32) {
	words := arrow.GetData[uint64](dst)
	at := int(offsets[0])
	for i, end := range offsets[1:] {
		n := int(end) - at
		view := (*[2]uint64)(words[2*i:])
		if n > viewInline {
			view[0] = uint64(n) | uint64(binary.LittleEndian.Uint32(all[at:]))<<32
			view[1] = uint64(at) << 32
		} else if at+16 <= len(all) {
			near := (*[16]byte)(all[at:])
			m := &inViews[n]
			view[0] = uint64(n) | uint64(binary.LittleEndian.Uint32(near[:]))<<32&m[0]
			view[1] = binary.LittleEndian.Uint64(near[4:]) & m[1]
		} else {
			var near [viewInline]byte
			copy(near[:], all[at:end])
			view[0] = uint64(n) | uint64(binary.LittleEndian.Uint32(near[:]))<<32
			view[1] = binary.LittleEndian.Uint64(near[4:])
		}
		at = int(end)
	}
}

// viewInline is how many bytes a view holds itself.
const viewInline = 12

// inViews are the bits of the two words of a view that hold a value of that many bytes.
var inViews = func() (m [viewInline + 1][2]uint64) {
	for n := range m {
		m[n] = [2]uint64{(1<<(8*min(n, 4)) - 1) << 32, 1<<(8*max(n-4, 0)) - 1}
	}
	return m
}()
