package cfilewire

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// lz4Out packs LZ4 blocks into the very bytes that the LZ4 library makes of them at its default speed, as Kudu has it do.
// The format leaves the choice of matches to the writer; the library's is this:
//
//   - The last twelve bytes start no match, and the last five are in none. Fewer than thirteen bytes are not looked at.
//   - A table leads from the hash of four bytes, or of five where src is long, to where they were last; what was never
//     entered leads to the start. It is entered for every place that is looked at, and for the place two bytes before
//     the end of each match.
//   - After 64 places without a match only every second one is looked at, after 64 more every third, and so on.
//   - A match is made longer at its front, then at its back. Right behind it another one is tried first.
//
// The zero value is ready.
type lz4Out struct {
	near [1 << lz4NearBits]uint16
	far  [1 << lz4FarBits]uint32
}

const (
	lz4NearBits = 13
	lz4FarBits  = 12
	lz4Long     = 64<<10 + 11 // of so many bytes on src is long
	lz4Distance = 1<<16 - 1
	lz4Least    = 4  // bytes of a match
	lz4Tail     = 5  // bytes at the end that are in no match
	lz4NoStart  = 12 // and that start none
	lz4Step     = 16 // bytes that literals are copied by
)

// lz4Bound returns how many bytes a block of n can become, with room for wide stores.
func lz4Bound(n int) int { return n + n/255 + 16 + lz4Step }

// append appends the block that src makes to dst. They must not overlap.
func (z *lz4Out) append(dst, src []byte) []byte {
	dst = slices.Grow(dst, lz4Bound(len(src)))
	room := dst[len(dst):cap(dst)]
	n := 0
	switch {
	case len(src) <= lz4NoStart:
		n = lz4End(room, src)
	case len(src) < lz4Long:
		clear(z.near[:])
		n = z.packNear(room, src)
	default:
		clear(z.far[:])
		n = z.packFar(room, src)
	}
	return dst[:len(dst)+n]
}

// lz4End writes the literals that a block ends with.
func lz4End(dst, src []byte) int {
	p := lz4Token(dst, len(src))
	return p + copy(dst[p:], src)
}

// lz4Token writes a token for so many literals, and what the token has no room for.
func lz4Token(dst []byte, n int) (p int) {
	if n < 15 {
		dst[0] = byte(n << 4)
		return 1
	}
	dst[0] = 15 << 4
	p = 1
	for n -= 15; n >= 255; n -= 255 {
		dst[p] = 255
		p++
	}
	dst[p] = byte(n)
	return p + 1
}

// lz4Match writes where a match is, and that it has n bytes more than the least; the token is at t.
func lz4Match(dst []byte, t, p, distance, n int) int {
	binary.LittleEndian.PutUint16(dst[p:], uint16(distance))
	p += 2
	if n < 15 {
		dst[t] |= byte(n)
		return p
	}
	dst[t] |= 15
	for n -= 15; n >= 255; n -= 255 {
		dst[p] = 255
		p++
	}
	dst[p] = byte(n)
	return p + 1
}

// lz4Same returns how many bytes of src from a on, which come before the tail, are those from b on; b is before a.
func lz4Same(src []byte, a, b int) (n int) {
	end := len(src) - lz4Tail
	for a+n <= end-8 {
		if x := binary.LittleEndian.Uint64(src[a+n:]) ^ binary.LittleEndian.Uint64(src[b+n:]); x != 0 {
			return n + bits.TrailingZeros64(x)>>3
		}
		n += 8
	}
	for a+n < end && src[a+n] == src[b+n] {
		n++
	}
	return n
}

func lz4HashNear(v uint32) uint32 { return v * 2654435761 >> (32 - lz4NearBits) }

func lz4HashFar(v uint64) uint32 { return uint32(v << 24 * 889523592379 >> (64 - lz4FarBits)) }

