package orc_test

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
	"github.com/arrowio/arrowio/internal/arrowbuf"
	writer "github.com/arrowio/arrowio/writers/orc"
)

// build makes one batch of n rows with a builder. The caller releases it.
func build(mem memory.Allocator, s *arrow.Schema, n int, row func(b *array.RecordBuilder, i int)) arrow.Record {
	b := array.NewRecordBuilder(mem, s)
	defer b.Release()
	for i := range n {
		row(b, i)
	}
	return b.NewRecord()
}

// lineItems makes n rows of the shape of TPC-H's lineitem, and a few columns more: lists, structs, times, booleans.
func lineItems(n int) arrow.Record {
	str, dec := arrow.BinaryTypes.String, &arrow.Decimal128Type{Precision: 12, Scale: 2}
	s := schemaOf(
		field("orderkey", arrow.PrimitiveTypes.Int64), field("partkey", arrow.PrimitiveTypes.Int64),
		field("linenumber", arrow.PrimitiveTypes.Int32), field("quantity", dec), field("extendedprice", dec),
		field("discount", arrow.PrimitiveTypes.Float64), field("returnflag", str), field("shipdate", arrow.FixedWidthTypes.Date32),
		field("shipmode", str), field("comment", str), field("clerk", str),
		optional("note", str), field("flag", arrow.FixedWidthTypes.Boolean), field("at", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}),
		field("tags", arrow.ListOf(str)), optional("point", arrow.StructOf(optional("x", arrow.PrimitiveTypes.Float32), field("y", arrow.PrimitiveTypes.Int16))),
		optional("sparse", arrow.PrimitiveTypes.Int32),
	)
	words := []string{"carefully", "final", "deposits", "sleep", "quickly", "above", "the", "ironic", "packages", "among", "furiously", "even", "requests", "haggle", "blithely"}
	modes := []string{"AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"}
	r := rand.New(rand.NewSource(1))
	order, price := int64(0), int64(0)
	return build(memory.DefaultAllocator, s, n, func(b *array.RecordBuilder, i int) {
		if r.Intn(4) == 0 {
			order += 1 + r.Int63n(30)
		}
		price = 100 * (900 + r.Int63n(100_000))
		quantity := 1 + r.Int63n(50)
		b.Field(0).(*array.Int64Builder).Append(order)
		b.Field(1).(*array.Int64Builder).Append(r.Int63n(200_000))
		b.Field(2).(*array.Int32Builder).Append(int32(i % 7))
		b.Field(3).(*array.Decimal128Builder).Append(decimal128.FromI64(100 * quantity))
		b.Field(4).(*array.Decimal128Builder).Append(decimal128.FromI64(price * quantity))
		b.Field(5).(*array.Float64Builder).Append(float64(r.Intn(11)) / 100)
		b.Field(6).(*array.StringBuilder).Append([]string{"A", "N", "R"}[r.Intn(3)])
		b.Field(7).(*array.Date32Builder).Append(arrow.Date32(8_000 + r.Intn(2_500)))
		b.Field(8).(*array.StringBuilder).Append(modes[r.Intn(len(modes))])
		comment := words[r.Intn(len(words))]
		for range r.Intn(6) {
			comment += " " + words[r.Intn(len(words))]
		}
		b.Field(9).(*array.StringBuilder).Append(comment)
		b.Field(10).(*array.StringBuilder).Append(fmt.Sprintf("Clerk#%09d", r.Intn(1000)))
		if r.Intn(10) == 0 {
			b.Field(11).(*array.StringBuilder).Append(fmt.Sprintf("note number %d of %d", i, r.Uint32()))
		} else {
			b.Field(11).AppendNull()
		}
		b.Field(12).(*array.BooleanBuilder).Append(r.Intn(3) == 0)
		b.Field(13).(*array.TimestampBuilder).Append(arrow.Timestamp(1_700_000_000_000_000 + int64(i)*37_000_000 + r.Int63n(1_000_000)))
		l := b.Field(14).(*array.ListBuilder)
		l.Append(true)
		for range r.Intn(4) {
			l.ValueBuilder().(*array.StringBuilder).Append(words[r.Intn(len(words))])
		}
		st := b.Field(15).(*array.StructBuilder)
		if st.Append(r.Intn(20) > 0); st.IsNull(i) {
			st.FieldBuilder(0).AppendNull()
			st.FieldBuilder(1).(*array.Int16Builder).Append(0)
		} else {
			st.FieldBuilder(0).(*array.Float32Builder).Append(r.Float32())
			st.FieldBuilder(1).(*array.Int16Builder).Append(int16(i))
		}
		if r.Intn(50) == 0 {
			b.Field(16).(*array.Int32Builder).Append(int32(i))
		} else {
			b.Field(16).AppendNull()
		}
	})
}

