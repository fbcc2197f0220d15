package cfilewire

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

// MaxRaw is the size that a block of a compressed file may have before compression: Kudu does not read more unless its
// server is told to, and writes none.
const MaxRaw = 16 << 20

// Sealer wraps blocks as a Frame says, the reverse of its Open. The zero value is ready. It keeps the state of codecs.
// One goroutine at a time may use it.
type Sealer struct {
	encoder blockcodec.Encoder
	lz4     lz4Out
}

// Seal appends what is stored of the block raw to dst. It keeps neither; they must not overlap. In version 2 a block that
// its codec does not make shorter by a tenth is stored as it is, as Kudu does. LZ4 has Kudu's bytes; snappy and zlib have
// those of other implementations.
//
// A block of more than MaxRaw bytes is errs.ErrLimit where there is a codec, one of 2 GiB anywhere.
func (s *Sealer) Seal(fr Frame, dst, raw []byte) ([]byte, error) {
	if len(raw) > math.MaxInt32-2*checksumSize-4 || fr.Codec != blockcodec.None && len(raw) > MaxRaw {
		return dst, errs.Errorf(errs.ErrLimit, "block of %d bytes is over what a CFile can have", len(raw))
	}
	start := len(dst)
	if fr.Codec == blockcodec.None {
		dst = append(slices.Grow(dst, len(raw)+checksumSize), raw...)
	} else {
		head := 4
		if fr.Version == 1 {
			head = 8
		}
		dst = binary.LittleEndian.AppendUint32(append(dst, make([]byte, head-4)...), uint32(len(raw)))
		out, err := s.pack(fr.Codec, dst, raw)
		if err != nil {
			return dst[:start], err
		}
		size := len(out) - len(dst)
		switch {
		case fr.Version == 1:
			binary.LittleEndian.PutUint32(out[start:], uint32(size))
		case size >= len(raw) || float64(size)/float64(len(raw)) > 0.9: // in the numbers of Kudu
			out = append(out[:len(dst)], raw...)
		}
		dst = out
	}
	if fr.Checksums {
		dst = appendSum(dst, dst[start:])
	}
	return dst, nil
}

func (s *Sealer) pack(c blockcodec.Codec, dst, raw []byte) ([]byte, error) {
	if c == blockcodec.LZ4 {
		return s.lz4.append(dst, raw), nil
	}
	return s.encoder.Encode(c, blockcodec.DefaultLevel, dst, raw)
}

// appendSum appends the CRC-32C of b.
func appendSum(dst, b []byte) []byte {
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(b, castagnoli))
}
