package expr

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

var errLists = errors.New("the offsets of a list are not in order")

// elementEvidence is what is known of elements: nothing, unless all lists are null.
func elementEvidence(e Evidence) Evidence {
	if null, other := e.Stats().nulls(); null && !other {
		s := e.Stats()
		return StatsOnly{Rows: s.Rows, Nulls: s.Nulls}
	}
	return StatsOnly{}
}

// descend follows steps from the values of a column to those inside.
func (ev *evaluation) descend(c *loadedColumn, steps []boundStep) error {
	for _, s := range steps {
		if err := ev.dropTaken(c); err != nil {
			return err
		}
		var err error
		switch s.kind {
		case stepField:
			v := c.vals
			if s.at >= len(v.data.Children()) || v.data.Children()[s.at].Len() < v.off+v.n {
				return errBuffers
			}
			child := v.data.Children()[s.at]
			c.vals = values{child, child.Offset() + v.off, v.n}
		case stepElement:
			err = ev.element(c, s.at)
		case stepValue:
			err = ev.value(c, s)
		}
		if err != nil {
			return err
		}
	}
	return ev.dropTaken(c)
}

// dropTaken clears the rows whose value is null.
func (ev *evaluation) dropTaken(c *loadedColumn) error {
	if c.take == nil {
		return ev.dropNulls(c.valid, c.vals)
	}
	in := ev.vector(c.vals.n)
	defer ev.done(in)
	clear(in)
	setRange(in, 0, c.vals.n)
	if err := ev.dropNulls(in, c.vals); err != nil {
		return err
	}
	if !full(in, c.vals.n) {
		takeBits(c.valid, in, c.take, c.valid)
	}
	return nil
}

// takeBits copies to out the bits of `in` at the places of the rows that are valid; the other rows become 0. out may be
// valid.
func takeBits(out, in []uint64, take []int, valid []uint64) {
	for w := range valid {
		var got uint64
		for left := valid[w]; left != 0; left &= left - 1 {
			j := bits.TrailingZeros64(left)
			at := take[64*w+j]
			got |= in[at/64] >> (at % 64) & 1 << j
		}
		out[w] = got
	}
}

// applyTo is apply for a column of which only some values are looked at.
func (ev *evaluation) applyTo(p pred, out []uint64, c *loadedColumn) error {
	if c.take == nil {
		return ev.apply(p, out, c.vals, c.valid)
	}
	in := ev.vector(c.vals.n)
	defer ev.done(in)
	clear(in)
	if err := ev.apply(p, in, c.vals, nil); err != nil {
		return err
	}
	takeBits(out, in, c.take, c.valid)
	return nil
}

// element goes on to the elements at a position.
func (ev *evaluation) element(c *loadedColumn, position int) error {
	elems, ends, err := ev.ends(c.vals)
	if err != nil {
		return err
	}
	take := ev.places.get(ev.rows)
	for w := range c.valid {
		for left := c.valid[w]; left != 0; left &= left - 1 {
			j := bits.TrailingZeros64(left)
			row := 64*w + j
			at := row
			if c.take != nil {
				at = c.take[row]
			}
			if ends[at+1]-ends[at] > position {
				take[row] = ends[at] + position
			} else {
				c.valid[w] &^= 1 << j
			}
		}
	}
	ev.places.put(ends)
	ev.places.put(c.take)
	c.vals, c.take = elems, take
	return nil
}

// value goes on to the values of a key; of keys that stand in a map twice, the first counts.
func (ev *evaluation) value(c *loadedColumn, s boundStep) error {
	entries, ends, err := ev.ends(c.vals)
	if err != nil {
		return err
	}
	if len(entries.data.Children()) != 2 {
		return errBuffers
	}
	var halves [2]values
	for i, child := range entries.data.Children() {
		if child.Len() < entries.off+entries.n {
			return errBuffers
		}
		halves[i] = values{child, child.Offset() + entries.off, entries.n}
	}
	is := ev.vector(entries.n)
	defer ev.done(is)
	clear(is)
	if s.key != nil {
		if err := ev.apply(s.key, is, halves[0], nil); err != nil {
			return fmt.Errorf("keys: %w", err)
		}
	}
	take := ev.places.get(ev.rows)
	for w := range c.valid {
		for left := c.valid[w]; left != 0; left &= left - 1 {
			j := bits.TrailingZeros64(left)
			row := 64*w + j
			at := row
			if c.take != nil {
				at = c.take[row]
			}
			if k := firstBit(is, ends[at], ends[at+1]); k >= 0 {
				take[row] = k
			} else {
				c.valid[w] &^= 1 << j
			}
		}
	}
	ev.places.put(ends)
	ev.places.put(c.take)
	c.vals, c.take = halves[1], take
	return nil
}

