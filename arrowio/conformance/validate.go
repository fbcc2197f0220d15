package conformance

import (
	"bytes"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// ValidateRecord applies Validate to every column, and compares lengths, types and nullability with the schema.
func ValidateRecord(rec arrow.Record) error {
	s := rec.Schema()
	if int(rec.NumCols()) != s.NumFields() {
		return fmt.Errorf("%d columns for a schema of %d", rec.NumCols(), s.NumFields())
	}
	for i, f := range s.Fields() {
		c := rec.Column(i)
		v := validator{path: f.Name}
		if int64(c.Len()) != rec.NumRows() {
			return v.errorf("%d rows in a record of %d", c.Len(), rec.NumRows())
		}
		if !arrow.TypeEqual(f.Type, c.DataType()) {
			return v.errorf("type %s, the schema says %s", c.DataType(), f.Type)
		}
		if err := v.data(c.Data()); err != nil {
			return err
		}
		if err := v.nullable(f, c.Data(), nil); err != nil {
			return err
		}
	}
	return nil
}

// Validate reports the first way in which arr breaks Arrow's rules, at any depth: buffers shorter than their rows need,
// offsets that decrease, lie outside or do not start at 0, wrong null counts, children of wrong length, type codes,
// dictionary indices and view headers out of range, text that is not UTF-8, decimals beyond their precision, null map
// keys, run ends that do not increase. The constructors of arrow v15 check little of this.
func Validate(arr arrow.Array) error {
	v := validator{path: arr.DataType().Name()}
	return v.data(arr.Data())
}

// validator checks one array; path says where it is.
type validator struct{ path string }

func (v validator) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %s", v.path, fmt.Sprintf(format, args...))
}

func (v validator) child(name string) validator { return validator{v.path + "." + name} }

// data checks one array and what is below it.
func (v validator) data(d arrow.ArrayData) error {
	if d.Len() < 0 || d.Offset() < 0 || d.Len() > math.MaxInt-d.Offset() {
		return v.errorf("%d rows at offset %d", d.Len(), d.Offset())
	}
	if err := v.layout(d); err != nil {
		return err
	}
	if err := v.validity(d); err != nil {
		return err
	}
	switch t := arrowtype.Storage(d.DataType()).(type) {
	case *arrow.NullType:
		return nil
	case *arrow.BooleanType:
		return v.size(d, 1, (int64(end(d))+7)/8)
	case *arrow.StringType:
		return v.binary32(d, true)
	case *arrow.BinaryType:
		return v.binary32(d, false)
	case *arrow.LargeStringType:
		return v.binary64(d, true)
	case *arrow.LargeBinaryType:
		return v.binary64(d, false)
	case arrow.BinaryViewDataType:
		return v.views(d, t.IsUtf8())
	case *arrow.ListType, *arrow.LargeListType, *arrow.MapType:
		return v.list(d)
	case *arrow.ListViewType, *arrow.LargeListViewType:
		return v.listView(d)
	case *arrow.FixedSizeListType:
		if int64(d.Children()[0].Len()) < int64(end(d))*int64(t.Len()) {
			return v.errorf("%d elements for %d lists of %d", d.Children()[0].Len(), end(d), t.Len())
		}
	case *arrow.StructType, *arrow.SparseUnionType:
		for i, c := range d.Children() {
			if c.Len() < end(d) {
				return v.errorf("child %d has %d rows of %d", i, c.Len(), end(d))
			}
		}
	case *arrow.DictionaryType:
		return v.dictionary(d, t)
	case *arrow.RunEndEncodedType:
		return v.runEnds(d)
	case arrow.FixedWidthDataType:
		if err := v.size(d, 1, int64(end(d))*int64(t.Bytes())); err != nil {
			return err
		}
		return v.decimals(d)
	}
	if u, ok := arrowtype.Storage(d.DataType()).(arrow.UnionType); ok {
		if err := v.union(d, u); err != nil {
			return err
		}
	}
	return v.children(d)
}

// end returns how many rows the buffers must hold.
func end(d arrow.ArrayData) int { return d.Offset() + d.Len() }

