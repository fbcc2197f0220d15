package bitpack

import "encoding/binary"

// Room that one group of four values may take, and that a wide load may read.
const (
	groupBytes = 17
	groupRoom  = 24
)

// groupForm is where the values of a group lie behind its selector.
type groupForm struct {
	at   [4]uint8
	size uint8 // of all of it, selector included
}

var groupForms = makeGroupForms()

func makeGroupForms() (t [256]groupForm) {
	for i := range t {
		p := 1
		for k := range 4 {
			t[i].at[k] = uint8(p)
			p += i>>(6-2*k)&3 + 1
		}
		t[i].size = uint8(p)
	}
	return t
}

// DecodeGroupVarint decodes len(dst) unsigned integers of group varint coding and returns the bytes that they took:
//
//	selector | 1…4 bytes | 1…4 bytes | 1…4 bytes | 1…4 bytes
//
// The selector has two bits for each of the four, the first in the highest: the number of its little-endian bytes less
// one. The last group is whole, however few of its values dst has room for. ErrShort: src ends before; then dst is
// undefined.
func DecodeGroupVarint[T ~int32 | ~uint32](dst []T, src []byte) (n int, err error) {
	p := 0
	for len(dst) >= 4 && len(src)-p >= groupRoom {
		// Offsets, and whatever else grows, come in long stretches of one width.
		k, used := 0, 0
		switch src[p] {
		case 0x00:
			k, used = groupsOf1(dst, src[p:])
		case 0x55:
			k, used = groupsOf2(dst, src[p:])
		case 0xaa:
			k, used = groupsOf3(dst, src[p:])
		case 0xff:
			k, used = groupsOf4(dst, src[p:])
		default:
			k, used = groupsMixed(dst, src[p:])
		}
		dst = dst[k:]
		p += used
	}
	for len(dst) > 0 {
		var g [4]T
		used := oneGroup(&g, src[p:])
		if used == 0 {
			return p, ErrShort
		}
		dst = dst[copy(dst, g[:]):]
		p += used
	}
	return p, nil
}

// Each of these decodes groups whose selector is the one that it is for, as long as there are any with groupRoom bytes,
// and dst has room for all of a group; four of them at a time while they go on. They return the values decoded and the
// bytes they took.

func groupsOf1[T ~int32 | ~uint32](dst []T, src []byte) (n, p int) {
	for len(src) >= 3*5+groupBytes && len(dst) >= 16 {
		s, d := (*[3*5 + groupBytes]byte)(src), (*[16]T)(dst)
		if s[0] != 0x00 || s[5] != 0x00 || s[2*5] != 0x00 || s[3*5] != 0x00 {
			break
		}
		groupOf1((*[4]T)(d[0:]), (*[groupBytes]byte)(s[0:]))
		groupOf1((*[4]T)(d[4:]), (*[groupBytes]byte)(s[5:]))
		groupOf1((*[4]T)(d[8:]), (*[groupBytes]byte)(s[2*5:]))
		groupOf1((*[4]T)(d[12:]), (*[groupBytes]byte)(s[3*5:]))
		src, dst = src[4*5:], dst[16:]
		n += 16
		p += 4 * 5
	}
	for len(src) >= groupRoom && len(dst) >= 4 && src[0] == 0x00 {
		groupOf1((*[4]T)(dst), (*[groupBytes]byte)(src))
		src, dst = src[5:], dst[4:]
		n += 4
		p += 5
	}
	return n, p
}

func groupOf1[T ~int32 | ~uint32](d *[4]T, s *[groupBytes]byte) {
	x := binary.LittleEndian.Uint32(s[1:])
	d[0], d[1], d[2], d[3] = T(x&0xff), T(x>>8&0xff), T(x>>16&0xff), T(x>>24)
}

func groupsOf2[T ~int32 | ~uint32](dst []T, src []byte) (n, p int) {
	for len(src) >= 3*9+groupBytes && len(dst) >= 16 {
		s, d := (*[3*9 + groupBytes]byte)(src), (*[16]T)(dst)
		if s[0] != 0x55 || s[9] != 0x55 || s[2*9] != 0x55 || s[3*9] != 0x55 {
			break
		}
		groupOf2((*[4]T)(d[0:]), (*[groupBytes]byte)(s[0:]))
		groupOf2((*[4]T)(d[4:]), (*[groupBytes]byte)(s[9:]))
		groupOf2((*[4]T)(d[8:]), (*[groupBytes]byte)(s[2*9:]))
		groupOf2((*[4]T)(d[12:]), (*[groupBytes]byte)(s[3*9:]))
		src, dst = src[4*9:], dst[16:]
		n += 16
		p += 4 * 9
	}
	for len(src) >= groupRoom && len(dst) >= 4 && src[0] == 0x55 {
		groupOf2((*[4]T)(dst), (*[groupBytes]byte)(src))
		src, dst = src[9:], dst[4:]
		n += 4
		p += 9
	}
	return n, p
}

func groupOf2[T ~int32 | ~uint32](d *[4]T, s *[groupBytes]byte) {
	x := binary.LittleEndian.Uint64(s[1:])
	d[0], d[1], d[2], d[3] = T(x&0xffff), T(x>>16&0xffff), T(x>>32&0xffff), T(x>>48)
}

