//go:build (amd64 || arm64) && !purego

package bitpack

import "unsafe"

// lanes is how a group of eight values gets into eight lanes of 32 bits: the bytes of each, and the shifts that cut off what does not
// belong to it.
type lanes struct {
	order       [32]byte // of 16 bytes from the group's beginning on, and of 16 from the byte in which its fifth value begins
	left, right [8]int32 // to shift left by, and right by rightSign times it
	fits        bool     // no value has bits in more than four bytes
}

var lanesBE, lanesLE = makeLanes(true), makeLanes(false)

func makeLanes(big bool) (all [33]lanes) {
	for width := uint(1); width <= 32; width++ {
		l := &all[width]
		l.fits = true
		half := 4 * width / 8
		for k := range uint(8) {
			bit := k * width
			at, off := bit/8, bit%8
			if k >= 4 {
				at -= half
			}
			l.fits = l.fits && off+width <= 32
			for i := range uint(4) {
				from := at + i
				if big {
					from = at + 3 - i
				}
				l.order[4*k+i] = byte(from)
			}
			l.right[k] = rightSign * int32(32-width)
			l.left[k] = int32(off)
			if !big && l.fits {
				l.left[k] = int32(32 - width - off)
			}
		}
	}
	return all
}

// vectorsBE unpacks whole groups of eight as long as it can read a vector from each half, and returns the number of values. It is 0
// if the machine cannot, and for what the kernels do not do.
func vectorsBE[T Integer, Z coding](dst []T, src []byte, width uint) int {
	return vectors[T, Z](dst, src, width, &lanesBE)
}

// vectorsLE is vectorsBE for values that begin at the lowest bit.
func vectorsLE[T Integer](dst []T, src []byte, width uint) int {
	return vectors[T, plain](dst, src, width, &lanesLE)
}

func vectors[T Integer, Z coding](dst []T, src []byte, width uint, all *[33]lanes) int {
	if width > 32 {
		if all == &lanesBE {
			return wideBE[T, Z](dst, src, width)
		}
		return 0
	}
	half := int(width / 2)
	if !hasUnpack() || width-1 >= 32 || len(dst) < 8 || len(src) < half+16 || !all[width].fits {
		return 0
	}
	groups := min(len(dst)/8, (len(src)-half-16)/int(width)+1)
	d, s, by := (*byte)(unsafe.Pointer(&dst[0])), &src[0], (*byte)(unsafe.Pointer(&all[width]))
	var z Z
	switch {
	case unsafe.Sizeof(dst[0]) == 2 && len(z) == 0:
		unpackGroups16(d, groups, s, int(width), half, by)
	case unsafe.Sizeof(dst[0]) == 2:
		unpackZigzagGroups16(d, groups, s, int(width), half, by)
	case unsafe.Sizeof(dst[0]) == 4 && len(z) == 0:
		unpackGroups32(d, groups, s, int(width), half, by)
	case unsafe.Sizeof(dst[0]) == 4:
		unpackZigzagGroups32(d, groups, s, int(width), half, by)
	case unsafe.Sizeof(dst[0]) == 8 && len(z) == 0:
		unpackGroups64(d, groups, s, int(width), half, by)
	case unsafe.Sizeof(dst[0]) == 8:
		unpackZigzagGroups64(d, groups, s, int(width), half, by)
	default:
		return 0
	}
	return 8 * groups
}

// wideOrders are the bytes of two values of 40, 48, 56 and 64 bits, twice, in the order that makes them words.
var wideOrders = makeWideOrders()

func makeWideOrders() (t [4][32]byte) {
	for k := range t {
		size := byte(5 + k)
		for i := range t[k] {
			value, at := byte(i/8%2), byte(i%8)
			t[k][i] = 0x80 // zero
			if at < size {
				t[k][i] = value*size + size - 1 - at
			}
		}
	}
	return t
}

// wideBE is vectorsBE for values of 40, 48, 56 and 64 bits that become words.
func wideBE[T Integer, Z coding](dst []T, src []byte, width uint) int {
	two := int(width / 4)
	if !hasUnpack() || width%8 != 0 || len(dst) < 4 || unsafe.Sizeof(dst[0]) != 8 || len(src) < two+16 {
		return 0
	}
	fours := min(len(dst)/4, (len(src)-two-16)/(2*two)+1)
	d, by := (*byte)(unsafe.Pointer(&dst[0])), &wideOrders[width/8-5][0]
	var z Z
	if len(z) == 0 {
		unpackWide(d, fours, &src[0], two, by)
	} else {
		unpackZigzagWide(d, fours, &src[0], two, by)
	}
	return 4 * fours
}
