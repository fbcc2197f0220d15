package expr_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a = 1", "a = 1"},
		{"a == 1", "a = 1"},
		{"a<>-1", "a != -1"},
		{"a.b.c >= 10 and c in ('x','y')", "a.b.c >= 10 AND c IN ('x', 'y')"},
		{"5 < a", "a > 5"},
		{"5 >= a", "a <= 5"},
		{"a < b", "a < b"},
		{"a.x>=b.y", "a.x >= b.y"},
		{"a = date", "a = date"},
		{"a BETWEEN b AND 5", "a >= b AND a <= 5"},
		{"a BETWEEN DATE '2020-01-01' AND date", "a >= DATE '2020-01-01' AND a <= date"},
		{"a is nan OR NOT b IS NOT NAN", "a IS NAN OR NOT b IS NOT NAN"},
		{"nan is nan", "nan IS NAN"},
		{"a ilike 'X%' and b NOT ILIKE 'x!%' ESCAPE '!'", "a ILIKE 'X%' AND b NOT ILIKE 'x!%' ESCAPE '!'"},
		{"tags[0] = 'x' OR tags[ 1 ] IS NULL", "tags[0] = 'x' OR tags[1] IS NULL"},
		{"m['k'] > 3 AND m[-5] = n[date '2020-01-31']", "m['k'] > 3 AND m[-5] = n[DATE '2020-01-31']"},
		{"a.b[0].c.\"d e\"[2][3].`f` < 1", "a.b[0].c.\"d e\"[2][3].`f` < 1"},
		{"and[0] = 1 AND tags[][0] = 2", "and[0] = 1 AND tags[][0] = 2"},
		{"m['it''s]['] = 1", "m['it''s]['] = 1"},
		{`"a[0]" = 1`, `"a[0]" = 1`},
		{"contains(tags, 'x') OR NOT CONTAINS ( a.b[0] , 5)", "contains(tags, 'x') OR NOT contains(a.b[0], 5)"},
		{"contains = 5", "contains = 5"},
		{"TRUE = a", "a = TRUE"},
		{"a NOT IN (1)", "a NOT IN (1)"},
		{"a IN ()", "a IN ()"},
		{"NOT a IN (1)", "a NOT IN (1)"},
		{"a BETWEEN 1 AND 2 OR b", "a >= 1 AND a <= 2 OR b = TRUE"},
		{"a NOT BETWEEN 1 AND 2", "NOT (a >= 1 AND a <= 2)"},
		{"a BETWEEN 1 AND 2 AND b", "(a >= 1 AND a <= 2) AND b = TRUE"},
		{"a is null", "a IS NULL"},
		{"a IS NOT NULL", "a IS NOT NULL"},
		{"NOT a IS NOT NULL", "NOT a IS NOT NULL"},
		{"NOT NOT flag", "NOT NOT flag = TRUE"},
		{"NOT (a OR b) AND c", "NOT (a = TRUE OR b = TRUE) AND c = TRUE"},
		{"(a OR b) AND c OR d", "(a = TRUE OR b = TRUE) AND c = TRUE OR d = TRUE"},
		{"((a))", "a = TRUE"},
		{"TRUE", "TRUE"},
		{"not false", "NOT FALSE"},
		{"a LIKE 'it''s%'", "a LIKE 'it''s%'"},
		{"a NOT LIKE '10!%' escape '!'", "a NOT LIKE '10!%' ESCAPE '!'"},
		{"a = 2.50", "a = 2.50"},
		{"a = .5", "a = 0.5"},
		{"a = 5.", "a = 5.0"},
		{"a = 1e5", "a = 100000.0"},
		{"a = 1.5e-3", "a = 0.0015"},
		{"a = -0.0", "a = 0.0"},
		{"a = 1e300", "a = DOUBLE '1e+300'"},
		{"a = 18446744073709551615", "a = 18446744073709551615"},
		{"a = -9223372036854775809", "a = -9223372036854775809"},
		{"a = 340282366920938463463374607431768211456", "a = 340282366920938463463374607431768211456"},
		{"a = DOUBLE 'nan'", "a = DOUBLE 'NaN'"},
		{"a = double '-inf'", "a = DOUBLE '-Infinity'"},
		{"a = double '7'", "a = 7"},
		{"a = X'00fF'", "a = X'00ff'"},
		{"a = x''", "a = X''"},
		{"a = DATE '2020-02-29'", "a = DATE '2020-02-29'"},
		{"a = date '-0044-03-15'", "a = DATE '-0044-03-15'"},
		{"a = TIMESTAMP '2020-01-31'", "a = TIMESTAMP '2020-01-31 00:00:00'"},
		{"a = TIMESTAMP '2020-01-31T10:00:00.12'", "a = TIMESTAMP '2020-01-31 10:00:00.120'"},
		{"a = TIMESTAMP '2020-01-31 10:00:00.123456789+02:00'", "a = TIMESTAMP '2020-01-31 08:00:00.123456789Z'"},
		{"a = TIMESTAMP '1960-01-01 00:00 -0130'", "a = TIMESTAMP '1960-01-01 01:30:00Z'"},
		{"a = TIME '23:59:59.5'", "a = TIME '23:59:59.500'"},
		{"a = DURATION '1h30m0.5s'", "a = DURATION '5400500ms'"},
		{"a = DURATION '-1d'", "a = DURATION '-86400s'"},
		{"date = '2020-01-31'", "date = '2020-01-31'"},
		{"date", "date = TRUE"},
		{`"a b"."c""d".e = 1`, `"a b"."c""d".e = 1`},
		{"`a``b` = 1", "`a``b` = 1"},
		{`"select" = 1 AND "and" = 2 AND a.and = 3`, `"select" = 1 AND "and" = 2 AND a.and = 3`},
		{"tags[] = 1 AND a#b = 2 AND größe = 3", "tags[] = 1 AND a#b = 2 AND größe = 3"},
		{"a.0 = 1", "a.0 = 1"},
	} {
		e, err := expr.Parse(c.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.in, err)
			continue
		}
		if got := e.String(); got != c.want {
			t.Errorf("Parse(%q) = %s, want %s", c.in, got, c.want)
			continue
		}
		again, err := expr.Parse(c.want)
		if err != nil || !reflect.DeepEqual(e, again) && !strings.Contains(strings.ToLower(c.in), "double") {
			t.Errorf("Parse(%q) differs from Parse(%q): %v", c.in, c.want, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		in     string
		column int
		say    string
	}{
		{"", 1, "expected a column"},
		{"a =", 4, "expected a value or a column after =, found the end"},
		{"a = NULL", 5, "a comparison with NULL is never true: write a IS NULL or a IS NOT NULL"},
		{"NULL != m['k']", 1, "write m['k'] IS NULL"},
		{"a BETWEEN 1 AND NULL", 17, "a IS NULL"},
		{"contains(a, NULL)", 13, "a IS NULL"},
		{"a IS NOT 5", 10, "NOT NAN after IS"},
		{"a ILIKE b", 9, "a pattern in single quotes"},
		{"a[0", 4, "expected ']', found the end"},
		{"a[", 3, "a position or a key"},
		{"a[b[0]] = 1", 3, "a position or a key"},
		{"a[NULL] = 1", 3, "cannot be a position or a key"},
		{"a[0]x = 1", 5, "expected a dot or a space"},
		{"a [0] = 1", 3, "brackets follow"},
		{"a[0]. = 1", 6, "name after the dot"},
		{"length(a) = 1", 1, "there is no function"},
		{"contains(5, a)", 10, "a column of lists"},
		{"contains(a)", 11, "',' and a value"},
		{"contains(a, 5", 14, "')'"},
		{"a = b c", 7, "AND, OR or the end"},
		{"a IN (b)", 7, "put text in single quotes"},
		{"1 = 2", 5, "expected a column"},
		{"1", 2, "operator after the value"},
		{"a 5", 3, "expected an operator"},
		{"a = 1 b = 2", 7, "expected AND, OR or the end"},
		{"(a = 1", 7, "expected AND, OR or ')'"},
		{"a IN 5", 6, "'(' after IN"},
		{"a IN (5", 8, "',' or ')'"},
		{"a IN (5,)", 9, "expected a value"},
		{"a BETWEEN 1 OR 2", 13, "AND and the upper value"},
		{"a IS 5", 6, "NULL, NAN, NOT NULL or NOT NAN"},
		{"a NOT 5", 7, "IN, BETWEEN, LIKE or ILIKE after NOT"},
		{"a LIKE 5", 8, "pattern in single quotes"},
		{"a LIKE 'x' ESCAPE 'ab'", 19, "one character"},
		{"a LIKE 'x!' ESCAPE '!'", 8, "escape character"},
		{"a = 'x", 5, "not closed"},
		{`"a = 1`, 1, "not closed"},
		{`"a"b = 1`, 4, "expected a dot or a space"},
		{"a..b = 1", 3, "name after the dot"},
		{"a = X'0'", 5, "hexadecimal"},
		{"a = 5a", 6, "number"},
		{"a = 1e", 7, "exponent"},
		{"a = 1e999", 5, "range"},
		{"a = - x", 7, "number after -"},
		{"a = DATE '2020-02-30'", 5, "date"},
		{"a = DATE 5", 10, "string after DATE"},
		{"a = TIMESTAMP '2020-01-31 25:00'", 5, "timestamp"},
		{"a = TIMESTAMP '9999-01-01 00:00:00.000000001'", 5, "range"},
		{"a = DURATION '5'", 5, "duration"},
		{"ä = ;", 5, `';' has no meaning`},
		{"a = 1 && b = 2", 7, `'&' has no meaning here: write AND;`},
		{"a = 1 || b = 2", 7, `'|' has no meaning here: write OR;`},
		{"!(a = 1)", 1, `'!' has no meaning here: write NOT;`},
		{strings.Repeat("(", 300), 202, "within one another"},
		{strings.Repeat("NOT ", 300), 805, "within one another"},
		{strings.Repeat(" ", 1<<20) + "a", 1, "1 MiB"},
	} {
		_, err := expr.Parse(c.in)
		var pe *expr.ParseError
		if !errors.As(err, &pe) {
			t.Errorf("Parse(%.40q): %v", c.in, err)
			continue
		}
		if c.column <= len(c.in) && !strings.HasPrefix(strings.TrimSpace(string([]rune(c.in)[c.column-1:])), strings.TrimSuffix(pe.Near, "…")) {
			t.Errorf("Parse(%.40q) fails near %q", c.in, pe.Near)
		}
		if pe.Column != c.column || !strings.Contains(pe.Error(), c.say) {
			t.Errorf("Parse(%.40q): %v, want column %d: …%s…", c.in, err, c.column, c.say)
		}
	}
}

