package parquet

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowcheck"
	"github.com/arrowio/arrowio/internal/fixtures"
)

const files = "../../testdata/parquet/pyarrow-26.0.1"

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(files, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func openBytes(b []byte, l arrowio.Limits) (arrowio.File, error) {
	return Format().Open(context.Background(), local.NewBytesSource(b), arrowio.OpenOptions{Limits: l})
}

func mustOpen(t testing.TB, name string) arrowio.File {
	t.Helper()
	f, err := openBytes(fixture(t, name), arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func checked(t testing.TB) *memory.CheckedAllocator {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

// readAll reads every row group in batches of n rows. The caller releases the records.
func readAll(f arrowio.File, columns []string, n int, mem memory.Allocator) (recs []arrow.Record, err error) {
	p, err := arrowio.Project(f.Schema(), columns)
	if err != nil {
		return nil, err
	}
	for _, s := range f.Splits() {
		r, err := f.Read(context.Background(), s, arrowio.RowSet{s.Rows}, p, mem)
		if err != nil {
			release(recs)
			return nil, err
		}
		for left := s.Rows.Len(); left > 0; {
			k := int(min(left, int64(n)))
			got, err := r.Read(k)
			if err == nil && got != k {
				err = errors.New("fewer rows than the split has")
			}
			var rec arrow.Record
			if err == nil {
				rec, err = r.Take()
			}
			if err != nil {
				r.Close()
				release(recs)
				return nil, err
			}
			recs = append(recs, rec)
			left -= int64(k)
		}
		r.Close()
	}
	return recs, nil
}

func release(recs []arrow.Record) {
	for _, r := range recs {
		r.Release()
	}
}

// normal makes what the script wrote comparable: numbers in the form of fixtures.Float.
func normal(v any, dt arrow.DataType) any {
	switch dt.ID() {
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		if s, ok := v.(string); ok {
			if f, err := strconv.ParseFloat(s, 64); err == nil {
				return fixtures.Float(f)
			}
		}
	}
	return v
}

func expected(t *testing.T) map[string][]any {
	var want map[string][]any
	if err := json.Unmarshal(fixture(t, "expected.json"), &want); err != nil {
		t.Fatal(err)
	}
	return want
}

func TestValues(t *testing.T) {
	want := expected(t)
	for _, name := range []string{"types.parquet", "plain.parquet", "nested.parquet"} {
		t.Run(name, func(t *testing.T) {
			f := mustOpen(t, name)
			for _, batch := range []int{1000, 7, 3, 1} {
				mem := checked(t)
				recs, err := readAll(f, nil, batch, mem)
				if err != nil {
					t.Fatal(err)
				}
				row := 0
				for _, rec := range recs {
					if err := arrowcheck.Record(rec); err != nil {
						t.Fatal(err)
					}
					for i := 0; i < int(rec.NumRows()); i++ {
						for c, col := range rec.Columns() {
							fld := rec.Schema().Field(c)
							w := want[fld.Name]
							if w == nil {
								continue
							}
							if g, w := fixtures.Value(col, i), normal(w[row%len(w)], fld.Type); !reflect.DeepEqual(g, w) {
								t.Errorf("batch %d: %s[%d] = %#v, want %#v", batch, fld.Name, row, g, w)
							}
						}
						row++
					}
				}
				release(recs)
			}
		})
	}
}

func TestStoredSchema(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"types.parquet": {
			"uint8": "uint8", "large_utf8": "large_utf8", "timestamp_us_tz": "timestamp[us, tz=Europe/Berlin]", "timestamp_us": "timestamp[us]",
			"dictionary": "dictionary<values=utf8, indices=int32, ordered=false>", "fixed_list": "fixed_size_list<item: int16, nullable>[2]", "map": "map<utf8, int64, items_nullable>",
		},
		"plain.parquet": {"uint8": "uint8", "large_utf8": "utf8", "timestamp_us_tz": "timestamp[us, tz=UTC]", "timestamp_us": "timestamp[us]"},
	} {
		s := mustOpen(t, name).Schema()
		for field, typ := range want {
			if fs, ok := s.FieldsByName(field); !ok || fs[0].Type.String() != typ {
				t.Errorf("%s: %s is %v, want %s", name, field, fs[0].Type, typ)
			}
		}
		if fs, _ := s.FieldsByName("required"); fs[0].Nullable {
			t.Errorf("%s: required is nullable", name)
		}
	}
}

func TestCodecs(t *testing.T) {
	for _, codec := range []string{"none", "snappy", "gzip", "brotli", "zstd", "lz4"} {
		recs, err := readAll(mustOpen(t, "codec_"+codec+".parquet"), nil, 1000, checked(t))
		if err != nil {
			t.Errorf("%s: %v", codec, err)
			continue
		}
		if v := recs[0].Column(0).ValueStr(199); v != "value 66" {
			t.Errorf("%s: %s", codec, v)
		}
		release(recs)
	}
}

func TestProjection(t *testing.T) {
	f := mustOpen(t, "nested.parquet")
	want := expected(t)
	recs, err := readAll(f, []string{"wide.p.r", "deep.x.y", "lists"}, 5, checked(t))
	if err != nil {
		t.Fatal(err)
	}
	row := 0
	for _, rec := range recs {
		if err := arrowcheck.Record(rec); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < int(rec.NumRows()); i++ {
			w := only(want["wide"][row], "p", "r")
			if g := fixtures.Value(rec.Column(0), i); !reflect.DeepEqual(g, w) {
				t.Errorf("wide[%d] = %v, want %v", row, g, w)
			}
			if g, w := fixtures.Value(rec.Column(1), i), only(want["deep"][row], "x", "y"); !reflect.DeepEqual(g, w) {
				t.Errorf("deep[%d] = %v, want %v", row, g, w)
			}
			if g, w := fixtures.Value(rec.Column(2), i), want["lists"][row]; !reflect.DeepEqual(g, w) {
				t.Errorf("lists[%d] = %v, want %v", row, g, w)
			}
			row++
		}
	}
	release(recs)
}

// only keeps the members at a path.
func only(v any, path ...string) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = only(v[i], path...)
		}
		return out
	case map[string]any:
		if len(path) > 0 {
			return map[string]any{path[0]: only(v[path[0]], path[1:]...)}
		}
	}
	return v
}

