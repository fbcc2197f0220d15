package conformance

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

func TestGeneratedArraysAreValid(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	g := &Generator{Rand: rand.New(rand.NewSource(1)), Mem: mem, Nulls: 0.3}
	for _, dt := range Types() {
		for _, n := range []int{0, 1, 7, 100} {
			a := g.Array(dt, n)
			if err := Validate(a); err != nil {
				t.Errorf("%s: %v", dt, err)
			}
			if err := EqualArrays(a, a); err != nil {
				t.Errorf("%s is not equal to itself: %v", dt, err)
			}
			a.Release()
			s := g.Sliced(dt, n)
			if err := Validate(s); err != nil {
				t.Errorf("slice of %s: %v", dt, err)
			}
			s.Release()
		}
	}
}

func buf(b ...byte) *memory.Buffer { return memory.NewBufferBytes(b) }

func i32(v ...int32) *memory.Buffer { return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(v)) }

func data(dt arrow.DataType, n, nulls int, children []arrow.ArrayData, bufs ...*memory.Buffer) arrow.ArrayData {
	return array.NewData(dt, n, bufs, children, nulls, 0)
}

func children(d ...arrow.ArrayData) []arrow.ArrayData { return d }

// Each of these breaks one rule; arrow's constructors are not asked, for some would panic.
func TestInvalidArrays(t *testing.T) {
	str, num := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32
	ints := func(v ...int32) arrow.ArrayData { return data(num, len(v), 0, nil, nil, i32(v...)) }
	point := arrow.StructOf(arrow.Field{Name: "a", Type: num})
	entry := arrow.MapOf(num, num)
	union := arrow.DenseUnionOf([]arrow.Field{{Name: "a", Type: num}, {Name: "b", Type: num}}, []arrow.UnionTypeCode{0, 1})
	dict := func(index int32) arrow.ArrayData {
		d := data(&arrow.DictionaryType{IndexType: num, ValueType: num}, 1, 0, nil, nil, i32(index)).(*array.Data)
		d.SetDictionary(ints(7, 8))
		return d
	}
	ree := arrow.RunEndEncodedOf(num, num)
	long := arrow.ViewHeader{}
	long.SetString("thirteen bytes")
	long.SetIndexOffset(0, 1)
	for _, c := range []struct {
		name string
		d    arrow.ArrayData
		want string
	}{
		{"short values", data(num, 2, 0, nil, nil, i32(1)), "4 bytes of 8"},
		{"no values", data(num, 1, 0, nil, nil, nil), "0 bytes of 4"},
		{"missing buffer", data(num, 1, 0, nil, nil), "1 buffers"},
		{"short bits", data(arrow.FixedWidthTypes.Boolean, 9, 0, nil, nil, buf(1)), "1 bytes of 2"},
		{"short validity", data(num, 9, 1, nil, buf(0xFF), i32(make([]int32, 9)...)), "validity"},
		{"null count", data(num, 2, 0, nil, buf(1), i32(1, 2)), "null count 0, the bitmap says 1"},
		{"nulls without bitmap", data(num, 2, 1, nil, nil, i32(1, 2)), "null count"},
		{"falling offsets", data(str, 2, 0, nil, nil, i32(0, 2, 1), buf('a', 'b')), "is 1 after 2"},
		{"offsets outside", data(str, 1, 0, nil, nil, i32(0, 3), buf('a', 'b')), "end at 3 of 2"},
		{"offsets from 1", data(str, 1, 0, nil, nil, i32(1, 2), buf('a', 'b')), "start at 1"},
		{"few offsets", data(str, 2, 0, nil, nil, i32(0, 1), buf('a', 'b')), "need 12"},
		{"not text", data(str, 1, 0, nil, nil, i32(0, 1), buf(0xFF)), "UTF-8"},
		{"half a rune", data(str, 2, 0, nil, nil, i32(0, 1, 2), buf(0xC3, 0xA9)), "UTF-8"},
		{"list outside", data(arrow.ListOf(num), 1, 0, children(ints(1)), nil, i32(0, 2)), "end at 2 of 1"},
		{"list of another type", data(arrow.ListOf(str), 1, 0, children(ints(1)), nil, i32(0, 1)), "child 0 is not utf8"},
		{"no child", data(arrow.ListOf(num), 1, 0, nil, nil, i32(0, 1)), "0 children"},
		{"bad grandchild", data(arrow.ListOf(num), 1, 0, children(data(num, 1, 0, nil, nil, nil)), nil, i32(0, 1)), "list.item: buffer 1"},
		{"list view outside", data(arrow.ListViewOf(num), 1, 0, children(ints(1)), nil, i32(1), i32(1)), "[1, 2) of 1"},
		{"list view negative", data(arrow.ListViewOf(num), 1, 0, children(ints(1)), nil, i32(0), i32(-1)), "[0, -1) of 1"},
		{"fixed list", data(arrow.FixedSizeListOf(2, num), 2, 0, children(ints(1, 2, 3)), nil), "3 elements for 2 lists of 2"},
		{"struct child", data(point, 2, 0, children(ints(1)), nil), "1 rows of 2"},
		{"null key", data(entry, 1, 0, children(data(entry.Elem(), 1, 0, children(data(num, 1, 1, nil, buf(0), i32(0)), ints(1)), nil)), nil, i32(0, 1)), "key 0 is null"},
		{"null entry", data(entry, 1, 0, children(data(entry.Elem(), 1, 1, children(ints(1), ints(1)), buf(0))), nil, i32(0, 1)), "entry 0 is null"},
		{"type code", data(union, 1, 0, children(ints(1), ints(1)), nil, buf(2), i32(0)), "type code 2"},
		{"place outside", data(union, 1, 0, children(ints(1), ints(1)), nil, buf(1), i32(1)), "place 1"},
		{"place falls", data(union, 2, 0, children(ints(1, 2), ints()), nil, buf(0, 0), i32(1, 0)), "place 0 after 1"},
		{"sparse child", data(arrow.SparseUnionOf(union.Fields(), union.TypeCodes()), 2, 0, children(ints(1, 2), ints(1)), nil, buf(0, 0)), "child 1 has 1 rows"},
		{"union with nulls", data(union, 1, 1, children(ints(1), ints(1)), buf(0), buf(0), i32(0)), "validity bitmap"},
		{"index outside", dict(2), "index 2 into a dictionary of 2"},
		{"index negative", dict(-1), "index -1"},
		{"ends fall", data(ree, 3, 0, children(ints(2, 2, 3), ints(1, 2, 3)), nil), "ends at 2"},
		{"ends short", data(ree, 3, 0, children(ints(2), ints(1)), nil), "row 2 of 3"},
		{"few values", data(ree, 3, 0, children(ints(1, 3), ints(1)), nil), "1 values for 2 runs"},
		{"view outside", data(arrow.BinaryTypes.BinaryView, 1, 0, nil, nil, memory.NewBufferBytes(arrow.GetBytes([]arrow.ViewHeader{long})), buf([]byte("thirteen bytes")...)), "14 bytes at 1"},
		{"view prefix", data(arrow.BinaryTypes.BinaryView, 1, 0, nil, nil, memory.NewBufferBytes(arrow.GetBytes([]arrow.ViewHeader{long})), buf([]byte("thirteen bytes!")...)), "prefix"},
		{"decimal", data(&arrow.Decimal128Type{Precision: 2}, 1, 0, nil, nil, buf(100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), "does not fit"},
	} {
		v := validator{path: c.d.DataType().Name()}
		err := v.data(c.d)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want … %s …", c.name, err, c.want)
		}
	}
}

