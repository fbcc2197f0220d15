package extsort

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// alike returns how many bits every row of dt takes, validity included, where that is the same for all rows.
func alike(dt arrow.DataType) (bits int64, ok bool) {
	switch t := arrowtype.Storage(dt).(type) {
	case *arrow.NullType:
		return 0, true
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType, *arrow.DenseUnionType, *arrow.RunEndEncodedType,
		arrow.BinaryViewDataType, *arrow.ListType, *arrow.LargeListType, *arrow.MapType, *arrow.ListViewType, *arrow.LargeListViewType:
		return 0, false
	case *arrow.DictionaryType:
		return 1 + 32, true // what it becomes
	case *arrow.FixedSizeListType:
		elem, ok := alike(t.Elem())
		return 1 + int64(t.Len())*elem, ok
	case *arrow.StructType:
		bits, ok := alikeAll(t.Fields())
		return 1 + bits, ok
	case *arrow.SparseUnionType:
		bits, ok := alikeAll(t.Fields())
		return 8 + bits, ok
	case arrow.FixedWidthDataType:
		return 1 + int64(t.BitWidth()), true
	}
	return 0, false
}

func alikeAll(fields []arrow.Field) (bits int64, ok bool) {
	for _, f := range fields {
		b, ok := alike(f.Type)
		if !ok {
			return 0, false
		}
		bits += b
	}
	return bits, true
}

// weightOf returns what the rows of d take.
func weightOf(d arrow.ArrayData) int64 {
	if bits, ok := alike(d.DataType()); ok {
		return (int64(d.Len())*bits + 7) / 8
	}
	s := newSums(d, 0, d.Len())
	return int64(s.between(0, d.Len()))
}

// addWeights adds to out, for each slot of d from the given one on, how many bytes it takes in an array, children
// included.
func addWeights(out []uint64, d arrow.ArrayData, from int) {
	if len(out) == 0 {
		return
	}
	if bits, ok := alike(d.DataType()); ok {
		for i := range out {
			out[i] += uint64(bits+7) / 8
		}
		return
	}
	at, n := d.Offset()+from, len(out)
	switch t := arrowtype.Storage(d.DataType()).(type) {
	case *arrow.StringType, *arrow.BinaryType:
		addLengths(out, arrow.GetData[int32](d.Buffers()[1].Bytes())[at:])
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		addLengths(out, arrow.GetData[int64](d.Buffers()[1].Bytes())[at:])
	case arrow.BinaryViewDataType:
		for i, h := range arrow.GetData[arrow.ViewHeader](d.Buffers()[1].Bytes())[at:][:n] {
			out[i] += uint64(arrow.ViewHeaderSizeBytes)
			if k := h.Len(); k > 12 { // longer than a header holds; headers of nulls are arbitrary
				out[i] += uint64(k)
			}
		}
	case *arrow.ListType, *arrow.MapType:
		addElements(out, arrow.GetData[int32](d.Buffers()[1].Bytes())[at:][:n+1], d.Children()[0])
	case *arrow.LargeListType:
		addElements(out, arrow.GetData[int64](d.Buffers()[1].Bytes())[at:][:n+1], d.Children()[0])
	case *arrow.ListViewType:
		addViews(out, arrow.GetData[int32](d.Buffers()[1].Bytes())[at:], arrow.GetData[int32](d.Buffers()[2].Bytes())[at:], d, at)
	case *arrow.LargeListViewType:
		addViews(out, arrow.GetData[int64](d.Buffers()[1].Bytes())[at:], arrow.GetData[int64](d.Buffers()[2].Bytes())[at:], d, at)
	case *arrow.FixedSizeListType:
		w := int(t.Len())
		sums := newSums(d.Children()[0], at*w, (at+n)*w)
		for i := range out {
			out[i] += sums.between((at+i)*w, (at+i+1)*w)
		}
	case *arrow.StructType:
		for _, c := range d.Children() {
			addWeights(out, c, at)
		}
	case *arrow.SparseUnionType:
		for i := range out {
			out[i]++
		}
		for _, c := range d.Children() {
			addWeights(out, c, at)
		}
	case *arrow.DenseUnionType:
		addDense(out, d, t, at)
	case *arrow.RunEndEncodedType:
		runs := make([]int32, n)
		_, _ = runEntries(slots{d, at, n}, runs)
		first, last := int(runs[0]), int(runs[n-1])+1
		sums := newSums(d.Children()[1], first, last)
		for i, r := range runs {
			out[i] += 8 + sums.between(int(r), int(r)+1)
		}
	}
}

