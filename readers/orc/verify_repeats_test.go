package orc

import (
	"math"
	"math/big"
	"testing"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// repeated are the values of 1000 rows in batches of 500: one repeats its value, as the other does where step is 0.
func repeated(first, second, step int64) (out []int64) {
	for i := range int64(1000) {
		switch {
		case i < 500:
			out = append(out, first+i*step)
		default:
			out = append(out, second)
		}
	}
	return out
}

// Sums of Java's writer have the value of a vector that repeats once. These are by orc-core 2.3.1, of the vectors that repeated makes in
// row groups of 1000 rows: 0.5 and 1.5; 2.5 to 501.5, and 3.5; 4.5 and 5.5, and the same as decimals below zero, -0.12345 and so on.
func TestSumsOfRepeatedValues(t *testing.T) {
	double := &orcwire.Type{Kind: orcwire.Double}
	decimal := &orcwire.Type{Kind: orcwire.Decimal, Precision: 30, Scale: 5}
	floats, digits := make([]tally, 3), make([]tally, 3)
	var floatsAll, digitsAll tally
	for k := range floats {
		step := int64(0)
		if k == 1 {
			step = 1
		}
		for _, n := range repeated(int64(2*k), int64(2*k+1), step) {
			v := float64(n) + 0.5
			floats[k].float(v, math.Float64bits(v))
			d := -n*100_000 - 12_345
			digits[k].decimal(int128{d >> 63, uint64(d)}, true, 5)
		}
		floatsAll.merge(&floats[k])
		digitsAll.merge(&digits[k])
	}
	java := &File{quirks: orcwire.Quirks{Writer: orcwire.WriterJava, Version: 9}}
	cpp := &File{quirks: orcwire.Quirks{Writer: orcwire.WriterCPP, Version: 6}}
	for _, c := range []struct {
		name   string
		of     *tally
		sum    float64
		ok     bool // of Java
		others bool
	}{
		{"a group of repeated values", &floats[0], 2, true, false},
		{"each once more or less", &floats[0], 1.5, false, false},
		{"each value added", &floats[0], 1000, true, true},
		{"more than that", &floats[0], 1000.5, false, false},
		{"values that do not repeat, and some that do", &floats[1], 126_003.5, true, false},
		{"less", &floats[1], 126_003, false, false},
		{"a stripe", &floatsAll, 126_015.5, true, false},
		{"less", &floatsAll, 126_015, false, false},
	} {
		s := &orcwire.DoubleStats{Sum: &c.sum}
		if err := java.compareFloats(double, s, c.of); (err == nil) != c.ok {
			t.Errorf("%s, %g: %v", c.name, c.sum, err)
		}
		if err := cpp.compareFloats(double, s, c.of); (err == nil) != c.others {
			t.Errorf("%s, %g, by another writer: %v", c.name, c.sum, err)
		}
	}
	for _, c := range []struct {
		of     *tally
		sum    string
		ok     bool
		others bool
	}{
		{&digits[0], "-1.2469", true, false},
		{&digits[0], "-1.2", false, false},
		{&digits[0], "-623.45", true, true},
		{&digits[0], "-623.46", false, false},
		{&digitsAll, "-125825.34225", true, false},
		{&digitsAll, "-125825", false, false},
	} {
		s := &orcwire.DecimalStats{Sum: c.sum}
		if err := java.compareDecimals(decimal, s, c.of, 5, false); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.sum, err)
		}
		if err := cpp.compareDecimals(decimal, s, c.of, 5, false); (err == nil) != c.others {
			t.Errorf("%s, by another writer: %v", c.sum, err)
		}
	}
	if got := digitsAll.sumDecimal.big(); got.Cmp(big.NewInt(-13_262_035_000)) != 0 {
		t.Errorf("the sum is %s", got)
	}
}

// Sums of doubles are compared as finely as additions in any order allow.
func TestSumsOfDoubles(t *testing.T) {
	var a tally
	for i := range 1000 {
		v := float64(i) + 0.1
		a.float(v, math.Float64bits(v))
	}
	f := &File{quirks: orcwire.Quirks{Writer: orcwire.WriterCPP, Version: 6}}
	double := &orcwire.Type{Kind: orcwire.Double}
	for _, c := range []struct {
		sum float64
		ok  bool
	}{{499_600, true}, {499_600 + 1e-8, true}, {499_600 + 1e-5, false}, {499_600 - 1e-5, false}, {math.Inf(1), false}, {math.NaN(), true}} {
		if err := f.compareFloats(double, &orcwire.DoubleStats{Sum: &c.sum}, &a); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.sum, err)
		}
	}
}
