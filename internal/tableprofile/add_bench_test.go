package tableprofile_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/tableprofile"
)

// What types cost whose sums are added up without rounding in ways of their own.
func BenchmarkAddOfType(b *testing.B) {
	const n = 65536
	r := rand.New(rand.NewPCG(7, 7))
	for _, c := range []struct {
		name   string
		typ    arrow.DataType
		append func(array.Builder)
	}{
		{"float64", arrow.PrimitiveTypes.Float64, func(a array.Builder) { a.(*array.Float64Builder).Append(1e6 * r.NormFloat64()) }},
		{"decimal128", &arrow.Decimal128Type{Precision: 30, Scale: 2}, func(a array.Builder) {
			a.(*array.Decimal128Builder).Append(decimal128.FromI64(r.Int64N(1e12) - 5e11))
		}},
		{"decimal256", &arrow.Decimal256Type{Precision: 60, Scale: 2}, func(a array.Builder) {
			a.(*array.Decimal256Builder).Append(decimal256.FromI64(r.Int64N(1e12) - 5e11))
		}},
		{"decimal128 of 100 bits", &arrow.Decimal128Type{Precision: 38, Scale: 2}, func(a array.Builder) {
			a.(*array.Decimal128Builder).Append(decimal128.New(r.Int64N(1<<36)-1<<35, r.Uint64()))
		}},
		{"text", arrow.BinaryTypes.String, func(a array.Builder) { a.(*array.StringBuilder).Append("name" + strconv.Itoa(r.IntN(1e6))) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: c.typ}}, nil)
			build := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			defer build.Release()
			for range n {
				c.append(build.Field(0))
			}
			rec := build.NewRecord()
			defer rec.Release()
			p := tableprofile.New(schema, tableprofile.Options{})
			b.SetBytes(8 * n)
			for b.Loop() {
				if err := p.Add(rec); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
