package bitpack

import "math/bits"

// Ranks sets dst[i] to the number of set bits among the first i from bit off of b on, Arrow bit order: len(dst)-1 bits.
func Ranks(dst []int32, b []byte, off int) {
	if len(dst) == 0 {
		return
	}
	dst[0] = 0
	dst = dst[1:]
	n := int32(0)
	for ; len(dst) >= 64; dst, off = dst[64:], off+64 {
		w, d := word(b, off), (*[64]int32)(dst)
		if w == 0 || w == 1<<64-1 {
			step := int32(w & 1)
			for k := range d {
				d[k] = n + step*int32(k+1)
			}
			n = d[63]
			continue
		}
		for k := 0; k < 64; k += 8 {
			e, d := &ends[byte(w>>k)], (*[8]int32)(d[k:])
			d[0], d[1], d[2], d[3] = n+int32(e[0]), n+int32(e[1]), n+int32(e[2]), n+int32(e[3])
			d[4], d[5], d[6] = n+int32(e[4]), n+int32(e[5]), n+int32(e[6])
			n += int32(e[7])
			d[7] = n
		}
	}
	w := uint64(0)
	if len(dst) > 0 {
		w = word(b, off)
	}
	for i := range dst {
		dst[i] = n + int32(bits.OnesCount64(w<<(63-i)))
	}
}
