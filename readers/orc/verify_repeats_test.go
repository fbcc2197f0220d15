package orc

import (
	"encoding/hex"
	"math"
	"math/big"
	"testing"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// wrapped is a file by the writer of Hive 3.1.3, of 500 rows in one vector each that repeats: a, 1700000000000000000, and b, 2^62. Their sums
// do not fit 64 bits; the lower 64 bits of them are in its statistics.
const wrapped = "" +
	"4f52430a07120508f40350000a2b0a020000122508f403121e088080d0e2c6bfce972f108080d0e2c6bfce972f188080c0a0b9a0d09e2850000a250a" +
	"020000121f08f40312180880808080808080808001108080808080808080800118005000c1f38080d0e2c6bfce972f00c1f380808080808080808001" +
	"000a060806100018090a0608061001182d0a060806100218270a0608011001180c0a0608011002180d1202080012020802120208020a530a0508f403" +
	"50000a2708f403121e088080d0e2c6bfce972f108080d0e2c6bfce972f188080c0a0b9a0d09e285000580c0a2108f403121808808080808080808080" +
	"01108080808080808080800118005000580d080310ad011a0b0803105d1819203428f403220c080c120201021a01611a0162220208042202080430f4" +
	"033a0508f40350003a2708f403121e088080d0e2c6bfce972f108080d0e2c6bfce972f188080c0a0b9a0d09e285000580c3a2108f403121808808080" +
	"80808080808001108080808080808080800118005000580d40904e480008830110002202000c2855300782f403034f524314"

func TestWrappedSums(t *testing.T) {
	b, err := hex.DecodeString(wrapped)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range faults(t, showBytes(t, b, Options{})) {
		t.Error(e)
	}
	java := &File{quirks: orcwire.Quirks{Writer: orcwire.WriterJava, Version: 9}}
	hive := &File{quirks: orcwire.Quirks{Writer: orcwire.WriterJava, Version: 7, WrapsSums: true}}
	var a, small tally
	for range 500 {
		a.int(1_700_000_000_000_000_000)
		small.int(17)
	}
	for _, c := range []struct {
		of   *tally
		sum  int64
		ok   bool // of Hive
		java bool
	}{
		{&a, 1_449_772_609_360_625_664, true, false}, // 850·10^18 less 46·2^64
		{&a, 1_449_772_609_360_625_665, false, false},
		{&a, 0, false, false},
		{&small, 8500, true, true},
		{&small, 8501, false, false},
	} {
		s := &orcwire.IntStats{Sum: &c.sum}
		if err := hive.compareInts(s, c.of); (err == nil) != c.ok {
			t.Errorf("%d: %v", c.sum, err)
		}
		if err := java.compareInts(s, c.of); (err == nil) != c.java {
			t.Errorf("%d, of a later writer: %v", c.sum, err)
		}
	}
}

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
