//go:build !race

package orc_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// TestLarge has what random samples are too small for: many chunks and row groups in a stream, long runs over their
// edges, values longer than chunks. Rows are compared as they are read, verified, and the bytes do not depend on how
// the batches are cut.
func TestLarge(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(1))
	mem := memory.DefaultAllocator
	item := arrow.StructOf(optional("x", arrow.PrimitiveTypes.Int64), optional("y", arrow.BinaryTypes.String))
	for _, c := range []struct {
		name string
		s    *arrow.Schema
		n    int
		o    arrowio.WriteOptions
		row  func(b *array.RecordBuilder, i int)
	}{
		{
			"booleans", schemaOf(field("flag", arrow.FixedWidthTypes.Boolean), optional("flags", arrow.ListOf(arrow.FixedWidthTypes.Boolean))), 150_000,
			arrowio.WriteOptions{Compression: "none", Options: map[string]string{"orc-row-index-stride": "9999"}},
			func(b *array.RecordBuilder, i int) {
				b.Field(0).(*array.BooleanBuilder).Append(i%3 == 0 || i%24_281 == 0)
				b.Field(1).(*array.ListBuilder).Append(i%11 > 0)
				for k := range i % 11 / 9 {
					b.Field(1).(*array.ListBuilder).ValueBuilder().(*array.BooleanBuilder).Append(k == 0)
				}
			},
		},
		{
			"runs", schemaOf(optional("opt", arrow.PrimitiveTypes.Int64), field("pts", arrow.ListOf(item)), optional("flag", arrow.FixedWidthTypes.Boolean)), 60_000,
			arrowio.WriteOptions{Compression: "zstd", RowGroupBytes: 300 << 10},
			func(b *array.RecordBuilder, i int) {
				l := b.Field(1).(*array.ListBuilder)
				l.Append(true)
				phase := i / 11_000
				if phase%2 == 0 {
					b.Field(0).AppendNull()
					b.Field(2).AppendNull()
					return
				}
				b.Field(0).(*array.Int64Builder).Append(int64(i) << (i % 40))
				b.Field(2).(*array.BooleanBuilder).Append(i%2 == 0)
				if phase == 1 || i%7 == 0 {
					st := l.ValueBuilder().(*array.StructBuilder)
					st.Append(true)
					st.FieldBuilder(0).(*array.Int64Builder).Append(-int64(i))
					if i%100 == 0 {
						st.FieldBuilder(1).(*array.StringBuilder).Append(fmt.Sprint(i))
					} else {
						st.FieldBuilder(1).AppendNull()
					}
				}
			},
		},
		{
			"chunks", schemaOf(field("i", arrow.PrimitiveTypes.Int32), field("d", arrow.PrimitiveTypes.Float64), field("s", arrow.BinaryTypes.String), field("b", arrow.BinaryTypes.Binary)), 40_000,
			arrowio.WriteOptions{Compression: "snappy", Options: map[string]string{"orc-block-size": "1500"}},
			func(b *array.RecordBuilder, i int) {
				b.Field(0).(*array.Int32Builder).Append(int32(r.Uint32()))
				b.Field(1).(*array.Float64Builder).Append(math.Float64frombits(r.Uint64()))
				b.Field(2).(*array.StringBuilder).Append(strings.Repeat("é", r.Intn(20)))
				b.Field(3).(*array.BinaryBuilder).Append(bytes.Repeat([]byte{byte(i)}, r.Intn(9)))
			},
		},
		{
			"long", schemaOf(optional("s", arrow.BinaryTypes.LargeString), field("b", arrow.ListOf(arrow.BinaryTypes.Binary)), field("f", &arrow.FixedSizeBinaryType{ByteWidth: 70_000})), 60,
			arrowio.WriteOptions{Compression: "zlib:1", RowGroupBytes: 2 << 20, Options: map[string]string{"orc-row-index-stride": "7", "orc-block-size": "65536"}},
			func(b *array.RecordBuilder, i int) {
				if i%4 == 0 {
					b.Field(0).AppendNull()
				} else {
					b.Field(0).(*array.LargeStringBuilder).Append(strings.Repeat("語\n", r.Intn(60_000)))
				}
				l := b.Field(1).(*array.ListBuilder)
				l.Append(true)
				for range r.Intn(4) {
					l.ValueBuilder().(*array.BinaryBuilder).Append(bytes.Repeat([]byte{1, 2, byte(i)}, r.Intn(70_000)))
				}
				b.Field(2).(*array.FixedSizeBinaryBuilder).Append(bytes.Repeat([]byte{byte(i)}, 70_000))
			},
		},
		{
			"nothing", schemaOf(optional("n", arrow.Null), field("e", arrow.StructOf()), optional("l", arrow.ListOf(arrow.Null)), optional("o", arrow.StructOf())), 50_000,
			arrowio.WriteOptions{},
			func(b *array.RecordBuilder, i int) {
				b.Field(0).AppendNull()
				b.Field(1).(*array.StructBuilder).Append(true)
				b.Field(2).(*array.ListBuilder).Append(true)
				for range i % 4 / 2 {
					b.Field(2).(*array.ListBuilder).ValueBuilder().AppendNull()
				}
				b.Field(3).(*array.StructBuilder).Append(i/1000%2 == 0)
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := build(mem, c.s, c.n, c.row)
			defer rec.Release()
			check(t, sameBytes(t, rec, c.o, int64(c.n), int64(c.n)/3), rec)
		})
	}
}
