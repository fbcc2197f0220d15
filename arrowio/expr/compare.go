package expr

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
)

// pairing is how the values of two columns are made alike, so that they compare exactly.
type pairing uint8

const (
	pairInts    pairing = iota + 1 // as int64
	pairLongs                      // as 128 bits: uint64 with signed numbers, integers with decimals, times of different units
	pairWides                      // decimals of different scales
	pairFloats                     // as float64
	pairMixed                      // 64-bit integers with floats
	pairStrings                    // text and bytes
)

// columnsNode compares two columns: op is Eq, Lt or Le.
type columnsNode struct {
	cols [2]int
	doms [2]*domain
	op   Op
	how  pairing
}

// orText adds to the error of a name what to write where it was meant for a text.
func orText(path string, err error) error {
	segs, e := splitPath(path)
	if e != nil || len(segs) > 1 || !errors.Is(err, errNoField) {
		return err
	}
	return fmt.Errorf("%w; text goes in single quotes: '%s'", err, strings.ReplaceAll(segs[0].name, "'", "''"))
}

func (b *binder) compareColumns(e CompareColumns) (node, error) {
	if e.Op < Eq || e.Op > Ge {
		return nil, fmt.Errorf("column %s: a comparison of no known kind (%d)", e.Left, e.Op)
	}
	n := columnsNode{op: e.Op}
	for i, path := range []string{e.Left, e.Right} {
		var err error
		if n.cols[i], n.doms[i], err = b.domain(path); err != nil {
			return nil, orText(path, err)
		}
	}
	switch e.Op {
	case Ne:
		n.op = Eq
	case Gt, Ge:
		n.op = turned[e.Op]
		n.cols[0], n.cols[1] = n.cols[1], n.cols[0]
		n.doms[0], n.doms[1] = n.doms[1], n.doms[0]
	}
	if n.doms[0].class == classNull || n.doms[1].class == classNull {
		return constNode{CanBeNull}, nil
	}
	var err error
	if n.how, err = pair(n.doms[0], n.doms[1]); err != nil {
		left, right := b.bound.cols[b.paths[e.Left]], b.bound.cols[b.paths[e.Right]]
		return nil, fmt.Errorf("column %s is %v and column %s is %v: %w", left.text(), left.t, right.text(), right.t, err)
	}
	if e.Op == Ne {
		return notNode{n}, nil
	}
	return n, nil
}

// pair finds how values of two domains become alike.
func pair(a, b *domain) (pairing, error) {
	has := func(c class) bool { return a.class == c || b.class == c }
	switch {
	case a.isBytes() && b.isBytes():
		return pairStrings, nil
	case a.isBytes() || b.isBytes():
	case a.holds == litNumber && b.holds == litNumber:
		switch {
		case has(classFloat) && has(classWide):
			if min(a.width, b.width) == 2 {
				return 0, fmt.Errorf("decimals are not compared with half floats")
			}
			return pairFloats, nil
		case has(classFloat) && max(a.intWidth(), b.intWidth()) < 8: // every such integer is a float64
			return pairFloats, nil
		case has(classFloat):
			return pairMixed, nil
		case a.intWidth() > 0 && b.timesInt(), b.intWidth() > 0 && a.timesInt():
			return pairLongs, nil
		case has(classWide) && (a.scale != b.scale || max(a.width, b.width) > 16):
			return pairWides, nil
		case has(classWide) || (a.class != b.class || a.width != b.width) && max(a.uintWidth(), b.uintWidth()) == 8:
			return pairLongs, nil
		}
		return pairInts, nil
	case a.holds == b.holds, a.isDay() && b.isDay():
		if a.unit != b.unit {
			return pairLongs, nil
		}
		return pairInts, nil
	case a.holds == litInstant && b.isDay(), a.isDay() && b.holds == litInstant:
		return 0, fmt.Errorf("only one of them has a time zone")
	}
	return 0, fmt.Errorf("they cannot be compared with each other")
}

// isDay reports whether values are dates, or times of a wall clock, which lie on one line.
func (d *domain) isDay() bool { return d.holds == litDate || d.holds == litLocal }

// timesInt reports whether values are decimals whose units any integer of 64 bits can be counted in with 128 bits.
func (d *domain) timesInt() bool {
	return d.class == classWide && d.width == 16 && d.scale >= 0 && d.scale <= 18
}

func (d *domain) intWidth() int {
	if d.class == classInt || d.class == classUint {
		return d.width
	}
	return 0
}

func (d *domain) uintWidth() int {
	if d.class == classUint {
		return d.width
	}
	return 0
}

