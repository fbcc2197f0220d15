package trevni_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/writertest"
	writer "github.com/arrowio/arrowio/writers/trevni"
)

// TestParts: a file ends when it has its size, unpacked or packed, and the next has the next number.
func TestParts(t *testing.T) {
	rec := events(20_000)
	defer rec.Release()
	for _, c := range []struct {
		o        arrowio.WriteOptions
		min, max int // files
	}{
		{arrowio.WriteOptions{}, 1, 1},
		{arrowio.WriteOptions{RowGroupBytes: 100 << 10}, 13, 16}, // of 1.4 MB
		{arrowio.WriteOptions{RowGroupBytes: 1, Compression: "none"}, 20_000, 20_000},
		{arrowio.WriteOptions{MaxFileBytes: 256 << 10, Compression: "none"}, 3, 6},
		{arrowio.WriteOptions{MaxFileBytes: 256 << 10, Compression: "deflate"}, 2, 3},
	} {
		o := c.o
		o.Parallelism = 1
		in := rec
		if c.min > 1000 {
			in = rec.NewSlice(0, 300)
			c.min, c.max = 300, 300
		}
		objects := write(t, in.Schema(), []arrow.Record{in}, o)
		if len(objects) < c.min || len(objects) > c.max {
			t.Errorf("%+v: %d files, want %d to %d", c.o, len(objects), c.min, c.max)
		}
		rows, raw := int64(0), int64(0)
		for i, name := range slices.Sorted(maps.Keys(objects)) {
			if want := fmt.Sprintf("part-%05d.trv", i); name != want {
				t.Errorf("%+v: file %d is %s, want %s", c.o, i, name, want)
			}
			h, blocks := layout(t, objects[name])
			rows += h.Rows
			size := int64(0)
			for _, b := range slices.Concat(blocks...) {
				size += b.Raw
			}
			if limit := o.RowGroupBytes; limit > 1 && (size > limit+limit/4 || size < limit && i < len(objects)-1) {
				t.Errorf("%+v: %s has %d bytes", c.o, name, size)
			}
			raw += size
			verify(t, name, objects[name])
		}
		if rows != in.NumRows() {
			t.Errorf("%+v: %d rows, want %d", c.o, rows, in.NumRows())
		}
	}
}

// TestDeterministic: the same rows make the same bytes, however they come and however many columns are encoded at once.
func TestDeterministic(t *testing.T) {
	whole := events(8_000)
	defer whole.Release()
	r := rand.New(rand.NewSource(5))
	cut := func(most int64) (recs []arrow.Record) {
		for at := int64(0); at < whole.NumRows(); {
			n := min(1+r.Int63n(most), whole.NumRows()-at)
			recs = append(recs, whole.NewSlice(at, at+n))
			at += n
		}
		return recs
	}
	for _, o := range []arrowio.WriteOptions{
		{Compression: "deflate", RowGroupBytes: 100 << 10},
		{Compression: "snappy", MaxFileBytes: 150 << 10, Memory: 1},
		{Compression: "none", Options: map[string]string{"trevni-values": "*", "trevni-checksum": "null"}},
	} {
		var first map[string][]byte
		for _, batch := range []int64{8_000, 8_000, 700, 20} {
			for _, o.Parallelism = range []int{1, 4} {
				recs := cut(batch)
				objects := write(t, whole.Schema(), recs, o)
				release(recs)
				if first == nil {
					first = objects
				}
				if !maps.EqualFunc(objects, first, bytes.Equal) {
					t.Fatalf("%+v: batches of up to %d rows, %d columns at once: other bytes (%d files, first %d)", o, batch, o.Parallelism, len(objects), len(first))
				}
			}
		}
	}
}

// TestSpill: beyond its memory the writer keeps packed blocks in a scratch file, which is gone at the end of each file.
func TestSpill(t *testing.T) {
	rec := events(30_000)
	defer rec.Release()
	want := write(t, rec.Schema(), []arrow.Record{rec}, arrowio.WriteOptions{RowGroupBytes: 500 << 10})
	for _, memory := range []int64{1, 100 << 10, 1 << 30} {
		st := writertest.NewStore(-1)
		if err := st.Write(writer.Format(), rec, 1_000, arrowio.WriteOptions{RowGroupBytes: 500 << 10, Memory: memory}); err != nil {
			t.Fatal(err)
		}
		if !maps.EqualFunc(st.Mem.Objects(), want, bytes.Equal) {
			t.Errorf("memory %d: other bytes", memory)
		}
		spills := memory < 1<<30
		if (st.Scratches > 0) != spills || st.Open != 0 || spills && st.Scratches > len(want) {
			t.Errorf("memory %d: %d scratch files for %d files, %d of them open", memory, st.Scratches, len(want), st.Open)
		}
		if spills && st.Spilled < 100<<10 {
			t.Errorf("memory %d: %d bytes spilled", memory, st.Spilled)
		}
	}
}

