package expr_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// Each set of outcomes is checked against every pair of its members under Kleene's tables, written out.
func TestTruth(t *testing.T) {
	const F, T, N = expr.CanBeFalse, expr.CanBeTrue, expr.CanBeNull
	outcomes := []expr.Truth{F, T, N}
	and := map[[2]expr.Truth]expr.Truth{
		{F, F}: F, {F, T}: F, {F, N}: F, {T, F}: F, {T, T}: T, {T, N}: N, {N, F}: F, {N, T}: N, {N, N}: N,
	}
	or := map[[2]expr.Truth]expr.Truth{
		{F, F}: F, {F, T}: T, {F, N}: N, {T, F}: T, {T, T}: T, {T, N}: T, {N, F}: N, {N, T}: T, {N, N}: N,
	}
	not := map[expr.Truth]expr.Truth{F: T, T: F, N: N}
	for a := expr.Truth(0); a <= expr.Unknown; a++ {
		var wantNot expr.Truth
		for _, x := range outcomes {
			if a&x != 0 {
				wantNot |= not[x]
			}
		}
		if got := a.Not(); got != wantNot {
			t.Errorf("NOT %v = %v, want %v", a, got, wantNot)
		}
		if a.Skip() != (a&T == 0) || a.All() != (a == T) {
			t.Errorf("%v: Skip %v All %v", a, a.Skip(), a.All())
		}
		for b := expr.Truth(0); b <= expr.Unknown; b++ {
			var wantAnd, wantOr expr.Truth
			for _, x := range outcomes {
				for _, y := range outcomes {
					if a&x != 0 && b&y != 0 {
						wantAnd |= and[[2]expr.Truth{x, y}]
						wantOr |= or[[2]expr.Truth{x, y}]
					}
				}
			}
			if got := a.And(b); got != wantAnd {
				t.Errorf("%v AND %v = %v, want %v", a, b, got, wantAnd)
			}
			if got := a.Or(b); got != wantOr {
				t.Errorf("%v OR %v = %v, want %v", a, b, got, wantOr)
			}
		}
	}
	if got := (T | N).String(); got != "true|null" {
		t.Error(got)
	}
}

