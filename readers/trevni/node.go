package trevni

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// node builds one Arrow field of a batch. It mirrors a trevniwire.Node, with the columns of this split.
type node struct {
	kind     trevniwire.NodeKind
	field    arrow.Field
	enum     arrow.Array // dictionary of an enum
	opt      *column     // lengths 0 and 1: which slots are there
	rep      *column     // lengths of lists and maps
	col      *column     // leaf: its values; nil when they stand among the lengths of opt or of the rep above
	own      *column     // leaf: that column of lengths, for naming places
	leaf     sink
	children []*node
	width    int64 // bytes that a slot takes at least, here
	batch    *budget

	n        int
	validity arrowbuf.Bits       // nullable fields
	offsets  arrowbuf.Vec[int32] // lists and maps: one more than slots, once there is a slot
	types    arrowbuf.Vec[int8]  // unions
	places   arrowbuf.Vec[int32] // unions: offsets into the children
	lens     []int32             // scratch
	dense    []byte              // scratch bitmaps
	sparse   []byte
	branch   [][]int32 // scratch: lengths of each branch of a union
	counts   []int
}

// read appends s.N slots, of which s.Count are stored in the columns at their present places.
func (n *node) read(s arrowbuf.Slots) error {
	if n.opt != nil {
		var err error
		if s, err = n.presence(s); err != nil {
			return err
		}
	}
	return n.fill(s)
}

// fill does what read does behind the presence lengths.
func (n *node) fill(s arrowbuf.Slots) error {
	if n.field.Nullable && n.kind != trevniwire.Union {
		if s.Present == nil {
			n.validity.Fill(s.N, true)
		} else {
			n.validity.Append(s.Present, 0, s.N)
		}
	}
	n.n += s.N
	more := int64(s.N) * n.width
	if n.kind == trevniwire.Leaf {
		more = int64(s.N-s.Count) * n.width // the others were counted as values
	}
	if err := n.batch.take(more); err != nil {
		return errs.Locate(err, errs.At{Column: n.field.Name})
	}
	switch n.kind {
	case trevniwire.Leaf:
		c := n.own
		if n.col != nil {
			c = n.col
			if err := c.values(s.Count, n.leaf); err != nil {
				return err
			}
		}
		if c != nil {
			if err := n.leaf.check(c); err != nil {
				return err
			}
		}
		n.leaf.spread(s)
		return nil
	case trevniwire.Struct:
		for _, k := range n.children {
			if err := k.read(s); err != nil {
				return err
			}
		}
		return nil
	case trevniwire.Union:
		return n.readUnion(s)
	}
	return n.readList(s)
}

// ownSink returns the sink that takes the values standing among n's lengths.
func (n *node) ownSink() sink {
	if n.kind == trevniwire.Leaf && n.col == nil && n.own != nil {
		return n.leaf
	}
	return nil
}

// presence reads which of the stored slots hold a value.
func (n *node) presence(s arrowbuf.Slots) (arrowbuf.Slots, error) {
	n.lens = grow(n.lens, s.Count)
	total, err := n.opt.entries(n.lens, n.ownSink())
	if err != nil {
		return s, err
	}
	n.dense = grow(n.dense, (s.Count+7)>>3)
	if !packFlags(n.dense, n.lens) {
		return s, n.opt.fail(errs.Errorf(errs.ErrCorrupt, "an optional value stands more than once"))
	}
	if s.Present == nil {
		return arrowbuf.Slots{N: s.N, Count: total, Present: n.dense}, nil
	}
	n.sparse = grow(n.sparse, (s.N+7)>>3)
	bitpack.SpreadBits(n.sparse, 0, n.dense, 0, s.Present, 0, s.N)
	return arrowbuf.Slots{N: s.N, Count: total, Present: n.sparse}, nil
}

