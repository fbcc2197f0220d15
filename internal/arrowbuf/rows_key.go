package arrowbuf

import (
	"encoding/binary"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// appendKey appends bytes that are the same for two values of one type exactly when the values are: floats by their
// bits, nulls as nulls, nested values by their parts. It is for dictionary entries, not for rows.
func appendKey(key []byte, d arrow.ArrayData, i int) []byte {
	if v := d.Buffers(); len(v) > 0 && v[0] != nil && v[0].Len() > 0 && d.NullN() != 0 && bitutil.BitIsNotSet(v[0].Bytes(), d.Offset()+i) {
		return append(key, 0)
	}
	key = append(key, 1)
	at := d.Offset() + i
	switch t := arrowtype.Storage(d.DataType()).(type) {
	case *arrow.NullType:
	case *arrow.BooleanType:
		if bitutil.BitIsSet(d.Buffers()[1].Bytes(), at) {
			return append(key, 1)
		}
		return append(key, 0)
	case *arrow.StringType, *arrow.BinaryType:
		o := offsetsOf[int32](d)
		return appendBytesKey(key, d, int64(o[i]), int64(o[i+1]))
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		o := offsetsOf[int64](d)
		return appendBytesKey(key, d, o[i], o[i+1])
	case arrow.BinaryViewDataType:
		h := arrow.GetData[arrow.ViewHeader](d.Buffers()[1].Bytes())[at]
		key = binary.AppendUvarint(key, uint64(h.Len()))
		if h.IsInline() {
			return append(key, h.InlineBytes()...)
		}
		o := int(h.BufferOffset())
		return append(key, d.Buffers()[2+h.BufferIndex()].Bytes()[o:o+h.Len()]...)
	case *arrow.ListType, *arrow.MapType:
		o := offsetsOf[int32](d)
		return appendListKey(key, d.Children()[0], int(o[i]), int(o[i+1]))
	case *arrow.LargeListType:
		o := offsetsOf[int64](d)
		return appendListKey(key, d.Children()[0], int(o[i]), int(o[i+1]))
	case *arrow.ListViewType:
		o, n := arrow.GetData[int32](d.Buffers()[1].Bytes())[at], arrow.GetData[int32](d.Buffers()[2].Bytes())[at]
		return appendListKey(key, d.Children()[0], int(o), int(o+n))
	case *arrow.LargeListViewType:
		o, n := arrow.GetData[int64](d.Buffers()[1].Bytes())[at], arrow.GetData[int64](d.Buffers()[2].Bytes())[at]
		return appendListKey(key, d.Children()[0], int(o), int(o+n))
	case *arrow.FixedSizeListType:
		return appendListKey(key, d.Children()[0], at*int(t.Len()), (at+1)*int(t.Len()))
	case *arrow.StructType:
		for _, c := range d.Children() {
			key = appendKey(key, c, at)
		}
	case *arrow.SparseUnionType:
		code := d.Buffers()[1].Bytes()[at]
		return appendKey(append(key, code), d.Children()[t.ChildIDs()[code]], at)
	case *arrow.DenseUnionType:
		code := d.Buffers()[1].Bytes()[at]
		return appendKey(append(key, code), d.Children()[t.ChildIDs()[code]], int(arrow.GetData[int32](d.Buffers()[2].Bytes())[at]))
	case *arrow.DictionaryType:
		return appendKey(key, d.Dictionary(), indexAt(d, at))
	case *arrow.RunEndEncodedType:
		return appendKey(key, d.Children()[1], runAt(d.Children()[0], int64(at)))
	case arrow.FixedWidthDataType:
		w := t.Bytes()
		return append(key, d.Buffers()[1].Bytes()[at*w:(at+1)*w]...)
	}
	return key
}

func appendBytesKey(key []byte, d arrow.ArrayData, start, end int64) []byte {
	key = binary.AppendUvarint(key, uint64(end-start))
	if start == end {
		return key
	}
	return append(key, d.Buffers()[2].Bytes()[start:end]...)
}

func appendListKey(key []byte, child arrow.ArrayData, start, end int) []byte {
	key = binary.AppendUvarint(key, uint64(end-start))
	for i := start; i < end; i++ {
		key = appendKey(key, child, i)
	}
	return key
}

// indexAt returns a dictionary index; at counts from the start of the buffer.
func indexAt(d arrow.ArrayData, at int) int {
	b := d.Buffers()[1].Bytes()
	switch arrowtype.Storage(d.DataType()).(*arrow.DictionaryType).IndexType.ID() {
	case arrow.INT8, arrow.UINT8:
		return int(b[at])
	case arrow.INT16, arrow.UINT16:
		return int(arrow.GetData[uint16](b)[at])
	case arrow.INT32, arrow.UINT32:
		return int(arrow.GetData[uint32](b)[at])
	}
	return int(arrow.GetData[uint64](b)[at])
}

// runAt returns the run that row at is in.
func runAt(ends arrow.ArrayData, at int64) int {
	switch ends.DataType().ID() {
	case arrow.INT16:
		return findRun(arrow.GetValues[int16](ends, 1), at)
	case arrow.INT32:
		return findRun(arrow.GetValues[int32](ends, 1), at)
	}
	return findRun(arrow.GetValues[int64](ends, 1), at)
}

// findRun returns the first run whose end is beyond row.
func findRun[T int16 | int32 | int64](ends []T, row int64) int {
	return sort.Search(len(ends), func(i int) bool { return int64(ends[i]) > row })
}

// AppendKey appends bytes that are the same for two slots of arrays of one type exactly when what they hold is: floats
// by their bits, nulls as nulls, nested values by their parts. It is for entries of dictionaries, not for rows.
func AppendKey(key []byte, d arrow.ArrayData, slot int) []byte { return appendKey(key, d, slot) }