func TestTestByStats(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{
		field("a", arrow.PrimitiveTypes.Int32), field("f", arrow.PrimitiveTypes.Float64), field("s", arrow.BinaryTypes.String),
		field("n", arrow.ListOf(i64)), field("b", arrow.FixedWidthTypes.Boolean),
		field("at", &arrow.TimestampType{Unit: arrow.Nanosecond}),
	}, nil)
	lit := func(text string) expr.Compare {
		e, err := expr.Parse("x = " + text)
		if err != nil {
			t.Fatal(err)
		}
		return e.(expr.Compare)
	}
	st := func(min, max string, rows, nulls int64) expr.Stats {
		out := expr.Stats{Rows: rows, Nulls: nulls}
		if min != "" {
			out.Min = lit(min).Value
		}
		if max != "" {
			out.Max = lit(max).Value
		}
		return out
	}
	const F, T, N = expr.CanBeFalse, expr.CanBeTrue, expr.CanBeNull
	for _, c := range []struct {
		e    string
		st   expr.Stats
		want expr.Truth
	}{
		{"a = 5", expr.Stats{}, F | T | N},
		{"a = 5", st("1", "9", 10, 0), F | T},
		{"a = 5", st("1", "9", 10, 3), F | T | N},
		{"a = 5", st("1", "9", 10, -1), F | T | N},
		{"a = 5", st("1", "9", -1, 0), F | T},
		{"a = 5", st("1", "9", 0, 0), F | T | N},
		{"a = 5", st("6", "9", 10, 0), F},
		{"a = 5", st("6", "", 10, 0), F},
		{"a = 5", st("", "4", 10, 0), F},
		{"a = 5", st("5", "5", 10, 0), T},
		{"a != 5", st("5", "5", 10, 0), F},
		{"a != 5", st("6", "7", 10, 0), T},
		{"a = 5", st("", "", 10, 10), N},
		{"a = 5", st("", "", 10, 11), F | T | N}, // contradictory
		{"a = 5", st("9", "1", 10, 0), F | T},    // contradictory
		{"a = 5", st("'x'", "TRUE", 10, 0), F | T},
		{"a = 5", st("4.5", "5.5", 10, 0), T}, // bounds finer than the column
		{"a > 2.5", st("3", "9", 10, 0), T},
		{"a > 2.5", st("1", "2", 10, 0), F},
		{"a < 99999999999", st("", "", 10, 0), T},
		{"a = NULL", st("1", "2", 10, 0), N},
		{"a IN (1, NULL)", st("2", "3", 10, 0), N},
		{"a IN (1, NULL)", st("1", "1", 10, 0), T},
		{"a IN (1, 2, 3)", st("1", "3", 10, 0), T},
		{"a IN (1, 3)", st("1", "3", 10, 0), F | T},
		{"a IN (1, 3)", st("2", "2", 10, 0), F},
		{"a IN ()", st("2", "2", 10, 3), F},
		{"a IS NULL", st("", "", 10, 0), F},
		{"a IS NULL", st("", "", 10, 10), T},
		{"a IS NULL", st("", "", 10, 5), F | T},
		{"n IS NULL", expr.Stats{}, F | T},
		{"at < '1500-01-01'", st("", "", 10, 0), F | T}, // the file may hold times that nanoseconds cannot
		{"at > '1500-01-01'", st("", "", 10, 0), F | T},
		{"at <> '9000-01-01'", st("", "", 10, 0), F | T},
		{"at IN ('2000-01-01', '9000-01-01')", st("TIMESTAMP '2001-01-01'", "", 10, 0), F | T},
		{"at > '1500-01-01'", st("TIMESTAMP '2001-01-01'", "", 10, 0), T},
		{"at < '1500-01-01'", st("TIMESTAMP '2001-01-01'", "", 10, 0), F},
		{"at > '1500-01-01'", st("TIMESTAMP '1400-01-01'", "", 10, 0), F | T},
		{"at > '9000-01-01'", st("", "TIMESTAMP '2001-01-01'", 10, 0), F},
		{"at < '9000-01-01'", st("TIMESTAMP '2001-01-01'", "TIMESTAMP '2002-01-01'", 10, 0), T},
		{"at < '9000-01-01'", st("", "", 10, 10), N},
		{"a BETWEEN 3 AND 7", st("3", "7", 10, 0), T},
		{"NOT (a BETWEEN 3 AND 7)", st("3", "7", 10, 0), F},
		{"f > 5", st("6.5", "7.5", 10, 0), F | T}, // NaN may be among them
		{"f > 5", st("1.5", "4.5", 10, 0), F},
		{"f != 5", st("5.0", "5.0", 10, 0), F | T},
		{"f = 0", st("DOUBLE 'NaN'", "DOUBLE 'NaN'", 10, 0), F | T},
		{"f < 1", st("DOUBLE '-Infinity'", "DOUBLE 'Infinity'", 10, 0), F | T},
		{"s >= 'b'", st("'c'", "'d'", 10, 0), T},
		{"s < 'b'", st("'c'", "'d'", 10, 0), F},
		{"s < 'c'", st("'c'", "'d'", 10, 0), F},
		{"s <= 'c'", st("'c'", "'d'", 10, 0), F | T},
		{"s = 'c'", st("'c'", "'c'", 10, 0), T},
		{"s LIKE 'ab%'", st("'aba'", "'abz'", 10, 0), T},
		{"s LIKE 'ab%'", st("'a'", "'abz'", 10, 0), F | T},
		{"s LIKE 'ab%'", st("'ac'", "'b'", 10, 0), F},
		{"s LIKE 'ab%x'", st("'aba'", "'abz'", 10, 0), F | T},
		{"s LIKE 'ab_%'", st("'ac'", "'b'", 10, 0), F},
		{"s LIKE '%'", st("", "", 10, 0), T},
		{"s LIKE 'ab'", st("'ab'", "'ab'", 10, 0), T},
		{"s < ''", st("'a'", "'b'", 10, 0), F},
		{"b", st("TRUE", "TRUE", 10, 0), T},
		{"b", st("FALSE", "FALSE", 10, 0), F},
		{"NOT b", st("FALSE", "TRUE", 10, 0), F | T},
		{"TRUE", expr.Stats{}, T},
		{"FALSE", expr.Stats{}, F},
	} {
		e, err := expr.ParseSQL(c.e)
		if err != nil {
			t.Fatal(err)
		}
		b, err := expr.Bind(e, s)
		if err != nil {
			t.Fatalf("%s: %v", c.e, err)
		}
		got := b.Test(func(string) expr.Evidence { return expr.StatsOnly(c.st) })
		if got != c.want {
			t.Errorf("%s with %+v: %v, want %v", c.e, c.st, got, c.want)
		}
	}
	b, err := expr.Bind(expr.And{expr.IsNull{Col: "a"}, expr.Compare{Col: "a", Op: expr.Lt, Value: lit("3").Value}}, s)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Test(nil); got != expr.Unknown.And(F|T) {
		t.Errorf("without evidence: %v", got)
	}
}
