package parquet

import (
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	reader "github.com/arrowio/arrowio/readers/parquet"
)

// there writes arrays as columns a, b, … and compares what is read back.
func there(t *testing.T, o arrowio.WriteOptions, arrays ...arrow.Array) {
	t.Helper()
	mem := memory.NewGoAllocator()
	rec := recordOf(arrays...)
	objects, err := write([]arrow.Record{rec}, o)
	if err != nil {
		t.Fatal(err)
	}
	got := batch(t, reader.Format(), objects["part-00000.parquet"], nil, mem)
	defer got.Release()
	for i, a := range arrays {
		if err := conformance.EqualArrays(a, got.Column(i)); err != nil {
			t.Errorf("column %d, %s: %v", i, a.DataType(), err)
		}
	}
}

func recordOf(arrays ...arrow.Array) arrow.Record {
	var fields []arrow.Field
	for i, a := range arrays {
		fields = append(fields, arrow.Field{Name: string(rune('a' + i)), Type: a.DataType(), Nullable: true})
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), arrays, int64(arrays[0].Len()))
}

// What stands below a null struct or list is no value, whatever it is.
func TestBelowNulls(t *testing.T) {
	g := conformance.Generator{Rand: rand.New(rand.NewSource(1)), Mem: memory.NewGoAllocator(), Nulls: 0.4}
	for _, typ := range []arrow.DataType{
		&arrow.Decimal128Type{Precision: 7, Scale: 2}, &arrow.Decimal128Type{Precision: 15, Scale: 2}, &arrow.Decimal128Type{Precision: 38, Scale: 3},
		arrow.FixedWidthTypes.Float16, &arrow.FixedSizeBinaryType{ByteWidth: 3}, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64,
		arrow.FixedWidthTypes.Boolean, arrow.ListOf(arrow.PrimitiveTypes.Int32), arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Float64),
	} {
		for _, nested := range []arrow.DataType{
			arrow.StructOf(arrow.Field{Name: "x", Type: typ, Nullable: true}),
			arrow.StructOf(arrow.Field{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "x", Type: typ, Nullable: true}), Nullable: true}),
			arrow.ListOf(arrow.StructOf(arrow.Field{Name: "x", Type: typ, Nullable: true})),
			arrow.MapOf(arrow.BinaryTypes.String, typ),
			arrow.StructOf(arrow.Field{Name: "x", Type: typ}),
			arrow.ListOf(arrow.StructOf(arrow.Field{Name: "x", Type: typ})),
		} {
			there(t, arrowio.WriteOptions{}, g.Sliced(nested, 200), g.Array(nested, 200))
		}
	}
}

func TestNullsWhereNoneAre(t *testing.T) {
	mem := memory.NewGoAllocator()
	b := array.NewInt32Builder(mem)
	b.AppendNull()
	b.Append(2)
	x := b.NewArray()
	for i, valid := range []byte{0b10, 0b11} {
		typ := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32})
		d := array.NewData(typ, 2, []*memory.Buffer{memory.NewBufferBytes([]byte{valid})}, []arrow.ArrayData{x.Data()}, array.UnknownNullCount, 0)
		_, err := write([]arrow.Record{recordOf(array.NewStructData(d))}, arrowio.WriteOptions{})
		if i == 0 && err != nil {
			t.Errorf("a null below a null struct: %v", err)
		}
		if i == 1 && (!errors.Is(err, errs.ErrSchema) || !strings.Contains(fmt.Sprint(err), "column a.x")) {
			t.Errorf("a null below a struct: %v", err)
		}
	}
}

// Dictionaries that hold nulls, that change, that are larger than what uses them, and more rows than one page has.
func TestDictionaries(t *testing.T) {
	mem := memory.NewGoAllocator()
	words := func(n, from int, null bool) arrow.Array {
		b := array.NewStringBuilder(mem)
		for i := range n {
			if null && i == 1 {
				b.AppendNull()
				continue
			}
			b.Append(fmt.Sprint("word ", from+i))
		}
		return b.NewArray()
	}
	indices := func(n, of int) arrow.Array {
		b := array.NewInt32Builder(mem)
		for i := range n {
			b.Append(int32(i * 7 % of))
		}
		return b.NewArray()
	}
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	for _, c := range []struct {
		rows, words int
		null        bool
	}{{3000, 10, false}, {50_000, 300, false}, {100, 5000, false}, {3000, 10, true}, {60_000, 50_000, false}} {
		for _, options := range []map[string]string{nil, {"parquet-dictionary": "none"}, {"parquet-page-index": "yes", "parquet-data-page": "v2"}} {
			there(t, arrowio.WriteOptions{Options: options}, array.NewDictionaryArray(typ, indices(c.rows, c.words), words(c.words, 0, c.null)))
		}
	}
	var recs []arrow.Record
	for i := range 5 {
		recs = append(recs, recordOf(array.NewDictionaryArray(typ, indices(1000, 20), words(20, i*10, false))))
	}
	objects, err := write(recs, arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := batch(t, reader.Format(), objects["part-00000.parquet"], nil, mem)
	for i, r := range recs {
		if err := conformance.EqualArrays(r.Column(0), array.NewSlice(got.Column(0), int64(i)*1000, int64(i+1)*1000)); err != nil {
			t.Error(i, err)
		}
	}
}

// A decimal has no more digits than its type says: the bytes of the file might not hold it.
func TestDecimalsTooLong(t *testing.T) {
	mem := memory.NewGoAllocator()
	for _, p := range []int32{5, 9, 10, 18, 19, 20, 37, 38} {
		for _, over := range []int64{0, 1} {
			most := decimal128.GetMaxValue(p)
			b := array.NewDecimal128Builder(mem, &arrow.Decimal128Type{Precision: p, Scale: 1})
			b.Append(decimal128.FromI64(-7))
			b.Append(most.Negate().Sub(decimal128.FromI64(over)))
			b.Append(most.Add(decimal128.FromI64(over)))
			checkDecimals(t, b.NewArray(), over == 1)
		}
	}
	for _, p := range []int32{5, 12, 38, 39, 50, 76} {
		for _, over := range []int64{0, 1} {
			most := decimal256.GetMaxValue(p)
			b := array.NewDecimal256Builder(mem, &arrow.Decimal256Type{Precision: p, Scale: 1})
			b.Append(most.Add(decimal256.FromI64(over)))
			_, err := write([]arrow.Record{recordOf(b.NewArray())}, arrowio.WriteOptions{})
			if (err != nil) != (over == 1) {
				t.Errorf("decimal256(%d), %d too many: %v", p, over, err)
			}
		}
	}
}

func checkDecimals(t *testing.T, a arrow.Array, tooLong bool) {
	t.Helper()
	if !tooLong {
		there(t, arrowio.WriteOptions{}, a)
		return
	}
	_, err := write([]arrow.Record{recordOf(a)}, arrowio.WriteOptions{})
	if !errors.Is(err, errs.ErrSchema) || !strings.Contains(fmt.Sprint(err), "too many digits") || !strings.Contains(fmt.Sprint(err), "column a") {
		t.Errorf("%s: %v", a.DataType(), err)
	}
}
