package sql

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/sqltext"
)

// Values without text of their own, such as durations, stand beside parameters.
func TestParameterTypesBesideDurations(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "d", Type: arrow.FixedWidthTypes.Duration_us, Nullable: true},
		{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.FixedWidthTypes.Duration_us), Nullable: true},
	}, nil)
	for _, where := range []string{
		"d = DURATION '5us' AND n = ?", "d IN (DURATION '5us', DURATION '6us') AND n > ?", "contains(l, DURATION '5us') AND n < ?", "d = ? ",
	} {
		sel, err := sqltext.Parse("SELECT n FROM t WHERE " + where)
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		types, err := parameterTypes(sel, s)
		want := arrow.PrimitiveTypes.Int64
		if where == "d = ? " {
			want = s.Field(0).Type
		}
		if err != nil || len(types) != 1 || !arrow.TypeEqual(types[0], want) {
			t.Errorf("%s: %v, %v", where, types, err)
		}
	}
}
