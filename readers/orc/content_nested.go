package orc

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/salvage"
)

// structs has no values of its own: its children hold one for every slot that it has.
type structs struct {
	node     *node
	children []*node
}

func newStruct(n *node, pf arrowio.ProjectedField) *structs {
	c := &structs{node: n}
	for i, f := range n.field.Type.(*arrow.StructType).Fields() {
		k := arrowio.ProjectedField{Index: i}
		if pf.Children != nil {
			k = pf.Children[i]
		}
		c.children = append(c.children, n.branch.node(n.typ.Children[k.Index], k, f))
	}
	return c
}

func (c *structs) open(s *stripe) error {
	_, err := c.node.direct(s)
	return err
}

func (c *structs) seek(*orcwire.Positions) error { return nil }

func (c *structs) standing(to []orcwire.Place) []orcwire.Place { return to }

func (c *structs) read(s arrowbuf.Slots) error {
	for _, k := range c.children {
		if err := k.read(s); err != nil {
			return err
		}
	}
	return nil
}

func (c *structs) skip(n int64) error {
	for _, k := range c.children {
		if err := k.skip(n); err != nil {
			return err
		}
	}
	return nil
}

func (c *structs) take(b []*memory.Buffer) parts {
	return parts{buffers: b, children: takeAll(c.children)}
}
func (c *structs) release() {}

func takeAll(nodes []*node) []arrow.ArrayData {
	out := make([]arrow.ArrayData, len(nodes))
	for i, n := range nodes {
		out[i] = n.take()
	}
	return out
}

// lists decodes lengths into offsets, and the elements; maps are lists with two children.
type lists struct {
	node     *node
	length   input
	lengths  orcwire.Ints[int32]
	offsets  arrowbuf.Offsets
	children []*node
	scratch  []int32
	pairs    bool // the children are key and value of a struct
}

func newList(n *node, pf arrowio.ProjectedField) *lists {
	c := &lists{node: n, offsets: arrowbuf.NewOffsets(&n.branch.arena)}
	n.uses(&c.length, numbersOfRuns)
	elem := n.field.Type.(*arrow.ListType).ElemField()
	c.children = []*node{n.branch.node(n.typ.Children[0], arrowio.ProjectedField{Children: pf.Children}, elem)}
	return c
}

// newMap decodes a map, or, where null keys are allowed, a list of key and value.
func newMap(n *node, pf arrowio.ProjectedField) *lists {
	c := &lists{node: n, offsets: arrowbuf.NewOffsets(&n.branch.arena), pairs: true}
	n.uses(&c.length, numbersOfRuns)
	switch t := n.field.Type.(type) {
	case *arrow.MapType:
		c.children = []*node{
			n.branch.node(n.typ.Children[0], arrowio.ProjectedField{}, t.KeyField()),
			n.branch.node(n.typ.Children[1], arrowio.ProjectedField{Index: 1, Children: pf.Children}, t.ItemField()),
		}
	case *arrow.ListType:
		for i, f := range t.Elem().(*arrow.StructType).Fields() {
			k := arrowio.ProjectedField{Index: i}
			if pf.Children != nil {
				k = pf.Children[i]
			}
			c.children = append(c.children, n.branch.node(n.typ.Children[k.Index], k, f))
		}
	}
	return c
}

func (c *lists) open(s *stripe) error {
	v2, err := c.node.direct(s)
	c.length.open(c.node.branch, s, c.node.typ.ID, orcwire.Length)
	c.lengths.Open(&c.length.Bytes, v2, false)
	return err
}

func (c *lists) seek(p *orcwire.Positions) error { return c.lengths.Seek(p) }

func (c *lists) standing(to []orcwire.Place) []orcwire.Place { return append(to, c.lengths.Place()) }

func (c *lists) read(s arrowbuf.Slots) error {
	if err := c.node.tree.batch.Take(4 * int64(s.N)); err != nil {
		return err
	}
	slots, ends := c.offsets.Grow(s.N, s.Count)
	start := ends[0]
	if err := c.lengths.Next(ends[1:]); err != nil {
		return c.length.fail(err)
	}
	last, err := bitpack.Offsets(ends)
	if err != nil {
		return c.length.fail(errs.Errorf(errs.ErrLimit, "a batch holds over 2^31 elements: take fewer rows in a batch"))
	}
	if s.Present != nil {
		bitpack.SpreadOffsets(slots, s.Present, s.Off)
	}
	return c.elements(int64(last) - int64(start))
}

// elements reads the children of new lists, in steps.
func (c *lists) elements(n int64) error {
	if err := c.node.tree.batch.Count(n); err != nil {
		return err
	}
	for n > 0 {
		k := int(min(n, stepRows))
		for _, child := range c.children {
			if err := child.read(arrowbuf.AllSlots(k)); err != nil {
				return err
			}
		}
		n -= int64(k)
	}
	if _, isMap := c.node.field.Type.(*arrow.MapType); isMap && c.children[0].nulls > 0 {
		return c.length.fail(errs.Errorf(errs.ErrSchema, "a map has a null key, which Arrow's maps have not: %w shows maps as lists of key and value", salvage.Sound{Option: errs.Opt("orc-null-keys", "list")}))
	}
	return nil
}

