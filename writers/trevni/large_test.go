package trevni_test

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// build makes one batch of n rows with a builder.
func build(mem memory.Allocator, s *arrow.Schema, n int, row func(b *array.RecordBuilder, i int)) arrow.Record {
	b := array.NewRecordBuilder(mem, s)
	defer b.Release()
	for i := range n {
		row(b, i)
	}
	return b.NewRecord()
}

func fieldsOf(types ...any) *arrow.Schema {
	var fields []arrow.Field
	for i := 0; i < len(types); i += 2 {
		name, nullable := strings.CutSuffix(types[i].(string), "?")
		fields = append(fields, arrow.Field{Name: name, Type: types[i+1].(arrow.DataType), Nullable: nullable})
	}
	return arrow.NewSchema(fields, nil)
}
