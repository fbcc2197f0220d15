package orc_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	reader "github.com/arrowio/arrowio/readers/orc"
)

// foreign is a file of ours without compression, changed in place to be like one of another writer.
type foreign struct {
	t *testing.T
	b []byte
}

// newForeign writes 30 rows: f and d with the same number, n without values.
func newForeign(t *testing.T, value float64, meta arrow.Metadata) *foreign {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{
		{Name: "f", Type: arrow.PrimitiveTypes.Float32},
		{Name: "d", Type: arrow.PrimitiveTypes.Float64},
		{Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	}, &meta)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for range 30 {
		b.Field(0).(*array.Float32Builder).Append(float32(value))
		b.Field(1).(*array.Float64Builder).Append(value)
		b.Field(2).AppendNull()
	}
	rec := b.NewRecord()
	defer rec.Release()
	for _, file := range write(t, s, []arrow.Record{rec}, arrowio.WriteOptions{Compression: "none"}) {
		return &foreign{t, file}
	}
	return nil
}

func (f *foreign) replace(from, to string) {
	f.t.Helper()
	if !bytes.Contains(f.b, []byte(from)) || len(from) != len(to) {
		f.t.Fatalf("%x is not in the file", from)
	}
	f.b = bytes.ReplaceAll(f.b, []byte(from), []byte(to))
}

// bounds replaces minima and maxima.
func (f *foreign) bounds(is, said float64) {
	f.t.Helper()
	bits := func(tag byte, v float64) string {
		return string(binary.LittleEndian.AppendUint64([]byte{tag}, math.Float64bits(v)))
	}
	f.replace(bits(0x09, is), bits(0x09, said))
	f.replace(bits(0x11, is), bits(0x11, said))
}

func (f *foreign) rows(where string) int64 {
	f.t.Helper()
	e, err := expr.Parse(where)
	if err != nil {
		f.t.Fatal(err)
	}
	n := int64(0)
	recs := scan(f.t, f.b, reader.Options{}, arrowio.ScanOptions{Filter: e})
	for _, r := range recs {
		n += r.NumRows()
	}
	release(recs)
	return n
}

// Bounds of floats are of the doubles that the writer was given: 1.1, and the float is 1.10000002.
func TestFloatBoundsBeforeRounding(t *testing.T) {
	f := newForeign(t, 1.1, arrow.Metadata{})
	if n := f.rows("f > 1.2"); n != 0 {
		t.Errorf("%d rows", n)
	}
	f.bounds(float64(float32(1.1)), 1.1)
	if n := f.rows("f = 1.1"); n != 30 {
		t.Errorf("%d rows", n)
	}
	if n := f.rows("f > 1.2"); n != 0 {
		t.Errorf("%d rows", n)
	}
	verify(t, "bounds before rounding", f.b)
}

// StarRocks rounds bounds of floats more than floats.
func TestFloatBoundsOfStarRocks(t *testing.T) {
	f := newForeign(t, 123456.789, arrow.MetadataFrom(map[string]string{"orc.starrocks.writer.version": "3.3.0"}))
	f.bounds(float64(float32(123456.789)), 123457)
	if n := f.rows("f < 123457"); n != 30 {
		t.Errorf("%d rows", n)
	}
	if n := f.rows("d > 123457"); n != 0 {
		t.Errorf("%d rows", n)
	}
}

// A file with the code and the version of the Java writer, and without a time zone, is .NET's, whose bounds are other bits.
func TestBoundsOfImpostor(t *testing.T) {
	f := newForeign(t, 2.5, arrow.Metadata{})
	f.bounds(2.5, 1e-300)
	if n := f.rows("d = 2.5"); n != 0 { // ours are believed
		t.Errorf("%d rows", n)
	}
	f.replace("\x48\x06", "\x48\x00") // writer
	if n := f.rows("d = 2.5"); n != 0 {
		t.Errorf("%d rows", n)
	}
	// The time zone and the release become fields that nobody knows.
	f.replace("\x1a\x03UTC", "\x2a\x03UTC")
	f.replace("\x62\x07arrowio", "\x6a\x07arrowio")
	for _, where := range []string{"d = 2.5", "f = 2.5", "d > 2 and n is null"} {
		if n := f.rows(where); n != 30 {
			t.Errorf("%s: %d rows", where, n)
		}
	}
}

// cuDF wrote encodings that nobody knows for columns without values.
func TestEncodingOfNothing(t *testing.T) {
	f := newForeign(t, 2.5, arrow.Metadata{})
	f.replace("\x12\x02\x08\x02\x1a\x03UTC", "\x12\x02\x08\x07\x1a\x03UTC") // of the last column
	if n := f.rows("n is null"); n != 30 {
		t.Errorf("%d rows", n)
	}
	verify(t, "encoding of nothing", f.b)
}
