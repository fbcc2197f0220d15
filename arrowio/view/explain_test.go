package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/view"
)

// Every field is explained once, and a file is taken exactly where Show takes it.
func TestExplainAdapt(t *testing.T) {
	i32, i64, text := arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String
	field := func(name string, typ arrow.DataType, nullable bool, md ...string) arrow.Field {
		f := arrow.Field{Name: name, Type: typ, Nullable: nullable}
		if len(md) > 0 {
			f.Metadata = arrow.NewMetadata(md[:1], md[1:])
		}
		return f
	}
	file := []arrow.Field{
		field("a", i32, true), field("b", text, true), field("c", i32, false),
		field("s", arrow.StructOf(field("x", i32, true), field("y", i32, true)), true), field("l", arrow.ListOf(i32), true), field("extra", i32, true),
	}
	halve := func(from, to arrow.Field) view.Casting {
		if from.Type.ID() != arrow.STRING || to.Type.ID() != arrow.INT64 {
			return nil
		}
		return func(arrow.ArrayData, memory.Allocator) (arrow.ArrayData, error) { panic("nothing is read here") }
	}
	for _, c := range []struct {
		to   []arrow.Field
		o    view.Options
		ok   bool
		want string
	}{
		{file[:3], view.Options{}, true, "a<a as it is, b<b as it is, c<c as it is, <s left out, <l left out, <extra left out"},
		{[]arrow.Field{field("a", i64, true), field("n", text, true), field("d", i64, false, view.MetaDefault, "7")}, view.Options{}, true, "a<a widened, n< null, d< default, <b left out, <c left out, <s left out, <l left out, <extra left out"},
		{[]arrow.Field{field("b", i64, true)}, view.Options{}, false, "b<b refused, <a left out, <c left out, <s left out, <l left out, <extra left out"},
		{[]arrow.Field{field("b", i64, true)}, view.Options{Cast: halve}, true, "b<b cast, <a left out, <c left out, <s left out, <l left out, <extra left out"},
		{[]arrow.Field{field("a", i32, false), field("n", i32, false)}, view.Options{}, false, "a<a refused, n< refused, <b left out, <c left out, <s left out, <l left out, <extra left out"},
		{
			[]arrow.Field{field("s", arrow.StructOf(field("y", i64, true), field("z", text, true)), true), field("l", arrow.ListOf(i64), true)},
			view.Options{},
			true,
			"s<s inside, s.y<s.y widened, s.z< null, <s.x left out, l<l inside, <a left out, <b left out, <c left out, <extra left out",
		},
		{[]arrow.Field{field("s", arrow.StructOf(field("y", text, true)), true)}, view.Options{}, false, "s<s inside, s.y<s.y refused, <s.x left out, <a left out, <b left out, <c left out, <l left out, <extra left out"},
		{[]arrow.Field{field("l", arrow.ListOf(text), true)}, view.Options{}, false, "l<l refused, <a left out, <b left out, <c left out, <s left out, <extra left out"},
		{[]arrow.Field{field("A", i32, true)}, view.Options{Match: view.ByNameFold}, true, "A<a as it is, <b left out, <c left out, <s left out, <l left out, <extra left out"},
		{[]arrow.Field{field("z", i64, true)}, view.Options{Match: view.ByPosition}, true, "z<a widened, <b left out, <c left out, <s left out, <l left out, <extra left out"},
		{[]arrow.Field{field("z", i64, true)}, view.Options{Columns: []int{2}}, true, "z<c widened, <a left out, <b left out, <s left out, <l left out, <extra left out"},
	} {
		to := arrow.NewSchema(c.to, nil)
		fields, ok, err := view.Explain(arrow.NewSchema(file, nil), to, c.o)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range fields {
			got = append(got, fmt.Sprintf("%s<%s %s", f.Path, f.From, f.How))
			if (f.Path == "") != (f.Type == "") || (f.From == "") != (f.Stored == "") || f.How == view.ShownImpossible && f.Why == "" {
				t.Errorf("%+v", f)
			}
		}
		if s := strings.Join(got, ", "); s != c.want || ok != c.ok {
			t.Errorf("%v: %v\n got %s\nwant %s", to, ok, s, c.want)
		}
		if _, err := view.Show(&schemaOnly{s: arrow.NewSchema(file, nil)}, to, c.o); (err == nil) != c.ok {
			t.Errorf("%v: Show: %v", to, err)
		}
	}
	twice := arrow.NewSchema([]arrow.Field{file[0], file[0]}, nil)
	if _, _, err := view.Explain(twice, arrow.NewSchema(file[:1], nil), view.Options{}); err == nil {
		t.Error("two columns of one name")
	}
}

// schemaOnly is a file that is not read.
type schemaOnly struct {
	arrowio.File
	s *arrow.Schema
}

func (f *schemaOnly) Schema() *arrow.Schema { return f.s }
