package salvage

import (
	"errors"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

func TestSegments(t *testing.T) {
	bad := func(start, end int64, column int, place string) Damage {
		return Damage{Rows: arrowio.RowRange{Start: start, End: end}, Column: column, Place: place, Reason: errors.New("x")}
	}
	type want struct {
		start, end int64
		columns    []int
	}
	for name, c := range map[string]struct {
		damage []Damage
		want   []want
	}{
		"none":          {nil, []want{{0, 100, nil}}},
		"one":           {[]Damage{bad(10, 20, 1, "")}, []want{{0, 10, nil}, {10, 20, []int{1}}, {20, 100, nil}}},
		"all columns":   {[]Damage{bad(0, 100, All, "")}, []want{{0, 100, []int{0, 1, 2}}}},
		"overlapping":   {[]Damage{bad(10, 30, 2, ""), bad(20, 40, 0, "")}, []want{{0, 10, nil}, {10, 20, []int{2}}, {20, 30, []int{0, 2}}, {30, 40, []int{0}}, {40, 100, nil}}},
		"side by side":  {[]Damage{bad(20, 30, 1, "a"), bad(10, 20, 1, "a")}, []want{{0, 10, nil}, {10, 30, []int{1}}, {30, 100, nil}}},
		"other places":  {[]Damage{bad(10, 20, 1, "a"), bad(20, 30, 1, "b")}, []want{{0, 10, nil}, {10, 20, []int{1}}, {20, 30, []int{1}}, {30, 100, nil}}},
		"twice":         {[]Damage{bad(10, 20, 1, ""), bad(10, 20, 1, "")}, []want{{0, 10, nil}, {10, 20, []int{1}}, {20, 100, nil}}},
		"to the end":    {[]Damage{bad(90, 100, 0, "")}, []want{{0, 90, nil}, {90, 100, []int{0}}}},
		"of no rows":    {[]Damage{bad(50, 50, 0, "")}, []want{{0, 100, nil}}},
		"one in others": {[]Damage{bad(0, 100, 0, ""), bad(40, 60, 1, "")}, []want{{0, 40, []int{0}}, {40, 60, []int{0, 1}}, {60, 100, []int{0}}}},
	} {
		got := segments(100, 3, c.damage)
		same := slices.EqualFunc(got, c.want, func(s segment, w want) bool {
			return s.rows == arrowio.RowRange{Start: w.start, End: w.end} && slices.Equal(s.columns, w.columns) && s.damaged() == (w.columns != nil)
		})
		if !same {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Mode{"": Off, "rows": Rows, "columns": Columns} {
		if m, err := Parse(text); m != want || err != nil {
			t.Errorf("%q: %v, %v", text, m, err)
		}
	}
	if _, err := Parse("guess"); !errors.Is(err, errs.ErrOption) {
		t.Errorf("%v", err)
	}
}

// Errors about damage name the option, unless they name another.
func TestHint(t *testing.T) {
	hinted := Hint(errs.Errorf(errs.ErrCorrupt, "bad bytes"))
	if hinted.Error() != "bad bytes; --salvage=rows reads what is intact and reports the rest" || !errors.Is(hinted, errs.ErrCorrupt) {
		t.Error(hinted)
	}
	for _, err := range []error{
		errs.Errorf(errs.ErrLimit, "too large"), errors.New("disk"), errs.Errorf(errs.ErrCorrupt, "try %w", errs.Opt("x", "")),
	} {
		if got := Hint(err); got != err { //nolint:errorlint // the same one
			t.Errorf("%v became %v", err, got)
		}
	}
}
