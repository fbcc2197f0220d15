package cfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	writer "github.com/arrowio/arrowio/writers/cfile"
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
func sameBytes(t *testing.T, f arrowio.OutputFormat, whole arrow.Record, o arrowio.WriteOptions, sizes ...int64) objects {
	t.Helper()
	r := rand.New(rand.NewSource(5))
	var first objects
	for i, size := range sizes {
		recs := cut(r, whole, size)
		o.Parallelism = 1 + 3*(i%2)
		got := write(t, f, whole.Schema(), recs, o)
		release(recs)
		if first == nil {
			first = got
		}
		if !maps.EqualFunc(got, first, bytes.Equal) {
			t.Fatalf("%+v: batches of up to %d rows, %d columns at once: other bytes (%d files, first %d)", o, size, o.Parallelism, len(got), len(first))
		}
	}
	return first
}

// TestStable: the same rows make the same bytes, however they come and however many columns are encoded at once.
func TestStable(t *testing.T) {
	all := lineItems(20_000)
	defer all.Release()
	for i, o := range []arrowio.WriteOptions{
		{},
		{Compression: "lz4", MaxFileBytes: 300_000, Options: map[string]string{"BLOCK": "4096"}},
		{Compression: "zlib", MaxFileBytes: 1, Options: map[string]string{"BLOCK": "512"}},
		{Compression: "snappy", MaxFileBytes: 100_000, Options: map[string]string{"ENCODING": "plain"}},
		{Options: map[string]string{"ENCODING": "comment=prefix,shipmode=prefix,partkey=rle"}},
	} {
		for k, f := range []arrowio.OutputFormat{writer.Format(), writer.KuduFormat()} {
			if sampled > 1 && (i+k)%2 > 0 {
				continue
			}
			opt := map[string]string{}
			for k, v := range map[string]string{"BLOCK": "-block-size", "ENCODING": "-encoding"} {
				if x := o.Options[k]; x != "" {
					opt[f.Name+v] = x
				}
			}
			if f.Name == "kudu" {
				opt["kudu-key"] = "orderkey,linenumber"
			}
			with := o
			with.Options = opt
			whole := all
			if o.MaxFileBytes == 1 { // many small rowsets
				whole = all.NewSlice(0, 2000)
			}
			recs := []arrow.Record{whole}
			got := sameBytes(t, f, whole, with, 20_000, 20_000, 7_000, 700, 33)
			set := readBack(t, got, whole.Schema(), recs)
			if f.Name == "kudu" {
				checkKeys(t, got, recs)
			}
			if rolled := len(set.RowSets) > 1; rolled != (o.MaxFileBytes > 0) {
				t.Errorf("%s %+v: %d rowsets", f.Name, o, len(set.RowSets))
			}
		}
	}
}

// TestRolling: a rowset ends soon after it has as many bytes as it should have.
func TestRolling(t *testing.T) {
	const n, most = 200_000, 400_000
	r := rand.New(rand.NewSource(1))
	rec := build(schemaOf(field("k", arrow.PrimitiveTypes.Int64), field("noise", arrow.PrimitiveTypes.Int64)), n, func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.Int64Builder).Append(r.Int63())
	})
	defer rec.Release()
	o := arrowio.WriteOptions{MaxFileBytes: most, Options: map[string]string{"kudu-key": "k", "kudu-block-size": "8192"}}
	set := readBack(t, write(t, writer.KuduFormat(), rec.Schema(), []arrow.Record{rec}, o), rec.Schema(), []arrow.Record{rec})
	rows := int64(0)
	for i, s := range set.RowSets {
		size := s.Bloom.Bytes
		for _, c := range s.Columns {
			size += c.Bytes
		}
		if last := i == len(set.RowSets)-1; !last && (size < most || size > most*5/4) {
			t.Errorf("rowset %d of %d: %d bytes, %d rows", i, len(set.RowSets), size, s.Rows)
		}
		if want := fmt.Sprintf("rowset-%05d/", i); !strings.HasPrefix(s.Columns[0].Name, want) {
			t.Errorf("rowset %d is in %s", i, s.Columns[0].Name)
		}
		rows += s.Rows
	}
	if len(set.RowSets) < 4 || rows != n {
		t.Errorf("%d rowsets, %d rows", len(set.RowSets), rows)
	}
	// Without a limit a table's rowsets end at 32 MiB, lone files never.
	if set := setOf(t, write(t, writer.Format(), rec.Schema(), []arrow.Record{rec}, arrowio.WriteOptions{})); len(set.RowSets) != 1 || set.RowSets[0].Columns[0].Name != "k.cfile" {
		t.Errorf("%+v", set.RowSets)
	}
}

