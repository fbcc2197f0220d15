package floattext

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, text := range []string{
		"0", "-0", "0.0", "0e9", "0.000e-999999999999999999999", "1", "0.1", "-0.1", "1.50", "1e5", "1E+05", "1e308", "5e-324", "4.9e-324",
		"0.30000000000000004", "0.10000000000000001", // repr, %.17g
		"1.000000000000000055511e-01", "0.10000000000000000555", // %.21e, %.20f
		"1.7976931348623157e308", "2.2250738585072014e-308", "9007199254740993.0"[:15], "9.5367431640625e-07",
		"1.000000000000000000000000000", "100000000000000000000000.0", "0000000000000000000000000.5", "123456789012.3450",
		strconv.FormatFloat(math.Pi, 'f', 48, 64), strconv.FormatFloat(math.SmallestNonzeroFloat64, 'f', 1074, 64),
	} {
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got, kept := Parse([]byte(text)); !kept || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%s: %v, kept %v", text, got, kept)
		}
	}
	for _, text := range []string{
		"", "x", "1e400", "1e-400", "1e-99999999999999999999", "0.1234567890123456789", "12345678901234567.89", "9007199254740993.0",
		"1.00000000000000001", "3.14159265358979323846", "123456789012345678901234567890.12", "-99999999999999999.99",
		"0.1" + strings.Repeat("0", 5000) + "1",
	} {
		if got, kept := Parse([]byte(text)); kept {
			t.Errorf("%s is kept as %v", text, got)
		}
	}
}

// What is kept lies, as a fraction, nearer to the float than half a unit of the text's last digit, and what is not does not.
func TestParseAgainstFractions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		digits := 1 + r.IntN(22)
		text := strconv.Itoa(1 + r.IntN(9))
		for range digits - 1 {
			text += strconv.Itoa(r.IntN(10))
		}
		text = strings.TrimRight(text, "0")
		if r.IntN(3) == 0 {
			text = strings.ReplaceAll(strconv.FormatFloat(r.Float64(), 'f', digits, 64), "0.", "")
			if text = strings.Trim(text, "0"); text == "" {
				continue
			}
		}
		power := r.IntN(60) - 30
		v, kept := Parse(fmt.Appendf(nil, "%se%d", text, power))
		number, _ := new(big.Rat).SetString(fmt.Sprintf("%se%d", text, power))
		unit, _ := new(big.Rat).SetString(fmt.Sprintf("1e%d", power))
		far := new(big.Rat).Sub(number, new(big.Rat).SetFloat64(v))
		nearer := far.Abs(far).Cmp(unit.Quo(unit, big.NewRat(2, 1)))
		if kept != (nearer < 0) && nearer != 0 {
			t.Errorf("%se%d: kept %v", text, power, kept)
		}
	}
}

// What programs print for a float64 is kept, powers of two and their neighbours among them.
func TestParseKeepsPrintedFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 20_000 {
		v := math.Float64frombits(r.Uint64() &^ (1 << 63))
		if i < 2046*3 {
			v = math.Float64frombits(uint64(i/3+1)<<52 + uint64(i%3) - 1)
		}
		if math.IsInf(v, 0) || math.IsNaN(v) {
			continue
		}
		for _, digits := range []int{-1, 16, 17, 20} {
			text := strconv.FormatFloat(v, 'e', digits, 64)
			if got, kept := Parse([]byte(text)); !kept || got != v {
				t.Errorf("%s: %v, kept %v", text, got, kept)
			}
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, text := range []string{"12.25", "0.30000000000000004", "0.1234567890123456789"} {
		b.Run(text, func(b *testing.B) {
			for range b.N {
				Parse([]byte(text))
			}
		})
	}
}