// counter is a store that keeps nothing.
type counter struct {
	arrowio.Store
	n int64
}

func (c *counter) Create(context.Context, string) (arrowio.Sink, error) { return c, nil }
func (c *counter) Write(b []byte) (int, error)                          { c.n += int64(len(b)); return len(b), nil }
func (c *counter) Close() error                                         { return nil }
func (c *counter) Commit() error                                        { return nil }
func (c *counter) Abort() error                                         { return nil }

// arrowBytes returns how many bytes of Arrow memory a batch has, by its buffers.
func arrowBytes(rec arrow.Record) (n int64) {
	var walk func(d arrow.ArrayData)
	walk = func(d arrow.ArrayData) {
		for _, b := range d.Buffers() {
			if b != nil {
				n += int64(b.Len())
			}
		}
		for _, k := range d.Children() {
			walk(k)
		}
		if d, ok := d.(*array.Data); ok && d.DataType().ID() == arrow.DICTIONARY {
			walk(d.Dictionary())
		}
	}
	for _, c := range rec.Columns() {
		walk(c.Data())
	}
	return n
}

// benchWrite reports the speed in bytes of Arrow memory, and what is left of them (packed%).
func benchWrite(b *testing.B, rec arrow.Record, o arrowio.WriteOptions) {
	o.Allocator = arrowbuf.Shared()
	p, err := writer.Plan(rec.Schema(), o)
	if err != nil {
		b.Fatal(err)
	}
	raw := arrowBytes(rec)
	b.SetBytes(raw)
	b.ReportAllocs()
	var packed int64
	for b.Loop() {
		st := &counter{}
		w, err := arrowio.NewWriter(context.Background(), writer.Format(), st, p)
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
		packed = st.n
	}
	b.ReportMetric(100*float64(packed)/float64(raw), "packed%")
}

func BenchmarkWrite(b *testing.B) {
	rec := lineItems(300_000)
	defer rec.Release()
	for _, codec := range []string{"none", "snappy", "lz4", "zstd", "zlib"} {
		b.Run("codec="+codec, func(b *testing.B) { benchWrite(b, rec, arrowio.WriteOptions{Compression: codec, Parallelism: 1}) })
	}
	b.Run("codec=none,two-columns-at-once", func(b *testing.B) {
		benchWrite(b, rec, arrowio.WriteOptions{Compression: "none", Parallelism: 2})
	})
	b.Run("codec=none,blooms", func(b *testing.B) {
		benchWrite(b, rec, arrowio.WriteOptions{Compression: "none", Parallelism: 1, Options: map[string]string{"orc-bloom": "*"}})
	})
}

func BenchmarkWriteColumn(b *testing.B) {
	rec := lineItems(300_000)
	defer rec.Release()
	for i, f := range rec.Schema().Fields() {
		one := array.NewRecord(arrow.NewSchema([]arrow.Field{f}, nil), []arrow.Array{rec.Column(i)}, rec.NumRows())
		for _, codec := range []string{"none", "zlib"} {
			b.Run(f.Name+"/codec="+codec, func(b *testing.B) {
				benchWrite(b, one, arrowio.WriteOptions{Compression: codec, Parallelism: 1})
			})
		}
	}
}

// BenchmarkWriteDictionary writes dictionary arrays.
func BenchmarkWriteDictionary(b *testing.B) {
	rec := stringsOf(300_000, func(i int) string { return fmt.Sprint("word ", i*7919%200) })
	defer rec.Release()
	for _, index := range []arrow.DataType{arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint16} {
		recs := dictionaryOf(b, rec, 300_000, index)
		for _, threshold := range []string{"0.8", "0"} {
			b.Run(fmt.Sprintf("index=%s/threshold=%s", index, threshold), func(b *testing.B) {
				benchWrite(b, recs[0], arrowio.WriteOptions{Compression: "none", Parallelism: 1, Options: map[string]string{"orc-dictionary": threshold}})
			})
		}
		release(recs)
	}
}
