package orcwire

// Place is where a decoder stands in its stream. Two decoders of a stream that stand before the same value have the same
// Place, however they have come there.
type Place struct {
	at, into int64 // the stored offset of a chunk, and bytes into what it holds; without a codec the offset alone
	run      int   // values that a run has left whose header was read
	bits     int   // that a byte has left
	unknown  bool  // what is left begins in one chunk and ends in another
}

// UnknownPlace returns a place that may be any.
func UnknownPlace() Place { return Place{unknown: true} }

// Is reports whether two places are one, or may be.
func (p Place) Is(q Place) bool { return p == q || p.unknown || q.unknown }

// IsEnd reports whether the place is, or may be, the end of a stream of size stored bytes: the last byte of bits is filled up.
func (p Place) IsEnd(size int64) bool {
	p.bits &= 7
	return p.unknown || p == Place{at: size, bits: p.bits}
}

// Place returns where b stands. The end of a chunk is the start of the next.
func (b *Bytes) Place() Place {
	left := int64(len(b.win)) + int64(len(b.rest)-b.over)
	switch {
	case !b.pack.Chunked:
		return Place{at: b.next - left}
	case left == 0:
		return Place{at: b.next}
	case left > int64(len(b.chunk)):
		return Place{unknown: true}
	}
	return Place{at: b.at, into: int64(len(b.chunk)) - left}
}

// Covers reports whether a position, and the run that stands there, lie among the bytes in memory, those that come next,
// so that a Seek to it, and one back, loads nothing. It loads them where they are a chunk, or few. start is the offset of a
// chunk, and inside the bytes into it, or, without a codec, start is the offset; the stream's size is its end.
func (b *Bytes) Covers(start, inside int64) (bool, error) {
	if b.chunk == nil {
		if !b.pack.Chunked && start-b.next > leastFetch-longestRun {
			return false, nil
		}
		if err := b.Need(1); err != nil {
			return false, err
		}
	}
	switch {
	case start >= b.size:
		return b.next >= b.size, nil
	case b.chunk == nil || start < b.at:
		return false, nil
	case b.pack.Chunked && start > b.at:
		return false, nil
	}
	return b.next >= b.size || start-b.at+inside+longestRun <= int64(len(b.chunk)), nil
}

// longestRun is about the most bytes of a run of either version.
const longestRun = 5 << 10

// Place returns where r stands.
func (r *Ints[T]) Place() Place {
	p := r.b.Place()
	p.run = r.Decoded()
	return p
}

// Place returns where r stands.
func (r *ByteRuns[T]) Place() Place {
	p := r.runs.b.Place()
	p.run = r.runs.left
	return p
}

// Place returns where r stands.
func (r *Bools) Place() Place {
	p := r.runs.b.Place()
	p.run, p.bits = r.runs.left, r.left
	return p
}

// Places appends where d stands in its streams.
func (d *Decimals) Places(to []Place) []Place {
	if d.open64 {
		return append(to, d.whole.Place())
	}
	return append(to, d.data.Place(), d.scales.Place())
}
