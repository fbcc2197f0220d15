package expr_test

import (
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// label is an extension type over utf8.
type label struct{ arrow.ExtensionBase }

func newLabel() *label {
	return &label{arrow.ExtensionBase{Storage: arrow.BinaryTypes.String}}
}

func (*label) ArrayType() reflect.Type                    { return reflect.TypeFor[labelArray]() }
func (*label) ExtensionName() string                      { return "test.label" }
func (*label) Serialize() string                          { return "" }
func (*label) ExtensionEquals(o arrow.ExtensionType) bool { return o.ExtensionName() == "test.label" }

func (*label) Deserialize(arrow.DataType, string) (arrow.ExtensionType, error) {
	return newLabel(), nil
}

type labelArray struct{ array.ExtensionArrayBase }

func TestMaskNested(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	inner := arrow.StructOf(field("y", arrow.BinaryTypes.String), field("z", i64))
	rec := record(t, mem, arrow.StructOf(field("x", inner), field("b.c", i64)), `[
		{"x": {"y": "p", "z": 1}, "b.c": 7}, null, {"x": null, "b.c": 8}, {"x": {"y": null, "z": 4}, "b.c": null}, {"x": {"y": "q", "z": 5}, "b.c": 9}]`)
	defer rec.Release()
	for _, c := range []struct{ e, want string }{
		{"a.x.y = 'p'", "t---f"},
		{"a.x.y IS NULL", "ftttf"},
		{"a.x.z >= 4", "f--tt"},
		{"a.x IS NULL", "fttff"},
		{"a IS NULL", "ftfff"},
		{"a.b.c > 7", "f-t-t"},
		{`a."b.c" > 7 OR a.x.y = 'p'`, "t-t-t"},
		{"a.x.z = 5 AND a.x.y = 'q'", "f--ft"},
	} {
		b := bind(t, rec.Schema(), c.e)
		for lo := range rec.NumRows() + 1 {
			part := rec.NewSlice(lo, rec.NumRows())
			if got := maskOf(t, b, part); got != c.want[lo:] {
				t.Errorf("%s from %d is %s, want %s", c.e, lo, got, c.want[lo:])
			}
			part.Release()
		}
	}

	// A projection of the schema: other positions, fewer fields.
	b := bind(t, rec.Schema(), "a.x.z = 5")
	x := rec.Column(0).(*array.Struct).Field(0).(*array.Struct)
	z := array.NewData(arrow.StructOf(field("z", i64)), x.Len(), []*memory.Buffer{x.Data().Buffers()[0]}, []arrow.ArrayData{x.Field(1).Data()}, -1, 0)
	defer z.Release()
	a := array.NewData(arrow.StructOf(field("x", z.DataType())), x.Len(), []*memory.Buffer{rec.Column(0).Data().Buffers()[0]}, []arrow.ArrayData{z}, -1, 0)
	defer a.Release()
	arr := array.MakeFromData(a)
	defer arr.Release()
	narrow := array.NewRecord(arrow.NewSchema([]arrow.Field{field("a", arr.DataType())}, nil), []arrow.Array{arr}, int64(arr.Len()))
	defer narrow.Release()
	if got := maskOf(t, b, narrow); got != "f--ft" {
		t.Errorf("projected: %s", got)
	}
}

func TestMaskUnionIsNull(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	fields := []arrow.Field{field("i", i64), field("s", arrow.BinaryTypes.String)}
	codes := []arrow.UnionTypeCode{3, 5}
	dense := array.NewDenseUnionBuilder(mem, arrow.DenseUnionOf(fields, codes))
	defer dense.Release()
	sparse := array.NewSparseUnionBuilder(mem, arrow.SparseUnionOf(fields, codes))
	defer sparse.Release()
	for _, c := range "isniS" { // capital: null
		code := arrow.UnionTypeCode(5)
		if c == 'i' || c == 'n' {
			code = 3
		}
		dense.Append(code)
		sparse.Append(code)
		for _, b := range []array.Builder{dense.Child(int(code-3) / 2), sparse.Child(int(code-3) / 2)} {
			switch b := b.(type) {
			case *array.Int64Builder:
				if c == 'n' {
					b.AppendNull()
				} else {
					b.Append(1)
				}
			case *array.StringBuilder:
				if c == 'S' {
					b.AppendNull()
				} else {
					b.Append("x")
				}
			}
		}
		other := sparse.Child(1 - int(code-3)/2)
		other.AppendNull() // what the union does not choose is not its null
	}
	for _, arr := range []arrow.Array{dense.NewArray(), sparse.NewArray()} {
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{field("a", arr.DataType())}, nil), []arrow.Array{arr}, int64(arr.Len()))
		arr.Release()
		b := bind(t, rec.Schema(), "a IS NULL")
		for lo := range rec.NumRows() + 1 {
			part := rec.NewSlice(lo, rec.NumRows())
			if got, want := maskOf(t, b, part), "fftft"[lo:]; got != want {
				t.Errorf("%v from %d: %s, want %s", rec.Column(0).DataType(), lo, got, want)
			}
			part.Release()
		}
		rec.Release()
	}
}

