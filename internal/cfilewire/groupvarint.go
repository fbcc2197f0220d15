package cfilewire

import (
	"math"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// GroupVarint reads a block of unsigned integers in group varint coding (docs/formats/cfile.md §4.8; the design document
// of the format calls it frame of reference):
//
//	one group: count, least value, ordinal, unused | the values less the least, in groups
//
// The last group is padded. The zero value has no values. One goroutine at a time may use it.
type GroupVarint struct {
	rest  []byte
	left  int // values of the block, those of group included
	base  uint32
	group [4]uint32 // as stored: the last that was decoded for only some of its values,
	have  int       // of which so many come next
}

// Open makes g read the block b, which it keeps and does not change.
func (g *GroupVarint) Open(b []byte) (h Head, err error) {
	*g = GroupVarint{}
	var head [4]uint32
	n, err := bitpack.DecodeGroupVarint(head[:], b)
	if err != nil {
		return h, errBlockHead
	}
	h = Head{Count: head[0], Ordinal: head[2]}
	b = b[n:]
	if groups := (uint64(h.Count) + 3) / 4; groups > uint64(len(b))/leastGroup {
		return h, errBlockEnd
	}
	if uint64(h.Count) > math.MaxInt {
		return h, errCount
	}
	g.rest, g.left, g.base = b, int(h.Count), head[1]
	return h, nil
}

// Left returns how many values come, if the block has them.
func (g *GroupVarint) Left() int { return g.left }

// Next fills dst or fails. After an error dst, and g, are undefined.
func (g *GroupVarint) Next(dst []uint32) error {
	if len(dst) > g.left {
		return errBlockEnd
	}
	g.left -= len(dst)
	n, err := g.pending(dst)
	if err != nil {
		return err
	}
	dst = dst[n:]
	whole := dst[:len(dst)&^3]
	if n, err = bitpack.DecodeGroupVarint(whole, g.rest); err != nil {
		return errBlockEnd
	}
	g.rest = g.rest[n:]
	if err := addBase(whole, g.base); err != nil {
		return err
	}
	if dst = dst[len(whole):]; len(dst) > 0 {
		if err := g.fetch(); err != nil {
			return err
		}
		_, err = g.pending(dst)
	}
	return err
}

// addBase makes values of what is stored.
func addBase(dst []uint32, base uint32) error {
	var all uint64 // of which the upper half says whether a sum went over
	for i, v := range dst {
		x := uint64(v) + uint64(base)
		all |= x
		dst[i] = uint32(x)
	}
	if all>>32 != 0 {
		return errRange
	}
	return nil
}

// pending moves values of the last group to dst and returns how many.
func (g *GroupVarint) pending(dst []uint32) (int, error) {
	n := copy(dst, g.group[4-g.have:])
	g.have -= n
	return n, addBase(dst[:n], g.base)
}

// fetch decodes a group of which not all values are wanted at once.
func (g *GroupVarint) fetch() error {
	n, err := bitpack.DecodeGroupVarint(g.group[:], g.rest)
	if err != nil {
		return errBlockEnd
	}
	g.rest = g.rest[n:]
	g.have = len(g.group)
	return nil
}

// Skip passes over n values.
func (g *GroupVarint) Skip(n int) error {
	if n > g.left {
		return errBlockEnd
	}
	if n <= 0 {
		return nil
	}
	g.left -= n
	k := min(n, g.have)
	g.have -= k
	n -= k
	used, err := bitpack.SkipGroupVarint(g.rest, n>>2)
	if err != nil {
		return errBlockEnd
	}
	g.rest = g.rest[used:]
	if n &= 3; n > 0 {
		if err := g.fetch(); err != nil {
			return err
		}
		g.have -= n
	}
	return nil
}