func groupsOf3[T ~int32 | ~uint32](dst []T, src []byte) (n, p int) {
	for len(src) >= 3*13+groupBytes && len(dst) >= 16 {
		s, d := (*[3*13 + groupBytes]byte)(src), (*[16]T)(dst)
		if s[0] != 0xaa || s[13] != 0xaa || s[2*13] != 0xaa || s[3*13] != 0xaa {
			break
		}
		groupOf3((*[4]T)(d[0:]), (*[groupBytes]byte)(s[0:]))
		groupOf3((*[4]T)(d[4:]), (*[groupBytes]byte)(s[13:]))
		groupOf3((*[4]T)(d[8:]), (*[groupBytes]byte)(s[2*13:]))
		groupOf3((*[4]T)(d[12:]), (*[groupBytes]byte)(s[3*13:]))
		src, dst = src[4*13:], dst[16:]
		n += 16
		p += 4 * 13
	}
	for len(src) >= groupRoom && len(dst) >= 4 && src[0] == 0xaa {
		groupOf3((*[4]T)(dst), (*[groupBytes]byte)(src))
		src, dst = src[13:], dst[4:]
		n += 4
		p += 13
	}
	return n, p
}

func groupOf3[T ~int32 | ~uint32](d *[4]T, s *[groupBytes]byte) {
	x, y := binary.LittleEndian.Uint64(s[1:]), binary.LittleEndian.Uint64(s[7:])
	d[0], d[1], d[2], d[3] = T(x&0xffffff), T(x>>24&0xffffff), T(y&0xffffff), T(y>>24&0xffffff)
}

func groupsOf4[T ~int32 | ~uint32](dst []T, src []byte) (n, p int) {
	for len(src) >= 3*17+groupBytes && len(dst) >= 16 {
		s, d := (*[3*17 + groupBytes]byte)(src), (*[16]T)(dst)
		if s[0] != 0xff || s[17] != 0xff || s[2*17] != 0xff || s[3*17] != 0xff {
			break
		}
		groupOf4((*[4]T)(d[0:]), (*[groupBytes]byte)(s[0:]))
		groupOf4((*[4]T)(d[4:]), (*[groupBytes]byte)(s[17:]))
		groupOf4((*[4]T)(d[8:]), (*[groupBytes]byte)(s[2*17:]))
		groupOf4((*[4]T)(d[12:]), (*[groupBytes]byte)(s[3*17:]))
		src, dst = src[4*17:], dst[16:]
		n += 16
		p += 4 * 17
	}
	for len(src) >= groupRoom && len(dst) >= 4 && src[0] == 0xff {
		groupOf4((*[4]T)(dst), (*[groupBytes]byte)(src))
		src, dst = src[17:], dst[4:]
		n += 4
		p += 17
	}
	return n, p
}

func groupOf4[T ~int32 | ~uint32](d *[4]T, s *[groupBytes]byte) {
	x, y := binary.LittleEndian.Uint64(s[1:]), binary.LittleEndian.Uint64(s[9:])
	d[0], d[1], d[2], d[3] = T(uint32(x)), T(x>>32), T(uint32(y)), T(y>>32)
}

// groupsMixed decodes groups with any selector until one comes whose values all have one width.
func groupsMixed[T ~int32 | ~uint32](dst []T, src []byte) (n, p int) {
	for len(src)-p >= groupRoom && len(dst)-n >= 4 {
		s, d := (*[groupRoom]byte)(src[p:]), (*[4]T)(dst[n:])
		c := s[0]
		if n > 0 && c == c>>2|c<<6 {
			break
		}
		f := &groupForms[c]
		d[0] = T(binary.LittleEndian.Uint32(s[1:]) & widthMasks[c>>6])
		d[1] = T(binary.LittleEndian.Uint32(s[f.at[1]&15:]) & widthMasks[c>>4&3])
		d[2] = T(binary.LittleEndian.Uint32(s[f.at[2]&15:]) & widthMasks[c>>2&3])
		d[3] = T(binary.LittleEndian.Uint32(s[f.at[3]&15:]) & widthMasks[c&3])
		n += 4
		p += int(f.size)
	}
	return n, p
}

var widthMasks = [4]uint32{0xff, 0xffff, 0xffffff, 0xffffffff}

// oneGroup decodes a group from however few bytes there are, and returns those it took, or 0 if it is cut.
func oneGroup[T ~int32 | ~uint32](dst *[4]T, src []byte) int {
	if len(src) == 0 {
		return 0
	}
	c := src[0]
	f := &groupForms[c]
	if len(src) < int(f.size) {
		return 0
	}
	var s [groupBytes + 4]byte
	copy(s[:groupBytes], src)
	for k := range dst {
		dst[k] = T(binary.LittleEndian.Uint32(s[f.at[k]:]) & widthMasks[c>>(6-2*k)&3])
	}
	return int(f.size)
}

// SkipGroupVarint returns how many bytes the first groups of src take. ErrShort: src ends before.
func SkipGroupVarint(src []byte, groups int) (n int, err error) {
	for range groups {
		if n >= len(src) {
			return 0, ErrShort
		}
		n += int(groupForms[src[n]].size)
	}
	if n > len(src) {
		return 0, ErrShort
	}
	return n, nil
}
