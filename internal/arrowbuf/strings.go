package arrowbuf

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// Strings builds the offsets and the bytes of a utf8 or binary array:
//
//	slots, ends := s.Grow(n, stored)      // n more slots, stored of which have a value
//	dst, err := s.Room(bytes)             // where the values go, from ends[0] on
//	…                                     // fill dst, and ends[1:]
//	s.Fill(slots, ends, valid, off)
type Strings struct {
	offsets Offsets
	bytes   Vec[uint8]
}

// NewStrings returns an empty builder with memory from mem.
func NewStrings(mem *Arena) Strings {
	return Strings{offsets: NewOffsets(mem), bytes: NewVec[uint8](mem)}
}

// Grow appends n slots, stored of which have a value; see Offsets.Grow.
func (s *Strings) Grow(n, stored int) (slots, ends []int32) { return s.offsets.Grow(n, stored) }

// Room returns all bytes so far with room for n more behind them, and Slack; false if 32-bit offsets do not reach that
// far.
func (s *Strings) Room(n int64) ([]byte, bool) {
	if int64(s.bytes.Len())+n > math.MaxInt32 {
		return nil, false
	}
	s.bytes.Tail(int(n))
	return s.bytes.Room(), true
}

// Fill takes over the values that were written: slots and ends are what Grow returned. Where valid is not nil its bits
// from off on say which of the slots have a value; the others become empty.
func (s *Strings) Fill(slots, ends []int32, valid []byte, off int) {
	s.bytes.Extend(int(ends[len(ends)-1]) - s.bytes.Len())
	if valid != nil {
		bitpack.SpreadOffsets(slots, valid, off)
	}
}

// Bytes returns the bytes of all values so far.
func (s *Strings) Bytes() []byte { return s.bytes.Values() }

// Take hands over the buffers of offsets and bytes.
func (s *Strings) Take() []*memory.Buffer {
	if s.bytes.Len() == 0 {
		s.bytes.Grow(0)
	}
	return []*memory.Buffer{s.offsets.Take(), s.bytes.Take()}
}

// Release frees the memory and empties s.
func (s *Strings) Release() {
	s.offsets.Release()
	s.bytes.Release()
}
