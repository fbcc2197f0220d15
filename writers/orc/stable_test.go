package orc_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// cut divides rows into batches of up to most rows.
func cut(r *rand.Rand, whole arrow.Record, most int64) (recs []arrow.Record) {
	for at := int64(0); at < whole.NumRows(); {
		n := min(1+r.Int63n(most), whole.NumRows()-at)
		recs = append(recs, whole.NewSlice(at, at+n))
		at += n
	}
	return recs
}

// sameBytes writes rows in batches of many sizes, with one and with several columns at once, and checks that the bytes
// are the same each time. It returns them.
func sameBytes(t *testing.T, whole arrow.Record, o arrowio.WriteOptions, sizes ...int64) map[string][]byte {
	t.Helper()
	r := rand.New(rand.NewSource(5))
	var first map[string][]byte
	for i, size := range sizes {
		recs := cut(r, whole, size)
		o.Parallelism = 1 + 3*(i%2)
		objects := write(t, whole.Schema(), recs, o)
		release(recs)
		if first == nil {
			first = objects
		}
		if !maps.EqualFunc(objects, first, bytes.Equal) {
			t.Fatalf("%+v: batches of up to %d rows, %d columns at once: other bytes (%d files, first %d)", o, size, o.Parallelism, len(objects), len(first))
		}
	}
	return first
}

// TestStable: the same rows make the same bytes, however they come and however many columns are encoded at once.
func TestStable(t *testing.T) {
	t.Parallel()
	const n = 3_000 + 6_000/sampled
	whole := lineItems(n)
	defer whole.Release()
	for _, o := range []arrowio.WriteOptions{
		{},
		{Compression: "zlib", RowGroupBytes: 100 << 10, Options: map[string]string{"orc-row-index-stride": "700", "orc-bloom": "*"}},
		{Compression: "snappy", RowGroupBytes: 60 << 10, MaxFileBytes: 100 << 10, Options: map[string]string{"orc-row-index-stride": "300", "orc-version": "0.11", "orc-block-size": "1024"}},
		{Compression: "none", RowGroupBytes: 1, Options: map[string]string{"orc-row-index-stride": "0", "orc-dictionary": "0.1"}},
		{Compression: "zstd", Options: map[string]string{"orc-stripe-rows": "2345", "orc-row-index-stride": "1000"}},
	} {
		check(t, sameBytes(t, whole, o, n, n, 4_000, 700, 20), whole)
	}
}

// TestStablePositions: the index is the same where a stream has full chunks, which others may compress, before the stream in front of
// it has one: nanoseconds of times that are close together.
func TestStablePositions(t *testing.T) {
	t.Parallel()
	const n = 30_000
	whole := closeTimes(n)
	defer whole.Release()
	for _, codec := range []string{"zlib", "snappy"} {
		o := arrowio.WriteOptions{Compression: codec, Options: map[string]string{"orc-block-size": "16384", "orc-row-index-stride": "1000"}}
		check(t, sameBytes(t, whole, o, n, n, 2_000), whole)
	}
}

// closeTimes makes a batch of times, a hundred a second.
func closeTimes(n int) arrow.Record {
	r := rand.New(rand.NewSource(3))
	s := schemaOf(optional("at", arrow.FixedWidthTypes.Timestamp_ns))
	return build(memory.DefaultAllocator, s, n, func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.TimestampBuilder).Append(arrow.Timestamp(1e18 + int64(i)/100*1e9 + r.Int63n(1e9)))
	})
}

// TestStableSamples does the same with all types and layouts.
func TestStableSamples(t *testing.T) {
	t.Parallel()
	for seed := range int64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := newRandomizer(7_000+seed, memory.NewGoAllocator())
			s := r.sample(1)
			defer s.release()
			r.Gen.Nulls = 0.2
			whole := r.Record(s.schema, 600)
			defer whole.Release()
			s.options.Compression = pick(r, "none", "snappy", "zlib") // others take long for what they tell here
			sameBytes(t, whole, s.options, 600, 600, 150, 9)
		})
	}
}

// stringsOf makes a batch of one column of strings.
func stringsOf(n int, text func(i int) string) arrow.Record {
	s := schemaOf(optional("s", arrow.BinaryTypes.String))
	return build(memory.DefaultAllocator, s, n, func(b *array.RecordBuilder, i int) {
		if v := text(i); v == "null" {
			b.Field(0).AppendNull()
		} else {
			b.Field(0).(*array.StringBuilder).Append(v)
		}
	})
}

