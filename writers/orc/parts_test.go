package orc_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// layout parses the tail of a file without compression, and the footers of its stripes.
func layout(t testing.TB, b []byte) (*orcwire.Footer, []*orcwire.StripeFooter) {
	t.Helper()
	end := len(b) - 1 - int(b[len(b)-1])
	ps, err := orcwire.ParsePostScript(b[end : len(b)-1])
	if err != nil {
		t.Fatal(err)
	}
	if ps.Compression != orcwire.CompressionNone {
		t.Fatal("the file is compressed")
	}
	foot, err := orcwire.ParseFooter(b[end-int(ps.FooterLength):end], arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var stripes []*orcwire.StripeFooter
	for _, s := range foot.Stripes {
		data := s.IndexLength + s.DataLength
		sf, err := orcwire.ParseStripeFooter(b[s.Offset+data:s.End()], len(foot.Types), data)
		if err != nil {
			t.Fatal(err)
		}
		stripes = append(stripes, sf)
	}
	return foot, stripes
}

// encodings returns those of the columns of the first stripe.
func encodings(t testing.TB, b []byte) (names []string) {
	t.Helper()
	_, stripes := layout(t, b)
	for _, e := range stripes[0].Encodings {
		names = append(names, e.Kind.String())
	}
	return names
}

// stripesOf returns what the reader says of the stripes of any file.
func stripesOf(t testing.TB, b []byte) []arrowio.Split {
	t.Helper()
	f := open(t, "splits", b, readerOptions())
	defer f.Close()
	return f.Splits()
}

// stripeRows returns how many rows the stripes of a file have.
func stripeRows(t testing.TB, b []byte) (rows []int64) {
	t.Helper()
	foot, _ := layout(t, b)
	for _, s := range foot.Stripes {
		rows = append(rows, s.Rows)
	}
	return rows
}

// someOf returns a batch with some of its columns only, and releases it.
func someOf(rec arrow.Record, names ...string) arrow.Record {
	defer rec.Release()
	var fields []arrow.Field
	var cols []arrow.Array
	for _, n := range names {
		i := rec.Schema().FieldIndices(n)[0]
		fields, cols = append(fields, rec.Schema().Field(i)), append(cols, rec.Column(i))
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), cols, rec.NumRows())
}

// TestParts: a file ends when it has its size, and the next has the next number.
func TestParts(t *testing.T) {
	t.Parallel()
	rec := someOf(lineItems(20_000), "partkey", "discount", "comment", "note", "at", "tags")
	defer rec.Release()
	for _, c := range []struct {
		o        arrowio.WriteOptions
		min, max int   // files
		size     int64 // of all but the last, about
	}{
		{arrowio.WriteOptions{}, 1, 1, 0},
		{arrowio.WriteOptions{RowGroupBytes: 100 << 10, Compression: "none"}, 1, 1, 0},
		{arrowio.WriteOptions{MaxFileBytes: 256 << 10, Compression: "none"}, 4, 6, 256 << 10},
		{arrowio.WriteOptions{MaxFileBytes: 128 << 10, Compression: "zlib"}, 3, 7, 128 << 10},
		{arrowio.WriteOptions{MaxFileBytes: 200 << 10, RowGroupBytes: 50 << 10, Compression: "snappy"}, 2, 5, 200 << 10},
		{arrowio.WriteOptions{MaxFileBytes: 1}, 100, 100, 0},
	} {
		o := c.o
		o.Options = map[string]string{"orc-row-index-stride": "200"}
		objects := write(t, rec.Schema(), []arrow.Record{rec}, o)
		if len(objects) < c.min || len(objects) > c.max {
			t.Errorf("%+v: %d files, want %d to %d", c.o, len(objects), c.min, c.max)
		}
		for i, name := range slices.Sorted(maps.Keys(objects)) {
			if want := fmt.Sprintf("part-%05d.orc", i); name != want {
				t.Errorf("%+v: file %d is %s, want %s", c.o, i, name, want)
			}
			n := int64(len(objects[name]))
			if last := i == len(objects)-1; c.size > 0 && (n > c.size*3/2 || n < c.size/2 && !last) {
				t.Errorf("%+v: %s has %d bytes", c.o, name, n)
			}
		}
		check(t, objects, rec)
	}
}

