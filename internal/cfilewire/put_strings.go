package cfilewire

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// StringsOut writes PLAIN blocks of strings or bytes: the reverse of Strings.OpenPlain. Open comes first.
type StringsOut struct {
	data    []byte
	offsets []uint32 // of each value, from the start of the block
	size    int      // of the block, as Kudu reckons
	most    int
}

// Open makes w write blocks of about size bytes, 0 for Kudu's default.
func (w *StringsOut) Open(size int) {
	*w = StringsOut{data: w.data[:0], offsets: w.offsets[:0], size: plainStringsHead, most: blockSize(size)}
}

// Put adds values, those that offsets cut data into, until the block is full, and returns how many that were: all, or up
// to the one with which the block has become larger than it should be. A full block takes none.
func (w *StringsOut) Put(offsets []int32, data []byte) int {
	n := len(offsets) - 1
	if n < 1 {
		return 0
	}
	have := len(w.offsets)
	w.offsets = slices.Grow(w.offsets, n)
	out := w.offsets[have : have+n]
	at, size, taken := int64(plainStringsHead+len(w.data)), w.size, 0
	from := offsets[0]
	for i, end := range offsets[1:] {
		if size > w.most {
			break
		}
		if (have+i)&3 == 0 {
			size++
		}
		out[i] = uint32(at)
		size += int(uint(bits.Len32(uint32(at))+7)>>3) + int(end-from)
		at += int64(end - from)
		from = end
		taken++
	}
	w.size = size
	w.offsets = w.offsets[:have+taken]
	w.data = append(w.data, data[offsets[0]:offsets[taken]]...)
	return taken
}

// Count returns how many values the block has.
func (w *StringsOut) Count() int { return len(w.offsets) }

// Full reports whether the block has more bytes than it should have.
func (w *StringsOut) Full() bool { return w.size > w.most }

// At returns value i of the block. It is good until the next call.
func (w *StringsOut) At(i int) []byte {
	end := len(w.data)
	if i+1 < len(w.offsets) {
		end = int(w.offsets[i+1]) - plainStringsHead
	}
	return w.data[w.offsets[i]-plainStringsHead : end]
}

// Finish appends the block, whose first row is ordinal, to dst, and starts another.
func (w *StringsOut) Finish(dst []byte, ordinal uint32) []byte {
	dst = appendHead(dst, int(ordinal), uint32(len(w.offsets))) // the other way round here
	dst = binary.LittleEndian.AppendUint32(dst, uint32(plainStringsHead+len(w.data)))
	dst = appendGroups(append(dst, w.data...), w.offsets)
	w.data, w.offsets, w.size = w.data[:0], w.offsets[:0], plainStringsHead
	return dst
}

// appendGroups appends values in group varint coding.
func appendGroups(dst []byte, values []uint32) []byte {
	if len(values) == 0 {
		return dst
	}
	room := bitpack.GroupVarintRoom(len(values))
	dst = slices.Grow(dst, room)
	n := bitpack.PutGroupVarint(dst[len(dst):len(dst)+room], values)
	return dst[:len(dst)+n]
}