// TestFirstValues: blocks begin with the values that their descriptors say, and the mark of ascending values is there
// exactly where they ascend, in each file for itself.
func TestFirstValues(t *testing.T) {
	s := schemaOf(field("asc", arrow.PrimitiveTypes.Int64), field("saw", arrow.PrimitiveTypes.Int32), field("f", arrow.PrimitiveTypes.Float64), field("text", arrow.BinaryTypes.String))
	const rows = 60_000
	rec := build(memory.DefaultAllocator, s, rows, func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.Int64Builder).Append(int64(i/7) - 3)
		b.Field(1).(*array.Int32Builder).Append(int32(i % 40_000))
		b.Field(2).(*array.Float64Builder).Append(float64(i) / 2)
		b.Field(3).(*array.StringBuilder).Append(fmt.Sprintf("%09d", i))
	})
	defer rec.Release()
	ascending := func(objects map[string][]byte) (out [][]string) {
		for _, name := range slices.Sorted(maps.Keys(objects)) {
			h, _ := layout(t, objects[name])
			var cols []string
			for _, c := range h.Columns {
				if v, ok := c.Meta.Get("arrowio.sorted"); ok && string(v) == "ascending" {
					cols = append(cols, c.Name)
				}
			}
			out = append(out, cols)
			verify(t, name, objects[name]) // the reader compares first values with the blocks
		}
		return out
	}
	o := arrowio.WriteOptions{Options: map[string]string{"trevni-values": "*"}}
	batches := []arrow.Record{rec.NewSlice(0, 1), rec.NewSlice(1, 30_000), rec.NewSlice(30_000, 30_000), rec.NewSlice(30_000, rows)}
	got := ascending(write(t, s, batches, o))
	release(batches)
	if len(got) != 1 || !slices.Equal(got[0], []string{"asc", "f", "text"}) {
		t.Errorf("ascending: %q", got)
	}

	// Of several files only those have the mark in which the values do ascend.
	o.RowGroupBytes = 400_000
	got = ascending(write(t, s, []arrow.Record{rec}, o))
	with := 0
	for _, cols := range got {
		if slices.Contains(cols, "saw") {
			with++
		}
	}
	if len(got) < 3 || with != len(got)-1 {
		t.Errorf("ascending: %q", got)
	}

	// Nobody has to ask. No mark without first values, on NaN, and when values descend just where batches meet.
	if got := ascending(write(t, s, []arrow.Record{rec}, arrowio.WriteOptions{})); !slices.Equal(got[0], []string{"asc", "f", "text"}) {
		t.Errorf("ascending unasked: %q", got)
	}
	if got := ascending(write(t, s, []arrow.Record{rec}, arrowio.WriteOptions{Options: map[string]string{"trevni-statistics": "none"}})); got[0] != nil {
		t.Errorf("ascending without first values: %q", got)
	}
	swapped := []arrow.Record{rec.NewSlice(100, 200), rec.NewSlice(0, 100)}
	defer release(swapped)
	o.RowGroupBytes = 0
	if got := ascending(write(t, s, swapped, o)); got[0] != nil {
		t.Errorf("ascending in descending batches: %q", got)
	}
	nan := build(memory.DefaultAllocator, s, 3, func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.Int64Builder).Append(1)
		b.Field(1).(*array.Int32Builder).Append(1)
		b.Field(2).(*array.Float64Builder).Append([]float64{1, math.NaN(), 2}[i])
		b.Field(3).(*array.StringBuilder).Append([]string{"", "", "z"}[i])
	})
	defer nan.Release()
	if got := ascending(write(t, s, []arrow.Record{nan}, o)); !slices.Equal(got[0], []string{"asc", "saw", "text"}) {
		t.Errorf("ascending with NaN: %q", got)
	}
}

// TestEmpty: no rows are one file of no rows; batches of none change nothing.
func TestEmpty(t *testing.T) {
	s := schemaOf(field("a", arrow.PrimitiveTypes.Int64), optional("l", arrow.ListOf(arrow.BinaryTypes.String)))
	none := build(memory.DefaultAllocator, s, 0, nil)
	defer none.Release()
	for _, recs := range [][]arrow.Record{nil, {none}, {none, none}} {
		objects := write(t, s, recs, arrowio.WriteOptions{})
		b := objects["part-00000.trv"]
		if len(objects) != 1 || b == nil {
			t.Fatalf("%d files", len(objects))
		}
		h, blocks := layout(t, b)
		if h.Rows != 0 || len(slices.Concat(blocks...)) != 0 || int64(len(b)) != h.Size+4*int64(len(h.Columns)) {
			t.Errorf("%d rows, blocks %v, %d bytes", h.Rows, blocks, len(b))
		}
	}
}
