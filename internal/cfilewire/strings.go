package cfilewire

import (
	"encoding/binary"
	"math"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// Strings are the values of a block of strings or bytes, whichever way they were stored: one behind the other, and where
// each starts. An Open comes first; it forgets what was there, and keeps the memory. The zero value has no values. One
// goroutine at a time may use it.
type Strings struct {
	offsets []int32 // one more than values; they do not descend, and lie within data
	data    []byte
	pos     int

	room    []int32 // of offsets
	decoded []byte  // of data where that is not the block's own
}

const (
	plainStringsHead = 12
	leastGroup       = 5 // bytes of four offsets
)

// OpenPlain makes s the strings of a PLAIN block (docs/formats/cfile.md §4.3), or of a dictionary (§4.6):
//
//	ordinal u32 | count u32 | position of the offsets u32 | the strings | count offsets in group varint coding
//
// Offsets count from the start of the block. A string ends where the next starts, the last where the offsets do. s keeps
// b and does not change it.
func (s *Strings) OpenPlain(b []byte) (h Head, err error) {
	s.reset()
	if len(b) < plainStringsHead {
		return h, errBlockHead
	}
	h = Head{Count: binary.LittleEndian.Uint32(b[4:]), Ordinal: binary.LittleEndian.Uint32(b)}
	end := uint64(binary.LittleEndian.Uint32(b[8:]))
	if end < plainStringsHead || end > uint64(len(b)) {
		return h, errStringOffset
	}
	if end > math.MaxInt32 {
		return h, errBlockBytes
	}
	coded := b[end:]
	if groups := (uint64(h.Count) + 3) / 4; groups > uint64(len(coded))/leastGroup {
		return h, errBlockEnd
	}
	offsets := s.roomFor(int(h.Count) + 1)
	n, err := bitpack.DecodeGroupVarint(offsets[:h.Count], coded)
	if err != nil {
		return h, errBlockEnd
	}
	if n != len(coded) {
		return h, errBlockSize
	}
	offsets[h.Count] = int32(end)
	if offsets[0] != plainStringsHead || !ascend(offsets) {
		return h, errStringOffset
	}
	s.offsets, s.data = offsets, b
	return h, nil
}

// ascend returns whether no offset is below the one before, or negative.
func ascend(offsets []int32) bool {
	if len(offsets) == 0 {
		return true
	}
	// The first is not negative, so neither is any behind it, unless one step is.
	last := offsets[0]
	all := last
	for _, o := range offsets[1:] {
		all |= o - last | o
		last = o
	}
	return all >= 0
}

func (s *Strings) reset() { s.offsets, s.data, s.pos = nil, nil, 0 }

// roomFor returns n offsets of any content.
func (s *Strings) roomFor(n int) []int32 {
	if cap(s.room) < n {
		s.room = make([]int32, n, n+n/4)
	}
	return s.room[:n]
}

// Len returns how many strings the block has, read or not.
func (s *Strings) Len() int { return max(len(s.offsets)-1, 0) }

// At returns string i of the block, counted from its first. It is a part of s or of the block: good until the next Open.
// i out of range is a bug of the caller, and panics.
func (s *Strings) At(i int) []byte { return s.data[s.offsets[i]:s.offsets[i+1]:s.offsets[i+1]] }

// Flat returns all strings of the block, read or not: string i is data[offsets[i]:offsets[i+1]]. Both are parts of s or of
// the block, and good until the next Open. There is always one offset more than strings, unless nothing is open.
func (s *Strings) Flat() (offsets []int32, data []byte) { return s.offsets, s.data }

// Left returns how many strings come.
func (s *Strings) Left() int { return s.Len() - s.pos }

// Size returns how many bytes the next n strings have together, or all that come if those are fewer.
func (s *Strings) Size(n int) int64 {
	n = min(n, s.Left())
	if n <= 0 {
		return 0
	}
	return int64(s.offsets[s.pos+n] - s.offsets[s.pos])
}

// Next reads len(ends)-1 strings. Their bytes go to data from ends[0] on, the end of each to the next of ends. Size says
// how many bytes that takes; where data, or the reach of int32, is too small for them, nothing is read and the error is of
// kind ErrLimit.
func (s *Strings) Next(ends []int32, data []byte) error {
	if len(ends) == 0 {
		return nil
	}
	start, ends := ends[0], ends[1:]
	if len(ends) > s.Left() {
		return errBlockEnd
	}
	if len(ends) == 0 {
		return nil
	}
	offsets := s.offsets[s.pos : s.pos+1+len(ends)]
	from, to := offsets[0], offsets[len(ends)]
	if start < 0 || int64(start)+int64(to-from) > min(int64(len(data)), math.MaxInt32) {
		return errStringBytes
	}
	copy(data[start:], s.data[from:to])
	shift := start - from
	offsets = offsets[1:]
	for i := range ends {
		ends[i] = offsets[i] + shift
	}
	s.pos += len(ends)
	return nil
}

// Skip passes over n strings.
func (s *Strings) Skip(n int) error {
	if n > s.Left() {
		return errBlockEnd
	}
	s.pos += max(n, 0)
	return nil
}
