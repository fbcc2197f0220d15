package inflate

// careful decodes symbols to the end of the block with every step checked. It has the last bytes of src and dst, and all
// of a short stream.
func (d *Decoder) careful(dst, src []byte) error {
	s := &d.state
	for {
		// Behind the end of src hold reads as zeros: an entry counts only if its bits were there.
		s.need(src, 56)
		e := d.lit[s.hold&litMask]
		if e&isSpecial != 0 && e&litSub != 0 {
			if s.n < litBits {
				return ErrTruncated
			}
			e2 := d.lit[uint64(e>>litPlace<<2)+1<<litBits+s.hold>>litBits&(1<<(e>>8&15)-1)]
			s.drop(litBits)
			e = e2
		}
		l := uint(e & 255)
		if l > s.n {
			return ErrTruncated
		}
		if e&litLiteral != 0 {
			if s.out >= len(dst) {
				return ErrTooLarge
			}
			s.drop(l)
			dst[s.out] = byte(e >> 24)
			s.out++
			continue
		}
		length := int(e>>16&0xff) + int(uint32(s.hold>>(e>>8&15))&(e>>24))
		if e&isSpecial != 0 {
			switch {
			case e&litBad != 0:
				return ErrCorrupt
			case e&litEnd != 0:
				s.drop(l)
				return nil
			}
			length += toLongest
		}
		s.drop(l)

		s.need(src, 56)
		de := d.dist[s.hold&distMask]
		if de&(distSpecial|distSub) == distSpecial|distSub {
			if s.n < distBits {
				return ErrTruncated
			}
			de2 := d.dist[de>>distPlace<<2+1<<distBits+s.hold>>distBits&(1<<(de>>8&15)-1)]
			s.drop(distBits)
			de = de2
		}
		l = uint(de & 255)
		if l > s.n {
			return ErrTruncated
		}
		if de&distSpecial != 0 {
			return ErrCorrupt
		}
		dist := int(de>>16&0xffff) + int(s.hold>>(de>>8&15)&(de>>32))
		s.drop(l)
		if dist > s.out {
			return ErrCorrupt
		}
		room := len(dst) - s.out
		for range min(length, room) {
			dst[s.out] = dst[s.out-dist]
			s.out++
		}
		if length > room {
			return ErrTooLarge
		}
	}
}
