package decimaltext

import (
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
)

// Digits are those of math/big, around each power of two and of ten.
func TestAppend(t *testing.T) {
	t.Parallel()
	one := big.NewInt(1)
	var all []*big.Int
	for _, base := range []int64{2, 10} {
		for e := int64(0); e < 256; e++ {
			p := new(big.Int).Exp(big.NewInt(base), big.NewInt(e), nil)
			for d := int64(-1); d <= 1; d++ {
				v := new(big.Int).Add(p, big.NewInt(d))
				all = append(all, v, new(big.Int).Neg(v))
			}
		}
	}
	rng := rand.New(rand.NewSource(1))
	for range 20_000 {
		v := new(big.Int).Rand(rng, new(big.Int).Lsh(one, uint(1+rng.Intn(254))))
		all = append(all, v, new(big.Int).Neg(v))
	}
	for _, v := range all {
		scale := int32(rng.Intn(80) - 5)
		want := plain(v, int(scale))
		if v.BitLen() < 128 {
			if got := string(Append128([]byte("x"), decimal128.FromBigInt(v), scale)); got != "x"+want {
				t.Fatalf("128 bits, %v, scale %d: %s, want x%s", v, scale, got, want)
			}
		}
		if v.BitLen() < 256 {
			if got := string(Append256(nil, decimal256.FromBigInt(v), scale)); got != want {
				t.Fatalf("256 bits, %v, scale %d: %s, want %s", v, scale, got, want)
			}
		}
	}
	least := decimal128.New(-1<<63, 0)
	if got := string(Append128(nil, least, 0)); got != "-170141183460469231731687303715884105728" {
		t.Errorf("the least number is %s", got)
	}
}

// The point lies where the scale says, and zeros are put where there are no digits.
func TestScale(t *testing.T) {
	for _, c := range []struct {
		digits string
		scale  int32
		want   string
	}{{"0", 0, "0"}, {"0", -3, "0"}, {"5", -3, "5000"}, {"-5", 3, "-0.005"}, {"12345", 2, "123.45"}, {"5", 1, "0.5"}} {
		if got := string(Append(nil, []byte(c.digits), c.scale)); got != c.want {
			t.Errorf("%s, scale %d: %s, want %s", c.digits, c.scale, got, c.want)
		}
	}
}

// plain writes v with its point by cutting its text.
func plain(v *big.Int, scale int) string {
	text := new(big.Int).Abs(v).String()
	sign := ""
	if v.Sign() < 0 {
		sign = "-"
	}
	if scale <= 0 {
		if v.Sign() == 0 {
			return text
		}
		return sign + text + strings.Repeat("0", -scale)
	}
	text = strings.Repeat("0", max(0, scale+1-len(text))) + text
	return sign + text[:len(text)-scale] + "." + text[len(text)-scale:]
}

func BenchmarkAppend128(b *testing.B) {
	b.ReportAllocs()
	var dst []byte
	for i := range b.N {
		dst = Append128(dst[:0], decimal128.FromI64(int64(i)*1_000_003), 2)
	}
}