// dictionaryOf makes the same of dictionary arrays, each batch with a dictionary of its own, in another order and with
// entries that nothing uses.
func dictionaryOf(t testing.TB, rec arrow.Record, batch int, index arrow.DataType) (recs []arrow.Record) {
	t.Helper()
	dt := &arrow.DictionaryType{IndexType: index, ValueType: arrow.BinaryTypes.String}
	s := schemaOf(optional("s", dt))
	values := rec.Column(0).(*array.String)
	for from := 0; from < values.Len(); from += batch {
		to := min(from+batch, values.Len())
		b := array.NewDictionaryBuilder(memory.DefaultAllocator, dt).(*array.BinaryDictionaryBuilder)
		words := array.NewStringBuilder(memory.DefaultAllocator)
		words.Append(fmt.Sprint("unused", from))
		for i := to - 1; i >= from; i -= 2 {
			if values.IsValid(i) {
				words.Append(values.Value(i))
			}
		}
		first := words.NewStringArray()
		if err := b.InsertStringDictValues(first); err != nil {
			t.Fatal(err)
		}
		first.Release()
		words.Release()
		for i := from; i < to; i++ {
			if values.IsNull(i) {
				b.AppendNull()
			} else if err := b.AppendString(values.Value(i)); err != nil {
				t.Fatal(err)
			}
		}
		arr := b.NewArray()
		b.Release()
		recs = append(recs, array.NewRecord(s, []arrow.Array{arr}, int64(to-from)))
		arr.Release()
	}
	return recs
}

// TestStableDictionaries: strings, and dictionary arrays of the same strings, make the same bytes, cut as one likes,
// also where a dictionary is given up, which happens by the share of distinct strings at each 10,000th of a stripe.
func TestStableDictionaries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		n    int
		text func(i int) string
		dict bool // it has a dictionary at the end
	}{
		{"few", 25_000, func(i int) string { return fmt.Sprint("word ", i%100) }, true},
		{"distinct", 25_000, func(i int) string { return fmt.Sprint("word ", i) }, false},
		{"nulls", 25_000, func(i int) string {
			if i%3 == 0 {
				return "null"
			}
			return fmt.Sprint("word ", i%500)
		}, true},
		{"nulls only", 12_000, func(int) string { return "null" }, true},
		{"empty", 12_000, func(int) string { return "" }, true},
		{"just few enough at 10,000", 21_000, func(i int) string {
			if i < 8_000 {
				return fmt.Sprint("word ", i)
			}
			return fmt.Sprint("word ", i%1_000)
		}, true},
		{"one too many at 10,000", 21_000, func(i int) string {
			if i < 8_001 {
				return fmt.Sprint("word ", i)
			}
			return fmt.Sprint("word ", i%1_000)
		}, false},
		{"more in the middle", 30_000, func(i int) string {
			if i > 12_345 {
				return fmt.Sprint("late ", i)
			}
			return fmt.Sprint("word ", i%1_000)
		}, true}, // 18,655 of 30,000 at the end, 8,655 of 20,000 before
		{"given up late", 30_000, func(i int) string {
			if i > 3_000 {
				return fmt.Sprint("late ", i)
			}
			return "word"
		}, false},
		{"fewer than a sample", 5_000, func(i int) string { return fmt.Sprint("word ", i) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := stringsOf(c.n, c.text)
			defer rec.Release()
			o := arrowio.WriteOptions{Compression: "none"}
			sizes := []int64{30_000, 10_000, 3_333}
			if c.n < 25_000 {
				sizes = append(sizes, 11)
			}
			objects := sameBytes(t, rec, o, sizes...)
			check(t, objects, rec)
			enc := encodings(t, one(t, objects))
			if dict := enc[1] == "DICTIONARY_V2"; dict != c.dict {
				t.Errorf("encoding %s, want a dictionary: %v", enc[1], c.dict)
			}
			for _, batch := range []int{c.n, 7_777} {
				for _, index := range []arrow.DataType{arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint16} {
					recs := dictionaryOf(t, rec, batch, index)
					got := write(t, recs[0].Schema(), recs, o)
					if !maps.EqualFunc(got, objects, bytes.Equal) {
						t.Errorf("dictionary arrays of %d rows: other bytes", batch)
					}
					release(recs)
				}
			}
		})
	}
}
