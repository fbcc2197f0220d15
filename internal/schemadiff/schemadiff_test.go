package schemadiff

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

func TestFields(t *testing.T) {
	md := arrow.NewMetadata([]string{"unit"}, []string{"cm"})
	i32, i64 := arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64
	want := []arrow.Field{
		{Name: "same", Type: i32},
		{Name: "a", Type: i32, Nullable: true, Metadata: md},
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "x", Type: i32})},
		{Name: "gone", Type: i32},
	}
	back := []arrow.Field{
		{Name: "same", Type: i32, Metadata: md}, // more metadata loses nothing
		{Name: "b", Type: i64},
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "x", Type: i64})},
	}
	type found struct {
		path   string
		aspect Aspect
	}
	var got []found
	for _, d := range Fields(want, back) {
		got = append(got, found{d.Path, d.Aspect})
	}
	for _, w := range []found{{"a", Name}, {"a", Nullable}, {"a", Metadata}, {"a", Type}, {"s.x", Type}, {"gone", Type}} {
		n := 0
		for _, g := range got {
			if g == w {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%v is told %d times in %v", w, n, got)
		}
	}
	if len(got) != 6 {
		t.Errorf("%v", got)
	}
}
