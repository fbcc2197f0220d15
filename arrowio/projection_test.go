package arrowio

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func TestProject(t *testing.T) {
	i32, str := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	xy := arrow.StructOf(arrow.Field{Name: "x", Type: i32}, arrow.Field{Name: "y", Type: str, Nullable: true})
	md := arrow.NewMetadata([]string{"k"}, []string{"v"})
	s := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: i32, Metadata: md},
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "p", Type: i32}, arrow.Field{Name: "q", Type: xy, Nullable: true}, arrow.Field{Name: "r", Type: str}), Nullable: true, Metadata: md},
		{Name: "l", Type: arrow.ListOf(xy)},
		{Name: "m", Type: arrow.MapOf(str, xy)},
		{Name: "f", Type: arrow.FixedSizeListOf(3, xy)},
	}, &md)
	for _, c := range []struct {
		columns []string
		schema  string // of the fields, in short
		fields  string
	}{
		{nil, "a s l m f", "[{0 []} {1 []} {2 []} {3 []} {4 []}]"},
		{[]string{}, "", "[]"},
		{[]string{"l", "a"}, "l a", "[{2 []} {0 []}]"},
		{[]string{"a", "a"}, "a", "[{0 []}]"},
		{[]string{"s.r", "a", "s.p"}, "s{p r} a", "[{1 [{0 []} {2 []}]} {0 []}]"},
		{[]string{"s.q.y"}, "s{q{y}}", "[{1 [{1 [{1 []}]}]}]"},
		{[]string{"s.q.y", "s.q"}, "s{q}", "[{1 [{1 []}]}]"},
		{[]string{"s.p", "s"}, "s", "[{1 []}]"},
		{[]string{"l.x"}, "l[{x}]", "[{2 [{0 []}]}]"},
		{[]string{"f.y"}, "f[{y}]", "[{4 [{1 []}]}]"},
		{[]string{"m.y"}, "m<{y}>", "[{3 [{1 []}]}]"},
	} {
		p, err := Project(s, c.columns)
		if err != nil {
			t.Errorf("%v: %v", c.columns, err)
			continue
		}
		var names []string
		for i, f := range p.Schema.Fields() {
			o := s.Field(p.Fields[i].Index)
			if f.Name != o.Name || f.Nullable != o.Nullable || !f.Metadata.Equal(o.Metadata) {
				t.Errorf("%v: field %v was %v", c.columns, f, o)
			}
			names = append(names, f.Name+inShort(o.Type, f.Type))
		}
		if got := strings.Join(names, " "); got != c.schema {
			t.Errorf("%v: schema %s, want %s", c.columns, got, c.schema)
		}
		if got := fmt.Sprint(p.Fields); got != c.fields {
			t.Errorf("%v: fields %s, want %s", c.columns, got, c.fields)
		}
		if m := p.Schema.Metadata(); !m.Equal(md) {
			t.Errorf("%v: metadata %v", c.columns, p.Schema.Metadata())
		}
		for i, k := range p.Columns() {
			if k != p.Fields[i].Index {
				t.Errorf("%v: columns %v", c.columns, p.Columns())
			}
		}
	}
	for _, c := range []string{"b", "s.z", "a.b", ""} {
		if _, err := Project(s, []string{c}); !errors.Is(err, errs.ErrSchema) {
			t.Errorf("%q: %v", c, err)
		}
	}
}

// inShort shows what is left of a type: nothing where all of it is.
func inShort(whole, part arrow.DataType) string {
	if arrow.TypeEqual(whole, part) {
		return ""
	}
	switch p := part.(type) {
	case *arrow.StructType:
		var names []string
		for _, f := range p.Fields() {
			o, _ := whole.(*arrow.StructType).FieldByName(f.Name)
			names = append(names, f.Name+inShort(o.Type, f.Type))
		}
		return "{" + strings.Join(names, " ") + "}"
	case *arrow.MapType:
		return "<" + inShort(whole.(*arrow.MapType).ItemType(), p.ItemType()) + ">"
	case arrow.ListLikeType:
		return "[" + inShort(whole.(arrow.ListLikeType).Elem(), p.Elem()) + "]"
	}
	return "?"
}

// GeoParquet's metadata describe the columns that are left, and nothing else.
func TestProjectGeoParquet(t *testing.T) {
	box := arrow.StructOf(arrow.Field{Name: "xmin", Type: arrow.PrimitiveTypes.Float64})
	md := arrow.NewMetadata([]string{"geo", "k"}, []string{`{"columns":{"g":{"covering":{"bbox":{"xmin":["box","xmin"]}}},"h":{}},"primary_column":"g"}`, "v"})
	s := arrow.NewSchema([]arrow.Field{{Name: "g", Type: arrow.BinaryTypes.Binary}, {Name: "h", Type: arrow.BinaryTypes.Binary}, {Name: "box", Type: box}}, &md)
	for _, c := range []struct {
		columns []string
		want    string
	}{
		{nil, md.Values()[0]},
		{[]string{"h", "box", "g"}, md.Values()[0]},
		{[]string{"h"}, `{"columns":{"h":{}},"primary_column":"h"}`},
		{[]string{"g", "box.xmin"}, `{"columns":{"g":{}},"primary_column":"g"}`},
		{[]string{"g"}, `{"columns":{"g":{}},"primary_column":"g"}`},
		{[]string{"box"}, ""},
	} {
		p, err := Project(s, c.columns)
		if err != nil {
			t.Fatal(err)
		}
		left := p.Schema.Metadata()
		if got, _ := left.GetValue("geo"); got != c.want || left.FindKey("k") < 0 {
			t.Errorf("%q: %s", c.columns, left)
		}
	}
}