func TestMaskExtension(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	plain := record(t, mem, arrow.BinaryTypes.String, `["x", null, "y"]`)
	defer plain.Release()
	arr := array.NewExtensionArrayWithStorage(newLabel(), plain.Column(0))
	defer arr.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{field("a", arr.DataType())}, nil), []arrow.Array{arr}, 3)
	defer rec.Release()
	for e, want := range map[string]string{"a = 'x'": "t-f", "a IS NULL": "ftf", "a LIKE '_'": "t-t"} {
		b := bind(t, rec.Schema(), e)
		if got := maskOf(t, b, rec); got != want {
			t.Errorf("%s: %s, want %s", e, got, want)
		}
		if got := maskOf(t, b, plain); got != want { // the plain values serve as well
			t.Errorf("%s over plain values: %s, want %s", e, got, want)
		}
	}
}

func TestMaskErrors(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	s := arrow.NewSchema([]arrow.Field{field("a", arrow.StructOf(field("x", i64))), field("b", i64)}, nil)
	ints := record(t, mem, i64, `[1, 2]`)
	defer ints.Release()
	for _, c := range []struct {
		e   string
		say string
	}{
		{"b = 1", `the record has no field "b"`},
		{"a.x = 1", "int64 where a struct was expected"},
	} {
		if _, err := bind(t, s, c.e).Mask(ints); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v, want …%s…", c.e, err, c.say)
		}
	}
	b := bind(t, arrow.NewSchema([]arrow.Field{field("a", arrow.PrimitiveTypes.Int32)}, nil), "a = 1")
	if _, err := b.Mask(ints); err == nil || !strings.Contains(err.Error(), "is int64 in the record, but int32") {
		t.Error(err)
	}
	twice := array.NewRecord(arrow.NewSchema([]arrow.Field{field("a", i64), field("a", i64)}, nil), []arrow.Array{ints.Column(0), ints.Column(0)}, 2)
	defer twice.Release()
	if _, err := bind(t, ints.Schema(), "a = 1").Mask(twice); err == nil || !strings.Contains(err.Error(), "2 fields") {
		t.Error(err)
	}

	// Indices out of range: an error where the row counts, nothing where it is null.
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	vals := record(t, mem, arrow.BinaryTypes.String, `["x"]`)
	defer vals.Release()
	for _, c := range []struct {
		valid byte
		ok    bool
	}{{0b01, true}, {0b11, false}} {
		data := array.NewDataWithDictionary(dict, 2, []*memory.Buffer{memory.NewBufferBytes([]byte{c.valid}), memory.NewBufferBytes([]byte{0, 0, 0, 0, 255, 255, 255, 255})}, -1, 0, vals.Column(0).Data().(*array.Data))
		arr := array.MakeFromData(data)
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{field("a", dict)}, nil), []arrow.Array{arr}, 2)
		m, err := bind(t, rec.Schema(), "a = 'x'").Mask(rec)
		if (err == nil) != c.ok {
			t.Errorf("valid %b: %v", c.valid, err)
		}
		if err == nil {
			m.Release()
		}
		rec.Release()
		arr.Release()
		data.Release()
	}
}

func TestConcurrentUse(t *testing.T) {
	rec := record(t, memory.DefaultAllocator, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, `["x", null, "y", "x"]`)
	b := bind(t, rec.Schema(), "a = 'x' OR a IS NULL AND a != 'z'")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				m, err := b.Mask(rec)
				if err != nil || outcomes(m) != "t-ft" {
					t.Error(err)
				}
				b.Test(nil)
			}
		})
	}
	wg.Wait()
}

