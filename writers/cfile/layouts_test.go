//go:build !race

package cfile_test

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	writer "github.com/arrowio/arrowio/writers/cfile"
)

// storedTypes are the types of files, by the fields that become them, and the encodings that each may have.
var storedTypes = []struct {
	name      string
	field     arrow.Field
	encodings string
}{
	{"bool", field("v", arrow.FixedWidthTypes.Boolean), "auto plain rle"},
	{"int8", field("v", arrow.PrimitiveTypes.Int8), "auto plain rle bitshuffle"},
	{"int16", field("v", arrow.PrimitiveTypes.Int16), "auto plain rle bitshuffle"},
	{"int32", field("v", arrow.PrimitiveTypes.Int32), "auto plain rle bitshuffle"},
	{"int64", field("v", arrow.PrimitiveTypes.Int64), "auto plain rle bitshuffle"},
	{"uint8", field("v", arrow.PrimitiveTypes.Uint8), "auto plain rle bitshuffle"},
	{"uint16", field("v", arrow.PrimitiveTypes.Uint16), "auto plain rle bitshuffle"},
	{"uint32", field("v", arrow.PrimitiveTypes.Uint32), "auto plain rle bitshuffle"},
	{"uint64", field("v", arrow.PrimitiveTypes.Uint64), "auto plain rle bitshuffle"},
	{"float", field("v", arrow.PrimitiveTypes.Float32), "auto plain bitshuffle"},
	{"double", field("v", arrow.PrimitiveTypes.Float64), "auto plain bitshuffle"},
	{"date", field("v", arrow.FixedWidthTypes.Date32), "auto plain rle bitshuffle"},
	{"unixtime_micros", field("v", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}), "auto plain rle bitshuffle"},
	{"decimal32", field("v", &arrow.Decimal128Type{Precision: 9, Scale: 3}), "auto plain rle bitshuffle"},
	{"decimal64", field("v", &arrow.Decimal128Type{Precision: 18, Scale: 18}), "auto plain rle bitshuffle"},
	{"decimal128", field("v", &arrow.Decimal128Type{Precision: 38, Scale: 10}), "auto plain bitshuffle"},
	{"int128", withMeta(field("v", &arrow.Decimal128Type{Precision: 38}), "kudu.type", "int128"), "auto plain bitshuffle"},
	{"string", field("v", arrow.BinaryTypes.String), "auto plain dict prefix"},
	{"binary", field("v", arrow.BinaryTypes.Binary), "auto plain dict prefix"},
	{"varchar", withMeta(field("v", arrow.BinaryTypes.String), "kudu.type", "varchar(30)"), "auto plain dict prefix"},
}

// appendValue appends value number x of a type: few and many different ones, runs, and the extreme ones.
func appendValue(b array.Builder, r *rand.Rand, x int) {
	var v int64
	switch {
	case x%97 == 0:
		v = []int64{math.MinInt64, math.MaxInt64, 0, -1, 1}[r.Intn(5)]
	case x/100%3 == 0:
		v = int64(x / 200)
	case x/100%3 == 1:
		v = r.Int63n(10) - 5
	default:
		v = int64(r.Uint64())
	}
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(v&1 != 0)
	case *array.Int8Builder:
		b.Append(int8(v))
	case *array.Int16Builder:
		b.Append(int16(v))
	case *array.Int32Builder:
		b.Append(int32(v))
	case *array.Int64Builder:
		b.Append(v)
	case *array.Uint8Builder:
		b.Append(uint8(v))
	case *array.Uint16Builder:
		b.Append(uint16(v))
	case *array.Uint32Builder:
		b.Append(uint32(v))
	case *array.Uint64Builder:
		b.Append(uint64(v))
	case *array.Float32Builder:
		b.Append(math.Float32frombits(uint32(v)))
	case *array.Float64Builder:
		b.Append(math.Float64frombits(uint64(v)))
	case *array.Date32Builder:
		b.Append(arrow.Date32(v))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v))
	case *array.Decimal128Builder:
		switch b.Type().(*arrow.Decimal128Type).Precision {
		case 9:
			b.Append(decimal128.FromI64(v % 1e9))
		case 18:
			b.Append(decimal128.FromI64(v % 1e18))
		default:
			b.Append(decimal128.New(v%5_000_000_000_000_000_000, uint64(v))) // high words of 38 digits are below 5.4e18
		}
	case array.StringLikeBuilder:
		b.Append(textOf(v))
	case *array.BinaryBuilder:
		b.Append(append([]byte(textOf(v)), 0xff, 0, byte(v)))
	}
}

func textOf(v int64) string {
	return strings.Repeat("ü", int(uint64(v)%5)) + fmt.Sprintf("%d", v)[:min(10, len(fmt.Sprint(v)))]
}

// values makes n rows of a field: some are null if it is nullable, in runs and alone, with anything beneath.
func values(f arrow.Field, n int, seed int64) arrow.Record {
	r := rand.New(rand.NewSource(seed))
	b := array.NewBuilder(memory.NewGoAllocator(), f.Type)
	defer b.Release()
	for i := range n {
		appendValue(b, r, i)
	}
	arr := b.NewArray()
	defer arr.Release()
	if f.Nullable {
		valid := make([]byte, (n+7)/8)
		nulls := 0
		for i := range n {
			if i/50%3 == 0 || i/50%3 == 1 && r.Intn(3) > 0 {
				valid[i>>3] |= 1 << (i & 7)
			} else {
				nulls++
			}
		}
		d := arr.Data()
		buffers := append([]*memory.Buffer{memory.NewBufferBytes(valid)}, d.Buffers()[1:]...)
		withNulls := array.NewData(f.Type, n, buffers, nil, nulls, 0)
		defer withNulls.Release()
		arr = array.MakeFromData(withNulls)
		defer arr.Release()
	}
	return array.NewRecord(schemaOf(f), []arrow.Array{arr}, int64(n))
}

