package bitpack

import (
	"encoding/binary"
	"math/bits"
)

// Longest varints; padding counts.
const (
	MaxVarint32 = 5
	MaxVarint64 = 10
)

// Signed is what varints are decoded into.
type Signed interface{ ~int32 | ~int64 }

// coding says, at compile time, whether integers are zig-zag coded, by its length. As a type parameter it makes two loops
// out of one; a choice at run time would halve the speed of unpacking. exact is zigzag that loses no bits: decoding
// stops before a varint of ten bytes.
type (
	plain  [0]byte
	zigzag [1]byte
	exact  [2]byte
	coding interface{ plain | zigzag | exact }
)

// number is what varints are decoded into; unsigned ones stand for signed ones of the same bits.
type number interface{ ~int32 | ~int64 | ~uint64 }

// maxVarint is the most bytes that a varint of type T may have.
func maxVarint[T number]() int {
	if T(1)<<31<<1 == 0 {
		return MaxVarint32
	}
	return MaxVarint64
}

// value makes a value of the 7-bit groups of a varint, less the bits that do not fit.
func value[T number, Z coding](x uint64) T {
	var z Z
	switch {
	case len(z) == 0:
		return T(x)
	case maxVarint[T]() == MaxVarint32:
		return T(uint32(x)>>1) ^ -T(x&1)
	}
	return T(x>>1) ^ -T(x&1)
}

// DecodeZigzag decodes len(dst) zig-zag varints and returns how many bytes they took. As in Avro's and Trevni's Java
// readers, a varint may be padded up to MaxVarint32 or MaxVarint64 bytes, and bits that do not fit T are dropped; one
// that is longer is ErrVarint, one cut off ErrShort. After an error n is the start of the offending varint and dst is
// undefined.
func DecodeZigzag[T Signed](dst []T, src []byte) (n int, err error) {
	_, n, err = decode[T, zigzag](dst, src)
	return n, err
}

// DecodeUvarints is DecodeZigzag for unsigned varints: the bits go to dst as they are.
func DecodeUvarints[T Signed](dst []T, src []byte) (n int, err error) {
	_, n, err = decode[T, plain](dst, src)
	return n, err
}

// decode finds the last bytes of all varints in 64 bytes at once, as a mask. Then only m &= m-1 leads from one value to
// the next; loading, masking and closing the gaps between the 7-bit groups overlap freely. It returns how
// many values it decoded, and the bytes they took.
func decode[T number, Z coding](dst []T, src []byte) (i, p int, err error) {
	var z Z
	most := maxVarint[T]()
	if len(z) == 2 {
		most-- // nine bytes have 63 bits
	}
	var before *even // the width that all of the last 64 bytes had
	for i < len(dst) && len(src)-p >= SrcSlack {
		if k, n := vectorBlocks[T, Z](dst[i:], src[p:], most); k > 0 {
			i += k
			p += n
			continue
		}
		b := (*[SrcSlack]byte)(src[p:])
		m := stops((*[64]byte)(b[:]))
		if m == ^uint64(0) && len(dst)-i >= 64 {
			d := (*[64]T)(dst[i:])
			for k := range d {
				d[k] = value[T, Z](uint64(b[k]))
			}
			i += 64
			p += 64
			continue
		}
		if same := &evens[min(bits.TrailingZeros64(m), len(evens)-1)]; m&same.span == same.ends && len(dst)-i >= same.count {
			decodeEven[T, Z](dst[i:i+same.count], b[:], same)
			i += same.count
			p += same.count * same.width
			if same != before { // one may be chance, as with values that mostly take two bytes
				before = same
				continue
			}
			// After two blocks of a width take it for granted, and look afterwards.
			for n := streak * same.width; len(dst)-i >= streak && len(src)-p >= n+8 && decodeEven[T, Z](dst[i:i+streak], src[p:p+n+8], same); p += n {
				i += streak
			}
			continue
		}
		before = nil
		d := dst[i:min(i+bits.OnesCount64(m), len(dst))]
		if g := ^m; g&(g>>1) == 0 {
			i += len(d)
			p += decodeTwo[T, Z](d, b, m)
			continue
		}
		start := 0
		for k := range d {
			end := bits.TrailingZeros64(m) + 1
			m &= m - 1
			n := end - start
			w := binary.LittleEndian.Uint64(b[start&63:])
			if n > min(most, 8) {
				if n > most {
					return i + k, p + start, ErrVarint
				}
				x := compact(w&sevens) | uint64(b[start+8]&0x7f)<<56
				if n == 10 {
					x |= uint64(b[start+9]) << 63
				}
				d[k] = value[T, Z](x)
				start = end
				continue
			}
			start = end
			d[k] = value[T, Z](compact(w & payload[n&15]))
		}
		if start == 0 {
			return i, p, ErrVarint // 64 bytes without an end
		}
		i += len(d)
		p += start
	}
	for ; i < len(dst); i++ {
		x, n, err := uvarint(src[p:], most)
		if err != nil {
			return i, p, err
		}
		dst[i] = value[T, Z](x)
		p += n
	}
	return i, p, nil
}

// even describes 64 bytes of varints that all have one width: where they end, among the bytes that hold whole ones.
type even struct {
	ends, span   uint64
	width, count int
	keep         uint64 // the payload bits of a varint
	tops, more   uint64 // its top bits, and which of them are set
}

// streak is how many varints of one width are decoded before it is looked whether they were.
const streak = 64

// evens lists widths by the position of the first end; wider varints, and 64 bytes without an end, match nothing.
var evens = makeEvens()

