package bitpack

import "encoding/binary"

// wordTurn is how many bytes of each plane the word kernels take at a time. The last turn of a plane that is not a
// multiple of it starts early and does some elements twice.
const wordTurn = 8

// unshuffleWords is Unshuffle for planes of st bytes, at least wordTurn.
func unshuffleWords(dst, src []byte, st, width int) {
	switch width {
	case 1:
		words1(dst, src, st)
	case 2:
		words2(dst, src, st)
	case 4:
		words4(dst, src, st)
	case 8:
		words8(dst, src, st, 8)
	case 16:
		words8(dst, src[:len(dst)/2], st, 16)
		words8(dst[8:], src[len(dst)/2:], st, 16)
	}
}

// Masks for cross: the lower half of each pair of bits, of two bits, of four bits, of bytes, and so on.
const (
	pairs1  = 0x5555555555555555
	pairs2  = 0x3333333333333333
	pairs4  = 0x0f0f0f0f0f0f0f0f
	pairs8  = 0x00ff00ff00ff00ff
	pairs16 = 0x0000ffff0000ffff
	pairs32 = 0x00000000ffffffff
)

// cross exchanges the upper halves of the pairs in a, s bits wide each, with the lower halves of those in b: the step
// that a transposition of 2^k × 2^k fields does k times.
func cross(a, b uint64, s uint, lower uint64) (uint64, uint64) {
	t := (a>>s ^ b) & lower
	return a ^ t<<s, b ^ t
}

// planes8 takes wordTurn bytes at src[0] of eight planes, those of one byte of 64 elements. In r[i], byte g is the
// byte of element 8g+i.
func planes8(r *[8]uint64, src []byte, st int) {
	a0 := binary.LittleEndian.Uint64(src)
	a1 := binary.LittleEndian.Uint64(src[st:])
	a2 := binary.LittleEndian.Uint64(src[2*st:])
	a3 := binary.LittleEndian.Uint64(src[3*st:])
	a4 := binary.LittleEndian.Uint64(src[4*st:])
	a5 := binary.LittleEndian.Uint64(src[5*st:])
	a6 := binary.LittleEndian.Uint64(src[6*st:])
	a7 := binary.LittleEndian.Uint64(src[7*st:])
	a0, a4 = cross(a0, a4, 4, pairs4)
	a1, a5 = cross(a1, a5, 4, pairs4)
	a2, a6 = cross(a2, a6, 4, pairs4)
	a3, a7 = cross(a3, a7, 4, pairs4)
	a0, a2 = cross(a0, a2, 2, pairs2)
	a1, a3 = cross(a1, a3, 2, pairs2)
	a4, a6 = cross(a4, a6, 2, pairs2)
	a5, a7 = cross(a5, a7, 2, pairs2)
	a0, a1 = cross(a0, a1, 1, pairs1)
	a2, a3 = cross(a2, a3, 1, pairs1)
	a4, a5 = cross(a4, a5, 1, pairs1)
	a6, a7 = cross(a6, a7, 1, pairs1)
	*r = [8]uint64{a0, a1, a2, a3, a4, a5, a6, a7}
}

// bytes8 transposes 8 × 8 bytes.
func bytes8(a0, a1, a2, a3, a4, a5, a6, a7 uint64) (_, _, _, _, _, _, _, _ uint64) {
	a0, a1 = cross(a0, a1, 8, pairs8)
	a2, a3 = cross(a2, a3, 8, pairs8)
	a4, a5 = cross(a4, a5, 8, pairs8)
	a6, a7 = cross(a6, a7, 8, pairs8)
	a0, a2 = cross(a0, a2, 16, pairs16)
	a1, a3 = cross(a1, a3, 16, pairs16)
	a4, a6 = cross(a4, a6, 16, pairs16)
	a5, a7 = cross(a5, a7, 16, pairs16)
	a0, a4 = cross(a0, a4, 32, pairs32)
	a1, a5 = cross(a1, a5, 32, pairs32)
	a2, a6 = cross(a2, a6, 32, pairs32)
	a3, a7 = cross(a3, a7, 32, pairs32)
	return a0, a1, a2, a3, a4, a5, a6, a7
}

func words1(dst, src []byte, st int) {
	var r [8]uint64
	for g := 0; g < st; g += wordTurn {
		g = min(g, st-wordTurn)
		planes8(&r, src[g:], st)
		a0, a1, a2, a3, a4, a5, a6, a7 := bytes8(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7])
		d := (*[64]byte)(dst[8*g:])
		binary.LittleEndian.PutUint64(d[0:], a0)
		binary.LittleEndian.PutUint64(d[8:], a1)
		binary.LittleEndian.PutUint64(d[16:], a2)
		binary.LittleEndian.PutUint64(d[24:], a3)
		binary.LittleEndian.PutUint64(d[32:], a4)
		binary.LittleEndian.PutUint64(d[40:], a5)
		binary.LittleEndian.PutUint64(d[48:], a6)
		binary.LittleEndian.PutUint64(d[56:], a7)
	}
}

