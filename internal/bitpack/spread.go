package bitpack

import "math/bits"

// nullSlot is the index that the tables below give null slots: of a value that is zero.
const nullSlot = 8

// sources[b][j] is the place, among the values of the slots of validity byte b, of the value of slot j; nullSlot if it
// has none. Its use makes slots independent of each other: a loop that advances by the bit waits for each addition.
var sources = makeSources()

func makeSources() (t [256][8]uint8) {
	for b := range t {
		k := uint8(0)
		for j := range t[b] {
			t[b][j] = nullSlot
			if b>>j&1 == 1 {
				t[b][j] = k
				k++
			}
		}
	}
	return t
}

// Spread moves values to the slots that have one: the k stored values lie at the end of dst, k being the number of set
// bits among the len(dst) validity bits from bit position off on, and go forward to the slots with set bits. Null slots
// become zero. It returns k. So a decoder counts the bits, decodes into the last k places, and calls Spread. It is fast to
// the end where dst has a capacity of eight values more, which are read, whatever they are, and not written.
func Spread[T any](dst []T, valid []byte, off int) (k int) {
	n := len(dst)
	k = CountBits(valid, off, n)
	all := dst[:cap(dst)]
	// s is the next value, and s-i the number of null slots from i on: none left is done, and a write to slots from i
	// on never meets a value that has not been read.
	for i, s := 0, n-k; i < s; i += 64 {
		w := word(valid, off+i)
		if n-i < 64 {
			w &= 1<<uint(n-i) - 1
		}
		set := bits.OnesCount64(w)
		if len(all)-s < set+8 {
			s = spreadEnd(dst, i, s, w)
			continue
		}
		if n-i < 64 {
			spreadTail(dst[i:], all[s:], w)
			break
		}
		d := dst[i : i+64]
		switch changes := bits.OnesCount64(w ^ w<<1); {
		case w == 0:
			clear(d)
		case w == ^uint64(0):
			copy(d, dst[s:s+64])
			s += 64
		case changes <= 4:
			s = spreadRuns(dst, i, s, w)
		default:
			if src := all[s:]; !spreadVectors((*[64]T)(d), src, w) {
				spreadTable((*[64]T)(d), src, w)
			}
			s += set
		}
	}
	return k
}

// spreadTail fills fewer than 64 slots, the last. src has eight values more than w has bits.
func spreadTail[T any](dst, src []T, w uint64) {
	var d [64]T
	if !spreadVectors(&d, src, w) {
		spreadTable(&d, src, w)
	}
	copy(dst, d[:])
}

// spreadTable fills 64 slots by way of the table.
func spreadTable[T any](dst *[64]T, src []T, w uint64) {
	var q [16]T // the next values; the upper half stays zero
	s := 0
	for g := 0; g < 64; g += 8 {
		// One by one: a copy of the whole is a call, because src may overlap.
		v := (*[8]T)(src[s:])
		if byte(w) == 0xff {
			d := (*[8]T)(dst[g&63:])
			d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7] = v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]
			s += 8
			w >>= 8
			continue
		}
		q[0], q[1], q[2], q[3] = v[0], v[1], v[2], v[3]
		q[4], q[5], q[6], q[7] = v[4], v[5], v[6], v[7]
		t := &sources[byte(w)]
		d := (*[8]T)(dst[g&63:])
		d[0], d[1], d[2], d[3] = q[t[0]&15], q[t[1]&15], q[t[2]&15], q[t[3]&15]
		d[4], d[5], d[6], d[7] = q[t[4]&15], q[t[5]&15], q[t[6]&15], q[t[7]&15]
		s += bits.OnesCount64(w & 0xff)
		w >>= 8
	}
}

// spreadRuns fills the 64 slots from i on for a validity word of few runs.
func spreadRuns[T any](dst []T, i, s int, w uint64) int {
	for end := i + 64; i < end; {
		z := min(bits.TrailingZeros64(w), end-i)
		clear(dst[i : i+z])
		i += z
		w >>= uint(z)
		o := min(bits.TrailingZeros64(^w), end-i)
		copy(dst[i:i+o], dst[s:s+o])
		i += o
		s += o
		w >>= uint(o)
	}
	return s
}

// spreadEnd fills up to 64 slots where fewer slots or fewer values are left.
func spreadEnd[T any](dst []T, i, s int, w uint64) int {
	var q [16]T
	for end := min(i+64, len(dst)); i < end; i += 8 {
		b := byte(w)
		w >>= 8
		d := dst[i:min(i+8, end)]
		if len(d) < 8 {
			b &= 1<<len(d) - 1
		}
		if b == 0 {
			clear(d)
			continue
		}
		copy(q[:8], dst[s:min(s+8, len(dst))])
		for j := range d {
			d[j] = q[sources[b][j]&15]
		}
		s += bits.OnesCount8(b)
	}
	return s
}

