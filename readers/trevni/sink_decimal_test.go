package trevni

import (
	"encoding/binary"
	"errors"
	"math/big"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Decimals of any length and precision are what math/big makes of their bytes, and refused where they have more digits.
func TestDecimalWords(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewSource(1))
	one := big.NewInt(1)
	for range 20_000 {
		precision := 1 + rng.Intn(76)
		bound := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil)
		var v *big.Int
		switch rng.Intn(5) {
		case 0: // the largest and the smallest that fit, and those beside them
			v = new(big.Int).Add(bound, big.NewInt(int64(rng.Intn(3)-2)))
		case 1: // around powers of two
			v = new(big.Int).Lsh(one, uint(rng.Intn(330)))
			v.Add(v, big.NewInt(int64(rng.Intn(3)-1)))
		default:
			v = new(big.Int).Rand(rng, new(big.Int).Lsh(one, uint(1+rng.Intn(260))))
		}
		if rng.Intn(2) == 0 {
			v.Neg(v)
		}
		b := twosComplement(v, rng.Intn(4))
		// Two values: behind the second there are no bytes that could be looked at.
		raw := append(binary.AppendVarint(nil, int64(len(b))), b...)
		raw = append(raw, raw...)
		raw = raw[:len(raw):len(raw)]
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		k := newDecimalSink(precision, &arrowbuf.Arena{Allocator: mem})
		c := &column{Column: &trevniwire.Column{}, raw: raw}
		err := k.plain(c, 2)
		if fits := new(big.Int).Abs(v).Cmp(bound) < 0; fits != (err == nil) || fits != k.fits(b) || err != nil && !errors.Is(err, errs.ErrSchema) {
			t.Fatalf("%v with precision %d: %v, fits %v, %v", v, precision, err, k.fits(b), fits)
		}
		if err == nil {
			buf := k.take()[0]
			width := buf.Len() / 2
			for i := range 2 {
				var words [4]uint64
				for j := range words {
					if j < width/8 {
						words[j] = binary.LittleEndian.Uint64(buf.Bytes()[i*width+8*j:])
					} else if int64(words[j-1]) < 0 {
						words[j] = ^uint64(0)
					}
				}
				if got := decimal256.New(words[3], words[2], words[1], words[0]).BigInt(); got.Cmp(v) != 0 {
					t.Fatalf("value %d: %v, want %v, %x", i, got, v, b)
				}
			}
			if c.p != len(raw) {
				t.Fatalf("%v: %d of %d bytes read", v, c.p, len(raw))
			}
			buf.Release()
		}
		k.release()
		mem.AssertSize(t, 0)
	}
}

// twosComplement returns v as big-endian two's complement, with more bytes than it needs.
func twosComplement(v *big.Int, more int) []byte {
	n := v.BitLen()/8 + 1 + more
	if v.Sign() < 0 {
		v = new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	return v.FillBytes(make([]byte, n))
}
