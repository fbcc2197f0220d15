package view

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Nulls returns n nulls of a type. The caller releases the array. A type that has no null, such as a union of columns that are
// never null, is errs.ErrSchema.
func Nulls(t arrow.DataType, n int, mem memory.Allocator) (arrow.Array, error) {
	d, err := nullData(t, n, mem)
	if err != nil {
		return nil, err
	}
	defer d.Release()
	return array.MakeFromData(d), nil
}

// nullData returns n nulls of a type, for the caller to release.
func nullData(t arrow.DataType, n int, mem memory.Allocator) (arrow.ArrayData, error) {
	if err := rowsTooLarge(t, n); err != nil {
		return nil, err
	}
	return emptyData(t, n, true, mem)
}

// emptyData returns n rows that are null, or zero and empty where a null around them is what counts.
func emptyData(t arrow.DataType, n int, null bool, mem memory.Allocator) (arrow.ArrayData, error) {
	e := emptyArray{n: n, mem: mem, bufs: []*memory.Buffer{nil}}
	defer e.release()
	if null && n > 0 {
		e.zeroes((n + 7) / 8)
		e.bufs[0], e.bufs = e.bufs[1], e.bufs[:1]
		e.nulls = n
	}
	if err := e.fill(t); err != nil {
		return nil, err
	}
	d := array.NewData(t, n, e.bufs, e.children, e.nulls, 0)
	if e.dict != nil {
		d.SetDictionary(e.dict)
	}
	return d, nil
}

// emptyArray is the parts of an array.
type emptyArray struct {
	n, nulls int
	mem      memory.Allocator
	bufs     []*memory.Buffer
	children []arrow.ArrayData
	dict     arrow.ArrayData
}

func (e *emptyArray) release() {
	releaseBuffers(e.bufs)
	for _, k := range e.children {
		k.Release()
	}
	if e.dict != nil {
		e.dict.Release()
	}
}

// zeroes adds a buffer.
func (e *emptyArray) zeroes(bytes int) *memory.Buffer {
	b := newBuffer[byte](e.mem, bytes)
	clear(b.Bytes())
	e.bufs = append(e.bufs, b)
	return b
}

// child adds a child.
func (e *emptyArray) child(t arrow.DataType, n int, null bool) error {
	k, err := emptyData(t, n, null, e.mem)
	if err == nil {
		e.children = append(e.children, k)
	}
	return err
}

func (e *emptyArray) fill(t arrow.DataType) error {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return e.fill(t.StorageType())
	case *arrow.NullType:
		releaseBuffers(e.bufs)
		e.bufs, e.nulls = []*memory.Buffer{nil}, e.n
	case *arrow.BooleanType:
		e.zeroes((e.n + 7) / 8)
	case *arrow.StringType, *arrow.BinaryType:
		e.zeroes(4 * (e.n + 1))
		e.bufs = append(e.bufs, nil)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		e.zeroes(8 * (e.n + 1))
		e.bufs = append(e.bufs, nil)
	case arrow.BinaryViewDataType:
		e.zeroes(arrow.ViewHeaderSizeBytes * e.n)
	case *arrow.ListType:
		e.zeroes(4 * (e.n + 1))
		return e.child(t.Elem(), 0, false)
	case *arrow.MapType:
		e.zeroes(4 * (e.n + 1))
		return e.child(t.Elem(), 0, false)
	case *arrow.LargeListType:
		e.zeroes(8 * (e.n + 1))
		return e.child(t.Elem(), 0, false)
	case *arrow.ListViewType:
		e.zeroes(4 * e.n)
		e.zeroes(4 * e.n)
		return e.child(t.Elem(), 0, false)
	case *arrow.LargeListViewType:
		e.zeroes(8 * e.n)
		e.zeroes(8 * e.n)
		return e.child(t.Elem(), 0, false)
	case *arrow.FixedSizeListType:
		return e.child(t.Elem(), e.n*int(t.Len()), t.ElemField().Nullable && canBeNull(t.Elem()))
	case *arrow.StructType:
		for _, f := range t.Fields() {
			if err := e.child(f.Type, e.n, f.Nullable && canBeNull(f.Type)); err != nil {
				return err
			}
		}
	case *arrow.DictionaryType:
		e.zeroes(e.n * t.Bytes())
		return e.dictionary(t)
	case *arrow.RunEndEncodedType:
		return e.run(t)
	case arrow.UnionType:
		return e.union(t)
	case arrow.FixedWidthDataType: // last: other types above have a width too
		e.zeroes(e.n * t.Bytes())
	default:
		return errs.Errorf(errs.ErrUnsupported, "a column of type %s that a file does not have", t)
	}
	return nil
}

