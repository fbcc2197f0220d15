package expr_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/compute"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
)

const benchRows = 65536

// benchRecord has a column of each kind that filters mostly ask about; every tenth value of n is null.
func benchRecord() arrow.Record {
	mem := memory.DefaultAllocator
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	s := arrow.NewSchema([]arrow.Field{
		field("i", i64), field("j", arrow.PrimitiveTypes.Int32), field("f", arrow.PrimitiveTypes.Float64), field("s", arrow.BinaryTypes.String),
		field("n", i64), field("d", &arrow.Decimal128Type{Precision: 12, Scale: 2}), field("e", dict),
	}, nil)
	b := array.NewRecordBuilder(mem, s)
	defer b.Release()
	for k := range benchRows {
		v := k * 7919 % benchRows
		b.Field(0).(*array.Int64Builder).Append(int64(v))
		b.Field(1).(*array.Int32Builder).Append(int32(v))
		b.Field(2).(*array.Float64Builder).Append(float64(v))
		b.Field(3).(*array.StringBuilder).Append(fmt.Sprintf("customer#%06d", v))
		if k%10 == 0 {
			b.Field(4).AppendNull()
		} else {
			b.Field(4).(*array.Int64Builder).Append(int64(v))
		}
		b.Field(5).(*array.Decimal128Builder).Append(decimal128.FromI64(int64(v)))
		_ = b.Field(6).(*array.BinaryDictionaryBuilder).AppendString(fmt.Sprintf("city %d", v%100))
	}
	return b.NewRecord()
}

func BenchmarkMask(b *testing.B) {
	rec := benchRecord()
	defer rec.Release()
	for _, c := range []struct {
		name, e string
		width   int64 // bytes of a value
	}{
		{"int64/range", "i < 1000", 8},
		{"int64/nulls", "n < 1000", 8},
		{"int64/in=3", "i IN (5, 50, 500)", 8},
		{"int64/in=20", "i IN (5,10,15,20,25,30,35,40,45,50,55,60,65,70,75,80,85,90,95,100)", 8},
		{"int64/and", "i > 100 AND j < 30000", 12},
		{"int32/range", "j < 1000", 4},
		{"float64/range", "f < 1000", 8},
		{"columns/int64", "i < n", 16},
		{"columns/int64,int32", "i < j", 12},
		{"columns/int64,float64", "i < f", 16},
		{"columns/float64", "f <= f", 16},
		{"columns/decimal,int64", "d > i", 24},
		{"columns/text,dictionary", "s < e", 30},
		{"text/ilike", "s ILIKE '%R#0012%'", 15},
		{"decimal128/range", "d < 100.00", 16},
		{"utf8/equal", "s = 'customer#000500'", 15},
		{"utf8/range", "s < 'customer#000500'", 15},
		{"utf8/in", "s IN ('customer#000500', 'customer#000600', 'x')", 15},
		{"utf8/like", "s LIKE '%0500%'", 15},
		{"dictionary/equal", "e = 'city 5'", 4},
	} {
		p := bind(b, rec.Schema(), c.e)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(benchRows * c.width)
			b.ReportAllocs()
			for b.Loop() {
				m, err := p.Mask(rec)
				if err != nil {
					b.Fatal(err)
				}
				m.Release()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
		})
	}
}

// BenchmarkArrowCompute is the same question put to arrow's kernel, for the ratio.
func BenchmarkArrowCompute(b *testing.B) {
	rec := benchRecord()
	defer rec.Release()
	for _, c := range []struct {
		name string
		col  int
		v    scalar.Scalar
	}{
		{"int64/range", 0, scalar.NewInt64Scalar(1000)}, {"float64/range", 2, scalar.NewFloat64Scalar(1000)}, {"utf8/equal", 3, scalar.NewStringScalar("customer#000500")},
	} {
		name := "less"
		if c.col == 3 {
			name = "equal"
		}
		l, r := compute.NewDatum(rec.Column(c.col)), compute.NewDatum(c.v)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out, err := compute.CallFunction(context.Background(), name, nil, l, r)
				if err != nil {
					b.Fatal(err)
				}
				out.Release()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
		})
	}
}

// BenchmarkTest is the cost of pruning one block.
func BenchmarkTest(b *testing.B) {
	rec := benchRecord()
	defer rec.Release()
	st := map[string]expr.Evidence{
		"i": expr.StatsOnly{Min: scalar.NewInt64Scalar(10), Max: scalar.NewInt64Scalar(20), Rows: 100},
		"d": expr.StatsOnly{Min: scalar.NewDecimal128Scalar(decimal128.FromI64(10), &arrow.Decimal128Type{Precision: 12, Scale: 2}), Rows: 100},
		"s": expr.StatsOnly{Min: scalar.NewStringScalar("a"), Max: scalar.NewStringScalar("d"), Rows: 100},
	}
	for _, e := range []string{"i = 15", "d < 0.05", "s LIKE 'cust%'"} {
		p := bind(b, rec.Schema(), e)
		b.Run(e, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Test(func(col string) expr.Evidence { return st[col] })
			}
		})
	}
}
