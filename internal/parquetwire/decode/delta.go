package decode

import (
	"encoding/binary"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// Deltas decodes DELTA_BINARY_PACKED, all of it, and returns the values, in dst where that is large enough, and the
// bytes of src that they took. There may be at most limit values. Values of 32 bits are the lower halves.
//
//	varint values of a block | varint miniblocks of a block | varint values | zigzag first value
//	block: zigzag least delta | a byte for the width of each miniblock | miniblocks, bit-packed
func Deltas(dst []int64, src []byte, limit int) (out []int64, n int, err error) {
	t := thrift{b: src}
	block, minis, count, first := t.uvarint(), t.uvarint(), t.uvarint(), t.zigzag()
	if t.err != nil || block == 0 || minis == 0 || block > 1<<24 || minis > block || block%minis != 0 || block/minis%8 != 0 || count > uint64(limit) {
		return nil, 0, ErrDelta
	}
	if cap(dst) < int(count) {
		dst = make([]int64, count)
	}
	dst = dst[:count]
	if count == 0 {
		return dst, t.pos, nil
	}
	dst[0] = first
	last := first
	per := int(block / minis)
	for rest := dst[1:]; len(rest) > 0; {
		least := t.zigzag()
		if t.err != nil || int(minis) > len(src)-t.pos {
			return nil, 0, ErrDelta
		}
		widths := src[t.pos : t.pos+int(minis)]
		t.pos += int(minis)
		for _, w := range widths {
			if len(rest) == 0 {
				break // widths of miniblocks that are not there are arbitrary
			}
			k := min(per, len(rest))
			size := per / 8 * int(w)
			if w > 64 {
				return nil, 0, ErrDelta
			}
			if left := len(src) - t.pos; size > left { // the padding of the last miniblock was left out
				if size = left; left < bitpack.PackedSize(k, uint(w)) {
					return nil, 0, ErrDelta
				}
			}
			d := rest[:k]
			if _, err := bitpack.UnpackLE(d, src[t.pos:t.pos+size], uint(w)); err != nil {
				return nil, 0, ErrDelta
			}
			t.pos += size
			for i, x := range d {
				last += x + least
				d[i] = last
			}
			rest = rest[k:]
		}
	}
	return dst, t.pos, nil
}

// DeltaStrings reads DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY. Lengths are decoded when a page begins.
type DeltaStrings struct {
	prefixes []int64 // nil = no value shares bytes with the one before
	lengths  []int64
	src      []byte
	last     []byte
	pos      int
}

// Reset makes s read from src, which has at most limit values; shared says that values share bytes with those before.
func (s *DeltaStrings) Reset(src []byte, limit int, shared bool) (err error) {
	s.pos, s.last = 0, s.last[:0]
	var n int
	s.prefixes = s.prefixes[:0]
	if shared {
		if s.prefixes, n, err = Deltas(s.prefixes, src, limit); err != nil {
			return err
		}
		src = src[n:]
	}
	if s.lengths, n, err = Deltas(s.lengths, src, limit); err != nil {
		return err
	}
	if shared && len(s.prefixes) != len(s.lengths) {
		return ErrDelta
	}
	s.src = src[n:]
	var sum int64
	for _, l := range s.lengths {
		if l < 0 || l > int64(len(s.src)) {
			return ErrLength
		}
		if sum += l; sum > int64(len(s.src)) {
			return ErrLength
		}
	}
	before := int64(0)
	for i, p := range s.prefixes {
		if p < 0 || p > before {
			return ErrDelta
		}
		before = p + s.lengths[i]
	}
	return nil
}

// Size returns the bytes of the next n values.
func (s *DeltaStrings) Size(n int) (int64, error) {
	if n > len(s.lengths)-s.pos {
		return 0, ErrValues
	}
	var sum int64
	for _, l := range s.lengths[s.pos : s.pos+n] {
		sum += l
	}
	if len(s.prefixes) > 0 {
		for _, p := range s.prefixes[s.pos : s.pos+n] {
			sum += p
		}
	}
	return sum, nil
}

// Read decodes values: their bytes go to data from ends[0] on, the end of each to the next of ends. There must be room
// for Size.
func (s *DeltaStrings) Read(ends []int32, data []byte) error {
	n := len(ends) - 1
	if n > len(s.lengths)-s.pos {
		return ErrValues
	}
	q := int(ends[0])
	if len(s.prefixes) == 0 {
		start := q
		for i, l := range s.lengths[s.pos : s.pos+n] {
			q += int(l)
			ends[i+1] = int32(q)
		}
		copy(data[start:q], s.src)
		s.src = s.src[q-start:]
		s.pos += n
		return nil
	}
	last := s.last
	for i := range n {
		p, l := int(s.prefixes[s.pos+i]), int(s.lengths[s.pos+i])
		d := data[q : q+p+l : q+p+l]
		copy(d, last[:p])
		copy(d[p:], s.src[:l])
		s.src = s.src[l:]
		last = d
		q += p + l
		ends[i+1] = int32(q)
	}
	s.last = append(s.last[:0], last...)
	s.pos += n
	return nil
}

// PlainStrings decodes values that each follow their length, 4 bytes little-endian: their bytes go to data from ends[0]
// on, the end of each to the next of ends. It returns the bytes of src that they took. What len(ends)-1 values of src
// need fits data if that has PlainSize bytes from ends[0] on. data behind the last value is scratch.
func PlainStrings(ends []int32, data, src []byte) (int, error) {
	p, q := 0, int(ends[0])
	rest := ends[1:]
	i := 0
	for ; i < len(rest) && p <= len(src)-36 && q <= len(data)-32; i++ {
		n := uint(binary.LittleEndian.Uint32(src[p:]))
		if n > 32 {
			if n > uint(len(src)-p-4) || n > uint(len(data)-q) {
				break
			}
			copy(data[q:], src[p+4:p+4+int(n)])
		} else {
			*(*[16]byte)(data[q:]) = *(*[16]byte)(src[p+4:])
			if n > 16 {
				*(*[16]byte)(data[q+16:]) = *(*[16]byte)(src[p+20:])
			}
		}
		p += 4 + int(n)
		q += int(n)
		rest[i] = int32(q)
	}
	for ; i < len(rest); i++ {
		if len(src)-p < 4 {
			return 0, ErrValues
		}
		n := binary.LittleEndian.Uint32(src[p:])
		if uint64(n) > uint64(len(src)-p-4) {
			return 0, ErrLength
		}
		if int(n) > len(data)-q {
			return 0, ErrLength
		}
		copy(data[q:], src[p+4:p+4+int(n)])
		p += 4 + int(n)
		q += int(n)
		rest[i] = int32(q)
	}
	return p, nil
}

// PlainSize returns the bytes of the first n values of src, and what they take there with their lengths.
func PlainSize(src []byte, n int) (size, stored int, err error) {
	p := 0
	for range n {
		if len(src)-p < 4 {
			return 0, 0, ErrValues
		}
		l := binary.LittleEndian.Uint32(src[p:])
		if uint64(l) > uint64(len(src)-p-4) {
			return 0, 0, ErrLength
		}
		p += 4 + int(l)
		size += int(l)
	}
	return size, p, nil
}

// Left returns how many values are left.
func (s *DeltaStrings) Left() int { return len(s.lengths) - s.pos }
