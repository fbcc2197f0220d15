package bitpack_test

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
)

func TestPutVarints(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var src []int64
	for k := range 64 {
		for range 20 {
			x := int64(r.Uint64() >> k)
			src = append(src, x, -x, 1<<k, 1<<k-1, -1<<k)
		}
	}
	for _, signed := range []bool{true, false} {
		var want []byte
		for _, x := range src {
			if signed {
				want = binary.AppendVarint(want, x)
			} else {
				want = binary.AppendUvarint(want, uint64(x))
			}
		}
		dst := make([]byte, len(src)*bitpack.MaxVarint64+bitpack.VarintRoom)
		if n := bitpack.PutVarints(dst, src, signed); !bytes.Equal(dst[:n], want) {
			t.Errorf("signed %v: other bytes than encoding/binary writes", signed)
		}
	}
}

func TestPutDecimals(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var src [][2]uint64
	add := func(x *big.Int) {
		m := new(big.Int).And(x, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1)))
		src = append(src, [2]uint64{new(big.Int).And(m, new(big.Int).SetUint64(^uint64(0))).Uint64(), new(big.Int).Rsh(m, 64).Uint64()})
	}
	var want []byte
	for k := range 128 {
		one := new(big.Int).Lsh(big.NewInt(1), uint(k))
		for j := range 12 {
			x := new(big.Int).Rand(r, one)
			switch j {
			case 0:
				x.Sub(one, big.NewInt(1))
			case 1:
				if x.Set(one); k == 127 {
					x.SetInt64(0)
				}
			case 2:
				x.Neg(one)
			}
			if j > 6 {
				x.Neg(x)
			}
			add(x)
			// The zig-zag code, in the words of its definition: 2x, or -2x-1 below zero.
			z := new(big.Int).Lsh(x, 1)
			if x.Sign() < 0 {
				z.Not(z)
			}
			for seven := big.NewInt(127); ; {
				low := byte(new(big.Int).And(z, seven).Uint64())
				if z.Rsh(z, 7); z.Sign() == 0 {
					want = append(want, low)
					break
				}
				want = append(want, low|0x80)
			}
		}
	}
	defer bitpack.VarintsWith(true)
	for _, vectors := range []bool{true, false} {
		bitpack.VarintsWith(vectors)
		dst := make([]byte, len(src)*bitpack.DecimalRoom+bitpack.VarintRoom)
		if n := bitpack.PutDecimals(dst, src); !bytes.Equal(dst[:n], want) {
			t.Errorf("kernels %v: other bytes than the definition has", vectors)
		}
	}
}

func BenchmarkPutDecimals(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	src := make([][2]uint64, 256)
	for i := range src {
		src[i][0] = uint64(r.Int63n(1e15))
	}
	dst := make([]byte, len(src)*bitpack.DecimalRoom+bitpack.VarintRoom)
	for range b.N {
		bitpack.PutDecimals(dst, src)
	}
	b.ReportMetric(float64(b.N)*float64(len(src))/b.Elapsed().Seconds()/1e6, "Mvalues/s")
}
