package view

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/inferred"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// The common type of each pair, in both orders; nil = refused.
func TestWidening(t *testing.T) {
	dict := func(v arrow.DataType) arrow.DataType { return &arrow.DictionaryType{IndexType: tI8, ValueType: v} }
	for _, c := range []struct{ a, b, want arrow.DataType }{
		{tI8, tI16, tI16},
		{tI8, tI32, tI32},
		{tI8, tI64, tI64},
		{tI16, tI32, tI32},
		{tI32, tI64, tI64},
		{tU8, tU16, tU16},
		{tU8, tU64, tU64},
		{tU8, tI8, tI16},
		{tU16, tI8, tI32},
		{tU32, tI32, tI64},
		{tU8, tI64, tI64},
		{tU64, tI64, nil},
		{tU64, tI8, nil},
		{tF32, tF64, tF64},
		{tI8, tF32, tF32},
		{tI16, tF32, tF32},
		{tI32, tF32, tF64},
		{tI32, tF64, tF64},
		{tI64, tF64, nil},
		{tI64, tF32, nil},
		{tU32, tF64, tF64},
		{tU64, tF64, nil},
		{arrow.FixedWidthTypes.Float16, tF32, tF32},
		{arrow.FixedWidthTypes.Float16, tI8, tF32},
		{arrow.FixedWidthTypes.Float16, tF64, tF64},
		{dec(10, 2), dec(20, 2), dec(20, 2)},
		{dec(10, 2), dec(12, 4), dec(12, 4)},
		{dec(10, 2), dec(10, 4), dec(12, 4)},
		{dec(38, 0), dec(38, 10), nil},
		{dec(38, 0), dec256(50, 10), dec256(50, 10)},
		{dec(38, 0), dec256(38, 10), dec256(48, 10)},
		{dec256(76, 0), dec256(76, 1), nil},
		{dec(10, 2), tI32, nil},
		{dec(10, 2), tF64, nil},
		{tStr, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.LargeString},
		{tStr, arrow.BinaryTypes.StringView, arrow.BinaryTypes.LargeString},
		{tBin, arrow.BinaryTypes.BinaryView, arrow.BinaryTypes.LargeBinary},
		{tStr, tBin, nil},
		{tStr, tI32, nil},
		{tI32, arrow.FixedWidthTypes.Boolean, nil},
		{arrow.PrimitiveTypes.Date32, arrow.PrimitiveTypes.Date64, nil},
		{arrow.PrimitiveTypes.Date32, stamp(arrow.Second, ""), nil},
		{stamp(arrow.Second, ""), stamp(arrow.Nanosecond, ""), stamp(arrow.Nanosecond, "")},
		{stamp(arrow.Second, "UTC"), stamp(arrow.Millisecond, "UTC"), stamp(arrow.Millisecond, "UTC")},
		{stamp(arrow.Second, ""), stamp(arrow.Second, "UTC"), nil},
		{stamp(arrow.Second, "Europe/Paris"), stamp(arrow.Second, "UTC"), nil},
		{arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time64ns, arrow.FixedWidthTypes.Time64ns},
		{arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time32ms},
		{arrow.FixedWidthTypes.Duration_s, arrow.FixedWidthTypes.Duration_us, arrow.FixedWidthTypes.Duration_us},
		{arrow.FixedWidthTypes.Duration_s, tI64, nil},
		{arrow.Null, tI32, tI32},
		{arrow.Null, arrow.ListOf(tStr), arrow.ListOf(tStr)},
		{dict(tStr), tStr, tStr},
		{dict(tI32), tI64, tI64},
		{dict(tStr), tI32, nil},
		{dict(tStr), &arrow.DictionaryType{IndexType: tI32, ValueType: tStr}, &arrow.DictionaryType{IndexType: tI32, ValueType: tStr}},
		{dict(tStr), &arrow.DictionaryType{IndexType: tU8, ValueType: tStr}, &arrow.DictionaryType{IndexType: tI16, ValueType: tStr}},
		{dict(tStr), &arrow.DictionaryType{IndexType: tI8, ValueType: tStr, Ordered: true}, dict(tStr)},
		{&arrow.DictionaryType{IndexType: tI64, ValueType: tStr}, &arrow.DictionaryType{IndexType: tU64, ValueType: tStr}, tStr},
		{dict(tStr), dict(arrow.BinaryTypes.LargeString), arrow.BinaryTypes.LargeString},
		{arrow.ListOf(tI8), arrow.ListOf(tI32), arrow.ListOf(tI32)},
		{arrow.ListOf(tI8), arrow.LargeListOf(tI8), nil},
		{arrow.ListOfNonNullable(tI8), arrow.ListOf(tI8), arrow.ListOf(tI8)},
		{arrow.FixedSizeListOf(2, tI8), arrow.FixedSizeListOf(2, tI16), arrow.FixedSizeListOf(2, tI16)},
		{arrow.FixedSizeListOf(2, tI8), arrow.FixedSizeListOf(3, tI8), nil},
		{arrow.MapOf(tI8, tF32), arrow.MapOf(tI16, tF64), arrow.MapOf(tI16, tF64)},
		{arrow.MapOf(tStr, tI8), arrow.MapOf(tI8, tI8), nil},
		{arrow.MapOf(arrow.Null, tI8), arrow.MapOf(tI8, tI8), nil},
		{arrow.StructOf(opt("a", tI8), opt("b", tStr)), arrow.StructOf(opt("b", tStr), opt("a", tI16)), nil}, // by order: see below
		{arrow.StructOf(req("a", tI8)), arrow.StructOf(opt("a", tI8)), arrow.StructOf(opt("a", tI8))},
		{arrow.StructOf(opt("a", tI8)), arrow.StructOf(opt("a", tStr)), nil},
		{&arrow.FixedSizeBinaryType{ByteWidth: 2}, &arrow.FixedSizeBinaryType{ByteWidth: 3}, nil},
		{arrow.RunEndEncodedOf(tI32, tStr), tStr, nil},
	} {
		for range 2 {
			got, clash := joinTwo(c.a, c.b)
			switch st, isStruct := c.a.(*arrow.StructType); {
			case isStruct && st.NumFields() == 2: // in the order of the first
				if clash != nil || got.(*arrow.StructType).Field(0).Name != st.Field(0).Name {
					t.Errorf("%s and %s: %v, %v", c.a, c.b, got, clash)
				}
			case c.want == nil && clash == nil:
				t.Errorf("%s and %s are %s", c.a, c.b, got)
			case c.want != nil && (clash != nil || !arrow.TypeEqual(got, c.want)):
				t.Errorf("%s and %s are %v (%v), want %s", c.a, c.b, got, clash, c.want)
			}
			if clash == nil {
				for _, from := range []arrow.DataType{c.a, c.b} {
					if _, err := (rules{}).conversionOfType(arrow.Field{Type: from}, arrow.Field{Type: got}, "x"); err != nil {
						t.Errorf("%s to %s: %v", from, got, err)
					}
				}
			}
			c.a, c.b = c.b, c.a
		}
	}
}

