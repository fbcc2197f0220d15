package expr_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/race"
)

func field(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

var i64 = arrow.PrimitiveTypes.Int64

func resolveSchema() *arrow.Schema {
	inner := arrow.StructOf(field("x", i64), field("y.z", i64), field("value", i64))
	return arrow.NewSchema([]arrow.Field{
		field("id", i64), // 0
		field("s", arrow.StructOf(field("a", i64), field("b", inner), field("b.x", i64))), // 1
		field("s.a", i64),                                                                        // 2
		field("tags", arrow.ListOf(inner)),                                                       // 3
		field("big", arrow.LargeListOf(arrow.ListOf(inner))),                                     // 4
		field("three", arrow.FixedSizeListOf(3, i64)),                                            // 5
		field("m", arrow.MapOf(arrow.BinaryTypes.String, inner)),                                 // 6
		field("flatmap", arrow.MapOf(arrow.BinaryTypes.String, i64)),                             // 7
		field("u", arrow.DenseUnionOf([]arrow.Field{field("x", i64)}, []arrow.UnionTypeCode{0})), // 8
		field("dup", i64), field("dup", i64), // 9, 10
		field("list>x[]#", i64), // 11
		field("e", arrow.ListOfField(field("element", arrow.StructOf(field("item", i64), field("element", i64))))), // 12
		field(`q"t`, i64), // 13
		field("", i64),    // 14
		field("d", arrow.StructOf(field("x", i64), field("x", i64))), // 15
	}, nil)
}

func TestResolve(t *testing.T) {
	s := resolveSchema()
	for _, c := range []struct {
		path string
		want []int
	}{
		{"id", []int{0}},
		{"ID", []int{0}},
		{"s", []int{1}},
		{"s.a", []int{2}}, // the whole name first
		{`"s".a`, []int{1, 0}},
		{`"s.a"`, []int{2}},
		{"`s`.`a`", []int{1, 0}},
		{"s.b.x", []int{1, 2}}, // the longest name first
		{`s.b."x"`, []int{1, 1, 0}},
		{"s.b.y.z", []int{1, 1, 1}},
		{`s.b."y.z"`, []int{1, 1, 1}},
		{"tags.x", []int{3, 0}},
		{"tags.item.x", []int{3, 0}},
		{"tags.item", []int{3}},
		{"big.x", []int{4, 0}},
		{"big.item.item.y.z", []int{4, 1}},
		{"three.item", []int{5}},
		{"m.x", []int{6, 0}},
		{"m.value", []int{6, 2}}, // the struct's own field, not half of the map
		{"m.value.x", []int{6, 0}},
		{"list>x[]#", []int{11}},
		{`"list>x[]#"`, []int{11}},
		{"e.item", []int{12, 0}},
		{"e.element", []int{12, 1}},
		{"e.element.item", []int{12, 0}},
		{`q"t`, []int{13}},
		{`"q""t"`, []int{13}},
		{"", []int{14}},
		{`""`, []int{14}},
	} {
		got, err := expr.Resolve(s, c.path)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("Resolve(%q) = %v, %v; want %v", c.path, got, err, c.want)
		}
	}
	for _, c := range []struct{ path, say string }{
		{"idd", `close names: "id"`},
		{"nothing", `there are "id", "s", "s.a"`},
		{"s.nothing", `no field "nothing" in s; there are "a", "b", "b.x"`},
		{"s.b.nothing", `no field "nothing" in s.b; there are "x", "y.z", "value"`},
		{"id.x", "id is of type int64, which has no fields"},
		{"flatmap.value", "half of the map"},
		{"flatmap.key", "half of the map"},
		{"flatmap.x", "which has no fields"},
		{"m.key", "half of the map"},
		{"u.x", "u is a union, which cannot be entered"},
		{"dup", `"dup" is the name of several fields: there are 2; a list of columns chooses one by its number: `},
		{`"dup"`, `"dup" is the name of several fields: there are 2`},
		{"d.x", `"x" is the name of several fields: there are 2 in d`},
		{`"id`, "not closed"},
		{`"id"x`, "a dot or the end"},
		{strings.Repeat("a.", 300), "more than 256"},
	} {
		_, err := expr.Resolve(s, c.path)
		if err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("Resolve(%q): %v, want …%s…", c.path, err, c.say)
		}
	}
}

