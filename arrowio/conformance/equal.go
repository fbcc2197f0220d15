package conformance

import (
	"bytes"
	"fmt"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// Equal returns nil if a and b have the same fields and the same values, and otherwise an error that names the first column and
// row that differ. It compares values, not memory: floats by their bits, null slots as null whatever they contain, dictionaries
// and runs by their values. It does not compare metadata.
func Equal(a, b arrow.Record) error {
	if err := EqualSchemas(a.Schema(), b.Schema()); err != nil {
		return err
	}
	if a.NumRows() != b.NumRows() {
		return fmt.Errorf("%d rows against %d", a.NumRows(), b.NumRows())
	}
	for i := range int(a.NumCols()) {
		if err := EqualArrays(a.Column(i), b.Column(i)); err != nil {
			return fmt.Errorf("column %s: %w", a.ColumnName(i), err)
		}
	}
	return nil
}

// EqualSchemas compares names, types and nullability.
func EqualSchemas(a, b *arrow.Schema) error {
	if a.NumFields() != b.NumFields() {
		return fmt.Errorf("%d columns against %d", a.NumFields(), b.NumFields())
	}
	for i := range a.NumFields() {
		x, y := a.Field(i), b.Field(i)
		if x.Name != y.Name || x.Nullable != y.Nullable || !arrow.TypeEqual(x.Type, y.Type) {
			return fmt.Errorf("column %d is %v against %v", i, x, y)
		}
	}
	return nil
}

// EqualArrays compares two arrays as Equal does; the error names the first row that differs.
func EqualArrays(a, b arrow.Array) error {
	if !arrow.TypeEqual(a.DataType(), b.DataType()) {
		return fmt.Errorf("type %s against %s", a.DataType(), b.DataType())
	}
	if a.Len() != b.Len() {
		return fmt.Errorf("%d rows against %d", a.Len(), b.Len())
	}
	return equalRows(a, 0, b, 0, a.Len())
}

// equalRows compares n rows of a from i on with those of b from j on. Types are equal.
func equalRows(a arrow.Array, i int, b arrow.Array, j, n int) error {
	da, db := a.Data(), b.Data()
	if sameRange(da, i, db, j, n) {
		return nil
	}
	for k := range n {
		if !equalValue(da, i+k, db, j+k) {
			return fmt.Errorf("row %d: %s against row %d: %s", i+k, valueText(da, i+k), j+k, valueText(db, j+k))
		}
	}
	return nil
}

// sameRange is the quick answer for flat columns without nulls. False says nothing.
func sameRange(a arrow.ArrayData, i int, b arrow.ArrayData, j, n int) bool {
	if n == 0 {
		return true
	}
	if a.NullN() != 0 || b.NullN() != 0 {
		return false
	}
	switch t := arrowtype.Storage(a.DataType()).(type) {
	case *arrow.NullType, *arrow.BooleanType, *arrow.DictionaryType:
	case *arrow.StringType, *arrow.BinaryType:
		return sameBinary(int32s(a, 1), a, i, int32s(b, 1), b, j, n)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return sameBinary(int64s(a, 1), a, i, int64s(b, 1), b, j, n)
	case arrow.FixedWidthDataType:
		w := t.Bytes()
		i, j = i+a.Offset(), j+b.Offset()
		return bytes.Equal(raw(a, 1)[i*w:(i+n)*w], raw(b, 1)[j*w:(j+n)*w])
	}
	return false
}

func sameBinary[O int32 | int64](x []O, a arrow.ArrayData, i int, y []O, b arrow.ArrayData, j, n int) bool {
	x, y = x[i:i+n+1], y[j:j+n+1]
	for k := range x {
		if x[k]-x[0] != y[k]-y[0] {
			return false
		}
	}
	return bytes.Equal(raw(a, 2)[x[0]:x[n]], raw(b, 2)[y[0]:y[n]])
}

// equalValue compares two values of equal types.
func equalValue(a arrow.ArrayData, i int, b arrow.ArrayData, j int) bool {
	a, i = resolve(a, i)
	b, j = resolve(b, j)
	if na, nb := isNull(a, i), isNull(b, j); na || nb {
		return na && nb
	}
	x, y := a.Offset()+i, b.Offset()+j
	switch t := arrowtype.Storage(a.DataType()).(type) {
	case *arrow.BooleanType:
		return bitutil.BitIsSet(raw(a, 1), x) == bitutil.BitIsSet(raw(b, 1), y)
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType, arrow.BinaryViewDataType:
		return bytes.Equal(bytesValue(a, i), bytesValue(b, j))
	case *arrow.StructType:
		for k := range a.Children() {
			if !equalValue(a.Children()[k], x, b.Children()[k], y) {
				return false
			}
		}
		return true
	case *arrow.SparseUnionType:
		code := raw(a, 1)[x]
		k := t.ChildIDs()[code]
		return code == raw(b, 1)[y] && equalValue(a.Children()[k], x, b.Children()[k], y)
	case *arrow.DenseUnionType:
		code := raw(a, 1)[x]
		k := t.ChildIDs()[code]
		return code == raw(b, 1)[y] && equalValue(a.Children()[k], int(int32s(a, 2)[i]), b.Children()[k], int(int32s(b, 2)[j]))
	case arrow.FixedWidthDataType:
		w := t.Bytes()
		return bytes.Equal(raw(a, 1)[x*w:(x+1)*w], raw(b, 1)[y*w:(y+1)*w])
	}
	s, e := listValue(a, i)
	u, v := listValue(b, j)
	if e-s != v-u {
		return false
	}
	for k := range e - s {
		if !equalValue(a.Children()[0], s+k, b.Children()[0], u+k) {
			return false
		}
	}
	return true
}

// resolve follows dictionaries and runs to the value that row i stands for.
func resolve(d arrow.ArrayData, i int) (arrow.ArrayData, int) {
	for {
		switch t := arrowtype.Storage(d.DataType()).(type) {
		case *arrow.DictionaryType:
			if isNull(d, i) {
				return d, i
			}
			d, i = d.Dictionary(), dictIndex(d, t, i)
		case *arrow.RunEndEncodedType:
			row := int64(d.Offset() + i)
			ends := d.Children()[0]
			d, i = d.Children()[1], sort.Search(ends.Len(), func(k int) bool { return runEnd(ends, k) > row })
		default:
			return d, i
		}
	}
}

func isNull(d arrow.ArrayData, i int) bool {
	if arrowtype.Storage(d.DataType()).ID() == arrow.NULL {
		return true
	}
	b := d.Buffers()
	return len(b) > 0 && b[0] != nil && b[0].Len() > 0 && bitutil.BitIsNotSet(b[0].Bytes(), d.Offset()+i)
}

// raw returns a whole buffer.
func raw(d arrow.ArrayData, i int) []byte {
	if b := d.Buffers()[i]; b != nil {
		return b.Bytes()
	}
	return nil
}

// int32s and int64s return a buffer from the first row on.
func int32s(d arrow.ArrayData, i int) []int32 { return arrow.GetData[int32](raw(d, i))[d.Offset():] }

func int64s(d arrow.ArrayData, i int) []int64 { return arrow.GetData[int64](raw(d, i))[d.Offset():] }

// bytesValue returns a string or binary value of any layout.
func bytesValue(d arrow.ArrayData, i int) []byte {
	switch arrowtype.Storage(d.DataType()).ID() {
	case arrow.STRING, arrow.BINARY:
		o := int32s(d, 1)
		return raw(d, 2)[o[i]:o[i+1]]
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		o := int64s(d, 1)
		return raw(d, 2)[o[i]:o[i+1]]
	}
	h := arrow.GetData[arrow.ViewHeader](raw(d, 1))[d.Offset()+i]
	if h.IsInline() {
		return bytes.Clone(h.InlineBytes()) // h is a copy
	}
	o := int(h.BufferOffset())
	return raw(d, 2+int(h.BufferIndex()))[o : o+h.Len()]
}

// listValue returns the elements of a list of any layout, as rows of the child.
func listValue(d arrow.ArrayData, i int) (start, end int) {
	switch t := arrowtype.Storage(d.DataType()).(type) {
	case *arrow.ListType, *arrow.MapType:
		o := int32s(d, 1)
		return int(o[i]), int(o[i+1])
	case *arrow.LargeListType:
		o := int64s(d, 1)
		return int(o[i]), int(o[i+1])
	case *arrow.ListViewType:
		s := int(int32s(d, 1)[i])
		return s, s + int(int32s(d, 2)[i])
	case *arrow.LargeListViewType:
		s := int(int64s(d, 1)[i])
		return s, s + int(int64s(d, 2)[i])
	case *arrow.FixedSizeListType:
		n := int(t.Len())
		return (d.Offset() + i) * n, (d.Offset() + i + 1) * n
	}
	return 0, 0
}

func dictIndex(d arrow.ArrayData, t *arrow.DictionaryType, i int) int {
	at := d.Offset() + i
	switch t.IndexType.ID() {
	case arrow.INT8:
		return int(arrow.GetData[int8](raw(d, 1))[at])
	case arrow.UINT8:
		return int(raw(d, 1)[at])
	case arrow.INT16:
		return int(arrow.GetData[int16](raw(d, 1))[at])
	case arrow.UINT16:
		return int(arrow.GetData[uint16](raw(d, 1))[at])
	case arrow.INT32:
		return int(arrow.GetData[int32](raw(d, 1))[at])
	case arrow.UINT32:
		return int(arrow.GetData[uint32](raw(d, 1))[at])
	}
	return int(arrow.GetData[int64](raw(d, 1))[at])
}

// runEnd returns where run i ends.
func runEnd(ends arrow.ArrayData, i int) int64 {
	at := ends.Offset() + i
	switch ends.DataType().ID() {
	case arrow.INT16:
		return int64(arrow.GetData[int16](raw(ends, 1))[at])
	case arrow.INT32:
		return int64(arrow.GetData[int32](raw(ends, 1))[at])
	}
	return arrow.GetData[int64](raw(ends, 1))[at]
}
