package arrowbuf

import (
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// pickedTypes are types that take marks, and some that take runs.
var pickedTypes = []arrow.DataType{
	arrow.Null, arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Float32, arrow.FixedWidthTypes.Timestamp_us,
	&arrow.Decimal128Type{Precision: 20, Scale: 2}, &arrow.FixedSizeBinaryType{ByteWidth: 3}, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeBinary,
	arrow.ListOf(arrow.PrimitiveTypes.Int32),
	arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, arrow.Field{Name: "b", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
		arrow.Field{Name: "c", Type: arrow.StructOf(arrow.Field{Name: "d", Type: arrow.BinaryTypes.Binary, Nullable: true}), Nullable: true}),
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String},
}

// randomValue appends a value, or a null in so many percent of cases.
func randomValue(rng *rand.Rand, b array.Builder, nulls int) {
	if rng.Intn(100) < nulls {
		b.AppendNull()
		return
	}
	text := func() []byte {
		v := make([]byte, rng.Intn(40)*rng.Intn(4))
		for i := range v {
			v[i] = byte('a' + rng.Intn(26))
		}
		return v
	}
	switch b := b.(type) {
	case *array.NullBuilder:
		b.AppendNull()
	case *array.BooleanBuilder:
		b.Append(rng.Intn(2) == 0)
	case *array.Int8Builder:
		b.Append(int8(rng.Int()))
	case *array.Uint16Builder:
		b.Append(uint16(rng.Int()))
	case *array.Int32Builder:
		b.Append(rng.Int31())
	case *array.Int64Builder:
		b.Append(rng.Int63())
	case *array.Float32Builder:
		b.Append(rng.Float32())
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(rng.Int63()))
	case *array.Decimal128Builder:
		b.Append(decimal128.New(rng.Int63n(3), rng.Uint64()))
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte{byte(rng.Int()), byte(rng.Int()), byte(rng.Int())})
	case *array.StringBuilder:
		b.Append(string(text()))
	case *array.BinaryBuilder:
		b.Append(text())
	case *array.ListBuilder:
		b.Append(true)
		for range rng.Intn(4) {
			randomValue(rng, b.ValueBuilder(), nulls)
		}
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			randomValue(rng, b.FieldBuilder(i), nulls)
		}
	case *array.BinaryDictionaryBuilder:
		if err := b.AppendString(string(rune('a' + rng.Intn(9)))); err != nil {
			panic(err)
		}
	default:
		panic(b)
	}
}

// Picked rows of slices, with nulls and without, one batch after another, are those that one after another would be copied.
func TestAppendPicked(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	rng := rand.New(rand.NewSource(1))
	for _, dt := range pickedTypes {
		many, one := NewAppender(dt, mem), NewAppender(dt, mem)
		for range 60 {
			for range 1 + rng.Intn(4) {
				b := array.NewBuilder(mem, dt)
				nulls := []int{0, 0, 10, 100}[rng.Intn(4)]
				for range rng.Intn(300) {
					randomValue(rng, b, nulls)
				}
				whole := b.NewArray()
				from := rng.Intn(whole.Len() + 1)
				arr := array.NewSlice(whole, int64(from), int64(whole.Len()))
				n := rng.Intn(arr.Len() + 1)
				off, every, most := rng.Intn(80), 1+rng.Intn(70)*rng.Intn(3), rng.Intn(2) == 0
				marks := make(bitpack.Marks, bitpack.MarkWords(off+n))
				marks.Mark(0, off)
				for i := range n {
					if picked := rng.Intn(every) == 0; picked == (most && every > 1) {
						continue
					}
					marks.Mark(off+i, off+i+1)
					if err := one.Append(arr, i, i+1); err != nil {
						t.Fatal(err)
					}
				}
				var p Picked
				p.SetPart(marks, off, n)
				if err := many.AppendPicked(arr, &p); err != nil {
					t.Fatal(err)
				}
				arr.Release()
				whole.Release()
				b.Release()
			}
			got, want := many.Take(), one.Take()
			if !array.Equal(got, want) || got.NullN() != want.NullN() {
				t.Fatalf("%s: %v\nwant %v", dt, got, want)
			}
			got.Release()
			want.Release()
		}
		many.Release()
		one.Release()
	}
}

// A mask picks what is true; null is not.
func TestPickedMask(t *testing.T) {
	b := array.NewBooleanBuilder(memory.DefaultAllocator)
	for i := range 200 {
		if i%3 == 0 {
			b.AppendNull()
		} else {
			b.Append(i%2 == 0)
		}
	}
	whole := b.NewBooleanArray()
	mask := array.NewSlice(whole, 5, 190).(*array.Boolean)
	var p Picked
	p.SetMask(mask)
	k := 0
	for _, r := range p.Runs() {
		for i := r[0]; i < r[1]; i++ {
			for ; int64(k) < i; k++ {
				if mask.IsValid(k) && mask.Value(k) {
					t.Fatalf("row %d is not picked", k)
				}
			}
			if !mask.IsValid(k) || !mask.Value(k) {
				t.Fatalf("row %d is picked", k)
			}
			k++
		}
	}
	if p.Len() == 0 {
		t.Fatal("no row is picked")
	}
}
