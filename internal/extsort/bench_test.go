package extsort

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// lineitem returns batches like those of the TPC-H table: 16 columns, about 190 bytes a row. order says which number
// row i of all has as its key.
func lineitem(rows int, order func(i int) int64) []arrow.Record {
	str := arrow.BinaryTypes.String
	money := &arrow.Decimal128Type{Precision: 12, Scale: 2}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "l_orderkey", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "l_partkey", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "l_suppkey", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "l_linenumber", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "l_quantity", Type: money, Nullable: true},
		{Name: "l_extendedprice", Type: money, Nullable: true},
		{Name: "l_discount", Type: money, Nullable: true},
		{Name: "l_tax", Type: money, Nullable: true},
		{Name: "l_returnflag", Type: str, Nullable: true},
		{Name: "l_linestatus", Type: str, Nullable: true},
		{Name: "l_shipdate", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "l_commitdate", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "l_receiptdate", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
		{Name: "l_shipinstruct", Type: str, Nullable: true},
		{Name: "l_shipmode", Type: str, Nullable: true},
		{Name: "l_comment", Type: str, Nullable: true},
	}, nil)
	rng := rand.New(rand.NewSource(1))
	comment := "furiously regular deposits haggle blithely across the quickly even accounts"
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer b.Release()
	var recs []arrow.Record
	for i := range rows {
		k := order(i)
		b.Field(0).(*array.Int64Builder).Append(k / 4)
		b.Field(1).(*array.Int64Builder).Append(rng.Int63n(200_000))
		b.Field(2).(*array.Int64Builder).Append(rng.Int63n(10_000))
		b.Field(3).(*array.Int32Builder).Append(int32(k % 4))
		for c := 4; c < 8; c++ {
			b.Field(c).(*array.Decimal128Builder).Append(decimal128.FromI64(rng.Int63n(1_000_000)))
		}
		b.Field(8).(*array.StringBuilder).Append([]string{"A", "N", "R"}[rng.Intn(3)])
		b.Field(9).(*array.StringBuilder).Append([]string{"O", "F"}[rng.Intn(2)])
		for c := 10; c < 13; c++ {
			b.Field(c).(*array.Date32Builder).Append(arrow.Date32(8000 + rng.Intn(2500)))
		}
		b.Field(13).(*array.StringBuilder).Append([]string{"DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"}[rng.Intn(4)])
		b.Field(14).(*array.StringBuilder).Append([]string{"TRUCK", "MAIL", "REG AIR", "SHIP", "RAIL"}[rng.Intn(5)])
		n := 10 + rng.Intn(34)
		at := rng.Intn(len(comment) - n)
		b.Field(15).(*array.StringBuilder).Append(comment[at : at+n])
		if (i+1)%65536 == 0 || i+1 == rows {
			recs = append(recs, b.NewRecord())
		}
	}
	return recs
}

func BenchmarkSort(b *testing.B) {
	const rows = 3_000_000
	perm := rand.New(rand.NewSource(2)).Perm(rows)
	for _, in := range []struct {
		name  string
		order func(i int) int64
	}{
		{"random", func(i int) int64 { return int64(perm[i]) }},
		{"sorted", func(i int) int64 { return int64(i) }},
		{"reversed", func(i int) int64 { return int64(rows - i) }},
		{"nearly", func(i int) int64 { return int64(i + perm[i]%1000) }},
	} {
		recs := lineitem(rows, in.order)
		bytes := int64(0)
		for _, r := range recs {
			bytes += arrowbuf.RecordSize(r)
		}
		for _, m := range []int64{2 << 30, 256 << 20, 32 << 20} {
			for _, jobs := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/memory=%dMiB/jobs=%d", in.name, m>>20, jobs), func(b *testing.B) {
					b.SetBytes(bytes)
					dir := b.TempDir()
					var stats Stats
					for b.Loop() {
						stats = sortDiscard(b, recs, keysOf("l_orderkey", "l_linenumber"), Options{Memory: m, Parallelism: jobs, Scratch: func() (arrowio.ScratchFile, error) {
							return scratchIn(dir)
						}})
					}
					b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
					b.ReportMetric(float64(stats.Runs), "runs")
					b.ReportMetric(float64(stats.SpilledBytes)/1e6, "MB-spilled")
				})
			}
		}
		releaseAll(recs)
	}
}

func sortDiscard(tb testing.TB, recs []arrow.Record, by []Key, o Options) Stats {
	s, err := New(recs[0].Schema(), by, o)
	if err != nil {
		tb.Fatal(err)
	}
	defer s.Close()
	for _, r := range recs {
		if err := s.Add(context.Background(), r); err != nil {
			tb.Fatal(err)
		}
	}
	rr, err := s.Merge(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	defer rr.Release()
	rows := int64(0)
	for rr.Next() {
		rows += rr.Record().NumRows()
	}
	if rr.Err() != nil || rows != s.Stats().Rows {
		tb.Fatal(rows, rr.Err())
	}
	return s.Stats()
}

// scratchIn opens a file without a name.
func scratchIn(dir string) (arrowio.ScratchFile, error) {
	f, err := os.CreateTemp(dir, "run")
	if err == nil {
		err = os.Remove(f.Name())
	}
	return f, err
}
