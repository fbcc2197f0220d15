package arrow18_test

import (
	"math/rand"
	"strings"
	"testing"

	v18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	memory18 "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/arrow18"
	"github.com/arrowio/arrowio/arrowio/conformance"
)

// v18 sees the values that v15 sees: what it copies together is equal to what came from v15.
func TestValuesInV18(t *testing.T) {
	for seed, dt := range conformance.Types() {
		dict, _ := dt.(*arrow.DictionaryType)
		if strings.Contains(dt.String(), "union") || dict != nil && dict.ValueType.ID() == arrow.STRUCT {
			continue // v18 18.8.0 cannot copy them together
		}
		mem, mem18 := memory.NewCheckedAllocator(memory.NewGoAllocator()), memory18.NewCheckedAllocator(memory18.NewGoAllocator())
		a, b := both(t, int64(seed), dt, mem)
		x, y := array18.NewSlice(b, 0, 7), array18.NewSlice(b, 7, 37)
		whole, err := array18.Concatenate([]v18.Array{x, y}, mem18)
		if err != nil {
			t.Fatalf("%s: %v", dt, err)
		}
		equal(t, a, whole)
		for _, r := range []interface{ Release() }{a, b, x, y, whole} {
			r.Release()
		}
		mem.AssertSize(t, 0)
		mem18.AssertSize(t, 0)
	}
}

// v18 finds the same member and the same place in it for each value of a union.
func TestUnionsInV18(t *testing.T) {
	for seed, dt := range conformance.Types() {
		if _, ok := dt.(arrow.UnionType); !ok {
			continue
		}
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		a15, a18 := both(t, int64(seed), dt, mem)
		a, b := a15.(array.Union), a18.(array18.Union)
		for i := range a.Len() {
			if a.ChildID(i) != b.ChildID(i) {
				t.Errorf("%s: value %d is of member %d, want %d", dt, i, b.ChildID(i), a.ChildID(i))
			}
			if d, ok := b.(*array18.DenseUnion); ok && d.ValueOffset(i) != a.(*array.DenseUnion).ValueOffset(i) {
				t.Errorf("%s: value %d is at %d", dt, i, d.ValueOffset(i))
			}
		}
		for k := range a.NumFields() {
			equal(t, a.Field(k), b.Field(k))
		}
		a.Release()
		b.Release()
		mem.AssertSize(t, 0)
	}
}

// both returns 37 values of type dt, of which v18 has a slice of longer memory.
func both(t *testing.T, seed int64, dt arrow.DataType, mem memory.Allocator) (arrow.Array, v18.Array) {
	g := &conformance.Generator{Rand: rand.New(rand.NewSource(seed)), Mem: mem, Nulls: 0.3}
	a := g.Sliced(dt, 37)
	b, err := arrow18.ToArray(a)
	if err != nil {
		t.Fatalf("%s: %v", dt, err)
	}
	return a, b
}

// equal compares an array of v18 with one of v15 of the same values.
func equal(t *testing.T, a arrow.Array, b v18.Array) {
	t.Helper()
	back, err := arrow18.FromArray(b)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Release()
	if !storable(a.DataType()) {
		err = conformance.Validate(back)
	} else {
		err = conformance.EqualArrays(a, back)
	}
	if err != nil {
		t.Errorf("%s: %v", a.DataType(), err)
	}
}

// Arrays of v18 may lack the validity bitmap's place where there is never one.
func TestNoBuffers(t *testing.T) {
	runs, _, err := array18.FromJSON(memory18.DefaultAllocator, v18.RunEndEncodedOf(v18.PrimitiveTypes.Int32, v18.BinaryTypes.String), strings.NewReader(`["a", "a", null]`))
	if err != nil {
		t.Fatal(err)
	}
	ree := runs.Data()
	for _, d := range []*array18.Data{
		array18.NewData(v18.Null, 3, nil, nil, 3, 0),
		array18.NewData(ree.DataType(), 3, nil, ree.Children(), 0, 0),
		array18.NewData(opaque(v18.Null), 3, nil, nil, 3, 0),
		array18.NewData(opaque(ree.DataType()), 3, nil, ree.Children(), 0, 0),
	} {
		a, err := arrow18.FromArray(array18.MakeFromData(d))
		if err != nil {
			t.Fatalf("%s: %v", d.DataType(), err)
		}
		if err := conformance.Validate(a); err != nil {
			t.Errorf("%s: %v", d.DataType(), err)
		}
	}
}

func opaque(storage v18.DataType) v18.DataType { return extensions.NewOpaqueType(storage, "t", "v") }
