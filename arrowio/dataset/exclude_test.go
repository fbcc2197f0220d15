package dataset

import (
	"errors"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

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

func TestExclude(t *testing.T) {
	i32, str := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	xy := arrow.StructOf(arrow.Field{Name: "x", Type: i32}, arrow.Field{Name: "y", Type: str})
	s := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: i32},
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "p", Type: i32}, arrow.Field{Name: "q", Type: xy})},
		{Name: "l", Type: arrow.ListOf(xy)},
		{Name: "m", Type: arrow.MapOf(str, xy)},
		{Name: "b.c", Type: i32},
		{Name: "select", Type: i32},
	}, nil)
	for _, c := range []struct {
		columns, excluded []string
		want              string // the projected schema, in short
	}{
		{nil, nil, "a s l m b.c select"},
		{nil, []string{"a"}, "s l m b.c select"},
		{nil, []string{"s", "m", "l", "b.c"}, "a select"},
		{nil, []string{"s.q.x", "a", "l.y"}, "s{p q{y}} l[{x}] m b.c select"},
		{nil, []string{"m.x", "s.q"}, "a s{p} l m<{y}> b.c select"},
		{nil, []string{"s.q.x", "s.q.y", "s.p"}, "a l m b.c select"},
		{nil, []string{"select", "s", "s.q"}, "a l m b.c"},
		{[]string{"b.c", "s", "a"}, []string{"s.p", "a", "l"}, "b.c s{q}"},
		{[]string{"s.q.x", "s.p"}, []string{"s.q"}, "s{p}"},
		{[]string{"a"}, []string{"a"}, ""},
	} {
		columns, err := Exclude(s, c.columns, c.excluded)
		if err != nil {
			t.Errorf("%v without %v: %v", c.columns, c.excluded, err)
			continue
		}
		p, err := arrowio.Project(s, columns)
		if err != nil {
			t.Errorf("%v without %v: %v: %v", c.columns, c.excluded, columns, err)
			continue
		}
		var names []string
		for i, f := range p.Schema.Fields() {
			names = append(names, f.Name+inShort(s.Field(p.Fields[i].Index).Type, f.Type))
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%v without %v: %s, want %s", c.columns, c.excluded, got, c.want)
		}
	}
	for _, bad := range []string{"z", "s.z", "a.x"} {
		if _, err := Exclude(s, nil, []string{bad}); !errors.Is(err, errs.ErrSchema) {
			t.Errorf("without %s: %v", bad, err)
		}
	}
}

// TestExcludeOfWideSchema: the cost of a column does not grow with the number of columns.
func TestExcludeOfWideSchema(t *testing.T) {
	fields := make([]arrow.Field, 5000)
	for i := range fields {
		fields[i] = arrow.Field{Name: "c" + strconv.Itoa(i), Type: arrow.PrimitiveTypes.Int64}
	}
	s := arrow.NewSchema(fields, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	left, err := Exclude(s, nil, []string{"c7"})
	runtime.ReadMemStats(&after)
	if err != nil || len(left) != len(fields)-1 {
		t.Fatalf("%d columns, %v", len(left), err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes allocated for %d columns", n, len(fields))
	}
}
