package trevni

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/trevniwire"
)

// shortest is Avro's two's complement of x, from its definition: the fewest bytes whose range has x.
func shortest(x *big.Int) []byte {
	for n := 1; ; n++ {
		limit := new(big.Int).Lsh(big.NewInt(1), uint(8*n-1))
		if x.Cmp(limit) >= 0 || x.Cmp(new(big.Int).Neg(limit)) < 0 {
			continue
		}
		y := new(big.Int).Set(x)
		if y.Sign() < 0 {
			y.Add(y, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
		}
		return y.FillBytes(make([]byte, n))
	}
}

func TestDecimalBytes(t *testing.T) {
	var all []*big.Int
	for bit := range uint(126) {
		for d := int64(-2); d <= 2; d++ {
			x := new(big.Int).Lsh(big.NewInt(1), bit)
			x.Add(x, big.NewInt(d))
			all = append(all, x, new(big.Int).Neg(x))
		}
	}
	b := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: 38, Scale: 2})
	for _, x := range all {
		b.Append(decimal128.FromBigInt(x))
	}
	var l leafBuffers
	v, err := l.decimals128(b.NewDecimal128Array(), &field{Node: &trevniwire.Node{}})
	if err != nil {
		t.Fatal(err)
	}
	got := v.(bytesValues)
	for i, x := range all {
		if g, want := got.data[got.offsets[i]:got.offsets[i+1]], shortest(x); !bytes.Equal(g, want) {
			t.Errorf("%v is % x, want % x", x, g, want)
		}
	}
}

func TestDecimalPrecision(t *testing.T) {
	for digits := int32(1); digits <= 38; digits++ {
		end := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
		for _, sign := range []int64{1, -1} {
			for _, less := range []int64{0, 1} {
				x := new(big.Int).Mul(new(big.Int).Sub(end, big.NewInt(less)), big.NewInt(sign))
				b := array.NewDecimal128Builder(memory.DefaultAllocator, &arrow.Decimal128Type{Precision: digits})
				b.Append(decimal128.FromBigInt(x))
				var l leafBuffers
				if _, err := l.decimals128(b.NewDecimal128Array(), &field{Node: &trevniwire.Node{}}); (err == nil) != (less == 1) {
					t.Errorf("%v with %d digits: %v", x, digits, err)
				}
			}
		}
	}
}
