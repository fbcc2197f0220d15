package bitpack_test

import (
	"bytes"
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// appendBig appends the zig-zag varint of v.
func appendBig(b []byte, v *big.Int) []byte {
	u := new(big.Int).Lsh(v, 1)
	if v.Sign() < 0 {
		u.Not(u)
	}
	for {
		c := byte(new(big.Int).And(u, big.NewInt(127)).Uint64())
		if u.Rsh(u, 7); u.Sign() == 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// toBig makes a number of two words.
func toBig(lo, hi uint64) *big.Int {
	v := big.NewInt(int64(hi))
	return v.Lsh(v, 64).Add(v, new(big.Int).SetUint64(lo))
}

var (
	maxDecimal = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 127), big.NewInt(1))
	minDecimal = new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 127))
)

func randomBig(r *rand.Rand, bits int) *big.Int {
	v := new(big.Int).Rand(r, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
	if r.Intn(2) == 1 {
		v.Not(v)
	}
	return v
}

func TestDecodeDecimals(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, bits := range []int{5, 20, 62, 64, 90, 127} {
		for _, n := range []int{0, 1, 2, 50, 300} {
			for _, spread := range []int{0, 2, 25} {
				const scale = 30
				var src []byte
				scales := make([]int32, n)
				want := make([]*big.Int, n)
				for i := range want {
					scales[i] = scale - int32(r.Intn(spread+1))
					b := bits
					if r.Intn(3) > 0 {
						b = r.Intn(b + 1)
					}
					v := randomBig(r, b)
					p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale-scales[i])), nil)
					x := new(big.Int).Mul(v, p)
					if x.Cmp(maxDecimal) > 0 || x.Cmp(minDecimal) < 0 {
						scales[i], x = scale, v
					}
					want[i] = x
					src = appendBig(src, v)
				}
				size := len(src)
				for _, slack := range []int{0, bitpack.SrcSlack} {
					dst := make([]uint64, 2*n)
					edge := fixtures.AtEdge(t, append(src, noise(r, slack)...), 0)
					k, bound, err := bitpack.DecodeDecimals(dst, edge, scales, scale)
					if k != size || err != nil {
						t.Fatalf("%d values of %d bits: %d of %d bytes, %v", n, bits, k, size, err)
					}
					for i, w := range want {
						if got := toBig(dst[2*i], dst[2*i+1]); got.Cmp(w) != 0 {
							t.Fatalf("%d bits, scale %d: value %d of %d is %v, want %v", bits, scales[i], i, n, got, w)
						}
						if most := new(big.Int).SetUint64(bound); bound < math.MaxUint64 && new(big.Int).Abs(w).Cmp(most) > 0 {
							t.Fatalf("%d bits: no value is to be further from zero than %d, but %v is", bits, bound, w)
						}
					}
				}
				// Cut off.
				if size > 0 {
					cut := r.Intn(size)
					if _, _, err := bitpack.DecodeDecimals(make([]uint64, 2*n), src[:cut], scales, scale); err != bitpack.ErrShort {
						t.Fatalf("%d of %d bytes: %v", cut, size, err)
					}
				}
			}
		}
	}
}

// slowDecimals is DecodeDecimals with scales that are that of the column, a bit at a time.
func slowDecimals(src []byte, n int) (values []*big.Int, size int, err error) {
	for range n {
		x := new(big.Int)
		for i := 0; ; i++ {
			if size == len(src) {
				return nil, 0, bitpack.ErrShort
			}
			b := src[size]
			size++
			if i == 19 {
				return nil, 0, bitpack.ErrVarint
			}
			x.Or(x, new(big.Int).Lsh(big.NewInt(int64(b&0x7f)), uint(7*i)))
			if b < 0x80 {
				break
			}
			if i == 18 {
				return nil, 0, bitpack.ErrVarint
			}
		}
		if x.BitLen() > 128 {
			return nil, 0, bitpack.ErrOverflow
		}
		odd := x.Bit(0) == 1
		x.Rsh(x, 1)
		if odd {
			x.Not(x)
		}
		values = append(values, x)
	}
	return values, size, nil
}

