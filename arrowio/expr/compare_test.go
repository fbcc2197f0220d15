package expr_test

import (
	"math"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// What two columns' bounds say of their comparison, written out.
func TestTestColumns(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{
		field("a", i64), field("b", arrow.PrimitiveTypes.Int32), field("f", arrow.PrimitiveTypes.Float32), field("d", &arrow.Decimal128Type{Precision: 9, Scale: 2}),
		field("s", arrow.BinaryTypes.String), field("t", arrow.BinaryTypes.LargeString), field("l", arrow.ListOf(i64)),
	}, nil)
	num := func(lo, hi int64) expr.Stats {
		return expr.Stats{Min: scalar.NewInt64Scalar(lo), Max: scalar.NewInt64Scalar(hi), Rows: 9}
	}
	text := func(lo, hi string) expr.Stats {
		return expr.Stats{Min: scalar.NewStringScalar(lo), Max: scalar.NewStringScalar(hi), Rows: 9}
	}
	float := func(lo, hi float32) expr.Stats {
		return expr.Stats{Min: scalar.NewFloat32Scalar(lo), Max: scalar.NewFloat32Scalar(hi), Rows: 9}
	}
	cents := func(lo, hi int64) expr.Stats {
		typ := s.Field(3).Type
		return expr.Stats{Min: scalar.NewDecimal128Scalar(decimal128.FromI64(lo), typ), Max: scalar.NewDecimal128Scalar(decimal128.FromI64(hi), typ), Rows: 9}
	}
	nulls := func(x expr.Stats, n int64) expr.Stats {
		x.Nulls = n
		return x
	}
	inf := float32(math.Inf(1))
	const F, T, N = expr.CanBeFalse, expr.CanBeTrue, expr.CanBeNull
	for _, c := range []struct {
		e    string
		l, r expr.Stats
		want expr.Truth
	}{
		{"a < b", num(1, 5), num(6, 9), T},
		{"a < b", num(1, 6), num(6, 9), T | F},
		{"a < b", num(9, 12), num(6, 9), F},
		{"a <= b", num(9, 12), num(6, 9), T | F},
		{"a <= b", num(1, 6), num(6, 9), T},
		{"a > b", num(10, 12), num(6, 9), T},
		{"a >= b", num(1, 5), num(6, 9), F},
		{"a = b", num(1, 5), num(6, 9), F},
		{"a != b", num(1, 5), num(6, 9), T},
		{"a = b", num(1, 5), num(5, 9), T | F},
		{"a = b", num(5, 5), num(5, 5), T},
		{"a < b", nulls(num(1, 5), 2), num(6, 9), T | N},
		{"a < b", nulls(num(1, 5), 9), num(6, 9), N},
		{"a < b", expr.Stats{}, num(6, 9), T | F | N},
		{"a < b", expr.Stats{Rows: 9}, num(6, 9), T | F},
		{"a < b", expr.Stats{Max: scalar.NewInt64Scalar(5), Rows: 9}, num(6, 9), T},
		{"a < b", num(7, 3), num(6, 9), T | F}, // bounds that contradict each other
		{"a < f", num(1, 5), float(6, inf), T | F},
		{"a >= f", num(1, 5), float(6, inf), F},
		{"f > a", float(-inf, 6), num(7, 8), F},
		{"f != a", float(1, 2), num(7, 8), T}, // also of NaN
		{"f = a", float(1, 1), num(1, 1), T | F},
		{"d = f", cents(10, 10), float(0.1, 0.1), T | F},
		{"d < f", cents(10, 10), float(0.1, 0.1), F},
		{"d > a", cents(501, 600), num(1, 5), T},
		{"s < t", text("a", "b"), text("bb", "c"), T},
		{"s = t", text("a", "b"), text("bb", "c"), F},
		{"s >= t", text("a", "bb"), text("bb", "c"), T | F},
		{"l[0] < a", expr.Stats{Rows: 9, Nulls: 9}, num(1, 5), N},
		{"l[0] < a", num(7, 9), num(1, 5), T | F | N}, // bounds of a list are not those of its elements
		{"contains(l, 5) AND a = a", expr.Stats{Rows: 9, Nulls: 9}, num(1, 5), N | F},
		{"contains(l, 5) AND a >= a", expr.Stats{Rows: 9}, num(5, 5), T | F},
		{"l[0] IS NULL OR a < a", expr.Stats{Rows: 9, Nulls: 9}, num(5, 5), T},
	} {
		b := bind(t, s, c.e)
		cols := b.Columns()
		got := b.Test(func(col string) expr.Evidence {
			if col == cols[0] {
				return expr.StatsOnly(c.l)
			}
			return expr.StatsOnly(c.r)
		})
		if got != c.want {
			t.Errorf("%s with %+v and %+v: %v, want %v", c.e, c.l, c.r, got, c.want)
		}
	}
}

func TestAsCompared(t *testing.T) {
	literal := func(text string) scalar.Scalar {
		e, err := expr.Parse("x = " + text)
		if err != nil {
			t.Fatal(err)
		}
		return e.(expr.Compare).Value
	}
	p := arrow.PrimitiveTypes
	for _, c := range []struct {
		text string
		typ  arrow.DataType
		want string
	}{
		{"0.1", p.Float64, "0.1"},
		{"0.1", p.Float32, "0.10000000149011612"},
		{"0.1", arrow.FixedWidthTypes.Float16, "0.0999755859375"},
		{"-65519.9", arrow.FixedWidthTypes.Float16, "-65504"},
		{"1.00048828125", arrow.FixedWidthTypes.Float16, "1"},              // half way: to the even one
		{"1.00146484375", arrow.FixedWidthTypes.Float16, "1.001953125"},    // half way
		{"-1.00048828126", arrow.FixedWidthTypes.Float16, "-1.0009765625"}, // beyond it
		{"0.1", &arrow.DictionaryType{IndexType: p.Int8, ValueType: p.Float32}, "0.10000000149011612"},
	} {
		got, ok := expr.AsCompared(literal(c.text), c.typ).(*scalar.Float64)
		if !ok || got.String() != c.want {
			t.Errorf("%s as %v is %v, want %s", c.text, c.typ, got, c.want)
		}
	}
	for text, typ := range map[string]arrow.DataType{
		"5": p.Float32, "0.5": p.Int32, "1e39": p.Float32, "1e-60": p.Float32, "65520.0": arrow.FixedWidthTypes.Float16, "'0.1'": p.Float32, "DOUBLE '0.1'": p.Float32,
	} {
		if v := literal(text); expr.AsCompared(v, typ) != v {
			t.Errorf("%s as %v is %v", text, typ, expr.AsCompared(v, typ))
		}
	}
}
