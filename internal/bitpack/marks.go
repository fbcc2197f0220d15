package bitpack

import "math/bits"

// Marks are bits for slots, in order from the lowest bit of the first word on. Bits behind the last slot are zero.
type Marks []uint64

// MarkWords returns how many words marks of n slots have.
func MarkWords(n int) int { return (n + 63) / 64 }

// AppendMarks appends marks of n slots to m, whose bits are those of b from bit position off on.
func AppendMarks(m Marks, b []byte, off, n int) Marks {
	for i := 0; i < n; i += 64 {
		m = append(m, word(b, off+i))
	}
	if r := n & 63; r != 0 {
		m[len(m)-1] &= 1<<r - 1
	}
	return m
}

// AppendPart appends marks of the n slots of o from slot off on to m, which begin a word.
func AppendPart(m, o Marks, off, n int) Marks {
	for i := off; i < off+n; i += 64 {
		m = append(m, o.word(i))
	}
	if r := n & 63; r != 0 {
		m[len(m)-1] &= 1<<r - 1
	}
	return m
}

// word returns the marks of 64 slots from slot i on; there is one in m. Those behind m are zero.
func (m Marks) word(i int) uint64 {
	k, r := i>>6, uint(i&63)
	w := m[k] >> r
	if r != 0 && k+1 < len(m) {
		w |= m[k+1] << (64 - r)
	}
	return w
}

// Part returns the marks of up to 64 slots from slot i on, those before end; slot i is in m.
func (m Marks) Part(i, end int) uint64 {
	w := m.word(i)
	if n := end - i; n < 64 {
		w &= 1<<uint(n) - 1
	}
	return w
}

// Add sets the marks of slots from at on that are set among the n of o.
func (m Marks) Add(at int, o Marks, n int) {
	for i := 0; i < n; i += 64 {
		w := o.Part(i, n)
		k, r := (at+i)>>6, uint((at+i)&63)
		m[k] |= w << r
		if high := w >> 1 >> (63 - r); high != 0 {
			m[k+1] |= high
		}
	}
}

// CountPart returns how many of the n slots from slot off on are marked.
func (m Marks) CountPart(off, n int) int {
	k := 0
	for i := off; i < off+n; i += 64 {
		k += bits.OnesCount64(m.Part(i, off+n))
	}
	return k
}

// Find returns how many of the n slots from slot off on there are up to, and with, the marked one number k, and k; all n, and how many of them
// are marked, if these are fewer.
func (m Marks) Find(off, n, k int) (slots, marked int) {
	left := k
	for i := off; i < off+n; i += 64 {
		w := m.Part(i, off+n)
		if c := bits.OnesCount64(w); c < left {
			left -= c
			continue
		}
		for ; left > 1; left-- {
			w &= w - 1
		}
		return i - off + bits.TrailingZeros64(w) + 1, k
	}
	return n, k - left
}

// Mark sets the marks of slots from up to, without, to.
func (m Marks) Mark(from, to int) {
	if from >= to {
		return
	}
	i, last := from>>6, (to-1)>>6
	first, end := ^uint64(0)<<(from&63), ^uint64(0)>>(63-(to-1)&63)
	if i == last {
		m[i] |= first & end
		return
	}
	m[i] |= first
	for i++; i < last; i++ {
		m[i] = ^uint64(0)
	}
	m[last] |= end
}

// Count returns how many slots are marked.
func (m Marks) Count() int {
	n := 0
	for _, w := range m {
		n += bits.OnesCount64(w)
	}
	return n
}

// End returns the slot behind the last that is marked.
func (m Marks) End() int {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i] != 0 {
			return 64*i + bits.Len64(m[i])
		}
	}
	return 0
}

// WordEnd returns the slot behind the last that is marked in the word of slot i.
func (m Marks) WordEnd(i int) int { return i&^63 + bits.Len64(m[i>>6]) }

// Runs returns how many runs of marked slots there are.
func (m Marks) Runs() int {
	n, before := 0, uint64(0)
	for _, w := range m {
		n += bits.OnesCount64(w &^ (w<<1 | before)) // slots that are marked after one that is not
		before = w >> 63
	}
	return n
}

// NextRun returns the first run of marked slots at or behind slot i, half-open; from = to if there is none.
func (m Marks) NextRun(i int) (from, to int) {
	k := i >> 6
	if k >= len(m) {
		return 64 * len(m), 64 * len(m)
	}
	w := m[k] &^ (1<<(i&63) - 1)
	for w == 0 {
		if k++; k == len(m) {
			return 64 * k, 64 * k
		}
		w = m[k]
	}
	r := bits.TrailingZeros64(w)
	from = 64*k + r
	w = ^w &^ (1<<r - 1) // behind the start, what is not marked
	for w == 0 {
		if k++; k == len(m) {
			return from, 64 * k
		}
		w = ^m[k]
	}
	return from, 64*k + bits.TrailingZeros64(w)
}
