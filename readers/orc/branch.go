package orc

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// stepRows bounds the rows that nodes handle at once: ids, lengths and nanoseconds of that many are held.
const stepRows = 1 << 16

// branch is some of a tree's columns, with what they need to be decoded apart from the others. One goroutine at a time.
type branch struct {
	tree    *tree
	columns []int   // positions in the projection
	roots   []*node // what is decoded side by side: columns, and gate
	gate    *node   // the struct that some columns are children of; nil = none
	trims   []bool  // which of roots can be trimmed
	nodes   []*node // parents before children
	inputs  []*input
	scratch *orcwire.Scratch
	arena   arrowbuf.Arena
	row     int64 // of the stripe, where the nodes stand

	confirmed    int // row groups of the stripe: see confirm
	places, next []orcwire.Place
}

// costs guesses what decoding the columns of a stripe takes, in nanoseconds.
func (s *stripe) costs(types []*orcwire.Type) []float64 {
	perByte := 0.3
	switch s.file.packing.Codec {
	case blockcodec.Deflate, blockcodec.Brotli:
		perByte = 4
	case blockcodec.Zstd:
		perByte = 2
	case blockcodec.Snappy, blockcodec.LZ4, blockcodec.LZO:
		perByte = 1
	}
	out := make([]float64, len(types))
	for i, t := range types {
		for _, x := range s.streams[s.columns[t.ID]:s.columns[t.Last+1]] {
			if !x.kind.Index() {
				out[i] += perByte * float64(x.len)
			}
		}
		for id := t.ID; id <= t.Last; id++ {
			out[i] += valueCost(s.file.footer.Types[id].Kind) * float64(s.info.Rows)
		}
	}
	return out
}

// valueCost is about what decoding a value of a kind takes, in nanoseconds.
func valueCost(k orcwire.Kind) float64 {
	switch k {
	case orcwire.Boolean, orcwire.Byte:
		return 0.3
	case orcwire.Decimal, orcwire.Timestamp, orcwire.TimestampInstant:
		return 4
	case orcwire.String, orcwire.Varchar, orcwire.Char, orcwire.Binary, orcwire.Geometry, orcwire.Geography:
		return 3
	}
	return 1
}

// node builds the decoders of a type, as far as pf wants it.
func (g *branch) node(typ *orcwire.Type, pf arrowio.ProjectedField, field arrow.Field) *node {
	n := g.bareNode(typ, field)
	n.content = n.newContent(pf)
	return n
}

// bareNode builds a decoder without its content.
func (g *branch) bareNode(typ *orcwire.Type, field arrow.Field) *node {
	n := &node{tree: g.tree, branch: g, typ: typ, field: field, validity: arrowbuf.NewBits(&g.arena)}
	g.nodes = append(g.nodes, n)
	n.presence.numbers = numbersOfBits
	g.inputs = append(g.inputs, &n.presence)
	return n
}

// column builds the decoders of a column.
func (g *branch) column(typ *orcwire.Type, pf arrowio.ProjectedField, field arrow.Field) *node {
	if w := g.tree.file.within; w == nil || typ.Parent != w {
		first := len(g.nodes)
		n := g.node(typ, pf, field)
		n.all = g.nodes[first:len(g.nodes):len(g.nodes)]
		g.roots = append(g.roots, n)
		return n
	}
	if g.gate == nil {
		g.gate = g.bareNode(g.tree.file.within, arrow.Field{})
		g.gate.content = &structs{node: g.gate}
		g.gate.all = []*node{g.gate}
		g.roots = append(g.roots, g.gate)
	}
	first := len(g.nodes)
	n := g.node(typ, pf, field)
	g.gate.all = append(g.gate.all, g.nodes[first:]...)
	c := g.gate.content.(*structs)
	c.children = append(c.children, n)
	return n
}

// takeGate forgets what the gate has counted. Its columns are taken one by one, and cannot tell where it is null.
func (g *branch) takeGate() error {
	if g.gate == nil {
		return nil
	}
	nulls := g.gate.nulls
	g.gate.release()
	if nulls > 0 {
		return g.gate.located(errs.Errorf(errs.ErrCorrupt, "%d events have no row", nulls))
	}
	return nil
}

// rewind opens all streams at the start of the stripe.
func (g *branch) rewind() error {
	g.row, g.confirmed = 0, 0
	for _, n := range g.nodes {
		if err := n.open(g.tree.stripe); err != nil {
			return err
		}
	}
	return nil
}

// move passes over rows until row of the stripe: by row groups where the row index is loaded, the others one by one.
func (g *branch) move(row int64) error {
	s := g.tree.stripe
	if r := s.reach(); r != nil {
		return g.moveAround(r, row)
	}
	if stride := int64(s.file.footer.RowIndexStride); stride > 0 {
		if i := row / stride; i*stride > g.row && s.seekable(g.nodes) {
			err := g.seek(int(i))
			if err == nil {
				err = g.confirm(int(i))
			}
			if err == nil {
				g.row = i * stride
			} else if isIO(err) {
				return err
			} else if err := g.distrust(); err != nil {
				return err
			}
		}
	}
	return g.pass(row)
}

// pass decodes rows until row of the stripe, and drops them.
func (g *branch) pass(row int64) error {
	for g.row < row {
		n := min(row-g.row, stepRows)
		for _, r := range g.roots {
			if err := r.skip(n); err != nil {
				return err
			}
		}
		g.row += n
	}
	return nil
}

// seek moves to the start of a row group.
func (g *branch) seek(rowGroup int) error {
	for _, n := range g.nodes {
		if err := n.seek(rowGroup); err != nil {
			return err
		}
	}
	return nil
}

// distrust is for positions that lead nowhere: writers have recorded wrong ones. The stripe is read from its start.
func (g *branch) distrust() error {
	g.tree.stripe.distrust()
	return g.rewind()
}

// read appends the next n rows.
func (g *branch) read(n int) error {
	if r := g.tree.stripe.reach(); r != nil {
		return g.readAround(r, n)
	}
	return g.readRows(n)
}

func (g *branch) readRows(n int) error {
	for n > 0 {
		k := min(n, stepRows)
		for _, r := range g.roots {
			if err := r.read(arrowbuf.AllSlots(k)); err != nil {
				return err
			}
		}
		g.row += int64(k)
		n -= k
	}
	return nil
}
