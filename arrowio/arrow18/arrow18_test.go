package arrow18_test

import (
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	v18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	memory18 "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/arrow18"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// storable reports whether a type needs no extension.
func storable(t arrow.DataType) bool { return !strings.Contains(t.String(), "label<") }

// Arrays of every type go to v18 and back: the same type, the same values, the same memory.
func TestArraysOfEveryType(t *testing.T) {
	for seed, dt := range conformance.Types() {
		for _, n := range []int{0, 1, 37} {
			for _, nulls := range []float64{0, 0.3, 1} {
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				g := &conformance.Generator{Rand: rand.New(rand.NewSource(int64(seed))), Mem: mem, Nulls: nulls}
				a := g.Sliced(dt, n)
				b, err := arrow18.ToArray(a)
				if err != nil {
					t.Fatalf("%s: %v", dt, err)
				}
				if err := sameMemory(a.Data(), b.Data()); err != nil {
					t.Errorf("%s: %v", dt, err)
				}
				if b.Len() != n || b.NullN() != a.NullN() {
					t.Errorf("%s: %d values, %d nulls; want %d, %d", dt, b.Len(), b.NullN(), n, a.NullN())
				}
				for i := range n {
					if a.IsNull(i) != b.IsNull(i) {
						t.Fatalf("%s: value %d is null in one of them", dt, i)
					}
				}
				back, err := arrow18.FromArray(b)
				if err != nil {
					t.Fatalf("%s: %v", dt, err)
				}
				if storable(dt) {
					if err := conformance.EqualArrays(a, back); err != nil {
						t.Errorf("%s: %v", dt, err)
					}
				}
				// The memory lives until the last of the three goes.
				a.Release()
				b.Release()
				if err := conformance.Validate(back); err != nil {
					t.Errorf("%s: %v", dt, err)
				}
				back.Release()
				mem.AssertSize(t, 0)
			}
		}
	}
}

func sameMemory(a arrow.ArrayData, b v18.ArrayData) error {
	if len(a.Buffers()) != len(b.Buffers()) || len(a.Children()) != len(b.Children()) {
		return fmt.Errorf("%d buffers and %d children, want %d and %d", len(b.Buffers()), len(b.Children()), len(a.Buffers()), len(a.Children()))
	}
	for i, x := range a.Buffers() {
		y := b.Buffers()[i]
		if (x == nil) != (y == nil) || x != nil && (x.Len() != y.Len() || unsafe.SliceData(x.Bytes()) != unsafe.SliceData(y.Bytes())) {
			return fmt.Errorf("buffer %d is another", i)
		}
	}
	for i := range a.Children() {
		if err := sameMemory(a.Children()[i], b.Children()[i]); err != nil {
			return fmt.Errorf("child %d: %w", i, err)
		}
	}
	return nil
}

// samples are values of v18, as its own JSON reader makes them, with the text that both versions show.
var samples = []struct {
	dt   v18.DataType
	json string
}{
	{v18.PrimitiveTypes.Int32, `[1, null, -3]`},
	{v18.FixedWidthTypes.Boolean, `[true, false, null]`},
	{v18.BinaryTypes.String, `["a", null, "bcd"]`},
	{v18.BinaryTypes.LargeString, `["a", null, "bcd"]`},
	{&v18.Decimal128Type{Precision: 20, Scale: 2}, `["1.25", null, "-3.50"]`},
	{&v18.Decimal256Type{Precision: 50, Scale: 2}, `["1.25", null, "-3.50"]`},
	{&v18.TimestampType{Unit: v18.Microsecond, TimeZone: "UTC"}, `["2020-01-02T03:04:05Z", null]`},
	{v18.Null, `[null, null]`},
	{v18.ListOf(v18.PrimitiveTypes.Int16), `[[1, 2], null, [], [3]]`},
	{v18.LargeListOf(v18.BinaryTypes.String), `[["x"], null, []]`},
	{v18.StructOf(v18.Field{Name: "a", Type: v18.PrimitiveTypes.Int8, Nullable: true}), `[{"a": 1}, null, {"a": null}]`},
	{v18.MapOf(v18.BinaryTypes.String, v18.PrimitiveTypes.Int32), `[[{"key": "k", "value": 1}], null, []]`},
	{&v18.DictionaryType{IndexType: v18.PrimitiveTypes.Int8, ValueType: v18.BinaryTypes.String}, `["a", "b", null, "a"]`},
	{v18.RunEndEncodedOf(v18.PrimitiveTypes.Int32, v18.BinaryTypes.String), `["a", "a", null, "b"]`},
	{v18.FixedSizeListOf(2, v18.PrimitiveTypes.Int16), `[[1, 2], null, [3, 4]]`},
	{v18.BinaryTypes.StringView, `["a", null, "longer than twelve bytes"]`},
}

// Arrays that v18 made show the same values in v15, and free their memory when the last reference goes, whichever
// that is.
func TestArraysOfV18(t *testing.T) {
	for _, c := range samples {
		for _, sourceFirst := range []bool{true, false} {
			mem := memory18.NewCheckedAllocator(memory18.NewGoAllocator())
			a, _, err := array18.FromJSON(mem, c.dt, strings.NewReader(c.json))
			if err != nil {
				t.Fatalf("%s: %v", c.dt, err)
			}
			b, err := arrow18.FromArray(a)
			if err != nil {
				t.Fatalf("%s: %v", c.dt, err)
			}
			if err := conformance.Validate(b); err != nil {
				t.Errorf("%s: %v", c.dt, err)
			}
			for i := range a.Len() {
				want := a.ValueStr(i)
				if c.dt.ID() == v18.TIMESTAMP {
					want = strings.Replace(want, "T", " ", 1) // the versions differ in this letter
				}
				if got := b.ValueStr(i); got != want {
					t.Errorf("%s: value %d is %s, want %s", c.dt, i, got, want)
				}
			}
			again, err := arrow18.ToArray(b)
			if err != nil {
				t.Fatalf("%s: %v", c.dt, err)
			}
			if !array18.Equal(a, again) {
				t.Errorf("%s: %v came back as %v", c.dt, a, again)
			}
			again.Release()
			if sourceFirst {
				a.Release()
				b.Release()
			} else {
				b.Release()
				a.Release()
			}
			mem.AssertSize(t, 0)
		}
	}
}

func everything() *arrow.Schema {
	var fields []arrow.Field
	for i, dt := range conformance.Types() {
		md := arrow.NewMetadata([]string{"unit"}, []string{fmt.Sprint(i)})
		if !storable(dt) {
			continue
		}
		fields = append(fields, arrow.Field{Name: fmt.Sprint("c", i%5), Type: dt, Nullable: i%2 == 0, Metadata: md})
	}
	md := arrow.NewMetadata([]string{"b", "a"}, []string{"1", "2"})
	return arrow.NewSchema(fields, &md)
}

// Records and readers keep names, nullability and metadata, the order of keys included.
func TestRecords(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	schema := everything()
	g := &conformance.Generator{Rand: rand.New(rand.NewSource(3)), Mem: mem, Nulls: 0.2}
	var recs []arrow.Record
	for _, n := range []int{3, 0, 40} {
		rec := g.Record(schema, n)
		defer rec.Release()
		recs = append(recs, rec)
	}
	src, err := array.NewRecordReader(schema, recs)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Release()
	to, err := arrow18.ToReader(src)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Release()
	if got := to.Schema().Metadata().Keys(); !reflect.DeepEqual(got, []string{"b", "a"}) {
		t.Errorf("keys %v", got)
	}
	back, err := arrow18.FromReader(to)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Release()
	if err := conformance.EqualSchemas(schema, back.Schema()); err != nil {
		t.Error(err)
	}
	if got := back.Schema().Field(1).Metadata; !got.Equal(schema.Field(1).Metadata) {
		t.Errorf("metadata %v", got)
	}
	for _, want := range recs {
		if !back.Next() {
			t.Fatal(back.Err())
		}
		if err := conformance.Equal(want, back.Record()); err != nil {
			t.Error(err)
		}
	}
	if back.Next() || back.Err() != nil {
		t.Errorf("more than %d records, or %v", len(recs), back.Err())
	}
}

// A record may have rows and no columns.
func TestNoColumns(t *testing.T) {
	rec := array.NewRecord(arrow.NewSchema(nil, nil), nil, 7)
	defer rec.Release()
	to, err := arrow18.ToRecord(rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Release()
	back, err := arrow18.FromRecord(to, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Release()
	if to.NumRows() != 7 || back.NumRows() != 7 {
		t.Errorf("%d and %d rows", to.NumRows(), back.NumRows())
	}
}

// A schema that does not fit a record is an error, and holds nothing.
func TestSchemasThatDoNotFit(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	g := &conformance.Generator{Rand: rand.New(rand.NewSource(3)), Mem: mem}
	rec := g.Record(arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int32},
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8}), Nullable: true},
	}, nil), 4)
	defer rec.Release()
	i32 := v18.Field{Name: "a", Type: v18.PrimitiveTypes.Int32}
	for _, fields := range [][]v18.Field{
		{i32},
		{i32, {Name: "s", Type: v18.StructOf()}},
		{i32, {Name: "s", Type: v18.BinaryTypes.String}},
		{i32, {Name: "s", Type: v18.StructOf(v18.Field{Name: "x", Type: v18.PrimitiveTypes.Int64})}},
		{{Name: "a", Type: v18.BinaryTypes.String}, {Name: "s", Type: v18.StructOf(v18.Field{Name: "x", Type: v18.PrimitiveTypes.Int8})}},
	} {
		if _, err := arrow18.ToRecord(rec, v18.NewSchema(fields, nil)); !errors.Is(err, errs.ErrSchema) {
			t.Errorf("%v: %v", fields, err)
		}
	}
}

