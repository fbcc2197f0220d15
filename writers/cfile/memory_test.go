//go:build !race

package cfile_test

import (
	"context"
	"fmt"
	"math/rand"
	"runtime"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	writer "github.com/arrowio/arrowio/writers/cfile"
)

// heap returns what is reachable.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what pools held for one round
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemory writes many rows of many columns: what the writer keeps is a block of each, raw and as it is stored,
// and does not grow with the rows.
func TestMemory(t *testing.T) {
	const columns, rows = 64, 50_000
	r := rand.New(rand.NewSource(1))
	fields := []arrow.Field{field("k", arrow.PrimitiveTypes.Int64)}
	for i := 1; i < columns; i++ {
		fields = append(fields, optional(fmt.Sprint("c", i), []arrow.DataType{
			arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64, &arrow.Decimal128Type{Precision: 38},
		}[i%4]))
	}
	words := make([]string, 3000)
	for i := range words {
		words[i] = fmt.Sprint("word ", r.Int63())
	}
	s := schemaOf(fields...)
	rec := build(s, rows, func(b *array.RecordBuilder, i int) {
		for k, f := range b.Fields() {
			switch f := f.(type) {
			case *array.Int64Builder:
				f.Append(r.Int63())
			case *array.StringBuilder:
				if k%8 == 1 { // the dictionary overflows
					f.Append(fmt.Sprint("distinct ", r.Int63()))
				} else {
					f.Append(words[r.Intn(len(words))])
				}
			case *array.Float64Builder:
				f.Append(r.Float64())
			case *array.Decimal128Builder:
				f.AppendEmptyValue()
			}
		}
	})
	defer rec.Release()
	for _, f := range []arrowio.OutputFormat{writer.Format(), writer.KuduFormat()} {
		batches := 12
		o := arrowio.WriteOptions{Parallelism: 2, Compression: "lz4", Options: map[string]string{}}
		if f.Name == "kudu" {
			o.Options["kudu-key"] = "k,c1"
			batches = 4
		}
		p, err := f.Plan(s, o)
		if err != nil {
			t.Fatal(err)
		}
		before := heap()
		w, err := arrowio.NewWriter(context.Background(), f, counter{}, p)
		if err != nil {
			t.Fatal(err)
		}
		most := int64(0)
		for i := range batches {
			batch := rec
			if f.Name == "kudu" { // keys ascend
				keys := array.NewInt64Builder(memory.NewGoAllocator())
				for k := range rows {
					keys.Append(int64(i*rows + k))
				}
				cols := append([]arrow.Array{keys.NewArray()}, rec.Columns()[1:]...)
				batch = array.NewRecord(s, cols, rows)
			}
			if err := w.Write(batch); err != nil {
				t.Fatal(err)
			}
			if i%4 == 3 {
				most = max(most, heap()-before)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d KiB a column kept", f.Name, most>>10/columns)
		// A block, the same as it is put together and as it is stored, dictionaries, indexes.
		if limit := int64(columns * 1200 << 10); most > limit {
			t.Errorf("%s: the writer keeps %d MB, limit %d MB", f.Name, most>>20, limit>>20)
		}
	}
}
