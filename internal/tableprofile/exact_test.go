package tableprofile_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/tableprofile"
)

// numbersOf profiles a column of the numbers that texts tell.
func numbersOf(t *testing.T, dt arrow.DataType, texts []string) *tableprofile.Column {
	t.Helper()
	rec := fromJSON(t, memory.DefaultAllocator, dt, `["`+strings.Join(texts, `","`)+`"]`)
	defer rec.Release()
	p := tableprofile.New(rec.Schema(), tableprofile.Options{})
	for at := int64(0); at < rec.NumRows(); at += 700 {
		part := rec.NewSlice(at, min(at+700, rec.NumRows()))
		err := p.Add(part)
		part.Release()
		if err != nil {
			t.Fatal(err)
		}
	}
	return &p.Profile().Columns[0]
}

// Means are the doubles next to the exact ones, and exact quantiles are values, of numbers that doubles do not tell apart, that cancel
// out, or whose sum has more bits than they.
func TestMeansAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	n := 1500
	repeated := func(texts ...string) []string { return slices.Repeat(texts, n/len(texts)) }
	random := func(text func() string) (out []string) {
		for range n {
			out = append(out, text())
		}
		return out
	}
	mixed := func(last bool, short, long string) (out []string) {
		for i := range n {
			format := short
			if (i >= n/2) == last {
				format = long
			}
			out = append(out, fmt.Sprintf(format, 100+r.IntN(900), r.IntN(100)))
		}
		return out
	}
	for _, c := range []struct {
		name  string
		dt    arrow.DataType
		texts []string
	}{
		{"int64, ends", arrow.PrimitiveTypes.Int64, repeated("9223372036854775807", "-9223372036854775808", "1")},
		{"int64, high", arrow.PrimitiveTypes.Int64, random(func() string { return fmt.Sprint(math.MaxInt64 - r.Int64N(5000)) })},
		{"int64, low", arrow.PrimitiveTypes.Int64, random(func() string { return fmt.Sprint(math.MinInt64 + r.Int64N(5000)) })},
		{"int64, any", arrow.PrimitiveTypes.Int64, random(func() string { return fmt.Sprint(int64(r.Uint64())) })},
		{"uint64", arrow.PrimitiveTypes.Uint64, random(func() string { return fmt.Sprint(math.MaxUint64 - r.Uint64N(9)) })},
		{"int8", arrow.PrimitiveTypes.Int8, random(func() string { return fmt.Sprint(int8(r.Uint64())) })},
		{"decimal128", &arrow.Decimal128Type{Precision: 38, Scale: 3}, random(func() string {
			return fmt.Sprintf("99999999999999999999999999999999%03d.%03d", r.IntN(1000), r.IntN(1000))
		})},
		{"decimal128, both signs", &arrow.Decimal128Type{Precision: 38, Scale: 0}, repeated("99999999999999999999999999999999999999", "-99999999999999999999999999999999999998", "5")},
		{"decimal256", &arrow.Decimal256Type{Precision: 76, Scale: 10}, random(func() string { return fmt.Sprintf("-%060d.%010d", 7, r.Int64N(1e10)) })},
		{"decimal256, long", &arrow.Decimal256Type{Precision: 76, Scale: 0}, random(func() string { return fmt.Sprintf("-1234567890%060d", r.Int64N(1e10)) })},
		{"decimal128, long ones last", &arrow.Decimal128Type{Precision: 38, Scale: 2}, mixed(true, "-%d.%02d", "1234567890123456789012345678%d.%02d")},
		{"decimal128, long ones first", &arrow.Decimal128Type{Precision: 38, Scale: 2}, mixed(false, "-%d.%02d", "1234567890123456789012345678%d.%02d")},
		{"decimal256, long ones last", &arrow.Decimal256Type{Precision: 76, Scale: 2}, mixed(true, "%d.%02d", "-1234567890123456789012345678901234567890123456%d.%02d")},
		{"decimal256, long ones first", &arrow.Decimal256Type{Precision: 76, Scale: 2}, mixed(false, "%d.%02d", "-1234567890123456789012345678901234567890123456%d.%02d")},
		{"decimal128, ends of 64 bits", &arrow.Decimal128Type{Precision: 38, Scale: 0}, repeated("9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809", "0")},
		{"float64", arrow.PrimitiveTypes.Float64, random(func() string { return fmt.Sprintf("%g", r.NormFloat64()*math.Exp(8*r.NormFloat64())) })},
		{"float64, cancelling", arrow.PrimitiveTypes.Float64, repeated("1e300", "1", "-1e300")},
		{"float64, large", arrow.PrimitiveTypes.Float64, repeated("1.7e308")},
		{"float64, small", arrow.PrimitiveTypes.Float64, repeated("5e-324", "5e-324", "-5e-324")},
	} {
		got := numbersOf(t, c.dt, c.texts)
		sum := new(big.Rat)
		var values []*big.Rat
		for _, text := range c.texts {
			v, _ := new(big.Rat).SetString(text)
			if strings.HasPrefix(c.name, "float") {
				var f float64
				if _, err := fmt.Sscan(text, &f); err != nil {
					t.Fatal(err)
				}
				v.SetFloat64(f)
			}
			values = append(values, v)
			sum.Add(sum, v)
		}
		mean := new(big.Rat).Quo(sum, new(big.Rat).SetInt64(int64(len(values))))
		want, _ := mean.Float64()
		if got.Mean == nil || *got.Mean != want {
			t.Errorf("%s: mean %v, want %v", c.name, got.Mean, want)
		}
		squares := new(big.Rat)
		for _, v := range values {
			d := new(big.Rat).Sub(v, mean)
			squares.Add(squares, d.Mul(d, d))
		}
		squares.Quo(squares, new(big.Rat).SetInt64(int64(len(values))))
		if s, _ := squares.Float64(); !math.IsInf(s, 0) && s > 1e-300 && math.Abs(*got.StdDev/math.Sqrt(s)-1) > 1e-12 {
			t.Errorf("%s: standard deviation %v, want %v", c.name, *got.StdDev, math.Sqrt(s))
		}
		slices.SortFunc(values, (*big.Rat).Cmp)
		for _, end := range []struct {
			text *string
			want *big.Rat
		}{{got.Min, values[0]}, {got.Max, values[len(values)-1]}} {
			if v, _ := new(big.Rat).SetString(*end.text); !strings.HasPrefix(c.name, "float") && v.Cmp(end.want) != 0 {
				t.Errorf("%s: one end is %s, want %s", c.name, *end.text, end.want.FloatString(10))
			}
		}
		for _, q := range got.Quantiles {
			at := (len(values)*int(math.Round(100*q.Share)) + 99) / 100
			if v, _ := new(big.Rat).SetString(q.Value); !got.QuantilesExact || !strings.HasPrefix(c.name, "float") && v.Cmp(values[at-1]) != 0 {
				t.Errorf("%s: quantile %v is %s, want %s", c.name, q.Share, q.Value, values[at-1].FloatString(10))
			}
		}
	}
}

