package inflate

import "encoding/binary"

// A turn of a fast loop reads at most 16 bytes of src: two loads of 8, the second at most 8 bytes on. It writes at most 3
// literals or a token of 32 bytes, a match of 258 and 31 bytes behind it. So fastIn and Slack bytes must be left.
const fastIn = 16

// portable decodes symbols while there is room on both sides, and says in d.why why it stopped.
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
func (d *Decoder) portable(dst, src []byte) {
	src, dst = src[:len(src):len(src)], dst[:len(dst):len(dst)]
	s, w := &d.state, whyRoom
	lastIn, lastOut := s.lastIn, s.lastOut
	in, out, hold, n := s.in, s.out, s.hold, uint64(s.n)
	for in <= lastIn && out <= lastOut {
		hold |= binary.LittleEndian.Uint64(src[in:in+8:in+8]) << (n & 63)
		in += int((n ^ 63) >> 3 & 7)
		n |= 56
		e := uint64(d.lit[hold&litMask])
		if e&litLiteral != 0 {
			hold >>= e & 63
			n -= e
			dst[out] = byte(e >> 24)
			out++
			e = uint64(d.lit[hold&litMask])
			if e&litLiteral != 0 {
				hold >>= e & 63
				n -= e
				dst[out] = byte(e >> 24)
				out++
				e = uint64(d.lit[hold&litMask])
				if e&litLiteral != 0 {
					hold >>= e & 63
					n -= e
					dst[out] = byte(e >> 24)
					out++
					e = uint64(d.lit[hold&litMask])
					if e&litLiteral != 0 {
						hold >>= e & 63
						n -= e
						dst[out] = byte(e >> 24)
						out++
						continue
					}
				}
			}
		}
		more := 0
		if e&isSpecial != 0 {
			if e&litSub != 0 {
				hold >>= litBits
				n -= litBits
				e = uint64(d.lit[e>>litPlace<<2+1<<litBits+hold&(1<<(e>>8&15)-1)])
				if e&litLiteral != 0 {
					hold >>= e & 63
					n -= e
					dst[out] = byte(e >> 24)
					out++
					continue
				}
			}
			if e&isSpecial != 0 {
				if e&litBad != 0 {
					w = whyCorrupt
					break
				}
				if e&litEnd != 0 {
					w = whyEnd
					hold >>= e & 63
					n -= e
					break
				}
				more = toLongest
			}
		}
		length := more + int(e>>16&0xff) + int(hold>>(e>>8&15)&(e>>24))
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
				de = d.dist[de>>distPlace<<2+1<<distBits+hold&(1<<(de>>8&15)-1)]
			}
			if de&distSpecial != 0 {
				w = whyCorrupt
				break
			}
		}
		from := out - int(de>>16&0xffff) - int(hold>>(de>>8&15)&(de>>32))
		hold >>= de & 63
		n -= de
		if from < 0 {
			w = whyCorrupt
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
	s.in, s.out, s.hold, s.n, s.why = in, out, hold, uint(n), w
}
