package arrowio

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// ByteRange is a range of bytes of a Source.
type ByteRange struct{ Off, Len int64 }

// End returns the offset after the last byte of the range. It may overflow unless the range lies within a source.
func (r ByteRange) End() int64 { return r.Off + r.Len }

// Clamp returns the part of r that lies within a source of the given size. It does not overflow for any r.
func (r ByteRange) Clamp(size int64) ByteRange {
	off := min(max(r.Off, 0), size)
	n := max(r.Len, 0)
	if r.Off < 0 { // the part before the source is not there
		n = max(0, n+r.Off)
	}
	return ByteRange{off, min(n, size-off)}
}

// Check returns errs.ErrCorrupt unless r lies within a source of the given size. Call it on every range that was read from a
// file.
func (r ByteRange) Check(size int64) error {
	if r.Off < 0 || r.Len < 0 || r.Off > size || r.Len > size-r.Off {
		e := errs.Errorf(errs.ErrCorrupt, "%d bytes wanted at %d, but the file has %d: %w", r.Len, r.Off, size, io.ErrUnexpectedEOF)
		e.Off = r.Off
		return e
	}
	return nil
}

const (
	farGap  = 1 << 20  // a source of unknown latency: reading this much for nothing is cheaper than asking twice
	nearGap = 32 << 10 // a local file: a positioned read costs about as much as copying this
	// A source that reads spans at the same time: what is smaller than leastSpanGap is always read along, more only so that there are
	// no more than fewSpans.
	leastSpanGap = 64 << 10
	fewSpans     = 8
	maxPiece     = 16 << 20 // one read is not larger, so that cancellation is noticed
)

// Near reports whether a read at any offset of src costs about as much as copying the bytes, as for a local file. It is faster to
// read such a source in small pieces, just before they are used, than to fetch ahead.
func Near(src Source) bool {
	if c, ok := src.(*CountingSource); ok {
		return Near(c.src)
	}
	s, ok := src.(interface{ Near() bool })
	return ok && s.Near()
}

// ReadRanges returns the bytes of each of rs, in the order of rs. Ranges may overlap and come in any order. A range outside the
// source is errs.ErrCorrupt, which is found before anything is allocated. Ranges that lie close together are read together. The
// pieces may share memory with the source or with one another: the caller must not write to them, and must not use them after the
// source is closed. The memory for all of rs is at most the size of their union and of the gaps that are read along with them.
func ReadRanges(ctx context.Context, src Source, rs []ByteRange) ([][]byte, error) {
	pieces, _, err := ReadRangesInto(ctx, src, rs, nil, 0)
	return pieces, err
}

// ReadRangesInto is ReadRanges for callers that reuse a buffer, and for decoders that read past the end of their input. It reads
// into buf, or allocates a larger buffer if buf is too small. It returns the buffer that it used; pass it to the next call, which
// overwrites it. Every piece p has at least slack readable bytes after its end, of arbitrary content: cap(p) >= len(p)+slack. On
// error the pieces are nil and the buffer is still returned.
func ReadRangesInto(ctx context.Context, src Source, rs []ByteRange, buf []byte, slack int) ([][]byte, []byte, error) {
	size := src.Size()
	for _, r := range rs {
		if err := r.Check(size); err != nil {
			return nil, buf, err
		}
	}
	if len(rs) == 0 {
		return nil, buf, ctx.Err()
	}
	f := fetch{src: src, rs: rs, size: size, slack: int64(max(slack, 0))}
	return f.run(ctx, buf)
}

// fetch is one call of ReadRangesInto.
type fetch struct {
	src   Source
	rs    []ByteRange
	size  int64
	slack int64
	count *CountingSource // nil = not counted
	far   SpanSource      // reads all spans at once; nil = they are read one after the other
}

// run picks the cheapest way that the source has.
func (f *fetch) run(ctx context.Context, buf []byte) ([][]byte, []byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, buf, err
	}
	inner := f.src
	for {
		c, ok := inner.(*CountingSource)
		if !ok {
			break
		}
		f.count, inner = c, c.src
	}
	switch s := inner.(type) {
	case viewer:
		return f.views(s, buf)
	case SpanSource:
		f.far = s
		return f.reads(ctx, buf, f.spanGap())
	}
	if Near(inner) {
		return f.reads(ctx, buf, nearGap)
	}
	return f.reads(ctx, buf, farGap)
}

// spanGap is the largest gap that is read along from a source that reads spans at the same time: no larger than it must be for few spans.
func (f *fetch) spanGap() int64 {
	rs := slices.Clone(f.rs)
	slices.SortFunc(rs, func(a, b ByteRange) int { return cmp.Compare(a.Off, b.Off) })
	var gaps []int64
	end := rs[0].End()
	for _, r := range rs[1:] {
		if gap := r.Off - end; gap > leastSpanGap {
			gaps = append(gaps, gap)
		}
		end = max(end, r.End())
	}
	if len(gaps) < fewSpans {
		return leastSpanGap
	}
	slices.Sort(gaps)
	return min(gaps[len(gaps)-fewSpans], farGap)
}

// views serves ranges of memory. Only pieces at the very end of the source lack slack, and are copied.
func (f *fetch) views(s viewer, buf []byte) ([][]byte, []byte, error) {
	pieces := make([][]byte, len(f.rs))
	for i, r := range f.rs {
		n := r.Len + min(f.slack, f.size-r.End())
		pieces[i] = s.View(r.Off, n)[:r.Len:n]
		if f.count != nil {
			f.count.add(r.Len)
		}
	}
	return f.withSlack(pieces, buf)
}