// TestMostRows: a rowset ends when it has as many rows as ordinals can count; a lone file cannot.
func TestMostRows(t *testing.T) {
	rec := build(schemaOf(field("k", arrow.PrimitiveTypes.Int64)), 1000, func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
	})
	defer rec.Release()
	for _, most := range []int64{1, 100, 300, 999, 1000, 1001} {
		f := writer.KuduFormat()
		p, err := f.Plan(rec.Schema(), arrowio.WriteOptions{Options: map[string]string{"kudu-key": "k"}})
		if err != nil {
			t.Fatal(err)
		}
		writer.SetMaxRows(p, most)
		got, err := writePlan(f, p, []arrow.Record{rec})
		if err != nil {
			t.Fatal(err)
		}
		set := readBack(t, got, rec.Schema(), []arrow.Record{rec})
		if want := int((999 + most) / most); len(set.RowSets) != want {
			t.Errorf("%d rows at most: %d rowsets, want %d", most, len(set.RowSets), want)
		}
		if p, err = writer.Format().Plan(rec.Schema(), arrowio.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		writer.SetMaxRows(p, most)
		if _, err = writePlan(writer.Format(), p, []arrow.Record{rec}); errors.Is(err, errs.ErrLimit) != (most < 1000) {
			t.Errorf("%d rows at most: %v", most, err)
		}
	}
}

// TestLargeStrings: rows of many bytes do not carry a rowset far beyond its size.
func TestLargeStrings(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	noise := make([]byte, 100_000)
	r.Read(noise)
	rec := build(schemaOf(field("k", arrow.PrimitiveTypes.Int32), field("v", arrow.BinaryTypes.Binary)), 600, func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.Int32Builder).Append(int32(i))
		b.Field(1).(*array.BinaryBuilder).Append(append([]byte(fmt.Sprint(i)), noise...))
	})
	defer rec.Release()
	o := arrowio.WriteOptions{MaxFileBytes: 1 << 20, Options: map[string]string{"kudu-key": "k"}}
	set := setOf(t, write(t, writer.KuduFormat(), rec.Schema(), []arrow.Record{rec}, o))
	for _, s := range set.RowSets {
		if s.Rows > 256 {
			t.Errorf("%d rows in a rowset", s.Rows)
		}
	}
}

// TestLayoutsOfArrays: dictionaries, run ends, long offsets and views make the same bytes as plain arrays of the same
// values do, sliced or not.
func TestLayoutsOfArrays(t *testing.T) {
	mem := memory.NewGoAllocator()
	r := rand.New(rand.NewSource(3))
	n := 5000
	texts := make([]string, n)
	ints := make([]int64, n)
	valid := make([]bool, n)
	for i := range texts {
		texts[i], ints[i], valid[i] = fmt.Sprintf("text %d %s", r.Intn(40), strings.Repeat("x", r.Intn(20))), int64(r.Intn(50)), r.Intn(4) > 0
		if i/30%2 == 0 && i > 0 {
			texts[i], ints[i], valid[i] = texts[i-1], ints[i-1], valid[i-1]
		}
	}
	str := array.NewStringBuilder(mem)
	str.AppendValues(texts, valid)
	large := array.NewLargeStringBuilder(mem)
	large.AppendValues(texts, valid)
	view := array.NewStringViewBuilder(mem)
	num := array.NewInt64Builder(mem)
	num.AppendValues(ints, valid)
	bools := array.NewBooleanBuilder(mem)
	for i := range texts {
		if valid[i] {
			view.Append(texts[i])
			bools.Append(ints[i]&1 == 1)
		} else {
			view.AppendNull()
			bools.AppendNull()
		}
	}
	plain := []arrow.Array{str.NewArray(), num.NewArray(), bools.NewArray()}
	text64, textView := large.NewArray(), view.NewArray()
	// forms returns arrays with the values of one.
	forms := func(arr arrow.Array) []arrow.Array {
		out := []arrow.Array{arr}
		if arr.DataType().ID() == arrow.STRING {
			out = append(out, text64, textView)
		}
		for _, index := range []arrow.DataType{arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Uint64} {
			for _, values := range slices.Clone(out) {
				out = append(out, dictionary(t, index, values))
			}
		}
		return append(out, runEnds(t, arr), runEnds(t, dictionary(t, arrow.PrimitiveTypes.Int32, arr)))
	}
	for _, arr := range plain {
		for _, slice := range [][2]int64{{0, int64(n)}, {13, 4999}, {70, 71}} {
			var want objects
			for i, form := range forms(arr) {
				form = array.NewSlice(form, slice[0], slice[1])
				rec := recordOf(optional("v", form.DataType()), form)
				got := write(t, writer.Format(), rec.Schema(), []arrow.Record{rec}, arrowio.WriteOptions{Options: map[string]string{"cfile-block-size": "4096"}})
				if i == 0 {
					want = got
					readBack(t, got, rec.Schema(), []arrow.Record{rec})
				}
				if !maps.EqualFunc(got, want, bytes.Equal) {
					t.Errorf("%s from %d to %d: other bytes than %s", form.DataType(), slice[0], slice[1], arr.DataType())
				}
			}
		}
	}
}

