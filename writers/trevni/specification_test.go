package trevni_test

import (
	"bytes"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// TestSpecificationExamples: the numbers and the text of the specification's examples are written as it prints them.
func TestSpecificationExamples(t *testing.T) {
	s := fieldsOf("n", arrow.PrimitiveTypes.Int64, "i", arrow.PrimitiveTypes.Int32, "s", arrow.BinaryTypes.String)
	values := []int64{0, -1, 1, -64, 64}
	rec := build(memory.DefaultAllocator, s, len(values), func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.Int64Builder).Append(values[i])
		b.Field(1).(*array.Int32Builder).Append(int32(values[i]))
		b.Field(2).(*array.StringBuilder).Append("foo")
	})
	defer rec.Release()
	file := one(t, write(t, s, []arrow.Record{rec}, arrowio.WriteOptions{Compression: "none"}))
	h, blocks := layout(t, file)
	number, text := []byte{0x00, 0x01, 0x02, 0x7f, 0x80, 0x01}, bytes.Repeat([]byte{0x06, 0x66, 0x6f, 0x6f}, len(values))
	for i, want := range [][]byte{number, number, text} {
		if got := unpack(t, file, &h.Columns[i], blocks[i][0]); !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x", h.Columns[i].Name, got, want)
		}
	}
}
