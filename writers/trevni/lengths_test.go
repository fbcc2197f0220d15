package trevni_test

import (
	"bytes"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// TestRunsOfOnes compares blocks with bytes worked out by hand from the specification: -2 is a run of two lengths of 1, -4 of
// three, -1 one of two lengths of 0, and each is a zig-zag number.
func TestRunsOfOnes(t *testing.T) {
	numbers := func(b *array.RecordBuilder, rows ...any) {
		for _, r := range rows {
			if r == nil {
				b.Field(0).AppendNull()
			} else {
				b.Field(0).(*array.Int32Builder).Append(int32(r.(int)))
			}
		}
	}
	for _, c := range []struct {
		name string
		rows []any
		runs []byte
		java []byte
	}{
		{"one value", []any{7}, []byte{2, 14}, []byte{2, 14}},
		{"two values", []any{7, 8}, []byte{3, 14, 16}, []byte{2, 14, 2, 16}},
		{"no values", []any{nil, nil}, []byte{1}, []byte{1}},
		{"values, then none", []any{7, 8, 9, nil}, []byte{7, 14, 16, 18, 0}, []byte{2, 14, 2, 16, 2, 18, 0}},
		{"none, then values", []any{nil, nil, 7, 8, nil, 9}, []byte{1, 3, 14, 16, 0, 2, 18}, []byte{1, 2, 14, 2, 16, 0, 2, 18}},
	} {
		for lengths, want := range map[string][]byte{"runs": c.runs, "java": c.java, "": c.runs} {
			for batch := 1; batch <= len(c.rows); batch++ {
				s := fieldsOf("n?", arrow.PrimitiveTypes.Int32)
				var recs []arrow.Record
				for some := range slices.Chunk(c.rows, batch) {
					b := array.NewRecordBuilder(memory.DefaultAllocator, s)
					numbers(b, some...)
					recs = append(recs, b.NewRecord())
					b.Release()
				}
				o := arrowio.WriteOptions{Compression: "none", Options: map[string]string{"trevni-lengths": lengths, "trevni-checksum": "null"}}
				for _, file := range write(t, s, recs, o) {
					h, blocks := layout(t, file)
					if got := unpack(t, file, &h.Columns[0], blocks[0][0]); !bytes.Equal(got, want) {
						t.Errorf("%s, %s, batches of %d: %x, want %x", c.name, lengths, batch, got, want)
					}
				}
				release(recs)
			}
		}
	}
}

// TestRunsAnyBatches: runs of any length over the edges of batches and blocks make the same bytes, in columns of every kind of
// values.
func TestRunsAnyBatches(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	fixed := &arrow.FixedSizeBinaryType{ByteWidth: 3}
	s := fieldsOf("n?", arrow.PrimitiveTypes.Int32, "d?", arrow.PrimitiveTypes.Float64, "s?", arrow.BinaryTypes.String,
		"b?", arrow.FixedWidthTypes.Boolean, "f?", fixed, "l", arrow.ListOfNonNullable(arrow.PrimitiveTypes.Float32))
	left, there := 0, false
	whole := build(memory.DefaultAllocator, s, 60_000, func(b *array.RecordBuilder, i int) {
		if left == 0 {
			there, left = !there, 1+r.Intn(1<<r.Intn(14))
		}
		left--
		if !there {
			for k := range s.NumFields() - 1 {
				b.Field(k).AppendNull()
			}
			l := b.Field(5).(*array.ListBuilder)
			l.Append(true)
			for range r.Intn(4) {
				l.ValueBuilder().(*array.Float32Builder).Append(r.Float32())
			}
			return
		}
		b.Field(0).(*array.Int32Builder).Append(int32(r.Uint32()) >> r.Intn(32))
		b.Field(1).(*array.Float64Builder).Append(r.Float64())
		b.Field(2).(*array.StringBuilder).Append("0123456789abcdefghijklmnopqrstuvwxyz"[:r.Intn(37)])
		b.Field(3).(*array.BooleanBuilder).Append(i%3 == 0)
		b.Field(4).(*array.FixedSizeBinaryBuilder).Append([]byte{byte(i), 1, 2})
		b.Field(5).(*array.ListBuilder).Append(true)
		b.Field(5).(*array.ListBuilder).ValueBuilder().(*array.Float32Builder).Append(r.Float32())
	})
	defer whole.Release()
	o := arrowio.WriteOptions{Compression: "none"}
	first := write(t, s, []arrow.Record{whole}, o)
	for _, most := range []int64{20_000, 1_000, 30} {
		var recs []arrow.Record
		for at := int64(0); at < whole.NumRows(); {
			n := min(1+r.Int63n(most), whole.NumRows()-at)
			recs = append(recs, whole.NewSlice(at, at+n))
			at += n
		}
		if again := write(t, s, recs, o); !maps.EqualFunc(again, first, bytes.Equal) {
			t.Errorf("batches of up to %d rows make other bytes", most)
		}
		release(recs)
	}
	for name, file := range first {
		verify(t, name, file)
		schema, recs := scan(t, file, "", memory.DefaultAllocator, 7_777)
		if !schema.Field(0).Nullable {
			t.Fatal(schema)
		}
		at := int64(0)
		for _, rec := range recs {
			part := whole.NewSlice(at, at+rec.NumRows())
			for k := range s.NumFields() {
				if !array.Equal(part.Column(k), rec.Column(k)) {
					t.Fatalf("rows from %d: column %s is not what was written", at, s.Field(k).Name)
				}
			}
			part.Release()
			at += rec.NumRows()
		}
		release(recs)
	}
}

// TestNullableSize: where nothing is null, columns that may be null are about as large as others.
func TestNullableSize(t *testing.T) {
	rec := nullable(20_000, 0)
	defer rec.Release()
	size := func(options map[string]string, compression string) int {
		for _, file := range write(t, rec.Schema(), []arrow.Record{rec}, arrowio.WriteOptions{Compression: compression, Options: options}) {
			return len(file)
		}
		return 0
	}
	var fields []arrow.Field
	for _, f := range rec.Schema().Fields() {
		f.Nullable = f.Type.ID() == arrow.BOOL // each boolean of an array takes a byte
		fields = append(fields, f)
	}
	plain := array.NewRecord(arrow.NewSchema(fields, nil), rec.Columns(), rec.NumRows())
	defer plain.Release()
	for _, compression := range []string{"none", "snappy", "deflate"} {
		n := size(nil, compression)
		m := 0
		for _, file := range write(t, plain.Schema(), []arrow.Record{plain}, arrowio.WriteOptions{Compression: compression}) {
			m = len(file)
		}
		t.Logf("%s: %d bytes that may be null, %d that may not, %d with lengths as Java writes them", compression, n, m, size(map[string]string{"trevni-lengths": "java"}, compression))
		if float64(n) > 1.03*float64(m) {
			t.Errorf("%s: %d bytes, %d where values cannot be null", compression, n, m)
		}
	}
}