func makeEvens() (t [9]even) {
	for w := 2; w <= 8; w++ {
		e := even{width: w, count: 64 / w, keep: sevens & (^uint64(0) >> (64 - 8*w))}
		for k := range e.count {
			e.ends |= 1 << (w*k + w - 1)
		}
		e.span = ^uint64(0) >> (64 - w*e.count)
		e.tops = tops & (^uint64(0) >> (64 - 8*w))
		e.more = e.tops &^ (0x80 << (8*w - 8))
		t[w-1] = e
	}
	t[0].ends, t[8].ends = 1, 1 // and no span: no mask is like that
	return t
}

// decodeEven decodes varints as if all had one width: nothing leads from one to the next but the stride. It reports
// whether they had; if not, d is undefined. b holds eight bytes from the start of each.
func decodeEven[T number, Z coding](d []T, b []byte, e *even) bool {
	at, odd := 0, uint64(0)
	if e.width <= 4 {
		for k := range d {
			x := binary.LittleEndian.Uint64(b[at:])
			odd |= x&e.tops ^ e.more
			x &= e.keep
			d[k] = value[T, Z](x&0x7f | x>>1&0x3f80 | x>>2&0x1fc000 | x>>3&0xfe00000)
			at += e.width
		}
		return odd == 0
	}
	for k := range d {
		x := binary.LittleEndian.Uint64(b[at:])
		odd |= x&e.tops ^ e.more
		d[k] = value[T, Z](compact(x & e.keep))
		at += e.width
	}
	return odd == 0
}

// payload has the bits that carry a varint of so many bytes, up to eight: quicker to look up than a shift by a variable.
var payload = [16]uint64{
	1: sevens >> 56, 2: sevens >> 48, 3: sevens >> 40, 4: sevens >> 32, 5: sevens >> 24, 6: sevens >> 16, 7: sevens >> 8, 8: sevens,
}

// decodeTwo decodes varints of one byte or two, which end where m has bits, and returns how many bytes they took.
func decodeTwo[T number, Z coding](d []T, b *[SrcSlack]byte, m uint64) int {
	start := 0
	for k := range d {
		if m == 0 { // never: but what the compiler knows not to be zero it counts without a test for it
			break
		}
		end := bits.TrailingZeros64(m) + 1
		m &= m - 1
		w := uint64(binary.LittleEndian.Uint16(b[start&63:]))
		d[k] = value[T, Z](w&0x7f | w>>1&0x3f80*uint64(end-start-1))
		start = end
	}
	return start
}

const sevens = 0x7f7f7f7f7f7f7f7f

// stops returns a bit for each byte that ends a varint, that is, has no top bit.
func stops(b *[64]byte) (m uint64) {
	for k := range 8 {
		w := ^binary.LittleEndian.Uint64(b[8*k:]) >> 7 & 0x0101010101010101
		m |= w * 0x0102040810204080 >> 56 << (8 * k)
	}
	return m
}

// compact closes the gaps between eight 7-bit groups: upper halves come down by 1, 2 and 4 bits in turn. Taking away
// what they lose by it is an operation less than masking both halves.
func compact(x uint64) uint64 {
	x -= x & 0x7f007f007f007f00 >> 1
	x -= x & 0x3fff00003fff0000 >> 2 * 3
	return x - x>>32*(1<<32-1<<28)
}

// uvarint reads one varint with care.
func uvarint(src []byte, most int) (x uint64, n int, err error) {
	for i, b := range src[:min(len(src), most)] {
		x |= uint64(b&0x7f) << (7 * uint(i))
		if b < 0x80 {
			return x, i + 1, nil
		}
	}
	if len(src) >= most {
		return 0, 0, ErrVarint
	}
	return 0, 0, ErrShort
}

// Zigzag decodes the zig-zag varint at the start of src, by the rules of DecodeZigzag, and says how many bytes it took.
func Zigzag[T Signed](src []byte) (v T, n int, err error) {
	x, n, err := uvarint(src, maxVarint[T]())
	return value[T, zigzag](x), n, err
}

// SkipVarints returns how many bytes the first n varints of src take, of a width of T. It fails as decoding them would.
func SkipVarints[T Signed](src []byte, n int) (int, error) {
	most := maxVarint[T]()
	p := 0
	// A varint is too long if most bytes in a row have their top bit set: a run of ones in the mask of those, which
	// ANDs of shifted masks find. late holds the bytes before this block.
	var late1, late2, late4 uint64
	for n > 0 && len(src)-p >= 64 {
		m := stops((*[64]byte)(src[p:]))
		if k := bits.OnesCount64(m); k < n {
			run1 := ^m
			run2 := run1 & (run1<<1 | late1>>63)
			run4 := run2 & (run2<<2 | late2>>62)
			run8 := run4 & (run4<<4 | late4>>60)
			bad := run4 & (run1<<4 | late1>>60) // five
			if most == MaxVarint64 {
				bad = run8 & (run2<<8 | late2>>56) // ten
			}
			if bad != 0 {
				break // the careful loop says where; a varint that began before is long past its stop
			}
			late1, late2, late4 = run1, run2, run4
			p += 64
			n -= k
			continue
		}
		break
	}
	// Back to the start of the varint that the blocks cut, if any.
	for p > 0 && src[p-1] >= 0x80 {
		p--
	}
	for ; n > 0; n-- {
		_, k, err := uvarint(src[p:], most)
		if err != nil {
			return p, err
		}
		p += k
	}
	return p, nil
}
