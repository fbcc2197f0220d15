package cfile_test

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	writer "github.com/arrowio/arrowio/writers/cfile"
)

func field(name string, t arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: t} }

func optional(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

func schemaOf(fields ...arrow.Field) *arrow.Schema { return arrow.NewSchema(fields, nil) }

// build makes one batch of n rows with a builder. The caller releases it.
func build(s *arrow.Schema, n int, row func(b *array.RecordBuilder, i int)) arrow.Record {
	b := array.NewRecordBuilder(memory.NewGoAllocator(), s)
	defer b.Release()
	for i := range n {
		row(b, i)
	}
	return b.NewRecord()
}

// lineItems makes n rows of TPC-H's lineitem, in the order of its key (orderkey, linenumber).
func lineItems(n int) arrow.Record {
	str, dec, date := arrow.BinaryTypes.String, &arrow.Decimal128Type{Precision: 15, Scale: 2}, arrow.FixedWidthTypes.Date32
	s := schemaOf(
		field("orderkey", arrow.PrimitiveTypes.Int64), field("partkey", arrow.PrimitiveTypes.Int64),
		field("suppkey", arrow.PrimitiveTypes.Int64), field("linenumber", arrow.PrimitiveTypes.Int32),
		field("quantity", dec), field("extendedprice", dec), field("discount", dec), field("tax", dec),
		field("returnflag", str), field("linestatus", str), field("shipdate", date), field("commitdate", date), field("receiptdate", date),
		field("shipinstruct", str), field("shipmode", str), field("comment", str),
	)
	words := []string{"carefully", "final", "deposits", "sleep", "quickly", "above", "the", "ironic", "packages", "among", "furiously", "even", "requests", "haggle", "blithely"}
	modes := []string{"AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"}
	instructs := []string{"DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"}
	r := rand.New(rand.NewSource(1))
	order, line := int64(1), int32(0)
	return build(s, n, func(b *array.RecordBuilder, i int) {
		if line++; line > 7 || r.Intn(4) == 0 {
			order, line = order+1+r.Int63n(30), 1
		}
		quantity, ship := 1+r.Int63n(50), 8_000+r.Intn(2_500)
		for i, v := range []int64{order, r.Int63n(200_000), r.Int63n(10_000)} {
			b.Field(i).(*array.Int64Builder).Append(v)
		}
		b.Field(3).(*array.Int32Builder).Append(line)
		for i, v := range []int64{100 * quantity, quantity * (90_000 + r.Int63n(100_000)), r.Int63n(11), r.Int63n(9)} {
			b.Field(4 + i).(*array.Decimal128Builder).Append(decimal128.FromI64(v))
		}
		b.Field(8).(*array.StringBuilder).Append([]string{"A", "N", "R"}[r.Intn(3)])
		b.Field(9).(*array.StringBuilder).Append([]string{"F", "O"}[ship/9_500])
		for i, v := range []int{ship, ship + r.Intn(60) - 30, ship + r.Intn(30)} {
			b.Field(10 + i).(*array.Date32Builder).Append(arrow.Date32(v))
		}
		b.Field(13).(*array.StringBuilder).Append(instructs[r.Intn(4)])
		b.Field(14).(*array.StringBuilder).Append(modes[r.Intn(7)])
		comment := words[r.Intn(len(words))]
		for range r.Intn(6) {
			comment += " " + words[r.Intn(len(words))]
		}
		b.Field(15).(*array.StringBuilder).Append(comment)
	})
}

// counter is a store that keeps nothing.
type counter struct{ arrowio.Store }

type counterSink struct{}

func (counter) Create(context.Context, string) (arrowio.Sink, error) { return counterSink{}, nil }
func (counter) Commit() error                                        { return nil }
func (counter) Abort() error                                         { return nil }
func (counterSink) Write(b []byte) (int, error)                      { return len(b), nil }
func (counterSink) Close() error                                     { return nil }

// arrowBytes returns how many bytes of Arrow memory a batch has, by its buffers.
func arrowBytes(rec arrow.Record) (n int64) {
	for _, c := range rec.Columns() {
		for _, b := range c.Data().Buffers() {
			if b != nil {
				n += int64(b.Len())
			}
		}
	}
	return n
}

func benchWrite(b *testing.B, f arrowio.OutputFormat, rec arrow.Record, o arrowio.WriteOptions) {
	p, err := f.Plan(rec.Schema(), o)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(arrowBytes(rec))
	b.ReportAllocs()
	for b.Loop() {
		w, err := arrowio.NewWriter(context.Background(), f, counter{}, p)
		if err != nil {
			b.Fatal(err)
		}
		for from := int64(0); from < rec.NumRows(); from += 65_536 {
			part := rec.NewSlice(from, min(from+65_536, rec.NumRows()))
			if err := w.Write(part); err != nil {
				b.Fatal(err)
			}
			part.Release()
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWrite writes lineitem, all encodings AUTO: as columns alone, and as a table with key index and bloom filters.
func BenchmarkWrite(b *testing.B) {
	rec := lineItems(300_000)
	defer rec.Release()
	key := map[string]string{"kudu-key": "orderkey,linenumber"}
	for _, codec := range []string{"none", "lz4", "snappy"} {
		b.Run("columns/codec="+codec, func(b *testing.B) {
			benchWrite(b, writer.Format(), rec, arrowio.WriteOptions{Compression: codec, Parallelism: 1})
		})
		b.Run("table/codec="+codec, func(b *testing.B) {
			benchWrite(b, writer.KuduFormat(), rec, arrowio.WriteOptions{Compression: codec, Parallelism: 1, Options: key})
		})
	}
	b.Run("table/codec=none,two-at-once", func(b *testing.B) {
		benchWrite(b, writer.KuduFormat(), rec, arrowio.WriteOptions{Parallelism: 2, Options: key})
	})
}

func BenchmarkWriteColumn(b *testing.B) {
	rec := lineItems(300_000)
	defer rec.Release()
	for i, f := range rec.Schema().Fields() {
		one := array.NewRecord(schemaOf(f), []arrow.Array{rec.Column(i)}, rec.NumRows())
		b.Run(f.Name, func(b *testing.B) { benchWrite(b, writer.Format(), one, arrowio.WriteOptions{Parallelism: 1}) })
	}
	for i, key := range []string{"orderkey,linenumber", "text", "text,linenumber", "linenumber"} {
		b.Run("key/"+key, func(b *testing.B) {
			s := schemaOf(field("orderkey", arrow.PrimitiveTypes.Int64), field("linenumber", arrow.PrimitiveTypes.Int32), field("text", arrow.BinaryTypes.String))
			rec := build(s, 300_000, func(b *array.RecordBuilder, i int) {
				b.Field(0).(*array.Int64Builder).Append(int64(i))
				b.Field(1).(*array.Int32Builder).Append(int32(i))
				b.Field(2).(*array.StringBuilder).Append(fmt.Sprintf("key %08d", i))
			})
			defer rec.Release()
			benchWrite(b, writer.KuduFormat(), rec, arrowio.WriteOptions{Parallelism: 1, Options: map[string]string{"kudu-key": key}})
			_ = i
		})
	}
}
