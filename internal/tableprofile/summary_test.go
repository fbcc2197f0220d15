package tableprofile_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/tableprofile"
)

// What several files say is joined, and is not known where one of them does not say it.
func TestSummaries(t *testing.T) {
	number := func(v int64) scalar.Scalar { return scalar.NewInt64Scalar(v) }
	a := expr.Summary{Nulls: 1, Min: number(-3), Max: number(5), Sum: big.NewInt(2)} // of 3 rows each
	b := expr.Summary{Nulls: 0, Min: number(4), Max: number(9), Sum: big.NewInt(18)}
	nulls := expr.Summary{Nulls: 3}
	for _, c := range []struct {
		files []expr.Summary
		want  string
	}{
		{nil, "c: rows 0 nulls 0 distinct 0"},
		{[]expr.Summary{a}, "c: rows 3 nulls 1 min -3 max 5 mean 1"},
		{[]expr.Summary{a, b}, "c: rows 6 nulls 1 min -3 max 9 mean 4"},
		{[]expr.Summary{nulls, b, nulls}, "c: rows 9 nulls 6 min 4 max 9 mean 6"},
		{[]expr.Summary{nulls}, "c: rows 3 nulls 3 distinct 0"},
		{[]expr.Summary{a, {Nulls: -1}}, "c: rows 6"},
		{[]expr.Summary{a, {Nulls: 4, Min: number(0), Max: number(1)}}, "c: rows 6"}, // more nulls than rows
		{[]expr.Summary{a, {Nulls: -1, Min: number(0), Max: number(7)}}, "c: rows 6 min -3 max 7"},
		{[]expr.Summary{a, {Nulls: 0, Min: number(0)}}, "c: rows 6 nulls 1"},
		{[]expr.Summary{{Nulls: 0, Min: scalar.NewInt32Scalar(1), Max: scalar.NewInt32Scalar(2)}}, "c: rows 3 nulls 0"}, // of another type
	} {
		s := tableprofile.NewSummaries(arrow.NewSchema([]arrow.Field{{Name: "c", Type: arrow.PrimitiveTypes.Int64}}, nil))
		for _, f := range c.files {
			if err := s.Add(3, func(string, arrow.DataType) (expr.Summary, error) { return f, nil }); err != nil {
				t.Fatal(err)
			}
		}
		p, err := s.Profile()
		if err != nil {
			t.Fatal(err)
		}
		if got := line(&p.Columns[0]); got != c.want || p.Scanned {
			t.Errorf("%s, want %s", got, c.want)
		}
		if len(c.files) > 0 && s.Add(math.MaxInt64, nil) == nil {
			t.Error("too many rows")
		}
	}
}
