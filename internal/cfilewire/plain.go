package cfilewire

import (
	"math"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// PlainFixed reads a block of PLAIN values of a fixed width (docs/formats/cfile.md §4.1):
//
//	count u32 | ordinal u32 | the values, little-endian
//
// The zero value has no values. One goroutine at a time may use it.
type PlainFixed struct {
	rest  []byte
	width int
}

// Open makes p read the block b of values of width bytes, which it keeps and does not change.
func (p *PlainFixed) Open(b []byte, width int) (Head, error) {
	*p = PlainFixed{width: max(width, 1)}
	h, rest, err := openHead(b)
	if err != nil {
		return h, err
	}
	if uint64(h.Count)*uint64(p.width) != uint64(len(rest)) {
		return h, errBlockSize
	}
	p.rest = rest
	return h, nil
}

// Left returns how many values come.
func (p *PlainFixed) Left() int {
	if p.width == 0 {
		return 0
	}
	return len(p.rest) / p.width
}

// Next fills dst, a whole number of values, with the bytes of the next ones, or fails.
func (p *PlainFixed) Next(dst []byte) error {
	if len(dst) > len(p.rest) {
		return errBlockEnd
	}
	p.rest = p.rest[copy(dst, p.rest):]
	return nil
}

// Skip passes over n values.
func (p *PlainFixed) Skip(n int) error {
	if n > p.Left() {
		return errBlockEnd
	}
	if n > 0 {
		p.rest = p.rest[n*p.width:]
	}
	return nil
}

// PlainBits reads a block of PLAIN booleans (docs/formats/cfile.md §4.2):
//
//	count u32 | ordinal u32 | one bit for each, the lowest of a byte first
//
// The zero value has no values. One goroutine at a time may use it.
type PlainBits struct {
	b        []byte
	pos, end int // in bits
}

// Open makes p read the block b, which it keeps and does not change.
func (p *PlainBits) Open(b []byte) (Head, error) {
	*p = PlainBits{}
	h, rest, err := openHead(b)
	if err != nil {
		return h, err
	}
	if (uint64(h.Count)+7)/8 != uint64(len(rest)) {
		return h, errBlockSize
	}
	if uint64(h.Count) > math.MaxInt-8 {
		return h, errCount
	}
	*p = PlainBits{b: rest, end: int(h.Count)}
	return h, nil
}

// Left returns how many values come.
func (p *PlainBits) Left() int { return p.end - p.pos }

// Next reads n values to the bits of dst from off on. Other bits stay as they are.
func (p *PlainBits) Next(dst []byte, off, n int) error {
	if n > p.end-p.pos {
		return errBlockEnd
	}
	bitpack.CopyBits(dst, off, p.b, p.pos, n)
	p.pos += max(n, 0)
	return nil
}

// Skip passes over n values and returns how many of them are true.
func (p *PlainBits) Skip(n int) (set int, err error) {
	if n > p.end-p.pos {
		return 0, errBlockEnd
	}
	set = bitpack.CountBits(p.b, p.pos, n)
	p.pos += max(n, 0)
	return set, nil
}
