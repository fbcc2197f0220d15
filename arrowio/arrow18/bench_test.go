//go:build unix

package arrow18_test

import (
	"fmt"
	"math/rand"
	"syscall"
	"testing"
	"time"

	v18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/arrow18"
	"github.com/arrowio/arrowio/arrowio/conformance"
)

// What a batch of a reader costs, by the columns' types. cpu-ns/column is the CPU time of the process for one column of one
// batch, from Next to the release of the batch, with the garbage collector's share. The number of rows does not matter.
func BenchmarkReaders(b *testing.B) {
	point := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64}, arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Float64})
	for _, c := range []struct {
		name string
		dt   arrow.DataType
	}{
		{"int64", arrow.PrimitiveTypes.Int64},
		{"text", arrow.BinaryTypes.String},
		{"views", arrow.BinaryTypes.StringView},
		{"dictionary", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}},
		{"list", arrow.ListOf(arrow.BinaryTypes.String)},
		{"struct", point},
		{"map", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64)},
		{"listofstructs", arrow.ListOf(point)},
	} {
		const columns = 20
		var fields []arrow.Field
		for i := range columns {
			fields = append(fields, arrow.Field{Name: fmt.Sprint(i), Type: c.dt, Nullable: true})
		}
		g := &conformance.Generator{Rand: rand.New(rand.NewSource(1)), Mem: memory.DefaultAllocator, Nulls: 0.1}
		rec := g.Record(arrow.NewSchema(fields, nil), 1000)
		perColumn := func(b *testing.B, since time.Duration) {
			b.ReportMetric(float64((cpu(b)-since).Nanoseconds())/float64(b.N*columns), "cpu-ns/column")
		}
		b.Run("To/"+c.name, func(b *testing.B) {
			r, err := arrow18.ToReader(&repeated{rec: rec, n: b.N})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			start := cpu(b)
			for r.Next() {
			}
			perColumn(b, start)
		})
		b.Run("From/"+c.name, func(b *testing.B) {
			to, err := arrow18.ToRecord(rec, nil)
			if err != nil {
				b.Fatal(err)
			}
			r, err := arrow18.FromReader(&repeated18{rec: to, n: b.N})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			start := cpu(b)
			for r.Next() {
			}
			perColumn(b, start)
		})
	}
}

// cpu returns the CPU time of the process so far.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// repeated is a reader of one record, n times.
type repeated struct {
	rec arrow.Record
	n   int
}

var _ array.RecordReader = (*repeated)(nil)

func (r *repeated) Retain()               {}
func (r *repeated) Release()              {}
func (r *repeated) Schema() *arrow.Schema { return r.rec.Schema() }
func (r *repeated) Record() arrow.Record  { return r.rec }
func (r *repeated) Err() error            { return nil }
func (r *repeated) Next() bool            { r.n--; return r.n >= 0 }

// repeated18 is repeated for v18.
type repeated18 struct {
	rec v18.RecordBatch
	n   int
}

var _ array18.RecordReader = (*repeated18)(nil)

func (r *repeated18) Retain()                      {}
func (r *repeated18) Release()                     {}
func (r *repeated18) Schema() *v18.Schema          { return r.rec.Schema() }
func (r *repeated18) RecordBatch() v18.RecordBatch { return r.rec }
func (r *repeated18) Record() v18.RecordBatch      { return r.rec }
func (r *repeated18) Err() error                   { return nil }
func (r *repeated18) Next() bool                   { r.n--; return r.n >= 0 }
