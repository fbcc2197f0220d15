package expr

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/scalar"
)

// values is a window of rows of an array, by its buffers: off counts from their start.
type values struct {
	data   arrow.ArrayData
	off, n int
}

// pred is a test of single values of a column, nulls left out.
type pred interface {
	// test tells which outcomes the values may have, given what is known of them.
	test(e Evidence, s Stats) Truth
	// mask sets in out, which is clear, the bits of the values that pass. The bits of nulls, and those beyond the
	// last value, may come out either way.
	mask(out []uint64, v values) error
}

// point is a value that = or IN names, for evidence about single values.
type point[T any] struct {
	at    T
	value scalar.Scalar
}

// spanSet is a set of values of an ordered domain: sorted spans that do not touch.
type spanSet[T any] struct {
	cmp    func(a, b T) int
	all    span[T] // the whole domain
	spans  []span[T]
	points []point[T] // sorted; all of the set if it was made by = or IN, else none
}

// test tells whether values within b may be in the set, and whether they may be outside.
func (s *spanSet[T]) test(b span[T], e Evidence) Truth {
	if s.cmp(b.lo, b.hi) > 0 { // the evidence contradicts itself
		b = s.all
	}
	// The first span that reaches the bounds is the only one that can cover them.
	i, _ := slices.BinarySearchFunc(s.spans, b.lo, func(x span[T], lo T) int { return s.cmp(x.hi, lo) })
	if i == len(s.spans) || s.cmp(s.spans[i].lo, b.hi) > 0 {
		return CanBeFalse
	}
	t := CanBeTrue
	if s.cmp(s.spans[i].lo, b.lo) > 0 || s.cmp(s.spans[i].hi, b.hi) < 0 {
		t |= CanBeFalse
	}
	if s.points == nil {
		return t
	}
	i, _ = slices.BinarySearchFunc(s.points, b.lo, func(p point[T], lo T) int { return s.cmp(p.at, lo) })
	for ; i < len(s.points) && s.cmp(s.points[i].at, b.hi) <= 0; i++ {
		if e.MayContain(s.points[i].value) {
			return t
		}
	}
	if t == CanBeTrue { // all values are in the set, and none is: the evidence contradicts itself
		return CanBeTrue | CanBeFalse
	}
	return CanBeFalse
}

// contains reports whether v is in the set.
func (s *spanSet[T]) contains(v T) bool {
	lo, hi := 0, len(s.spans)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if s.cmp(s.spans[mid].hi, v) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(s.spans) && s.cmp(s.spans[lo].lo, v) <= 0
}

// newSpanSet is the set of the values v for which `v op` any of the cuts is true.
func newSpanSet[T any](d *domain, op Op, cuts []cut, of func(*big.Int) T, order func(a, b T) int) spanSet[T] {
	s := spanSet[T]{cmp: order, all: span[T]{of(d.min), of(d.max)}}
	var spans []span[*big.Int]
	for _, c := range cuts {
		x, ok := d.span(op, c)
		if !ok {
			continue
		}
		spans = append(spans, x)
		if op == Eq {
			s.points = append(s.points, point[T]{of(x.lo), d.scalar(x.lo)})
			if x.lo.Cmp(x.hi) < 0 { // the two zeros of floats
				s.points = append(s.points, point[T]{of(x.hi), d.scalar(x.hi)})
			}
		}
	}
	for _, x := range joined(spans) {
		s.spans = append(s.spans, span[T]{of(x.lo), of(x.hi)})
	}
	slices.SortFunc(s.points, func(a, b point[T]) int { return order(a.at, b.at) })
	return s
}

// bounds reads statistics; what does not fit the domain is unknown, and then its end stands in.
func (s *spanSet[T]) bounds(d *domain, st Stats, of func(*big.Int) T) span[T] {
	b := s.all
	if c, ok := d.bound(st.Min); ok && d.has(c.ge) {
		b.lo = of(c.ge)
	}
	if c, ok := d.bound(st.Max); ok && d.has(c.le) {
		b.hi = of(c.le)
	}
	return b
}

