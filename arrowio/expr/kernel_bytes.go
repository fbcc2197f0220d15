package expr

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"
)

// byteSpan is the values from lo up to, but without, hi; a nil hi is beyond all. Byte strings have a next one (one more
// zero byte) but none before, hence half-open.
type byteSpan struct{ lo, hi []byte }

// bytesPred tests text and bytes.
type bytesPred struct {
	d      *domain
	spans  []byteSpan // sorted, disjoint
	points []point[[]byte]
	set    map[string]struct{} // the points, where there are many
	like   *likePattern        // if set, spans only bound what can match
}

func after(v []byte) []byte { return append(v[:len(v):len(v)], 0) }

// beyond is the least value above all that start with p; nil if there is none.
func beyond(p []byte) []byte {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] != 0xff {
			out := slices.Clone(p[:i+1])
			out[i]++
			return out
		}
	}
	return nil
}

func newBytesPred(d *domain, op Op, vals [][]byte) *bytesPred {
	p := &bytesPred{d: d}
	for _, v := range vals {
		v = append([]byte{}, v...) // never nil, which as an upper end means none
		switch op {
		case Eq:
			p.spans = append(p.spans, byteSpan{v, after(v)})
			p.points = append(p.points, point[[]byte]{v, d.bytesScalar(v)})
		case Lt:
			p.spans = append(p.spans, byteSpan{nil, v})
		case Le:
			p.spans = append(p.spans, byteSpan{nil, after(v)})
		case Gt:
			p.spans = append(p.spans, byteSpan{after(v), nil})
		case Ge:
			p.spans = append(p.spans, byteSpan{v, nil})
		}
	}
	if op == Eq {
		slices.SortFunc(p.points, func(a, b point[[]byte]) int { return bytes.Compare(a.at, b.at) })
		p.points = slices.CompactFunc(p.points, func(a, b point[[]byte]) bool { return bytes.Equal(a.at, b.at) })
		slices.SortFunc(p.spans, func(a, b byteSpan) int { return bytes.Compare(a.lo, b.lo) })
		p.spans = slices.CompactFunc(p.spans, func(a, b byteSpan) bool { return bytes.Equal(a.lo, b.lo) })
		if len(p.points) > 1 {
			p.set = make(map[string]struct{}, len(p.points))
			for _, x := range p.points {
				p.set[string(x.at)] = struct{}{}
			}
		}
	}
	return p
}

func newLikePred(d *domain, e Like) (*bytesPred, error) {
	like, err := compileLike(e.Pattern, e.Escape, d.holds == litText)
	if err != nil {
		return nil, err
	}
	if e.Fold {
		like.foldCase()
		return &bytesPred{d: d, spans: []byteSpan{{like.prefix, beyond(like.prefix)}}, like: like}, nil
	}
	if like.exact {
		return newBytesPred(d, Eq, [][]byte{like.prefix}), nil
	}
	p := &bytesPred{d: d, spans: []byteSpan{{like.prefix, beyond(like.prefix)}}}
	if !like.open {
		p.like = like
	}
	return p, nil
}

// within reports whether v lies in s.
func within(s byteSpan, v []byte) bool {
	return bytes.Compare(s.lo, v) <= 0 && (s.hi == nil || bytes.Compare(v, s.hi) < 0)
}

func (p *bytesPred) test(e Evidence, st Stats) Truth {
	min, _ := bytesBound(st.Min) // an unknown min is empty, the least
	max, hasMax := bytesBound(st.Max)
	if hasMax && bytes.Compare(min, max) > 0 { // the evidence contradicts itself
		min, hasMax = nil, false
	}
	above := func(v []byte) bool { return hasMax && bytes.Compare(v, max) > 0 }
	// The first span that reaches the bounds is the only one that can cover them.
	i, _ := slices.BinarySearchFunc(p.spans, min, func(s byteSpan, min []byte) int {
		if s.hi != nil && bytes.Compare(s.hi, min) <= 0 {
			return -1
		}
		return 1
	})
	if i == len(p.spans) || above(p.spans[i].lo) {
		return CanBeFalse
	}
	t := CanBeTrue
	if s := p.spans[i]; p.like != nil || bytes.Compare(s.lo, min) > 0 || s.hi != nil && (!hasMax || bytes.Compare(max, s.hi) >= 0) {
		t |= CanBeFalse
	}
	if p.points == nil {
		return t
	}
	for ; i < len(p.points) && !above(p.points[i].at); i++ { // the points are the spans
		if v := p.points[i].value; v != nil && e.MayContain(v) {
			return t
		}
	}
	if t == CanBeTrue { // all values are in the set, and none is: the evidence contradicts itself
		return CanBeTrue | CanBeFalse
	}
	return CanBeFalse
}

