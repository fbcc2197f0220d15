package sql

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// extraction makes columns of those of a schema, and of what is in its structs.
type extraction struct {
	schema *arrow.Schema
	paths  [][]int
}

func newExtraction(s *arrow.Schema, items []item) (*extraction, error) {
	x := &extraction{}
	fields := make([]arrow.Field, 0, len(items))
	for _, it := range items {
		ids, err := expr.Resolve(s, it.Path)
		if err != nil {
			return nil, errs.Errorf(errs.ErrSchema, "SQL: %w", err)
		}
		f := s.Field(ids[0])
		for _, i := range ids[1:] {
			st, ok := f.Type.(*arrow.StructType)
			if !ok {
				return nil, textError(errs.Errorf(errs.ErrUnsupported, "SQL: %s is inside a %s; SELECT can only take all of it", it.Path, f.Type.Name()))
			}
			nullable := f.Nullable
			f = st.Field(i)
			if !hasValidity(f.Type) && nullable {
				return nil, textError(errs.Errorf(errs.ErrUnsupported, "SQL: %s is a %s in a struct that may be null; select the struct", it.Path, f.Type.Name()))
			}
			f.Nullable = f.Nullable || nullable
		}
		f.Name = it.Name
		fields = append(fields, f)
		x.paths = append(x.paths, ids)
	}
	x.schema = arrow.NewSchema(fields, nil)
	return x, nil
}

// hasValidity reports whether arrays of a type say themselves which values are null.
func hasValidity(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.DENSE_UNION, arrow.SPARSE_UNION, arrow.RUN_END_ENCODED:
		return false
	case arrow.EXTENSION:
		return hasValidity(t.(arrow.ExtensionType).StorageType())
	}
	return true
}

// record returns the columns of rec that are wanted. The caller releases it.
func (x *extraction) record(rec arrow.Record, mem memory.Allocator) (arrow.Record, error) {
	cols := make([]arrow.Array, 0, len(x.paths))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for _, ids := range x.paths {
		col := rec.Column(ids[0])
		col.Retain()
		for _, i := range ids[1:] {
			st, ok := col.(*array.Struct)
			if !ok || i >= st.NumField() {
				col.Release()
				return nil, errs.Errorf(errs.ErrInternal, "a %s where a struct was said to be", col.DataType())
			}
			inner := childOf(st, i, mem)
			col.Release()
			col = inner
		}
		cols = append(cols, col)
	}
	return array.NewRecord(x.schema, cols, rec.NumRows()), nil
}

// childOf returns a child of a struct, null where the struct is. The caller releases it.
func childOf(st *array.Struct, i int, mem memory.Allocator) arrow.Array {
	child := st.Field(i)
	d := child.Data()
	if st.NullN() == 0 || child.DataType().ID() == arrow.NULL {
		child.Retain()
		return child
	}
	own := child.NullBitmapBytes()
	outer, off, n := st.NullBitmapBytes(), int64(st.Data().Offset()), int64(child.Len())
	if len(own) == 0 {
		own = outer
		d2 := int64(d.Offset())
		bits := memory.NewResizableBuffer(mem)
		bits.Resize(int(bitutil.BytesForBits(d2 + n)))
		clear(bits.Bytes())
		bitutil.CopyBitmap(own, int(off), int(n), bits.Bytes(), int(d2))
		return withValidity(d, bits)
	}
	return withValidity(d, bitutil.BitmapAndAlloc(mem, own, outer, int64(d.Offset()), off, n, int64(d.Offset())))
}

// withValidity returns data with another validity bitmap, which it takes over.
func withValidity(d arrow.ArrayData, bits *memory.Buffer) arrow.Array {
	defer bits.Release()
	buffers := append([]*memory.Buffer{bits}, d.Buffers()[1:]...)
	var dict *array.Data
	if t := d.Dictionary(); t != nil {
		dict, _ = t.(*array.Data)
	}
	var nd *array.Data
	if dict != nil && dict.DataType() != nil {
		nd = array.NewDataWithDictionary(d.DataType(), d.Len(), buffers, array.UnknownNullCount, d.Offset(), dict)
	} else {
		nd = array.NewData(d.DataType(), d.Len(), buffers, d.Children(), array.UnknownNullCount, d.Offset())
	}
	defer nd.Release()
	return array.MakeFromData(nd)
}