// Quantiles of many numbers that lie close together, far from zero, are as near as those of others.
func TestEstimatesFarFromZero(t *testing.T) {
	n := 40_000
	for _, c := range []struct {
		dt   arrow.DataType
		text func(i int) string
	}{
		{arrow.PrimitiveTypes.Int64, func(i int) string { return fmt.Sprint(math.MaxInt64 - int64(i)) }},
		{arrow.PrimitiveTypes.Uint64, func(i int) string { return fmt.Sprint(uint64(math.MaxUint64) - uint64(i)) }},
		{&arrow.Decimal128Type{Precision: 38, Scale: 0}, func(i int) string { return fmt.Sprintf("-12345678901234567890123456789%09d", n-1-i) }},
		{&arrow.Decimal256Type{Precision: 76, Scale: 0}, func(i int) string { return fmt.Sprintf("123456789012345678901234567890123456789%09d", n-1-i) }},
	} {
		var texts []string
		for i := range n {
			texts = append(texts, c.text(i*7919%n))
		}
		got := numbersOf(t, c.dt, texts)
		low, _ := new(big.Int).SetString(*got.Min, 10)
		for _, q := range got.Quantiles {
			v, _ := new(big.Int).SetString(q.Value, 10)
			if at := float64(v.Sub(v, low).Int64()) / float64(n); got.QuantilesExact || math.Abs(at-q.Share) > 0.005 {
				t.Errorf("%s: quantile %v is %s, that of %v", c.dt, q.Share, q.Value, at)
			}
		}
	}
}

// Bins are exact where doubles would put numbers at their edges into others.
func TestExactBins(t *testing.T) {
	width := int64(1<<60 + 1)
	var texts []string
	for i := range int64(8) {
		for _, v := range []int64{i*width - 1, i * width} {
			texts = append(texts, fmt.Sprint(v+1))
		}
	}
	texts = append(texts, fmt.Sprint(24*(width/3)-1))
	h := numbersOf(t, arrow.PrimitiveTypes.Int64, texts).Histogram
	from, _ := new(big.Int).SetString(h.From, 10)
	to, _ := new(big.Int).SetString(h.To, 10)
	bin := new(big.Int).Sub(to, from)
	bin.Div(bin, big.NewInt(24)).Add(bin, big.NewInt(1))
	want := make([]int64, len(h.Counts))
	for _, text := range texts {
		v, _ := new(big.Int).SetString(text, 10)
		want[v.Sub(v, from).Div(v, bin).Int64()]++
	}
	if !h.Exact || !slices.Equal(h.Counts, want) {
		t.Errorf("%+v, want %v", h, want)
	}
}
