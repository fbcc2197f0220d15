package blockcodec

import (
	"encoding/binary"
	"errors"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/zstd"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// EncodeNumbers is Encode for src that holds packed numbers. Matches in these are often few, and shorter than what it takes to say where they
// are. Where a sample of src tells that codes of bytes alone are about as short, Zstd and Deflate of the default levels and faster ones do not look for
// matches: that takes a quarter of the time, or less, and is shorter as often as not. Other codecs do what Encode does.
func (e *Encoder) EncodeNumbers(c Codec, level int, dst, src []byte) ([]byte, error) {
	if checkLevel(c, level) != nil || len(src) < leastSampled {
		return e.Encode(c, level, dst, src)
	}
	switch {
	case c == Zstd && (level == DefaultLevel || zstd.EncoderLevelFromZstd(level) <= zstd.SpeedDefault):
		if pays, err := e.matchesPay(src, dst); err != nil || pays {
			break
		}
		return e.zstdLiterals(dst, src)
	case c == Deflate && level >= 1 && level <= 6 || c == Deflate && level == DefaultLevel:
		if pays, err := e.matchesPay(src, dst); err != nil || pays {
			break
		}
		return e.flateBlock(&e.codes, flateCodes, dst, src)
	}
	return e.Encode(c, level, dst, src)
}

// EncodeUnmatched is Encode for src that follows a block of the same column that no matches made shorter. Where a sample of src
// does not become shorter either, Snappy of the fastest level stores src as it is. Else it does what Encode does.
func (e *Encoder) EncodeUnmatched(c Codec, level int, dst, src []byte) ([]byte, error) {
	if c == Snappy && (level == DefaultLevel || level == 1) && len(src) >= 4*mostSample && len(src) < 1<<24 {
		at := (len(src) - mostSample) / 2
		sample, err := e.snappy(level, dst, src[at:at+mostSample])
		if err != nil {
			return dst, err
		}
		if len(sample)-len(dst) >= mostSample {
			return snappyLiteral(dst, src), nil
		}
	}
	return e.Encode(c, level, dst, src)
}

// snappyLiteral appends a block of Snappy that is one literal; src has 257 bytes to 16 MiB.
func snappyLiteral(dst, src []byte) []byte {
	const literal2, literal3 = 61 << 2, 62 << 2 // the length less one follows in two bytes, or three
	dst = binary.AppendUvarint(dst, uint64(len(src)))
	n := len(src) - 1
	if n < 1<<16 {
		dst = append(dst, literal2, byte(n), byte(n>>8))
	} else {
		dst = append(dst, literal3, byte(n), byte(n>>8), byte(n>>16))
	}
	return append(dst, src...)
}

const (
	leastSampled = 16 << 10 // bytes of a block that it pays to take a sample of
	mostSample   = 16 << 10 // bytes of a sample, which is a quarter of the block at the most
)

// matchesPay reports whether, in a sample from the middle of src, matches save 2 % of what codes of bytes alone take. The memory behind dst is scratch.
func (e *Encoder) matchesPay(src, dst []byte) (bool, error) {
	size := min(len(src)/4, mostSample)
	at := (len(src) - size) / 2
	sample := src[at : at+size]
	e.huff.Reuse = huff0.ReusePolicyNone
	table, codes, _, err := huff0.EstimateSizes(sample, &e.huff)
	switch {
	case errors.Is(err, huff0.ErrUseRLE):
		return true, nil
	case errors.Is(err, huff0.ErrIncompressible):
		table, codes = 0, len(sample)
	case err != nil:
		return false, errs.Errorf(errs.ErrInternal, "zstd: %w", err)
	}
	out, err := e.zstdFrame(1, dst[len(dst):], sample)
	return (len(out)-frameOverhead)*50 < (table+codes)*49, err
}

// frameOverhead is what a frame of zstd has besides codes and matches, about.
const frameOverhead = 20

const (
	zstdMagic      = 0xfd2fb528
	zstdBlock      = 128 << 10 // bytes of content that a block has at the most
	zstdRaw        = 0
	zstdRLE        = 1
	zstdCompressed = 2
	newCodes       = 2 // of literals: Huffman codes with their table
	sameCodes      = 3 // those of the block before
)

// zstdLiterals writes a frame as zstdFrame does, without matches (RFC 8878); src is not empty:
//
//	magic | descriptor, size of the content | blocks | low half of the content's xxhash64
//	block:    last, kind, size: 3 bytes | literals | 0 = no sequences
//	literals: kind, 4 streams, both sizes: 3 to 5 bytes | [table] | sizes of streams | streams
func (e *Encoder) zstdLiterals(dst, src []byte) ([]byte, error) {
	const single, checked, size32 = 1 << 5, 1 << 2, 2 << 6
	out := binary.LittleEndian.AppendUint32(dst, zstdMagic)
	out = append(out, single|checked|size32)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(src)))
	e.huff.Reuse = huff0.ReusePolicyNone
	for at := 0; at < len(src); at += zstdBlock {
		block := src[at:min(at+zstdBlock, len(src))]
		last := uint32(0)
		if at+len(block) == len(src) {
			last = 1
		}
		var err error
		if out, err = e.literalBlock(out, block, last); err != nil {
			return dst, err
		}
	}
	return binary.LittleEndian.AppendUint32(out, uint32(xxhash.Sum64(src))), nil
}

// literalBlock appends a block.
func (e *Encoder) literalBlock(dst, block []byte, last uint32) ([]byte, error) {
	header := func(kind, size uint32) {
		h := last | kind<<1 | size<<3
		dst = append(dst, byte(h), byte(h>>8), byte(h>>16))
	}
	size := uint32(len(block))
	codes, reused, err := huff0.Compress4X(block, &e.huff)
	switch {
	case errors.Is(err, huff0.ErrUseRLE):
		e.huff.Reuse = huff0.ReusePolicyNone
		header(zstdRLE, size)
		return append(dst, block[0]), nil
	case err == nil && len(codes)+literalsHeader+1 < len(block):
	case err == nil || errors.Is(err, huff0.ErrIncompressible):
		e.huff.Reuse = huff0.ReusePolicyNone // what was not written is not there to be used again
		header(zstdRaw, size)
		return append(dst, block...), nil
	default:
		return dst, errs.Errorf(errs.ErrInternal, "zstd: %w", err)
	}
	kind := uint64(newCodes)
	if reused {
		kind = sameCodes
	}
	e.huff.Reuse = huff0.ReusePolicyAllow
	header(zstdCompressed, uint32(literalsHeader+len(codes)+1))
	// Both sizes have 18 bits, whatever they are.
	h := kind | 3<<2 | uint64(size)<<4 | uint64(len(codes))<<22
	dst = append(dst, byte(h), byte(h>>8), byte(h>>16), byte(h>>24), byte(h>>32))
	dst = append(dst, codes...)
	return append(dst, 0), nil
}

// literalsHeader is the size of the header of literals.
const literalsHeader = 5