func TestSkip(t *testing.T) {
	f := mustOpen(t, "groups.parquet")
	p, _ := arrowio.Project(f.Schema(), []string{"l", "i"})
	mem := checked(t)
	for skip := int64(0); skip <= 10; skip++ {
		s := f.Splits()[3]
		r, err := f.Read(context.Background(), s, arrowio.RowSet{{Start: 30 + skip, End: 40}}, p, mem)
		if err != nil {
			t.Fatal(err)
		}
		r.Skip(skip)
		n, err := r.Read(10)
		if err != nil || int64(n) != 10-skip {
			t.Fatal(n, err)
		}
		rec, err := r.Take()
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 && fixtures.Value(rec.Column(1), 0) != strconv.Itoa(int(30+skip)) {
			t.Errorf("behind %d rows: %v", skip, fixtures.Value(rec.Column(1), 0))
		}
		rec.Release()
		r.Close()
	}
}

func TestPrune(t *testing.T) {
	f := mustOpen(t, "groups.parquet")
	for _, c := range []struct {
		filter string
		groups []int
	}{
		{"i = 55", []int{5}},
		{"i < 10", []int{0}},
		{"i >= 95 OR i = 0", []int{0, 9}},
		{"u >= 9223372036854775898", []int{9}},
		{"s = 'row 042'", []int{4}},
		{"s > 'row 08'", []int{8, 9}},
		{"st.a = 20", []int{2}},
		{"n IS NULL", []int{0, 1}},
		{"n IS NOT NULL", []int{2, 3, 4, 5, 6, 7, 8, 9}},
		{"f > 48", []int{9}},
		{"t < '1970-01-01T00:00:05'", []int{0}},
	} {
		e, err := expr.Parse(c.filter)
		if err != nil {
			t.Fatal(err)
		}
		b, err := expr.Bind(e, f.Schema())
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, s := range f.Splits() {
			rows, err := f.Prune(context.Background(), s, b)
			if err != nil {
				t.Fatal(err)
			}
			if rows.Len() > 0 {
				got = append(got, s.Ordinal)
			}
		}
		if !reflect.DeepEqual(got, c.groups) {
			t.Errorf("%s: row groups %v, want %v", c.filter, got, c.groups)
		}
	}
}

