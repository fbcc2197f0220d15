package tableprofile

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/decimal128"
)

// How far decimals are apart is the double next to the exact difference.
func TestAway128(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() decimal128.Num {
		return decimal128.New(int64(r.Uint64())>>r.IntN(64), r.Uint64()>>r.IntN(64))
	}
	ends := []decimal128.Num{decimal128.New(math.MaxInt64, math.MaxUint64), decimal128.New(math.MinInt64, 0), {}, decimal128.FromI64(-1), decimal128.New(0, math.MaxUint64)}
	for i := range 100_000 {
		v, from := random(), random()
		if i < 100 {
			v = ends[i%len(ends)]
			if i < 50 {
				from = ends[i/len(ends)%len(ends)]
			}
		}
		want, _ := new(big.Float).SetInt(new(big.Int).Sub(v.BigInt(), from.BigInt())).Float64()
		if got := away128(v, from); got != want || math.Signbit(got) != math.Signbit(want) {
			t.Fatalf("%v - %v = %g, want %g", v.BigInt(), from.BigInt(), got, want)
		}
	}
}