// TestJoinOrder joins more than two types: the result, or which two clash, does not depend on their order.
func TestJoinOrder(t *testing.T) {
	dict := func(v arrow.DataType) arrow.DataType { return &arrow.DictionaryType{IndexType: tI8, ValueType: v} }
	csv := func(t arrow.DataType, possible inferred.Types) arrow.Field {
		return inferred.Mark(opt("a", t), possible)
	}
	day, us, ns := arrow.FixedWidthTypes.Date32, stamp(arrow.Microsecond, ""), stamp(arrow.Nanosecond, "")
	whole, fraction := csv(tI64, inferred.Int64|inferred.Float64), csv(tF64, inferred.Float64)
	date := csv(day, inferred.Date32|inferred.Timestamp|inferred.TimestampNano)
	st := func(f ...arrow.Field) arrow.Field { return opt("a", arrow.StructOf(f...)) }
	for _, c := range []struct {
		fields []arrow.Field
		want   arrow.DataType // nil = refused
		clash  [2]string      // the types that clash, in the order of their names
	}{
		{[]arrow.Field{opt("a", tI8), opt("a", tU32), opt("a", tF32)}, tF64, [2]string{}},
		{[]arrow.Field{opt("a", tI8), opt("a", tU16), opt("a", tF32)}, tF32, [2]string{}},
		{[]arrow.Field{opt("a", tI8), opt("a", tI64), opt("a", tF32)}, nil, [2]string{"float32", "int64"}},
		{[]arrow.Field{opt("a", dec(38, 0)), opt("a", dec(38, 10)), opt("a", dec256(50, 10))}, dec256(50, 10), [2]string{}},
		{[]arrow.Field{opt("a", tI32), fraction, whole}, tF64, [2]string{}},
		{[]arrow.Field{opt("a", tF64), whole, whole}, tF64, [2]string{}},
		{[]arrow.Field{opt("a", tI64), fraction, whole}, nil, [2]string{"float64", "int64"}},
		{[]arrow.Field{date, opt("a", us), opt("a", arrow.Null)}, us, [2]string{}},
		{[]arrow.Field{date, opt("a", ns)}, ns, [2]string{}},
		{[]arrow.Field{opt("a", dict(tStr)), opt("a", &arrow.DictionaryType{IndexType: tI32, ValueType: tStr}), opt("a", tStr)}, tStr, [2]string{}},
		{[]arrow.Field{st(opt("x", tI8)), st(opt("x", tU32)), st(opt("x", tF32), opt("y", tStr))}, nil, [2]string{}},
		{[]arrow.Field{st(opt("x", tI8)), st(opt("x", tStr)), st(opt("x", tI32))}, nil, [2]string{"int", "utf8"}},
	} {
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			var parts []part
			for _, k := range order {
				if k < len(c.fields) {
					parts = append(parts, part{c.fields[k], k})
				}
			}
			got, clash := joinFields(parts)
			switch two := c.clash; {
			case two[0] != "":
				if clash == nil {
					t.Errorf("%v are %s", parts, got)
					break
				}
				if clash.a > clash.b {
					clash.a, clash.b = clash.b, clash.a
				}
				if !strings.HasPrefix(clash.a, two[0]) || clash.b != two[1] {
					t.Errorf("%v: clash of %s and %s, want %s and %s", parts, clash.a, clash.b, two[0], two[1])
				}
			case clash != nil:
				t.Errorf("%v: %+v", parts, clash)
			case c.want != nil && !arrow.TypeEqual(got.Type, c.want):
				t.Errorf("%v are %s, want %s", parts, got.Type, c.want)
			case c.want == nil:
				if x, ok := got.Type.(*arrow.StructType).FieldByName("x"); !ok || x.Type.ID() != arrow.FLOAT64 {
					t.Errorf("%v are %s", parts, got.Type)
				}
			}
		}
	}
}

