package cfilewire

import (
	"encoding/binary"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// Encoders of blocks. All are opened with the size that a block should have, as the column says it, and are then used
// alike: Put takes values until the block is full, Finish appends the block and goes on with an empty one. When that is,
// is Kudu's to say, as the files are to be the ones that Kudu would write:
//
//	bit-shuffled             Put takes as many values as there is room for: size / width
//	strings, prefixes        Put takes values until they are over size: one too many
//	plain values, runs       Put takes all; the caller looks at Full between batches
//	dictionary               see DictOut
//
// No encoder keeps what Put gets. They allocate what their blocks need and keep that. One goroutine at a time may use one.

// Sizes of blocks, before compression.
const (
	DefaultBlockSize = 256 << 10 // of a column for which none is asked
	LeastBlockSize   = 512       // what Kudu makes of anything less
	MostBlockSize    = 1 << 30   // what is made of anything more here
)

// blockSize returns what Kudu takes for the size of blocks where n is asked for.
func blockSize(n int) int {
	if n <= 0 {
		return DefaultBlockSize
	}
	return min(max(n, LeastBlockSize), MostBlockSize)
}

// PlainOut writes blocks of PLAIN values of fixed width: the reverse of PlainFixed. Open comes first.
type PlainOut struct {
	b           []byte
	width, most int
}

// Open makes w write blocks of values of width bytes; size is about the bytes that a block has, 0 for Kudu's default.
func (w *PlainOut) Open(width, size int) {
	*w = PlainOut{b: w.b[:0], width: width, most: blockSize(size)}
}

// Put adds all of src, a whole number of values, and returns how many those are.
func (w *PlainOut) Put(src []byte) int {
	w.b = append(w.b, src...)
	return len(src) / w.width
}

// Count returns how many values the block has.
func (w *PlainOut) Count() int { return len(w.b) / w.width }

// Full reports whether the block has more bytes than it should have.
func (w *PlainOut) Full() bool { return headBytes+len(w.b) > w.most }

// Room returns how many values can be put for sure before the block is full.
func (w *PlainOut) Room() int { return max(0, w.most-headBytes-len(w.b)) / w.width }

// Finish appends the block, whose first row is ordinal, to dst, and starts another.
func (w *PlainOut) Finish(dst []byte, ordinal uint32) []byte {
	dst = append(appendHead(dst, w.Count(), ordinal), w.b...)
	w.b = w.b[:0]
	return dst
}

// appendHead is the reverse of openHead.
func appendHead(dst []byte, count int, ordinal uint32) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(count))
	return binary.LittleEndian.AppendUint32(dst, ordinal)
}

// PlainBitsOut writes blocks of PLAIN booleans: the reverse of PlainBits. Open comes first.
type PlainBitsOut struct {
	b     []byte
	count int
	most  int
}

// Open makes w write blocks of about size bytes, 0 for Kudu's default.
func (w *PlainBitsOut) Open(size int) { *w = PlainBitsOut{b: w.b[:0], most: blockSize(size)} }

// Put adds n values, the bits of src from off on.
func (w *PlainBitsOut) Put(src []byte, off, n int) {
	for more := (w.count+n+7)>>3 - len(w.b); more > 0; {
		k := min(more, len(noBits))
		w.b = append(w.b, noBits[:k]...)
		more -= k
	}
	bitpack.CopyBits(w.b, w.count, src, off, n)
	w.count += n
}

var noBits [512]byte

// Count returns how many values the block has.
func (w *PlainBitsOut) Count() int { return w.count }

// Full reports whether the block has more bytes than it should have.
func (w *PlainBitsOut) Full() bool { return headBytes+len(w.b) > w.most }

// Room returns how many values can be put for sure before the block is full.
func (w *PlainBitsOut) Room() int { return max(0, (w.most-headBytes)<<3-w.count) }

// Finish appends the block, whose first row is ordinal, to dst, and starts another.
func (w *PlainBitsOut) Finish(dst []byte, ordinal uint32) []byte {
	dst = append(appendHead(dst, w.count, ordinal), w.b...)
	w.b, w.count = w.b[:0], 0
	return dst
}
