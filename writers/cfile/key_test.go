package cfile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	reader "github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
	writer "github.com/arrowio/arrowio/writers/cfile"
)

// keyTypes are the types that keys may have.
var keyTypes = []arrow.DataType{
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint32,
	arrow.BinaryTypes.String, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String},
	&arrow.FixedSizeBinaryType{ByteWidth: 5},
	arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Timestamp_s, arrow.FixedWidthTypes.Date32,
	&arrow.Decimal128Type{Precision: 9}, &arrow.Decimal128Type{Precision: 18}, &arrow.Decimal128Type{Precision: 38, Scale: 2},
}

// appendKey appends value x of a type; of a greater x it is not less, and mostly greater.
func appendKey(t testing.TB, b array.Builder, x int) {
	switch b := b.(type) {
	case *array.Int8Builder:
		b.Append(int8(min(x/20-128, 127)))
	case *array.Int16Builder:
		b.Append(int16(x - 1000))
	case *array.Int32Builder:
		b.Append(int32(x) - 1000)
	case *array.Int64Builder:
		b.Append(int64(x) - 1000)
	case *array.Uint8Builder:
		b.Append(uint8(min(x/20, 255)))
	case *array.Uint32Builder:
		b.Append(uint32(x) + math.MaxInt32 - 500)
	case array.StringLikeBuilder:
		b.Append(keyText(x))
	case *array.BinaryDictionaryBuilder:
		if err := b.AppendString(keyText(x)); err != nil {
			t.Fatal(err)
		}
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte{0, byte(x >> 16), byte(x >> 8), byte(x), 0})
	case *array.BinaryBuilder:
		b.Append([]byte(keyText(x)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(x - 1000))
	case *array.Date32Builder:
		b.Append(arrow.Date32(x - 1000))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(int64(x) - 1000))
	default:
		t.Fatalf("%T", b)
	}
}

// keyText has zero bytes, prefixes of each other, and long texts.
func keyText(x int) string {
	s := string([]byte{byte(x / 1000), byte(x / 100 % 10), 'a' + byte(x/10%10)}) + strings.Repeat("\x00", x%10)
	if x/100%10 == 5 {
		s = s[:3] + strings.Repeat("long", 30) + s[3:]
	}
	return s
}

// keyOf encodes the key of a row as cfilewire does it for one.
func keyOf(t testing.TB, set *kuduwire.Set, rec arrow.Record, row int) []byte {
	t.Helper()
	var key []byte
	n := set.Schema.Keys()
	for i := range n {
		c := &set.Schema.Columns[i]
		text := cell(rec.Column(rec.Schema().FieldIndices(c.Name)[0]), row)
		var b []byte
		switch {
		case c.Type.Binary():
			if _, err := fmt.Sscanf(text, "%q", &text); err != nil {
				t.Fatal(err)
			}
			b = []byte(text)
		default:
			var v int64
			if _, err := fmt.Sscan(text, &v); err != nil {
				t.Fatal(err)
			}
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
			b = binary.LittleEndian.AppendUint64(b, uint64(v>>63))[:c.Type.Width()]
		}
		var err error
		if key, err = cfilewire.AppendKey(key, c.Type, b, i == n-1); err != nil {
			t.Fatal(err)
		}
	}
	return key
}

