package ipc

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	aipc "github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowcheck"
	"github.com/arrowio/arrowio/internal/fixtures"
)

const files = "../../testdata/ipc/pyarrow-26.0.1"

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(files, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func open(b []byte, name string, o arrowio.OpenOptions) (arrowio.File, error) {
	f := Format()
	if strings.HasSuffix(name, ".arrows") {
		f = StreamFormat()
	}
	return f.Open(context.Background(), local.NewBytesSource(b), o)
}

func mustOpen(t testing.TB, name string) arrowio.File {
	t.Helper()
	f, err := open(fixture(t, name), name, arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// readAll reads every split of f in batches of n rows. The caller releases the records.
func readAll(f arrowio.File, columns []string, n int, mem memory.Allocator) (recs []arrow.Record, err error) {
	defer func() {
		if err != nil {
			release(recs)
			recs = nil
		}
	}()
	ctx := context.Background()
	p, err := arrowio.Project(f.Schema(), columns)
	if err != nil {
		return nil, err
	}
	for _, s := range f.Splits() {
		rows := arrowio.RowSet{s.Rows}
		r, err := f.Read(ctx, s, rows, p, mem)
		if err != nil {
			return recs, err
		}
		for {
			k := n
			if s.Known() {
				k = int(min(int64(n), s.Rows.Len()))
				s.Rows.Start += int64(k)
			}
			got, err := r.Read(k)
			if err != nil {
				r.Close()
				return recs, err
			}
			if got == 0 {
				break
			}
			rec, err := r.Take()
			if err != nil {
				r.Close()
				return recs, err
			}
			recs = append(recs, rec)
		}
		if err := r.Close(); err != nil {
			return recs, err
		}
	}
	return recs, nil
}

func release(recs []arrow.Record) {
	for _, r := range recs {
		r.Release()
	}
}

func checked(t testing.TB) *memory.CheckedAllocator {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

// normal makes what the script wrote comparable: numbers in the form of fixtures.Float.
func normal(v any, dt arrow.DataType) any {
	s, ok := v.(string)
	if !ok || dt.ID() != arrow.FLOAT16 && dt.ID() != arrow.FLOAT32 && dt.ID() != arrow.FLOAT64 {
		return v
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return v
	}
	return fixtures.Float(f)
}

func TestTypes(t *testing.T) {
	var want map[string][]any
	if err := json.Unmarshal(fixture(t, "expected.json"), &want); err != nil {
		t.Fatal(err)
	}
	for name, copies := range map[string]int{"types.arrow": 2, "types.arrows": 2, "types_lz4.arrow": 2, "types_zstd.arrows": 1} {
		t.Run(name, func(t *testing.T) {
			f := mustOpen(t, name)
			for _, batch := range []int{1000, 5, 3, 1} {
				mem := checked(t)
				recs, err := readAll(f, nil, batch, mem)
				if err != nil {
					t.Fatal(err)
				}
				rows := 0
				for _, rec := range recs {
					if err := arrowcheck.Record(rec); err != nil {
						t.Fatal(err)
					}
					for i := 0; i < int(rec.NumRows()); i++ {
						for c, col := range rec.Columns() {
							fld := rec.Schema().Field(c)
							if fld.Name == "required" {
								continue
							}
							w := want[fld.Name][(rows+i)%5]
							if fld.Name == "list_struct" || fld.Name == "dictionary_u8" { // floats further down
								w = anyFloat(w)
							}
							if g := fixtures.Value(col, i); !reflect.DeepEqual(g, normal(w, fld.Type)) {
								t.Errorf("batch %d: %s[%d] = %#v, want %#v", batch, fld.Name, rows+i, g, w)
							}
						}
					}
					rows += int(rec.NumRows())
				}
				if rows != 5*copies {
					t.Errorf("%d rows, want %d", rows, 5*copies)
				}
				release(recs)
			}
		})
	}
}

func anyFloat(v any) any {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, ".") {
			return normal(v, arrow.PrimitiveTypes.Float64)
		}
	case []any:
		for i := range v {
			v[i] = anyFloat(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = anyFloat(v[k])
		}
	}
	return v
}

func TestSchema(t *testing.T) {
	f := mustOpen(t, "types.arrow")
	r, err := aipc.NewFileReader(newSeeker(fixture(t, "types.arrow")))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i, w := range r.Schema().Fields() {
		if g := f.Schema().Field(i); !g.Equal(w) {
			t.Errorf("field %d is %v, arrow says %v", i, g, w)
		}
	}
	for _, c := range []struct{ field, typ string }{
		{"map", "map<utf8, int64, items_nullable>"},
		{"timestamp_ns_tz", "timestamp[ns, tz=Europe/Berlin]"},
		{"dictionary_ordered", "dictionary<values=utf8, indices=int16, ordered=true>"},
	} {
		fs, _ := f.Schema().FieldsByName(c.field)
		if got := fs[0].Type.String(); got != c.typ {
			t.Errorf("%s is %s, want %s", c.field, got, c.typ)
		}
		if note, _ := fs[0].Metadata.GetValue("note"); note != c.field {
			t.Errorf("%s has the note %q", c.field, note)
		}
	}
	if fs, _ := f.Schema().FieldsByName("required"); fs[0].Nullable {
		t.Error("required is nullable")
	}
	md := f.Schema().Metadata()
	if v, ok := md.GetValue("origin"); !ok || v != "pyarrow" {
		t.Errorf("metadata %v", md)
	}
}

func newSeeker(b []byte) *io.SectionReader {
	return io.NewSectionReader(local.NewBytesSource(b), 0, int64(len(b)))
}

// TestRows reads row ranges across the edges of batches.
func TestRows(t *testing.T) {
	for _, name := range []string{"batches.arrow", "batches.arrows"} {
		mem := checked(t)
		f := mustOpen(t, name)
		p, err := arrowio.Project(f.Schema(), []string{"nested.a", "row"})
		if err != nil {
			t.Fatal(err)
		}
		for _, skip := range []int64{0, 1, 6, 7, 8, 20, 149, 150, 200} {
			s := f.Splits()[0]
			rows := arrowio.RowSet{{Start: skip, End: 150}}
			r, err := f.Read(context.Background(), s, rows, p, mem)
			if err != nil {
				t.Fatal(err)
			}
			passed, err := r.Skip(skip)
			if err != nil || passed != min(skip, 150) {
				t.Fatalf("%s: skipped %d of %d: %v", name, passed, skip, err)
			}
			want := passed
			for _, n := range []int{3, 10, 1000} {
				got, err := r.Read(n)
				if err != nil || int64(got) != min(int64(n), 150-want) {
					t.Fatalf("%s: read %d of %d behind %d: %v", name, got, n, want, err)
				}
				rec, err := r.Take()
				if err != nil {
					t.Fatal(err)
				}
				if rec.NumRows() != int64(got) || !rec.Schema().Equal(p.Schema) {
					t.Fatalf("%s: %d rows of %v", name, rec.NumRows(), rec.Schema())
				}
				for i := 0; i < got; i++ {
					v := strconv.FormatInt(want, 10)
					if w := map[string]any{"a": v}; !reflect.DeepEqual(fixtures.Value(rec.Column(0), i), w) || fixtures.Value(rec.Column(1), i) != v {
						t.Fatalf("%s: row %d is %v, %v", name, want, fixtures.Value(rec.Column(0), i), fixtures.Value(rec.Column(1), i))
					}
					want++
				}
				rec.Release()
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			r.Close()
		}
	}
}

func TestWholeBatchesAreNotCopied(t *testing.T) {
	f := mustOpen(t, "types.arrow")
	p, _ := arrowio.Project(f.Schema(), []string{"int64"})
	s := f.Splits()[0]
	r, err := f.Read(context.Background(), s, arrowio.RowSet{s.Rows}, p, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n := r.(arrowio.Sizer).Fit(10, 1<<20); n != 5 {
		t.Fatalf("fit says %d, the batch has 5", n)
	}
	if n := r.(arrowio.Sizer).Fit(10, 1); n != 1 {
		t.Fatalf("fit says %d for a byte", n)
	}
	r.Read(5)
	rec, _ := r.Take()
	defer rec.Release()
	if b := rec.Column(0).Data().Buffers()[1]; b.Parent() == nil {
		t.Error("the values are a copy of the bytes that were read")
	}
}

// TestOnlyWhatIsAskedFor counts the bytes that a projection reads.
func TestOnlyWhatIsAskedFor(t *testing.T) {
	const n = 1 << 17
	fields := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "b", Type: arrow.PrimitiveTypes.Int64}, {Name: "c", Type: arrow.PrimitiveTypes.Int64}}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for i := range fields {
		b.Field(i).(*array.Int64Builder).AppendValues(make([]int64, n), nil)
	}
	rec := b.NewRecord()
	defer rec.Release()
	path := filepath.Join(t.TempDir(), "x.arrow")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, _ := aipc.NewFileWriter(out, aipc.WithSchema(schema))
	if err := errors.Join(w.Write(rec), w.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
	fs, err := local.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	src := arrowio.NewCountingSource(fs)
	f, err := Format().Open(context.Background(), src, arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	recs, err := readAll(f, []string{"b"}, n, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	release(recs)
	if got := src.Bytes(); got > 8*n+10_000 {
		t.Errorf("one column of %d bytes took %d", 8*n, got)
	}
}

func TestDictionaries(t *testing.T) {
	in := func(s string) any { return map[string]any{"s": s, "n": ""} }
	_ = in
	for name, want := range map[string][]any{
		"dict_delta.arrow":    {"a", "b", nil, "c", "a", "b", "e", "d"},
		"dict_delta.arrows":   {"a", "b", nil, "c", "a", "b", "e", "d"},
		"dict_replace.arrows": {"a", "b", nil, "x", "x", "z", "y"},
		"dict_nested.arrow": {
			map[string]any{"s": nil, "n": "3"},
			map[string]any{"s": "in", "n": "2"},
			map[string]any{"s": "out", "n": "1"},
			nil,
		},
		"dict_nested.arrows": {
			map[string]any{"s": nil, "n": "3"},
			map[string]any{"s": "in", "n": "2"},
			map[string]any{"s": "out", "n": "1"},
			nil,
		},
	} {
		for _, batch := range []int{1, 3, 100} {
			recs, err := readAll(mustOpen(t, name), []string{"d"}, batch, checked(t))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			var got []any
			for _, rec := range recs {
				for i := 0; i < int(rec.NumRows()); i++ {
					got = append(got, fixtures.Value(rec.Column(0), i))
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, batches of %d: %v, want %v", name, batch, got, want)
			}
			release(recs)
		}
	}
}

func TestEmpty(t *testing.T) {
	for _, name := range []string{"empty.arrow", "empty.arrows", "nocolumns.arrow"} {
		f := mustOpen(t, name)
		recs, err := readAll(f, nil, 10, checked(t))
		if err != nil || len(recs) != 0 {
			t.Errorf("%s: %d records, %v", name, len(recs), err)
		}
		if _, err := f.Info(context.Background(), arrowio.InfoOptions{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOldFraming(t *testing.T) {
	for _, name := range []string{"old.arrow", "old.arrows"} {
		recs, err := readAll(mustOpen(t, name), []string{"row"}, 100, checked(t))
		if err != nil || len(recs) != 1 || recs[0].NumRows() != 21 {
			t.Fatalf("%s: %v", name, err)
		}
		if v := fixtures.Value(recs[0].Column(0), 20); v != "20" {
			t.Errorf("%s: row 20 is %v", name, v)
		}
		release(recs)
	}
}

func TestMatch(t *testing.T) {
	for name, want := range map[string][2]bool{
		"types.arrow": {true, false}, "types.arrows": {false, true}, "expected.json": {false, false}, "old.arrow": {true, false},
	} {
		head := fixture(t, name)[:64]
		if got := [2]bool{Format().Match(head, nil), StreamFormat().Match(head, nil)}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for n := range 12 {
		Format().Match(make([]byte, n), nil)
		StreamFormat().Match(make([]byte, n), nil)
	}
}

func TestInfo(t *testing.T) {
	info, err := mustOpen(t, "types_lz4.arrow").Info(context.Background(), arrowio.InfoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if info.Rows != 10 || info.Version != "V5" || string(info.Metadata["origin"]) != "pyarrow" || info.Columns[0].Codec != "lz4" || info.Columns[0].Bytes == 0 {
		t.Errorf("%+v", info)
	}
}

func TestOptions(t *testing.T) {
	if _, err := open(fixture(t, "types.arrow"), "types.arrow", arrowio.OpenOptions{Options: map[string]string{"x": "y"}}); !errors.Is(err, errs.ErrOption) {
		t.Errorf("got %v", err)
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name string
		l    arrowio.Limits
	}{
		{"types.arrow", arrowio.Limits{MetadataBytes: 1000}},
		{"types.arrow", arrowio.Limits{Columns: 10}},
		{"types.arrow", arrowio.Limits{Depth: 1}},
		{"types.arrow", arrowio.Limits{BatchBytes: 1000}},
		{"types.arrow", arrowio.Limits{BatchElements: 4}},
		{"types_lz4.arrow", arrowio.Limits{BatchBytes: 1000}},
		{"types.arrow", arrowio.Limits{SplitBytes: 1000}},
		{"dict_delta.arrow", arrowio.Limits{DictionaryBytes: 4}},
		{"types.arrows", arrowio.Limits{MetadataBytes: 1000}},
	} {
		f, err := open(fixture(t, c.name), c.name, arrowio.OpenOptions{Limits: c.l})
		if err == nil {
			_, err = readAll(f, nil, 100, checked(t))
		}
		if !errors.Is(err, errs.ErrLimit) {
			t.Errorf("%s with %+v: %v", c.name, c.l, err)
		}
	}
}

// budget is an allocator that fails the test when hostile bytes make a reader allocate much more than they are.
type budget struct {
	memory.Allocator
	t    testing.TB
	most int
}

func (b *budget) Allocate(n int) []byte {
	if n > b.most {
		b.t.Fatalf("%d bytes allocated at once", n)
	}
	return b.Allocator.Allocate(n)
}

// hostile reads b and wants an error or sound batches, and no leak.
func hostile(t testing.TB, b []byte, name string) error {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	limits := arrowio.Limits{BatchBytes: 16 << 20, BatchElements: 1 << 16, MetadataBytes: 1 << 20, SplitBytes: 64 << 20}
	f, err := open(b, name, arrowio.OpenOptions{Limits: limits})
	if err != nil {
		return kinded(t, err)
	}
	defer f.Close()
	recs, err := readAll(f, nil, 1<<16, &budget{mem, t, 64 << 20})
	if err != nil {
		return kinded(t, err)
	}
	for _, r := range recs {
		if err := arrowcheck.Record(r); err != nil {
			t.Fatalf("an unsound batch came out: %v", err)
		}
	}
	release(recs)
	return nil
}

// kinded wants an error that says that the data are at fault, not the program.
func kinded(t testing.TB, err error) error {
	var e *errs.Error
	if !errors.As(err, &e) || e.Kind == errs.ErrInternal {
		t.Fatalf("not an error about data: %v", err)
	}
	return err
}

func TestTruncated(t *testing.T) {
	for _, name := range []string{"types.arrow", "dict_delta.arrow"} {
		b := fixture(t, name)
		for n := 0; n < len(b); n += 1 + n/100 {
			if hostile(t, b[:n:n], name) == nil {
				t.Fatalf("%s: %d bytes of %d are read without an error", name, n, len(b))
			}
		}
	}
	b := fixture(t, "types.arrows") // a stream may end between messages
	for n := 0; n < len(b); n += 1 + n/100 {
		hostile(t, b[:n:n], "types.arrows")
	}
}

func TestFlippedBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"types.arrow", "types_lz4.arrow", "types_zstd.arrows", "types.arrows", "dict_delta.arrow", "dict_nested.arrows", "dict_replace.arrows"} {
		b := fixture(t, name)
		for range 80 {
			c := append([]byte(nil), b...)
			for range 1 + rng.IntN(3) {
				c[rng.IntN(len(c))] ^= 1 << rng.IntN(8)
			}
			hostile(t, c, name)
		}
	}
}

// TestLies puts extreme numbers in the place of every second word.
func TestLies(t *testing.T) {
	b := fixture(t, "dict_delta.arrow")
	for _, lie := range []uint32{0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF} {
		for at := 0; at+4 <= len(b); at += 8 {
			c := append([]byte(nil), b...)
			binary.LittleEndian.PutUint32(c[at:], lie)
			hostile(t, c, "dict_delta.arrow")
		}
	}
}

func FuzzFile(f *testing.F) {
	for _, name := range []string{"types.arrow", "types_lz4.arrow", "dict_delta.arrow", "dict_nested.arrow", "batches.arrow", "empty.arrow", "nocolumns.arrow", "old.arrow"} {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) { hostile(t, b, ".arrow") })
}

func FuzzStream(f *testing.F) {
	for _, name := range []string{"types.arrows", "types_zstd.arrows", "dict_delta.arrows", "dict_replace.arrows", "dict_nested.arrows", "empty.arrows", "old.arrows"} {
		f.Add(fixture(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) { hostile(t, b, ".arrows") })
}
