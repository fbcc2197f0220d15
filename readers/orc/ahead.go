package orc

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// fetchAhead reads, at once, what the rows need of the streams of a source that is far. Where that is too much, or where
// the guess about the end of a row group's bytes falls short, inputs read the rest as they come to it.
func (t *tree) fetchAhead(ctx context.Context, first int64, rows arrowio.RowSet) error {
	for _, in := range t.inputs {
		in.pieces = nil
	}
	if arrowio.Near(t.file.src) {
		return nil
	}
	type want struct {
		in  *input
		off int64
	}
	var ranges []arrowio.ByteRange
	var wants []want
	total := int64(0)
	for _, in := range t.inputs {
		if !in.there {
			continue
		}
		for _, r := range t.needed(in, first, rows) {
			ranges = append(ranges, arrowio.ByteRange{Off: in.stream.off + r.Off, Len: r.Len})
			wants = append(wants, want{in, r.Off})
			total += r.Len
		}
	}
	if total > aheadBytes {
		return nil
	}
	pieces, _, err := arrowio.ReadRangesInto(ctx, t.file.src, ranges, nil, bitpack.SrcSlack)
	if err != nil {
		return ioError{err}
	}
	for i, w := range wants {
		w.in.pieces = append(w.in.pieces, piece{off: w.off, b: w.in.decrypt(pieces[i], w.off)})
	}
	return nil
}

// needed returns the ranges of a stream that rows lie in: the whole stream, or from the position of a row group to a
// little behind that of the one after the last.
func (t *tree) needed(in *input, first int64, rows arrowio.RowSet) []arrowio.ByteRange {
	all := []arrowio.ByteRange{{Len: in.stream.len}}
	stride := int64(t.file.footer.RowIndexStride)
	entries, err := t.stripe.entries(in.stream.column)
	if err != nil || len(entries) == 0 || stride <= 0 {
		return all
	}
	// A chunk that begins before the next group's may reach this far behind its start; runs less.
	reach := int64(runReach)
	if t.file.packing.Chunked {
		reach = int64(t.file.packing.BlockSize) + chunkHeader
	}
	var out []arrowio.ByteRange
	for _, r := range rows {
		from, ok := position(entries, (r.Start-first)/stride, in.ordinal)
		to, ok2 := position(entries, (r.End-first+stride-1)/stride, in.ordinal)
		if !ok || from > in.stream.len {
			return all
		}
		if !ok2 || to > in.stream.len-reach {
			to = in.stream.len
		} else {
			to += reach
		}
		if n := len(out); n > 0 && from <= out[n-1].End() {
			out[n-1].Len = max(out[n-1].Len, to-out[n-1].Off)
		} else if to > from {
			out = append(out, arrowio.ByteRange{Off: from, Len: to - from})
		}
	}
	return out
}

const (
	chunkHeader = 3
	runReach    = 8 << 10 // the longest run, and what a window carries
)

// position returns the stored offset at which a stream's bytes of a row group begin: number i of the entry.
func position(entries []orcwire.RowIndexEntry, group int64, i int) (int64, bool) {
	if group >= int64(len(entries)) || i >= len(entries[group].Positions) || entries[group].Positions[i] > 1<<62 {
		return 0, false
	}
	return int64(entries[group].Positions[i]), true
}
