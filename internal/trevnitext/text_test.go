package trevnitext

import (
	"math/big"
	"reflect"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Numbers as Java's BigInteger.toByteArray gives them.
func TestTwosComplement(t *testing.T) {
	for v, want := range map[int64]string{0: "\x00", 1: "\x01", 127: "\x7f", 128: "\x00\x80", -1: "\xff", -128: "\x80", -129: "\xff\x7f", 256: "\x01\x00", -256: "\xff\x00"} {
		if got := string(twosComplement(big.NewInt(v))); got != want {
			t.Errorf("%d: %x, want %x", v, got, want)
		}
	}
	if got := string(signExtend([]byte{0x80}, 3)); got != "\xff\xff\x80" {
		t.Errorf("%x", got)
	}
}

// U+FFFF sorts behind U+10000 in UTF-16.
func TestLessUTF16(t *testing.T) {
	s := []string{"\U00010000", "\uffff", "b", "", "a"}
	slices.SortFunc(s, func(a, b string) int {
		if lessUTF16(a, b) {
			return -1
		}
		return 1
	})
	if want := []string{"", "a", "b", "\U00010000", "\uffff"}; !slices.Equal(s, want) {
		t.Errorf("%q", s)
	}
}

// A record of every kind of value, and its text written by hand.
func TestAvro(t *testing.T) {
	schema, err := trevniwire.ParseAvro([]byte(`{"type":"record","name":"R","fields":[
		{"name":"b","type":"boolean"},{"name":"f","type":"float"},{"name":"d","type":"double"},{"name":"s","type":"string"},
		{"name":"x","type":"bytes"},{"name":"o","type":["null","int"]},{"name":"a","type":{"type":"array","items":"long"}},
		{"name":"m","type":{"type":"map","values":"int"}},
		{"name":"n","type":{"type":"fixed","name":"N","size":4,"logicalType":"decimal","precision":5}},
		{"name":"r","type":{"type":"record","name":"I","fields":[{"name":"z","type":"null"}]}}]}`), errs.Limits{}.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	tree, _, err := trevniwire.Shred(schema, errs.Limits{}.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.NewGoAllocator(), tree.Schema)
	defer b.Release()
	for i := range 2 {
		b.Field(0).(*array.BooleanBuilder).Append(i == 1)
		b.Field(1).(*array.Float32Builder).Append(1.5)
		b.Field(2).(*array.Float64Builder).Append(-2)
		b.Field(3).(*array.StringBuilder).Append("q\"\\\n\x00é")
		b.Field(4).(*array.BinaryBuilder).Append([]byte{0, 255})
		o := b.Field(5).(*array.Int32Builder)
		if i == 0 {
			o.AppendNull()
		} else {
			o.Append(-7)
		}
		a := b.Field(6).(*array.ListBuilder)
		a.Append(true)
		for k := range i * 2 {
			a.ValueBuilder().(*array.Int64Builder).Append(int64(k))
		}
		m := b.Field(7).(*array.MapBuilder)
		m.Append(true)
		for k, key := range []string{"z", "y", "z"} {
			m.KeyBuilder().(*array.StringBuilder).Append(key)
			m.ItemBuilder().(*array.Int32Builder).Append(int32(k))
		}
		b.Field(8).(*array.Decimal128Builder).Append(decimal128.FromI64(-2))
		s := b.Field(9).(*array.StructBuilder)
		s.Append(true)
		s.FieldBuilder(0).(*array.NullBuilder).AppendNull()
	}
	rec := b.NewRecord()
	defer rec.Release()
	const same = `,"f":"3fc00000","d":"c000000000000000","s":"q\"\\\u000a\u0000é","x":"00ff",`
	want := []string{
		`{"b":false` + same + `"o":null,"a":[],"m":{"y":1,"z":2},"n":"fffffffe","r":{"z":null}}`,
		`{"b":true` + same + `"o":{"int":-7},"a":[0,1],"m":{"y":1,"z":2},"n":"fffffffe","r":{"z":null}}`,
	}
	if got := Avro(schema, rec); !reflect.DeepEqual(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Columns as stored: a column under an array is a list, deeper ones are nested.
func TestRaw(t *testing.T) {
	pair := func(kv ...string) (m trevniwire.Meta) {
		for i := 0; i < len(kv); i += 2 {
			m = append(m, trevniwire.Pair{Key: kv[i], Value: []byte(kv[i+1])})
		}
		return m
	}
	h := &trevniwire.Header{Columns: []trevniwire.Column{
		{Meta: pair(trevniwire.KeyName, "id", trevniwire.KeyType, "int")},
		{Meta: pair(trevniwire.KeyName, "a", trevniwire.KeyType, "null", trevniwire.KeyArray, "")},
		{Meta: pair(trevniwire.KeyName, "k", trevniwire.KeyType, "string", trevniwire.KeyParent, "a")},
	}}
	raw := trevniwire.AppendHeader(nil, h)
	h, err := trevniwire.ParseHeader(raw, int64(len(raw)), errs.Limits{}.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := trevniwire.ColumnsView(h, errs.Limits{}.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	b := array.NewRecordBuilder(memory.NewGoAllocator(), tree.Schema)
	defer b.Release()
	for i := range 2 {
		b.Field(0).(*array.Int32Builder).Append(int32(i))
		l := b.Field(1).(*array.ListBuilder)
		l.Append(true)
		for range 2 * i {
			s := l.ValueBuilder().(*array.StructBuilder)
			s.Append(true)
			s.FieldBuilder(0).(*array.StringBuilder).Append("x")
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	if got, want := Raw(tree, 3, rec), []string{`[0,[],[]]`, `[1,[null,null],["x","x"]]`}; !reflect.DeepEqual(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}
