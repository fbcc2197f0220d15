package orc

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// structs has no values of its own.
type structs struct {
	leaf
	nodes []*node
}

func (w *writer) newStruct(n *node) *structs {
	c := &structs{leaf: leaf{node: n}}
	for i := range n.typ.Children {
		c.nodes = append(c.nodes, w.newChild(n, i))
	}
	return c
}

// newRoot returns the entry of the root struct, whose children are the writer's fields.
func (w *writer) newRoot(t *orcwire.Type) *node {
	n := &node{typ: t, d: w.d, stats: newCollector(t), variant: -1}
	n.out.Open(w.d.packing, nil)
	n.present.Open(&n.out)
	n.content = &structs{leaf: leaf{node: n}}
	return n
}

func (c *structs) write(arr arrow.Array) error {
	a, ok := arr.(*array.Struct)
	if !ok {
		return mismatch(c.node, arr)
	}
	for i, k := range c.nodes {
		if err := k.write(a.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func (c *structs) mark()                      { c.groups++ }
func (c *structs) finish()                    {}
func (c *structs) encoding() orcwire.Encoding { return c.node.d.direct(false) }
func (c *structs) reset()                     { c.clear() }
func (c *structs) children() []*node          { return c.nodes }

// childType returns the Arrow type of child i of a nested type; of a map the key's and the value's, also where the map is
// a list of structs.
func childType(n *node, i int) arrow.DataType {
	switch t := n.arrow.(type) {
	case *arrow.MapType:
		return [...]arrow.DataType{t.KeyType(), t.ItemType()}[i]
	case arrow.ListLikeType:
		if s, ok := t.Elem().(*arrow.StructType); ok && n.typ.Kind == orcwire.Map {
			return s.Field(i).Type
		}
		return t.Elem()
	case arrow.NestedType:
		return t.Fields()[i].Type
	}
	return n.arrow
}

// lists encodes lists and maps: how many elements each has, and the elements.
type lists struct {
	leaf
	nodes   []*node
	lengths orcwire.IntsOut[int32]
	stats   *collectionStats
	scratch []int32
	runs    [][2]int64
}

func (w *writer) newList(n *node) *lists {
	c := &lists{leaf: leaf{node: n}, stats: n.stats.(*collectionStats)}
	for i := range n.typ.Children {
		c.nodes = append(c.nodes, w.newChild(n, i))
	}
	c.open(orcwire.Length)
	c.begin()
	return c
}

func (c *lists) begin() { openInts(c.node.d, &c.lengths, &c.outs[0], false) }

func (c *lists) write(arr arrow.Array) error {
	n := arr.Len()
	c.scratch = grow(c.scratch, n)
	c.runs = c.runs[:0]
	a, ok := arr.(array.ListLike)
	if !ok {
		return mismatch(c.node, arr)
	}
	for i := range n {
		from, to := a.ValueOffsets(i)
		if to-from > math.MaxInt32 {
			return arrowdense.TooMuch()
		}
		c.scratch[i] = int32(to - from)
		c.runs = arrowdense.AppendRun(c.runs, from, to)
	}
	c.stats.add(c.scratch)
	if b := c.node.bloom; b != nil {
		addBloomInts(b, c.scratch)
	}
	c.lengths.Put(c.scratch)
	elems, err := arrowdense.Gather(a.ListValues(), c.runs, c.node.find.Mem)
	if err != nil {
		return err
	}
	defer elems.Release()
	if len(c.nodes) == 1 {
		return c.nodes[0].write(elems)
	}
	entries, ok := elems.(*array.Struct)
	if !ok {
		return mismatch(c.node, arr)
	}
	if entries.NullN() > 0 {
		return errs.Errorf(errs.ErrSchema, "an entry of a map is null, which ORC has no way to store")
	}
	for i, k := range c.nodes {
		if err := k.write(entries.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func (c *lists) mark()                      { c.flat, c.groups = c.lengths.Position(c.flat), c.groups+1 }
func (c *lists) finish()                    { c.lengths.Flush(); c.flush() }
func (c *lists) encoding() orcwire.Encoding { return c.node.d.direct(true) }
func (c *lists) reset()                     { c.clear(); c.begin() }
func (c *lists) children() []*node          { return c.nodes }

// unions encodes tags, and the values of each child without gaps.
type unions struct {
	leaf
	nodes  []*node
	tags   orcwire.BytesOut[uint8]
	places [][][2]int64
	bytes  []byte
}

func (w *writer) newUnion(n *node) *unions {
	c := &unions{leaf: leaf{node: n}}
	for i := range n.typ.Children {
		c.nodes = append(c.nodes, w.newChild(n, i))
	}
	c.places = make([][][2]int64, len(c.nodes))
	c.open(orcwire.Data)
	c.begin()
	return c
}

func (c *unions) begin() { c.tags.Open(&c.outs[0]) }

func (c *unions) write(arr arrow.Array) error {
	a, ok := arr.(array.Union)
	if !ok {
		return mismatch(c.node, arr)
	}
	c.bytes = grow(c.bytes, a.Len())
	for k := range c.places {
		c.places[k] = c.places[k][:0]
	}
	slots := arrowdense.SlotsOf(a)
	for i := range c.bytes {
		k, at := slots.At(i)
		c.bytes[i] = byte(k)
		c.places[k] = arrowdense.AppendRun(c.places[k], at, at+1)
	}
	c.tags.Put(c.bytes)
	for k, child := range c.nodes {
		values, err := arrowdense.Gather(a.Field(k), c.places[k], c.node.find.Mem)
		if err != nil {
			return err
		}
		err = child.write(values)
		values.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *unions) mark()                      { c.flat, c.groups = c.tags.Position(c.flat), c.groups+1 }
func (c *unions) finish()                    { c.tags.Flush(); c.flush() }
func (c *unions) encoding() orcwire.Encoding { return c.node.d.direct(false) }
func (c *unions) reset()                     { c.clear(); c.begin() }
func (c *unions) children() []*node          { return c.nodes }