// dictionary makes one without values, or with one where rows are not null.
func (e *emptyArray) dictionary(t *arrow.DictionaryType) (err error) {
	n := 0
	if e.n > e.nulls {
		n = 1
	}
	e.dict, err = emptyData(t.ValueType, n, false, e.mem)
	return err
}

// run makes one run, which has the null.
func (e *emptyArray) run(t *arrow.RunEndEncodedType) error {
	null := e.nulls > 0
	releaseBuffers(e.bufs)
	e.bufs, e.nulls = []*memory.Buffer{nil}, 0
	runs := min(e.n, 1)
	width := t.RunEnds().(arrow.FixedWidthDataType).Bytes()
	if width < 8 && e.n >= 1<<(8*width-1) {
		return errs.Errorf(errs.ErrLimit, "%d rows are too many for %s; ask for smaller batches", e.n, t)
	}
	if err := e.child(t.RunEnds(), runs, false); err != nil {
		return err
	}
	for i := range width * runs {
		e.children[0].Buffers()[1].Bytes()[i] = byte(e.n >> (8 * i))
	}
	return e.child(t.Encoded(), runs, null)
}

// union makes values of a branch that can be null; unions have no nulls of their own.
func (e *emptyArray) union(t arrow.UnionType) error {
	null := e.nulls > 0
	releaseBuffers(e.bufs)
	e.bufs, e.nulls = []*memory.Buffer{nil}, 0
	branch := nullBranch(t)
	if branch < 0 {
		if null {
			return errs.Errorf(errs.ErrSchema, "no branch of %s can be null", t)
		}
		branch = 0
	}
	if len(t.Fields()) == 0 {
		if e.n > 0 {
			return errs.Errorf(errs.ErrSchema, "a union without branches has no values")
		}
		branch = -1
	}
	codes := e.zeroes(e.n).Bytes()
	for i := range codes {
		codes[i] = byte(t.TypeCodes()[branch])
	}
	if t.Mode() == arrow.DenseMode {
		offsets := arrow.GetData[int32](e.zeroes(4 * e.n).Bytes())
		for i := range offsets {
			offsets[i] = int32(i)
		}
	}
	for i, f := range t.Fields() {
		n := e.n
		if t.Mode() == arrow.DenseMode && i != branch {
			n = 0
		}
		if err := e.child(f.Type, n, null && i == branch || f.Nullable && canBeNull(f.Type)); err != nil {
			return err
		}
	}
	return nil
}

// nullRowBytes is how much memory a null of a type takes, at least.
func nullRowBytes(t arrow.DataType) int64 {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return nullRowBytes(t.StorageType())
	case *arrow.NullType, *arrow.RunEndEncodedType:
		return 0
	case *arrow.BooleanType:
		return 1
	case *arrow.StringType, *arrow.BinaryType, *arrow.ListType, *arrow.MapType:
		return 5
	case *arrow.LargeStringType, *arrow.LargeBinaryType, *arrow.LargeListType, *arrow.ListViewType:
		return 9
	case arrow.BinaryViewDataType, *arrow.LargeListViewType:
		return 17
	case *arrow.FixedSizeListType:
		row := nullRowBytes(t.Elem())
		if n := int64(t.Len()); n > 0 && row > (math.MaxInt64-1)/n {
			return math.MaxInt64
		}
		return row*int64(t.Len()) + 1
	case *arrow.DictionaryType:
		return int64(t.Bytes()) + 1
	case arrow.NestedType: // structs and unions
		row := int64(5)
		for _, f := range t.Fields() {
			row = addBytes(row, nullRowBytes(f.Type))
		}
		return row
	case arrow.FixedWidthDataType:
		return int64(t.Bytes()) + 1
	}
	return 1
}

// addBytes adds two counts; what no int64 can hold is more than anybody reads.
func addBytes(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