func (c *lists) skip(n int64) error {
	for n > 0 {
		k := int(min(n, stepRows))
		c.scratch = grow(c.scratch, k+bitpack.DstSlack/4)
		lens := c.scratch[:k]
		if err := c.lengths.Next(lens); err != nil {
			return c.length.fail(err)
		}
		total := int64(0)
		for _, l := range lens {
			total += int64(l)
		}
		for _, child := range c.children {
			if err := child.skip(total); err != nil {
				return err
			}
		}
		n -= int64(k)
	}
	return nil
}

func (c *lists) take(b []*memory.Buffer) parts {
	p := parts{buffers: append(b, c.offsets.Take())}
	children := takeAll(c.children)
	if !c.pairs {
		p.children = children
		return p
	}
	var entries arrow.DataType
	switch t := c.node.field.Type.(type) {
	case *arrow.MapType:
		entries = t.Elem()
	case *arrow.ListType:
		entries = t.Elem()
	}
	a := &c.node.branch.arena
	p.children = []arrow.ArrayData{a.Data(entries, children[0].Len(), append(a.Buffers(), nil), children, 0)}
	return p
}

func (c *lists) release() { c.offsets.Release() }

// unions decodes tags into type ids of a dense union. A null union, which Arrow does not have, becomes a null of the
// first variant.
type unions struct {
	node     *node
	data     input
	tags     orcwire.ByteRuns[int8]
	types    arrowbuf.Vec[int8]
	places   arrowbuf.Vec[int32]
	children []*node

	counts []int // of each variant
	bases  []int32
	first  []byte // bitmap: which slots of the first variant are stored
}

func newUnion(n *node) *unions {
	c := &unions{node: n, types: arrowbuf.NewVec[int8](&n.branch.arena), places: arrowbuf.NewVec[int32](&n.branch.arena)}
	n.uses(&c.data, numbersOfRuns)
	for i, f := range n.field.Type.(arrow.UnionType).Fields() {
		c.children = append(c.children, n.branch.node(n.typ.Children[i], arrowio.ProjectedField{Index: i}, f))
	}
	c.counts, c.bases = make([]int, len(c.children)), make([]int32, len(c.children))
	return c
}

func (c *unions) open(s *stripe) error {
	_, err := c.node.direct(s)
	c.data.open(c.node.branch, s, c.node.typ.ID, orcwire.Data)
	c.tags.Open(&c.data.Bytes)
	return err
}

func (c *unions) seek(p *orcwire.Positions) error { return c.tags.Seek(p) }

func (c *unions) standing(to []orcwire.Place) []orcwire.Place { return append(to, c.tags.Place()) }

func (c *unions) read(s arrowbuf.Slots) error {
	if err := c.node.tree.batch.Take(5 * int64(s.N)); err != nil {
		return err
	}
	types := c.types.Grow(s.N)
	if err := c.readTags(types[s.N-s.Count:]); err != nil {
		return err
	}
	arrowbuf.Spread(types, s)
	for i, k := range c.children {
		if int64(k.n)+int64(s.N) > math.MaxInt32 {
			return errs.Errorf(errs.ErrLimit, "a batch holds over 2^31 values of a union: take fewer rows in a batch")
		}
		c.bases[i] = int32(k.n)
	}
	clear(c.counts)
	places := c.places.Grow(s.N)
	for i, t := range types {
		places[i] = c.bases[t] + int32(c.counts[t])
		c.counts[t]++
	}
	for i, k := range c.children {
		one := arrowbuf.AllSlots(c.counts[i])
		if i == 0 && s.Present != nil {
			one = c.firstSlots(types, s)
		}
		if err := k.read(one); err != nil {
			return err
		}
	}
	return nil
}

// readTags reads tags and counts them.
func (c *unions) readTags(tags []int8) error {
	if err := c.tags.Next(tags); err != nil {
		return c.data.fail(err)
	}
	var most uint8
	for _, t := range tags {
		most = max(most, uint8(t))
	}
	if len(tags) > 0 && int(most) >= len(c.children) {
		return c.data.fail(errs.Errorf(errs.ErrCorrupt, "tag %d of a union of %d variants", most, len(c.children)))
	}
	return nil
}

// firstSlots returns the slots of the first variant: its own values, and the null unions.
func (c *unions) firstSlots(types []int8, s arrowbuf.Slots) arrowbuf.Slots {
	out := arrowbuf.Slots{N: c.counts[0], Off: 0}
	c.first = grow(c.first, (out.N+7)>>3)
	clear(c.first)
	k := 0
	for i, t := range types {
		if t != 0 {
			continue
		}
		if p := s.Off + i; s.Present[p>>3]>>(p&7)&1 == 1 {
			c.first[k>>3] |= 1 << (k & 7)
			out.Count++
		}
		k++
	}
	out.Present = c.first
	if out.Count == out.N {
		out.Present = nil
	}
	return out
}

func (c *unions) skip(n int64) error {
	var tags [1024]int8
	for n > 0 {
		k := min(n, int64(len(tags))-bitpack.DstSlack)
		clear(c.counts)
		if err := c.readTags(tags[:k]); err != nil {
			return err
		}
		for _, t := range tags[:k] {
			c.counts[t]++
		}
		for i, child := range c.children {
			if err := child.skip(int64(c.counts[i])); err != nil {
				return err
			}
		}
		n -= k
	}
	return nil
}

func (c *unions) take(b []*memory.Buffer) parts {
	// A union of no rows has buffers, too.
	c.types.Grow(0)
	c.places.Grow(0)
	return parts{buffers: append(b, c.types.Take(), c.places.Take()), children: takeAll(c.children)}
}

func (c *unions) release() {
	c.types.Release()
	c.places.Release()
}
