package orcwire

import (
	"os"
	"reflect"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// manyOptions are ways to read a file, which lead back to the same types.
var manyOptions = []ArrowOptions{
	nanos,
	{StringsAsBinary: true, NullKeysAsList: true, TimestampUnit: arrow.Second},
	{Dictionary: true},
	{Dictionary: true, StringsAsBinary: true, NullKeysAsList: true, TimestampUnit: arrow.Microsecond},
}

// What Schema makes of the types of real files, TypesFromArrow turns back, and by default nothing is lost.
func TestTypesOfFiles(t *testing.T) {
	orcFiles(t, "../../testdata/orc", func(t *testing.T, path string) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) == 0 {
			return
		}
		end := len(b) - 1 - int(b[len(b)-1])
		ps, err := ParsePostScript(b[end : len(b)-1])
		if err != nil {
			t.Fatal(err)
		}
		checkTypes(t, mustFooter(t, unpackMessage(t, ps, b[end-int(ps.FooterLength):end])), errs.Limits{})
	})
}

// checkTypes maps the types of a footer to Arrow and back.
func checkTypes(t *testing.T, f *Footer, lim errs.Limits) {
	t.Helper()
	for _, o := range manyOptions {
		s, err := Schema(f, o)
		if err != nil {
			continue // names that are not UTF-8, unions that Arrow has not
		}
		types, columns, kvs, err := TypesFromArrow(s, OutOptions{Limits: lim})
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		if len(types) != len(f.Types) || !reflect.DeepEqual(kvs, f.Metadata) {
			t.Fatalf("%+v: %d types, %q; want %d, %q", o, len(types), kvs, len(f.Types), f.Metadata)
		}
		for i := range types {
			want := told(f.Types[i])
			got := told(types[i])
			if !reflect.DeepEqual(got, want) || types[i].Path() != f.Types[i].Path() {
				t.Fatalf("%+v: type %d is %+v, want %+v", o, i, got, want)
			}
		}
		first := 0
		if types[0].Kind == Struct {
			first = 1
		}
		if len(columns) != len(types)-first {
			t.Fatalf("%d columns for %d types", len(columns), len(types))
		}
		for i, c := range columns {
			if typ := types[i+first]; c.ID != typ.ID || c.Path != typ.Path() || c.Refusal != "" {
				t.Fatalf("column %d of type %s: %+v", i, typ, c)
			}
			if reflect.DeepEqual(o, nanos) && c.Loss != "" && types[i+first].Path() != "" && lim.Columns == 0 {
				t.Errorf("%+v", c)
			}
		}
	}
}

// told returns of a type what a schema tells, without pointers.
func told(t *Type) Type {
	x := *t
	x.Parent, x.Children = nil, nil
	if t.Kind != Varchar && t.Kind != Char {
		x.MaxLength = 0
	}
	if t.Kind == Decimal {
		p, s := t.DecimalType()
		x.Precision, x.Scale = uint32(p), uint32(s)
	} else {
		x.Precision, x.Scale = 0, 0
	}
	x.CRS = ""
	switch t.Kind {
	case Geography:
		x.CRS = t.crs()
	case Geometry:
		x.CRS, x.EdgeAlgorithm = t.crs(), 0
	default:
		x.EdgeAlgorithm = 0
	}
	return x
}

// FuzzTypesFromArrow: whatever types a footer has, their schema leads back to them.
func FuzzTypesFromArrow(f *testing.F) {
	f.Add([]byte(realFooter))
	f.Add([]byte(treeOf()))
	f.Add([]byte(encryptedFooter()))
	f.Add([]byte(footerOf(typeMsg(List, 1), typeMsg(Varchar).Uint(4, 9).Bytes(7, attribute("type", "x")).Bytes(7, attribute("iceberg.id", "7")))))
	f.Add([]byte(footerOf(names(typeMsg(Struct, 1).Bytes(7, attribute("k", "v")), "m"), typeMsg(Map, 2, 3), typeMsg(Decimal), typeMsg(Geography).Text(8, "a,(b").Uint(9, 4))))
	f.Add([]byte(footerOf(names(typeMsg(Struct, 1), "u"), typeMsg(Union, 2, 3), typeMsg(TimestampInstant), typeMsg(Char).Uint(4, 1))))
	f.Fuzz(func(t *testing.T, b []byte) {
		foot, err := ParseFooter(b, fuzzMetaLimits)
		if err != nil {
			return
		}
		for _, typ := range foot.Types {
			if typ.MaxLength > 1<<31-1 { // Java's numbers end there: not kept, but told
				typ.MaxLength = 1<<31 - 1
			}
		}
		checkTypes(t, foot, fuzzMetaLimits)
	})
}