// Whatever the text, what binds must evaluate, print as something that evaluates the same, and be allowed by Test.
func FuzzBind(f *testing.F) {
	for _, s := range []string{
		"l[0] < i OR contains(l, 5)", "M['k'] IS NOT NAN AND s ILIKE 'AB_'", "i <= u AND d > f", "f = 0.5 AND tm = tm", "m['k'] = d", "e >= s OR bin = s", "t < t AND y = y",
		"i = 5 AND s LIKE '%x_' OR NOT b", "d < 2.505 OR f IN (0.5, DOUBLE 'NaN', 1e300)", "t >= '2020-01-31T10:00:00Z' AND y = DATE '2020-01-31'",
		"st.x BETWEEN -1 AND 1.5 OR st IS NULL", "du > DURATION '1h' OR tm = '10:00' OR bin = X'00ff' OR u < 18446744073709551616", "e NOT IN ('x', NULL)",
	} {
		f.Add(s)
	}
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	s := arrow.NewSchema([]arrow.Field{
		field("i", i64), field("u", arrow.PrimitiveTypes.Uint64), field("f", arrow.PrimitiveTypes.Float32), field("s", arrow.BinaryTypes.String),
		field("b", arrow.FixedWidthTypes.Boolean), field("d", &arrow.Decimal128Type{Precision: 9, Scale: 2}), field("t", arrow.FixedWidthTypes.Timestamp_us),
		field("y", arrow.FixedWidthTypes.Date32), field("tm", arrow.FixedWidthTypes.Time64us), field("du", arrow.FixedWidthTypes.Duration_ms),
		field("bin", arrow.BinaryTypes.Binary), field("e", dict), field("st", arrow.StructOf(field("x", arrow.PrimitiveTypes.Int8))),
		field("l", arrow.ListOf(i64)), field("m", arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64)),
	}, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(`[
		{"i": 5, "u": 18446744073709551615, "f": 0.5, "s": "abx", "b": true, "d": "2.50", "t": "2020-01-31T10:00:00", "y": "2020-01-31", "tm": "10:00:00", "du": 3600001, "bin": "AP8=", "e": "x", "st": {"x": 1}, "l": [5, null, 7], "m": [{"key": "k", "value": 0.5}]},
		{},
		{"i": -5, "u": 0, "f": -1e30, "s": "", "b": false, "d": "-0.01", "t": "1960-01-01T00:00:00.000001", "y": "1960-01-01", "tm": "00:00:00.000001", "du": -1, "bin": "", "e": "yy", "st": {"x": null}, "l": [], "m": []}]`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := expr.Parse(text)
		if err != nil {
			return
		}
		b, err := expr.Bind(e, s)
		if err != nil {
			return
		}
		got := maskOf(t, b, rec)
		if again := maskOf(t, bind(t, s, e.String()), rec); again != got {
			t.Fatalf("%q is %s, printed as %q it is %s", text, got, e, again)
		}
		for row := range rec.NumRows() {
			part := rec.NewSlice(row, row+1)
			one := maskOf(t, b, part)
			if one != got[row:row+1] {
				t.Fatalf("%q: row %d is %s alone, %s among all", text, row, one, got)
			}
			// The row's own value bounds it on both sides: Test may say no more than what is, and must say that.
			can := b.Test(func(col string) expr.Evidence {
				ids, err := expr.ResolveExact(s, col)
				if err != nil {
					t.Fatal(err)
				}
				if arrow.IsNested(s.Field(ids[0]).Type.ID()) && len(ids) == 1 {
					return expr.StatsOnly{Rows: 1, Nulls: int64(part.Column(ids[0]).NullN())}
				}
				arr := part.Column(ids[0])
				if len(ids) > 1 && !arr.IsNull(0) {
					arr = arr.(*array.Struct).Field(ids[1])
				}
				st := expr.StatsOnly{Rows: 1}
				if arr.IsNull(0) {
					st.Nulls = 1
				} else {
					st.Min = valueAt(arr, 0)
					st.Max = st.Min
				}
				return st
			})
			bit := map[string]expr.Truth{"t": expr.CanBeTrue, "f": expr.CanBeFalse, "-": expr.CanBeNull}[one]
			if can&bit == 0 {
				t.Fatalf("%q: row %d is %s, Test says %v", text, row, one, can)
			}
			part.Release()
		}
	})
}