// withSlack copies the pieces that are too close to the end of their memory into buf, overlaps once.
func (f *fetch) withSlack(pieces [][]byte, buf []byte) ([][]byte, []byte, error) {
	short := fetch{slack: f.slack}
	var which []int
	for i, p := range pieces {
		if int64(cap(p)-len(p)) < f.slack {
			short.rs = append(short.rs, f.rs[i])
			which = append(which, i)
		}
	}
	if len(which) == 0 {
		return pieces, buf, nil
	}
	l := short.layout(0)
	if l.bytes > math.MaxInt-f.slack {
		return nil, buf, tooMuch(l.bytes)
	}
	buf = grown(buf, l.bytes+f.slack)
	filled := int64(-1) // end, in the source, of what is copied already
	for _, j := range l.order {
		r := short.rs[j]
		p := pieces[which[j]]
		at := l.place(j, r)
		if r.End() > filled {
			from := max(r.Off, filled) - r.Off
			copy(buf[at+from:], p[from:])
			filled = r.End()
		}
		pieces[which[j]] = buf[at : at+r.Len : at+r.Len+f.slack]
	}
	return pieces, buf, nil
}

// span is a stretch of the source that is read in one go, and its place in the buffer.
type span struct{ off, end, at int64 }

// reads coalesces the ranges into spans, lays the spans out one behind the other, slack behind the last, and fills them.
// A span in the middle has its followers as slack.
func (f *fetch) reads(ctx context.Context, buf []byte, gap int64) ([][]byte, []byte, error) {
	l := f.layout(gap)
	if l.bytes > math.MaxInt-f.slack {
		return nil, buf, tooMuch(l.bytes)
	}
	buf = grown(buf, l.bytes+f.slack)
	if err := f.fill(ctx, l, buf); err != nil {
		return nil, buf, err
	}
	pieces := make([][]byte, len(f.rs))
	for i, r := range f.rs {
		at := l.place(i, r)
		pieces[i] = buf[at : at+r.Len : at+r.Len+f.slack]
	}
	return pieces, buf, nil
}

// fill reads the spans of l to their places in buf.
func (f *fetch) fill(ctx context.Context, l *layout, buf []byte) error {
	if f.far != nil {
		return f.fillAtOnce(ctx, l, buf)
	}
	for _, s := range l.spans {
		for at := s.off; at < s.end; {
			if err := ctx.Err(); err != nil {
				return err
			}
			to := min(s.end, at+maxPiece)
			dst := buf[s.at+at-s.off : s.at+to-s.off]
			n, err := f.src.ReadAt(dst, at)
			if n < len(dst) {
				if err == nil || err == io.EOF {
					err = fmt.Errorf("read at %d: %d bytes of %d: %w", at, n, len(dst), io.ErrUnexpectedEOF)
				}
				return err
			}
			at = to
		}
	}
	return nil
}

// fillAtOnce hands all spans to a source that is far away.
func (f *fetch) fillAtOnce(ctx context.Context, l *layout, buf []byte) error {
	var spans []Span
	for _, s := range l.spans {
		for at := s.off; at < s.end; {
			to := min(s.end, at+maxPiece)
			spans = append(spans, Span{Off: at, Dst: buf[s.at+at-s.off : s.at+to-s.off]})
			at = to
		}
	}
	if err := f.far.ReadSpans(ctx, spans); err != nil {
		return err
	}
	if f.count != nil {
		f.count.add(l.bytes)
	}
	return nil
}

// layout says where ranges go in a buffer.
type layout struct {
	spans []span
	of    []int // the span of each range
	order []int // the ranges by offset
	bytes int64 // of all spans; cannot overflow: spans are disjoint parts of the source
}

func (l *layout) place(i int, r ByteRange) int64 {
	s := l.spans[l.of[i]]
	return s.at + r.Off - s.off
}

func (f *fetch) layout(gap int64) *layout {
	l := &layout{of: make([]int, len(f.rs)), order: make([]int, len(f.rs))}
	for i := range l.order {
		l.order[i] = i
	}
	byOffset := func(a, b int) int { return cmp.Compare(f.rs[a].Off, f.rs[b].Off) }
	if !slices.IsSortedFunc(l.order, byOffset) {
		slices.SortFunc(l.order, byOffset)
	}
	for _, i := range l.order {
		r := f.rs[i]
		n := len(l.spans) - 1
		switch {
		case n >= 0 && r.Off < l.spans[n].end: // overlap: once, whatever the size
			l.spans[n].end = max(l.spans[n].end, r.End())
		case n >= 0 && r.Off-l.spans[n].end <= gap && r.End()-l.spans[n].off <= maxPiece:
			l.spans[n].end = r.End()
		default:
			l.spans = append(l.spans, span{off: r.Off, end: r.End()})
		}
		l.of[i] = len(l.spans) - 1
	}
	for i := range l.spans {
		s := &l.spans[i]
		s.at = l.bytes
		l.bytes += s.end - s.off
	}
	return l
}

func tooMuch(n int64) error {
	return errs.Errorf(errs.ErrLimit, "%d bytes at once are more than this machine can address", uint64(n))
}

// grown returns b with length n, or a new slice where b is too small; old contents do not matter.
func grown(b []byte, n int64) []byte {
	if int64(cap(b)) >= n {
		return b[:n]
	}
	return make([]byte, n)
}
