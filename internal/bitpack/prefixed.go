package bitpack

import "math"

// Strings of up to 63 bytes have a length of one byte. Copying one takes whole steps of 16, or 32 at first, and may
// read and write so much behind its end.
const prefixedRoom = 144

// DecodePrefixed decodes strings that each follow their length, a zig-zag varint of 32 bits (Trevni, Avro). The bytes go
// to data from offsets[0] on, the end of each string to the next of offsets. It returns the number of strings decoded
// and the bytes of src that they took.
//
// It decodes len(offsets)-1 strings unless it fails: with ErrRoom if the next string does not fit data, or the reach of
// int32; with ErrShort if it goes on behind src; with ErrNegative or ErrVarint if its length is bad. What was decoded up
// to there stands. data behind the last string is scratch. All that src holds fits data if that has len(src) bytes from
// offsets[0] on, so one allocation serves.
func DecodePrefixed(offsets []int32, data, src []byte) (n, consumed int, err error) {
	if len(offsets) == 0 {
		return 0, 0, nil
	}
	if len(data) > math.MaxInt32 {
		data = data[:math.MaxInt32]
	}
	p, q := 0, int(offsets[0])
	ends := offsets[1:]
	i := 0
	// Which copy is best depends on the usual length, and a wrong one costs a misprediction per string: look again
	// every 256 strings.
	for wide := false; i < len(ends) && p <= len(src)-prefixedRoom && q <= len(data)-prefixedRoom; {
		chunk := ends[i:min(i+256, len(ends))]
		from := q
		var k, dp, dq int
		if wide {
			k, dp, dq = prefixed32(chunk, data[q:], src[p:], q)
		} else {
			k, dp, dq = prefixed16(chunk, data[q:], src[p:], q)
		}
		i += k
		p += dp
		q += dq
		if k > 0 {
			mean := (q - from) / k
			wide = mean >= 12 && mean < 32
		}
		if k < len(chunk) {
			// A bad string, or one near the end.
			v, w, err := Zigzag[int32](src[p:])
			if err != nil {
				return i, p, err
			}
			if err := checkString(v, len(src)-p-w, len(data)-q); err != nil {
				return i, p, err
			}
			copy(data[q:], src[p+w:p+w+int(v)])
			p += w + int(v)
			q += int(v)
			ends[i] = int32(q)
			i++
		}
	}
	for ; i < len(ends); i++ {
		v, w, err := Zigzag[int32](src[p:])
		if err != nil {
			return i, p, err
		}
		if err := checkString(v, len(src)-p-w, len(data)-q); err != nil {
			return i, p, err
		}
		copy(data[q:], src[p+w:p+w+int(v)])
		p += w + int(v)
		q += int(v)
		ends[i] = int32(q)
	}
	return i, p, nil
}

// checkString checks the length of a string against the bytes left on both sides.
func checkString(n int32, src, data int) error {
	switch {
	case n < 0:
		return ErrNegative
	case int(n) > src:
		return ErrShort
	case int(n) > data:
		return ErrRoom
	}
	return nil
}

// longString copies one string of any length. It returns how long it is and the bytes of its length, 0 if it cannot be
// decoded.
func longString(data, src []byte) (n, width int) {
	v, w, err := Zigzag[int32](src)
	if err != nil || checkString(v, len(src)-w, len(data)) != nil {
		return 0, 0
	}
	copy(data, src[w:w+int(v)])
	return int(v), w
}

// prefixed16 decodes strings, most of them shorter than 16 bytes or longer than 32, while they are good and there is room
// on both sides. It returns their number and the bytes read and written. start is the offset of data[0].
func prefixed16(ends []int32, data, src []byte, start int) (n, p, q int) {
	for i := range ends {
		if p > len(src)-prefixedRoom || q > len(data)-prefixedRoom {
			return i, p, q
		}
		b := src[p]
		if b&0x81 != 0 { // long, or negative
			v, w := longString(data[q:], src[p:])
			if w == 0 {
				return i, p, q
			}
			p += w + v
			q += v
			ends[i] = int32(start + q)
			continue
		}
		n := int(b >> 1)
		p++
		*(*[16]byte)(data[q:]) = *(*[16]byte)(src[p:])
		for k := 16; k < n; k += 16 {
			*(*[16]byte)(data[q+k:]) = *(*[16]byte)(src[p+k:])
		}
		p += n
		q += n
		ends[i] = int32(start + q)
	}
	return len(ends), p, q
}

// prefixed32 is prefixed16 for strings of which most are shorter than 32 bytes.
func prefixed32(ends []int32, data, src []byte, start int) (n, p, q int) {
	for i := range ends {
		if p > len(src)-prefixedRoom || q > len(data)-prefixedRoom {
			return i, p, q
		}
		b := src[p]
		if b&0x81 != 0 {
			v, w := longString(data[q:], src[p:])
			if w == 0 {
				return i, p, q
			}
			p += w + v
			q += v
			ends[i] = int32(start + q)
			continue
		}
		n := int(b >> 1)
		p++
		*(*[32]byte)(data[q:]) = *(*[32]byte)(src[p:])
		if n > 32 {
			*(*[32]byte)(data[q+32:]) = *(*[32]byte)(src[p+32:])
		}
		p += n
		q += n
		ends[i] = int32(start + q)
	}
	return len(ends), p, q
}

// PutPrefixed writes the strings that offsets cut data into, each behind its length, to dst. Like PutZigzag it stops at
// the first that would begin at len(dst)-VarintRoom or behind; it also stops at one that does not fit dst. It returns
// how many it wrote and the bytes they took; the rest of dst is scratch.
func PutPrefixed(dst []byte, offsets []int32, data []byte) (values, size int) {
	p := 0
	for i := 0; i < len(offsets)-1; i++ {
		from, to := int(offsets[i]), int(offsets[i+1])
		n := to - from
		if p >= len(dst)-VarintRoom || n > len(dst)-p-VarintRoom {
			return i, p
		}
		if n < 64 {
			dst[p] = byte(n << 1)
			p++
		} else {
			p += len(AppendZigzag(dst[p:p:p+VarintRoom], int64(n)))
		}
		if n <= 32 && from <= len(data)-32 && p <= len(dst)-32 {
			*(*[16]byte)(dst[p:]) = *(*[16]byte)(data[from:])
			if n > 16 {
				*(*[16]byte)(dst[p+16:]) = *(*[16]byte)(data[from+16:])
			}
		} else {
			copy(dst[p:p+n], data[from:to])
		}
		p += n
	}
	return max(len(offsets)-1, 0), p
}
