package view

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Conversion makes records of one schema into records of another, by the rules of Show. It is used by one goroutine at a time.
type Conversion struct{ r adaptedReader }

// Convert returns the conversion of records of schema `from`; o.Constants, o.Facts and o.Warnings are not looked at. It fails
// where Show would.
func Convert(from, to *arrow.Schema, o Options) (*Conversion, error) {
	r, columns, err := matched(from, to, o)
	if err != nil {
		return nil, err
	}
	c := &Conversion{adaptedReader{schema: to, columns: make([]adaptedColumn, len(columns))}}
	for i, k := range columns {
		a := adaptedColumn{field: to.Field(i), from: k}
		if k < 0 {
			err = missing(a.field, a.field.Name)
		} else {
			a.convert, err = r.conversionOf(from.Field(k), a.field, a.field.Name)
		}
		if err != nil {
			return nil, err
		}
		c.r.columns[i] = a
	}
	return c, nil
}

// Record returns rec under the other schema, with memory from mem. The caller releases the result, and still owns rec.
func (c *Conversion) Record(rec arrow.Record, mem memory.Allocator) (arrow.Record, error) {
	c.r.mem = mem
	return c.r.adapt(rec, int(rec.NumRows()))
}
