package view

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// ext returns a field of an extension type that is not registered.
func ext(name string, t arrow.DataType, of, data string) arrow.Field {
	f := opt(name, t)
	if of != "" {
		f.Metadata = arrow.NewMetadata([]string{schemadiff.ExtensionName, schemadiff.ExtensionMetadata}, []string{of, data})
	}
	return f
}

// Geometries of other reference systems are not one column, however the reference systems are written.
func TestUnifyGeometries(t *testing.T) {
	const (
		utm     = `{"crs":"EPSG:25832","crs_type":"authority_code"}`
		utmJSON = `{"crs":{"name":"UTM 32N","id":{"authority":"EPSG","code":25832}}}`
		crs84   = `{"crs":"OGC:CRS84"}`
		sphere  = `{"crs":"OGC:CRS84","edges":"spherical"}`
		unknown = `{}`
	)
	for _, c := range []struct{ a, b, text string }{ // "" = one column, with the metadata of a
		{utm, utm, ""},
		{utm, utmJSON, ""},
		{utm, crs84, "its coordinate reference system is OGC:CRS84 here and EPSG:25832 in schema 0"},
		{crs84, utmJSON, "its coordinate reference system is EPSG:25832 here and OGC:CRS84 in schema 0"},
		{crs84, sphere, "its edges are spherical here and planar in schema 0"},
		{unknown, unknown, ""},
		{unknown, "", ""},
	} {
		for _, deep := range []bool{false, true} {
			field := func(of, data string) arrow.Field {
				f := ext("g", tBin, of, data)
				if deep {
					f = opt("s", arrow.ListOf(arrow.StructOf(f)))
				}
				return f
			}
			got, err := Unify([]*arrow.Schema{schemaOf(field("geoarrow.wkb", c.a)), schemaOf(field("geoarrow.wkb", c.b))}, ByName)
			if c.text == "" {
				if err != nil || !schemadiff.SameMetadata(got, schemaOf(field("geoarrow.wkb", c.a))) {
					t.Errorf("%s and %s: %v, %v", c.a, c.b, got, err)
				}
				continue
			}
			var e *errs.Error
			path := "g"
			if deep {
				path = "s.item.g"
			}
			if !errors.As(err, &e) || e.Kind != errs.ErrSchema || e.Column != path || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), "--exclude") {
				t.Errorf("%s and %s: %v", c.a, c.b, err)
			}
		}
	}
}

// An extension type that not all have alike is none of the column that they become, and no part of it stays.
func TestUnifyExtensions(t *testing.T) {
	uuid := &arrow.FixedSizeBinaryType{ByteWidth: 16}
	for _, c := range []struct{ a, b, want arrow.Field }{
		{ext("c", uuid, "arrow.uuid", ""), ext("c", uuid, "", ""), opt("c", uuid)},
		{ext("c", uuid, "", ""), ext("c", uuid, "arrow.uuid", ""), opt("c", uuid)},
		{ext("c", tStr, "x", `{"a":1}`), ext("c", tStr, "x", `{"a":2}`), opt("c", tStr)},
		{ext("c", tStr, "x", `{"a":1}`), ext("c", tStr, "x", ` {"a": 1}`), ext("c", tStr, "x", `{"a":1}`)},
		{ext("c", tStr, "x", ``), ext("c", tStr, "x", `{}`), ext("c", tStr, "x", ``)},
		{ext("c", tBin, "geoarrow.wkb", `{}`), ext("c", tBin, "geoarrow.wkb", `{"crs":"EPSG:25832"}`), opt("c", tBin)},
		{ext("c", tStr, "arrow.json", ""), ext("c", arrow.BinaryTypes.LargeString, "arrow.json", ""), ext("c", arrow.BinaryTypes.LargeString, "arrow.json", "")},
		{opt("c", arrow.Null), ext("c", tStr, "arrow.json", ""), ext("c", tStr, "arrow.json", "")},
		{ext("c", tStr, "arrow.json", ""), opt("c", arrow.Null), ext("c", tStr, "arrow.json", "")},
	} {
		got, err := Unify([]*arrow.Schema{schemaOf(c.a), schemaOf(c.b)}, ByName)
		if err != nil {
			t.Errorf("%v and %v: %v", c.a, c.b, err)
			continue
		}
		if f := got.Field(0); extensionOf(f) != extensionOf(c.want) || !arrow.TypeEqual(f.Type, c.want.Type) {
			t.Errorf("%v and %v: %v", c.a, c.b, f)
		}
	}
}

// The error about types that do not fit names the extension types.
func TestExtensionTypesInErrors(t *testing.T) {
	_, err := Unify([]*arrow.Schema{schemaOf(ext("c", tI8, "arrow.bool8", "")), schemaOf(opt("c", arrow.FixedWidthTypes.Boolean))}, ByName)
	if err == nil || !strings.Contains(err.Error(), "it is bool here and int8 of the extension type arrow.bool8 in schema 0") {
		t.Error(err)
	}
}

// word is an extension type that programs register.
type word struct {
	arrow.ExtensionBase
	data string
}

func (*word) ArrayType() reflect.Type { return reflect.TypeFor[wordArray]() }
func (*word) ExtensionName() string   { return "word" }
func (w *word) String() string        { return "extension<word>" }
func (w *word) Serialize() string     { return w.data }
func (w *word) ExtensionEquals(o arrow.ExtensionType) bool {
	x, ok := o.(*word)
	return ok && x.data == w.data && arrow.TypeEqual(x.Storage, w.Storage)
}

func (w *word) Deserialize(storage arrow.DataType, data string) (arrow.ExtensionType, error) {
	return &word{arrow.ExtensionBase{Storage: storage}, data}, nil
}

type wordArray struct{ array.ExtensionArrayBase }

// Values of a registered extension type are read as what they are stored as where another file has them as that.
func TestRegisteredExtensions(t *testing.T) {
	for _, c := range []struct{ a, b, want arrow.DataType }{
		{tStr, tStr, tStr},
		{tI8, tI32, tI32},
		{arrow.ListOf(tI8), arrow.ListOf(tI16), arrow.ListOf(tI16)},
	} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		defer mem.AssertSize(t, 0)
		w := &word{arrow.ExtensionBase{Storage: c.a}, ""}
		got, clash := joinTwo(w, c.b)
		if clash != nil || !arrow.TypeEqual(got, c.want) {
			t.Fatalf("%s and %s: %v, %v", w, c.b, got, clash)
		}
		back, err := (rules{}).conversionOfType(opt("x", w), opt("x", got), "x")
		if err != nil {
			t.Fatal(err)
		}
		b := array.NewBuilder(mem, c.a)
		defer b.Release()
		b.AppendEmptyValue()
		b.AppendNull()
		stored := b.NewArray()
		defer stored.Release()
		from := array.NewExtensionArrayWithStorage(w, stored)
		defer from.Release()
		d, err := back(from.Data(), &scope{}, mem)
		if err != nil {
			t.Fatal(err)
		}
		shown := array.MakeFromData(d)
		d.Release()
		if shown.DataType().ID() != c.want.ID() || shown.Len() != 2 || shown.ValueStr(0) != stored.ValueStr(0) || !shown.IsNull(1) {
			t.Errorf("%s: %v", w, shown)
		}
		shown.Release()
	}
}
