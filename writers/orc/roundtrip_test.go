package orc_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	reader "github.com/arrowio/arrowio/readers/orc"
)

// write puts batches through the writer and returns the objects that it made.
func write(t testing.TB, s *arrow.Schema, recs []arrow.Record, o arrowio.WriteOptions) map[string][]byte {
	t.Helper()
	objects, err := writeRecords(s, recs, o)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// one returns the only object.
func one(t testing.TB, objects map[string][]byte) []byte {
	t.Helper()
	if len(objects) != 1 {
		t.Fatalf("%d objects", len(objects))
	}
	return slices.Collect(maps.Values(objects))[0]
}

// rowsOf is the text of all rows of a file.
func rowsOf(t testing.TB, b []byte, o reader.Options) []string {
	t.Helper()
	recs := scan(t, b, o, arrowio.ScanOptions{Parallelism: 1})
	defer release(recs)
	var out []string
	for _, rec := range recs {
		out = append(out, expectedRows(rec, false)...)
	}
	return out
}

// check reads every object, compares the rows of all of them, in order of names, with those of recs, and verifies them.
func check(t testing.TB, objects map[string][]byte, recs ...arrow.Record) {
	t.Helper()
	var got, want []string
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		got = append(got, rowsOf(t, objects[name], reader.Options{})...)
		verify(t, name, objects[name])
	}
	for _, rec := range recs {
		want = append(want, expectedRows(rec, false)...)
	}
	sameLines(t, "all", withoutNullUnions(got), withoutNullUnions(want))
}

// TestConformance has files of random samples searched in every way: projections, row ranges, which are seeks into row
// groups, and predicates, which prune by statistics and bloom filters. Rows that pass must all come.
func TestConformance(t *testing.T) {
	files := 0
	for seed := int64(0); files < 2+4/sampled; seed++ {
		s := newRandomizer(5_000+seed, memory.NewGoAllocator()).sample(1_200)
		rows := int64(0)
		for _, r := range s.recs {
			rows += r.NumRows()
		}
		if s.far || rows < 200 {
			s.release()
			continue
		}
		s.options.MaxFileBytes = 0
		s.options.Options["orc-row-index-stride"] = []string{"17", "100", "1"}[seed%3]
		if s.options.Options["orc-bloom"] = "none"; seed%2 == 0 {
			s.options.Options["orc-bloom"] = "*"
		}
		b := one(t, write(t, s.schema, s.recs, s.options))
		s.release()
		files++
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			conformance.Run(t, conformance.Harness{
				Source: local.NewBytesSource(b), Scans: 16 / sampled, Seed: seed,
				Open: func(ctx context.Context, src arrowio.Source) (arrowio.File, error) {
					return reader.Open(ctx, src, arrowio.Limits{}, reader.Options{})
				},
			})
			if t.Failed() {
				t.Logf("%s\n%+v", s.schema, s.options)
			}
		})
	}
}

