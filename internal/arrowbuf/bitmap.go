package arrowbuf

import (
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// Bits is a growing Arrow bitmap. Its bytes behind the last bit are arbitrary until Take.
type Bits struct {
	bytes Vec[uint8]
	n     int
}

// NewBits returns an empty bitmap with memory from mem.
func NewBits(mem *Arena) Bits { return Bits{bytes: NewVec[uint8](mem)} }

// Len returns the number of bits.
func (b *Bits) Len() int { return b.n }

// Bytes returns the bits so far, LSB first; valid until the next change.
func (b *Bits) Bytes() []byte { return b.bytes.Values() }

// grow makes room for k more bits and returns where they start.
func (b *Bits) grow(k int) int {
	if need := (b.n+k+7)>>3 - b.bytes.Len(); need > 0 {
		b.bytes.Grow(need)
	}
	b.n += k
	return b.n - k
}

// Append copies k bits of src, starting at bit off.
func (b *Bits) Append(src []byte, off, k int) {
	i := b.grow(k)
	bitpack.CopyBits(b.bytes.Values(), i, src, off, k)
}

// Fill appends k bits of one value.
func (b *Bits) Fill(k int, v bool) {
	i := b.grow(k)
	bitpack.FillBits(b.bytes.Values(), i, k, v)
}

// Grow appends k bits of arbitrary content and returns the bytes and the position of the first.
func (b *Bits) Grow(k int) ([]byte, int) {
	i := b.grow(k)
	return b.bytes.Values(), i
}

// Keep keeps of the last n bits those that stay, and moves them together.
func (b *Bits) Keep(n int, kept *Kept) {
	first := b.n - n
	to := first
	if kept.Marks != nil {
		v := b.bytes.Values()
		to += bitpack.PickBits(v, first, v, first, min(n, 64*len(kept.Marks)), kept.Marks)
		b.n = to
		b.bytes.Shrink(b.bytes.Len() - (to+7)>>3)
		return
	}
	for _, r := range kept.Runs {
		if from := first + r[0]; from != to {
			v := b.bytes.Values()
			bitpack.CopyBits(v, to, v, from, r[1]-r[0])
		}
		to += r[1] - r[0]
	}
	b.n = to
	b.bytes.Shrink(b.bytes.Len() - (to+7)>>3)
}

// Take hands over the buffer with the bits behind the last cleared.
func (b *Bits) Take() *memory.Buffer {
	if r := b.n & 7; r != 0 {
		v := b.bytes.Values()
		v[len(v)-1] &= 1<<r - 1
	}
	b.n = 0
	return b.bytes.Take()
}

// Release frees the memory and empties b.
func (b *Bits) Release() {
	b.bytes.Release()
	b.n = 0
}
