package decode

import "encoding/binary"

// Bloom is a split-block bloom filter. The zero value knows nothing.
type Bloom struct{ bits []byte }

// bloomSalt are the eight constants of the specification.
var bloomSalt = [8]uint32{0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31}

// ParseBloomHeader parses the header of a bloom filter and returns how many bytes it takes and how many bytes of bits
// follow it; 0 bits where the filter is of a kind that is not known here.
func ParseBloomHeader(b []byte) (n, bits int, err error) {
	t := thrift{b: b, budget: 1 << 16}
	size, known := int32(0), true
	for f := (field{}); t.next(&f); {
		switch f.id {
		case 1:
			size = t.i32(f)
		case 2, 3, 4: // algorithm: blocks; hash: xxHash; compression: none
			for u := t.open(f); t.next(&u); t.skip(u) {
				known = known && u.id == 1
			}
		default:
			t.skip(f)
		}
	}
	if t.err == nil && (size < 0 || size%32 != 0) {
		t.err = ErrThrift
	}
	if t.err != nil {
		return 0, 0, t.err
	}
	if !known {
		size = 0
	}
	return t.pos, int(size), nil
}

// NewBloom returns the filter of the bits, which it keeps: a multiple of 32 bytes.
func NewBloom(bits []byte) Bloom { return Bloom{bits[:len(bits)&^31]} }

// Known reports whether the filter can be asked.
func (f Bloom) Known() bool { return len(f.bits) > 0 }

// MayContain reports whether a value with this xxHash-64 may be there.
func (f Bloom) MayContain(hash uint64) bool {
	if len(f.bits) == 0 {
		return true
	}
	blocks := uint64(len(f.bits) / 32)
	block := f.bits[(hash>>32)*blocks>>32*32:][:32]
	for i, s := range bloomSalt {
		if binary.LittleEndian.Uint32(block[4*i:])>>(uint32(hash)*s>>27)&1 == 0 {
			return false
		}
	}
	return true
}
