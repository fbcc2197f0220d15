package cfile

import (
	"bytes"
	"math"
	"strconv"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile/inspect"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

func itoa(n int) string { return strconv.Itoa(n) }

// deltas checks the blocks of a delta file: that each begins with the change that the index says, that changes are in
// order and can be read, and that there are as many as the footer counts.
func (v *verifier) deltas() error {
	c := &deltaCheck{verifier: v, order: v.o.Order, min: math.MaxUint64, updates: make([]int64, len(v.stats.Updates)), columns: map[int32]int{}}
	for i, u := range v.stats.Updates {
		if _, twice := c.columns[u.ID]; twice {
			if err := v.fault("statistics of the deltas", v.footer.FooterOff, corrupt("column id %d is there twice", u.ID)); err != nil {
				return err
			}
		}
		c.columns[u.ID] = i
	}
	t := &v.layout.Val
	end := int64(0)
	for i := range t.Leaves {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		e := &t.Leaves[i]
		if e.Ptr.Off < end {
			c.lost = true // reported
			continue
		}
		end = e.Ptr.End()
		if err := c.block(e, i); err != nil {
			return err
		}
	}
	if c.lost || !t.Whole {
		return nil
	}
	return c.stats()
}

// deltaCheck is one run of deltas.
type deltaCheck struct {
	*verifier
	order  DeltaOrder
	values cfilewire.Strings

	n         int64 // deltas so far
	last      cfilewire.DeltaKey
	known     bool // last is
	lost      bool // not all deltas were read
	deletes   int64
	reinserts int64
	min, max  uint64
	columns   map[int32]int // of the statistics: where in updates
	updates   []int64
	extra     int64 // updates of columns that the statistics do not have
	extraID   int32
}

// block checks a block. If one change cannot be read, neither can those after it.
func (c *deltaCheck) block(e *inspect.Leaf, i int) error {
	raw, err := c.blocks.Read(e.Ptr)
	var h cfilewire.Head
	if err == nil {
		if c.footer.Encoding == cfilewire.EncodingPrefix {
			h, err = c.values.OpenPrefix(raw, c.Reader.frame.Limit)
		} else if h, err = c.values.OpenPlain(raw); c.footer.Encoding != cfilewire.EncodingPlain {
			err = errs.Errorf(errs.ErrUnsupported, "deltas in encoding %v", c.footer.Encoding)
		}
	}
	if err == nil && !c.lost && int64(h.Ordinal) != c.n {
		err = corrupt("the block begins with delta %d, the one before ends at %d", h.Ordinal, c.n)
	}
	if err == nil && h.Count == 0 {
		err = corrupt("a block without deltas")
	}
	if err != nil {
		c.lost, c.known = true, false
		return c.fault("block", e.Ptr.Off, err)
	}
	c.n += int64(h.Count)
	for k := range c.values.Len() {
		value := c.values.At(k)
		key, change, err := cfilewire.ParseDeltaKey(value)
		if err == nil && k == 0 && !bytes.Equal(e.Key, value[:len(value)-len(change)]) {
			err := corrupt("the key of the index is %x, the first of the block %x", inspect.Brief(e.Key), value[:len(value)-len(change)])
			if err := c.fault("value index, entry "+itoa(i), e.In, err); err != nil {
				return err
			}
		}
		if err == nil {
			err = c.follows(key)
		}
		if err == nil {
			err = c.change(key, change)
		}
		if err != nil {
			c.lost, c.known = true, false
			return c.fault("block", e.Ptr.Off, errs.Locate(err, errs.At{Op: "delta " + itoa(k) + " of the block", Off: errs.N(e.Ptr.Off)}))
		}
	}
	return nil
}

// follows checks the place of a change among the others.
func (c *deltaCheck) follows(k cfilewire.DeltaKey) error {
	if c.o.Rows > 0 && k.Row >= c.o.Rows {
		return corrupt("a change of row %d of %d", k.Row, c.o.Rows)
	}
	last := c.last
	known := c.known
	c.last, c.known = k, true
	switch {
	case !known || k.Row > last.Row:
		return nil
	case k.Row < last.Row:
		return corrupt("a change of row %d follows one of row %d", k.Row, last.Row)
	case k.Time == last.Time:
		return nil
	}
	order := Forward
	if k.Time < last.Time {
		order = Backward
	}
	if c.order == AnyOrder {
		c.order = order
	}
	if order != c.order {
		return corrupt("row %d: a change at %s follows one at %s", k.Row, cfilewire.TimeText(k.Time), cfilewire.TimeText(last.Time))
	}
	return nil
}

// change reads and counts a change.
func (c *deltaCheck) change(k cfilewire.DeltaKey, b []byte) error {
	c.min, c.max = min(c.min, k.Time), max(c.max, k.Time)
	op, cells, err := cfilewire.ParseChange(b)
	if err != nil {
		return err
	}
	switch op {
	case cfilewire.Delete:
		c.deletes++
	case cfilewire.Reinsert:
		c.reinserts++
	}
	for cells.Next() {
		if c.o.Cell != nil {
			if err := c.o.Cell(cells.Column, cells.Value, cells.Null); err != nil {
				return err
			}
		}
		if i, ok := c.columns[cells.Column]; ok {
			c.updates[i]++
		} else {
			c.extra++
			c.extraID = cells.Column
		}
	}
	return cells.Err
}

// stats compares the statistics of the footer.
func (c *deltaCheck) stats() error {
	off := c.footer.FooterOff
	if c.n != c.footer.Values {
		if err := c.fault("footer", off, corrupt("%d deltas, there are %d", c.footer.Values, c.n)); err != nil {
			return err
		}
	}
	s := &c.Reader.stats
	check := func(what string, said, is uint64) error {
		if said == is {
			return nil
		}
		return c.fault("statistics of the deltas", off, corrupt("%s is %d, it is %d", what, said, is))
	}
	if err := check("number of deletes", uint64(s.Deletes), uint64(c.deletes)); err != nil {
		return err
	}
	if err := check("number of reinserts", uint64(s.Reinserts), uint64(c.reinserts)); err != nil {
		return err
	}
	if c.n > 0 {
		if err := check("least time", s.MinTime, c.min); err != nil {
			return err
		}
		if err := check("greatest time", s.MaxTime, c.max); err != nil {
			return err
		}
	}
	for i, u := range s.Updates {
		if err := check("number of updates of column id "+itoa(int(u.ID)), uint64(u.Count), uint64(c.updates[i])); err != nil {
			return err
		}
	}
	if c.extra > 0 {
		return check("number of updates of columns such as id "+itoa(int(c.extraID)), 0, uint64(c.extra))
	}
	return nil
}