func TestInfo(t *testing.T) {
	info, err := mustOpen(t, "types.parquet").Info(context.Background(), arrowio.InfoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if info.Rows != 10 || len(info.Splits) != 2 || info.Columns[0].Codec != "SNAPPY" || info.Columns[0].Path != "int8" || info.Columns[0].Type != "int8" || len(info.Notes) != 0 {
		t.Errorf("%+v", info)
	}
}

// pyarrow's writer puts the row groups one behind the other from offset 4 on, and their chunks in the order of the columns.
func TestInfoBlocks(t *testing.T) {
	f := mustOpen(t, "types.parquet")
	plain, err := f.Info(context.Background(), arrowio.InfoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Info(context.Background(), arrowio.InfoOptions{Blocks: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(plain.Groups) != 0 || len(plain.Columns[0].BlockList) != 0 || len(info.Groups) != len(f.Splits()) {
		t.Fatalf("%+v", info.Groups)
	}
	at, rows := int64(4), int64(0)
	for g, group := range info.Groups {
		if group.Off != at || group.Rows.Start != rows {
			t.Errorf("group %d: %+v, want it at %d from row %d", g, group, at, rows)
		}
		for i, c := range info.Columns {
			if len(c.BlockList) != len(info.Groups) || c.Blocks != len(c.BlockList) {
				t.Fatalf("%s: %d chunks", c.Path, len(c.BlockList))
			}
			b := c.BlockList[g]
			if b.Group != g || b.Off != at || b.Bytes <= 0 || b.RawBytes <= 0 || b.Rows != group.Rows.Len() || b.Encoding == "" {
				t.Errorf("column %d, group %d: %+v, want it at %d", i, g, b, at)
			}
			at += b.Bytes
		}
		rows = group.Rows.End
	}
	if rows != info.Rows {
		t.Errorf("%d rows in the groups of %d", rows, info.Rows)
	}
}

func TestOnlyWhatIsAskedFor(t *testing.T) {
	src := arrowio.NewCountingSource(local.NewBytesSource(fixture(t, "groups.parquet")))
	f, err := Format().Open(context.Background(), src, arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	before := src.Bytes()
	recs, err := readAll(f, []string{"i"}, 100, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	release(recs)
	if n := src.Bytes() - before; n > 2000 {
		t.Errorf("100 integers took %d bytes", n)
	}
}

func TestLimits(t *testing.T) {
	for _, l := range []arrowio.Limits{{MetadataBytes: 1000}, {Columns: 3}, {Splits: 1}, {SplitBytes: 100}, {BatchBytes: 8}, {Depth: 1}} {
		f, err := openBytes(fixture(t, "nested.parquet"), l)
		if err == nil {
			_, err = readAll(f, nil, 100, memory.NewGoAllocator())
		}
		if !errors.Is(err, errs.ErrLimit) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// hostile reads b and wants an error about data, or sound batches. Arrow's readers leave memory behind when they
// panic, which is why it is not counted here.
func hostile(t testing.TB, b []byte) error {
	limits := arrowio.Limits{BatchBytes: 16 << 20, MetadataBytes: 1 << 20, SplitBytes: 64 << 20}
	f, err := openBytes(b, limits)
	if err != nil {
		return kindOf(t, err)
	}
	f.Info(context.Background(), arrowio.InfoOptions{Blocks: true})
	rows := int64(0)
	for _, s := range f.Splits() {
		rows += s.Rows.Len()
	}
	if rows > 1<<16 {
		return nil // sound metadata may promise rows that take no bytes, and a scan asks for one batch at a time
	}
	if err := f.(arrowio.Verifier).Verify(context.Background(), func(err error) { _ = kindOf(t, err) }); err != nil {
		return kindOf(t, err)
	}
	recs, err := readAll(f, nil, 1<<16, memory.NewGoAllocator())
	if err != nil {
		return kindOf(t, err)
	}
	for _, r := range recs {
		if err := arrowcheck.Record(r); err != nil {
			t.Fatalf("an unsound batch came out: %v", err)
		}
	}
	release(recs)
	return nil
}

func kindOf(t testing.TB, err error) error {
	var e *errs.Error
	if errors.As(err, &e) && e.Kind == errs.ErrInternal {
		t.Fatalf("not an error about data: %v", err)
	}
	return err
}

func TestTruncated(t *testing.T) {
	b := fixture(t, "nested.parquet")
	for n := 0; n < len(b); n += 7 {
		if hostile(t, b[:n:n]) == nil {
			t.Fatalf("%d bytes of %d are read without an error", n, len(b))
		}
	}
}

func TestFlippedBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"nested.parquet", "types.parquet", "plain.parquet", "codec_none.parquet"} {
		b := fixture(t, name)
		for range 30 {
			c := append([]byte(nil), b...)
			for range 1 + rng.IntN(3) {
				c[rng.IntN(len(c))] ^= 1 << rng.IntN(8)
			}
			hostile(t, c)
		}
	}
}

func FuzzFile(f *testing.F) {
	for _, name := range []string{"nested.parquet", "plain.parquet", "codec_none.parquet", "codec_gzip.parquet"} {
		f.Add(fixture(f, name))
	}
	rec := table(40)
	defer rec.Release()
	f.Add(written(f, []arrow.Record{rec}, "none", map[string]string{"parquet-page-rows": "15", "parquet-page-index": "yes", "parquet-bloom": "id"}))
	f.Fuzz(func(t *testing.T, b []byte) { hostile(t, b) })
}

func FuzzFooter(f *testing.F) {
	for _, name := range []string{"nested.parquet", "codec_none.parquet"} {
		b, err := readFooter(context.Background(), local.NewBytesSource(fixture(f, name)), arrowio.Limits{}.WithDefaults())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { parseFooter(b, 0, arrowio.Limits{MetadataBytes: 1 << 20}.WithDefaults()) })
}
