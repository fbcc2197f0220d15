package parquet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowcheck"
	ipcreader "github.com/arrowio/arrowio/readers/ipc"
	reader "github.com/arrowio/arrowio/readers/parquet"
)

// batch returns columns of a file, all of its first split as one record. The caller releases it.
func batch(t testing.TB, f arrowio.Format, b []byte, columns []string, mem memory.Allocator) arrow.Record {
	t.Helper()
	ctx := context.Background()
	file, err := f.Open(ctx, local.NewBytesSource(b), arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := arrowio.Project(file.Schema(), columns)
	if err != nil {
		t.Fatal(err)
	}
	s := file.Splits()[0]
	r, err := file.Read(ctx, s, arrowio.RowSet{s.Rows}, p, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Read(int(s.Rows.Len())); err != nil {
		t.Fatal(err)
	}
	rec, err := r.Take()
	if err != nil {
		t.Fatal(err)
	}
	if err := arrowcheck.Record(rec); err != nil {
		t.Fatal(err)
	}
	return rec
}

func write(recs []arrow.Record, o arrowio.WriteOptions) (map[string][]byte, error) {
	return writeAs(Format(), recs, o)
}

func writeAs(f arrowio.OutputFormat, recs []arrow.Record, o arrowio.WriteOptions) (map[string][]byte, error) {
	return writeSorted(f, recs, o, nil)
}

func writeSorted(f arrowio.OutputFormat, recs []arrow.Record, o arrowio.WriteOptions, by []arrowio.SortedColumn) (map[string][]byte, error) {
	p, err := f.Plan(recs[0].Schema(), o)
	if p != nil {
		p.Sorted = by
	}
	if err != nil {
		return nil, err
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(context.Background(), f, st, p)
	if err != nil {
		return nil, err
	}
	for _, r := range recs {
		if err := w.Write(r); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return st.Objects(), nil
}

const fixtures = "../../testdata/ipc/pyarrow-26.0.1/"

func fixture(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(fixtures + "types.arrow")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// changed are the columns whose type reading back shows differently, as the plan says.
var changed = map[string]string{
	"date64": "date32", "time32_s": "time32[ms]", "timestamp_s": "timestamp[ms]", "timestamp_s_tz": "timestamp[ms, tz=Europe/Berlin]",
	"run_end":   "utf8",
	"list_view": "list<item: int32, nullable>", "large_list_view": "list<item: int32, nullable>",
	"dictionary_u8":      "float64",
	"dictionary_ordered": "dictionary<values=utf8, indices=int32, ordered=true>",
}

// refused are the columns that cannot be written, and why.
var refused = map[string]string{
	"month_day_nano": "intervals are months, days and unsigned milliseconds",
	"dense_union":    "no unions",
	"sparse_union":   "no unions",
}

func TestEveryType(t *testing.T) {
	mem := memory.NewGoAllocator() // arrow's parquet package frees some of its buffers in finalizers
	all := batch(t, ipcreader.Format(), fixture(t), nil, mem)
	defer all.Release()
	_, err := Format().Plan(all.Schema(), arrowio.WriteOptions{})
	for name, why := range refused {
		if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "column "+name+" (") || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var columns []string
	for _, f := range all.Schema().Fields() {
		if refused[f.Name] == "" {
			columns = append(columns, f.Name)
		}
	}
	want := batch(t, ipcreader.Format(), fixture(t), columns, mem)
	defer want.Release()
	plan, err := Format().Plan(want.Schema(), arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for from := int64(0); from < 3; from++ {
		w := want.NewSlice(from, 10-from)
		objects, err := write([]arrow.Record{w}, arrowio.WriteOptions{Allocator: mem})
		if err != nil {
			t.Fatal(err)
		}
		g := batch(t, reader.Format(), objects["part-00000.parquet"], nil, mem)
		for c, f := range w.Schema().Fields() {
			typ, lossy := changed[f.Name]
			if !lossy {
				typ = f.Type.String()
			}
			if lossy != (plan.Columns[c].Loss != "") {
				t.Errorf("%s: the plan says loss %q", f.Name, plan.Columns[c].Loss)
			}
			gf := g.Schema().Field(c)
			if gf.Type.String() != typ || gf.Nullable != f.Nullable || !gf.Metadata.Equal(f.Metadata) {
				t.Errorf("%s: read as %v, not %s", f.Name, gf, typ)
			}
			for i := 0; i < int(w.NumRows()); i++ {
				if a, b := text(g.Column(c), i), text(w.Column(c), i); a != b {
					t.Errorf("%s[%d] = %s, want %s", f.Name, i, a, b)
				}
			}
		}
		md := g.Schema().Metadata()
		if v, _ := md.GetValue("origin"); v != "pyarrow" {
			t.Errorf("metadata %v", md)
		}
		g.Release()
		w.Release()
	}
}

// text renders values so that units, names of zones and encodings do not show.
func text(a arrow.Array, i int) string {
	if a.IsNull(i) {
		return "(null)"
	}
	switch a := a.(type) {
	case *array.Duration:
		return fmt.Sprint(int64(a.Value(i)))
	case *array.RunEndEncoded:
		return text(a.Values(), a.GetPhysicalIndex(i))
	case *array.Dictionary:
		return text(a.Dictionary(), a.GetValueIndex(i))
	case *array.Timestamp:
		return a.Value(i).ToTime(a.DataType().(*arrow.TimestampType).Unit).String()
	case *array.Time32:
		return a.Value(i).ToTime(a.DataType().(*arrow.Time32Type).Unit).String()
	}
	return a.ValueStr(i)
}

func TestZones(t *testing.T) {
	mem := memory.NewGoAllocator()
	want := batch(t, ipcreader.Format(), fixture(t), []string{"timestamp_us", "timestamp_us_tz"}, mem)
	defer want.Release()
	objects, err := write([]arrow.Record{want}, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := reader.Format().Open(context.Background(), local.NewBytesSource(objects["part-00000.parquet"]), arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Info(context.Background(), arrowio.InfoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, adjusted := range []string{"isAdjustedToUTC=false", "isAdjustedToUTC=true"} {
		if !strings.Contains(info.Columns[i].Stored, adjusted) {
			t.Errorf("%s is stored as %s", info.Columns[i].Path, info.Columns[i].Stored)
		}
	}
}

func countUp(n int, mem memory.Allocator) arrow.Record {
	b := array.NewInt64Builder(mem)
	defer b.Release()
	for i := range n {
		b.Append(int64(i) * 7919)
	}
	a := b.NewArray()
	defer a.Release()
	return array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil), []arrow.Array{a}, int64(n))
}

func TestRowGroups(t *testing.T) {
	mem := memory.NewGoAllocator()
	rec := countUp(10_000, mem)
	defer rec.Release()
	objects, err := write([]arrow.Record{rec, rec}, arrowio.WriteOptions{RowGroupBytes: 8000})
	if err != nil {
		t.Fatal(err)
	}
	f, err := reader.Format().Open(context.Background(), local.NewBytesSource(objects["part-00000.parquet"]), arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(f.Splits()); n < 20 || n > 22 {
		t.Errorf("%d row groups", n)
	}
	if rows := f.Splits()[len(f.Splits())-1].Rows.End; rows != 20_000 {
		t.Errorf("%d rows", rows)
	}
}

func TestCodecs(t *testing.T) {
	mem := memory.NewGoAllocator()
	rec := countUp(1000, mem)
	defer rec.Release()
	for _, codec := range []string{"", "none", "snappy", "snappy:2", "gzip", "gzip:1", "gzip:9", "brotli", "brotli:11", "zstd", "zstd:1", "zstd:22"} {
		objects, err := write([]arrow.Record{rec}, arrowio.WriteOptions{Compression: codec})
		if err != nil {
			t.Fatal(err)
		}
		got := batch(t, reader.Format(), objects["part-00000.parquet"], nil, mem)
		if !array.Equal(got.Column(0), rec.Column(0)) {
			t.Errorf("%s: other values", codec)
		}
		got.Release()
	}
	for _, codec := range []string{"gzip:0", "gzip:10", "zstd:23", "none:1", "zlib", "lzo", "x"} {
		if _, err := write([]arrow.Record{rec}, arrowio.WriteOptions{Compression: codec}); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %v", codec, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, typ := range []arrow.DataType{
		arrow.StructOf(), &arrow.FixedSizeBinaryType{}, &arrow.Decimal128Type{Precision: 5, Scale: -2},
		arrow.ListOf(arrow.StructOf(arrow.Field{Name: "x", Type: arrow.FixedWidthTypes.MonthInterval})), arrow.Null,
		arrow.SparseUnionOf([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int8}}, []arrow.UnionTypeCode{0}),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
	} {
		_, err := Format().Plan(arrow.NewSchema([]arrow.Field{{Name: "c", Type: typ}}, nil), arrowio.WriteOptions{})
		if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "column c") {
			t.Errorf("%s: %v", typ, err)
		}
	}
	if _, err := Format().Plan(arrow.NewSchema(nil, nil), arrowio.WriteOptions{}); !errors.Is(err, errs.ErrSchema) {
		t.Errorf("no columns: %v", err)
	}
}

func TestDatesMustBeDays(t *testing.T) {
	mem := memory.NewGoAllocator()
	b := array.NewDate64Builder(mem)
	b.Append(86_400_001)
	a := b.NewArray()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "d", Type: arrow.FixedWidthTypes.Date64}}, nil), []arrow.Array{a}, 1)
	_, err := write([]arrow.Record{rec}, arrowio.WriteOptions{})
	if !errors.Is(err, errs.ErrSchema) || !strings.Contains(fmt.Sprint(err), "column d") {
		t.Errorf("got %v", err)
	}
}

func TestNoRows(t *testing.T) {
	rec := countUp(0, memory.NewGoAllocator())
	objects, err := write([]arrow.Record{rec}, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := reader.Format().Open(context.Background(), local.NewBytesSource(objects["part-00000.parquet"]), arrowio.OpenOptions{})
	if err != nil || len(f.Splits()) != 0 || f.Schema().Field(0).Name != "n" {
		t.Errorf("%v, %v", f, err)
	}
}