// checkKeys looks every key up in a set: in its value index, and in the filters, which do not have many others.
func checkKeys(t testing.TB, o objects, recs []arrow.Record) {
	t.Helper()
	set := setOf(t, o)
	row, rec := 0, 0
	wrong, others := 0, 0
	for i := range set.RowSets {
		r := &set.RowSets[i]
		name := r.Columns[0].Name
		if r.Keys != nil {
			name = r.Keys.Name
		}
		f, err := reader.OpenReader(context.Background(), local.NewBytesSource(o[name]), arrowio.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		find, err := f.NewFinder(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		filters := filtersOf(t, o[r.Bloom.Name])
		var first, last []byte
		for k := range r.Rows {
			for row == int(recs[rec].NumRows()) {
				rec, row = rec+1, 0
			}
			key := keyOf(t, set, recs[rec], row)
			row++
			if k == 0 {
				first = key
			}
			last = key
			if at, ok, err := find.Find(key); !ok || err != nil || at != k {
				t.Fatalf("rowset %d: key %x of row %d is found at %d, %t, %v", i, key, k, at, ok, err)
			}
			if !filters.mayContain(key) {
				t.Fatalf("rowset %d: the filters do not have key %x of row %d", i, key, k)
			}
			other := append(slices.Clone(key), 0xff, byte(k))
			if _, ok, err := find.Find(other); ok || err != nil {
				t.Fatalf("rowset %d: key %x is found, %v", i, other, err)
			}
			others++
			if filters.mayContain(other) {
				wrong++
			}
		}
		if !bytes.Equal(r.MinKey, first) || !bytes.Equal(r.MaxKey, last) {
			t.Errorf("rowset %d: keys %x to %x, want %x to %x", i, r.MinKey, r.MaxKey, first, last)
		}
		least, _ := f.Footer().Lookup(cfilewire.MetaMinKey)
		most, _ := f.Footer().Lookup(cfilewire.MetaMaxKey)
		if !bytes.Equal(least, first) || !bytes.Equal(most, last) {
			t.Errorf("rowset %d: the footer has keys %x to %x, want %x to %x", i, least, most, first, last)
		}
	}
	if wrong > others/100 {
		t.Errorf("%d of %d keys that are not there may be, by the filters", wrong, others)
	}
}

// filters of a bloom file, and the keys that they begin with.
type filters struct {
	keys   [][]byte
	blooms []cfilewire.Bloom
}

func filtersOf(t testing.TB, b []byte) (f filters) {
	t.Helper()
	footer, err := cfilewire.ParseFooter(b, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var walk func(p cfilewire.BlockPointer)
	walk = func(p cfilewire.BlockPointer) {
		x, err := cfilewire.ParseIndex(b[p.Off : p.End()-4])
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Len() {
			key, p := x.Entry(i)
			if !x.Leaf {
				walk(p)
				continue
			}
			bloom, err := cfilewire.ParseBloom(b[p.Off : p.End()-4])
			if err != nil {
				t.Fatal(err)
			}
			f.keys, f.blooms = append(f.keys, key), append(f.blooms, bloom)
		}
	}
	walk(*footer.Val)
	return f
}

func (f *filters) mayContain(key []byte) bool {
	i, found := slices.BinarySearchFunc(f.keys, key, bytes.Compare)
	if !found {
		i--
	}
	return i >= 0 && f.blooms[i].MayContain(cfilewire.HashKey(key))
}

// TestKeys writes tables with keys of each type, alone and with others before and behind, and finds every row by its key.
func TestKeys(t *testing.T) {
	last := field("z", arrow.PrimitiveTypes.Int32)
	for n, dt := range keyTypes {
		for i, c := range []struct {
			name   string
			fields []arrow.Field
			key    string
		}{
			{"alone", []arrow.Field{field("v", arrow.BinaryTypes.String), field("k", dt)}, "k"},
			{"first", []arrow.Field{field("k", dt), last}, "k,z"},
			{"last", []arrow.Field{field("k", dt), field("a", arrow.PrimitiveTypes.Int8)}, "a,k"},
			{"between", []arrow.Field{last, optional("k", dt), field("a", arrow.BinaryTypes.String)}, "a,k,z"},
		} {
			if sampled > 1 && (n+i)%2 > 0 {
				continue
			}
			s := schemaOf(c.fields...)
			rec := build(s, 4000, func(b *array.RecordBuilder, i int) {
				for k, f := range s.Fields() {
					x := i
					if f.Name == "a" {
						x = i / 30
					}
					if f.Name != "z" && c.name == "alone" && (dt.ID() == arrow.INT8 || dt.ID() == arrow.UINT8) {
						x = min(i, 255) * 20 // each key once: there are no more
					}
					appendKey(t, b.Field(k), x)
				}
			})
			if c.name == "last" { // a, k must tell rows apart
				switch dt.ID() {
				case arrow.INT8, arrow.UINT8:
					rec = rec.NewSlice(0, 20)
				}
			}
			if c.name == "alone" && (dt.ID() == arrow.INT8 || dt.ID() == arrow.UINT8) {
				rec = rec.NewSlice(0, 256)
			}
			if c.name == "last" && rec.NumRows() == 20 {
				rec = rec.NewSlice(0, 1)
			}
			o := arrowio.WriteOptions{Options: map[string]string{"kudu-key": c.key, "kudu-block-size": "512"}, MaxFileBytes: 60_000}
			recs := []arrow.Record{rec.NewSlice(0, rec.NumRows()/3), rec.NewSlice(rec.NumRows()/3, rec.NumRows())}
			got := write(t, writer.KuduFormat(), s, recs, o)
			readBack(t, got, s, recs)
			checkKeys(t, got, recs)
			if t.Failed() {
				t.Fatalf("%s %s", dt, c.name)
			}
		}
	}
}

// TestOrder: a key that does not come after the one before is refused, with its row and both keys.
func TestOrder(t *testing.T) {
	s := schemaOf(field("a", arrow.PrimitiveTypes.Int64), field("b", arrow.BinaryTypes.String), field("c", arrow.FixedWidthTypes.Date32))
	type row struct {
		a int64
		b string
		c int32
	}
	make := func(rows ...row) arrow.Record {
		return build(s, len(rows), func(b *array.RecordBuilder, i int) {
			b.Field(0).(*array.Int64Builder).Append(rows[i].a)
			b.Field(1).(*array.StringBuilder).Append(rows[i].b)
			b.Field(2).(*array.Date32Builder).Append(arrow.Date32(rows[i].c))
		})
	}
	first := make(row{-2, "x", 0}, row{-1, "", 0}, row{1, "a", 5}, row{1, "a\x00", 3}, row{1, "b", 1})
	for _, c := range []struct {
		key  string
		rec  arrow.Record
		says []string // of the error; nil = none
	}{
		{"a,b,c", make(row{1, "b", 2}, row{2, "a", 0}), nil},
		{"a,b,c", make(row{1, "b", 1}), []string{`row 5: the key (1, "b", 1970-01-02) is also the key of the row before`, "must be unique"}},
		{"a,b,c", make(row{1, "c", 1}, row{1, "c", 0}), []string{`row 6: the key (1, "c", 1970-01-01) is below that of the row before, (1, "c", 1970-01-02)`, "--sort"}},
		{"a,b,c", make(row{1, "bb", 1}, row{-1, "z", 9}), []string{`row 6: the key (-1, "z", `}},
		{"a,b", make(row{2, "", 1}, row{2, "", 2}), []string{`row 6: the key (2, "") is also the key of the row before`}},
		{"a,b", make(row{1, "a\x00", 1}), []string{`row 5: the key (1, "a\x00") is below that of the row before, (1, "b")`}},
	} {
		o := arrowio.WriteOptions{Options: map[string]string{"kudu-key": c.key}}
		for _, parallelism := range []int{1, 3} {
			o.Parallelism = parallelism
			_, err := tryWrite(writer.KuduFormat(), s, []arrow.Record{first, c.rec}, o)
			if c.says == nil {
				if err != nil {
					t.Error(err)
				}
				continue
			}
			if !errors.Is(err, errs.ErrSchema) {
				t.Errorf("%v", err)
				continue
			}
			for _, says := range c.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%v does not say %s", err, says)
				}
			}
		}
	}
	// A null in a key, of a field that may have some.
	f := optional("k", arrow.PrimitiveTypes.Int64)
	rec := recordOf(f, arrayOf(t, f.Type, `[1, 2, null]`))
	_, err := tryWrite(writer.KuduFormat(), rec.Schema(), []arrow.Record{rec}, arrowio.WriteOptions{Options: map[string]string{"kudu-key": "k"}})
	if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "row 2: a null in a column of the key") {
		t.Error(err)
	}
}