// Scalars that Parse never makes must still print as something it reads with the same meaning.
func TestStringOfProgramValues(t *testing.T) {
	dec := &arrow.Decimal128Type{Precision: 5, Scale: -2}
	date64 := func(ms int64) scalar.Scalar { return scalar.NewDate64Scalar(arrow.Date64(ms)) }
	for _, c := range []struct {
		v    scalar.Scalar
		want string
	}{
		{scalar.NewInt8Scalar(-8), "-8"},
		{scalar.NewUint16Scalar(16), "16"},
		{scalar.NewFloat32Scalar(0.5), "DOUBLE '0.5'"},
		{scalar.NewFloat64Scalar(0.1), "DOUBLE '0.1'"},
		{scalar.NewFloat16Scalar(float16.FromBits(0x0001)), "DOUBLE '5.960464477539063e-08'"},
		{scalar.NewDecimal128Scalar(decimal128.FromI64(7), dec), "700"},
		{scalar.NewDecimal128Scalar(decimal128.New(-1<<63, 0), &arrow.Decimal128Type{Precision: 38, Scale: 2}), "-1701411834604692317316873037158841057.28"},
		{scalar.NewLargeStringScalar("a'b"), "'a''b'"},
		{scalar.NewFixedSizeBinaryScalar(memory.NewBufferBytes([]byte{1, 2}), &arrow.FixedSizeBinaryType{ByteWidth: 2}), "X'0102'"},
		{date64(86400000), "DATE '1970-01-02'"},
		{date64(1), "TIMESTAMP '1970-01-01 00:00:00.001'"},
		{scalar.NewTimestampScalar(-1, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Zurich"}), "TIMESTAMP '1969-12-31 23:59:59.999999Z'"},
		{scalar.NewTime64Scalar(1, &arrow.Time64Type{Unit: arrow.Nanosecond}), "TIME '00:00:00.000000001'"},
		{scalar.NewDurationScalar(-5, &arrow.DurationType{Unit: arrow.Microsecond}), "DURATION '-5us'"},
		{nil, "?"},
		{scalar.NewMonthIntervalScalar(3), "?"},
	} {
		got := expr.Compare{Col: "a", Op: expr.Eq, Value: c.v}.String()
		if got != "a = "+c.want {
			t.Errorf("%T: %s, want a = %s", c.v, got, c.want)
		}
		if c.want == "?" {
			continue
		}
		e, err := expr.Parse(got)
		if err != nil || e.String() != got {
			t.Errorf("Parse(%q) = %v, %v", got, e, err)
		}
	}
	for _, c := range []struct {
		e    expr.Expr
		want string
	}{
		{expr.And{}, "TRUE"},
		{expr.Not{X: expr.Or{}}, "NOT FALSE"},
		{expr.And{expr.Or{expr.And{expr.IsNull{Col: "a"}}}}, "a IS NULL"},
		{expr.Not{X: expr.And{expr.IsNull{Col: "a"}}}, "NOT a IS NULL"},
		{
			expr.And{expr.And{expr.IsNull{Col: "a"}, expr.IsNull{Col: "b"}}, expr.Or{expr.IsNull{Col: "c"}, expr.IsNull{Col: "d"}}},
			"(a IS NULL AND b IS NULL) AND (c IS NULL OR d IS NULL)",
		},
		{expr.IsNull{Col: "user id"}, `"user id" IS NULL`},
		{expr.IsNull{Col: "null"}, `"null" IS NULL`},
		{expr.IsNull{Col: "a>b.c"}, `"a>b".c IS NULL`},
		{expr.IsNull{Col: ""}, `"" IS NULL`},
		{expr.IsNull{Col: `"a`}, `"""a" IS NULL`},
		{expr.Not{}, "NOT ?"},
		{expr.Compare{Col: "a", Op: expr.Lt, Value: scalar.MakeNullScalar(arrow.PrimitiveTypes.Int64)}, "a IN (NULL)"},
		{expr.CompareColumns{Left: "user id", Op: expr.Le, Right: "a.b"}, `"user id" <= a.b`},
		{expr.Not{X: expr.IsNaN{Col: "a"}}, "a IS NOT NAN"},
		{expr.IsNaN{Col: "m[ 'k' ].a b"}, `"m[ 'k' ]"."a b" IS NAN`}, // no text that Parse reads: a name
		{expr.IsNaN{Col: "m[ 'k' ].ab"}, "m['k'].ab IS NAN"},
	} {
		if got := c.e.String(); got != c.want {
			t.Errorf("%#v prints %s, want %s", c.e, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"a = 1", "NOT (a.b < 2.5 OR c IN ('x', NULL)) AND d BETWEEN DATE '2020-01-01' AND '2021'", `"a b".c LIKE '%x!_' ESCAPE '!'`,
		"x IS NOT NULL OR FALSE", "5 <= a AND TRUE", "t >= TIMESTAMP '2020-01-31 10:00:00.123456789+02:00'", "d = DURATION '1h2.5s'",
		"a = 1e300 OR a = -1.5e-70", "b = X'00ff'", "((((a))))", "a NOT IN (1,2,18446744073709551615)", "`q``q`.tags[] = 'it''s'",
		"a.b[0]['k']. `c` < d[] AND contains(a, 5) OR a IS NOT NAN", "a NOT ILIKE 'x' AND m[DATE '2020-01-01'].\"x y\" = nan",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := expr.Parse(s)
		if err != nil {
			return
		}
		text := e.String()
		again, err := expr.Parse(text)
		if err != nil {
			t.Fatalf("%q prints %q: %v", s, text, err)
		}
		if again.String() != text {
			t.Fatalf("%q prints %q, that prints %q", s, text, again)
		}
	})
}

func TestColumnsOf(t *testing.T) {
	for text, want := range map[string][]string{
		"true":                             nil,
		"a = 1":                            {"a"},
		"a < b.c OR contains(d, 5)":        {"a", "b.c", "d"},
		"a[0].x < m['k.x'] AND n is nan":   {"a", "m", "n"},
		"not (a is null or s.b like 'x%')": {"a", "s.b"},
		`a > 1 and ("b c" in (1, 2) or a is null)`: {"a", `"b c"`, "a"},
	} {
		e, err := expr.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := expr.Columns(e); !slices.Equal(got, want) {
			t.Errorf("%s reads %q, not %q", text, got, want)
		}
	}
}