func TestTypesThatV15HasNot(t *testing.T) {
	variant := extensions.NewDefaultVariantType()
	for _, dt := range []v18.DataType{&v18.Decimal32Type{Precision: 5, Scale: 1}, &v18.Decimal64Type{Precision: 12, Scale: 1}, variant} {
		for _, dt := range []v18.DataType{dt, v18.ListOf(dt), v18.StructOf(v18.Field{Name: "a", Type: dt}), v18.RunEndEncodedOf(v18.PrimitiveTypes.Int16, dt)} {
			_, err := arrow18.FromType(dt)
			if !errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), "v15 has no type ") {
				t.Errorf("%s: %v", dt, err)
			}
		}
	}
	d := v18.Field{Name: "d", Type: &v18.Decimal32Type{Precision: 5, Scale: 1}}
	_, err := arrow18.FromSchema(v18.NewSchema([]v18.Field{{Name: "s", Type: v18.StructOf(d)}}, nil))
	if want := "column s.d: Arrow for Go v15 has no type decimal32(5, 1)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// geometry is an extension type that tests register in v18.
type geometry struct {
	v18.ExtensionBase
	crs string
}

type geometryArray struct{ array18.ExtensionArrayBase }

func (*geometry) ArrayType() reflect.Type { return reflect.TypeOf(geometryArray{}) }
func (*geometry) ExtensionName() string   { return "geoarrow.wkb" }
func (g *geometry) Serialize() string     { return g.crs }
func (g *geometry) ExtensionEquals(o v18.ExtensionType) bool {
	x, ok := o.(*geometry)
	return ok && x.crs == g.crs
}

