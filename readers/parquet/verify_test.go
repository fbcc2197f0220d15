package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// faultsOf returns what Verify reports.
func faultsOf(t testing.TB, f arrowio.File) (out []*errs.Error) {
	t.Helper()
	err := f.(arrowio.Verifier).Verify(context.Background(), func(err error) {
		var e *errs.Error
		if !errors.As(err, &e) {
			t.Fatalf("%v is no fault", err)
		}
		if e.Column == "" || e.Split < 0 || e.Off < 0 || e.Off > f.(*parquetFile).src.Size() {
			t.Errorf("a fault without a place: %v", err)
		}
		out = append(out, e)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Verify compares the statistics of column chunks with the values.
func TestVerifyComparesStatistics(t *testing.T) {
	rec := table(1000)
	defer rec.Release()
	b := written(t, []arrow.Record{rec}, "none", map[string]string{"parquet-page-rows": "100", "parquet-bloom": "id,text", "parquet-page-index": "yes"})
	number := func(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
	for _, c := range []struct {
		name   string
		column int
		change func(s *decode.Stats)
		want   string // "" = no fault
	}{
		{"nothing", 0, func(*decode.Stats) {}, ""},
		{"maximum below", 0, func(s *decode.Stats) { s.Max = number(998) }, "column id: statistics at 4: the largest value is 999, the maximum is given as 998"},
		{"maximum above, said to be exact", 0, func(s *decode.Stats) { s.Max = number(1000) }, "the maximum is given as 1000"},
		{"maximum above", 0, func(s *decode.Stats) { s.Max, s.MaxExact = number(1000), false }, ""},
		{"minimum above", 0, func(s *decode.Stats) { s.Min = number(1) }, "the smallest value is 0, the minimum is given as 1"},
		{"minimum of another size", 0, func(s *decode.Stats) { s.Min = number(1)[:4] }, "a minimum of 4 bytes"},
		{"deprecated bounds", 0, func(s *decode.Stats) {
			*s = decode.Stats{OldMin: number(0), OldMax: number(7), HasOld: true, Nulls: 0, Distinct: -1}
		}, "the maximum is given as 7"},
		{"text", 1, func(s *decode.Stats) { s.Max = []byte("even 0001997") }, `the largest value is "even 0001998", the maximum is given as "even 0001997"`},
		{"cut off text", 1, func(s *decode.Stats) {
			s.Min, s.MinExact, s.Max, s.MaxExact = []byte("even"), false, []byte("f"), false
		}, ""},
		{"nulls", 2, func(s *decode.Stats) { s.Nulls++ }, "values are null, the statistics say"},
		{"nulls in a list", 5, func(s *decode.Stats) { s.Nulls++ }, "values are null, the statistics say"},
		{"different values", 0, func(s *decode.Stats) { s.Distinct = 999 }, "1000 different values are stored, the statistics say 999"},
		{"different values, rightly", 0, func(s *decode.Stats) { s.Distinct = 1000 }, ""},
		{"different values of no hash", 6, func(s *decode.Stats) { s.Distinct = 5000 }, "the statistics say 5000"},
	} {
		f, err := openBytes(b, arrowio.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		c.change(&f.(*parquetFile).footer.Groups[0].Chunks[c.column].Stats)
		faults := faultsOf(t, f)
		if c.want == "" && len(faults) > 0 || c.want != "" && (len(faults) != 1 || !strings.Contains(faults[0].Error(), c.want)) {
			t.Errorf("%s: %v", c.name, faults)
		}
	}
}

// Verify compares the page index with the pages, and names the page.
func TestVerifyComparesThePageIndex(t *testing.T) {
	rec := table(1000)
	defer rec.Release()
	b := written(t, []arrow.Record{rec}, "none", map[string]string{"parquet-page-rows": "100", "parquet-page-index": "yes", "parquet-bloom": "id"})
	f, err := openBytes(b, arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c := f.(*parquetFile).footer.Groups[0].Chunks[0]
	at := func(e decode.Extent, v []byte) int {
		i := bytes.Index(b[e.Off:e.Off+int64(e.Len)], v)
		if i < 0 {
			t.Fatalf("%x is not in the index", v)
		}
		return int(e.Off) + i
	}
	number := func(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
	for _, x := range []struct {
		name string
		off  int
		to   []byte
		want string
	}{
		{"maximum of a page", at(c.ColumnIndex, number(399)), number(398), "column id: column index, page 3 at "},
		{"minimum of a page", at(c.ColumnIndex, number(300)), number(301), "the smallest value is 300, the minimum is given as 301"},
		{"order", at(c.ColumnIndex, number(399)), number(1399), "the bounds of page 4 break the order, which is given as ascending"},
		{"filter", int(c.Bloom) + 40, make([]byte, 200), "bloom filter at "},
	} {
		d := bytes.Clone(b)
		copy(d[x.off:], x.to)
		f, err := openBytes(d, arrowio.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if faults := faultsOf(t, f); len(faults) != 1 || !strings.Contains(faults[0].Error(), x.want) {
			t.Errorf("%s: %v", x.name, faults)
		}
	}
}

// What changes the rows that a filter gives, in the indexes, is a fault.
func TestVerifyFindsWhatMisleadsFilters(t *testing.T) {
	rec := table(120)
	defer rec.Release()
	for _, version := range []string{"v1", "v2"} {
		b := written(t, []arrow.Record{rec}, "none", map[string]string{
			"parquet-page-rows": "30", "parquet-page-index": "yes", "parquet-bloom": "id,text,i", "parquet-data-page": version,
		})
		sound, err := openBytes(b, arrowio.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		p := sound.(*parquetFile)
		filters := []string{"id = 33", "id < 31", "text >= 'even 0000200'", "text = 'even 0000100'", "i is null", "i > 0", "s.a < 0", "b"}
		count := func(f arrowio.File, filter string) (n int64) {
			s, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Filter: mustParse(t, filter), Allocator: memory.DefaultAllocator})
			if err != nil {
				return -1
			}
			defer s.Release()
			for s.Next() {
				n += s.Record().NumRows()
			}
			if s.Err() != nil {
				return -1
			}
			return n
		}
		want := map[string]int64{}
		for _, x := range filters {
			want[x] = count(sound, x)
		}
		misled := 0
		last := p.footer.Groups[0].Chunks[6]
		for at := last.Start() + last.Stored; at < p.end; at += 5 { // the indexes and the filters
			bit := at % 8
			d := bytes.Clone(b)
			d[at] ^= 1 << bit
			f, err := openBytes(d, arrowio.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range filters {
				if n := count(f, x); n >= 0 && n != want[x] {
					misled++
					if len(faultsOf(t, f)) == 0 {
						t.Fatalf("%s: bit %d of %d: %q gives %d rows, not %d, and there is no fault", version, bit, at, x, n, want[x])
					}
					break
				}
			}
		}
		t.Logf("%s: %d flips gave other rows", version, misled)
	}
}

// A page that the offset index lists as a data page and that is none is an error, not a loop without end.
func TestIndexOfAnotherPage(t *testing.T) {
	rec := table(1000)
	defer rec.Release()
	b := written(t, []arrow.Record{rec}, "none", map[string]string{"parquet-page-rows": "100", "parquet-page-index": "yes"})
	f, err := openBytes(b, arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p := f.(*parquetFile)
	if err := p.loadPages(context.Background(), 0, []int{0}); err != nil {
		t.Fatal(err)
	}
	b[p.pagesOf(0, 0)[1].Off+1] = byte(decode.IndexPage) << 1
	if f, err = openBytes(b, arrowio.Limits{}); err != nil {
		t.Fatal(err)
	}
	s, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Filter: mustParse(t, "id = 150"), Allocator: checked(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	for s.Next() {
	}
	if !errors.Is(s.Err(), errs.ErrCorrupt) {
		t.Error(s.Err())
	}
}

// Bounds of half floats and of wide decimals leave out row groups and pages.
func TestWideBoundsPrune(t *testing.T) {
	d := array.NewDecimal256Builder(memory.DefaultAllocator, &arrow.Decimal256Type{Precision: 60, Scale: 2})
	h := array.NewFloat16Builder(memory.DefaultAllocator)
	for i := range 1000 {
		d.Append(decimal256.FromI64(int64(i - 500)).Mul(decimal256.New(0, 0, 1, 0)))
		h.Append(float16.New(float32(i-500) / 4))
	}
	s := arrow.NewSchema([]arrow.Field{{Name: "d", Type: d.Type()}, {Name: "h", Type: h.Type()}}, nil)
	rec := array.NewRecord(s, []arrow.Array{d.NewArray(), h.NewArray()}, 1000)
	f, err := openBytes(written(t, []arrow.Record{rec}, "", map[string]string{"parquet-page-rows": "100", "parquet-page-index": "yes"}), arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for filter, want := range map[string]int64{
		"d > 150000000000000000000": 0, "d > 80000000000000000000": 100, "d < -80000000000000000000": 100, "d = 0": 100,
		"h > 200": 0, "h > 100.25": 100, "h < -100": 100, "h = 0": 100,
	} {
		rows, err := f.Prune(context.Background(), f.Splits()[0], bound(t, f, filter))
		if err != nil || rows.Len() != want {
			t.Errorf("%s leaves %v, want %d rows, %v", filter, rows, want, err)
		}
	}
	if faults := faultsOf(t, f); len(faults) > 0 {
		t.Error(faults)
	}
}

// A required column below a struct that is null in some rows has values in the others only.
func TestVerifyRequiredBelowNull(t *testing.T) {
	n, x := array.NewInt64Builder(memory.DefaultAllocator), array.NewStringBuilder(memory.DefaultAllocator)
	for i := range 8 {
		n.Append(int64(i + 5))
		x.Append("some text")
	}
	a, b := n.NewArray(), x.NewArray()
	st := arrow.StructOf(arrow.Field{Name: "n", Type: a.DataType()}, arrow.Field{Name: "t", Type: b.DataType()})
	data := array.NewData(st, 8, []*memory.Buffer{memory.NewBufferBytes([]byte{0b01101110})}, []arrow.ArrayData{a.Data(), b.Data()}, 3, 0)
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "s", Type: st, Nullable: true}}, nil), []arrow.Array{array.MakeFromData(data)}, 8)
	f, err := openBytes(written(t, []arrow.Record{rec}, "none", map[string]string{"parquet-page-index": "yes", "parquet-bloom": "*"}), arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if faults := faultsOf(t, f); len(faults) > 0 {
		t.Error(faults)
	}
}