// TestPruning: statistics of stripes and row groups, and bloom filters, leave no more than they must.
func TestPruning(t *testing.T) {
	s := schemaOf(field("asc", arrow.PrimitiveTypes.Int64), optional("word", arrow.BinaryTypes.String), field("far", arrow.PrimitiveTypes.Int32))
	const n = 5_000
	rec := build(memory.DefaultAllocator, s, n, func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.Int64Builder).Append(int64(2 * i))
		if i/100 == 7 { // a row group of nulls
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.StringBuilder).Append(fmt.Sprintf("w%d", i*7919%n))
		}
		b.Field(2).(*array.Int32Builder).Append(int32(i * 7919 % n))
	})
	defer rec.Release()
	o := arrowio.WriteOptions{Options: map[string]string{"orc-row-index-stride": "100", "orc-stripe-rows": "1000", "orc-bloom": "word,far", "orc-bloom-fpp": "0.0001"}}
	b := one(t, write(t, s, []arrow.Record{rec}, o))
	for _, c := range []struct {
		where string
		rows  int64 // at most what is left of pruning, and at least 1 in all that have rows
	}{
		{"asc = 2468", 100},
		{"asc = 2469", 100}, // within the bounds of a row group
		{"asc >= 9990", 100},
		{"asc < 0", 0},
		{"asc BETWEEN 100 AND 500", 300},
		{"word IS NULL", 100},
		{"word = 'w17'", 200}, // bounds say nothing; the bloom filter may be wrong once
		{"word = 'nothing'", 100},
		{"far = 4321", 200},
		{"far = 5001", 0},
		{"asc = 2468 AND word IS NULL", 0},
	} {
		f := open(t, "pruned", b, reader.Options{})
		e, err := expr.Parse(c.where)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := expr.Bind(e, f.Schema())
		if err != nil {
			t.Fatal(err)
		}
		left := int64(0)
		for _, sp := range f.Splits() {
			set, err := f.Prune(context.Background(), sp, bound)
			if err != nil {
				t.Fatal(err)
			}
			left += set.Len()
		}
		f.Close()
		if left > c.rows {
			t.Errorf("%s: %d rows are left, want %d", c.where, left, c.rows)
		}
	}
}

// TestWriteKeepsNothing: memory of a batch may be freed, and used for something else, as soon as Write is back.
func TestWriteKeepsNothing(t *testing.T) {
	for _, parallelism := range []int{1, 3} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		s := schemaOf(field("i", arrow.PrimitiveTypes.Int64), optional("s", arrow.BinaryTypes.String), field("f", arrow.PrimitiveTypes.Float64),
			field("b", arrow.FixedWidthTypes.Boolean), field("l", arrow.ListOf(arrow.BinaryTypes.String)), field("bin", arrow.BinaryTypes.Binary))
		batch := func(mem memory.Allocator, from int) arrow.Record {
			return build(mem, s, 700, func(b *array.RecordBuilder, i int) {
				i += from
				b.Field(0).(*array.Int64Builder).Append(int64(i * i))
				b.Field(1).(*array.StringBuilder).Append(fmt.Sprint(i % 300))
				b.Field(2).(*array.Float64Builder).Append(float64(i) / 3)
				b.Field(3).(*array.BooleanBuilder).Append(i%3 == 0)
				l := b.Field(4).(*array.ListBuilder)
				l.Append(true)
				l.ValueBuilder().(*array.StringBuilder).Append(fmt.Sprint("list", i))
				b.Field(5).(*array.BinaryBuilder).Append([]byte{byte(i)})
			})
		}
		p, err := planOf(s, arrowio.WriteOptions{Parallelism: parallelism, Allocator: mem})
		if err != nil {
			t.Fatal(err)
		}
		st := local.NewMemStore()
		w, err := newWriter(st, p)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for i := range 5 {
			rec := batch(mem, 700*i)
			want = append(want, expectedRows(batch(memory.DefaultAllocator, 700*i), false)...)
			before := mem.CurrentAlloc()
			if err := w.Write(rec); err != nil {
				t.Fatal(err)
			}
			if mem.CurrentAlloc() != before {
				t.Errorf("the writer holds %d bytes", mem.CurrentAlloc()-before)
			}
			for _, c := range rec.Columns() {
				scribble(c.Data())
			}
			rec.Release()
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		sameLines(t, "all", rowsOf(t, one(t, st.Objects()), reader.Options{}), want)
		mem.AssertSize(t, 0)
	}
}

// scribble overwrites all values of an array.
func scribble(d arrow.ArrayData) {
	for i, b := range d.Buffers() {
		if b != nil && (i == 2 || d.DataType().ID() != arrow.STRING && d.DataType().ID() != arrow.BINARY && d.DataType().ID() != arrow.LIST) {
			for k := range b.Bytes() {
				b.Bytes()[k] = 0xa5
			}
		}
	}
	for _, k := range d.Children() {
		scribble(k)
	}
}
