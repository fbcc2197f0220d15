package cfilewire

import (
	"encoding/binary"
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

// Frame opens the blocks of a file: data, index and dictionary alike.
//
//	uncompressed             block, crc
//	version 2, compressed    size of the block(u32), payload, crc
//	version 1, compressed    size of the payload(u32), size of the block(u32), payload, crc
//
// The crc is a CRC-32C of the stored bytes before it; there is one where Checksums is set. In version 2 a payload as
// long as the block is the block itself: Kudu stores what its codec does not shrink by a tenth.
type Frame struct {
	Version   int
	Codec     blockcodec.Codec
	Checksums bool
	Trusting  bool  // checksums are there, and not compared
	Limit     int64 // of an opened block's bytes
}

// frameSlack is the room behind an opened block: for the codecs' scribbling and for wide loads of what reads it.
const frameSlack = max(blockcodec.Slack, bitpack.SrcSlack)

// Frame returns what opens the blocks of f, once ParseHeader has set its version.
func (f *Footer) Frame(lim errs.Limits) Frame {
	lim = lim.WithDefaults()
	return Frame{
		Version: f.Version, Codec: f.Compression.Codec(), Checksums: f.Checksums,
		Limit: min(lim.BlockBytes, math.MaxInt32-2*frameSlack),
	}
}

// Open verifies and decompresses a block of which stored is all that is in the file. It returns the block, and dst for
// the next call, grown where that was needed.
//
// A block that is not compressed is a part of stored, else it is a part of buf. Where stored has bitpack.SrcSlack
// bytes of capacity behind it, the block has them too. A damaged block is errs.ErrCorrupt, one that is larger than
// Limit is errs.ErrLimit; buf is then dst.
func (fr *Frame) Open(stored, dst []byte, d *blockcodec.Decoder) (raw, buf []byte, err error) {
	raw, size, err := fr.unwrap(stored)
	switch {
	case err != nil:
		return nil, dst, err
	case size > fr.Limit:
		return nil, dst, errs.Errorf(errs.ErrLimit, "block of %d bytes is over the limit BlockBytes = %d", size, fr.Limit)
	case size == int64(len(raw)) && (fr.Version != 1 || fr.Codec == blockcodec.None):
		return raw, dst, nil
	}
	if cap(dst) < int(size)+frameSlack {
		dst = make([]byte, (int(size)+frameSlack+4095)&^4095)
	}
	raw, err = d.Decode(fr.Codec, dst, raw, int(size), true)
	return raw, dst, err
}

// unwrap returns the payload, and the size of what it holds. There may be more capacity behind it.
func (fr *Frame) unwrap(stored []byte) ([]byte, int64, error) {
	b := stored
	if fr.Checksums {
		if len(b) < checksumSize {
			return nil, 0, errs.Errorf(errs.ErrCorrupt, "block of %d bytes has no checksum", len(b))
		}
		b = b[:len(b)-checksumSize]
		if !fr.Trusting {
			if err := verify(b, stored[len(b):]); err != nil {
				return nil, 0, err
			}
		}
	}
	if fr.Codec == blockcodec.None {
		return b, int64(len(b)), nil
	}
	head := 4
	if fr.Version == 1 {
		head = 8
	}
	if len(b) < head {
		return nil, 0, errs.Errorf(errs.ErrCorrupt, "compressed block of %d bytes has no sizes", len(b))
	}
	size := int64(binary.LittleEndian.Uint32(b[head-4:]))
	payload := b[head:]
	if fr.Version == 1 {
		if n := binary.LittleEndian.Uint32(b); int64(n) != int64(len(payload)) {
			return nil, 0, errs.Errorf(errs.ErrCorrupt, "compressed block of %d bytes says %d", len(payload), n)
		}
	}
	if fr.Version != 1 && int64(len(payload)) > size {
		return nil, 0, errs.Errorf(errs.ErrCorrupt, "compressed block of %d bytes is to hold only %d", len(payload), size)
	}
	if size > blockcodec.MaxRaw(fr.Codec, int64(len(payload))) {
		return nil, 0, errs.Errorf(errs.ErrCorrupt, "%s block of %d bytes cannot hold %d", fr.Codec, len(payload), size)
	}
	return payload, size, nil
}
