package cfilewire

import (
	"encoding/binary"
	"math/bits"
)

// RLEBitsOut writes booleans in runs: blocks of them, or the bitmaps of null headers. It is the reverse of RLEBits. Open
// comes first. What it writes depends on the values alone, not on how Put and PutAll got them.
type RLEBitsOut struct {
	literals
	most   int
	count  int
	repeat int    // values of a run that goes on
	value  uint64 // of that run: 0 or 1
	have   int    // values of a group that is not full
	group  byte
}

// Open makes w write blocks of about size bytes, 0 for Kudu's default.
func (w *RLEBitsOut) Open(size int) {
	*w = RLEBitsOut{literals: literals{b: w.b[:0]}, most: blockSize(size)}
}

// PutAll adds n values that are all v.
func (w *RLEBitsOut) PutAll(n int, v bool) {
	w.count += n
	one := uint64(0)
	if v {
		one = 1
	}
	for n > 0 {
		switch {
		case w.repeat > 0 && w.value == one:
			w.repeat += n
			return
		case w.repeat > 0:
			w.flush()
		case w.have == 0 && n >= 8:
			w.end()
			w.repeat, w.value = n, one
			return
		default:
			k := min(n, 8-w.have)
			w.add(byte(-one), k)
			n -= k
		}
	}
}

// flush writes the run that goes on.
func (w *RLEBitsOut) flush() {
	w.run(w.repeat, w.value, 1)
	w.repeat = 0
}

// add adds k bits of b, at most as many as the group has room for.
func (w *RLEBitsOut) add(b byte, k int) {
	w.group |= b & (1<<k - 1) << w.have
	if w.have += k; w.have < 8 {
		return
	}
	g := w.group
	w.have, w.group = 0, 0
	if g+1 <= 1 { // 00 or ff
		w.end()
		w.repeat, w.value = 8, uint64(g&1)
		return
	}
	one := [1]byte{g}
	w.put(one[:], 1)
}

// window is how many bits bitsAt has for sure.
const window = 56

// bitsAt returns the bits of b from off on, at least window of them if there are as many. Others are 0 or what b has.
func bitsAt(b []byte, off int) uint64 {
	i := off >> 3
	if len(b)-i >= 8 {
		return binary.LittleEndian.Uint64(b[i:]) >> (off & 7)
	}
	var x uint64
	for k, c := range b[i:] {
		x |= uint64(c) << (8 * k)
	}
	return x >> (off & 7)
}

// Put adds n values, the bits of src from off on.
func (w *RLEBitsOut) Put(src []byte, off, n int) {
	w.count += n
	if w.have > 0 && n > 0 {
		k := min(n, 8-w.have)
		w.add(byte(bitsAt(src, off)), k)
		off, n = off+k, n-k
	}
	for n > 0 {
		if w.repeat > 0 {
			k := sameBits(src, off, n, w.value)
			w.repeat += k
			if off, n = off+k, n-k; n == 0 {
				return
			}
			w.flush()
		}
		x := bitsAt(src, off)
		if n < 8 {
			w.add(byte(x), n)
			return
		}
		if byte(x)+1 <= 1 {
			w.end()
			w.repeat, w.value = 8, x&1
			off, n = off+8, n-8
			continue
		}
		k := min(literalBytes(x), n>>3, w.left())
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], x)
		w.put(b[:k], k)
		off, n = off+8*k, n-8*k
	}
}

// literalBytes returns how many of the first bytes of a window are neither 00 nor ff.
func literalBytes(x uint64) int {
	const low, high = 0x0101010101010101, 0x8080808080808080
	y := ^x
	stop := ((x-low)&y | (y-low)&x) & high // its lowest bit is right: only above it can there be false ones
	return min(window, bits.TrailingZeros64(stop)) >> 3
}

// sameBits returns how many of the n bits from off on are v, before the first that is not.
func sameBits(src []byte, off, n int, v uint64) (k int) {
	for k < n {
		same := bits.TrailingZeros64(bitsAt(src, off+k) ^ -v)
		if same < window {
			return min(k+same, n)
		}
		k += window
		if (off+k)&7 == 0 {
			for len(src)-(off+k)>>3 >= 8 && n-k >= 64 && binary.LittleEndian.Uint64(src[(off+k)>>3:]) == -v {
				k += 64
			}
		}
	}
	return n
}

// Count returns how many values the block has.
func (w *RLEBitsOut) Count() int { return w.count }

// Full reports whether the block has more bytes than it should have, not counting what Kudu has not written at this
// point: a run that goes on, less than a group.
func (w *RLEBitsOut) Full() bool { return headBytes+len(w.b) > w.most }

// Room returns how many values can be put for sure before the block is full.
func (w *RLEBitsOut) Room() int { return max(0, (w.most-headBytes-len(w.b)-16)/2-1) * 8 }

// Finish appends the block, whose first row is ordinal, to dst, and starts another.
func (w *RLEBitsOut) Finish(dst []byte, ordinal uint32) []byte {
	return w.FinishStream(appendHead(dst, w.count, ordinal))
}

// FinishStream is Finish for runs without a header, as null bitmaps have none.
func (w *RLEBitsOut) FinishStream(dst []byte) []byte {
	if w.have > 0 {
		all := byte(1<<w.have - 1)
		if w.at == 0 && (w.group == 0 || w.group == all) {
			w.run(w.have, uint64(w.group&1), 1)
		} else {
			one := [1]byte{w.group}
			w.put(one[:], 1)
		}
		w.have, w.group = 0, 0
	}
	w.end()
	w.flush()
	dst = append(dst, w.b...)
	w.b, w.count = w.b[:0], 0
	return dst
}