// ends finds where lists end: those of value i are the elements from ends[i] up to ends[i+1]. The caller gives ends back.
func (ev *evaluation) ends(v values) (elems values, ends []int, err error) {
	children := v.data.Children()
	if len(children) != 1 {
		return elems, nil, errBuffers
	}
	child := children[0]
	ends = ev.places.get(v.n + 1)
	ends[0] = 0
	start := int64(0)
	switch t := arrowtype.Storage(v.data.DataType()).(type) {
	case *arrow.FixedSizeListType:
		for i := range ends {
			ends[i] = i * int(t.Len())
		}
		start = int64(v.off) * int64(t.Len())
	case *arrow.ListType, *arrow.MapType:
		start, err = endsOf[int32](ends, v)
	case *arrow.LargeListType:
		start, err = endsOf[int64](ends, v)
	default:
		err = fmt.Errorf("%v where a list was expected", v.data.DataType())
	}
	n := ends[v.n]
	if err == nil && (start < 0 || start+int64(n) > int64(child.Len())) {
		err = errBuffers
	}
	return values{child, child.Offset() + int(start), n}, ends, err
}

func endsOf[O int32 | int64](ends []int, v values) (start int64, err error) {
	if v.n == 0 {
		return 0, nil
	}
	offs, err := fixedIn[O](values{v.data, v.off, v.n + 1}, 1)
	if err != nil {
		return 0, err
	}
	first, last := offs[0], offs[0]
	for i, o := range offs {
		if o < last {
			return 0, errLists
		}
		ends[i], last = int(o-first), o
	}
	return int64(first), nil
}

// firstBit is the first bit from lo up to hi that is set; -1 = none is.
func firstBit(w []uint64, lo, hi int) int {
	for lo < hi {
		if x := w[lo/64] >> (lo % 64); x != 0 {
			if lo += bits.TrailingZeros64(x); lo < hi {
				return lo
			}
			return -1
		}
		lo = lo - lo%64 + 64
	}
	return -1
}

// containsNode tests whether lists have an element that passes.
type containsNode struct {
	col int
	pred
}

func (b *binder) contains(e Contains) (node, error) {
	col, err := b.column(e.Col)
	if err != nil {
		return nil, err
	}
	t := b.bound.cols[col].t
	var elem arrow.DataType
	switch t := arrowtype.Storage(t).(type) {
	case *arrow.NullType:
		return constNode{CanBeNull}, nil
	case *arrow.ListType:
		elem = t.Elem()
	case *arrow.LargeListType:
		elem = t.Elem()
	case *arrow.FixedSizeListType:
		elem = t.Elem()
	default:
		return nil, fmt.Errorf("column %s is %v: contains takes a list", e.Col, t)
	}
	d, err := domainOf(elem)
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", e.Col, err)
	}
	p, hasNull, err := newPred(d, Eq, []scalar.Scalar{e.Value})
	switch {
	case err != nil:
		return nil, fmt.Errorf("elements of column %s are %v: %w", e.Col, elem, err)
	case hasNull:
		return constNode{CanBeNull}, nil
	}
	return containsNode{col, p}, nil
}

func (n containsNode) test(t *tester) (out Truth) {
	null, other := t.evidence(n.col).Stats().nulls()
	if null {
		out |= CanBeNull
	}
	if other {
		out |= CanBeFalse
		if n.pred != nil {
			out |= CanBeTrue
		}
	}
	return out
}

func (n containsNode) mask(ev *evaluation, yes, no []uint64) error {
	c, err := ev.load(n.col)
	if err != nil {
		return err
	}
	elems, ends, err := ev.ends(c.vals)
	if err == nil {
		err = n.hits(ev, yes, c, elems, ends)
		ev.places.put(ends)
	}
	if err != nil {
		return fmt.Errorf("column %s: %w", ev.cols[n.col].text(), err)
	}
	for i, valid := range c.valid {
		no[i] = valid &^ yes[i]
	}
	return nil
}

// hits sets in yes the rows that are not null and whose list has an element that passes.
func (n containsNode) hits(ev *evaluation, yes []uint64, c *loadedColumn, elems values, ends []int) error {
	clear(yes)
	is, valid := ev.vector(elems.n), ev.vector(elems.n)
	defer ev.done(is, valid)
	clear(is)
	clear(valid)
	setRange(valid, 0, elems.n)
	if err := ev.dropNulls(valid, elems); err != nil {
		return err
	}
	if n.pred != nil {
		if err := ev.apply(n.pred, is, elems, valid); err != nil {
			return err
		}
	}
	for i := range is {
		is[i] &= valid[i]
	}
	for w := range c.valid {
		for left := c.valid[w]; left != 0; left &= left - 1 {
			j := bits.TrailingZeros64(left)
			at := 64*w + j
			if c.take != nil {
				at = c.take[at]
			}
			if firstBit(is, ends[at], ends[at+1]) >= 0 {
				yes[w] |= 1 << j
			}
		}
	}
	return nil
}
