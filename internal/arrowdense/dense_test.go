package arrowdense_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/internal/arrowdense"
)

// slot follows extensions, dictionaries, runs and, if they are not kept, unions to the array that holds value i, one at a
// time and by Arrow's own accessors; ok is false for a null.
func slot(a arrow.Array, i int, keepUnions bool) (arrow.Array, int, bool) {
	for {
		switch x := a.(type) {
		case *array.Null:
			return a, i, false
		case array.ExtensionArray:
			a = x.Storage()
		case *array.Dictionary:
			if x.IsNull(i) {
				return a, i, false
			}
			a, i = x.Dictionary(), x.GetValueIndex(i)
		case *array.RunEndEncoded:
			a, i = x.Values(), x.GetPhysicalIndex(i)
		case array.Union:
			if keepUnions {
				return a, i, true
			}
			k := x.ChildID(i)
			if d, ok := a.(*array.DenseUnion); ok {
				i = int(d.ValueOffset(i))
			}
			if a = x.Field(k); a.DataType().ID() == arrow.NULL {
				return a, i, false
			}
		default:
			return a, i, a.IsValid(i)
		}
	}
}

// check compares the values of arr with what slot finds.
func check(t *testing.T, f *arrowdense.Finder, arr arrow.Array) {
	t.Helper()
	v, err := f.Values(arr)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Array.Release()
	if v.N != arr.Len() {
		t.Fatalf("%s: %d slots, want %d", arr.DataType(), v.N, arr.Len())
	}
	sums := v.Sums(nil)
	missing, k := -1, 0
	for i := range arr.Len() {
		of, at, ok := slot(arr, i, f.Unions)
		if v.Valid == nil && !ok || v.Valid != nil && bitutil.BitIsSet(v.Valid, v.Off+i) != ok {
			t.Fatalf("%s: slot %d, want a value: %v", arr.DataType(), i, ok)
		}
		if int(sums[i]) != k {
			t.Fatalf("%s: sum %d at %d, want %d", arr.DataType(), sums[i], i, k)
		}
		if !ok {
			if missing < 0 {
				missing = i
			}
			continue
		}
		have, place := v.Array, k
		if d, kept := have.(*array.Dictionary); kept {
			have, place = d.Dictionary(), d.GetValueIndex(k)
		}
		got, want := array.NewSlice(have, int64(place), int64(place)+1), array.NewSlice(of, int64(at), int64(at)+1)
		if err := conformance.EqualArrays(got, want); err != nil {
			t.Fatalf("%s: value %d: %v", arr.DataType(), i, err)
		}
		got.Release()
		want.Release()
		k++
	}
	if v.Array.Len() != k || int(sums[arr.Len()]) != k || v.Missing() != missing {
		t.Fatalf("%s: %d values, sum %d, missing %d, want %d and %d", arr.DataType(), v.Array.Len(), sums[arr.Len()], v.Missing(), k, missing)
	}
	if v.Array.NullN() > 0 && v.Array.DataType().ID() != arrow.NULL {
		t.Fatalf("%s: %d values are null", arr.DataType(), v.Array.NullN())
	}
	if err := conformance.Validate(v.Array); err != nil {
		t.Fatalf("%s: %v", arr.DataType(), err)
	}
}

// optional returns a union of null and another type, as readers of formats with such make it.
func optional(dt arrow.DataType, mode func([]arrow.Field, []arrow.UnionTypeCode) arrow.DataType) arrow.DataType {
	return mode([]arrow.Field{{Name: "none", Type: arrow.Null, Nullable: true}, {Name: "some", Type: dt, Nullable: true}}, []arrow.UnionTypeCode{3, 40})
}

func sparse(f []arrow.Field, c []arrow.UnionTypeCode) arrow.DataType {
	return arrow.SparseUnionOf(f, c)
}

func dense(f []arrow.Field, c []arrow.UnionTypeCode) arrow.DataType { return arrow.DenseUnionOf(f, c) }

// nested are types whose values stand elsewhere, or that have parts.
func nested(dt arrow.DataType) []arrow.DataType {
	fields := []arrow.Field{{Name: "a", Type: dt, Nullable: true}, {Name: "b", Type: dt}}
	out := []arrow.DataType{
		dt, arrow.ListOf(dt), arrow.StructOf(fields...), arrow.StructOf(arrow.Field{Name: "s", Type: arrow.StructOf(fields...), Nullable: true}),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, dt), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, dt), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, dt),
		optional(dt, sparse), optional(dt, dense),
	}
	for _, index := range []arrow.DataType{
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Uint16,
		arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64,
	} {
		out = append(out, &arrow.DictionaryType{IndexType: index, ValueType: dt})
	}
	if dt.ID() != arrow.NULL { // arrow v15 counts the nulls of a slice of such an extension by a bitmap that is not there
		out = append(out, conformance.LabelOf(dt), conformance.LabelOf(out[len(out)-1]), arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, out[len(out)-2]),
			arrow.StructOf(arrow.Field{Name: "d", Type: out[len(out)-1], Nullable: true}))
	}
	return out
}

