package extsort

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Dictionaries that together have more entries than indices reach: batches have fewer rows, or dictionaries of their own.
func TestDictionariesTogetherAreTooLarge(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	s := fields("k", arrow.PrimitiveTypes.Int64, "d", dict, "l", arrow.ListOf(dict))
	var recs []arrow.Record
	b := array.NewRecordBuilder(mem, s)
	defer b.Release()
	for k := range 6 {
		for i := range 100 {
			b.Field(0).(*array.Int64Builder).Append(int64(i * 7919 % 101))
			if i%9 == 0 {
				b.Field(1).AppendNull()
			} else if err := b.Field(1).(*array.BinaryDictionaryBuilder).AppendString(fmt.Sprint(k, "-", i)); err != nil {
				t.Fatal(err)
			}
			l := b.Field(2).(*array.ListBuilder)
			l.Append(true)
			for e := range i % 3 {
				if err := l.ValueBuilder().(*array.BinaryDictionaryBuilder).AppendString(fmt.Sprint(k*e, "+", i/2)); err != nil {
					t.Fatal(err)
				}
			}
		}
		recs = append(recs, b.NewRecord())
		b.Field(1).(*array.BinaryDictionaryBuilder).ResetFull()
		b.Field(2).(*array.ListBuilder).ValueBuilder().(*array.BinaryDictionaryBuilder).ResetFull()
	}
	want := expected(recs, []int{0}, keysOf("k"))
	for _, m := range []int64{512 << 10, 64 << 20} {
		got, _, err := sortAll(context.Background(), recs, keysOf("k"), Options{Memory: m, Allocator: mem, Scratch: (&disk{}).scratch})
		if err != nil {
			t.Fatal(err)
		}
		check(t, got, recs, want)
		if len(got) < 4 {
			t.Errorf("%d batches", len(got))
		}
		releaseAll(got)
	}
	releaseAll(recs)
}

// One dictionary for all batches stays that dictionary.
func TestSameDictionary(t *testing.T) {
	mem := memory.NewGoAllocator()
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: arrow.BinaryTypes.String}
	whole := fromJSON(t, mem, fields("d", dt), `[{"d":"z"},{"d":"a"},{"d":"m"},{"d":null},{"d":"a"},{"d":"z"}]`)
	got, _, err := sortAll(context.Background(), []arrow.Record{whole.NewSlice(0, 3), whole.NewSlice(3, 6)}, keysOf("d"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := toJSON(t, got); strings.Join(strings.Fields(text), "") != `{"d":"a"}{"d":"a"}{"d":"m"}{"d":"z"}{"d":"z"}{"d":null}` {
		t.Error(text)
	}
	if d := got[0].Column(0).(*array.Dictionary).Dictionary(); array.NewSlice(d, 0, 3).String() != `["z" "a" "m"]` || d.Len() != 3 {
		t.Error("the dictionary changed:", d)
	}
}

// A dictionary that is large beside the rows does not make them large.
func TestLargeDictionaryInside(t *testing.T) {
	mem := memory.NewGoAllocator()
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	b := array.NewRecordBuilder(mem, fields("k", arrow.PrimitiveTypes.Int64, "s", arrow.StructOf(arrow.Field{Name: "d", Type: dict})))
	for i := range 20_000 {
		b.Field(0).(*array.Int64Builder).Append(int64(i * 7919 % 20_011))
		st := b.Field(1).(*array.StructBuilder)
		st.Append(true)
		if err := st.FieldBuilder(0).(*array.BinaryDictionaryBuilder).AppendString(fmt.Sprintf("%0100d", i)); err != nil {
			t.Fatal(err)
		}
	}
	recs := []arrow.Record{b.NewRecord()} // 2 MB of dictionary
	d := &disk{}
	got, stats, err := sortAll(context.Background(), recs, keysOf("k"), Options{Memory: 20 << 20, Scratch: d.scratch})
	if err != nil || stats.Runs != 0 || len(got) > 10 {
		t.Fatal(len(got), stats, err)
	}
	if n := got[0].Column(1).(*array.Struct).Field(0).(*array.Dictionary).Dictionary().Len(); n != 20_000 {
		t.Errorf("%d entries", n)
	}
}
