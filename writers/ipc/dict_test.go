package ipc

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	aipc "github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// dictionaryBelow returns a batch of one column of type t, which has one dictionary somewhere inside. Its rows are the
// JSON text; its dictionary is made of values, whether rows use them or not.
func dictionaryBelow(t testing.TB, mem memory.Allocator, typ arrow.DataType, values []string, rows string) arrow.Record {
	t.Helper()
	a, _, err := array.FromJSON(mem, typ, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Release()
	b := array.NewStringBuilder(mem)
	defer b.Release()
	b.AppendValues(values, nil)
	dict := b.NewArray()
	defer dict.Release()
	d := withDictionary(a.Data(), dict.Data())
	defer d.Release()
	c := array.MakeFromData(d)
	defer c.Release()
	return array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "c", Type: typ, Nullable: true}}, nil), []arrow.Array{c}, int64(c.Len()))
}

// withDictionary returns d with indices that mean dict, found by value. The caller releases it.
func withDictionary(d arrow.ArrayData, dict arrow.ArrayData) *array.Data {
	var children []arrow.ArrayData
	for _, k := range d.Children() {
		k := withDictionary(k, dict)
		defer k.Release()
		children = append(children, k)
	}
	out := array.NewData(d.DataType(), d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
	if d.DataType().ID() != arrow.DICTIONARY {
		return out
	}
	out.SetDictionary(dict)
	old, now := array.NewStringData(d.Dictionary()), array.NewStringData(dict)
	defer old.Release()
	defer now.Release()
	if d.Len() == 0 {
		return out
	}
	indices := arrow.GetData[int8](d.Buffers()[1].Bytes())
	for i, x := range indices[:d.Len()] {
		for j := 0; int(x) < old.Len() && j < now.Len(); j++ {
			if now.Value(j) == old.Value(int(x)) {
				indices[i] = int8(j)
			}
		}
	}
	return out
}

// TestDictionariesThatNoRowUses writes batches whose first rows, or all rows, have nothing of a dictionary inside.
func TestDictionariesThatNoRowUses(t *testing.T) {
	dict := dictionarySchema.Field(0).Type
	list := [][]string{{"a", "b"}, {`[["a"],["b","a"]]`}, {"z"}, {`[[],["z"]]`}, {"y"}, {`[null,[]]`}, {"a", "q"}, {`[[],["q"],["a"]]`}}
	maps := [][]string{
		{"a", "b"},
		{`[[{"key":1,"value":"a"}]]`},
		{"z"},
		{`[[],[{"key":2,"value":"z"}]]`},
		{"y"},
		{`[null,[]]`},
		{"a", "q"},
		{`[[],[{"key":1,"value":"q"},{"key":2,"value":"a"}]]`},
	}
	late := [][]string{{}, {`[[],null]`}, {"z"}, {`[[]]`}, {"z", "a"}, {`[[],["a"]]`}, {"z"}, {`[["z"]]`}}
	structs := [][]string{{"a"}, {`[[{"d":"a"}]]`}, {"b", "c"}, {`[[],[{"d":"c"},{"d":"b"}]]`}}
	for _, c := range []struct {
		typ     arrow.DataType
		batches [][]string
	}{
		{arrow.ListOf(dict), list},
		{arrow.LargeListOf(dict), list},
		{arrow.MapOf(arrow.PrimitiveTypes.Int32, dict), maps},
		{arrow.ListOf(dict), late},
		{arrow.ListOf(arrow.StructOf(arrow.Field{Name: "d", Type: dict, Nullable: true})), structs},
	} {
		for _, sliced := range []bool{false, true} {
			for _, f := range formats {
				t.Run(fmt.Sprintf("%s/%s/%v", f.Name, c.typ, sliced), func(t *testing.T) {
					mem := checked(t)
					var want []arrow.Record
					for i := 0; i < len(c.batches); i += 2 {
						r := dictionaryBelow(t, memory.NewGoAllocator(), c.typ, c.batches[i], c.batches[i+1][0])
						if sliced && r.NumRows() > 1 {
							s := r.NewSlice(1, r.NumRows())
							r.Release()
							r = s
						}
						want = append(want, r)
					}
					defer release(want)
					b := one(t, f, want, arrowio.WriteOptions{Allocator: mem})
					got := read(t, f.Name, b, mem)
					defer release(got)
					equal(t, got, want)
					if f.Name != "ipc" {
						return
					}
					r, err := aipc.NewFileReader(bytes.NewReader(b))
					if err != nil {
						t.Fatal(err)
					}
					defer r.Close()
					for i := range want {
						rec, err := r.Record(i)
						if err != nil {
							t.Fatal(err)
						}
						equal(t, []arrow.Record{rec}, want[i:i+1])
					}
				})
			}
		}
	}
}