func TestValues(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, flat := range conformance.FlatTypes() {
		for _, dt := range nested(flat) {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			f := arrowdense.Finder{Mem: mem}
			for _, nulls := range []float64{0, 0.05, 0.5, 1} {
				gen := conformance.Generator{Rand: r, Mem: mem, Nulls: nulls}
				for _, n := range []int{0, 1, 3, 150} {
					f.Dictionaries, f.Unions = r.Intn(2) == 0, r.Intn(2) == 0
					whole, part := gen.Array(dt, n), gen.Sliced(dt, n)
					check(t, &f, whole)
					check(t, &f, part)
					whole.Release()
					part.Release()
				}
			}
			mem.AssertSize(t, 0)
		}
	}
}

// TestFieldsNullWithTheirStruct: a field that is null only where the struct is comes without a bitmap; one that is null
// elsewhere keeps its nulls, whatever the offsets.
func TestFieldsNullWithTheirStruct(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	dt := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, arrow.Field{Name: "y", Type: arrow.BinaryTypes.String, Nullable: true})
	b := array.NewStructBuilder(mem, dt)
	defer b.Release()
	x, y := b.FieldBuilder(0).(*array.Int32Builder), b.FieldBuilder(1).(*array.StringBuilder)
	for i := range 200 {
		if i%7 == 3 {
			b.AppendNull()
			continue
		}
		b.Append(true)
		x.Append(int32(i))
		if i == 151 {
			y.AppendNull()
		} else {
			y.Append(fmt.Sprint(i))
		}
	}
	whole := b.NewArray()
	defer whole.Release()
	for _, c := range []struct{ from, to, nulls int }{{0, 200, 1}, {1, 199, 1}, {5, 140, 0}, {151, 152, 1}, {3, 4, 0}, {152, 154, 0}} {
		part := array.NewSlice(whole, int64(c.from), int64(c.to))
		f := arrowdense.Finder{Mem: mem}
		check(t, &f, part)
		v, err := f.Values(part)
		if err != nil {
			t.Fatal(err)
		}
		st := v.Array.(*array.Struct)
		if st.Field(0).NullN() != 0 || st.Field(1).NullN() != c.nulls {
			t.Errorf("%v: %d and %d nulls", c, st.Field(0).NullN(), st.Field(1).NullN())
		}
		v.Array.Release()
		part.Release()
	}
}

// TestResolve asks for slots in any order, and for some that are not there.
func TestResolve(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for _, dt := range nested(arrow.BinaryTypes.String) {
		gen := conformance.Generator{Rand: r, Mem: memory.NewGoAllocator(), Nulls: 0.2}
		arr := gen.Sliced(dt, 100)
		at := make([]int64, 300)
		for i := range at {
			at[i] = int64(r.Intn(arr.Len()+10)) - 10
		}
		asked := slices.Clone(at)
		var f arrowdense.Finder
		of, at := f.Resolve(arr, at)
		for i, k := range asked {
			if k < 0 {
				if at[i] >= 0 {
					t.Fatalf("%s: a place for what is not asked for", dt)
				}
				continue
			}
			want, place, ok := slot(arr, int(k), false)
			if (at[i] >= 0) != ok {
				t.Fatalf("%s: slot %d stands at %d", dt, k, at[i])
			}
			if !ok {
				continue
			}
			a, b := array.NewSlice(of, at[i], at[i]+1), array.NewSlice(want, int64(place), int64(place)+1)
			if err := conformance.EqualArrays(a, b); err != nil {
				t.Fatalf("%s: slot %d: %v", dt, k, err)
			}
			a.Release()
			b.Release()
		}
		arr.Release()
	}
}

// TestIndices: what is an array's own stays as it is when a narrow one follows.
func TestIndices(t *testing.T) {
	mem := memory.NewGoAllocator()
	var scratch []int32
	for _, index := range []arrow.DataType{arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Int32} {
		b := array.NewDictionaryBuilder(mem, &arrow.DictionaryType{IndexType: index, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
		for _, s := range []string{"a", "b", "a", "c", "b"} {
			if err := b.AppendString(s); err != nil {
				t.Fatal(err)
			}
		}
		arr := b.NewDictionaryArray()
		part := array.NewSlice(arr, 1, 5).(*array.Dictionary)
		for range 2 {
			if got := arrowdense.Indices(&scratch, part); !slices.Equal(got, []int32{1, 0, 2, 1}) {
				t.Errorf("%s: %v", index, got)
			}
			for i := range scratch {
				scratch[i] = 99
			}
		}
		part.Release()
		arr.Release()
		b.Release()
	}
}

func TestAppendRun(t *testing.T) {
	var runs [][2]int64
	for _, r := range [][2]int64{{3, 3}, {3, 5}, {5, 6}, {6, 6}, {8, 9}, {2, 3}, {3, 4}} {
		runs = arrowdense.AppendRun(runs, r[0], r[1])
	}
	if want := [][2]int64{{3, 6}, {8, 9}, {2, 4}}; !slices.Equal(runs, want) {
		t.Errorf("%v, want %v", runs, want)
	}
}