// TestStripes: stripes end at row groups, or at the rows that they may have, and have about the bytes they should.
func TestStripes(t *testing.T) {
	t.Parallel()
	rec := someOf(lineItems(10_000), "orderkey", "quantity", "clerk", "note", "tags")
	defer rec.Release()
	for _, c := range []struct {
		stride, rows string
		bytes        int64
		want         []int64 // nil = by bytes
	}{
		{"10000", "all", 0, []int64{10_000}},
		{"1000", "2500", 0, []int64{2500, 2500, 2500, 2500}},
		{"1000", "3000", 0, []int64{3000, 3000, 3000, 1000}},
		{"0", "3333", 0, []int64{3333, 3333, 3333, 1}},
		{"0", "all", 0, []int64{10_000}},
		{"100000", "9999", 0, []int64{9999, 1}},
		{"1", "5000", 0, []int64{5000, 5000}},
		{"10000", "10000", 0, []int64{10_000}},
		{"1000", "all", 80 << 10, nil},
		{"100", "all", 80 << 10, nil},
		{"100", "1000", 1 << 30, []int64{1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}},
		{"2500", "all", 1, []int64{2500, 2500, 2500, 2500}},
	} {
		o := arrowio.WriteOptions{Compression: "none", RowGroupBytes: c.bytes, Options: map[string]string{"orc-row-index-stride": c.stride, "orc-stripe-rows": c.rows}}
		objects := write(t, rec.Schema(), []arrow.Record{rec}, o)
		got := stripeRows(t, one(t, objects))
		if c.want != nil && !slices.Equal(got, c.want) {
			t.Errorf("%+v: stripes of %d rows", c, got)
		}
		foot, _ := layout(t, one(t, objects))
		for i, s := range foot.Stripes {
			if c.want == nil && (s.DataLength > c.bytes*3/2 || s.DataLength < c.bytes/2 && i < len(foot.Stripes)-1) {
				t.Errorf("%+v: stripe %d of %d has %d bytes", c, i, len(foot.Stripes), s.DataLength)
			}
		}
		check(t, objects, rec)
	}
}

// TestMemoryBoundsStripes: little memory makes small stripes.
func TestMemoryBoundsStripes(t *testing.T) {
	rec := lineItems(20_000)
	defer rec.Release()
	o := arrowio.WriteOptions{Compression: "none", Memory: 600 << 10, Options: map[string]string{"orc-row-index-stride": "500"}}
	if n := len(stripeRows(t, one(t, write(t, rec.Schema(), []arrow.Record{rec}, o)))); n < 4 || n > 12 {
		t.Errorf("%d stripes", n)
	}
}

// TestEmpty: no rows are one file of no stripe; batches of none change nothing.
func TestEmpty(t *testing.T) {
	for _, s := range []*arrow.Schema{
		schemaOf(field("a", arrow.PrimitiveTypes.Int64), optional("l", arrow.ListOf(arrow.BinaryTypes.String))),
		schemaOf(),
		schemaOf(field("d", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String})),
		schemaOf(optional("n", arrow.Null)),
	} {
		none := build(memory.DefaultAllocator, s, 0, nil)
		defer none.Release()
		for _, compression := range []string{"none", "zlib"} {
			for _, recs := range [][]arrow.Record{nil, {none}, {none, none}} {
				objects := write(t, s, recs, arrowio.WriteOptions{Compression: compression, MaxFileBytes: 1})
				b := objects["part-00000.orc"]
				if len(objects) != 1 || b == nil || !strings.HasPrefix(string(b), "ORC") {
					t.Fatalf("%d files", len(objects))
				}
				if compression == "none" {
					if foot, _ := layout(t, b); foot.Rows != 0 || len(foot.Stripes) != 0 || len(foot.Types) == 0 {
						t.Errorf("%+v", foot)
					}
				}
				check(t, objects)
			}
		}
	}
}

// TestNoColumns: rows without columns are counted.
func TestNoColumns(t *testing.T) {
	s := schemaOf()
	for _, n := range []int64{0, 1, 9_999, 10_000, 10_001, 123_456} {
		rec := array.NewRecord(s, nil, n)
		o := arrowio.WriteOptions{Compression: "none", Options: map[string]string{"orc-stripe-rows": "50000"}}
		objects := write(t, s, []arrow.Record{rec}, o)
		foot, _ := layout(t, one(t, objects))
		if foot.Rows != n {
			t.Errorf("%d rows, want %d", foot.Rows, n)
		}
		check(t, objects, rec)
		rec.Release()
	}
}

// TestEdges has rows end where row groups, stripes and runs do, and one before and behind.
func TestEdges(t *testing.T) {
	t.Parallel()
	whole := someOf(lineItems(2_100), "orderkey", "clerk", "note", "flag", "tags", "point")
	defer whole.Release()
	for _, n := range []int64{1, 2, 7, 8, 9, 99, 100, 101, 199, 200, 201, 511, 512, 513, 999, 1000, 1001, 1999, 2000, 2001} {
		for _, o := range []arrowio.WriteOptions{
			{Options: map[string]string{"orc-row-index-stride": "100", "orc-stripe-rows": "1000"}},
			{Compression: "none", Options: map[string]string{"orc-row-index-stride": "100", "orc-stripe-rows": "1000", "orc-version": "0.11"}},
			{Compression: "snappy", Options: map[string]string{"orc-row-index-stride": "8", "orc-stripe-rows": "200", "orc-block-size": "1024"}},
		} {
			rec := whole.NewSlice(0, n)
			batches := []arrow.Record{rec.NewSlice(0, n/2), rec.NewSlice(n/2, n/2), rec.NewSlice(n/2, n)}
			objects := write(t, rec.Schema(), batches, o)
			check(t, objects, rec)
			release(batches)
			rec.Release()
		}
	}
}

