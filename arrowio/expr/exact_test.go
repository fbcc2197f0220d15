package expr

import (
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

// A filter that was made exact under some columns reads the same ones where there are more, whatever those are called.
func TestExact(t *testing.T) {
	field := func(name string, t arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: true}
	}
	str, i64 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64
	few := arrow.NewSchema([]arrow.Field{
		field("place", arrow.StructOf(field("city", str))), field("Id", i64), field("q\"", i64), field("tags", arrow.ListOf(arrow.StructOf(field("Name", str)))),
	}, nil)
	many := arrow.NewSchema([]arrow.Field{
		field("place.city", str), field("secret", i64), field("\"place\".\"city\"x", str),
		field("tags", arrow.ListOf(arrow.StructOf(field("other", str), field("Name", str)))),
		field("q\"", i64), field("place", arrow.StructOf(field("zip", str), field("city", str))), field("Id", i64),
	}, nil)
	for text, want := range map[string][]string{
		"place.city = 'x'":                        {`"place"."city"`},
		"PLACE.City LIKE 'x%'":                    {`"place"."city"`},
		"id > 3 AND NOT Id IN (4, 5)":             {`"Id"`},
		"`q\"` = 1":                               {`"q"""`},
		"id < `q\"` OR id IS NULL":                {`"Id"`, `"q"""`},
		"tags[1].name = 'x' AND tags IS NOT NULL": {`"tags"`},
	} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		x, err := Exact(e, few)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		again, err := Parse(x.String())
		if err != nil || again.String() != x.String() {
			t.Errorf("%s becomes %s: %v", text, x, err)
		}
		b, err := Bind(x, many)
		if err != nil {
			t.Errorf("%s: %v", x, err)
			continue
		}
		if got := b.Columns(); !slices.Equal(got, want) {
			t.Errorf("%s reads %q, want %q", text, got, want)
		}
		for _, path := range b.Columns() {
			if ids, err := ResolveExact(many, path); err != nil || many.Field(ids[0]).Name == "place.city" {
				t.Errorf("%s: %v, %v", path, ids, err)
			}
		}
	}
	for _, text := range []string{"secret = 1", "place.zip = 'x'", "tags[0].other = 'x'"} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if x, err := Exact(e, few); err == nil {
			t.Errorf("%s becomes %s", text, x)
		}
	}
	if got := ExactPath("a.b", "c\""); got != `"a.b"."c"""` {
		t.Error(got)
	}
}
