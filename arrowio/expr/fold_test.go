package expr_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/expr"
)

func TestResolveFold(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{
		field("Price", i64), // 0
		field("Place", arrow.StructOf(field("City", i64), field("x", i64), field("X", i64))), // 1
		field("größe", i64),                // 2
		field("ID", i64), field("Id", i64), // 3, 4
		field("tags", arrow.ListOf(arrow.StructOf(field("Name", i64)))), // 5
		field("A.B", i64), // 6
		field("a", arrow.StructOf(field("b", i64))), // 7
		field("A", arrow.StructOf(field("c", i64))), // 8
	}, nil)
	for _, c := range []struct {
		path string
		want []int
		err  string
	}{
		{"Price", []int{0}, ""},
		{"PRICE", []int{0}, ""},
		{"place.city", []int{1, 0}, ""},
		{"PLACE.x", []int{1, 1}, ""},
		{"place.X", []int{1, 2}, ""},
		{"GRÖSSE", nil, `no field "GRÖSSE"`}, // simple folding: ß is one character
		{"GRÖẞE", []int{2}, ""},
		{"ID", []int{3}, ""},
		{"id", nil, `several names differ from it in case only: "ID", "Id"`},
		{`"price"`, nil, `no field "price"`},
		{`"Price"`, []int{0}, ""},
		{"TAGS.name", []int{5, 0}, ""},
		{"a.b", []int{7, 0}, ""},
		{`"A.b"`, nil, "no field"},
		{"A.C", []int{8, 0}, ""},
		{"a.c", nil, `no field "c" in a`}, // a is there as it is written
	} {
		got, err := expr.Resolve(s, c.path)
		switch {
		case c.err == "" && (err != nil || !slices.Equal(got, c.want)):
			t.Errorf("%s: %v %v, want %v", c.path, got, err, c.want)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %v %v, want an error with %q", c.path, got, err, c.err)
		}
		exact, err := expr.ResolveExact(s, c.path)
		if spelled := c.path != strings.ToUpper(c.path) && strings.Contains("Price ID \"Price\" a.b", c.path) || c.path == "ID"; spelled != (err == nil) {
			t.Errorf("%s exactly: %v %v", c.path, exact, err)
		}
	}
}

// What a filter says of its columns afterwards is spelled as in the schema: others look there to the case.
func TestBindSpells(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{
		field("Price", i64), field("Weird Name", arrow.StructOf(field("In", i64))), field("A.b", i64), field("A", arrow.StructOf(field("b", i64))),
	}, nil)
	for in, want := range map[string]string{
		"price > 1 AND Price < 5 OR NOT PRICE IN (7)": "Price > 1 AND Price < 5 OR Price NOT IN (7)",
		"Price = 1":                     "Price = 1",
		"price IS NULL":                 "Price IS NULL",
		`"Weird Name".in = 1`:           `"Weird Name".In = 1`,
		`"Weird Name"."In" = 1`:         `"Weird Name"."In" = 1`,
		"a.b = 1":                       `"A.b" = 1`,
		`"A".B = 1`:                     `"A"."b" = 1`,
		"price LIKE 'x' AND weird = 1 ": "",
	} {
		e, err := expr.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		b, err := expr.Bind(e, s)
		if want == "" {
			if err == nil {
				t.Errorf("%s: no error", in)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := b.String(); got != want {
			t.Errorf("%s is spelled %s, want %s", in, got, want)
		}
		for _, c := range b.Columns() {
			if _, err := expr.ResolveExact(s, c); err != nil {
				t.Errorf("%s: %v", in, err)
			}
		}
	}
}
