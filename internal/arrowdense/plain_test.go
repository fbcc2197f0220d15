package arrowdense

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// A dictionary, alone and within a list and a union, with nulls in it and of it.
func TestPlainReader(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	union := arrow.DenseUnionOf([]arrow.Field{{Name: "d", Type: dict, Nullable: true}}, []arrow.UnionTypeCode{3})
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: dict, Nullable: true}, {Name: "l", Type: arrow.ListOf(dict), Nullable: true}, {Name: "u", Type: union}}, nil)
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	d, l, u := b.Field(0).(*array.BinaryDictionaryBuilder), b.Field(1).(*array.ListBuilder), b.Field(2).(*array.DenseUnionBuilder)
	within, joined := l.ValueBuilder().(*array.BinaryDictionaryBuilder), u.Child(0).(*array.BinaryDictionaryBuilder)
	for _, s := range []string{"a", "b", "", "a"} {
		l.Append(true)
		u.Append(3)
		for _, to := range []*array.BinaryDictionaryBuilder{d, within, joined} {
			if s == "" {
				to.AppendNull()
			} else if err := to.AppendString(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	rr, err := array.NewRecordReader(schema, []arrow.Record{rec})
	if err != nil {
		t.Fatal(err)
	}
	p := NewPlainReader(rr, mem)
	defer p.Release()
	if HasDictionary(arrow.StructOf(p.Schema().Fields()...)) {
		t.Error(p.Schema())
	}
	if !p.Next() {
		t.Fatal(p.Err())
	}
	got := p.Record()
	for i, want := range []string{`["a" "b" (null) "a"]`, `[["a"] ["b"] [(null)] ["a"]]`} {
		if s := got.Column(i).String(); s != want {
			t.Errorf("column %d: %s, want %s", i, s, want)
		}
	}
	if s := got.Column(2).(array.Union).Field(0).String(); s != `["a" "b" (null) "a"]` {
		t.Error(s)
	}
	if p.Next() || p.Err() != nil {
		t.Error(p.Err())
	}
}

// A reader without dictionaries stays as it is.
func TestPlainReaderOfNone(t *testing.T) {
	rr, err := array.NewRecordReader(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int8}}, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	if NewPlainReader(rr, memory.DefaultAllocator) != array.RecordReader(rr) {
		t.Error("it is wrapped")
	}
}

// Dictionary columns without a value become plain ones in memory that was used before.
func TestPlainRecordOfNulls(t *testing.T) {
	mem := arrowbuf.NewPool(1 << 20)
	b := mem.Allocate(4096) // the pool gives it again as it is
	for i := range b {
		b[i] = 0xA5
	}
	mem.Free(b)
	for _, values := range []arrow.DataType{arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64, arrow.ListOf(arrow.BinaryTypes.Binary)} {
		dict := array.NewBuilder(memory.DefaultAllocator, values)
		defer dict.Release()
		none := dict.NewArray()
		defer none.Release()
		ids, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Int32, strings.NewReader("["+strings.TrimSuffix(strings.Repeat("null,", 500), ",")+"]"))
		if err != nil {
			t.Fatal(err)
		}
		defer ids.Release()
		dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: values}
		col := array.NewDictionaryArray(dt, ids, none)
		defer col.Release()
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "c", Type: dt, Nullable: true}}, nil), []arrow.Array{col}, 500)
		defer rec.Release()
		got, err := PlainRecord(rec, PlainSchema(rec.Schema()), mem)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Release()
		if got.Column(0).NullN() != 500 || got.Column(0).IsValid(499) {
			t.Errorf("%s: %v", values, got.Column(0))
		}
		for _, buf := range got.Column(0).Data().Buffers()[1:] {
			if buf == nil {
				continue
			}
			for i, x := range buf.Bytes() {
				if x != 0 {
					t.Fatalf("%s: byte %d of the values is %#x", values, i, x)
				}
			}
		}
	}
}