// Numbers choose columns whose names do not, unless a column is called so.
func TestResolveNumbers(t *testing.T) {
	f := func(name string, t arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: t} }
	s := arrow.NewSchema([]arrow.Field{f("a", i64), f("b", i64), f("b", arrow.StructOf(f("x", i64), f("y", i64))), f("#1", i64)}, nil)
	for path, want := range map[string][]int{"#2": {1}, "#3": {2}, "#3.y": {2, 1}, `#3."y"`: {2, 1}, "#1": {3}, "#4": {3}, `"#1"`: {3}} {
		if got, err := expr.Resolve(s, path); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	for _, path := range []string{"#0", "#5", "#-1", "#+1", "#02", "#", "#x", `"#2"`, "#3.z", "#2.x", "#99999999999999999999", "# 2"} {
		if got, err := expr.Resolve(s, path); err == nil {
			t.Errorf("%s: %v", path, got)
		}
	}
	if _, err := expr.ResolveExact(s, "#2"); err == nil {
		t.Error("a number says another thing of a part of the columns")
	}
	if _, err := expr.Resolve(s, "b.y"); err == nil || !strings.HasSuffix(err.Error(), "there are 2; a list of columns chooses one by its number: #2 or #3") {
		t.Error(err)
	}
}

// A path and a schema made to send backtracking everywhere must still be quick.
func TestResolveHostile(t *testing.T) {
	typ := i64
	for range 40 {
		var fields []arrow.Field
		for k := 1; k <= 12; k++ {
			fields = append(fields, field(strings.TrimSuffix(strings.Repeat("a.", k), "."), typ))
		}
		typ = arrow.StructOf(fields...)
	}
	s := arrow.NewSchema([]arrow.Field{field("r", typ)}, nil)
	start := fixtures.CPUTime()
	if _, err := expr.Resolve(s, "r."+strings.Repeat("a.", 200)+"z"); err == nil {
		t.Error("resolved")
	}
	limit := 5 * time.Second
	if race.Enabled {
		limit *= 6
	}
	if d := fixtures.CPUTime() - start; d > limit {
		t.Errorf("took %v", d)
	}
	many := make([]arrow.Field, 1000)
	for i := range many {
		many[i] = field(strings.Repeat("n", 10_000), i64)
	}
	if _, err := expr.Resolve(arrow.NewSchema(many, nil), "x"); err == nil || len(err.Error()) > 10_000 {
		t.Errorf("error of %d bytes", len(err.Error()))
	}
}

func TestQuote(t *testing.T) {
	s := resolveSchema()
	for _, c := range []struct {
		names []string
		want  string
		ids   []int
	}{
		{[]string{"id"}, "id", []int{0}},
		{[]string{"s.a"}, `"s.a"`, []int{2}},
		{[]string{"s", "b", "y.z"}, `s.b."y.z"`, []int{1, 1, 1}},
		{[]string{`q"t`}, `"q""t"`, []int{13}},
		{[]string{""}, `""`, []int{14}},
		{[]string{"and"}, `"and"`, nil},
	} {
		got := expr.Quote(c.names...)
		if got != c.want {
			t.Errorf("Quote(%q) = %s, want %s", c.names, got, c.want)
		}
		if c.ids == nil {
			continue
		}
		if ids, err := expr.Resolve(s, got); err != nil || !slices.Equal(ids, c.ids) {
			t.Errorf("Resolve(%s) = %v, %v", got, ids, err)
		}
	}
}