// packNear packs src whose places have 16 bits. It is packFar but for the table and the distances, of which none is too
// far here.
func (z *lz4Out) packNear(dst, src []byte) (p int) {
	table := &z.near
	last := len(src) - lz4NoStart + 1 // the first place that is not looked at
	anchor := 0                       // where what is not written starts
	table[lz4HashNear(binary.LittleEndian.Uint32(src))] = 0
	at := 1
	h := lz4HashNear(binary.LittleEndian.Uint32(src[1:]))
	for {
		match := 0
		for next, step, tries := at, 1, 1<<6; ; {
			at = next
			next += step
			step = tries >> 6
			tries++
			if next > last {
				return p + lz4End(dst[p:], src[anchor:])
			}
			match = int(table[h])
			table[h] = uint16(at)
			h = lz4HashNear(binary.LittleEndian.Uint32(src[next:]))
			if binary.LittleEndian.Uint32(src[match:]) == binary.LittleEndian.Uint32(src[at:]) {
				break
			}
		}
		for at > anchor && match > 0 && src[at-1] == src[match-1] {
			at--
			match--
		}
		t := p
		p += lz4Token(dst[p:], at-anchor)
		p += lz4Copy(dst[p:], src[anchor:], at-anchor)
		for {
			n := lz4Same(src, at+lz4Least, match+lz4Least)
			p = lz4Match(dst, t, p, at-match, n)
			at += lz4Least + n
			anchor = at
			if at >= last {
				return p + lz4End(dst[p:], src[anchor:])
			}
			table[lz4HashNear(binary.LittleEndian.Uint32(src[at-2:]))] = uint16(at - 2)
			v := binary.LittleEndian.Uint32(src[at:])
			h = lz4HashNear(v)
			match = int(table[h])
			table[h] = uint16(at)
			if binary.LittleEndian.Uint32(src[match:]) != v {
				break
			}
			t = p
			dst[p] = 0
			p++
		}
		at++
		h = lz4HashNear(binary.LittleEndian.Uint32(src[at:]))
	}
}

// packFar packs long src.
func (z *lz4Out) packFar(dst, src []byte) (p int) {
	table := &z.far
	last := len(src) - lz4NoStart + 1
	anchor := 0
	table[lz4HashFar(binary.LittleEndian.Uint64(src))] = 0
	at := 1
	h := lz4HashFar(binary.LittleEndian.Uint64(src[1:]))
	for {
		match := 0
		for next, step, tries := at, 1, 1<<6; ; {
			at = next
			next += step
			step = tries >> 6
			tries++
			if next > last {
				return p + lz4End(dst[p:], src[anchor:])
			}
			match = int(table[h])
			table[h] = uint32(at)
			h = lz4HashFar(binary.LittleEndian.Uint64(src[next:]))
			if at-match <= lz4Distance && binary.LittleEndian.Uint32(src[match:]) == binary.LittleEndian.Uint32(src[at:]) {
				break
			}
		}
		for at > anchor && match > 0 && src[at-1] == src[match-1] {
			at--
			match--
		}
		t := p
		p += lz4Token(dst[p:], at-anchor)
		p += lz4Copy(dst[p:], src[anchor:], at-anchor)
		for {
			n := lz4Same(src, at+lz4Least, match+lz4Least)
			p = lz4Match(dst, t, p, at-match, n)
			at += lz4Least + n
			anchor = at
			if at >= last {
				return p + lz4End(dst[p:], src[anchor:])
			}
			table[lz4HashFar(binary.LittleEndian.Uint64(src[at-2:]))] = uint32(at - 2)
			h = lz4HashFar(binary.LittleEndian.Uint64(src[at:]))
			match = int(table[h])
			table[h] = uint32(at)
			if at-match > lz4Distance || binary.LittleEndian.Uint32(src[match:]) != binary.LittleEndian.Uint32(src[at:]) {
				break
			}
			t = p
			dst[p] = 0
			p++
		}
		at++
		h = lz4HashFar(binary.LittleEndian.Uint64(src[at:]))
	}
}

// lz4Copy copies n bytes, and, where there are any, some behind them that will be written over.
func lz4Copy(dst, src []byte, n int) int {
	if n <= lz4Step && len(src) >= lz4Step {
		*(*[lz4Step]byte)(dst) = *(*[lz4Step]byte)(src)
		return n
	}
	return copy(dst[:n], src)
}
