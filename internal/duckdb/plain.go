//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// Dictionaries are resolved before DuckDB sees them: chunks that it makes of dictionary arrays through its C API do not
// stay valid as long as they are used.

// plainType is t without dictionaries.
func plainType(t arrow.DataType) arrow.DataType {
	switch x := t.(type) {
	case *arrow.DictionaryType:
		return plainType(x.ValueType)
	case *arrow.MapType, *arrow.ListType, *arrow.LargeListType, *arrow.FixedSizeListType, *arrow.StructType:
		return arrowtype.Inside(t, plainType)
	}
	return t
}

func plainSchema(s *arrow.Schema) *arrow.Schema {
	fields := s.Fields()
	out := make([]arrow.Field, len(fields))
	for i, f := range fields {
		out[i] = f
		out[i].Type = plainType(f.Type)
	}
	return arrow.NewSchema(out, nil)
}

// hasDictionary tells whether plainType changes t.
func hasDictionary(t arrow.DataType) bool {
	if t.ID() == arrow.DICTIONARY {
		return true
	}
	if n, ok := t.(arrow.NestedType); ok {
		for _, f := range n.Fields() {
			if hasDictionary(f.Type) {
				return true
			}
		}
	}
	return false
}

// plainRecord returns rec in the form of schema, which is that of plainSchema. The caller releases it.
func plainRecord(rec arrow.Record, schema *arrow.Schema) (arrow.Record, error) {
	cols := make([]arrow.Array, rec.NumCols())
	defer func() {
		for _, c := range cols {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i, c := range rec.Columns() {
		d, err := plainData(c.Data())
		if err != nil {
			return nil, err
		}
		cols[i] = array.MakeFromData(d)
		d.Release()
	}
	return array.NewRecord(schema, cols, rec.NumRows()), nil
}

// plainData is d without dictionaries; the caller releases it.
func plainData(d arrow.ArrayData) (arrow.ArrayData, error) {
	if !hasDictionary(d.DataType()) {
		d.Retain()
		return d, nil
	}
	if d.DataType().ID() == arrow.DICTIONARY {
		dict := array.NewDictionaryData(d)
		defer dict.Release()
		values, err := decoded(dict)
		if err != nil {
			return nil, err
		}
		defer values.Release()
		return plainData(values.Data())
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	defer func() {
		for _, c := range children {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i, c := range d.Children() {
		var err error
		if children[i], err = plainData(c); err != nil {
			return nil, err
		}
	}
	return array.NewData(plainType(d.DataType()), d.Len(), d.Buffers(), children, d.NullN(), d.Offset()), nil
}

// decoded is what a dictionary array stands for; the caller releases it.
func decoded(d *array.Dictionary) (arrow.Array, error) {
	values := d.Dictionary()
	if d.NullN() == d.Len() {
		return array.MakeArrayOfNull(Memory(), values.DataType(), d.Len()), nil
	}
	if d.Len() == 1 {
		k := int64(d.GetValueIndex(0))
		return array.NewSlice(values, k, k+1), nil
	}
	var scratch []int32
	runs := make([][2]int64, d.Len())
	valid := memory.NewResizableBuffer(Memory())
	defer valid.Release()
	valid.Resize(int(bitutil.BytesForBits(int64(d.Len()))))
	clear(valid.Bytes())
	nulls := 0
	for i, k := range arrowdense.Indices(&scratch, d) {
		if d.IsNull(i) {
			k = 0 // there is one, and it is not looked at
		}
		runs[i] = [2]int64{int64(k), int64(k) + 1}
		if d.IsValid(i) && values.IsValid(int(k)) {
			bitutil.SetBit(valid.Bytes(), i)
		} else {
			nulls++
		}
	}
	out, err := arrowdense.Gather(values, runs, Memory())
	if err != nil {
		return nil, err
	}
	defer out.Release()
	from := out.Data()
	buffers := append([]*memory.Buffer{valid}, from.Buffers()[1:]...)
	data := array.NewData(from.DataType(), from.Len(), buffers, from.Children(), nulls, from.Offset())
	defer data.Release()
	return array.MakeFromData(data), nil
}
