package cfilewire

import (
	"encoding/binary"
	"math"
)

// Bloom filters of Kudu's rowsets.
const (
	BloomBytes = 4 << 10 // of bits in a block
	BloomRate  = 0.0001  // of keys that are not there, those that a filter does not tell
)

// BloomOut makes the filters of a bloom file: the reverse of ParseBloom. Open comes first. One goroutine at a time may use
// it.
type BloomOut struct {
	bits         []byte
	hashes, most int
	keys         int
}

// Open makes w an empty filter of size bytes, 0 for BloomBytes, that is full when a greater part than rate, 0 for
// BloomRate, of the keys that are not there would seem to be there.
func (w *BloomOut) Open(size int, rate float64) {
	if size <= 0 || size > math.MaxInt32/8 {
		size = BloomBytes
	}
	if rate <= 0 || rate >= 1 {
		rate = BloomRate
	}
	if cap(w.bits) < size {
		w.bits = make([]byte, size)
	}
	w.bits = w.bits[:size]
	clear(w.bits)
	const ln2 = 0.69314 // as precise as Kudu has it
	n := float64(8 * size)
	w.most = int(math.Ceil(-n * ln2 * ln2 / math.Log(rate)))
	w.hashes = min(max(1, int(n*ln2/float64(w.most))), maxHashes)
	w.keys = 0
}

// Put adds the key with this hash (HashKey).
func (w *BloomOut) Put(hash uint64) {
	n := uint32(len(w.bits)) * 8
	at, step := uint32(hash), uint32(hash>>32)
	if n&(n-1) == 0 {
		for range w.hashes {
			bit := at & (n - 1)
			w.bits[bit>>3] |= 1 << (bit & 7)
			at += step
		}
	} else {
		for range w.hashes {
			bit := at % n
			w.bits[bit>>3] |= 1 << (bit & 7)
			at += step
		}
	}
	w.keys++
}

// Count returns how many keys the filter has.
func (w *BloomOut) Count() int { return w.keys }

// Full reports whether the filter has as many keys as it is for.
func (w *BloomOut) Full() bool { return w.keys >= w.most }

// Finish appends the block to dst, and starts an empty filter.
func (w *BloomOut) Finish(dst []byte) []byte {
	hashes := int32(w.hashes)
	head := bloomHeaderTable.Append(nil, &hashes)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(head)))
	dst = append(append(dst, head...), w.bits...)
	clear(w.bits)
	w.keys = 0
	return dst
}
