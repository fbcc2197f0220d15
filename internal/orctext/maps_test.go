package orctext

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

func TestOrdered(t *testing.T) {
	m := arrow.MapOf(arrow.BinaryTypes.String, arrow.ListOf(arrow.MapOf(arrow.PrimitiveTypes.Int32, arrow.FixedWidthTypes.Boolean)))
	fields := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "m", Type: m}}
	for line, want := range map[string]string{
		`[1,null]`:                          `[1,null]`,
		`[1,[["b",[]],["a",[[[2,true]]]]]]`: `[1,[["a",[[[2,true]]]],["b",[]]]]`,
		`[1,[["a",[]],["a",[[[2,true],[1,null],[2,false]]]]]]`: `[1,[["a",[[[1,null],[2,false]]]]]]`,
	} {
		if got := Ordered(line, fields); got != want {
			t.Errorf("%s is %s, not %s", line, got, want)
		}
	}
}
