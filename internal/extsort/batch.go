package extsort

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// batch is rows that are held: columns as they are sorted, keys, and what rows take. A batch that was read back from a
// scratch file is a block, whose buffers are parts of one.
type batch struct {
	n       int
	cols    []arrow.Array
	keys    keys
	weights []uint32 // bytes that each row takes beyond what all rows do; nil = none
	weigh   *arrowbuf.Vec[uint32]
	bytes   int64 // that this takes
}

func (b *batch) release() {
	for _, c := range b.cols {
		c.Release()
	}
	b.keys.release()
	if b.weigh != nil {
		b.weigh.Release()
	}
	*b = batch{}
}

// weight returns what row i takes, its key included; all is what every row takes.
func (b *batch) weight(i int, all int64) int64 {
	if b.weights == nil {
		return all
	}
	return all + int64(b.weights[i])
}

// arrayBytes is about what an array takes beside its buffers.
const arrayBytes = 384

// overhead is what b takes beside the buffers of its columns.
func (b *batch) overhead() int64 {
	return b.keys.bytes() + 4*int64(len(b.weights)) + arrayBytes*int64(len(b.cols))
}

// gatherWeights returns the weights of rows, in v.
func gatherWeights(v *arrowbuf.Vec[uint32], batches []*batch, refs []uint64) []uint32 {
	weights := v.Grow(len(refs))
	for i, r := range refs {
		weights[i] = batches[refBatch(r)].weights[refRow(r)]
	}
	return weights
}

// pinned is the memory that arrays keep alive, each piece once: slices and columns may share it. It has, by the last byte
// of a piece, how much of it is counted.
type pinned map[*byte]int

// count adds to more what columns hold and p has not, and returns how many bytes that is.
func (p pinned) count(more pinned, cols []arrow.Array) int64 {
	for _, c := range cols {
		more.data(c.Data())
	}
	return more.bytes(p)
}

// add counts what columns hold and returns how many bytes that is.
func (p pinned) add(cols []arrow.Array) int64 {
	for _, c := range cols {
		p.data(c.Data())
	}
	return p.bytes(nil)
}

// bytes returns how much p has that had has not.
func (p pinned) bytes(had pinned) int64 {
	n := int64(0)
	for last, size := range p {
		n += int64(max(0, size-had[last]))
	}
	return n
}

func (p pinned) data(d arrow.ArrayData) {
	for _, b := range d.Buffers() {
		if b != nil {
			p.buffer(b)
		}
	}
	for _, c := range d.Children() {
		p.data(c)
	}
}

func (p pinned) buffer(b *memory.Buffer) {
	for b.Parent() != nil {
		b = b.Parent()
	}
	if mem := b.Buf(); cap(mem) > 0 {
		mem = mem[:cap(mem)]
		last := &mem[len(mem)-1]
		p[last] = max(p[last], len(mem))
	}
}