// ends[b][j] is how many of the slots 0..j of validity byte b have a value.
var ends = makeEnds()

func makeEnds() (t [256][8]uint8) {
	for b := range t {
		k := uint8(0)
		for j := range t[b] {
			k += uint8(b >> j & 1)
			t[b][j] = k
		}
	}
	return t
}

// SpreadOffsets is Spread for the offsets of strings or lists. dst has one place more than there are slots; the k+1
// offsets of the stored values lie at its end. Null slots become empty: their end is that of the slot before. It
// returns k.
func SpreadOffsets(dst []int32, valid []byte, off int) (k int) {
	n := len(dst) - 1
	if n < 0 {
		return 0
	}
	k = CountBits(valid, off, n)
	i, s := 0, n-k // the slot, and the start of the next value
	dst[0] = dst[s]
	all := dst[:cap(dst)]
	for ; i < s; i += 64 {
		w := word(valid, off+i)
		if n-i < 64 {
			w &= 1<<uint(n-i) - 1
		}
		set := bits.OnesCount64(w)
		if len(all)-s < set+9 {
			break
		}
		if n-i < 64 {
			var d [64]int32
			spreadEnds(&d, all[s:], w)
			copy(dst[i+1:], d[:])
			return k
		}
		d := (*[64]int32)(dst[i+1:])
		switch w {
		case 0:
			for j := range d {
				d[j] = dst[s]
			}
		case ^uint64(0):
			copy(d[:], dst[s+1:s+65])
		default:
			spreadEnds(d, all[s:], w)
		}
		s += set
	}
	for ; i < s; i++ {
		s += int(valid[(off+i)>>3] >> ((off + i) & 7) & 1)
		dst[i+1] = dst[s]
	}
	return k
}

// spreadEnds gives 64 slots their ends; src[0] is the end of the slot before them, and src has nine more than w has bits.
func spreadEnds(dst *[64]int32, src []int32, w uint64) {
	if spreadEndsVectors(dst, src, w) {
		return
	}
	var q [16]int32
	s := 0
	for g := 0; g < 64; g += 8 {
		v := (*[9]int32)(src[s:])
		q[0], q[1], q[2], q[3] = v[0], v[1], v[2], v[3]
		q[4], q[5], q[6], q[7], q[8] = v[4], v[5], v[6], v[7], v[8]
		t := &ends[byte(w)]
		d := (*[8]int32)(dst[g&63:])
		d[0], d[1], d[2], d[3] = q[t[0]&15], q[t[1]&15], q[t[2]&15], q[t[3]&15]
		d[4], d[5], d[6], d[7] = q[t[4]&15], q[t[5]&15], q[t[6]&15], q[t[7]&15]
		s += bits.OnesCount64(w & 0xff)
		w >>= 8
	}
}

// deposits[m][v] has the lowest bits of v at the set bits of m.
var deposits = makeDeposits()

func makeDeposits() (t [16][16]uint8) {
	for m := range t {
		for v := range t[m] {
			k := 0
			for j := range 4 {
				if m>>j&1 == 1 {
					t[m][v] |= uint8(v>>k&1) << j
					k++
				}
			}
		}
	}
	return t
}

// SpreadBits is Spread for values of one bit, between two bitmaps: the k values are the bits from srcOff of src on, k
// being the number of set bits among the n validity bits from validOff on. They go to the bits of dst, counted from
// dstOff, whose slots have one; the others of the n become zero. It returns k. dst and src must not overlap.
func SpreadBits(dst []byte, dstOff int, src []byte, srcOff int, valid []byte, validOff, n int) (k int) {
	s := srcOff
	i := 0
	for ; i <= n-64; i += 64 {
		m := word(valid, validOff+i)
		putWord(dst, dstOff+i, deposit(m, word(src, s)))
		s += bits.OnesCount64(m)
	}
	if i < n {
		m := word(valid, validOff+i) & (1<<uint(n-i) - 1)
		putBits(dst, dstOff+i, deposit(m, word(src, s)), n-i)
		s += bits.OnesCount64(m)
	}
	return s - srcOff
}

// deposit places the lowest bits of v at the set bits of m (the PDEP of x86).
func deposit(m, v uint64) (x uint64) {
	if m == ^uint64(0) {
		return v
	}
	for j := uint(0); m != 0; j += 4 {
		x |= uint64(deposits[m&15][v&15]) << (j & 63)
		v >>= uint(bits.OnesCount8(uint8(m & 15)))
		m >>= 4
	}
	return x
}