func (*geometry) Deserialize(storage v18.DataType, data string) (v18.ExtensionType, error) {
	return &geometry{v18.ExtensionBase{Storage: storage}, data}, nil
}

// Extension types keep name, parameters and storage, known to one version, both or none.
func TestExtensions(t *testing.T) {
	if err := v18.RegisterExtensionType(&geometry{ExtensionBase: v18.ExtensionBase{Storage: v18.BinaryTypes.Binary}}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = v18.UnregisterExtensionType("geoarrow.wkb") }()

	// v18 knows it, v15 does not.
	geo := v18.Field{Name: "g", Type: &geometry{v18.ExtensionBase{Storage: v18.BinaryTypes.Binary}, "EPSG:4326"}, Nullable: true, Metadata: v18.NewMetadata([]string{"k"}, []string{"v"})}
	f, err := arrow18.FromField(geo)
	if err != nil {
		t.Fatal(err)
	}
	want := arrow.NewMetadata([]string{"k", arrow18.ExtensionNameKey, arrow18.ExtensionMetadataKey}, []string{"v", "geoarrow.wkb", "EPSG:4326"})
	if f.Type.ID() != arrow.BINARY || !f.Metadata.Equal(want) {
		t.Errorf("%v", f)
	}
	back, err := arrow18.ToField(f)
	if err != nil || !back.Equal(geo) {
		t.Errorf("%v, %v; want %v", back, err, geo)
	}

	// arrow.uuid is known to v18 from the start.
	u, err := arrow18.FromField(v18.Field{Name: "u", Type: extensions.NewUUIDType()})
	if name, _ := u.Metadata.GetValue(arrow18.ExtensionNameKey); err != nil || name != "arrow.uuid" || u.Type.ID() != arrow.FIXED_SIZE_BINARY {
		t.Errorf("%v, %v", u, err)
	}

	// v15 knows it, v18 does not: inside a list too.
	label := conformance.LabelOf(arrow.BinaryTypes.String)
	if err := arrow.RegisterExtensionType(label); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = arrow.UnregisterExtensionType(label.ExtensionName()) }()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	g := &conformance.Generator{Rand: rand.New(rand.NewSource(3)), Mem: mem, Nulls: 0.2}
	rec := g.Record(arrow.NewSchema([]arrow.Field{{Name: "a", Type: label}, {Name: "b", Type: arrow.ListOf(label)}}, nil), 9)
	defer rec.Release()
	to, err := arrow18.ToRecord(rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Release()
	if id := to.Schema().Field(0).Type.ID(); id != v18.STRING {
		t.Errorf("type %s", id)
	}
	rec2, err := arrow18.FromRecord(to, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rec2.Release()
	if err := conformance.Equal(rec, rec2); err != nil {
		t.Error(err)
	}

	// No field can keep the name below a dictionary.
	_, err = arrow18.ToType(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: label})
	if err == nil || !strings.Contains(err.Error(), `"label"`) {
		t.Errorf("%v", err)
	}
}