// TestOneArrayTwice: columns may be one array, which knows nothing of itself yet.
func TestOneArrayTwice(t *testing.T) {
	words := arrayOf(t, arrow.BinaryTypes.String, `["a", null, "b"]`)
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: words.DataType()}
	var indices []byte
	for i := range 20_000 {
		indices = append(indices, byte(i%3))
	}
	d := array.NewDataWithDictionary(dt, len(indices), []*memory.Buffer{nil, memory.NewBufferBytes(indices)}, array.UnknownNullCount, 0, words.Data().(*array.Data))
	arr := array.MakeFromData(d)
	s := schemaOf(optional("a", dt), optional("b", dt), optional("c", dt))
	rec := array.NewRecord(s, []arrow.Array{arr, arr, arr}, int64(len(indices)))
	readBack(t, write(t, writer.Format(), s, []arrow.Record{rec}, arrowio.WriteOptions{Parallelism: 3}), s, []arrow.Record{rec})
}

// dictionary makes a dictionary array of an array's values: entries twice, one that is null, and some that nothing uses.
func dictionary(t testing.TB, index arrow.DataType, arr arrow.Array) arrow.Array {
	t.Helper()
	n := arr.Len()
	var entries []int64 // places in arr
	seen := map[string]int{}
	b := array.NewBuilder(memory.NewGoAllocator(), index)
	entry := func(i int) int {
		k := cell(arr, i)
		at, ok := seen[k]
		if !ok || i%7 == 0 && len(entries) < 300 {
			at = len(entries)
			entries = append(entries, int64(i))
			seen[k] = at
		}
		return at
	}
	for i := n - 1; i >= n-5; i-- {
		entry(i)
	}
	for i := range n {
		if arr.IsNull(i) && i%2 == 0 {
			b.AppendNull()
			continue
		}
		switch b := b.(type) {
		case *array.Int16Builder:
			b.Append(int16(entry(i)))
		case *array.Int32Builder:
			b.Append(int32(entry(i)))
		case *array.Uint64Builder:
			b.Append(uint64(entry(i)))
		}
	}
	var parts []arrow.Array
	for _, i := range entries {
		parts = append(parts, array.NewSlice(arr, i, i+1))
	}
	values, err := concat(parts)
	if err != nil {
		t.Fatal(err)
	}
	return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: index, ValueType: arr.DataType()}, b.NewArray(), values)
}

// runEnds makes run ends of an array's values.
func runEnds(t testing.TB, arr arrow.Array) arrow.Array {
	t.Helper()
	b := array.NewInt32Builder(memory.NewGoAllocator())
	var parts []arrow.Array
	for i := range arr.Len() {
		if i+1 == arr.Len() || cell(arr, i) != cell(arr, i+1) {
			b.Append(int32(i + 1))
			parts = append(parts, array.NewSlice(arr, int64(i), int64(i+1)))
		}
	}
	values, err := concat(parts)
	if err != nil {
		t.Fatal(err)
	}
	return array.NewRunEndEncodedArray(b.NewArray(), values, arr.Len(), 0)
}

// concat is array.Concatenate, which does not know views.
func concat(parts []arrow.Array) (arrow.Array, error) {
	if len(parts) > 0 && parts[0].DataType().ID() == arrow.STRING_VIEW {
		b := array.NewStringViewBuilder(memory.NewGoAllocator())
		for _, p := range parts {
			if p.IsNull(0) {
				b.AppendNull()
			} else {
				b.Append(p.(*array.StringView).Value(0))
			}
		}
		return b.NewArray(), nil
	}
	return array.Concatenate(parts, memory.NewGoAllocator())
}
