package cfilewire

import (
	"encoding/binary"
	"math/bits"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// BitShuffleOut writes BIT_SHUFFLE blocks: the reverse of BitShuffle. Open comes first.
type BitShuffleOut struct {
	b           []byte
	width, most int
	narrow      bool
	room        *shuffleRoom
}

// shuffleRoom is what packing needs, kept from block to block.
type shuffleRoom struct {
	lz4    lz4Out
	planes [chunkBytes]byte
	last   [chunkBytes]byte // a chunk that is padded
}

// Open makes w write blocks of values of width bytes; size is about the bytes that a block has, 0 for Kudu's default.
// With narrow set, which is for UINT32 (the codes of dictionaries, too), the values of a block take 1 or 2 bytes where
// they all fit.
func (w *BitShuffleOut) Open(width, size int, narrow bool) {
	*w = BitShuffleOut{b: w.b[:0], width: width, most: blockSize(size) / width * width, narrow: narrow && width == 4, room: w.room}
	if w.room == nil {
		w.room = new(shuffleRoom)
	}
}

// Put adds values of src, a whole number of little-endian ones, as many as the block has room for, and returns how many
// those were.
func (w *BitShuffleOut) Put(src []byte) int {
	n := min(len(src), w.most-len(w.b))
	w.b = append(w.b, src[:n]...)
	return n / w.width
}

// Count returns how many values the block has.
func (w *BitShuffleOut) Count() int { return len(w.b) / w.width }

// Full reports whether the block has no room left.
func (w *BitShuffleOut) Full() bool { return len(w.b) >= w.most }

// Room returns how many values can be put before the block is full.
func (w *BitShuffleOut) Room() int { return max(0, (w.most-len(w.b))/w.width-1) }

// Finish appends the block, whose first row is ordinal, to dst, and starts another.
func (w *BitShuffleOut) Finish(dst []byte, ordinal uint32) []byte {
	count, width := w.Count(), w.width
	if w.narrow {
		width = narrowest(w.b)
		w.b = w.b[:count*width]
	}
	head := len(dst)
	dst = append(dst, make([]byte, shuffleHeadBytes)...)
	for src := w.b; len(src) > 0; {
		chunk := src[:min(len(src), chunkBytes)]
		src = src[len(chunk):]
		if short := len(chunk) % (8 * width); short != 0 {
			n := copy(w.room.last[:], chunk)
			chunk = w.room.last[:n+8*width-short]
			clear(chunk[n:])
		}
		planes := w.room.planes[:len(chunk)]
		bitpack.Shuffle(planes, chunk, width)
		at := len(dst)
		dst = w.room.lz4.append(append(dst, 0, 0, 0, 0), planes)
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-chunkHeadBytes))
	}
	for i, v := range [...]int{int(ordinal), count, len(dst) - head, (count + 7) &^ 7, width} {
		binary.LittleEndian.PutUint32(dst[head+4*i:], uint32(v))
	}
	w.b = w.b[:0]
	return dst
}

// narrowest makes 32-bit values as narrow as the greatest of them lets, in place, and returns how wide they are then.
func narrowest(b []byte) int {
	var all uint32
	for i := 0; i+4 <= len(b); i += 4 {
		all |= binary.LittleEndian.Uint32(b[i:])
	}
	switch n := bits.Len32(all); {
	case n <= 8:
		for i := 0; 4*i < len(b); i++ {
			b[i] = b[4*i]
		}
		return 1
	case n <= 16:
		for i := 0; 4*i < len(b); i++ {
			b[2*i], b[2*i+1] = b[4*i], b[4*i+1]
		}
		return 2
	}
	return 4
}
