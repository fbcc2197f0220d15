package arrowdense

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// PlainType returns t without dictionaries.
func PlainType(t arrow.DataType) arrow.DataType {
	switch x := t.(type) {
	case *arrow.DictionaryType:
		return PlainType(x.ValueType)
	case *arrow.MapType, *arrow.ListType, *arrow.LargeListType, *arrow.FixedSizeListType, *arrow.StructType, arrow.UnionType:
		return arrowtype.Inside(t, PlainType)
	}
	return t
}

// PlainSchema returns s without dictionaries.
func PlainSchema(s *arrow.Schema) *arrow.Schema {
	fields := s.Fields()
	out := make([]arrow.Field, len(fields))
	for i, f := range fields {
		out[i] = f
		out[i].Type = PlainType(f.Type)
	}
	return arrow.NewSchema(out, nil)
}

// HasDictionary tells whether PlainType changes t.
func HasDictionary(t arrow.DataType) bool {
	if t.ID() == arrow.DICTIONARY {
		return true
	}
	if n, ok := t.(arrow.NestedType); ok {
		for _, f := range n.Fields() {
			if HasDictionary(f.Type) {
				return true
			}
		}
	}
	return false
}

// PlainRecord returns rec in the form of schema, which is that of PlainSchema. What it makes is of mem. The caller releases
// the result. The error may be TooMuch.
func PlainRecord(rec arrow.Record, schema *arrow.Schema, mem memory.Allocator) (arrow.Record, error) {
	cols := make([]arrow.Array, rec.NumCols())
	defer func() {
		for _, c := range cols {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i, c := range rec.Columns() {
		d, err := plainData(c.Data(), mem)
		if err != nil {
			return nil, err
		}
		cols[i] = array.MakeFromData(d)
		d.Release()
	}
	return array.NewRecord(schema, cols, rec.NumRows()), nil
}

// plainData is d without dictionaries; the caller releases it.
func plainData(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
	if !HasDictionary(d.DataType()) {
		d.Retain()
		return d, nil
	}
	if d.DataType().ID() == arrow.DICTIONARY {
		dict := array.NewDictionaryData(d)
		defer dict.Release()
		values, err := decoded(dict, mem)
		if err != nil {
			return nil, err
		}
		defer values.Release()
		return plainData(values.Data(), mem)
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
		if children[i], err = plainData(c, mem); err != nil {
			return nil, err
		}
	}
	return array.NewData(PlainType(d.DataType()), d.Len(), d.Buffers(), children, d.NullN(), d.Offset()), nil
}

// decoded is what a dictionary array stands for; the caller releases it.
func decoded(d *array.Dictionary, mem memory.Allocator) (arrow.Array, error) {
	values := d.Dictionary()
	if d.NullN() == d.Len() {
		return array.MakeArrayOfNull(arrowbuf.Clean(mem), values.DataType(), d.Len()), nil
	}
	if d.Len() == 1 {
		k := int64(d.GetValueIndex(0))
		return array.NewSlice(values, k, k+1), nil
	}
	var scratch []int32
	runs := make([][2]int64, d.Len())
	valid := memory.NewResizableBuffer(mem)
	defer valid.Release()
	valid.Resize(int(bitutil.BytesForBits(int64(d.Len()))))
	clear(valid.Bytes())
	nulls := 0
	for i, k := range Indices(&scratch, d) {
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
	out, err := Gather(values, runs, mem)
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

// PlainReader is a reader whose records have no dictionaries.
type PlainReader struct {
	array.RecordReader
	schema *arrow.Schema
	mem    memory.Allocator
	rec    arrow.Record
	err    error
}

// NewPlainReader returns rr without dictionaries: rr itself, if there are none. What it makes is of mem. It owns rr.
func NewPlainReader(rr array.RecordReader, mem memory.Allocator) array.RecordReader {
	for _, f := range rr.Schema().Fields() {
		if HasDictionary(f.Type) {
			return &PlainReader{RecordReader: rr, schema: PlainSchema(rr.Schema()), mem: mem}
		}
	}
	return rr
}

// Schema returns the schema of Record.
func (p *PlainReader) Schema() *arrow.Schema { return p.schema }

// Record returns the current record. It is valid until the next call of Next.
func (p *PlainReader) Record() arrow.Record { return p.rec }

// Next moves to the next record.
func (p *PlainReader) Next() bool {
	p.drop()
	if p.err != nil || !p.RecordReader.Next() {
		return false
	}
	p.rec, p.err = PlainRecord(p.RecordReader.Record(), p.schema, p.mem)
	return p.err == nil
}

// Err returns the error for which Next returned false; nil if all records were read.
func (p *PlainReader) Err() error {
	if p.err != nil {
		return p.err
	}
	return p.RecordReader.Err()
}

// Release ends the reader.
func (p *PlainReader) Release() {
	p.drop()
	p.RecordReader.Release()
}

func (p *PlainReader) drop() {
	if p.rec != nil {
		p.rec.Release()
		p.rec = nil
	}
}