// layout checks how many buffers and children there are, and the children's types.
func (v validator) layout(d arrow.ArrayData) error {
	t := arrowtype.Storage(d.DataType())
	layout := t.Layout()
	want := len(layout.Buffers)
	if _, ok := t.(arrow.UnionType); ok {
		want++ // arrow-go keeps an empty validity buffer that its layout does not list
	}
	if n := len(d.Buffers()); n < want || n > want && layout.VariadicSpec == nil {
		return v.errorf("%d buffers, %s has %d", n, t, want)
	}
	var fields []arrow.Field
	if n, ok := t.(arrow.NestedType); ok {
		fields = n.Fields()
	} else if r, ok := t.(*arrow.RunEndEncodedType); ok {
		fields = r.Fields()
	}
	if len(d.Children()) != len(fields) {
		return v.errorf("%d children, %s has %d", len(d.Children()), t, len(fields))
	}
	for i, f := range fields {
		if c := d.Children()[i]; c == nil || !arrow.TypeEqual(c.DataType(), f.Type) {
			return v.errorf("child %d is not %s", i, f.Type)
		}
	}
	return nil
}

// validity checks the bitmap's length and the null count.
func (v validator) validity(d arrow.ArrayData) error {
	var bitmap []byte
	if len(d.Buffers()) > 0 {
		bitmap = raw(d, 0)
	}
	switch arrowtype.Storage(d.DataType()).ID() {
	case arrow.NULL:
		if d.NullN() >= 0 && d.NullN() != d.Len() {
			return v.errorf("%d nulls in %d rows of type null", d.NullN(), d.Len())
		}
		return nil
	case arrow.SPARSE_UNION, arrow.DENSE_UNION, arrow.RUN_END_ENCODED:
		if len(bitmap) > 0 {
			return v.errorf("a validity bitmap")
		}
		if d.NullN() > 0 {
			return v.errorf("%d nulls of its own", d.NullN())
		}
		return nil
	}
	nulls := 0
	if len(bitmap) > 0 {
		if len(bitmap) < (end(d)+7)/8 {
			return v.errorf("validity of %d bytes for %d rows", len(bitmap), end(d))
		}
		for i := range d.Len() {
			if bitutil.BitIsNotSet(bitmap, d.Offset()+i) {
				nulls++
			}
		}
	}
	if d.NullN() >= 0 && d.NullN() != nulls {
		return v.errorf("null count %d, the bitmap says %d", d.NullN(), nulls)
	}
	return nil
}

// size checks that buffer i has at least n bytes.
func (v validator) size(d arrow.ArrayData, i int, n int64) error {
	if d.Len() > 0 && int64(len(raw(d, i))) < n {
		return v.errorf("buffer %d has %d bytes of %d", i, len(raw(d, i)), n)
	}
	return nil
}

func (v validator) children(d arrow.ArrayData) error {
	nested, ok := arrowtype.Storage(d.DataType()).(arrow.NestedType)
	if !ok {
		return nil
	}
	for i, f := range nested.Fields() {
		if err := v.child(f.Name).data(d.Children()[i]); err != nil {
			return err
		}
	}
	return nil
}

// nullable checks that a field that is not nullable has no nulls but those of its parents. parent says which rows of d
// exist; nil means all.
func (v validator) nullable(f arrow.Field, d arrow.ArrayData, parent func(i int) bool) error {
	exists := func(i int) bool { return parent == nil || parent(i) }
	if !f.Nullable && d.NullN() != 0 && arrowtype.Storage(d.DataType()).ID() != arrow.NULL {
		for i := range d.Len() {
			if exists(i) && isNull(d, i) {
				return v.errorf("row %d is null, the field is not nullable", i)
			}
		}
	}
	t, ok := arrowtype.Storage(d.DataType()).(*arrow.StructType)
	if !ok {
		return nil
	}
	for k, g := range t.Fields() {
		inside := func(i int) bool {
			i -= d.Offset()
			return i >= 0 && i < d.Len() && exists(i) && !isNull(d, i)
		}
		if err := v.child(g.Name).nullable(g, d.Children()[k], inside); err != nil {
			return err
		}
	}
	return nil
}

// dictionary checks indices and the dictionary itself.
func (v validator) dictionary(d arrow.ArrayData, t *arrow.DictionaryType) error {
	if err := v.size(d, 1, int64(end(d))*int64(t.Bytes())); err != nil || d.Len() == 0 {
		return err
	}
	dict := d.Dictionary()
	if !arrow.TypeEqual(dict.DataType(), t.ValueType) {
		return v.errorf("a dictionary of %s", dict.DataType())
	}
	for i := range d.Len() {
		if isNull(d, i) {
			continue
		}
		if x := dictIndex(d, t, i); x < 0 || x >= dict.Len() {
			return v.errorf("row %d: index %d into a dictionary of %d", i, x, dict.Len())
		}
	}
	return v.child("dictionary").data(dict)
}

