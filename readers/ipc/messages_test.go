package ipc

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowipc"
)

// cutUp returns the messages of a stream, metadata and body.
func cutUp(t testing.TB, b []byte) (out [][2][]byte) {
	t.Helper()
	for len(b) > 0 {
		prefix, n, err := arrowipc.Framing(b)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
		m, err := arrowipc.ParseMessage(b[prefix:prefix+n], arrowio.Limits{}.WithDefaults())
		if err != nil {
			t.Fatal(err)
		}
		end := prefix + n
		out = append(out, [2][]byte{b[prefix:end], b[end : end+m.Body]})
		b = b[end+m.Body:]
	}
	return out
}

func sourceOf(all [][2][]byte) MessageSource {
	return func(context.Context) (metadata, body []byte, err error) {
		if len(all) == 0 {
			return nil, nil, io.EOF
		}
		m := all[0]
		all = all[1:]
		return m[0], m[1], nil
	}
}

func streams(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/ipc/*/*.arrows")
	if err != nil || len(paths) == 0 {
		t.Fatal("no fixtures", err)
	}
	return paths
}

func rowsOf(t testing.TB, f arrowio.File, mem memory.Allocator) (out []arrow.Record) {
	t.Helper()
	s, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{Parallelism: 1, Allocator: mem})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	for s.Next() {
		s.Record().Retain()
		out = append(out, s.Record())
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return out
}

// Messages that a transport hands over are what they are in a file.
func TestMessages(t *testing.T) {
	for _, path := range streams(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := StreamFormat().Open(t.Context(), local.NewBytesSource(b), arrowio.OpenOptions{})
		if err != nil {
			t.Fatal(path, err)
		}
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		want := rowsOf(t, file, mem)
		all := cutUp(t, b)
		d, err := NewDecoder(all[0][0], arrowio.Limits{})
		if err != nil {
			t.Fatal(path, err)
		}
		got := rowsOf(t, OpenMessages(d, sourceOf(all[1:])), mem)
		if !d.Schema().Equal(file.Schema()) || len(got) != len(want) {
			t.Errorf("%s: %d batches of %v, want %d of %v", path, len(got), d.Schema(), len(want), file.Schema())
		}
		for i := range min(len(got), len(want)) {
			if !array.RecordEqual(got[i], want[i]) {
				t.Errorf("%s: batch %d differs", path, i)
			}
		}
		for _, r := range append(got, want...) {
			r.Release()
		}
		// One after another, and only some columns.
		p, err := arrowio.Project(d.Schema(), []string{})
		if err != nil {
			t.Fatal(err)
		}
		d.Begin(p, mem)
		for _, m := range all[1:] {
			rec, err := d.Decode(m[0], m[1])
			if err != nil {
				t.Fatal(path, err)
			}
			if rec != nil {
				rec.Release()
			}
		}
		d.Close()
		mem.AssertSize(t, 0)
	}
}

// A stream comes once.
func TestMessagesOnce(t *testing.T) {
	b, err := os.ReadFile(streams(t)[0])
	if err != nil {
		t.Fatal(err)
	}
	all := cutUp(t, b)
	d, err := NewDecoder(all[0][0], arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	f := OpenMessages(d, sourceOf(all[1:]))
	rowsOf(t, f, memory.DefaultAllocator)
	s, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{Parallelism: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	if s.Next() || !errors.Is(s.Err(), errs.ErrInternal) {
		t.Error(s.Err())
	}
}

// Values count as often as they are used.
func TestWrittenOut(t *testing.T) {
	mem := memory.DefaultAllocator
	of := func(dt arrow.DataType, text string) arrow.ArrayData {
		t.Helper()
		b := array.NewBuilder(mem, dt)
		if err := b.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(dt, err)
		}
		return b.NewArray().Data()
	}
	i32 := func(v ...int32) *memory.Buffer {
		return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(v))
	}
	views := func(child arrow.ArrayData, offsets, sizes []int32) arrow.ArrayData {
		return array.NewData(arrow.ListViewOf(child.DataType()), len(sizes), []*memory.Buffer{nil, i32(offsets...), i32(sizes...)}, []arrow.ArrayData{child}, 0, 0)
	}
	ints := of(arrow.PrimitiveTypes.Int32, `[1, 2, 3, 4]`)
	twice := views(ints, []int32{0, 0}, []int32{4, 4})
	words := of(arrow.BinaryTypes.String, `["abcdef", "x"]`)
	dict := array.NewDataWithDictionary(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String},
		3, []*memory.Buffer{nil, i32(0, 0, 1)}, 0, 0, words.(*array.Data))
	runs := array.NewData(arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), 10, []*memory.Buffer{nil},
		[]arrow.ArrayData{array.NewData(arrow.PrimitiveTypes.Int32, 2, []*memory.Buffer{nil, i32(9, 10)}, nil, 0, 0), words}, 0, 0)
	for _, c := range []struct {
		d    arrow.ArrayData
		want int64
	}{
		{ints, 16},
		{twice, 2 * (8 + 16)},
		{views(twice, []int32{0, 0, 1}, []int32{2, 2, 1}), 3*8 + 2*2*(8+16) + (8 + 16)},
		{views(twice, []int32{0, -1, 1 << 30}, []int32{2, 1, 1 << 30}), 8 + 2*(8+16)}, // slots that can only be null
		{words, 2*4 + 7},
		{dict, 2*(4+6) + 4 + 1},
		{runs, 9*(4+6) + 4 + 1},
		{array.NewSliceData(runs, 8, 10), 4 + 6 + 4 + 1},
		{array.NewSliceData(twice, 1, 2), 8 + 16},
		{of(arrow.ListOf(arrow.BinaryTypes.String), `[["ab"], [], null, ["c", "d"]]`), 4*4 + 3*4 + 4},
		{of(arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64}), `[{"a": 1}, {"a": 2}]`), 2 + 16},
		{of(arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int16), `[[1, 2, 3], [4, 5, 6]]`), 12},
		{of(arrow.FixedWidthTypes.Boolean, `[true, false, null]`), 1},
	} {
		if got := writtenOut(c.d); got != c.want {
			t.Errorf("%s of %d: %d, want %d", c.d.DataType(), c.d.Len(), got, c.want)
		}
	}
	deep := ints
	for range 50 { // 4 ** 50 values
		deep = views(deep, []int32{0, 0, 0, 0}, []int32{4, 4, 4, 4})
	}
	if got := writtenOut(deep); got < 1<<50 {
		t.Error(got)
	}
}

// given counts what Recycle gives back.
type given struct {
	memory.Allocator
	bodies map[*byte]int
}

func (g *given) Free(b []byte) { g.bodies[&b[0]]++ }

// A body is given back once, when the last record that refers to it is released, and not before.
func TestMessagesRecycled(t *testing.T) {
	for _, path := range streams(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all := cutUp(t, b)
		d, err := NewDecoder(all[0][0], arrowio.Limits{})
		if err != nil {
			t.Fatal(path, err)
		}
		p, err := arrowio.Project(d.Schema(), nil)
		if err != nil {
			t.Fatal(path, err)
		}
		d.Begin(p, memory.DefaultAllocator)
		g := given{bodies: map[*byte]int{}}
		d.Recycle(&g)
		var kept []arrow.Record
		bodies := 0
		for _, m := range all[1:] {
			rec, err := d.Decode(m[0], m[1])
			if err != nil {
				t.Fatal(path, err)
			}
			if rec != nil {
				kept = append(kept, rec)
			}
			if len(m[1]) > 0 {
				bodies++
			}
		}
		packed := slices.Contains([]string{"batches.arrows", "types_zstd.arrows"}, filepath.Base(path)) // nothing refers to a packed body
		joined := filepath.Base(path) == "dict_delta.arrows"                                            // those of dictionaries that were joined
		if early := len(g.bodies); early > 0 && !packed && !joined || packed && early < bodies {
			t.Errorf("%s: %d of %d bodies are given back while there are records", path, early, bodies)
		}
		for _, rec := range kept {
			rec.Release()
		}
		d.Close()
		if len(g.bodies) != bodies {
			t.Errorf("%s: %d of %d bodies are given back", path, len(g.bodies), bodies)
		}
		for _, n := range g.bodies {
			if n != 1 {
				t.Errorf("%s: a body is given back %d times", path, n)
			}
		}
	}
}
