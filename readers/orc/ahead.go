package orc

import (
	"cmp"
	"context"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/farread"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// joinGap is about the most that is read for nothing in order to ask a far source once, not twice.
const joinGap = 1 << 20

// What is read together of a stripe of a near source: streams so short, on average, that asking for each takes longer than copying it.
const (
	togetherBytes = 8 << 20
	shortStream   = 16 << 10
)

// fetchFirst reads, at once, all streams of a stripe of a far source, dictionaries with them, where the columns have few bytes, or most rows
// will be read, or nearly all lies between the dictionaries. Otherwise it returns the ranges of the dictionaries that were not read yet, which
// fetchAhead reads with the rows. Of a near source it reads all streams, where they are short, and else none.
func (t *tree) fetchFirst(s *stripe, most bool) (firsts []arrowio.ByteRange, err error) {
	t.early, t.stretch = nil, region{}
	if t.near && len(t.inputs) < 2 {
		return nil, nil
	}
	all := t.streams[:0]
	add := func(rs []arrowio.ByteRange, x stream) []arrowio.ByteRange {
		return append(rs, arrowio.ByteRange{Off: x.off, Len: x.len})
	}
	for _, n := range t.nodes {
		id := n.typ.ID
		for _, x := range s.streams[s.columns[id]:s.columns[id+1]] {
			if x.len > 0 && !x.kind.Index() {
				all = add(all, x)
			}
		}
		switch s.encoding(id).Kind {
		case orcwire.Dictionary, orcwire.DictionaryV2:
			if s.hasDictionary(id) {
				continue
			}
			for _, kind := range []orcwire.StreamKind{orcwire.Length, orcwire.DictionaryData} {
				if x, ok := s.find(id, kind); ok {
					firsts = add(firsts, x)
				}
			}
		}
	}
	if t.near {
		t.streams = all // others are kept where they are shared
	}
	switch {
	case t.near:
		n := total(all)
		if n > min(togetherBytes, shortStream*int64(len(all))) {
			return nil, nil
		}
		if r := around(all); r.Len <= n+n/fewGaps {
			return nil, t.fetchStretch(r)
		}
	case t.takeAhead(s, all):
		return nil, nil
	case s.pieces() > 1 && joined(all) <= min(t.file.ahead, farread.Whole(t.ctx)):
		if t.early = s.share(t.ctx, all); t.early != nil {
			return nil, nil
		}
		return firsts, nil
	case len(firsts) > 0:
		if n := joined(all); n > joinGap && (n > t.file.ahead || !most && joined(firsts) <= n-n/4) {
			return firsts, nil
		}
	default:
		return nil, nil
	}
	pieces, buf, err := arrowio.ReadRangesInto(t.ctx, t.file.src, all, t.together, bitpack.SrcSlack)
	if t.near {
		t.together = buf // of a far source, pieces stay until they have been read
	}
	if err != nil {
		return nil, ioError{err}
	}
	t.keepEarly(all, pieces)
	return nil, nil
}

// fewGaps is the part of what is wanted that may lie between it where a stretch of the file is read as it is.
const fewGaps = 8

// around returns the range from the first of all bytes of some ranges to the last.
func around(rs []arrowio.ByteRange) arrowio.ByteRange {
	if len(rs) == 0 {
		return arrowio.ByteRange{}
	}
	from, to := rs[0].Off, rs[0].End()
	for _, r := range rs {
		from, to = min(from, r.Off), max(to, r.End())
	}
	return arrowio.ByteRange{Off: from, Len: to - from}
}

// fetchStretch reads a stretch of a near source in which streams lie.
func (t *tree) fetchStretch(r arrowio.ByteRange) error {
	if r.Len == 0 {
		return nil
	}
	if need := r.Len + bitpack.SrcSlack; int64(cap(t.together)) < need {
		t.together = make([]byte, need+need/8) // the next stripes may have a little more
	}
	pieces, buf, err := arrowio.ReadRangesInto(t.ctx, t.file.src, []arrowio.ByteRange{r}, t.together, bitpack.SrcSlack)
	if t.together = buf; err != nil {
		return ioError{err}
	}
	t.stretch = region{r.Off, pieces[0]}
	return nil
}

// takeAhead takes streams that came with the footer of their stripe, if all did.
func (t *tree) takeAhead(s *stripe, streams []arrowio.ByteRange) bool {
	if len(s.ahead) == 0 {
		return false
	}
	pieces := make([][]byte, len(streams))
	for i, r := range streams {
		b, ok := s.cameAhead(r)
		if !ok {
			return false
		}
		if cap(b)-len(b) < bitpack.SrcSlack {
			b = append(make([]byte, 0, len(b)+bitpack.SrcSlack), b...)
		}
		pieces[i] = b
	}
	t.keepEarly(streams, pieces)
	return true
}

// region is a part of the file in memory.
type region struct {
	off int64
	b   []byte // with room for bitpack.SrcSlack bytes behind it
}

// earlyStream returns a stream that was read before the inputs are opened; nil = it was not.
func (t *tree) earlyStream(x *stream) []byte {
	if at := x.off - t.stretch.off; at >= 0 && x.len > 0 && x.len <= int64(len(t.stretch.b))-at {
		return t.stretch.b[at : at+x.len : at+x.len+bitpack.SrcSlack]
	}
	return t.early[x.off]
}

// keepEarly notes streams that have been read.
func (t *tree) keepEarly(streams []arrowio.ByteRange, pieces [][]byte) {
	if t.early == nil {
		t.early = make(map[int64][]byte, len(streams))
	}
	for i, r := range streams {
		t.early[r.Off] = pieces[i]
	}
}

func total(rs []arrowio.ByteRange) int64 {
	n := int64(0)
	for _, r := range rs {
		n += r.Len
	}
	return n
}

func (s *stripe) hasDictionary(column int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dicts[column] != nil
}

// joined returns how many bytes ranges have, with the gaps that are read along.
func joined(rs []arrowio.ByteRange) int64 {
	rs = slices.Clone(rs)
	slices.SortFunc(rs, func(a, b arrowio.ByteRange) int { return cmp.Compare(a.Off, b.Off) })
	total := int64(0)
	for i, r := range rs {
		total += r.Len
		if i > 0 {
			if gap := r.Off - rs[i-1].End(); gap > 0 && gap <= joinGap {
				total += gap
			}
		}
	}
	return total
}

// fetchAhead reads, at once, what the rows need of the streams of a source that is far, unless fetchFirst has read it, and the dictionaries
// that it left. Where that is too much, or where the guess about the end of a row group's bytes falls short, inputs read the rest as
// they come to it.
func (t *tree) fetchAhead(ctx context.Context, first int64, rows arrowio.RowSet) error {
	if t.near {
		return nil
	}
	firsts, early := t.firsts, t.early
	t.firsts, t.early = nil, nil
	type want struct {
		in  *input
		off int64
	}
	var missing []*input
	for _, in := range t.inputs {
		if in.there && (early[in.stream.off] != nil || in.whole()) {
			continue
		}
		if in.pieces = nil; in.there {
			missing = append(missing, in)
		}
	}
	if len(missing) > 0 {
		if err := t.loadIndexAhead(ctx, rows); err != nil {
			return err
		}
	}
	ranges := firsts
	var wants []want
	for _, in := range missing {
		for _, r := range t.needed(in, first, rows) {
			ranges = append(ranges, arrowio.ByteRange{Off: in.stream.off + r.Off, Len: r.Len})
			wants = append(wants, want{in, r.Off})
		}
	}
	if joined(ranges) > t.file.ahead {
		if ranges, wants = firsts, nil; joined(ranges) > t.file.ahead {
			return t.openLater()
		}
	}
	pieces, _, err := arrowio.ReadRangesInto(ctx, t.file.src, ranges, nil, bitpack.SrcSlack)
	if err != nil {
		return ioError{err}
	}
	for i, w := range wants {
		w.in.pieces = append(w.in.pieces, piece{off: w.off, b: w.in.decrypt(pieces[len(firsts)+i], w.off)})
	}
	t.keepEarly(firsts, pieces)
	err = t.openLater()
	t.early = nil
	return err
}

// openLater reads the dictionaries that were put off.
func (t *tree) openLater() error {
	later := t.later
	t.later = nil
	for _, do := range later {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// loadIndexAhead reads the row index, if it was not read yet, where it can save more than a read.
func (t *tree) loadIndexAhead(ctx context.Context, rows arrowio.RowSet) error {
	total := int64(0)
	for _, in := range t.inputs {
		total += in.stream.len
	}
	if total <= joinGap || rows.Len() == t.stripe.info.Rows {
		return nil
	}
	return t.stripe.loadIndex(ctx, t.nodes)
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
	var out []arrowio.ByteRange
	for _, r := range rows {
		from, ok := position(entries, (r.Start-first)/stride, in.ordinal)
		if !ok || from > in.stream.len {
			return all
		}
		to := t.reach(in, entries, (r.End-first+stride-1)/stride)
		if n := len(out); n > 0 && from <= out[n-1].End() {
			out[n-1].Len = max(out[n-1].Len, to-out[n-1].Off)
		} else if to > from {
			out = append(out, arrowio.ByteRange{Off: from, Len: to - from})
		}
	}
	return out
}

// reach returns the offset up to which decoding the row group before group may look: a little behind where group begins,
// or to the end of the chunk that has it. Chunks end where others begin, of which the index may know some; all but the
// last of a stream are full, most often.
func (t *tree) reach(in *input, entries []orcwire.RowIndexEntry, group int64) int64 {
	to, ok := position(entries, group, in.ordinal)
	if !ok || to > in.stream.len {
		return in.stream.len
	}
	if !t.file.packing.Chunked {
		return min(to+runReach, in.stream.len)
	}
	block := int64(max(t.file.packing.BlockSize, 1))
	inside, _ := position(entries, group, in.ordinal+1)
	for left := min(inside, block) + runReach; left > 0; left -= block {
		end := to + chunkHeader + block
		for ; group < int64(len(entries)); group++ {
			if p, ok := position(entries, group, in.ordinal); ok && p > to {
				end = min(end, p)
				break
			}
		}
		if to = end; to >= in.stream.len {
			return in.stream.len
		}
	}
	return to
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
