package orc

import (
	"errors"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// decimals decodes numbers of 128 bits, brought to the scale of the column.
type decimals struct {
	node   *node
	data   input
	second input
	values orcwire.Decimals
	out    arrowbuf.Vec[[2]uint64]
	whole  bool // integers of the column's scale: the draft of ORC 2.0
}

func newDecimals(n *node) *decimals {
	c := &decimals{node: n, out: arrowbuf.NewVec[[2]uint64](&n.branch.arena)}
	c.whole = c.node.tree.file.wholeDecimals(n.typ)
	if c.whole {
		n.uses(&c.data, numbersOfRuns)
	} else {
		n.uses(&c.data, numbersOfBytes)
		n.uses(&c.second, numbersOfRuns)
	}
	return c
}

// wholeDecimals reports whether decimals of a type are stored as in the draft of ORC 2.0, which a file's version tells.
func (f *File) wholeDecimals(t *orcwire.Type) bool {
	const most = 18 // digits that fit 64 bits
	return len(f.ps.Version) > 0 && f.ps.Version[0] >= 1 && t.Precision > 0 && t.Precision <= most
}

func (c *decimals) open(s *stripe) error {
	v2, err := c.node.direct(s)
	g, id := c.node.branch, c.node.typ.ID
	precision, scale := c.node.typ.DecimalType()
	c.data.open(g, s, id, orcwire.Data)
	if c.whole {
		c.values.Open64(&c.data.Bytes, int(precision), int(scale))
		return err
	}
	c.second.open(g, s, id, orcwire.Secondary)
	c.values.Open(&c.data.Bytes, &c.second.Bytes, v2, int(precision), int(scale))
	return err
}

func (c *decimals) seek(p *orcwire.Positions) error { return c.values.Seek(p) }

func (c *decimals) standing(to []orcwire.Place) []orcwire.Place { return c.values.Places(to) }

func (c *decimals) read(s arrowbuf.Slots) error {
	if err := c.node.tree.batch.Take(16 * int64(s.N)); err != nil {
		return err
	}
	dst := c.out.Grow(s.N)
	if err := c.values.Next(arrowbuf.Words(dst[s.N-s.Count:])); err != nil {
		err = c.data.fail(c.node.inRow(err, s))
		if c.node.typ.Precision == 0 && errors.Is(err, errs.ErrSchema) {
			err = errs.Errorf(errs.ErrSchema, "%w: the file does not tell precision and scale; give them with %w", err, errs.Opt(optionDecimal, ""))
		}
		return err
	}
	arrowbuf.Spread(dst, s)
	return nil
}

func (c *decimals) skip(n int64) error            { return c.data.fail(skipAll(n, c.values.Skip)) }
func (c *decimals) take(b []*memory.Buffer) parts { return parts{buffers: append(b, c.out.Take())} }
func (c *decimals) release()                      { c.out.Release() }