func TestValidateRecordChecksNullability(t *testing.T) {
	inner := arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32}
	outer := arrow.StructOf(inner)
	child := data(inner.Type, 2, 1, nil, buf(2), i32(0, 5))
	for _, c := range []struct {
		name     string
		validity *memory.Buffer
		nulls    int
		nullable bool
		ok       bool
	}{
		{"null below null", buf(2), 1, true, true},
		{"null below a value", nil, 0, true, false},
		{"null in a field that has none", buf(2), 1, false, false},
	} {
		col := array.NewStructData(data(outer, 2, c.nulls, children(child), c.validity))
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "s", Type: outer, Nullable: c.nullable}}, nil), []arrow.Array{col}, 2)
		if err := ValidateRecord(rec); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestEqualFindsEveryChange(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	g := &Generator{Rand: rand.New(rand.NewSource(2)), Mem: mem, Nulls: 0.2}
	for _, dt := range Types() {
		if dt.ID() == arrow.NULL {
			continue
		}
		if s, ok := dt.(*arrow.StructType); ok && s.NumFields() == 0 {
			continue
		}
		// Two random arrays of 50 values differ, whatever the type.
		a, b := g.Array(dt, 50), g.Array(dt, 50)
		if err := EqualArrays(a, b); err == nil {
			t.Errorf("%s: two random arrays are called equal", dt)
		}
		// A slice equals the same rows of the whole, and differs from the rows beside them.
		s := array.NewSlice(a, 10, 40)
		if err := equalRows(a, 10, s, 0, 30); err != nil {
			t.Errorf("%s: slice: %v", dt, err)
		}
		if err := equalRows(a, 11, s, 0, 30); err == nil {
			t.Errorf("%s: other rows are called equal", dt)
		}
		s.Release()
		a.Release()
		b.Release()
	}
}
