package orcwire

// IntsOut writes a stream of integers in runs, of the first or the second version: the reverse of Ints. Open comes first.
//
// What it writes depends on the values and on where Flush and Position came between them, not on how Put got them.
// Values of a stream that is not signed must not be negative, or be an int64 that stands for its bits.
type IntsOut[T Integer] struct {
	// Tight asks for packed values of as few bits as they need (Java's encoding strategy COMPRESSION). Else widths are
	// rounded up to 1, 2, 4, 8 and then whole bytes, as Java does by default (SPEED): both sides are faster then, and
	// codecs like bytes better. It is kept from one Open to the next.
	Tight bool

	o      *Out
	v2     bool
	signed bool
	n      int // values in room
	room   [maxRun]T
}

// Open makes w write to o from where that is: runs of version 2 or 1, signed values or not.
func (w *IntsOut[T]) Open(o *Out, v2, signed bool) {
	w.o, w.v2, w.signed, w.n = o, v2, signed, 0
}

// Put writes values. It does not keep src.
func (w *IntsOut[T]) Put(src []T) {
	for len(src) > 0 {
		if w.n == 0 && len(src) >= maxRun {
			src = src[w.encode(src[:maxRun], false):]
			continue
		}
		before := w.n
		k := copy(w.room[before:], src)
		w.n += k
		if w.n < maxRun {
			return
		}
		used := w.encode(w.room[:], false)
		if used >= before { // what is left of the room is still in src
			src = src[used-before:]
			w.n = 0
			continue
		}
		w.n = copy(w.room[:], w.room[used:])
		src = src[k:]
	}
}

// Repeat is Put of n times v.
func (w *IntsOut[T]) Repeat(v T, n int) {
	for n > 0 {
		if w.v2 && w.n == 0 && n >= maxRun { // as encode writes so many
			w.steps(v, v, maxRun)
			n -= maxRun
			continue
		}
		k := min(n, maxRun-w.n)
		fill(w.room[w.n:w.n+k], v)
		w.n += k
		n -= k
		if w.n == maxRun {
			used := w.encode(w.room[:], false)
			w.n = copy(w.room[:], w.room[used:])
		}
	}
}

// Flush ends the run, so that all values are in the stream. It does not flush the Out.
func (w *IntsOut[T]) Flush() {
	for at := 0; at < w.n; {
		at += w.encode(w.room[at:w.n], true)
	}
	w.n = 0
}

// Position flushes and appends where the next value will be: where the Out is, and no values to pass over.
func (w *IntsOut[T]) Position(dst []uint64) []uint64 {
	w.Flush()
	return append(w.o.Position(dst), 0)
}

// encode writes runs of the first values of v and returns how many, at least one. v has maxRun values, or is all up to a
// flush.
func (w *IntsOut[T]) encode(v []T, last bool) int {
	if w.v2 {
		return w.encode2(v, last)
	}
	return w.encode1(v, last)
}
