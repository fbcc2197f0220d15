package inflate

import "encoding/binary"

// A turn of the fast loop reads at most 16 bytes of src (two loads of 8, the second at most 8 bytes on) and writes at most
// 3 literals, a match of 258 and 15 bytes behind it: fastIn and Slack bytes must be left.
const fastIn = 16

// fast decodes symbols while there is room on both sides. It says whether the block came to its end; if not and there
// is no error, careful goes on from s.
//
// What makes it fast, all of it measured; look for spills of hold (moves to and from the stack) in the assembly after
// every change:
//   - Refilling is one load, always. hold's bits above the count are right, only not counted yet: loading them
//     again does no harm. The count is kept in the low 8 bits of n and has rubbish above, so that an entry is
//     subtracted whole.
//   - An entry is consumed before it is acted upon, so that the next lookup can begin.
//   - After a refill there are 56 bits: four entries of the root table, or three and a length (3*11+20).
//   - One byte a literal entry: pairs cost more in the loop than they save.
//   - Slices have equal length and capacity, and wide loads and stores name all three bounds: the compiler then keeps
//     one register less for each, and leaves out the masking that keeps the pointer of an empty slice in its object.
func (d *Decoder) fast(s *state, dst, src []byte, limit int) (done bool, err error) {
	src, dst = src[:len(src):len(src)], dst[:len(dst):len(dst)]
	lastIn, lastOut := len(src)-fastIn, min(len(dst)-Slack, limit)
	in, out, hold, n := s.in, s.out, s.hold, uint64(s.n)
	for in <= lastIn && out <= lastOut {
		hold |= binary.LittleEndian.Uint64(src[in:in+8:in+8]) << (n & 63)
		in += int((n ^ 63) >> 3 & 7)
		n |= 56
		e := uint64(d.lit[hold&litMask])
		if e&litLiteral != 0 {
			hold >>= e & 63
			n -= e
			dst[out] = byte(e >> 16)
			out++
			e = uint64(d.lit[hold&litMask])
			if e&litLiteral != 0 {
				hold >>= e & 63
				n -= e
				dst[out] = byte(e >> 16)
				out++
				e = uint64(d.lit[hold&litMask])
				if e&litLiteral != 0 {
					hold >>= e & 63
					n -= e
					dst[out] = byte(e >> 16)
					out++
					e = uint64(d.lit[hold&litMask])
					if e&litLiteral != 0 {
						hold >>= e & 63
						n -= e
						dst[out] = byte(e >> 16)
						out++
						continue
					}
				}
			}
		}
		if e&litSpecial != 0 {
			if e&litSub != 0 {
				hold >>= litBits
				n -= litBits
				e = uint64(d.lit[e>>12&0xffff+hold&(1<<(e>>8&15)-1)])
				if e&litLiteral != 0 {
					hold >>= e & 63
					n -= e
					dst[out] = byte(e >> 16)
					out++
					continue
				}
			}
			if e&litSpecial != 0 {
				if e&litBad != 0 {
					err = ErrCorrupt
				} else {
					done = true
					hold >>= e & 63
					n -= e
				}
				break
			}
		}
		length := int(e>>17&0x1ff) + int(hold>>(e>>8&15)&(e>>12&31))
		hold >>= e & 63
		n -= e

		hold |= binary.LittleEndian.Uint64(src[in:in+8:in+8]) << (n & 63)
		in += int((n ^ 63) >> 3 & 7)
		n |= 56
		de := d.dist[hold&distMask]
		if de&distSpecial != 0 {
			if de&distSub != 0 {
				hold >>= distBits
				n -= distBits
				de = d.dist[de>>16&0xffff+hold&(1<<(de>>8&15)-1)]
			}
			if de&distSpecial != 0 {
				err = ErrCorrupt
				break
			}
		}
		from := out - int(de>>32) - int(hold>>(de>>8&15)&(de>>16&0xffff))
		hold >>= de & 63
		n -= de
		if from < 0 {
			err = ErrCorrupt
			break
		}
		end := out + length
		if dist := out - from; dist >= 16 {
			*(*[16]byte)(dst[out : out+16 : out+16]) = *(*[16]byte)(dst[from : from+16 : from+16])
			for out += 16; out < end; out += 16 {
				from += 16
				*(*[16]byte)(dst[out : out+16 : out+16]) = *(*[16]byte)(dst[from : from+16 : from+16])
			}
		} else if dist >= 8 {
			for ; out < end; out += 8 {
				binary.LittleEndian.PutUint64(dst[out:out+8:out+8], binary.LittleEndian.Uint64(dst[from:from+8:from+8]))
				from += 8
			}
		} else if dist == 1 {
			w := uint64(dst[from]) * 0x0101010101010101
			for ; out < end; out += 8 {
				binary.LittleEndian.PutUint64(dst[out:out+8:out+8], w)
			}
		} else {
			for ; out < end; out += dist {
				binary.LittleEndian.PutUint64(dst[out:out+8:out+8], binary.LittleEndian.Uint64(dst[from:from+8:from+8]))
				from += dist
			}
		}
		out = end
	}
	n &= 63
	s.in, s.out, s.hold, s.n = in, out, hold&(1<<n-1), uint(n)
	if s.out > limit {
		s.out = limit
		return false, ErrTooLarge
	}
	return done, err
}
