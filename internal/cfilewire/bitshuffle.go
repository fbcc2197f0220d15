package cfilewire

import (
	"encoding/binary"
	"math"

	"github.com/pierrec/lz4/v4"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

// BitShuffle reads a block of BIT_SHUFFLE values (docs/formats/cfile.md §4.4):
//
//	ordinal u32 | count u32 | size u32 | padded u32 | width u32 | chunks
//
// size is that of the whole block, padded is count rounded up to a multiple of eight, width is that of an element.
// Chunks hold 8 KiB of elements each, the last one what is left:
//
//	length u32, **big-endian** | length bytes of LZ4: the elements with their bits transposed, see bitpack.Unshuffle
//
// The zero value has no values. Chunks are decoded one by one as they are asked for, straight into the caller's memory
// where they fit; the reader itself needs twice 8 KiB, which it keeps from block to block. One goroutine at a time may
// use it.
type BitShuffle struct {
	chunks  []byte // not decoded; Open has found them whole
	padded  int    // elements in them
	drop    int    // of these, the first ones that were skipped: fewer than their chunk has
	ready   []byte // elements of the chunk before them, in scratch, without padding
	left    int    // values to come
	elem    int    // bytes of an element
	width   int    // bytes of a value
	scratch *[2 * chunkBytes]byte
}

// chunkBytes is the size of the elements of a chunk. The bitshuffle library says this and "at least 128 elements", which
// makes no difference for widths up to 16.
const chunkBytes = 8 << 10

const (
	shuffleHeadBytes = 20
	chunkHeadBytes   = 4
)

var (
	errShuffleCount error = errs.Errorf(errs.ErrCorrupt, "count of bit-shuffled values is not padded to a multiple of eight")
	errShuffleWidth error = errs.Errorf(errs.ErrCorrupt, "bit-shuffled values are not as wide as those of the column")
	errShuffleChunk error = errs.Errorf(errs.ErrCorrupt, "chunk of bit-shuffled values is not LZ4 of as many as it should have")
	errShuffleSize  error = errs.Errorf(errs.ErrLimit, "block of bit-shuffled values is larger than memory can be")
)

// Open makes s read the block b of values of width bytes, which it keeps and does not change. With narrow set, which is
// for UINT32 (the codes of dictionaries), elements of 1 or 2 bytes may stand for the 4 of a value.
//
// The chunks are known to be there then, and to be large enough for what they should hold. That still lets a block
// have 255 times as many bytes of values as it is long: Head.Count is no size to allocate without a limit.
func (s *BitShuffle) Open(b []byte, width int, narrow bool) (Head, error) {
	*s = BitShuffle{scratch: s.scratch}
	if len(b) < shuffleHeadBytes {
		return Head{}, errBlockHead
	}
	word := func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(b[4*i:])) }
	count, padded, elem := word(1), word(3), word(4)
	h := Head{Ordinal: uint32(word(0)), Count: uint32(count)}
	switch {
	case word(2) != uint64(len(b)):
		return h, errBlockSize
	case padded != (count+7)&^7:
		return h, errShuffleCount
	case elem != uint64(width) && !(narrow && width == 4 && (elem == 1 || elem == 2)):
		return h, errShuffleWidth
	}
	switch elem {
	case 1, 2, 4, 8, 16:
	default:
		return h, errShuffleWidth
	}
	if padded*uint64(width) > math.MaxInt {
		return h, errShuffleSize
	}
	chunks := b[shuffleHeadBytes:]
	for rest, n := chunks, int(padded); ; {
		if n == 0 {
			if len(rest) > 0 {
				return h, errBlockSize
			}
			break
		}
		m := min(n, chunkBytes/int(elem))
		packed, next, err := cutChunk(rest)
		if err != nil {
			return h, err
		}
		if blockcodec.MaxRaw(blockcodec.LZ4, int64(len(packed))) < int64(m)*int64(elem) {
			return h, errShuffleChunk
		}
		rest, n = next, n-m
	}
	s.chunks, s.padded, s.left, s.elem, s.width = chunks, int(padded), int(count), int(elem), width
	return h, nil
}

// cutChunk separates the packed bytes of the first chunk from the chunks behind it.
func cutChunk(chunks []byte) (packed, rest []byte, err error) {
	if len(chunks) < chunkHeadBytes {
		return nil, nil, errBlockEnd
	}
	n, rest := uint64(binary.BigEndian.Uint32(chunks)), chunks[chunkHeadBytes:]
	if n > uint64(len(rest)) {
		return nil, nil, errBlockEnd
	}
	return rest[:n], rest[n:], nil
}

// Left returns how many values come.
func (s *BitShuffle) Left() int { return s.left }

