package bitpack

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// marked[b][j] is the place of the set bit number j of byte b; what is behind the last is 0. See sources, which is its inverse.
var marked = makeMarked()

func makeMarked() (t [256][8]uint8) {
	for b := range t {
		k := 0
		for j := range uint8(8) {
			if b>>j&1 == 1 {
				t[b][k] = j
				k++
			}
		}
	}
	return t
}

// Pick is the inverse of Spread: it moves the values of src that are marked to the front of dst, and returns how many these are.
// marks is of len(src) slots. What is behind them in dst is arbitrary afterwards. dst has room for them, and may be src, or begin before
// src where both overlap.
func Pick[T any](dst, src []T, marks Marks) int {
	if len(src) == 0 {
		return 0
	}
	_ = marks[MarkWords(len(src))-1]
	to, i := 0, 0 // the next value goes to dst[to]; words before i are done
	for whole := len(src) / 64; i < whole; {
		// As many words as there is room for if all their values are marked: less than all are, so that more fit afterwards.
		n := min(whole-i, (len(dst)-to)/64)
		if n == 0 {
			break
		}
		k, ok := pickVectors(dst[to:], src[64*i:], marks[i:i+n])
		if !ok {
			k = pickTable(dst[to:], src[64*i:], marks[i:i+n])
		}
		to, i = to+k, i+n
	}
	for ; 64*i < len(src); i++ {
		s := src[64*i:]
		for w := marks[i]; w != 0; w &= w - 1 {
			dst[to] = s[bits.TrailingZeros64(w)]
			to++
		}
	}
	return to
}

// pickTable picks by way of the table. dst has room for all values of the words.
func pickTable[T any](dst, src []T, marks Marks) int {
	to := 0
	for i, w := range marks {
		s := (*[64]T)(src[64*i:])
		if w == 0 {
			continue
		}
		for g := 0; g < 64; g += 8 {
			v := (*[8]T)(s[g&63:])
			t := &marked[byte(w)]
			// All are read before one is written: dst may be src.
			a, b, c, d := v[t[0]&7], v[t[1]&7], v[t[2]&7], v[t[3]&7]
			e, f, h, j := v[t[4]&7], v[t[5]&7], v[t[6]&7], v[t[7]&7]
			o := (*[8]T)(dst[to:])
			o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7] = a, b, c, d, e, f, h, j
			to += bits.OnesCount64(w & 0xff)
			w >>= 8
		}
	}
	return to
}

// extracts[m][v] has the bits of v at the set bits of m, from the lowest bit on.
var extracts = makeExtracts()

func makeExtracts() (t [16][16]uint8) {
	for m := range t {
		for v := range t[m] {
			k := 0
			for j := range 4 {
				if m>>j&1 == 1 {
					t[m][v] |= uint8(v>>j&1) << k
					k++
				}
			}
		}
	}
	return t
}

// extract moves the bits of v at the set bits of m together (the PEXT of x86).
func extract(m, v uint64) (x uint64) {
	if m == ^uint64(0) {
		return v
	}
	for k := uint(0); m != 0; m >>= 4 {
		x |= uint64(extracts[m&15][v&15]) << (k & 63)
		k += uint(bits.OnesCount8(uint8(m & 15)))
		v >>= 4
	}
	return x
}

// PickBits is Pick for values of one bit, between two bitmaps: those of the n bits of src from srcOff on that are marked go to dst
// from dstOff on. Other bits of dst stay as they are. dst may be src, if dstOff is not behind srcOff.
func PickBits(dst []byte, dstOff int, src []byte, srcOff, n int, marks Marks) int {
	to := dstOff
	next, have := uint64(0), 0 // bits that are not written yet
	for i := 0; i < n; i += 64 {
		m := marks[i/64]
		x, k := extract(m, word(src, srcOff+i)), bits.OnesCount64(m)
		next |= x << have
		if have+k >= 64 {
			putWord(dst, to, next)
			to += 64
			next = x >> (64 - have) // 0 where have is 0
			have -= 64
		}
		have += k
	}
	putBits(dst, to, next, have)
	return to + have - dstOff
}

// longText is up to how many bytes of a text are copied without a branch on their number.
const longText = 64

// PickTexts copies texts, text i being src[starts[i]:stops[i]], one behind another to dst from byte at on, and returns where the last one
// ends. stops[i] becomes where text i ends in dst, and shift. The texts ascend. What is behind them in dst, up to 64 bytes, becomes
// arbitrary. dst may be src, if the first text does not begin before at.
func PickTexts(dst []byte, at int, src []byte, starts, stops []int32, shift int) int {
	starts = starts[:len(stops)]
	same := unsafe.SliceData(dst) == unsafe.SliceData(src)
	for i := 0; i < len(stops); {
		// Texts that are near to where they go, long ones, and the last of both slices.
		for first := i; i < len(stops); i++ {
			from := int(starts[i])
			n := int(stops[i]) - from
			near := same && from-at < longText
			if i > first && !near && n <= longText {
				break
			}
			switch {
			case n > longText || near || len(dst)-at < longText || len(src)-from < longText:
				if !same || from != at {
					copy(dst[at:at+n], src[from:from+n])
				}
			default:
				*(*[longText]byte)(dst[at:]) = *(*[longText]byte)(src[from:])
			}
			at += n
			stops[i] = int32(at + shift)
		}
		n, to := pickTexts(dst, at, src, starts[i:], stops[i:], shift)
		i, at = i+n, to
	}
	return at
}

// pickTextsWords is pickTexts for machines without vectors.
func pickTextsWords(dst []byte, at int, src []byte, starts, stops []int32, shift int) (done, to int) {
	for i := range stops {
		from := int(starts[i])
		n := int(stops[i]) - from
		if uint(n) > longText || from > len(src)-longText || at > len(dst)-longText {
			return i, at
		}
		move64(dst[at:], src[from:])
		at += n
		stops[i] = int32(at + shift)
	}
	return len(stops), at
}

// move64 copies 64 bytes.
func move64(dst, src []byte) {
	d, s := (*[64]byte)(dst), (*[64]byte)(src)
	le := binary.LittleEndian
	for i := 0; i < 64; i += 32 {
		w, x, y, z := le.Uint64(s[i:]), le.Uint64(s[i+8:]), le.Uint64(s[i+16:]), le.Uint64(s[i+24:])
		le.PutUint64(d[i:], w)
		le.PutUint64(d[i+8:], x)
		le.PutUint64(d[i+16:], y)
		le.PutUint64(d[i+24:], z)
	}
}