// runEnds checks that ends increase and reach the last row.
func (v validator) runEnds(d arrow.ArrayData) error {
	ends, values := d.Children()[0], d.Children()[1]
	if err := v.child("run_ends").data(ends); err != nil {
		return err
	}
	if ends.NullN() != 0 && ends.Buffers()[0] != nil && ends.Len() > 0 {
		return v.errorf("run ends with nulls")
	}
	if values.Len() < ends.Len() {
		return v.errorf("%d values for %d runs", values.Len(), ends.Len())
	}
	last := int64(0)
	for i := range ends.Len() {
		e := runEnd(ends, i)
		if e <= last {
			return v.errorf("run %d ends at %d, the one before at %d", i, e, last)
		}
		last = e
	}
	if d.Len() > 0 && last < int64(end(d)) {
		return v.errorf("runs end at row %d of %d", last, end(d))
	}
	return v.child("values").data(values)
}

// union checks type codes and, for a dense union, places in the children.
func (v validator) union(d arrow.ArrayData, t arrow.UnionType) error {
	if err := v.size(d, 1, int64(end(d))); err != nil || d.Len() == 0 {
		return err
	}
	dense := t.Mode() == arrow.DenseMode
	if dense {
		if err := v.size(d, 2, 4*int64(end(d))); err != nil {
			return err
		}
	}
	last := make([]int32, len(d.Children()))
	for i, code := range arrow.GetData[int8](raw(d, 1))[d.Offset():end(d)] {
		if code < 0 || t.ChildIDs()[code] < 0 || t.ChildIDs()[code] >= len(last) {
			return v.errorf("row %d: no child has type code %d", i, code)
		}
		if !dense {
			continue
		}
		k, o := t.ChildIDs()[code], int32s(d, 2)[i]
		if o < last[k] || int(o) >= d.Children()[k].Len() {
			return v.errorf("row %d: place %d after %d in a child of %d", i, o, last[k], d.Children()[k].Len())
		}
		last[k] = o
	}
	return nil
}

func (v validator) decimals(d arrow.ArrayData) error {
	switch t := arrowtype.Storage(d.DataType()).(type) {
	case *arrow.Decimal128Type:
		return decimals(v, d, func(x decimal128.Num) bool { return x.FitsInPrecision(t.Precision) })
	case *arrow.Decimal256Type:
		return decimals(v, d, func(x decimal256.Num) bool { return x.FitsInPrecision(t.Precision) })
	}
	return nil
}

func decimals[T decimal128.Num | decimal256.Num](v validator, d arrow.ArrayData, fits func(T) bool) error {
	for i, x := range arrow.GetValues[T](d, 1) {
		if !isNull(d, i) && !fits(x) {
			return v.errorf("row %d does not fit into %s", i, d.DataType())
		}
	}
	return nil
}

// views checks the headers of string and binary views.
func (v validator) views(d arrow.ArrayData, text bool) error {
	if err := v.size(d, 1, int64(end(d))*int64(arrow.ViewHeaderSizeBytes)); err != nil || d.Len() == 0 {
		return err
	}
	for i := range d.Len() {
		if isNull(d, i) {
			continue
		}
		h := arrow.GetData[arrow.ViewHeader](raw(d, 1))[d.Offset()+i]
		if h.Len() < 0 {
			return v.errorf("row %d: length %d", i, h.Len())
		}
		if !h.IsInline() {
			b, o := int(h.BufferIndex()), int64(h.BufferOffset())
			if b < 0 || b+2 >= len(d.Buffers()) || o < 0 || o+int64(h.Len()) > int64(len(raw(d, b+2))) {
				return v.errorf("row %d: %d bytes at %d of data buffer %d", i, h.Len(), o, b)
			}
			if p := h.Prefix(); !bytes.Equal(p[:], bytesValue(d, i)[:arrow.ViewPrefixLen]) {
				return v.errorf("row %d: the prefix differs from the value", i)
			}
		}
		if text {
			if err := v.text(i, bytesValue(d, i)); err != nil {
				return err
			}
		}
	}
	return nil
}