// TestJoinBlames has the error about files that are no pair: it names two whose types are the ones it says.
func TestJoinBlames(t *testing.T) {
	_, err := Unify([]*arrow.Schema{columnsOf("a", tI8), columnsOf("a", tU64), columnsOf("a", tU32)}, ByName)
	if err == nil || !strings.Contains(err.Error(), "schema 1") || !strings.Contains(err.Error(), "it is uint64 here and int8 in schema 0") {
		t.Error(err)
	}
}

// TestSortedMaps says that the keys of a map are sorted only where those of all files are.
func TestSortedMaps(t *testing.T) {
	sorted := arrow.MapOf(tStr, tI8)
	sorted.KeysSorted = true
	for _, in := range []func(arrow.DataType) arrow.DataType{
		func(t arrow.DataType) arrow.DataType { return t },
		func(t arrow.DataType) arrow.DataType { return arrow.ListOf(t) },
		func(t arrow.DataType) arrow.DataType { return arrow.StructOf(opt("m", t)) },
	} {
		for _, c := range []struct {
			a, b arrow.DataType
			want bool
		}{
			{sorted, sorted, true},
			{sorted, arrow.MapOf(tStr, tI8), false},
			{arrow.MapOf(tStr, tI8), sorted, false},
		} {
			got, clash := joinTwo(in(c.a), in(c.b))
			if clash != nil || slices.Contains(sortedMaps(nil, got), !c.want) {
				t.Errorf("%s: %s, %v; want %v", in(c.a), got, clash, c.want)
			}
		}
	}
}

