package arrowbuf

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// Size returns how many bytes of Arrow memory the rows of arr occupy, children included. Of a slice it counts the rows
// of the slice only, of a dictionary array the whole dictionary. What list views share is counted as often as it is used, up
// to 1 PiB; it takes no more time for that.
func Size(arr arrow.Array) int64 { return sizeOf(arr.Data(), 0, int64(arr.Len())) }

// RecordSize returns the sum of the Sizes of rec's columns.
func RecordSize(rec arrow.Record) int64 {
	var n int64
	for _, c := range rec.Columns() {
		n = addSize(n, Size(c))
	}
	return n
}

// sizeOf counts rows [start, end) of d.
func sizeOf(d arrow.ArrayData, start, end int64) int64 {
	n := end - start
	if n == 0 {
		return 0
	}
	var size int64
	if b := d.Buffers(); len(b) > 0 && b[0] != nil {
		size = (n + 7) / 8
	}
	at := int64(d.Offset()) + start
	switch t := arrowtype.Storage(d.DataType()).(type) {
	case *arrow.NullType:
	case *arrow.BooleanType:
		size += (n + 7) / 8
	case *arrow.DictionaryType:
		size = addSize(size+n*int64(t.Bytes()), sizeOf(d.Dictionary(), 0, int64(d.Dictionary().Len())))
	case *arrow.StringType, *arrow.BinaryType:
		o := offsetsOf[int32](d)
		size += 4*(n+1) + int64(o[end]-o[start])
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		o := offsetsOf[int64](d)
		size += 8*(n+1) + o[end] - o[start]
	case arrow.BinaryViewDataType:
		size += n * int64(arrow.ViewHeaderSizeBytes)
		for _, h := range arrow.GetData[arrow.ViewHeader](d.Buffers()[1].Bytes())[at:][:n] {
			if !h.IsInline() {
				size += int64(h.Len())
			}
		}
	case *arrow.ListType, *arrow.MapType:
		o := offsetsOf[int32](d)
		size = addSize(size+4*(n+1), sizeOf(d.Children()[0], int64(o[start]), int64(o[end])))
	case *arrow.LargeListType:
		o := offsetsOf[int64](d)
		size = addSize(size+8*(n+1), sizeOf(d.Children()[0], o[start], o[end]))
	case *arrow.ListViewType:
		size = addSize(size+8*n, sizeOfViews[int32](d, at, n))
	case *arrow.LargeListViewType:
		size = addSize(size+16*n, sizeOfViews[int64](d, at, n))
	case *arrow.FixedSizeListType:
		w := int64(t.Len())
		size = addSize(size, sizeOf(d.Children()[0], at*w, (at+n)*w))
	case *arrow.StructType:
		for _, c := range d.Children() {
			size = addSize(size, sizeOf(c, at, at+n))
		}
	case *arrow.SparseUnionType:
		size += n
		for _, c := range d.Children() {
			size = addSize(size, sizeOf(c, at, at+n))
		}
	case *arrow.DenseUnionType:
		size = addSize(size+5*n, sizeOfDense(d, t, at, n))
	case *arrow.RunEndEncodedType:
		ends := d.Children()[0]
		first, last := int64(runAt(ends, at)), int64(runAt(ends, at+n-1))
		size = addSize(size+sizeOf(ends, first, last+1), sizeOf(d.Children()[1], first, last+1))
	case arrow.FixedWidthDataType:
		size += n * int64(t.Bytes())
	}
	return size
}

// sizeOfViews counts the elements of n list views, shared ones as often as they are used, their dictionaries once.
func sizeOfViews[O int32 | int64](d arrow.ArrayData, at, n int64) int64 {
	elements, dicts := rangesOf(d.Children()[0])
	var size int64
	offsets := arrow.GetData[O](d.Buffers()[1].Bytes())[at:]
	for i, k := range arrow.GetData[O](d.Buffers()[2].Bytes())[at:][:n] {
		size = addSize(size, elements(int64(offsets[i]), int64(offsets[i])+int64(k)))
	}
	if size > 0 { // some element is used
		size = addSize(size, dicts)
	}
	return size
}

// sizeOfDense counts, in each child, from the first to the last value that n rows of a dense union use.
func sizeOfDense(d arrow.ArrayData, t *arrow.DenseUnionType, at, n int64) int64 {
	var size int64
	codes, places := arrow.GetData[int8](d.Buffers()[1].Bytes())[at:][:n], arrow.GetData[int32](d.Buffers()[2].Bytes())[at:]
	for k, c := range d.Children() {
		lo, hi := int64(c.Len()), int64(0)
		for i, code := range codes {
			if t.ChildIDs()[code] == k {
				lo, hi = min(lo, int64(places[i])), max(hi, int64(places[i])+1)
			}
		}
		if lo < hi {
			size = addSize(size, sizeOf(c, lo, hi))
		}
	}
	return size
}
