package ipc

import (
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// writtenOut returns how many bytes the values of d take where each is written out wherever it is used, which is what
// copies and most formats do: list views and string views may use one value many times, and so do dictionaries and runs. It
// takes time and memory in proportion to d, however that is nested. d is sound but for slots that are null.
func writtenOut(d arrow.ArrayData) int64 { return extentOf(d, false).of(0, int64(d.Len())) }

// muchTooMuch is what sums stop at.
const muchTooMuch = 1 << 60

func sum(a, b int64) int64 { return min(a+b, muchTooMuch) }

// extent tells how many bytes slots [start, end) of an array take, written out. Slots that are not there take none.
type extent struct {
	n  int64
	fn func(start, end int64) int64
}

func (e extent) of(start, end int64) int64 {
	start, end = max(0, min(start, e.n)), max(0, min(end, e.n))
	if start >= end {
		return 0
	}
	return e.fn(start, end)
}

// extentOf looks into d. random says that many ranges will be asked for, so that each must be told at once.
func extentOf(d arrow.ArrayData, random bool) extent {
	at, n := int64(d.Offset()), int64(d.Len())
	e := extent{n: n}
	each := func(slot func(i int64) int64) func(start, end int64) int64 { return perSlot(n, random, slot) }
	switch t := arrowtype.Storage(d.DataType()).(type) {
	case *arrow.DictionaryType:
		values := extentOf(d.Dictionary(), true)
		index := indexOf(d, t.IndexType)
		e.fn = each(func(i int64) int64 { k := index(at + i); return values.of(k, k+1) })
	case *arrow.StringType, *arrow.BinaryType:
		e.fn = offsetExtent[int32](d, at, nil)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		e.fn = offsetExtent[int64](d, at, nil)
	case *arrow.ListType, *arrow.MapType:
		e.fn = offsetExtent[int32](d, at, child(d, 0, random))
	case *arrow.LargeListType:
		e.fn = offsetExtent[int64](d, at, child(d, 0, random))
	case arrow.BinaryViewDataType:
		heads := arrow.GetData[arrow.ViewHeader](d.Buffers()[1].Bytes())
		e.fn = each(func(i int64) int64 { return int64(arrow.ViewHeaderSizeBytes) + max(0, int64(heads[at+i].Len())) })
	case *arrow.ListViewType:
		e.fn = each(viewSlot[int32](d, at))
	case *arrow.LargeListViewType:
		e.fn = each(viewSlot[int64](d, at))
	case *arrow.FixedSizeListType:
		k, w := child(d, 0, random), int64(t.Len())
		e.fn = func(start, end int64) int64 { return k.of((at+start)*w, (at+end)*w) }
	case *arrow.StructType, *arrow.SparseUnionType:
		children := make([]extent, len(d.Children()))
		for i := range children {
			children[i] = *child(d, i, random)
		}
		e.fn = func(start, end int64) int64 {
			all := end - start
			for _, k := range children {
				all = sum(all, k.of(at+start, at+end))
			}
			return all
		}
	case *arrow.DenseUnionType:
		e.fn = each(denseSlot(d, t, at))
	case *arrow.RunEndEncodedType:
		e.fn = each(runSlot(d, at))
	case *arrow.BooleanType:
		e.fn = func(start, end int64) int64 { return (end - start + 7) / 8 }
	case arrow.FixedWidthDataType:
		w := int64(t.Bytes())
		e.fn = func(start, end int64) int64 { return w * (end - start) } // they are there, so that it is no more than a body has
	default:
		e.fn = func(start, end int64) int64 { return (end - start + 7) / 8 }
	}
	return e
}

func child(d arrow.ArrayData, i int, random bool) *extent {
	e := extentOf(d.Children()[i], random)
	return &e
}

// perSlot adds up slots: when it is asked, or once for all ranges.
func perSlot(n int64, random bool, slot func(i int64) int64) func(start, end int64) int64 {
	if !random {
		return func(start, end int64) int64 {
			var all int64
			for i := start; i < end; i++ {
				all = sum(all, slot(i))
			}
			return all
		}
	}
	upTo := make([]int64, n+1)
	for i := range n {
		upTo[i+1] = upTo[i] + min(slot(i), muchTooMuch/(n+1))
	}
	return func(start, end int64) int64 { return upTo[end] - upTo[start] }
}

func offsetExtent[O int32 | int64](d arrow.ArrayData, at int64, elements *extent) func(start, end int64) int64 {
	var offsets []O
	if b := d.Buffers()[1]; b != nil {
		offsets = arrow.GetData[O](b.Bytes())
	}
	return func(start, end int64) int64 {
		if int64(len(offsets)) <= at+end {
			return 0
		}
		from, to := int64(offsets[at+start]), int64(offsets[at+end])
		if elements == nil {
			return 4*(end-start) + max(0, to-from)
		}
		return sum(4*(end-start), elements.of(from, to))
	}
}

func viewSlot[O int32 | int64](d arrow.ArrayData, at int64) func(i int64) int64 {
	elements := extentOf(d.Children()[0], true)
	offsets, sizes := arrow.GetData[O](d.Buffers()[1].Bytes()), arrow.GetData[O](d.Buffers()[2].Bytes())
	return func(i int64) int64 {
		from, k := int64(offsets[at+i]), int64(sizes[at+i])
		if from < 0 || k < 0 || from > elements.n || k > elements.n-from {
			return 0
		}
		return 8 + elements.of(from, from+k)
	}
}

func denseSlot(d arrow.ArrayData, t *arrow.DenseUnionType, at int64) func(i int64) int64 {
	children := make([]extent, len(d.Children()))
	for i := range children {
		children[i] = *child(d, i, true)
	}
	codes, places := arrow.GetData[int8](d.Buffers()[1].Bytes()), arrow.GetData[int32](d.Buffers()[2].Bytes())
	ids := t.ChildIDs()
	return func(i int64) int64 {
		code := codes[at+i]
		if code < 0 || int(code) >= len(ids) || ids[code] < 0 || ids[code] >= len(children) {
			return 0
		}
		place := int64(places[at+i])
		return 5 + children[ids[code]].of(place, place+1)
	}
}

func runSlot(d arrow.ArrayData, at int64) func(i int64) int64 {
	ends, values := d.Children()[0], extentOf(d.Children()[1], true)
	var end func(k int64) int64
	switch ends.DataType().ID() {
	case arrow.INT16:
		end = fixed[int16](ends)
	case arrow.INT32:
		end = fixed[int32](ends)
	default:
		end = fixed[int64](ends)
	}
	n, k := int64(ends.Len()), int64(0)
	return func(i int64) int64 {
		if k >= n || end(k) <= at+i || k > 0 && end(k-1) > at+i {
			k = int64(sort.Search(int(n), func(j int) bool { return end(int64(j)) > at+i }))
		}
		return values.of(k, k+1)
	}
}

// indexOf reads the indices of a dictionary array.
func indexOf(d arrow.ArrayData, t arrow.DataType) func(i int64) int64 {
	b := d.Buffers()[1].Bytes()
	switch t.ID() {
	case arrow.INT8:
		return number[int8](b)
	case arrow.UINT8:
		return number[uint8](b)
	case arrow.INT16:
		return number[int16](b)
	case arrow.UINT16:
		return number[uint16](b)
	case arrow.INT32:
		return number[int32](b)
	case arrow.UINT32:
		return number[uint32](b)
	}
	return number[int64](b) // of uint64, too: what is too large is nowhere, as what is negative
}

func fixed[T int16 | int32 | int64](d arrow.ArrayData) func(i int64) int64 {
	at, get := int64(d.Offset()), number[T](d.Buffers()[1].Bytes())
	return func(i int64) int64 { return get(at + i) }
}

func number[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](b []byte) func(i int64) int64 {
	v := arrow.GetData[T](b)
	return func(i int64) int64 { return int64(v[i]) }
}
