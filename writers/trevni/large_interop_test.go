//go:build interop

package trevni_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// largeSamples are what random ones are too small for: many blocks, the edges of blocks, long runs, long values.
func largeSamples(mem memory.Allocator) []*sample {
	var out []*sample
	add := func(name, compression string, options map[string]string, s *arrow.Schema, recs ...arrow.Record) {
		o := arrowio.WriteOptions{Compression: compression, Options: options, Parallelism: 2, Allocator: mem}
		out = append(out, &sample{name: name, schema: s, recs: recs, options: o, plain: options["trevni-schema"] == "columns"})
	}
	r := rand.New(rand.NewSource(1))

	// Booleans: a block is full with the first bit of its 65536th byte.
	s := fieldsOf("flag", arrow.FixedWidthTypes.Boolean, "flags", arrow.ListOfNonNullable(arrow.FixedWidthTypes.Boolean))
	add("booleans", "none", map[string]string{}, s, build(mem, s, 1_060_000, func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.BooleanBuilder).Append(i%3 == 0 || i%524_281 == 0)
		b.Field(1).(*array.ListBuilder).Append(true)
		for k := range i % 5 / 3 {
			b.Field(1).(*array.ListBuilder).ValueBuilder().(*array.BooleanBuilder).Append(k == 0)
		}
	}))

	// Long runs of nulls, of values and of empty lists, over the edges of blocks.
	item := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true})
	s = fieldsOf("opt?", arrow.PrimitiveTypes.Int64, "pts", arrow.ListOfNonNullable(item), "flag?", arrow.FixedWidthTypes.Boolean)
	add("runs", "deflate", map[string]string{"trevni-checksum": "null"}, s, build(mem, s, 300_000, func(b *array.RecordBuilder, i int) {
		if phase := i / 50_000; phase%2 == 0 {
			b.Field(0).AppendNull()
			b.Field(2).AppendNull()
			b.Field(1).(*array.ListBuilder).Append(true)
		} else {
			b.Field(0).(*array.Int64Builder).Append(int64(i) << (i % 40))
			b.Field(2).(*array.BooleanBuilder).Append(i%2 == 0)
			l := b.Field(1).(*array.ListBuilder)
			l.Append(true)
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
		}
	}))

	// Many blocks of everything flat, with first values; two batches.
	s = fieldsOf("asc", arrow.PrimitiveTypes.Int64, "i", arrow.PrimitiveTypes.Int32, "d", arrow.PrimitiveTypes.Float64, "f", arrow.PrimitiveTypes.Float32,
		"s", arrow.BinaryTypes.String, "b", arrow.BinaryTypes.Binary, "sorted", arrow.BinaryTypes.String)
	half := func(from int) arrow.Record {
		return build(mem, s, 60_000, func(b *array.RecordBuilder, i int) {
			i += from
			b.Field(0).(*array.Int64Builder).Append(int64(i / 3))
			b.Field(1).(*array.Int32Builder).Append(int32(r.Uint32()))
			b.Field(2).(*array.Float64Builder).Append(math.Float64frombits(r.Uint64()))
			b.Field(3).(*array.Float32Builder).Append(float32(i))
			b.Field(4).(*array.StringBuilder).Append(strings.Repeat("é", r.Intn(20)))
			b.Field(5).(*array.BinaryBuilder).Append(bytes.Repeat([]byte{byte(i)}, r.Intn(9)))
			b.Field(6).(*array.StringBuilder).Append(fmt.Sprintf("%07d", i))
		})
	}
	recs := []arrow.Record{half(0), half(60_000)}
	add("blocks", "snappy", map[string]string{"trevni-values": "*"}, s, recs...)
	for _, rec := range recs {
		rec.Retain()
	}
	add("blocks-plain", "deflate:1", map[string]string{"trevni-values": "asc,f", "trevni-schema": "columns"}, s, recs...)

	// Values larger than blocks.
	s = fieldsOf("s?", arrow.BinaryTypes.LargeString, "b", arrow.ListOf(arrow.BinaryTypes.Binary), "f", &arrow.FixedSizeBinaryType{ByteWidth: 70_000})
	add("long", "deflate:6", map[string]string{}, s, build(mem, s, 40, func(b *array.RecordBuilder, i int) {
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
	}))

	// Columns that take no bytes.
	s = fieldsOf("n?", arrow.Null, "e", arrow.StructOf(), "l", arrow.ListOfField(arrow.Field{Name: "item", Type: arrow.Null, Nullable: true}), "o?", arrow.StructOf())
	add("nothing", "snappy", map[string]string{}, s, build(mem, s, 200_000, func(b *array.RecordBuilder, i int) {
		b.Field(0).AppendNull()
		b.Field(1).(*array.StructBuilder).Append(true)
		b.Field(2).(*array.ListBuilder).Append(true)
		for range i % 4 / 2 {
			b.Field(2).(*array.ListBuilder).ValueBuilder().AppendNull()
		}
		b.Field(3).(*array.StructBuilder).Append(i/1000%2 == 0)
	}))
	return out
}