func words2(dst, src []byte, st int) {
	var r [2][8]uint64
	for g := 0; g < st; g += wordTurn {
		g = min(g, st-wordTurn)
		planes8(&r[0], src[g:], st)
		planes8(&r[1], src[8*st+g:], st)
		d := (*[128]byte)(dst[16*g:])
		for i := range 8 {
			a, b := cross(r[0][i], r[1][i], 8, pairs8)
			binary.LittleEndian.PutUint16(d[2*i:], uint16(a))
			binary.LittleEndian.PutUint16(d[2*i+16:], uint16(b))
			binary.LittleEndian.PutUint16(d[2*i+32:], uint16(a>>16))
			binary.LittleEndian.PutUint16(d[2*i+48:], uint16(b>>16))
			binary.LittleEndian.PutUint16(d[2*i+64:], uint16(a>>32))
			binary.LittleEndian.PutUint16(d[2*i+80:], uint16(b>>32))
			binary.LittleEndian.PutUint16(d[2*i+96:], uint16(a>>48))
			binary.LittleEndian.PutUint16(d[2*i+112:], uint16(b>>48))
		}
	}
}

func words4(dst, src []byte, st int) {
	var r [4][8]uint64
	for g := 0; g < st; g += wordTurn {
		g = min(g, st-wordTurn)
		for j := range r {
			planes8(&r[j], src[8*j*st+g:], st)
		}
		d := (*[256]byte)(dst[32*g:])
		for i := range 8 {
			a, b := cross(r[0][i], r[1][i], 8, pairs8)
			c, e := cross(r[2][i], r[3][i], 8, pairs8)
			a, c = cross(a, c, 16, pairs16)
			b, e = cross(b, e, 16, pairs16)
			binary.LittleEndian.PutUint32(d[4*i:], uint32(a))
			binary.LittleEndian.PutUint32(d[4*i+32:], uint32(b))
			binary.LittleEndian.PutUint32(d[4*i+64:], uint32(c))
			binary.LittleEndian.PutUint32(d[4*i+96:], uint32(e))
			binary.LittleEndian.PutUint32(d[4*i+128:], uint32(a>>32))
			binary.LittleEndian.PutUint32(d[4*i+160:], uint32(b>>32))
			binary.LittleEndian.PutUint32(d[4*i+192:], uint32(c>>32))
			binary.LittleEndian.PutUint32(d[4*i+224:], uint32(e>>32))
		}
	}
}

// words8 does eight bytes of elements that lie pitch bytes apart in dst: whole elements, or halves of 16 bytes.
func words8(dst, src []byte, st, pitch int) {
	var r [8][8]uint64
	for g := 0; g < st; g += wordTurn {
		g = min(g, st-wordTurn)
		for j := range r {
			planes8(&r[j], src[8*j*st+g:], st)
		}
		for i := range 8 {
			a0, a1, a2, a3, a4, a5, a6, a7 := bytes8(r[0][i], r[1][i], r[2][i], r[3][i], r[4][i], r[5][i], r[6][i], r[7][i])
			d := dst[(8*g+i)*pitch:]
			binary.LittleEndian.PutUint64(d, a0)
			binary.LittleEndian.PutUint64(d[8*pitch:], a1)
			binary.LittleEndian.PutUint64(d[16*pitch:], a2)
			binary.LittleEndian.PutUint64(d[24*pitch:], a3)
			binary.LittleEndian.PutUint64(d[32*pitch:], a4)
			binary.LittleEndian.PutUint64(d[40*pitch:], a5)
			binary.LittleEndian.PutUint64(d[48*pitch:], a6)
			binary.LittleEndian.PutUint64(d[56*pitch:], a7)
		}
	}
}

func codes1(dst []int32, src []byte, st int) {
	var r [8]uint64
	for g := 0; g < st; g += wordTurn {
		g = min(g, st-wordTurn)
		planes8(&r, src[g:], st)
		d := (*[64]int32)(dst[8*g:])
		for i, a := range r {
			d[i] = int32(a & 0xff)
			d[i+8] = int32(a >> 8 & 0xff)
			d[i+16] = int32(a >> 16 & 0xff)
			d[i+24] = int32(a >> 24 & 0xff)
			d[i+32] = int32(a >> 32 & 0xff)
			d[i+40] = int32(a >> 40 & 0xff)
			d[i+48] = int32(a >> 48 & 0xff)
			d[i+56] = int32(a >> 56)
		}
	}
}

func codes2(dst []int32, src []byte, st int) {
	var r [2][8]uint64
	for g := 0; g < st; g += wordTurn {
		g = min(g, st-wordTurn)
		planes8(&r[0], src[g:], st)
		planes8(&r[1], src[8*st+g:], st)
		d := (*[64]int32)(dst[8*g:])
		for i := range 8 {
			a, b := cross(r[0][i], r[1][i], 8, pairs8)
			d[i] = int32(a & 0xffff)
			d[i+8] = int32(b & 0xffff)
			d[i+16] = int32(a >> 16 & 0xffff)
			d[i+24] = int32(b >> 16 & 0xffff)
			d[i+32] = int32(a >> 32 & 0xffff)
			d[i+40] = int32(b >> 32 & 0xffff)
			d[i+48] = int32(a >> 48)
			d[i+56] = int32(b >> 48)
		}
	}
}