func addLengths[O int32 | int64 | uint32](out []uint64, offsets []O) {
	offsets = offsets[:len(out)+1]
	last := offsets[0]
	for i, o := range offsets[1:] {
		out[i] += 9 + uint64(o-last)
		last = o
	}
}

// sums tells how many bytes ranges of slots take.
type sums struct {
	from int
	each uint64   // where slots are alike: eighths of a byte
	upTo []uint64 // otherwise: before each slot
}

func newSums(d arrow.ArrayData, from, to int) sums {
	s := sums{from: from}
	if bits, ok := alike(d.DataType()); ok {
		s.each = uint64(bits)
		return s
	}
	s.upTo = make([]uint64, to-from+1)
	addWeights(s.upTo[1:], d, from)
	for i := 1; i < len(s.upTo); i++ {
		s.upTo[i] += s.upTo[i-1]
	}
	return s
}

func (s *sums) between(from, to int) uint64 {
	if s.upTo == nil {
		return (uint64(to-from)*s.each + 7) / 8
	}
	return s.upTo[to-s.from] - s.upTo[from-s.from]
}

func addElements[O int32 | int64](out []uint64, offsets []O, child arrow.ArrayData) {
	sums := newSums(child, int(offsets[0]), int(offsets[len(offsets)-1]))
	for i := range out {
		out[i] += 9 + sums.between(int(offsets[i]), int(offsets[i+1]))
	}
}

// addViews counts shared elements as often as they are used: each view gets its own.
func addViews[O int32 | int64](out []uint64, offsets, sizes []O, d arrow.ArrayData, at int) {
	valid := validityOf(d)
	null := func(i int) bool { return len(valid) > 0 && valid[(at+i)>>3]>>((at+i)&7)&1 == 0 }
	lo, hi := math.MaxInt, 0
	for i := range out {
		if !null(i) && sizes[i] > 0 {
			lo, hi = min(lo, int(offsets[i])), max(hi, int(offsets[i])+int(sizes[i]))
		}
	}
	lo = min(lo, hi)
	sums := newSums(d.Children()[0], lo, hi)
	for i := range out {
		out[i] += 17
		if !null(i) && sizes[i] > 0 {
			out[i] += sums.between(int(offsets[i]), int(offsets[i])+int(sizes[i]))
		}
	}
}

func addDense(out []uint64, d arrow.ArrayData, t *arrow.DenseUnionType, at int) {
	codes := arrow.GetData[int8](d.Buffers()[1].Bytes())[at:][:len(out)]
	places := arrow.GetData[int32](d.Buffers()[2].Bytes())[at:]
	for k, c := range d.Children() {
		code := t.TypeCodes()[k]
		lo, hi := math.MaxInt, 0
		for i, x := range codes {
			if x == code {
				lo, hi = min(lo, int(places[i])), max(hi, int(places[i])+1)
			}
		}
		if hi == 0 {
			continue
		}
		sums := newSums(c, lo, hi)
		for i, x := range codes {
			if x == code {
				out[i] += 5 + sums.between(int(places[i]), int(places[i])+1)
			}
		}
	}
}

// clip32 returns n as far as 32 bits reach.
func clip32(n uint64) uint32 { return uint32(min(n, math.MaxUint32)) }