// Next fills dst, a whole number of values, with the little-endian bytes of the next ones, or fails.
func (s *BitShuffle) Next(dst []byte) error {
	if s.left == 0 || len(dst) > s.left*s.width {
		return atEnd(len(dst))
	}
	if s.elem != s.width {
		return s.widen(dst)
	}
	for len(dst) >= s.width {
		if n := s.whole(len(dst) / s.width); n > 0 {
			planes, err := s.unpack(n)
			if err != nil {
				return err
			}
			bitpack.Unshuffle(dst[:n*s.width], planes, s.width)
			s.pass(n)
			s.left -= n
			dst = dst[n*s.width:]
			continue
		}
		if err := s.fetch(); err != nil {
			return err
		}
		n := min(len(dst), len(s.ready)) / s.width
		copy(dst[:n*s.width], s.ready)
		s.ready = s.ready[n*s.width:]
		s.left -= n
		dst = dst[n*s.width:]
	}
	return nil
}

// widen is Next for narrow elements.
func (s *BitShuffle) widen(dst []byte) error {
	var codes [512]int32
	for n := len(dst) / 4; n > 0; {
		some := codes[:min(n, len(codes))]
		if err := s.NextCodes(some); err != nil {
			return err
		}
		for i, v := range some {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(v))
		}
		dst = dst[4*len(some):]
		n -= len(some)
	}
	return nil
}

// NextCodes fills dst with the next values, or fails. Their elements must have four bytes or fewer. Codes of 2^31 and
// more, which no dictionary has, come out negative.
func (s *BitShuffle) NextCodes(dst []int32) error {
	if s.left < len(dst) || s.elem > 4 {
		return atEnd(len(dst))
	}
	for len(dst) > 0 {
		if n := s.whole(len(dst)); n > 0 {
			planes, err := s.unpack(n)
			if err != nil {
				return err
			}
			bitpack.UnshuffleCodes(dst[:n], planes, s.elem)
			s.pass(n)
			s.left -= n
			dst = dst[n:]
			continue
		}
		if err := s.fetch(); err != nil {
			return err
		}
		n := min(len(dst), len(s.ready)/s.elem)
		switch s.elem {
		case 1:
			for i, v := range s.ready[:n] {
				dst[i] = int32(v)
			}
		case 2:
			for i := range dst[:n] {
				dst[i] = int32(binary.LittleEndian.Uint16(s.ready[2*i:]))
			}
		case 4:
			for i := range dst[:n] {
				dst[i] = int32(binary.LittleEndian.Uint32(s.ready[4*i:]))
			}
		}
		s.ready = s.ready[n*s.elem:]
		s.left -= n
		dst = dst[n:]
	}
	return nil
}

// Skip passes over n values. Chunks of which none is wanted are not decoded.
func (s *BitShuffle) Skip(n int) error {
	if n <= 0 {
		return nil
	}
	if n > s.left {
		return errBlockEnd
	}
	s.left -= n
	k := min(n, len(s.ready)/s.elem)
	s.ready = s.ready[k*s.elem:]
	s.drop += n - k
	for m := s.chunk(); m > 0 && s.drop >= m; m = s.chunk() {
		s.pass(m)
		s.drop -= m
	}
	return nil
}

func atEnd(wanted int) error {
	if wanted == 0 {
		return nil
	}
	return errBlockEnd
}

// chunk returns the elements of the next chunk that is not decoded, padding included.
func (s *BitShuffle) chunk() int { return min(s.padded, chunkBytes/s.elem) }

// whole returns the elements of the next chunk if they are wanted next, and all of them, and 0 otherwise.
func (s *BitShuffle) whole(wanted int) int {
	if n := s.chunk(); len(s.ready) == 0 && s.drop == 0 && n <= wanted {
		return n
	}
	return 0
}

// pass goes behind the next chunk, which has n elements.
func (s *BitShuffle) pass(n int) {
	_, s.chunks, _ = cutChunk(s.chunks) // Open has seen that it is there
	s.padded -= n
}

// unpack returns the planes of the next chunk, of n elements.
func (s *BitShuffle) unpack(n int) ([]byte, error) {
	if s.scratch == nil {
		s.scratch = new([2 * chunkBytes]byte)
	}
	packed, _, err := cutChunk(s.chunks)
	if err != nil {
		return nil, err
	}
	planes := s.scratch[: n*s.elem : n*s.elem]
	if k, err := lz4.UncompressBlock(packed, planes); err != nil || k != len(planes) {
		return nil, errShuffleChunk
	}
	return planes, nil
}

// fetch makes some elements ready, if any values are left.
func (s *BitShuffle) fetch() error {
	if len(s.ready) > 0 {
		return nil
	}
	n := s.chunk()
	planes, err := s.unpack(n)
	if err != nil {
		return err
	}
	ready := s.scratch[chunkBytes:][:n*s.elem]
	bitpack.Unshuffle(ready, planes, s.elem)
	s.pass(n)
	s.ready = ready[s.drop*s.elem : min(n, s.drop+s.left)*s.elem]
	s.drop = 0
	return nil
}