// TestDictionaryPerStripe: each stripe decides for itself whether it has a dictionary.
func TestDictionaryPerStripe(t *testing.T) {
	rec := stringsOf(40_000, func(i int) string {
		if i/10_000%2 == 1 {
			return fmt.Sprint("distinct ", i)
		}
		return fmt.Sprint("word ", i%10)
	})
	defer rec.Release()
	o := arrowio.WriteOptions{Compression: "none", Options: map[string]string{"orc-stripe-rows": "10000"}}
	objects := write(t, rec.Schema(), []arrow.Record{rec}, o)
	_, stripes := layout(t, one(t, objects))
	for i, s := range stripes {
		if got, want := s.Encodings[1].Kind.String(), []string{"DICTIONARY_V2", "DIRECT_V2"}[i%2]; got != want {
			t.Errorf("stripe %d: %s", i, got)
		}
		if i%2 == 0 && s.Encodings[1].DictionarySize != 10 {
			t.Errorf("stripe %d: a dictionary of %d", i, s.Encodings[1].DictionarySize)
		}
	}
	check(t, objects, rec)
}

// TestDictionaryArrays has dictionaries that change between batches, that have nulls, that hold more than is used, under
// types that are not just strings, and within lists.
func TestDictionaryArrays(t *testing.T) {
	char := field("char", nil)
	char.Metadata = arrow.MetadataFrom(map[string]string{orcwire.MetaType: "char(9)"})
	for _, index := range []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int64} {
		dict := func(v arrow.DataType) arrow.DataType { return &arrow.DictionaryType{IndexType: index, ValueType: v} }
		char.Type = dict(arrow.BinaryTypes.String)
		s := schemaOf(optional("s", dict(arrow.BinaryTypes.String)), char, optional("bin", dict(arrow.BinaryTypes.Binary)),
			optional("large", dict(arrow.BinaryTypes.LargeString)), optional("n", dict(arrow.PrimitiveTypes.Int32)),
			optional("list", arrow.ListOf(dict(arrow.BinaryTypes.String))))
		var recs []arrow.Record
		for k := range 8 {
			n := 100 + 30*k
			dictionary := func(values arrow.Array, valid bool) arrow.Array {
				defer values.Release()
				ids := array.NewBuilder(memory.DefaultAllocator, index)
				defer ids.Release()
				for i := range n {
					if valid && i%7 == 3 {
						ids.AppendNull()
						continue
					}
					if err := ids.AppendValueFromString(fmt.Sprint((i*i + k) % values.Len())); err != nil {
						t.Fatal(err)
					}
				}
				at := ids.NewArray()
				defer at.Release()
				return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: index, ValueType: values.DataType()}, at, values)
			}
			words := func(b array.Builder, nulls bool) arrow.Array {
				defer b.Release()
				for i := range 20 + k {
					if v, ok := b.(*array.BinaryBuilder); ok && !nulls && b.Type().ID() == arrow.BINARY {
						v.Append([]byte{byte(i), byte(k)})
					} else if nulls && i%5 == 2 {
						b.AppendNull()
					} else if err := b.AppendValueFromString(fmt.Sprint(i * k)); err != nil {
						t.Fatal(err)
					}
				}
				return b.NewArray()
			}
			mem := memory.DefaultAllocator
			list := array.NewListBuilder(mem, arrow.BinaryTypes.String)
			for i := range n {
				list.Append(i%11 > 0)
				for j := range i % 3 * (i % 11 / 2) {
					list.ValueBuilder().(*array.StringBuilder).Append(fmt.Sprint(j))
				}
			}
			lists := list.NewListArray()
			inner := lists.ListValues().(*array.String)
			ids := array.NewBuilder(mem, index)
			for i := range inner.Len() {
				if err := ids.AppendValueFromString(fmt.Sprint(i % 13)); err != nil {
					t.Fatal(err)
				}
			}
			at := ids.NewArray()
			dicts := array.NewDictionaryArray(dict(arrow.BinaryTypes.String).(*arrow.DictionaryType), at, words(array.NewStringBuilder(mem), k%2 == 1))
			data := array.NewData(s.Field(5).Type, n, lists.Data().Buffers(), []arrow.ArrayData{dicts.Data()}, lists.NullN(), 0)
			rec := array.NewRecord(s, []arrow.Array{
				dictionary(words(array.NewStringBuilder(mem), k%3 == 1), true), dictionary(words(array.NewStringBuilder(mem), false), false),
				dictionary(words(array.NewBinaryBuilder(mem, arrow.BinaryTypes.Binary), false), true), dictionary(words(array.NewLargeStringBuilder(mem), k%2 == 1), true),
				dictionary(words(array.NewInt32Builder(mem), k%2 == 1), true), array.NewListData(data),
			}, int64(n))
			recs = append(recs, rec, rec.NewSlice(17, int64(n)-5))
		}
		for _, o := range []arrowio.WriteOptions{
			{Options: map[string]string{"orc-row-index-stride": "64", "orc-bloom": "*"}},
			{Options: map[string]string{"orc-row-index-stride": "64", "orc-dictionary": "0"}, Compression: "none"},
			{Options: map[string]string{"orc-stripe-rows": "333", "orc-dictionary": "1"}, Parallelism: 1},
		} {
			check(t, write(t, s, recs, o), recs...)
		}
	}
}
