package orc

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// content is what a node holds apart from its validity: values, or lengths and children.
type content interface {
	// write encodes values, none of which is null.
	write(arr arrow.Array) error
	// mark ends open runs and remembers where the next row group begins.
	mark()
	// finish ends the streams of the stripe.
	finish()
	// marks returns the positions of the row groups, all of the same length one behind the other, and that length, when
	// all chunks are compressed.
	marks() (positions []uint64, each int)
	// streams returns what finish has ended, in the order of the format; streams without a byte are left out later.
	streams() []stream
	encoding() orcwire.Encoding
	// size returns about how many raw bytes the stripe has of it so far, children left out.
	size() int64
	// packed is size as it will be stored.
	packed() int64
	// reset begins the next stripe.
	reset()
	children() []*node
}

// stream is a finished stream of a column.
type stream struct {
	kind orcwire.StreamKind
	out  *orcwire.Out
}

// node encodes one type.
type node struct {
	typ     *orcwire.Type
	arrow   arrow.DataType // of the values: without extensions, dictionaries and run ends
	d       *driver
	promise *promise // to Iceberg
	find    arrowdense.Finder
	content content
	stats   collector
	bloom   *bloom  // nil = none
	below   []*node // children, and secret

	variant int   // of encryption; -1 = in clear
	secret  *node // what is true of what this node has masked; nil = it is not encrypted, or further up
	hidden  bool  // it is null in clear
	mask    mask  // of its values; nil = none

	out     orcwire.Out // PRESENT
	present orcwire.BoolsOut
	nulls   bool     // there was one in the stripe
	where   []uint64 // positions of PRESENT by row group
	entries []orcwire.RowIndexEntry
	blooms  []orcwire.BloomFilter
	groups  int
	done    complete
}

// newNode returns what encodes a type, for an encryption variant or, -1, in clear; dt is what Arrow has for it.
func (w *writer) newNode(t *orcwire.Type, dt arrow.DataType, variant int) *node {
	n := &node{typ: t, arrow: arrowtype.Value(dt), d: w.d, stats: newCollector(t), variant: variant}
	n.promise = w.d.promise(t, n.arrow)
	n.find = arrowdense.Finder{Mem: w.mem, Unions: t.Kind == orcwire.Union, Dictionaries: true}
	n.out.Open(w.d.packing, nil)
	n.present.Open(&n.out)
	if w.d.bloom[t.ID] {
		n.bloom = newBloom(int(w.d.opt.Stride), w.d.opt.BloomFPP)
	}
	n.content = w.newContent(n)
	n.below = n.content.children()
	w.protect(n)
	return n
}

// newChild returns what encodes child i of a node.
func (w *writer) newChild(n *node, i int) *node {
	return w.newNode(n.typ.Children[i], childType(n, i), n.variant)
}

// use sets the compressor that the node and all below it use until the next call.
func (n *node) use(sc *orcwire.OutScratch) {
	n.out.Use(sc)
	for _, s := range n.content.streams() {
		s.out.Use(sc)
	}
	for _, k := range n.below {
		k.use(sc)
	}
}

// write encodes slots, all of which the parent has.
func (n *node) write(arr arrow.Array) error {
	if n.secret != nil {
		if err := n.secret.write(arr); err != nil {
			return err
		}
	}
	if n.hidden {
		n.writeHidden(arr.Len())
		return nil
	}
	v, err := n.find.Values(arr)
	if err != nil {
		return n.located(err)
	}
	defer v.Array.Release()
	values := v.Array.Len()
	if err := n.promise.check(v.Array, v.N); err != nil {
		return n.located(err)
	}
	if v.Valid == nil {
		n.present.PutAll(v.N, true)
	} else {
		n.present.Put(v.Valid, v.Off, v.N)
		n.nulls = true
	}
	n.stats.count(values, values < v.N)
	if n.mask != nil && values > 0 {
		masked, err := n.mask(n, v.Array)
		if err != nil {
			return n.located(err)
		}
		defer masked.Release()
		return n.located(n.content.write(masked))
	}
	return n.located(n.content.write(v.Array))
}

func (n *node) located(err error) error {
	return errs.Locate(err, errs.At{Format: Name, Column: n.typ.Path()})
}

// mark begins a row group of the node and all below it.
func (n *node) mark() {
	if n.d.opt.Stride == 0 {
		return
	}
	n.where = n.present.Position(n.where)
	n.content.mark()
	for _, k := range n.below {
		k.mark()
	}
}

