package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	writer "github.com/arrowio/arrowio/writers/parquet"
)

// written returns the file that the project's own writer makes of records, with options.
func written(t testing.TB, recs []arrow.Record, compression string, options map[string]string) []byte {
	t.Helper()
	f := writer.Format()
	p, err := f.Plan(recs[0].Schema(), arrowio.WriteOptions{Compression: compression, Options: options})
	if err != nil {
		t.Fatal(err)
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(context.Background(), f, st, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recs {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, b := range st.Objects() {
		return b
	}
	t.Fatal("no file")
	return nil
}

// table returns n rows: numbers that ascend, text that repeats, and nested columns.
func table(n int) arrow.Record {
	g := &conformance.Generator{Rand: rand.New(rand.NewSource(5)), Mem: memory.DefaultAllocator, Nulls: 0.2}
	b := array.NewInt64Builder(memory.DefaultAllocator)
	s := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range n {
		b.Append(int64(i))
		s.Append(fmt.Sprintf("even %07d", i*2))
	}
	str := arrow.BinaryTypes.String
	nested := arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, arrow.Field{Name: "l", Type: arrow.ListOf(str), Nullable: true})
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "text", Type: str},
		{Name: "i", Type: arrow.PrimitiveTypes.Int16, Nullable: true},
		{Name: "s", Type: nested, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Float64), Nullable: true},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	}, nil)
	cols := []arrow.Array{b.NewArray(), s.NewArray()}
	for _, f := range schema.Fields()[2:] {
		cols = append(cols, g.Array(f.Type, n))
	}
	return array.NewRecord(schema, cols, int64(n))
}

func bound(t *testing.T, f arrowio.File, filter string) *expr.Bound {
	t.Helper()
	e, err := expr.Parse(filter)
	if err != nil {
		t.Fatal(err)
	}
	b, err := expr.Bind(e, f.Schema())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A byte that changed in a page is found by its checksum, by reading as by Verify, though the page decodes.
func TestChecksums(t *testing.T) {
	b := written(t, []arrow.Record{table(1000)}, "none", map[string]string{"parquet-dictionary": "none"})
	f, err := openBytes(b, arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Info(context.Background(), arrowio.InfoOptions{Checksums: true})
	if err != nil || info.Columns[0].Checksum != "crc32" || info.Columns[0].Verdict != "ok" {
		t.Errorf("%+v, %v", info.Columns[0], err)
	}
	at := bytes.Index(b, []byte("even 0000500"))
	b = bytes.Clone(b)
	b[at] ^= 1
	f, err = openBytes(b, arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	recs, err := readAll(f, []string{"id"}, 1000, checked(t))
	if err != nil {
		t.Errorf("another column: %v", err)
	}
	release(recs)
	if _, err := readAll(f, []string{"text"}, 1000, checked(t)); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "CRC") {
		t.Errorf("read: %v", err)
	}
	var faults []string
	if err := f.(arrowio.Verifier).Verify(context.Background(), func(err error) { faults = append(faults, err.Error()) }); err != nil {
		t.Error(err)
	}
	if len(faults) != 1 || !strings.Contains(faults[0], "column text") || !strings.Contains(faults[0], "CRC") {
		t.Errorf("verify: %q", faults)
	}
	info, err = f.Info(context.Background(), arrowio.InfoOptions{Checksums: true})
	if err != nil || info.Columns[1].Verdict != "wrong" {
		t.Errorf("%+v, %v", info.Columns[1], err)
	}
}

// The page index leaves out pages, of all columns, and bloom filters row groups; inspect says which did.
func TestPagesAndBloomFiltersPrune(t *testing.T) {
	b := written(t, []arrow.Record{table(10_000)}, "snappy", map[string]string{"parquet-page-index": "yes", "parquet-page-rows": "100", "parquet-bloom": "text", "parquet-dictionary": "none"})
	src := arrowio.NewCountingSource(local.NewBytesSource(b))
	f, err := Format().Open(context.Background(), src, arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		filter string
		rows   int64
		by     string
	}{
		{"id = 5050", 100, "page index"},
		{"id < 250", 300, "page index"},
		{"id >= 150 AND id < 250 OR id = 9999", 300, "page index"},
		{"text = 'even 0000500'", 100, "page index"},
		{"text = 'even 0000501'", 0, "bloom filters"},
		{"id > 10000", 0, "row group statistics"},
	} {
		pred := bound(t, f, c.filter)
		rows, err := f.Prune(context.Background(), f.Splits()[0], pred)
		if err != nil || rows.Len() != c.rows {
			t.Errorf("%s: %d rows, %v; want %d", c.filter, rows.Len(), err, c.rows)
		}
		info, err := f.Info(context.Background(), arrowio.InfoOptions{Filter: pred})
		if err != nil || len(info.Plan) != 1 || info.Plan[0].Left != c.rows || len(info.Plan[0].By) != 1 || info.Plan[0].By[0] != c.by {
			t.Errorf("%s: %+v, %v", c.filter, info.Plan, err)
		}
	}
	before := src.Bytes()
	rows, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Filter: mustParse(t, "id = 5050"), Allocator: checked(t)})
	if err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for rows.Next() {
		n += rows.Record().NumRows()
	}
	if err := rows.Err(); err != nil || n != 1 {
		t.Errorf("%d rows, %v", n, err)
	}
	rows.Release()
	if got := src.Bytes() - before; got > int64(len(b))/10 {
		t.Errorf("%d bytes of %d were read for one row", got, len(b))
	}
}

