package arrowbuf

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// maxSize is what sums of sizes stop at: views that overlap, one in the other, can stand for more bytes than there are. It
// leaves room for those who add up the sizes of columns.
const maxSize = 1 << 50

func addSize(a, b int64) int64 { return min(a+b, maxSize) }

// ranges tells how many bytes slots [start, end) of an array take, each time that it is asked, without going through them:
// views ask for any number of ranges, which may overlap. Dictionaries are not counted; they are there once.
type ranges func(start, end int64) int64

// rangesOf looks into d, in time and memory in proportion to the slots of the views, unions and lists in it. The second
// result is the size of all dictionaries below.
func rangesOf(d arrow.ArrayData) (ranges, int64) {
	if d.Len() == 0 { // it may have no buffers
		return func(int64, int64) int64 { return 0 }, 0
	}
	slots, dicts := slotsOf(d)
	nullable := false
	if b := d.Buffers(); len(b) > 0 {
		nullable = b[0] != nil
	}
	return func(start, end int64) int64 {
		if start >= end {
			return 0
		}
		size := slots(start, end)
		if nullable {
			size = addSize(size, (end-start+7)/8)
		}
		return size
	}, dicts
}

// slotsOf is rangesOf without validity. Ranges have at least one slot.
func slotsOf(d arrow.ArrayData) (ranges, int64) {
	at := int64(d.Offset())
	switch t := arrowtype.Storage(d.DataType()).(type) {
	case *arrow.BooleanType:
		return func(start, end int64) int64 { return (end - start + 7) / 8 }, 0
	case *arrow.DictionaryType:
		w := int64(t.Bytes())
		return func(start, end int64) int64 { return (end - start) * w }, sizeOf(d.Dictionary(), 0, int64(d.Dictionary().Len()))
	case *arrow.StringType, *arrow.BinaryType:
		return rangesOfOffsets(offsetsOf[int32](d), 4, nil), 0
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return rangesOfOffsets(offsetsOf[int64](d), 8, nil), 0
	case *arrow.ListType, *arrow.MapType:
		child, dicts := rangesOf(d.Children()[0])
		return rangesOfOffsets(offsetsOf[int32](d), 4, child), dicts
	case *arrow.LargeListType:
		child, dicts := rangesOf(d.Children()[0])
		return rangesOfOffsets(offsetsOf[int64](d), 8, child), dicts
	case arrow.BinaryViewDataType:
		heads := arrow.GetData[arrow.ViewHeader](d.Buffers()[1].Bytes())[at:]
		return summed(d.Len(), func(i int) int64 {
			if heads[i].IsInline() {
				return int64(arrow.ViewHeaderSizeBytes)
			}
			return int64(arrow.ViewHeaderSizeBytes + max(0, heads[i].Len()))
		}), 0
	case *arrow.ListViewType:
		return rangesOfViews[int32](d, 8)
	case *arrow.LargeListViewType:
		return rangesOfViews[int64](d, 16)
	case *arrow.FixedSizeListType:
		child, dicts := rangesOf(d.Children()[0])
		w := int64(t.Len())
		return func(start, end int64) int64 { return child((at+start)*w, (at+end)*w) }, dicts
	case *arrow.StructType:
		return rangesOfSiblings(d, 0)
	case *arrow.SparseUnionType:
		return rangesOfSiblings(d, 1)
	case *arrow.DenseUnionType:
		return rangesOfDense(d, t)
	case *arrow.RunEndEncodedType:
		ends := d.Children()[0]
		ofEnds, _ := rangesOf(ends)
		ofValues, dicts := rangesOf(d.Children()[1])
		return func(start, end int64) int64 {
			first, last := int64(runAt(ends, at+start)), int64(runAt(ends, at+end-1))
			return addSize(ofEnds(first, last+1), ofValues(first, last+1))
		}, dicts
	case arrow.FixedWidthDataType:
		w := int64(t.Bytes())
		return func(start, end int64) int64 { return (end - start) * w }, 0
	}
	return func(int64, int64) int64 { return 0 }, 0 // of nulls
}

// rangesOfOffsets are those of offsets of w bytes each, and of the elements or, where child is nil, the bytes between them.
func rangesOfOffsets[O int32 | int64](offsets []O, w int64, child ranges) ranges {
	return func(start, end int64) int64 {
		size := w * (end - start + 1)
		from, to := int64(offsets[start]), int64(offsets[end])
		if child == nil {
			return size + to - from
		}
		return addSize(size, child(from, to))
	}
}

// rangesOfViews are those of list views of w bytes each.
func rangesOfViews[O int32 | int64](d arrow.ArrayData, w int64) (ranges, int64) {
	child, dicts := rangesOf(d.Children()[0])
	offsets, counts := arrow.GetData[O](d.Buffers()[1].Bytes())[d.Offset():], arrow.GetData[O](d.Buffers()[2].Bytes())[d.Offset():]
	return summed(d.Len(), func(i int) int64 {
		return addSize(w, child(int64(offsets[i]), int64(offsets[i])+int64(counts[i])))
	}), dicts
}

// rangesOfSiblings are those of children that have a slot for each of the parent's, and w bytes beside them.
func rangesOfSiblings(d arrow.ArrayData, w int64) (ranges, int64) {
	at, children, dicts := int64(d.Offset()), make([]ranges, len(d.Children())), int64(0)
	for i, c := range d.Children() {
		var below int64
		children[i], below = rangesOf(c)
		dicts = addSize(dicts, below)
	}
	return func(start, end int64) int64 {
		size := w * (end - start)
		for _, k := range children {
			size = addSize(size, k(at+start, at+end))
		}
		return size
	}, dicts
}

// rangesOfDense counts the values that are used, not what lies between them.
func rangesOfDense(d arrow.ArrayData, t *arrow.DenseUnionType) (ranges, int64) {
	children, dicts := make([]ranges, len(d.Children())), int64(0)
	for i, c := range d.Children() {
		var below int64
		children[i], below = rangesOf(c)
		dicts = addSize(dicts, below)
	}
	codes, places := arrow.GetData[int8](d.Buffers()[1].Bytes())[d.Offset():], arrow.GetData[int32](d.Buffers()[2].Bytes())[d.Offset():]
	ids := t.ChildIDs()
	return summed(d.Len(), func(i int) int64 {
		place := int64(places[i])
		return addSize(5, children[ids[codes[i]]](place, place+1))
	}), dicts
}

// summed adds up the sizes of n slots once for all ranges.
func summed(n int, slot func(i int) int64) ranges {
	upTo := make([]int64, n+1)
	for i := range n {
		upTo[i+1] = addSize(upTo[i], slot(i))
	}
	return func(start, end int64) int64 {
		if upTo[end] == maxSize { // what is before it cannot be told any more
			return maxSize
		}
		return upTo[end] - upTo[start]
	}
}