// readList reads lengths and then as many elements.
func (n *node) readList(s arrowbuf.Slots) error {
	n.lens = grow(n.lens, s.Count)
	var own sink
	if n.kind == trevniwire.List && len(n.children) == 1 {
		own = n.children[0].elementSink(n.rep)
	}
	total, err := n.rep.entries(n.lens, own)
	if err != nil {
		return err
	}
	if n.offsets.Len() == 0 {
		n.offsets.Grow(1)[0] = 0
	}
	at := n.offsets.Values()[n.offsets.Len()-1]
	if int64(at)+int64(total) > math.MaxInt32 {
		return n.rep.fail(errs.Errorf(errs.ErrLimit, "a batch holds over 2^31 elements: take fewer rows in a batch"))
	}
	off := n.offsets.Grow(s.N)
	if s.Present == nil {
		copy(off, n.lens[:s.Count])
	} else {
		copy(off[s.N-s.Count:], n.lens[:s.Count])
		bitpack.Spread(off, s.Present, 0)
	}
	for i, l := range off {
		at += l
		off[i] = at
	}
	all := arrowbuf.AllSlots(total)
	if n.kind == trevniwire.Map {
		for _, k := range n.children {
			if err := k.read(all); err != nil {
				return err
			}
		}
		return nil
	}
	return n.children[0].read(all)
}

// elementSink finds the sink of the values that stand among the lengths of rep: the element itself or, in the columns
// view, a child of the element struct. nil: there are none, or they are not wanted.
func (n *node) elementSink(rep *column) sink {
	if n.kind == trevniwire.Leaf && n.own == rep && n.opt == nil {
		return n.leaf
	}
	if n.kind == trevniwire.Struct && n.opt == nil {
		for _, k := range n.children {
			if k.kind == trevniwire.Leaf && k.own == rep && k.opt == nil {
				return k.leaf
			}
		}
	}
	return nil
}

// readUnion reads the lengths of every branch: exactly one of them is 1, or none where the union has a null branch.
func (n *node) readUnion(s arrowbuf.Slots) error {
	for len(n.branch) < len(n.children) {
		n.branch = append(n.branch, nil)
	}
	n.counts = grow(n.counts, len(n.children))
	clear(n.counts)
	null := -1
	n.lens = grow(n.lens, s.Count)
	chosen := n.lens[:s.Count] // branch + 1
	clear(chosen)
	for i, k := range n.children {
		if k.opt == nil {
			null = i
			continue
		}
		lens := grow(n.branch[i], s.Count)
		n.branch[i] = lens
		total, err := k.opt.entries(lens, k.ownSink())
		if err != nil {
			return err
		}
		n.counts[i] = total
		for j, l := range lens {
			if l == 0 {
				continue
			}
			if l != 1 || chosen[j] != 0 {
				return k.opt.fail(errs.Errorf(errs.ErrCorrupt, "a union has more than one value"))
			}
			chosen[j] = int32(i) + 1
		}
	}
	return n.placeUnion(s, chosen, null)
}

// placeUnion appends type ids and offsets for s.N slots. A slot that is not stored, because a record around it is null,
// becomes a null of the null branch, or else of the first.
func (n *node) placeUnion(s arrowbuf.Slots, chosen []int32, null int) error {
	types, places := n.types.Grow(s.N), n.places.Grow(s.N)
	base := make([]int32, len(n.children))
	for i, k := range n.children {
		base[i] = int32(k.n)
	}
	var spare []bool // slots of branch 0 that hold nothing, when a null has nowhere else to go
	j := 0
	for i := range s.N {
		b := 0
		stored := s.Present == nil || s.Present[i>>3]>>(i&7)&1 == 1
		if stored {
			b = int(chosen[j]) - 1
			j++
			if b < 0 {
				if null < 0 {
					return n.children[0].opt.fail(errs.Errorf(errs.ErrCorrupt, "a union without a null branch has no value"))
				}
				b = null
			}
		} else if null >= 0 {
			b = null
		}
		if b == null {
			n.counts[b]++
		} else if b == 0 && null < 0 && s.Present != nil {
			spare = append(spare, stored)
		}
		types[i], places[i] = int8(b), base[b]
		base[b]++
	}
	for i, k := range n.children {
		one := arrowbuf.AllSlots(n.counts[i])
		if i == 0 && null < 0 && s.Present != nil {
			one = arrowbuf.Slots{N: len(spare), Count: n.counts[0], Present: packBools(spare)}
		}
		if err := k.fill(one); err != nil {
			return err
		}
	}
	return nil
}

func packBools(b []bool) []byte {
	out := make([]byte, (len(b)+7)>>3)
	for i, v := range b {
		if v {
			out[i>>3] |= 1 << (i & 7)
		}
	}
	return out
}