func (d *domain) has(v *big.Int) bool { return v.Cmp(d.min) >= 0 && v.Cmp(d.max) <= 0 }

// bound places a statistic in the domain.
func (d *domain) bound(s scalar.Scalar) (cut, bool) {
	if s == nil {
		return cut{}, false
	}
	l, err := literalOf(s)
	if err != nil || l.kind == litNull {
		return cut{}, false
	}
	c, err := d.cut(l)
	return c, err == nil && !c.nan
}

// keyPred tests values that fit an int64 key: integers, floats, times, booleans.
type keyPred struct {
	d *domain
	spanSet[int64]
	// A literal lies below or above all timestamps of the column's unit.
	below, above bool
}

func newKeyPred(d *domain, op Op, cuts []cut) *keyPred {
	p := &keyPred{d: d, spanSet: newSpanSet(d, op, cuts, d.key, cmp.Compare[int64])}
	if d.t.ID() == arrow.TIMESTAMP {
		for _, c := range cuts {
			p.below = p.below || c.le.Cmp(d.min) < 0
			p.above = p.above || c.ge.Cmp(d.max) > 0
		}
	}
	return p
}

func (p *keyPred) test(e Evidence, st Stats) Truth {
	b, ok := p.fastBounds(st)
	if !ok {
		// The file may hold times that the unit cannot: reading them is an error, which must not be passed over.
		if p.below && !p.bounded(st.Min) || p.above && !p.bounded(st.Max) {
			return CanBeTrue | CanBeFalse
		}
		b = p.bounds(p.d, st, p.d.key)
	}
	t := p.spanSet.test(b, e)
	if p.d.class == classFloat {
		t |= CanBeFalse // of NaN, bounds say nothing
	}
	return t
}

// bounded reports whether a statistic is a value of the column's type.
func (p *keyPred) bounded(s scalar.Scalar) bool {
	c, ok := p.d.bound(s)
	return ok && p.d.has(c.le)
}

// fastBounds reads the statistics that most formats have without computing: pruning asks for each block.
func (p *keyPred) fastBounds(st Stats) (b span[int64], ok bool) {
	if st.Min == nil || st.Max == nil || !st.Min.IsValid() || !st.Max.IsValid() {
		return b, false
	}
	switch min := st.Min.(type) {
	case *scalar.Int64:
		max, same := st.Max.(*scalar.Int64)
		if ok = same && p.d.t.ID() == arrow.INT64; ok {
			b = span[int64]{min.Value, max.Value}
		}
	case *scalar.Int32:
		max, same := st.Max.(*scalar.Int32)
		if ok = same && p.d.t.ID() == arrow.INT32; ok {
			b = span[int64]{int64(min.Value), int64(max.Value)}
		}
	case *scalar.Timestamp:
		max, same := st.Max.(*scalar.Timestamp)
		if ok = same && p.d.t == min.Type && p.d.t == max.Type; ok {
			b = span[int64]{int64(min.Value), int64(max.Value)}
		}
	}
	return b, ok
}

// wide is a decimal's number.
type wide[T any] interface {
	decimal128.Num | decimal256.Num
	Cmp(T) int
}

// widePred tests decimals.
type widePred[T wide[T]] struct {
	d  *domain
	of func(*big.Int) T
	spanSet[T]
}

func newWidePred[T wide[T]](d *domain, op Op, cuts []cut, of func(*big.Int) T) *widePred[T] {
	return &widePred[T]{d, of, newSpanSet(d, op, cuts, of, func(a, b T) int { return a.Cmp(b) })}
}

func (p *widePred[T]) test(e Evidence, st Stats) Truth {
	return p.spanSet.test(p.bounds(p.d, st, p.of), e)
}
