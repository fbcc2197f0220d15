package orctable

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/readers/orc"
	writer "github.com/arrowio/arrowio/writers/orc"
)

var (
	benchRows    = flag.Int("table-rows", 1_000_000, "rows of the tables of benchmarks")
	benchDeletes = flag.Float64("table-deletes", 0.01, "share of the rows that are deleted")
	benchDir     = flag.String("table-dir", "", "where the tables are kept; nothing is measured when they are made")
)

var benchRow = []arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "quantity", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	{Name: "price", Type: &arrow.Decimal128Type{Precision: 12, Scale: 2}, Nullable: true},
	{Name: "tax", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "flag", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "day", Type: arrow.FixedWidthTypes.Date32, Nullable: true},
	{Name: "at", Type: &arrow.TimestampType{Unit: arrow.Nanosecond}, Nullable: true},
	{Name: "comment", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "sparse", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
}

// benchBatch fills builders with rows.
func benchBatch(fields []array.Builder, r *rand.Rand, first, n int) {
	words := []string{"carefully", "final", "deposits", "sleep", "quickly", "above", "the", "ironic", "packages", "among", "furiously", "even"}
	for i := range n {
		fields[0].(*array.Int64Builder).Append(int64(first + i))
		fields[1].(*array.Int32Builder).Append(1 + r.Int31n(50))
		fields[2].(*array.Decimal128Builder).Append(decimal128.FromI64(90_000 + r.Int63n(10_000_000)))
		fields[3].(*array.Float64Builder).Append(float64(r.Intn(9)) / 100)
		fields[4].(*array.StringBuilder).Append([]string{"A", "N", "R"}[r.Intn(3)])
		fields[5].(*array.Date32Builder).Append(arrow.Date32(8_000 + r.Intn(2_500)))
		fields[6].(*array.TimestampBuilder).Append(arrow.Timestamp(1_700_000_000_000_000_000 + int64(first+i)*37_000_000 + r.Int63n(1_000_000)*1000))
		comment := strconv.Itoa(r.Intn(1_000_000))
		for range r.Intn(6) {
			comment += " " + words[r.Intn(len(words))]
		}
		fields[7].(*array.StringBuilder).Append(comment)
		if r.Intn(10) == 0 {
			fields[8].(*array.Int32Builder).Append(r.Int31())
		} else {
			fields[8].AppendNull()
		}
	}
}

// benchTable writes the same rows as a plain file and as the base of a table with random deletes.
func benchTable(b *testing.B, dir, codec string) {
	plain := arrow.NewSchema(benchRow, nil)
	events := arrow.NewSchema(append(slices.Clone(eventFields), arrow.Field{Name: eventRowName, Type: arrow.StructOf(benchRow...), Nullable: true}), nil)
	n := *benchRows
	r := rand.New(rand.NewSource(1))
	write := func(path string, s *arrow.Schema, rows int, batch func(rb *array.RecordBuilder, first, n int)) {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			b.Fatal(err)
		}
		p, err := writer.Plan(s, arrowio.WriteOptions{Compression: codec})
		if err != nil {
			b.Fatal(err)
		}
		st, err := local.NewFileStore(path, local.FileStoreOptions{})
		if err != nil {
			b.Fatal(err)
		}
		w, err := arrowio.NewWriter(context.Background(), writer.Format(), st, p)
		if err != nil {
			b.Fatal(err)
		}
		rb := array.NewRecordBuilder(memory.DefaultAllocator, s)
		defer rb.Release()
		for at := 0; at < rows; at += 1 << 16 {
			batch(rb, at, min(1<<16, rows-at))
			rec := rb.NewRecord()
			err := w.Write(rec)
			rec.Release()
			if err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	fields := func(b array.Builder) []array.Builder {
		st := b.(*array.StructBuilder)
		out := make([]array.Builder, st.NumField())
		for i := range out {
			out[i] = st.FieldBuilder(i)
		}
		return out
	}
	id := func(rb *array.RecordBuilder, op int32, row, current int64) {
		rb.Field(0).(*array.Int32Builder).Append(op)
		rb.Field(1).(*array.Int64Builder).Append(1)
		rb.Field(2).(*array.Int32Builder).Append(codec1(0))
		rb.Field(3).(*array.Int64Builder).Append(row)
		rb.Field(4).(*array.Int64Builder).Append(current)
	}
	write("plain/000000_0.orc", plain, n, func(rb *array.RecordBuilder, first, n int) { benchBatch(rb.Fields(), r, first, n) })
	r = rand.New(rand.NewSource(1))
	write("table/base_0000001/bucket_00000", events, n, func(rb *array.RecordBuilder, first, n int) {
		for i := range n {
			id(rb, 0, int64(first+i), 1)
			rb.Field(5).(*array.StructBuilder).Append(true)
		}
		benchBatch(fields(rb.Field(5)), r, first, n)
	})
	var gone []int64
	for i := range n {
		if r.Float64() < *benchDeletes {
			gone = append(gone, int64(i))
		}
	}
	write("table/delete_delta_0000002_0000002_0000/bucket_00000", events, len(gone), func(rb *array.RecordBuilder, first, n int) {
		for _, row := range gone[first : first+n] {
			id(rb, 2, row, 2)
			rb.Field(5).AppendNull()
		}
	})
}

// BenchmarkTable reads a plain file, and the same rows as an ACID table some of whose rows are deleted.
func BenchmarkTable(b *testing.B) {
	for _, codec := range []string{"none", "zlib", "zstd"} {
		dir := b.TempDir()
		if *benchDir != "" {
			benchTable(b, filepath.Join(*benchDir, codec), codec)
			continue
		}
		benchTable(b, dir, codec)
		for _, workers := range []int{1, 0} {
			scan := func(b *testing.B, open func() (arrowio.File, error)) {
				for b.Loop() {
					f, err := open()
					if err != nil {
						b.Fatal(err)
					}
					s, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Parallelism: workers})
					if err != nil {
						b.Fatal(err)
					}
					rows := int64(0)
					for s.Next() {
						rows += s.Record().NumRows()
					}
					if err := s.Err(); err != nil || rows == 0 {
						b.Fatal(rows, err)
					}
					s.Release()
					if err := f.Close(); err != nil {
						b.Fatal(err)
					}
				}
			}
			name := fmt.Sprintf("%s/jobs=%d/", codec, workers)
			b.Run(name+"plain", func(b *testing.B) {
				scan(b, func() (arrowio.File, error) {
					src, err := local.OpenFile(filepath.Join(dir, "plain", "000000_0.orc"))
					if err != nil {
						return nil, err
					}
					return orc.Open(context.Background(), src, arrowio.Limits{}, orc.Options{})
				})
			})
			b.Run(name+"table", func(b *testing.B) {
				scan(b, func() (arrowio.File, error) {
					return Open(context.Background(), local.DirTree(filepath.Join(dir, "table")), arrowio.Limits{}, Options{}, orc.Options{})
				})
			})
		}
	}
}