// endGroup ends a row group: its statistics and its bloom filter.
func (n *node) endGroup() {
	e := orcwire.RowIndexEntry{Stats: orcwire.AppendColumnStats(nil, n.stats.endGroup())}
	if n.d.opt.Stride > 0 {
		n.entries = append(n.entries, e)
		if n.bloom != nil {
			n.blooms = append(n.blooms, n.bloom.take())
		}
	}
	n.groups++
	for _, k := range n.below {
		k.endGroup()
	}
}

// finish ends the streams of the stripe, here and below.
func (n *node) finish() {
	n.present.Flush()
	n.out.Flush()
	n.content.finish()
	for _, k := range n.below {
		k.finish()
	}
}

// complete is what a column has when its stripe is done, as it is stored.
type complete struct {
	index, data []storedStream
	encoding    orcwire.Encoding
	stats       *orcwire.ColumnStats
}

type storedStream struct {
	kind  orcwire.StreamKind
	parts [][]byte
	size  int64
}

// complete makes what the stripe has of the node and all below it, when all chunks are compressed: stripe is its number
// if columns are encrypted.
func (n *node) complete(sc *orcwire.OutScratch, x *secrets, stripe int64) error {
	n.done = complete{}
	put := func(to *[]storedStream, kind orcwire.StreamKind, parts ...[]byte) error {
		s := storedStream{kind: kind, parts: parts}
		for _, b := range parts {
			s.size += int64(len(b))
		}
		*to = append(*to, s)
		return x.seal(n.variant, n.typ.ID, kind, stripe, parts...)
	}
	if err := n.index(sc, put); err != nil {
		return err
	}
	streams := n.content.streams()
	if n.nulls {
		streams = append([]stream{{orcwire.Present, &n.out}}, streams...)
	}
	stored := int64(0)
	for _, s := range streams {
		if err := s.out.Err(); err != nil {
			return err
		}
		stored += s.out.Size()
		if err := put(&n.done.data, s.kind, s.out.Take()...); err != nil {
			return err
		}
	}
	n.done.encoding = n.content.encoding()
	if n.bloom != nil {
		n.done.encoding.Bloom = bloomUTF8
	}
	n.done.stats = n.stats.endStripe(stored)
	for _, k := range n.below {
		if err := k.complete(sc, x, stripe); err != nil {
			return err
		}
	}
	return nil
}

// bloomUTF8 marks bloom filters whose times are in UTC.
const bloomUTF8 = 1

// index makes the row index, whose entries get to know where their row groups begin, and that of bloom filters.
func (n *node) index(sc *orcwire.OutScratch, put func(to *[]storedStream, kind orcwire.StreamKind, parts ...[]byte) error) error {
	if n.d.opt.Stride == 0 {
		return nil
	}
	flat, each := n.content.marks()
	per := len(n.where) / max(1, len(n.entries))
	for i := range n.entries {
		var p []uint64
		if n.nulls {
			p = append(p, n.where[i*per:(i+1)*per]...)
			orcwire.Settle(p, &n.out)
		}
		n.entries[i].Positions = append(p, flat[i*each:(i+1)*each]...)
	}
	b, err := sc.AppendChunks(nil, orcwire.AppendRowIndex(nil, n.entries), n.d.packing)
	if err == nil {
		err = put(&n.done.index, orcwire.RowIndex, b)
	}
	if err != nil || n.bloom == nil {
		return err
	}
	if b, err = sc.AppendChunks(nil, orcwire.AppendBloomIndex(nil, n.blooms), n.d.packing); err != nil {
		return err
	}
	return put(&n.done.index, orcwire.BloomFilterUTF8, b)
}

// reset begins the next stripe.
func (n *node) reset() {
	n.out.Open(n.d.packing, nil)
	n.present.Open(&n.out)
	n.nulls, n.where, n.entries, n.blooms, n.groups, n.done = false, n.where[:0], n.entries[:0], n.blooms[:0], 0, complete{}
	n.content.reset()
	for _, k := range n.below {
		k.reset()
	}
}

// size returns about how many raw bytes the stripe has of the node and all below it.
func (n *node) size() int64 {
	s := n.out.Raw() + n.content.size()
	for _, k := range n.below {
		s += k.size()
	}
	return s
}

// packed returns about how many bytes the stripe would take of the node and all below it if it ended now.
func (n *node) packed() int64 {
	s := n.out.Size() + n.content.packed()
	for _, k := range n.content.children() {
		s += k.packed()
	}
	return s
}

// markSelf, endSelf are mark and endGroup of the root struct, whose children are on their own.
func (n *node) markSelf() {
	if n.d.opt.Stride > 0 {
		n.where = n.present.Position(n.where)
		n.content.mark()
	}
}

func (n *node) endSelf() { n.endGroup() }

// each calls f for the node and all below it, in the order of type ids.
func (n *node) each(f func(*node)) {
	f(n)
	for _, k := range n.content.children() {
		k.each(f)
	}
}