func bytesBound(s scalar.Scalar) ([]byte, bool) {
	if s == nil {
		return nil, false
	}
	l, err := literalOf(s)
	if err != nil || l.kind != litText && l.kind != litBytes {
		return nil, false
	}
	return l.bytes, true
}

// match tests one value; the loops over whole arrays have the common cases inlined. scratch is for values in another case.
func (p *bytesPred) match(v []byte, scratch *[]byte) bool {
	switch {
	case p.like != nil && p.like.fold:
		*scratch = appendFold((*scratch)[:0], v)
		return p.like.match(*scratch)
	case p.set != nil:
		_, ok := p.set[string(v)]
		return ok
	case p.like != nil:
		return p.like.match(v)
	}
	for _, s := range p.spans {
		if within(s, v) {
			return true
		}
	}
	return false
}

func (p *bytesPred) mask(out []uint64, v values) error {
	if v.n == 0 {
		return nil
	}
	switch p.d.class {
	case classBytes:
		if p.d.width == 8 {
			return maskBytes[int64](out, v, p)
		}
		return maskBytes[int32](out, v, p)
	case classFixed:
		var scratch []byte
		w, data := p.d.width, v.buffer(1)
		if w > 0 && len(data)/w < v.off+v.n {
			return errBuffers
		}
		for i := range v.n {
			at := (v.off + i) * w
			out[i/64] |= bit(p.match(data[at:at+w], &scratch)) << (i % 64)
		}
		return nil
	case classView:
		return p.maskViews(out, v)
	}
	return fmt.Errorf("no comparison for type %v", p.d.t)
}

// fewPoints is how many values a column is compared with one after the other, rather than looking up each of its values: most
// differ in length, which a hash costs more than.
const fewPoints = 8

func maskBytes[O int32 | int64](out []uint64, v values, p *bytesPred) error {
	offs := arrow.GetData[O](v.buffer(1))
	if len(offs) < v.off+v.n+1 {
		return errBuffers
	}
	offs = offs[v.off : v.off+v.n+1]
	data := v.buffer(2)
	if offs[0] < 0 || int64(offs[v.n]) > int64(len(data)) {
		return errBuffers
	}
	switch {
	case p.like == nil && p.points != nil && len(p.points) <= fewPoints:
		for _, x := range p.points {
			equalBits(out, offs, data, x.at)
		}
	case p.set == nil && p.like == nil && len(p.spans) == 1:
		spanBits(out, offs, data, p.spans[0])
	default:
		var scratch []byte
		for i := range v.n {
			out[i/64] |= bit(p.match(data[offs[i]:offs[i+1]], &scratch)) << (i % 64)
		}
	}
	return nil
}

// equalBits looks at the bytes only of values that are as long as want.
func equalBits[O int32 | int64](out []uint64, offs []O, data, want []byte) {
	n, text := O(len(want)), string(want)
	if int64(n) != int64(len(want)) || len(want) > math.MaxInt32 {
		return // longer than any value
	}
	lo := offs[0]
	for i, hi := range offs[1:] {
		if hi-lo == n && string(data[lo:hi]) == text {
			out[i/64] |= 1 << (i % 64)
		}
		lo = hi
	}
}

func spanBits[O int32 | int64](out []uint64, offs []O, data []byte, s byteSpan) {
	start := offs[0]
	for i, end := range offs[1:] {
		v := data[start:end]
		if bytes.Compare(v, s.lo) >= 0 && (s.hi == nil || bytes.Compare(v, s.hi) < 0) {
			out[i/64] |= 1 << (i % 64)
		}
		start = end
	}
}

func (p *bytesPred) maskViews(out []uint64, v values) error {
	views := arrow.GetData[arrow.ViewHeader](v.buffer(1))
	if len(views) < v.off+v.n {
		return errBuffers
	}
	views = views[v.off : v.off+v.n]
	var scratch []byte
	for i := range views {
		out[i/64] |= bit(p.match(v.view(&views[i]), &scratch)) << (i % 64)
	}
	return nil
}

// view is the bytes of a view; empty if its header, which may be that of a null, points nowhere.
func (v values) view(x *arrow.ViewHeader) []byte {
	if x.Len() < 0 {
		return nil
	}
	if x.IsInline() {
		return x.InlineBytes()
	}
	data := v.buffer(2 + int(uint32(x.BufferIndex())))
	at := int(x.BufferOffset())
	if at < 0 || len(data)-at < x.Len() {
		return nil
	}
	return data[at : at+x.Len()]
}
