package extsort

import (
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// validity says which of n slots have a value, whatever takes it away: their own bitmap, a struct around them, an entry
// of a dictionary.
type validity struct {
	n     int
	bits  []byte // n of them; what is behind is arbitrary
	other []byte // scratch
}

// reset makes n slots valid.
func (v *validity) reset(n int) {
	v.n = n
	v.bits = resize(v.bits, (n+7)/8)
	for i := range v.bits {
		v.bits[i] = 0xFF
	}
}

func (v *validity) clear() { clear(v.bits) }

func (v *validity) get(i int) bool { return v.bits[i>>3]>>(i&7)&1 != 0 }
func (v *validity) unset(i int)    { v.bits[i>>3] &^= 1 << (i & 7) }

func (v *validity) all() bool { return bitpack.CountBits(v.bits, 0, v.n) == v.n }

// and clears the bits whose slots are null by the bitmap of s itself.
func (v *validity) and(s slots) {
	src := validityOf(s.d)
	if len(src) == 0 || s.n == 0 {
		return
	}
	v.other = resize(v.other, len(v.bits))
	bitpack.CopyBits(v.other, 0, src, s.off, s.n)
	for i, b := range v.other {
		v.bits[i] &= b
	}
}

// eachNull calls f with the slots that have no value.
func (v *validity) eachNull(f func(i int)) {
	for k, b := range v.bits {
		for x := ^b; x != 0; x &= x - 1 {
			if i := 8*k + bits.TrailingZeros8(x); i < v.n {
				f(i)
			}
		}
	}
}

// validityOf returns the bitmap of d; nil where it has no nulls.
func validityOf(d arrow.ArrayData) []byte {
	b := d.Buffers()
	if len(b) == 0 || b[0] == nil || d.NullN() == 0 {
		return nil
	}
	return b[0].Bytes()
}