// TestEveryLayout writes each type, encoding, codec and nullability, with blocks of a few values and in one of all, and
// reads it back.
func TestEveryLayout(t *testing.T) {
	combinations := 0
	for _, typ := range storedTypes {
		for _, nullable := range []bool{false, true} {
			f := typ.field
			f.Nullable = nullable
			rec := values(f, 3000, 1)
			for _, encoding := range strings.Fields(typ.encodings) {
				for _, codec := range []string{"none", "snappy", "lz4", "zlib"} {
					combinations++
					for i, size := range []string{"512", "4096", "262144"} {
						if (combinations+i)%sampled > 0 {
							continue
						}
						o := arrowio.WriteOptions{Compression: codec, Parallelism: 1, Options: map[string]string{"cfile-encoding": encoding, "cfile-block-size": size}}
						set := readBack(t, write(t, writer.Format(), rec.Schema(), []arrow.Record{rec}, o), rec.Schema(), []arrow.Record{rec})
						if c := set.Schema.Columns[0]; c.Type.String() != typ.name || encoding != "auto" && c.Encoding.String() != encoding || c.Compression.String() != codec {
							t.Errorf("%s %s %s: stored as %+v", typ.name, encoding, codec, c)
						}
					}
					if t.Failed() {
						t.Fatalf("%s, %s, %s, nullable %t", typ.name, encoding, codec, nullable)
					}
				}
			}
			rec.Release()
		}
	}
	if combinations < 300 {
		t.Errorf("%d combinations", combinations)
	}
}

// TestFew writes no rows, one, nulls alone, and nothing but the first row null.
func TestFew(t *testing.T) {
	for _, typ := range storedTypes {
		f := typ.field
		f.Nullable = true
		for n := range 4 {
			b := array.NewRecordBuilder(memory.NewGoAllocator(), schemaOf(f))
			for i := range n {
				if i == 1 && n == 2 {
					appendValue(b.Field(0), rand.New(rand.NewSource(1)), i)
				} else {
					b.Field(0).AppendNull()
				}
			}
			rec := b.NewRecord()
			b.Release()
			for _, recs := range [][]arrow.Record{{rec}, {rec, rec}} {
				for _, encoding := range strings.Fields(typ.encodings) {
					readBack(t, write(t, writer.Format(), rec.Schema(), recs, arrowio.WriteOptions{Options: map[string]string{"cfile-encoding": encoding}}), rec.Schema(), recs)
				}
			}
			set := readBack(t, write(t, writer.Format(), rec.Schema(), nil, arrowio.WriteOptions{}), rec.Schema(), nil)
			if len(set.RowSets) != 1 || set.RowSets[0].Rows != 0 {
				t.Errorf("%s: without rows: %+v", typ.name, set.RowSets)
			}
			rec.Release()
		}
	}
}

// TestManyNulls writes a column that is null for long, which is one block, and a wide dictionary that overflows.
func TestManyNulls(t *testing.T) {
	s := schemaOf(optional("nulls", arrow.PrimitiveTypes.Int64), optional("words", arrow.BinaryTypes.String), optional("none", arrow.Null))
	rec := build(s, 200_000, func(b *array.RecordBuilder, i int) {
		if i == 150_000 {
			b.Field(0).(*array.Int64Builder).Append(7)
		} else {
			b.Field(0).AppendNull()
		}
		if i%3 == 0 {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.StringBuilder).Append(fmt.Sprintf("word %d of many", i%40_000))
		}
		b.Field(2).AppendNull()
	})
	defer rec.Release()
	o := write(t, writer.Format(), s, []arrow.Record{rec}, arrowio.WriteOptions{})
	readBack(t, o, s, []arrow.Record{rec})
	if n := len(o["nulls.cfile"]); n > 300 {
		t.Errorf("200,000 nulls take %d bytes", n)
	}
}

// TestSmallNumbers: numbers of UINT32 take as many bytes as all of a block need.
func TestSmallNumbers(t *testing.T) {
	rec := build(schemaOf(field("v", arrow.PrimitiveTypes.Uint32)), 3000, func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.Uint32Builder).Append(uint32(i) << (i / 1000 * 8))
	})
	defer rec.Release()
	o := arrowio.WriteOptions{Options: map[string]string{"cfile-block-size": "4096"}}
	readBack(t, write(t, writer.Format(), rec.Schema(), []arrow.Record{rec}, o), rec.Schema(), []arrow.Record{rec})
}

// TestVersion1 writes files as Kudu did up to 1.2, all blocks of which are compressed.
func TestVersion1(t *testing.T) {
	for _, typ := range storedTypes {
		f := typ.field
		f.Nullable = true
		rec := values(f, 500, 3)
		for _, codec := range []string{"none", "snappy", "lz4", "zlib"} {
			p, err := writer.Format().Plan(rec.Schema(), arrowio.WriteOptions{Compression: codec})
			if err != nil {
				t.Fatal(err)
			}
			writer.SetVersion(p, 1)
			o, err := writePlan(writer.Format(), p, []arrow.Record{rec})
			if err != nil {
				t.Fatal(err)
			}
			if magic := string(o["v.cfile"][:8]); magic != "kuducfil" {
				t.Errorf("magic %q", magic)
			}
			readBack(t, o, rec.Schema(), []arrow.Record{rec})
		}
		rec.Release()
	}
}