// take makes the array of everything read since the last take. The caller releases it.
func (n *node) take() arrow.ArrayData {
	buffers := []*memory.Buffer{nil}
	nulls := 0
	if n.field.Nullable && n.field.Type.ID() != arrow.NULL && n.kind != trevniwire.Union {
		nulls = n.n - bitpack.CountBits(n.validity.Bytes(), 0, n.n)
		if b := n.validity.Take(); nulls > 0 {
			buffers[0] = b
		} else if b != nil {
			b.Release()
		}
	} else {
		n.validity.Release()
	}
	var children []arrow.ArrayData
	switch n.kind {
	case trevniwire.Leaf:
		if n.field.Type.ID() == arrow.NULL {
			nulls = n.n
		}
		buffers = append(buffers, n.leaf.take()...)
	case trevniwire.Struct:
		children = n.takeChildren()
	case trevniwire.List:
		buffers = append(buffers, n.takeOffsets())
		children = n.takeChildren()
	case trevniwire.Map:
		buffers = append(buffers, n.takeOffsets())
		entries := n.takeChildren()
		children = []arrow.ArrayData{array.NewData(n.field.Type.(*arrow.MapType).Elem(), entries[0].Len(), []*memory.Buffer{nil}, entries, 0, 0)}
		releaseData(entries)
	case trevniwire.Union:
		buffers = append(buffers, n.types.Take(), n.places.Take())
		children = n.takeChildren()
	}
	var d arrow.ArrayData
	if n.enum != nil {
		d = array.NewDataWithDictionary(n.field.Type, n.n, buffers, nulls, 0, n.enum.Data().(*array.Data))
	} else {
		d = array.NewData(n.field.Type, n.n, buffers, children, nulls, 0)
	}
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
	releaseData(children)
	n.n = 0
	for _, c := range []*column{n.opt, n.rep, n.col} {
		if c != nil {
			c.free = 0
		}
	}
	return d
}

func (n *node) takeOffsets() *memory.Buffer {
	if n.offsets.Len() == 0 {
		n.offsets.Grow(1)[0] = 0
	}
	return n.offsets.Take()
}

func (n *node) takeChildren() []arrow.ArrayData {
	children := make([]arrow.ArrayData, len(n.children))
	for i, k := range n.children {
		children[i] = k.take()
	}
	return children
}

func releaseData(ds []arrow.ArrayData) {
	for _, d := range ds {
		d.Release()
	}
}

// release frees a half-built batch.
func (n *node) release() {
	n.validity.Release()
	n.offsets.Release()
	n.types.Release()
	n.places.Release()
	if n.leaf != nil {
		n.leaf.release()
	}
	for _, k := range n.children {
		k.release()
	}
}

// grow returns a slice of length n, s's memory if it is large enough; the content is arbitrary.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// skip passes over count stored slots in the columns that are live: the others will be entered at the start of a block
// behind these rows, and so will all columns below them.
func (n *node) skip(count int64) (err error) {
	for _, c := range []*column{n.opt, n.rep} {
		if c == nil {
			continue
		}
		if !c.live {
			return nil
		}
		if count, err = c.passEntries(count); err != nil {
			return err
		}
	}
	if n.col != nil && n.col.live {
		return n.col.skip(count)
	}
	for _, k := range n.children {
		if err := k.skip(count); err != nil {
			return err
		}
	}
	return nil
}

// packFlags turns lengths of 0 and 1 into a bitmap; false if one is neither.
func packFlags(dst []byte, lens []int32) bool {
	var any int32
	i := 0
	for ; i+8 <= len(lens); i += 8 {
		l := (*[8]int32)(lens[i:])
		any |= l[0] | l[1] | l[2] | l[3] | l[4] | l[5] | l[6] | l[7]
		dst[i>>3] = byte(l[0] | l[1]<<1 | l[2]<<2 | l[3]<<3 | l[4]<<4 | l[5]<<5 | l[6]<<6 | l[7]<<7)
	}
	if i < len(lens) {
		var b byte
		for j, l := range lens[i:] {
			any |= l
			b |= byte(l) << j
		}
		dst[i>>3] = b
	}
	return any&^1 == 0
}
