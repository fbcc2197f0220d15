package orcwire

import (
	"encoding/binary"
	"math/bits"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// KeepsFew reports whether NextKept takes few of many values for less than Next and bitpack.Pick: runs of version 2 tell where each value is.
func (r *Ints[T]) KeepsFew() bool { return r.v2 }

// manyKept is of how many values of a run one is kept, or more, where all of it is decoded.
const manyKept = 8

// NextKept passes over the next n values and copies those that are marked to dst, which has room for as many. Values that are not kept need
// not be valid.
func (r *Ints[T]) NextKept(dst []T, n int, marks bitpack.Marks) error {
	for at := 0; at < n; {
		k := n - at
		switch {
		case r.same > 0:
			k = min(k, r.same)
			c := marks.CountPart(at, k)
			fill(dst[:c], r.value)
			dst, r.same = dst[c:], r.same-k
		case len(r.rest) > 0:
			k = min(k, len(r.rest))
			dst = dst[pickPart(dst, r.rest[:k], marks, at):]
			r.rest = r.rest[k:]
		case !r.v2:
			k = min(k, maxRun)
			if len(r.kept) < k {
				r.kept = make([]T, maxRun)
			}
			if err := r.Next(r.kept[:k]); err != nil {
				return err
			}
			dst = dst[pickPart(dst, r.kept[:k], marks, at):]
		default:
			var h run2
			if err := r.header2(&h); err != nil {
				return err
			}
			if h.n > k { // the rest of it comes next
				out := r.target(nil, h.n)
				if err := r.expand(out, &h); err != nil {
					return err
				}
				r.rest, k = out, 0
			} else {
				c, err := r.pickRun(dst, &h, marks, at)
				if err != nil {
					return err
				}
				dst, k = dst[c:], h.n
			}
			r.b.win = r.b.win[h.used:]
		}
		at += k
	}
	return nil
}

// pickRun copies those values of a run, of which everything is visible, that are marked from slot at on, and returns how many these are.
func (r *Ints[T]) pickRun(dst []T, h *run2, marks bitpack.Marks, at int) (int, error) {
	c := marks.CountPart(at, h.n)
	if c == 0 {
		return 0, nil
	}
	if h.kind == direct && h.width <= r.bits && c*manyKept < h.n {
		src := r.b.readable()[h.data:]
		left := 64 - h.width
		dst, k := dst[:c], 0
		for i := 0; i < h.n; i += 64 {
			for w := marks.Part(at+i, at+h.n); w != 0; w &= w - 1 {
				bit := uint(i+bits.TrailingZeros64(w)) * h.width
				// No width is above 57 but 64, of which each value begins a byte.
				v := binary.BigEndian.Uint64(src[bit>>3:]) << (bit & 7) >> (left & 63)
				if r.signed {
					v = unzigzag(v)
				}
				dst[k] = T(v)
				k++
			}
		}
		return c, nil
	}
	if h.kind == shortRepeat || h.kind == delta && h.width == 0 {
		if !r.stepsFit(h.n, h.base, h.step) {
			return 0, ErrRange
		}
		dst, k := dst[:c], 0
		for i := 0; i < h.n; i += 64 {
			for w := marks.Part(at+i, at+h.n); w != 0; w &= w - 1 {
				dst[k] = T(h.base) + T(i+bits.TrailingZeros64(w))*T(h.step)
				k++
			}
		}
		return c, nil
	}
	out := r.target(nil, h.n)
	if err := r.expand(out, h); err != nil {
		return 0, err
	}
	return pickPart(dst, out, marks, at), nil
}

// pickPart copies those values of src that are marked from slot at on, and returns how many these are.
func pickPart[T Integer](dst, src []T, marks bitpack.Marks, at int) int {
	k := 0
	for i := 0; i < len(src); i += 64 {
		for w := marks.Part(at+i, at+len(src)); w != 0; w &= w - 1 {
			dst[k] = src[i+bits.TrailingZeros64(w)]
			k++
		}
	}
	return k
}
