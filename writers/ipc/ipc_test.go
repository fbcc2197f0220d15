package ipc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
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
	reader "github.com/arrowio/arrowio/readers/ipc"
)

const fixtures = "../../testdata/ipc/pyarrow-26.0.1/"

var formats = []arrowio.OutputFormat{Format(), StreamFormat()}

// write returns the objects that a format makes of recs.
func write(f arrowio.OutputFormat, recs []arrow.Record, s *arrow.Schema, o arrowio.WriteOptions) (map[string][]byte, error) {
	ctx := context.Background()
	p, err := f.Plan(s, o)
	if err != nil {
		return nil, err
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(ctx, f, st, p)
	if err != nil {
		return nil, err
	}
	for _, r := range recs {
		if err := w.Write(r); err != nil {
			return nil, err
		}
	}
	return st.Objects(), w.Close()
}

func one(t testing.TB, f arrowio.OutputFormat, recs []arrow.Record, o arrowio.WriteOptions) []byte {
	t.Helper()
	p, err := f.Plan(recs[0].Schema(), o)
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
	if len(st.Objects()) != 1 {
		t.Fatalf("%d objects", len(st.Objects()))
	}
	return st.Objects()["part-00000"+f.Extensions[0]]
}

// read returns all rows, checked. The caller releases the records.
func read(t testing.TB, name string, b []byte, mem memory.Allocator) []arrow.Record {
	t.Helper()
	ctx := context.Background()
	f := reader.Format()
	if name == "ipc-stream" {
		f = reader.StreamFormat()
	}
	file, err := f.Open(ctx, local.NewBytesSource(b), arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, _ := arrowio.Project(file.Schema(), nil)
	var recs []arrow.Record
	for _, s := range file.Splits() {
		r, err := file.Read(ctx, s, arrowio.RowSet{s.Rows}, p, mem)
		if err != nil {
			t.Fatal(err)
		}
		for {
			n := 1 << 20
			if s.Known() {
				n = int(s.Rows.Len())
			}
			k := r.(arrowio.Sizer).Fit(n, 1<<30)
			got, err := r.Read(k)
			if err != nil {
				t.Fatal(err)
			}
			if got == 0 {
				break
			}
			s.Rows.Start += int64(got)
			rec, err := r.Take()
			if err != nil {
				t.Fatal(err)
			}
			if err := arrowcheck.Record(rec); err != nil {
				t.Fatal(err)
			}
			recs = append(recs, rec)
			if s.Known() && s.Rows.Len() == 0 {
				break
			}
		}
		r.Close()
	}
	return recs
}

func release(recs []arrow.Record) {
	for _, r := range recs {
		r.Release()
	}
}

// equal compares rows, however they are cut into batches and encoded by dictionaries.
func equal(t testing.TB, got, want []arrow.Record) {
	t.Helper()
	g, w := array.NewTableFromRecords(got[0].Schema(), got), array.NewTableFromRecords(want[0].Schema(), want)
	defer g.Release()
	defer w.Release()
	if !got[0].Schema().Equal(want[0].Schema()) {
		t.Errorf("schema %v, want %v", got[0].Schema(), want[0].Schema())
	}
	if g.NumRows() != w.NumRows() {
		t.Fatalf("%d rows, want %d", g.NumRows(), w.NumRows())
	}
	for c := 0; c < int(g.NumCols()); c++ {
		if gs, ws := texts(g.Column(c).Data()), texts(w.Column(c).Data()); fmt.Sprint(gs) != fmt.Sprint(ws) {
			t.Errorf("%s:\n%v, want\n%v", g.Column(c).Name(), gs, ws)
		}
	}
}

func texts(c *arrow.Chunked) (out []string) {
	for _, a := range c.Chunks() {
		for i := 0; i < a.Len(); i++ {
			if a.IsNull(i) {
				out = append(out, "NULL")
			} else {
				out = append(out, fmt.Sprintf("%q", a.ValueStr(i)))
			}
		}
	}
	return out
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(fixtures + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func checked(t testing.TB) *memory.CheckedAllocator {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	t.Cleanup(func() { mem.AssertSize(t, 0) })
	return mem
}

func TestEveryType(t *testing.T) {
	for _, f := range formats {
		for _, codec := range []string{"", "none", "lz4", "zstd"} {
			mem := checked(t)
			want := read(t, "ipc", fixture(t, "types.arrow"), mem)
			b := one(t, f, want, arrowio.WriteOptions{Compression: codec, Allocator: mem})
			got := read(t, f.Name, b, mem)
			equal(t, got, want)
			release(got)
			release(want)
		}
	}
}

// TestArrowReads reads what was written with arrow's own package.
func TestArrowReads(t *testing.T) {
	want := read(t, "ipc", fixture(t, "types.arrow"), memory.NewGoAllocator())
	b := one(t, Format(), want, arrowio.WriteOptions{})
	r, err := aipc.NewFileReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.NumRecords() != len(want) {
		t.Fatalf("%d batches, want %d", r.NumRecords(), len(want))
	}
	for i := range want {
		rec, err := r.Record(i)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, []arrow.Record{rec}, want[i:i+1])
	}
}

// TestSlices writes every slice of a batch: arrow's writer, left to itself, gets most of them wrong.
func TestSlices(t *testing.T) {
	mem := checked(t)
	whole := read(t, "ipc", fixture(t, "types.arrow"), mem)
	defer release(whole)
	for _, f := range formats {
		for from := int64(0); from < 5; from++ {
			for to := from + 1; to <= 5; to++ {
				s := whole[0].NewSlice(from, to)
				got := read(t, f.Name, one(t, f, []arrow.Record{s}, arrowio.WriteOptions{Allocator: mem}), mem)
				equal(t, got, []arrow.Record{s})
				release(got)
				s.Release()
			}
		}
	}
}

func dictionaryBatch(mem memory.Allocator, schema *arrow.Schema, values []string, indices []int8) arrow.Record {
	vb, ib := array.NewStringBuilder(mem), array.NewInt8Builder(mem)
	defer vb.Release()
	defer ib.Release()
	vb.AppendValues(values, nil)
	for _, i := range indices {
		if i < 0 {
			ib.AppendNull()
		} else {
			ib.Append(i)
		}
	}
	v, i := vb.NewArray(), ib.NewArray()
	defer v.Release()
	defer i.Release()
	d := array.NewDictionaryArray(schema.Field(0).Type, i, v)
	defer d.Release()
	return array.NewRecord(schema, []arrow.Array{d}, int64(d.Len()))
}

var dictionarySchema = arrow.NewSchema([]arrow.Field{{
	Name: "d", Nullable: true,
	Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
}}, nil)

func TestDictionariesThatChange(t *testing.T) {
	for _, f := range formats {
		mem := checked(t)
		want := []arrow.Record{
			dictionaryBatch(mem, dictionarySchema, []string{"a", "b"}, []int8{0, 1, -1}),
			dictionaryBatch(mem, dictionarySchema, []string{"a", "b"}, []int8{1, 1}),
			dictionaryBatch(mem, dictionarySchema, []string{"a", "b", "c"}, []int8{2, 0}),
			dictionaryBatch(mem, dictionarySchema, []string{"x", "b"}, []int8{0, 1, 0}),
			dictionaryBatch(mem, dictionarySchema, []string{"z"}, []int8{-1}),
		}
		b := one(t, f, want, arrowio.WriteOptions{Allocator: mem})
		got := read(t, f.Name, b, mem)
		equal(t, got, want)
		if f.Name == "ipc" {
			d := got[len(got)-1].Column(0).(*array.Dictionary).Dictionary()
			if s := fmt.Sprint(d); s != `["a" "b" "c" "x"]` {
				t.Errorf("the dictionary is %s", s)
			}
		}
		release(got)
		release(want)
	}
}

func TestEqualDictionariesAreWrittenOnce(t *testing.T) {
	mem := memory.NewGoAllocator()
	values := []string{strings.Repeat("a long value", 1000)}
	var recs []arrow.Record
	for range 10 {
		recs = append(recs, dictionaryBatch(mem, dictionarySchema, values, []int8{0, 0}))
	}
	for _, f := range formats {
		if b := one(t, f, recs, arrowio.WriteOptions{}); len(b) > 20_000 {
			t.Errorf("%s: %d bytes for a dictionary of 12 000", f.Name, len(b))
		}
	}
}

func TestDictionaryGrowsTooLarge(t *testing.T) {
	mem := checked(t)
	var recs []arrow.Record
	for i := range 2 {
		values, indices := make([]string, 100), make([]int8, 100)
		for j := range values {
			values[j], indices[j] = fmt.Sprint(i, j), int8(j)
		}
		recs = append(recs, dictionaryBatch(mem, dictionarySchema, values, indices))
	}
	defer release(recs)
	if _, err := write(Format(), recs, dictionarySchema, arrowio.WriteOptions{Allocator: mem}); !errors.Is(err, errs.ErrSchema) {
		t.Errorf("got %v", err)
	}
}

func TestNestedDictionaries(t *testing.T) {
	for _, name := range []string{"dict_nested.arrow", "dict_delta.arrow"} {
		for _, f := range formats {
			mem := checked(t)
			want := read(t, "ipc", fixture(t, name), mem)
			got := read(t, f.Name, one(t, f, want, arrowio.WriteOptions{Allocator: mem}), mem)
			equal(t, got, want)
			release(got)
			release(want)
		}
	}
}

func TestNoRowsAndNoColumns(t *testing.T) {
	for _, f := range formats {
		for _, s := range []*arrow.Schema{dictionarySchema, arrow.NewSchema(nil, nil)} {
			p, err := f.Plan(s, arrowio.WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			st := local.NewMemStore()
			w, err := arrowio.NewWriter(context.Background(), f, st, p)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if recs := read(t, f.Name, st.Objects()["part-00000"+f.Extensions[0]], memory.NewGoAllocator()); len(recs) != 0 {
				t.Errorf("%d batches", len(recs))
			}
		}
		rec := array.NewRecord(arrow.NewSchema(nil, nil), nil, 7)
		if recs := read(t, f.Name, one(t, f, []arrow.Record{rec}, arrowio.WriteOptions{}), memory.NewGoAllocator()); len(recs) != 1 || recs[0].NumRows() != 7 {
			t.Errorf("%s: rows without columns got lost", f.Name)
		}
	}
}

func TestParts(t *testing.T) {
	mem := checked(t)
	recs := read(t, "ipc-stream", fixture(t, "batches.arrows"), mem)
	defer release(recs)
	ctx := context.Background()
	p, _ := Format().Plan(recs[0].Schema(), arrowio.WriteOptions{MaxFileBytes: 4000, Allocator: mem})
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(ctx, Format(), st, p)
	if err != nil {
		t.Fatal(err)
	}
	for from := int64(0); from < recs[0].NumRows(); from += 10 {
		r := recs[0].NewSlice(from, from+10)
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
		r.Release()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got []arrow.Record
	n := len(st.Objects())
	for i := range n {
		got = append(got, read(t, "ipc", st.Objects()[fmt.Sprintf("part-%05d.arrow", i)], mem)...)
	}
	if n < 3 {
		t.Errorf("%d parts", n)
	}
	equal(t, got, recs)
	release(got)
}

func TestAbortLeavesNothing(t *testing.T) {
	mem := checked(t)
	recs := read(t, "ipc", fixture(t, "types.arrow"), mem)
	defer release(recs)
	for _, f := range formats {
		p, _ := f.Plan(recs[0].Schema(), arrowio.WriteOptions{Allocator: mem})
		st := local.NewMemStore()
		w, err := arrowio.NewWriter(context.Background(), f, st, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(recs[0]), w.Abort(), w.Abort()); err != nil {
			t.Fatal(err)
		}
		if len(st.Objects()) != 0 {
			t.Error("something is left")
		}
	}
}

func TestPlan(t *testing.T) {
	for _, f := range formats {
		for _, o := range []arrowio.WriteOptions{{Compression: "snappy"}, {Compression: "zstd:3"}, {Options: map[string]string{"x": "y"}}} {
			if _, err := f.Plan(dictionarySchema, o); !errors.Is(err, errs.ErrOption) {
				t.Errorf("%+v: %v", o, err)
			}
		}
	}
}
