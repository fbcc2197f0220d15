package orc

import (
	"errors"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// timestamps decodes seconds and nanoseconds into one number.
type timestamps struct {
	node    *node
	data    input
	second  input
	seconds orcwire.Ints[int64]
	nanos   orcwire.Ints[int64]
	join    orcwire.Timestamps
	out     arrowbuf.Vec[int64]
	scratch []int64
}

var wireUnits = map[arrow.TimeUnit]orcwire.TimeUnit{
	arrow.Nanosecond: orcwire.Nanosecond, arrow.Microsecond: orcwire.Microsecond, arrow.Millisecond: orcwire.Millisecond, arrow.Second: orcwire.Second,
}

func newTimestamps(n *node) *timestamps {
	c := &timestamps{node: n, out: arrowbuf.NewVec[int64](&n.branch.arena)}
	c.join = orcwire.Timestamps{Unit: wireUnits[n.field.Type.(*arrow.TimestampType).Unit], Hybrid: n.tree.file.hybrid, Finely: n.tree.file.quirks.RoundsFinely()}
	c.join.Whole = n.tree.file.opt.RefuseFiner && slices.Contains(n.tree.file.opt.Microseconds, n.typ.Path())
	n.uses(&c.data, numbersOfRuns)
	n.uses(&c.second, numbersOfRuns)
	return c
}

func (c *timestamps) open(s *stripe) error {
	v2, err := c.node.direct(s)
	g, id := c.node.branch, c.node.typ.ID
	c.data.open(g, s, id, orcwire.Data)
	c.seconds.Open(&c.data.Bytes, v2, true)
	c.second.open(g, s, id, orcwire.Secondary)
	c.nanos.Open(&c.second.Bytes, v2, false)
	c.join.Zone = nil
	if c.node.typ.Kind == orcwire.Timestamp {
		c.join.Zone = s.zone
		c.node.tree.file.noteClocks(c.node.typ, s.zone)
	}
	return err
}

func (c *timestamps) seek(p *orcwire.Positions) error {
	if err := c.seconds.Seek(p); err != nil {
		return err
	}
	return c.nanos.Seek(p)
}

func (c *timestamps) standing(to []orcwire.Place) []orcwire.Place {
	return append(to, c.seconds.Place(), c.nanos.Place())
}

func (c *timestamps) read(s arrowbuf.Slots) error {
	if err := c.node.tree.batch.Take(8 * int64(s.N)); err != nil {
		return err
	}
	dst := c.out.Grow(s.N)
	stored := dst[s.N-s.Count:]
	if err := c.seconds.Next(stored); err != nil {
		return c.data.fail(err)
	}
	var nanos []int64 // nil: none has a fraction
	if v, ok := c.nanos.Constant(s.Count); !ok || v != 0 {
		c.scratch = grow(c.scratch, s.Count+bitpack.DstSlack/8)
		nanos = c.scratch[:s.Count]
		if ok {
			for i := range nanos {
				nanos[i] = v
			}
		} else if err := c.nanos.Next(nanos); err != nil {
			return c.second.fail(err)
		}
	}
	if err := c.join.Combine(stored, nanos); err != nil {
		return c.node.inRow(err, s)
	}
	arrowbuf.Spread(dst, s)
	return nil
}

func (c *timestamps) skip(n int64) error {
	if err := skipAll(n, c.seconds.Skip); err != nil {
		return c.data.fail(err)
	}
	return c.second.fail(skipAll(n, c.nanos.Skip))
}

func (c *timestamps) take(b []*memory.Buffer) parts { return parts{buffers: append(b, c.out.Take())} }
func (c *timestamps) release()                      { c.out.Release() }

// inRow makes an error about one of the stored values one about a row, where the node's slots are rows.
func (n *node) inRow(err error, s arrowbuf.Slots) error {
	var v *orcwire.ValueError
	var e *errs.Error
	if n.typ.Parent != nil && n.typ.Parent.Parent != nil || !errors.As(err, &v) || !errors.As(err, &e) {
		return err
	}
	t := n.tree
	return errs.Errorf(e.Kind, "row %d: %w", t.file.first[t.stripe.ordinal]+n.branch.row+int64(slotOf(s, v.Index)), v.Err)
}

// slotOf returns which slot the i-th stored value is in.
func slotOf(s arrowbuf.Slots, i int) int {
	if s.Present == nil {
		return i
	}
	for k := range s.N {
		p := s.Off + k
		if i -= int(s.Present[p>>3] >> (p & 7) & 1); i < 0 {
			return k
		}
	}
	return s.N // not reached: there are s.count values
}
