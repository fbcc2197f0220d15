package ipc

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	aipc "github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// BenchmarkRead reads a stream of numbers and text, here and with arrow's own reader.
func BenchmarkRead(b *testing.B) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	rb := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer rb.Release()
	for i := range 1 << 16 {
		rb.Field(0).(*array.Int64Builder).Append(int64(i))
		rb.Field(1).(*array.StringBuilder).Append(fmt.Sprint("row number ", i))
	}
	rec := rb.NewRecord()
	defer rec.Release()
	for name, opts := range map[string][]aipc.Option{"none": nil, "lz4": {aipc.WithLZ4()}, "zstd": {aipc.WithZstd()}} {
		var out bytes.Buffer
		w := aipc.NewWriter(&out, append(opts, aipc.WithSchema(schema))...)
		for range 8 {
			if err := w.Write(rec); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		var size int64
		for _, c := range rec.Columns() {
			for _, buf := range c.Data().Buffers()[1:] {
				size += 8 * int64(buf.Len())
			}
		}
		b.Run("ours/"+name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				f, err := open(out.Bytes(), ".arrows", arrowio.OpenOptions{})
				if err != nil {
					b.Fatal(err)
				}
				recs, err := readAll(f, nil, 1<<16, memory.DefaultAllocator)
				if err != nil {
					b.Fatal(err)
				}
				release(recs)
			}
		})
		b.Run("arrow/"+name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				r, err := aipc.NewReader(bytes.NewReader(out.Bytes()))
				if err != nil {
					b.Fatal(err)
				}
				for r.Next() {
				}
				if r.Err() != nil {
					b.Fatal(r.Err())
				}
				r.Release()
			}
		})
	}
}