// TestOrderEverywhere puts two rows in the wrong order, or one twice, anywhere in some batches: the error has its row.
func TestOrderEverywhere(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	s := schemaOf(field("k", arrow.BinaryTypes.String), field("n", arrow.PrimitiveTypes.Int32))
	for range 200 {
		n := 5 + r.Intn(9000)
		bad, twice := 1+r.Intn(n-1), r.Intn(2) == 0
		rec := build(s, n, func(b *array.RecordBuilder, i int) {
			x := i
			if i == bad {
				x = i - 1
				if !twice {
					x = r.Intn(i)
				}
			}
			b.Field(0).(*array.StringBuilder).Append(fmt.Sprintf("%08d", x/100))
			b.Field(1).(*array.Int32Builder).Append(int32(x))
		})
		o := arrowio.WriteOptions{MaxFileBytes: 30_000, Options: map[string]string{"kudu-key": "k,n"}}
		recs := cut(r, rec, 3000)
		_, err := tryWrite(writer.KuduFormat(), s, recs, o)
		if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), fmt.Sprintf("row %d: ", bad)) {
			t.Fatalf("row %d of %d, twice %t: %v", bad, n, twice, err)
		}
	}
}

// TestLongKeys: keys of many bytes are put together in parts.
func TestLongKeys(t *testing.T) {
	words := array.NewStringBuilder(memory.NewGoAllocator())
	for i := range 9 {
		words.Append(strings.Repeat(string(rune('a'+i)), 30_000))
	}
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	indices, n := array.NewInt8Builder(memory.NewGoAllocator()), array.NewInt32Builder(memory.NewGoAllocator())
	for i := range 300 {
		indices.Append(int8(i / 34))
		n.Append(int32(i))
	}
	s := schemaOf(field("k", dt), field("n", arrow.PrimitiveTypes.Int32))
	rec := array.NewRecord(s, []arrow.Array{array.NewDictionaryArray(dt, indices.NewArray(), words.NewArray()), n.NewArray()}, 300)
	o := arrowio.WriteOptions{Compression: "lz4", Options: map[string]string{"kudu-key": "k,n"}}
	got := write(t, writer.KuduFormat(), s, []arrow.Record{rec}, o)
	readBack(t, got, s, []arrow.Record{rec})
	checkKeys(t, got, []arrow.Record{rec})
	// Two must have room in a footer.
	text := array.NewStringBuilder(memory.NewGoAllocator())
	text.Append("a")
	text.Append(strings.Repeat("x", 40_000))
	long := recordOf(field("k", arrow.BinaryTypes.String), text.NewArray())
	o.Options["kudu-key"] = "k"
	if _, err := tryWrite(writer.KuduFormat(), long.Schema(), []arrow.Record{long}, o); !errors.Is(err, errs.ErrLimit) || !strings.Contains(err.Error(), "row 1: a key of 40000 bytes") {
		t.Error(err)
	}
}

// TestWideKey: a key of many numbers.
func TestWideKey(t *testing.T) {
	const columns, rows = 1000, 300
	var fields []arrow.Field
	for i := range columns {
		fields = append(fields, withMeta(field(fmt.Sprint("k", i), &arrow.Decimal128Type{Precision: 38}), "kudu.key", "true"))
	}
	rec := build(schemaOf(fields...), rows, func(b *array.RecordBuilder, i int) {
		for k, f := range b.Fields() {
			f.(*array.Decimal128Builder).Append(decimal128.FromI64(int64(k*i) / 100))
		}
	})
	defer rec.Release()
	got := write(t, writer.KuduFormat(), rec.Schema(), []arrow.Record{rec}, arrowio.WriteOptions{})
	checkKeys(t, got, []arrow.Record{rec})
}
