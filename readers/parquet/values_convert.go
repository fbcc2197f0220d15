package parquet

import (
	"encoding/binary"

	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// narrow makes small integers of stored ones of 32 bits.
func narrow[D uint8 | uint16](dst []D, src []byte) error {
	src = src[:4*len(dst)]
	for i := range dst {
		dst[i] = D(binary.LittleEndian.Uint32(src[4*i:]))
	}
	return nil
}

// decimal128s returns what makes decimals of 128 bits, low word first, of stored ones.
func decimal128s(e *decode.Element) func(dst [][2]uint64, src []byte) error {
	switch e.Type {
	case decode.Int32:
		return func(dst [][2]uint64, src []byte) error {
			for i := range dst {
				v := int64(int32(binary.LittleEndian.Uint32(src[4*i:])))
				dst[i] = [2]uint64{uint64(v), uint64(v >> 63)}
			}
			return nil
		}
	case decode.Int64:
		return func(dst [][2]uint64, src []byte) error {
			for i := range dst {
				v := int64(binary.LittleEndian.Uint64(src[8*i:]))
				dst[i] = [2]uint64{uint64(v), uint64(v >> 63)}
			}
			return nil
		}
	}
	width := newStored(e).width
	if width <= 8 {
		return func(dst [][2]uint64, src []byte) error {
			for i := range dst {
				v := shortInt(src[i*width:][:width])
				dst[i] = [2]uint64{uint64(v), uint64(v >> 63)}
			}
			return nil
		}
	}
	if width <= 16 {
		return func(dst [][2]uint64, src []byte) error {
			for i := range dst {
				v := src[i*width:][:width]
				dst[i] = [2]uint64{binary.BigEndian.Uint64(v[width-8:]), uint64(shortInt(v[:width-8]))}
			}
			return nil
		}
	}
	return func(dst [][2]uint64, src []byte) error {
		for i := range dst {
			v := src[i*width:][:width]
			hi := binary.BigEndian.Uint64(v[width-16:])
			sign := byte(int64(hi) >> 63)
			for _, b := range v[:width-16] {
				if b != sign {
					return corrupt("a decimal that does not fit 128 bits")
				}
			}
			dst[i] = [2]uint64{binary.BigEndian.Uint64(v[width-8:]), hi}
		}
		return nil
	}
}

// shortInt returns a big-endian integer of 1 to 8 bytes, 0 of none.
func shortInt(v []byte) int64 {
	if len(v) == 0 {
		return 0
	}
	x := int64(int8(v[0]))
	for _, b := range v[1:] {
		x = x<<8 | int64(b)
	}
	return x
}

// decimal256s returns what makes decimals of 256 bits, little-endian, of stored ones.
func decimal256s(e *decode.Element) func(dst [][32]byte, src []byte) error {
	if e.Type == decode.Int32 || e.Type == decode.Int64 {
		width := newStored(e).width
		return func(dst [][32]byte, src []byte) error {
			for i := range dst {
				v := src[i*width:][:width]
				sign := byte(int8(v[width-1]) >> 7)
				d := &dst[i]
				for j := copy(d[:], v); j < 32; j++ {
					d[j] = sign
				}
			}
			return nil
		}
	}
	width := newStored(e).width
	return func(dst [][32]byte, src []byte) error {
		for i := range dst {
			v := src[i*width:][:width]
			sign := byte(int8(v[0]) >> 7)
			for ; len(v) > 32; v = v[1:] {
				if v[0] != sign || byte(int8(v[1])>>7) != sign {
					return corrupt("a decimal that does not fit 256 bits")
				}
			}
			var be [32]byte
			for j := range 32 - len(v) {
				be[j] = sign
			}
			copy(be[32-len(v):], v)
			for j := 0; j < 32; j += 8 {
				binary.LittleEndian.PutUint64(dst[i][24-j:], binary.BigEndian.Uint64(be[j:]))
			}
		}
		return nil
	}
}