func TestUnifySchemas(t *testing.T) {
	st := func(f ...arrow.Field) arrow.DataType { return arrow.StructOf(f...) }
	for _, c := range []struct {
		name    string
		schemas []*arrow.Schema
		by      Match
		want    *arrow.Schema
	}{
		{"added and reordered", []*arrow.Schema{columnsOf("a", tI32, "b", tStr), columnsOf("c", tF64, "b", tStr, "a", tI64)}, ByName, columnsOf("a", tI64, "b", tStr, "c", tF64)},
		{"dropped", []*arrow.Schema{schemaOf(req("a", tI32), req("b", tI32)), schemaOf(req("b", tI32))}, ByName, schemaOf(opt("a", tI32), req("b", tI32))},
		{"case counts", []*arrow.Schema{columnsOf("a", tI32), columnsOf("A", tStr)}, ByName, columnsOf("a", tI32, "A", tStr)},
		{"nested", []*arrow.Schema{schemaOf(req("s", st(req("x", tI8)))), schemaOf(req("s", st(req("y", tI8), req("x", tI16))))}, ByName, schemaOf(req("s", st(req("x", tI16), opt("y", tI8))))},
		{"by position", []*arrow.Schema{columnsOf("a", tI32, "b", tStr), columnsOf("x", tI64, "y", tStr, "z", tF32)}, ByPosition, columnsOf("a", tI64, "b", tStr, "z", tF32)},
		{"by position, nested by name", []*arrow.Schema{columnsOf("a", st(opt("x", tI8), opt("y", tStr))), columnsOf("b", st(opt("y", tStr), opt("x", tI16)))}, ByPosition, columnsOf("a", st(opt("x", tI16), opt("y", tStr)))},
		{"by position, a name twice", []*arrow.Schema{columnsOf("a", tI32, "b", tStr), columnsOf("x", tI32, "y", tStr, "a", tF32)}, ByPosition, columnsOf("a", tI32, "b", tStr, "_col2", tF32)},
		{"numbered by position", []*arrow.Schema{columnsOf("_col0", tI8), columnsOf("a", tI32, "b", tStr)}, ByPosition, columnsOf("a", tI32, "b", tStr)},
		{"numbered", []*arrow.Schema{columnsOf("_col0", tI32, "_col1", tStr, "_col2", tF32), columnsOf("a", tI64, "b", tStr)}, ByName, columnsOf("a", tI64, "b", tStr, "_col2", tF32)},
		{"all numbered", []*arrow.Schema{columnsOf("_col0", tI32), columnsOf("_col0", tI64, "_col1", tStr)}, ByName, columnsOf("_col0", tI64, "_col1", tStr)},
		{"not quite numbered", []*arrow.Schema{columnsOf("_col1", tI32), columnsOf("a", tStr)}, ByName, columnsOf("_col1", tI32, "a", tStr)},
		{"null first", []*arrow.Schema{schemaOf(req("a", arrow.Null)), schemaOf(req("a", tI32))}, ByName, columnsOf("a", tI32)},
		{"no columns", []*arrow.Schema{schemaOf(), schemaOf(req("a", tI32))}, ByName, columnsOf("a", tI32)},
		{
			"a missing union",
			[]*arrow.Schema{schemaOf(), schemaOf(req("u", arrow.DenseUnionOf([]arrow.Field{req("i", tI32), req("s", tStr)}, []int8{0, 1})))},
			ByName,
			columnsOf("u", arrow.DenseUnionOf([]arrow.Field{opt("i", tI32), req("s", tStr)}, []int8{0, 1})),
		},
	} {
		got, err := Unify(c.schemas, c.by)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if d := schemadiff.Schemas(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	s := columnsOf("a", tI32)
	if got, err := Unify([]*arrow.Schema{s, columnsOf("a", tI32)}, ByName); err != nil || got != s {
		t.Errorf("equal schemas: %v, %v", got, err)
	}
	if _, err := Unify(nil, ByName); !errors.Is(err, errs.ErrSchema) {
		t.Errorf("no schemas: %v", err)
	}
}

func TestUnifyErrors(t *testing.T) {
	for _, c := range []struct {
		schemas []*arrow.Schema
		column  string
		text    []string
	}{
		{[]*arrow.Schema{columnsOf("a", tI32), columnsOf("b", tI8), columnsOf("a", tStr)}, "a", []string{"schema 2:", "int32 in schema 0", "utf8 here", "--exclude"}},
		{[]*arrow.Schema{columnsOf("a", tI8), columnsOf("a", tI64), columnsOf("a", tF64)}, "a", []string{"schema 2:", "int64 in schema 1", "float64 here"}},
		{[]*arrow.Schema{columnsOf("a", arrow.ListOf(arrow.StructOf(opt("x", tI32)))), columnsOf("a", arrow.ListOf(arrow.StructOf(opt("x", tStr))))}, "a.item.x", []string{"schema 1:", "int32 in schema 0"}},
		{[]*arrow.Schema{columnsOf("a", tI8), columnsOf("a", tI64, "a", tI64)}, "a", []string{"schema 1:", "by position"}},
	} {
		_, err := Unify(c.schemas, ByName)
		var e *errs.Error
		if !errors.As(err, &e) || e.Kind != errs.ErrSchema || e.Column != c.column {
			t.Errorf("%v: %v", c.schemas, err)
			continue
		}
		for _, w := range c.text {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q does not say %q", err, w)
			}
		}
	}
}

// What the files contradict each other in is dropped: a length of text that holds for some is no property of all. What only one
// says stays.
func TestUnifyMetadata(t *testing.T) {
	md := func(kv ...string) arrow.Metadata {
		m := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return arrow.MetadataFrom(m)
	}
	schema := func(meta, field arrow.Metadata) *arrow.Schema {
		f := opt("a", tStr)
		f.Metadata = field
		return arrow.NewSchema([]arrow.Field{f}, &meta)
	}
	a := schema(md("k", "1", "only", "x", "same", "y"), md("orc.type", "varchar(10)", "id", "7"))
	b := schema(md("k", "2", "same", "y", "new", "z"), md("orc.type", "varchar(20)", "id", "7"))
	got, err := Unify([]*arrow.Schema{a, b}, ByName)
	if err != nil {
		t.Fatal(err)
	}
	if m := got.Metadata(); !m.Equal(md("only", "x", "same", "y", "new", "z")) {
		t.Errorf("schema: %v", m)
	}
	if m := got.Field(0).Metadata; !m.Equal(md("id", "7")) {
		t.Errorf("column: %v", m)
	}
}
