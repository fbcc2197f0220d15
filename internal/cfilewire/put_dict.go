package cfilewire

import (
	"encoding/binary"
	"hash/maphash"
)

// DictOut writes DICT blocks, and the dictionary that they share: the reverse of ParseDictMode and what follows it. Open
// comes first. Words are numbered in the order in which they come.
//
// Once the dictionary has become as large as a block should be, no more words are added. The block goes on until a value
// is not in the dictionary, or until somebody sees that it is Full, and is the last with codes: from the next one on
// blocks have the strings themselves. Kudu looks at Full after each batch of up to 100 rows; so each Put should be for
// the rest of a batch at most.
type DictOut struct {
	words  StringsOut
	codes  BitShuffleOut
	plain  StringsOut
	mode   DictMode
	seed   maphash.Seed
	slots  []uint32 // code + 1; 0 = free
	hashes []uint32 // of each word: their upper half
}

// Open makes w write blocks of about size bytes, 0 for Kudu's default, with an empty dictionary.
func (w *DictOut) Open(size int) {
	if w.slots == nil {
		w.seed = maphash.MakeSeed()
		w.slots = make([]uint32, 1<<10)
	}
	clear(w.slots)
	w.hashes = w.hashes[:0]
	w.mode = DictCodes
	w.words.Open(size)
	w.codes.Open(4, size, true)
	w.plain.Open(size)
}

// Put adds values, those that offsets cut data into, until the block is full, and returns how many that were. With all of
// them taken it may be full too.
func (w *DictOut) Put(offsets []int32, data []byte) int {
	if w.mode == DictPlain {
		return w.plain.Put(offsets, data)
	}
	for i := 1; i < len(offsets); i++ {
		v := data[offsets[i-1]:offsets[i]]
		h := maphash.Bytes(w.seed, v)
		code, ok := w.find(v, h)
		if !ok {
			// Kudu does this before it sees that the block has no room for the code, which may fill the dictionary.
			if w.words.Full() {
				return i - 1
			}
			code = w.add(v, h)
		}
		c := &w.codes
		if len(c.b) >= c.most {
			return i - 1
		}
		c.b = binary.LittleEndian.AppendUint32(c.b, code)
	}
	return max(0, len(offsets)-1)
}

// find returns the code of a word.
func (w *DictOut) find(v []byte, h uint64) (uint32, bool) {
	mask := uint64(len(w.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := w.slots[i]
		if s == 0 {
			return 0, false
		}
		if code := s - 1; w.hashes[code] == uint32(h>>32) && string(w.words.At(int(code))) == string(v) {
			return code, true
		}
	}
}

// add adds a word that is not there.
func (w *DictOut) add(v []byte, h uint64) uint32 {
	code := len(w.hashes)
	if 4*code >= 3*len(w.slots) {
		w.rehash()
	}
	w.words.Put([]int32{0, int32(len(v))}, v)
	w.hashes = append(w.hashes, uint32(h>>32))
	w.place(uint32(code), h)
	return uint32(code)
}

func (w *DictOut) place(code uint32, h uint64) {
	mask := uint64(len(w.slots) - 1)
	i := h & mask
	for w.slots[i] != 0 {
		i = (i + 1) & mask
	}
	w.slots[i] = code + 1
}

func (w *DictOut) rehash() {
	w.slots = make([]uint32, 2*len(w.slots))
	for code := range w.hashes {
		w.place(uint32(code), maphash.Bytes(w.seed, w.words.At(code)))
	}
}

// Words returns how many words the dictionary has.
func (w *DictOut) Words() int { return len(w.hashes) }

// Count returns how many values the block has.
func (w *DictOut) Count() int {
	if w.mode == DictPlain {
		return w.plain.Count()
	}
	return w.codes.Count()
}

// Full reports whether the block has more bytes than it should have, or is the last that has codes.
func (w *DictOut) Full() bool {
	if w.mode == DictPlain {
		return w.plain.Full()
	}
	return w.codes.Full() || w.words.Full()
}

// Finish appends the block, whose first row is ordinal, to dst, and starts another.
func (w *DictOut) Finish(dst []byte, ordinal uint32) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(w.mode))
	if w.mode == DictPlain {
		return w.plain.Finish(dst, ordinal)
	}
	dst = w.codes.Finish(dst, ordinal)
	if w.words.Full() {
		w.mode = DictPlain
	}
	return dst
}

// FinishWords appends the dictionary to dst, a PLAIN block without a mode. Open comes next.
func (w *DictOut) FinishWords(dst []byte) []byte { return w.words.Finish(dst, 0) }