// edge is a bound of a column's values as both columns see it.
type edge struct {
	known bool
	num   *big.Rat // of numbers; nil = beyond all of them, in the direction of inf
	inf   int
	text  []byte // of text and bytes
}

func (a edge) cmp(b edge) int {
	switch {
	case a.num != nil && b.num != nil:
		return a.num.Cmp(b.num)
	case a.num == nil && b.num == nil && a.inf == 0 && b.inf == 0:
		return bytes.Compare(a.text, b.text)
	}
	return a.inf - b.inf
}

func (a edge) below(b edge) bool      { return a.known && b.known && a.cmp(b) < 0 }
func (a edge) notAbove(b edge) bool   { return a.known && b.known && a.cmp(b) <= 0 }
func (a edge) equals(b edge) bool     { return a.known && b.known && a.cmp(b) == 0 }
func (n columnsNode) hasFloats() bool { return n.how == pairFloats || n.how == pairMixed }

func (n columnsNode) test(t *tester) (out Truth) {
	l, r := t.evidence(n.cols[0]).Stats(), t.evidence(n.cols[1]).Stats()
	leftNull, leftOther := l.nulls()
	rightNull, rightOther := r.nulls()
	if leftNull || rightNull {
		out = CanBeNull
	}
	if !leftOther || !rightOther {
		return out
	}
	lo, hi := n.edges(l, 0)
	lo2, hi2 := n.edges(r, 1)
	never, always := false, false
	switch n.op {
	case Eq:
		never = hi.below(lo2) || hi2.below(lo)
		always = lo.equals(hi) && lo2.equals(hi2) && lo.equals(lo2)
	case Lt:
		never = hi2.notAbove(lo)
		always = hi.below(lo2)
	case Le:
		never = hi2.below(lo)
		always = hi.notAbove(lo2)
	}
	if !never {
		out |= CanBeTrue
	}
	if !always || n.hasFloats() { // bounds say nothing of NaN
		out |= CanBeFalse
	}
	return out
}

// edges are the bounds of a side's values; both are unknown if they contradict each other.
func (n columnsNode) edges(s Stats, side int) (lo, hi edge) {
	d, other := n.doms[side], n.doms[1-side]
	if n.how == pairStrings {
		lo.text, lo.known = bytesBound(s.Min)
		hi.text, hi.known = bytesBound(s.Max)
	} else {
		if c, ok := d.bound(s.Min); ok && d.has(c.ge) {
			lo = d.edge(c.ge, other)
		}
		if c, ok := d.bound(s.Max); ok && d.has(c.le) {
			hi = d.edge(c.le, other)
		}
	}
	if hi.below(lo) {
		return edge{}, edge{}
	}
	return lo, hi
}

// edge is a value of the domain as a number that values of the other domain are compared with.
func (d *domain) edge(v *big.Int, other *domain) edge {
	e := edge{known: true}
	switch {
	case d.class == classFloat:
		f := floatOf(v.Int64(), d.width)
		if math.IsInf(f, 0) {
			e.inf = int(math.Copysign(1, f))
			return e
		}
		e.num = new(big.Rat).SetFloat64(f)
	case d.class == classWide:
		e.num = scaled(v, d.scale)
		if other.class == classFloat { // values are rounded to it, and so the order of numbers stays what it is
			f := nearestFloat(e.num, other.width)
			if math.IsInf(f, 0) {
				return edge{known: true, inf: e.num.Sign()}
			}
			e.num = new(big.Rat).SetFloat64(f)
		}
	case d.unit > 0:
		e.num = new(big.Rat).SetInt(new(big.Int).Mul(v, big.NewInt(d.unit)))
	default:
		e.num = new(big.Rat).SetInt(v)
	}
	return e
}

func (n columnsNode) mask(ev *evaluation, yes, no []uint64) error {
	var c [2]*loadedColumn
	for i, col := range n.cols {
		var err error
		if c[i], err = ev.load(col); err != nil {
			return err
		}
	}
	equal := ev.words()
	defer ev.done(equal)
	clear(yes)
	clear(equal)
	if err := n.signs(ev, yes, equal, c); err != nil {
		return fmt.Errorf("columns %s and %s: %w", ev.cols[n.cols[0]].text(), ev.cols[n.cols[1]].text(), err)
	}
	for i, left := range c[0].valid {
		valid := left & c[1].valid[i]
		is := yes[i] // less
		switch n.op {
		case Eq:
			is = equal[i]
		case Le:
			is |= equal[i]
		}
		yes[i] = is & valid
		no[i] = valid &^ is
	}
	return nil
}