func mustParse(t *testing.T, filter string) expr.Expr {
	t.Helper()
	e, err := expr.Parse(filter)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Scans of files with many small pages, of both versions, give the same rows whatever is skipped.
func TestConformanceOfPages(t *testing.T) {
	for version, codec := range map[string]string{"v1": "none", "v2": "zstd"} {
		t.Run(version, func(t *testing.T) {
			b := written(t, []arrow.Record{table(700)}, codec, map[string]string{"parquet-page-index": "yes", "parquet-page-rows": "30", "parquet-data-page": version, "parquet-bloom": "*"})
			conformance.Run(t, conformance.Harness{
				Source: local.NewBytesSource(b),
				Scans:  6,
				Open: func(ctx context.Context, src arrowio.Source) (arrowio.File, error) {
					return Format().Open(ctx, src, arrowio.OpenOptions{})
				},
			})
		})
	}
}

// Decimals of 256 bits come back in every precision.
func TestDecimal256(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	for p := int32(1); p <= 76; p++ {
		dt := &arrow.Decimal256Type{Precision: p, Scale: p / 2}
		b := array.NewDecimal256Builder(memory.DefaultAllocator, dt)
		top := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(p)), nil)
		for i := range 50 {
			v := new(big.Int).Rand(r, top)
			if i%2 == 0 {
				v.Neg(v)
			}
			b.Append(decimal256.FromBigInt(v))
			if i%5 == 0 {
				b.AppendNull()
			}
		}
		col := b.NewArray()
		want := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "d", Type: dt, Nullable: true}}, nil), []arrow.Array{col}, int64(col.Len()))
		f, err := openBytes(written(t, []arrow.Record{want}, "none", nil), arrowio.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		recs, err := readAll(f, nil, 1000, checked(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := conformance.Equal(want, recs[0]); err != nil {
			t.Errorf("precision %d: %v", p, err)
		}
		release(recs)
	}
}

// The cost of a column does not grow with the number of columns.
func BenchmarkManyColumns(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint("columns=", n), func(b *testing.B) {
			col := array.NewInt64Builder(memory.DefaultAllocator)
			col.AppendValues([]int64{1, 2}, []bool{true, false})
			arr := col.NewArray()
			fields, cols := make([]arrow.Field, n), make([]arrow.Array, n)
			for i := range n {
				fields[i], cols[i] = arrow.Field{Name: fmt.Sprint("c", i), Type: arr.DataType(), Nullable: true}, arr
			}
			data := written(b, []arrow.Record{array.NewRecord(arrow.NewSchema(fields, nil), cols, 2)}, "snappy", nil)
			for b.Loop() {
				f, err := openBytes(data, arrowio.Limits{})
				if err != nil {
					b.Fatal(err)
				}
				recs, err := readAll(f, nil, 10, memory.DefaultAllocator)
				if err != nil {
					b.Fatal(err)
				}
				release(recs)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/column")
		})
	}
}

// Bounds of every type can be shown.
func TestInfoShowsBounds(t *testing.T) {
	g := &conformance.Generator{Rand: rand.New(rand.NewSource(6)), Mem: memory.DefaultAllocator, Nulls: 0.1}
	types := []arrow.DataType{
		arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String,
		arrow.BinaryTypes.StringView, arrow.BinaryTypes.LargeBinary, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64ns,
		arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Duration_s, arrow.FixedWidthTypes.Duration_ns, &arrow.FixedSizeBinaryType{ByteWidth: 5},
	}
	for _, dt := range types {
		schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: dt, Nullable: true}}, nil)
		f, err := openBytes(written(t, []arrow.Record{g.Record(schema, 50)}, "none", nil), arrowio.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if info, err := f.Info(context.Background(), arrowio.InfoOptions{}); err != nil || info.Columns[0].Stats == nil {
			t.Errorf("%s: %+v, %v", dt, info, err)
		}
	}
}
