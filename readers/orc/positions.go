package orc

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