func sameDecimals(t *testing.T, src []byte, n int) {
	t.Helper()
	want, size, wantErr := slowDecimals(src, n)
	dst := make([]uint64, 2*n)
	edge := fixtures.AtEdge(t, src, 0)
	k, _, err := bitpack.DecodeDecimals[int32](dst, edge, nil, 0)
	if err != wantErr || err == nil && k != size {
		t.Fatalf("%d values of % x: %d bytes, %v, want %d, %v", n, src, k, err, size, wantErr)
	}
	for i, w := range want {
		if got := toBig(dst[2*i], dst[2*i+1]); got.Cmp(w) != 0 {
			t.Fatalf("% x: value %d of %d is %v, want %v", src, i, n, got, w)
		}
	}
}

// Varints of every length, with room behind them and without, and sequences of lengths that change.
func TestLongDecimals(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for length := 1; length <= 21; length++ {
		for last := range 128 {
			v := bytes.Repeat([]byte{0x80 | byte(r.Int())}, length)
			v[length-1] = byte(last)
			sameDecimals(t, v, 1)
		}
	}
	for range 300 {
		var src []byte
		most := 1 + r.Intn(19)
		n := r.Intn(60)
		for range n {
			k := most
			if r.Intn(4) == 0 {
				k = 1 + r.Intn(19)
			}
			for range k - 1 {
				src = append(src, 0x80|byte(r.Int()))
			}
			src = append(src, byte(r.Intn(4)))
		}
		sameDecimals(t, src, n)
	}
}

func FuzzDecimals(f *testing.F) {
	f.Add([]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 2, 3}, uint8(3))
	f.Add(bytes.Repeat([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 3}, 6), uint8(6))
	f.Fuzz(func(t *testing.T, src []byte, n uint8) { sameDecimals(t, src, int(n)) })
}

func TestBadDecimals(t *testing.T) {
	ten := big.NewInt(10)
	for _, k := range []struct {
		name   string
		v      *big.Int
		scale  int64
		column int64
		want   error
	}{
		{"largest", maxDecimal, 3, 3, nil},
		{"least", minDecimal, 3, 3, nil},
		{"largest times ten", maxDecimal, 2, 3, bitpack.ErrOverflow},
		{"least times ten", minDecimal, 2, 3, bitpack.ErrOverflow},
		{"one times 10^38", big.NewInt(1), 0, 38, nil},
		{"two times 10^38", big.NewInt(2), 0, 38, bitpack.ErrOverflow},
		{"10^37 times 10", new(big.Int).Exp(ten, big.NewInt(37), nil), 0, 1, nil},
		{"zero, absurd scale", big.NewInt(0), -1 << 40, 2, nil},
		{"one, absurd scale", big.NewInt(1), -1 << 40, 2, bitpack.ErrOverflow},
		{"scale above", big.NewInt(100), 3, 2, bitpack.ErrScale},
		{"large, scale above", maxDecimal, 3, 2, bitpack.ErrScale},
		{"one bit too many", new(big.Int).Lsh(big.NewInt(1), 127), 2, 2, bitpack.ErrOverflow},
	} {
		for _, slack := range []int{0, bitpack.SrcSlack} {
			src := append(appendBig(nil, k.v), make([]byte, slack)...)
			dst := make([]uint64, 2)
			_, _, err := bitpack.DecodeDecimals(dst, src, []int64{k.scale}, k.column)
			if err != k.want {
				t.Errorf("%s: %v", k.name, err)
			}
			if err == nil && k.scale == k.column && toBig(dst[0], dst[1]).Cmp(k.v) != 0 {
				t.Errorf("%s: %v", k.name, toBig(dst[0], dst[1]))
			}
		}
	}
	long := make([]byte, 100)
	for i := range long {
		long[i] = 0x80
	}
	if _, _, err := bitpack.DecodeDecimals(make([]uint64, 2), long, []int32{0}, 0); err != bitpack.ErrVarint {
		t.Errorf("twenty bytes: %v", err)
	}
}

func BenchmarkDecimals(b *testing.B) {
	const n = 1 << 15
	r := rand.New(rand.NewSource(1))
	var src []byte
	same, mixed := make([]int64, n), make([]int64, n)
	for i := range n {
		src = bitpack.AppendZigzag(src, int64(10000+r.Intn(1000000)))
		same[i], mixed[i] = 2, int64(r.Intn(3))
	}
	dst, other := make([]uint64, 2*n), make([]uint64, 2*n)
	for name, f := range map[string]func(){
		"memmove":      func() { copy(dst, other) },
		"same scale":   func() { bitpack.DecodeDecimals(dst, src, same, 2) },
		"mixed scales": func() { bitpack.DecodeDecimals(dst, src, mixed, 2) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(16 * n)
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}
