package bitpack

import "encoding/binary"

// shuffleWords is Shuffle for planes of st bytes, at least wordTurn. It goes the ways of unshuffleWords backwards; its
// steps are their own reverse.
func shuffleWords(dst, src []byte, st, width int) {
	switch width {
	case 1:
		apart1(dst, src, st)
	case 2:
		apart2(dst, src, st)
	case 4:
		apart4(dst, src, st)
	case 8:
		apart8(dst, src, st, 8)
	case 16:
		apart8(dst[:len(src)/2], src, st, 16)
		apart8(dst[len(src)/2:], src[8:], st, 16)
	}
}

// putPlanes8 is the reverse of planes8.
func putPlanes8(dst []byte, st int, a0, a1, a2, a3, a4, a5, a6, a7 uint64) {
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
	binary.LittleEndian.PutUint64(dst, a0)
	binary.LittleEndian.PutUint64(dst[st:], a1)
	binary.LittleEndian.PutUint64(dst[2*st:], a2)
	binary.LittleEndian.PutUint64(dst[3*st:], a3)
	binary.LittleEndian.PutUint64(dst[4*st:], a4)
	binary.LittleEndian.PutUint64(dst[5*st:], a5)
	binary.LittleEndian.PutUint64(dst[6*st:], a6)
	binary.LittleEndian.PutUint64(dst[7*st:], a7)
}

func apart1(dst, src []byte, st int) {
	for g := 0; g < st; g += wordTurn {
		g = min(g, st-wordTurn)
		s := (*[64]byte)(src[8*g:])
		a0, a1, a2, a3, a4, a5, a6, a7 := bytes8(
			binary.LittleEndian.Uint64(s[0:]), binary.LittleEndian.Uint64(s[8:]),
			binary.LittleEndian.Uint64(s[16:]), binary.LittleEndian.Uint64(s[24:]),
			binary.LittleEndian.Uint64(s[32:]), binary.LittleEndian.Uint64(s[40:]),
			binary.LittleEndian.Uint64(s[48:]), binary.LittleEndian.Uint64(s[56:]))
		putPlanes8(dst[g:], st, a0, a1, a2, a3, a4, a5, a6, a7)
	}
}

func apart2(dst, src []byte, st int) {
	var r [2][8]uint64
	for g := 0; g < st; g += wordTurn {
		g = min(g, st-wordTurn)
		s := (*[128]byte)(src[16*g:])
		for i := range 8 {
			a := uint64(binary.LittleEndian.Uint16(s[2*i:])) | uint64(binary.LittleEndian.Uint16(s[2*i+32:]))<<16 |
				uint64(binary.LittleEndian.Uint16(s[2*i+64:]))<<32 | uint64(binary.LittleEndian.Uint16(s[2*i+96:]))<<48
			b := uint64(binary.LittleEndian.Uint16(s[2*i+16:])) | uint64(binary.LittleEndian.Uint16(s[2*i+48:]))<<16 |
				uint64(binary.LittleEndian.Uint16(s[2*i+80:]))<<32 | uint64(binary.LittleEndian.Uint16(s[2*i+112:]))<<48
			r[0][i], r[1][i] = cross(a, b, 8, pairs8)
		}
		for j := range r {
			r := &r[j]
			putPlanes8(dst[8*j*st+g:], st, r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7])
		}
	}
}

func apart4(dst, src []byte, st int) {
	var r [4][8]uint64
	for g := 0; g < st; g += wordTurn {
		g = min(g, st-wordTurn)
		s := (*[256]byte)(src[32*g:])
		for i := range 8 {
			a := uint64(binary.LittleEndian.Uint32(s[4*i:])) | uint64(binary.LittleEndian.Uint32(s[4*i+128:]))<<32
			b := uint64(binary.LittleEndian.Uint32(s[4*i+32:])) | uint64(binary.LittleEndian.Uint32(s[4*i+160:]))<<32
			c := uint64(binary.LittleEndian.Uint32(s[4*i+64:])) | uint64(binary.LittleEndian.Uint32(s[4*i+192:]))<<32
			e := uint64(binary.LittleEndian.Uint32(s[4*i+96:])) | uint64(binary.LittleEndian.Uint32(s[4*i+224:]))<<32
			a, c = cross(a, c, 16, pairs16)
			b, e = cross(b, e, 16, pairs16)
			r[0][i], r[1][i] = cross(a, b, 8, pairs8)
			r[2][i], r[3][i] = cross(c, e, 8, pairs8)
		}
		for j := range r {
			r := &r[j]
			putPlanes8(dst[8*j*st+g:], st, r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7])
		}
	}
}

// apart8 does eight bytes of elements that lie pitch bytes apart in src: whole elements, or halves of 16 bytes.
func apart8(dst, src []byte, st, pitch int) {
	var r [8][8]uint64
	for g := 0; g < st; g += wordTurn {
		g = min(g, st-wordTurn)
		for i := range 8 {
			s := src[(8*g+i)*pitch:]
			r[0][i], r[1][i], r[2][i], r[3][i], r[4][i], r[5][i], r[6][i], r[7][i] = bytes8(
				binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[8*pitch:]),
				binary.LittleEndian.Uint64(s[16*pitch:]), binary.LittleEndian.Uint64(s[24*pitch:]),
				binary.LittleEndian.Uint64(s[32*pitch:]), binary.LittleEndian.Uint64(s[40*pitch:]),
				binary.LittleEndian.Uint64(s[48*pitch:]), binary.LittleEndian.Uint64(s[56*pitch:]))
		}
		for j := range r {
			r := &r[j]
			putPlanes8(dst[8*j*st+g:], st, r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7])
		}
	}
}
