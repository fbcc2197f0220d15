package orc

import "github.com/arrowio/arrowio/internal/orcwire"

// sound reports whether the positions of the row index can be right, as far as that is seen without decoding: where each
// stream begins in a row group is within the stream, and not before where it begins in the row group before. Wrong
// positions that stay within their streams would give wrong values, and one that is wrong casts doubt on all.
func (t *tree) sound() bool {
	chunked, block := t.file.packing.Chunked, int64(t.file.packing.BlockSize)
	for _, in := range t.inputs {
		if !in.there {
			continue
		}
		entries, _ := t.stripe.entries(in.stream.column)
		last, lastInside := int64(0), int64(0)
		for g := range entries {
			at, ok := position(entries, int64(g), in.ordinal)
			if !ok || at < last || at > in.stream.len {
				return false
			}
			if chunked {
				inside, ok := position(entries, int64(g), in.ordinal+1)
				if !ok || at == last && inside < lastInside || inside > block {
					return false
				}
				lastInside = inside
			}
			last = at
		}
	}
	return true
}

// countsAbsent reports whether so many numbers more than a column's streams take can be those of a PRESENT that holds
// nothing, and be 0: the oldest writers left them in when they left it out, and that of C++ lists a PRESENT of no bytes
// where no parent of a null is there.
func (s *stripe) countsAbsent(t *orcwire.Type, more int) bool {
	if !s.file.quirks.StripeStatsTrusted() {
		return true
	}
	for _, x := range s.streams[s.columns[t.ID]:s.columns[t.ID+1]] {
		if x.kind == orcwire.Present && x.len == 0 {
			e := s.encoding(t.ID).Kind
			return more == len(s.numbersOf(t, true, e))-len(s.numbersOf(t, false, e))
		}
	}
	return false
}
