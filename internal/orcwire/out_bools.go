package orcwire

import (
	"math/bits"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// BoolsOut writes booleans: the reverse of Bools. Open comes first. What it writes depends on the values and on where
// Position came between them, not on how Put got them.
type BoolsOut struct {
	runs byteRunsOut
	last byte // bits of a byte that is not full, the first in the lowest
	have int  // and how many there are
}

// boolBlock is how many bytes are turned round at once.
const boolBlock = 1 << 10

// Open makes w write to o from where that is.
func (w *BoolsOut) Open(o *Out) {
	w.runs.open(o)
	w.last, w.have = 0, 0
}

// Put writes n booleans, the bits of src from off on, lowest bit of a byte first as in Arrow. It does not keep src.
func (w *BoolsOut) Put(src []byte, off, n int) {
	if w.have > 0 && n > 0 {
		k := min(n, 8-w.have)
		var b [1]byte
		bitpack.CopyBits(b[:], 0, src, off, k)
		w.add(b[0], k)
		off, n = off+k, n-k
	}
	var room [boolBlock]byte
	for n >= 8 {
		whole := min(n>>3, boolBlock)
		b := room[:whole]
		if off&7 == 0 {
			bitpack.ReverseBits(b, src[off>>3:off>>3+whole])
		} else {
			bitpack.CopyBits(b, 0, src, off, whole<<3)
			bitpack.ReverseBits(b, b)
		}
		w.runs.put(b)
		off, n = off+whole<<3, n-whole<<3
	}
	if n > 0 {
		var b [1]byte
		bitpack.CopyBits(b[:], 0, src, off, n)
		w.add(b[0], n)
	}
}

// add writes k bits, at most as many as the open byte has room for.
func (w *BoolsOut) add(b byte, k int) {
	w.last |= b << uint(w.have)
	if w.have += k; w.have == 8 {
		one := [1]byte{bits.Reverse8(w.last)}
		w.runs.put(one[:])
		w.last, w.have = 0, 0
	}
}

// PutAll writes n booleans that are all v.
func (w *BoolsOut) PutAll(n int, v bool) {
	var x byte
	if v {
		x = 0xff
	}
	if w.have > 0 && n > 0 {
		k := min(n, 8-w.have)
		w.add(x&(1<<k-1), k)
		n -= k
	}
	if n >= 8 {
		w.runs.repeat(x, n>>3)
		n &= 7
	}
	if n > 0 {
		w.add(x&(1<<n-1), n)
	}
}

// Position ends the run and appends where the next value will be: where the Out is, no bytes to pass over, and the bits
// of the byte there that come before. That byte is written when it is full.
func (w *BoolsOut) Position(dst []uint64) []uint64 {
	w.runs.flush()
	return append(w.runs.o.Position(dst), 0, uint64(w.have))
}

// Flush writes all there is, the last byte padded with zeros. It does not flush the Out. Nothing may be put after it,
// until Open.
func (w *BoolsOut) Flush() {
	if w.have > 0 {
		w.add(0, 8-w.have)
	}
	w.runs.flush()
}
