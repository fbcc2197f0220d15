package trevni

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// sink collects the values of one leaf into Arrow buffers.
type sink interface {
	// plain appends the next n stored values of c, which c.room has admitted.
	plain(c *column, n int) error
	// spread gives the last s.Count values s.N slots, those of s.Present; the others become zero or empty.
	spread(s arrowbuf.Slots)
	// trim keeps of the last n slots those that stay, and returns how many bytes of text it lets go of.
	trim(n int, kept *arrowbuf.Kept) int64
	// check tests what was appended since the last check and names the column's place when it is wrong.
	check(c *column) error
	// take hands over the buffers behind the validity bitmap.
	take() []*memory.Buffer
	release()
}

// newSink chooses by type how values of a stored type become the wanted Arrow type.
func newSink(n *trevniwire.Node, stored trevniwire.Type, mem *arrowbuf.Arena) sink {
	switch stored {
	case trevniwire.Boolean:
		return &boolSink{bits: arrowbuf.NewBits(mem)}
	case trevniwire.Int:
		if n.Enum != nil {
			return &enumSink{varintSink: varintSink[int32]{vec: arrowbuf.NewVec[int32](mem)}, symbols: n.Enum}
		}
		return &varintSink[int32]{vec: arrowbuf.NewVec[int32](mem)}
	case trevniwire.Long:
		return &varintSink[int64]{vec: arrowbuf.NewVec[int64](mem)}
	case trevniwire.Fixed32, trevniwire.Float:
		return &fixedSink[uint32]{vec: arrowbuf.NewVec[uint32](mem), width: 4}
	case trevniwire.Fixed64, trevniwire.Double:
		return &fixedSink[uint64]{vec: arrowbuf.NewVec[uint64](mem), width: 8}
	case trevniwire.String, trevniwire.Bytes:
		switch t := n.Field.Type.(type) {
		case *arrow.FixedSizeBinaryType:
			return &fixedBytesSink{vec: arrowbuf.NewVec[uint8](mem), width: t.ByteWidth}
		case *arrow.Decimal128Type:
			return newDecimalSink(int(t.Precision), mem)
		case *arrow.Decimal256Type:
			return newDecimalSink(int(t.Precision), mem)
		}
		return &bytesSink{offsets: arrowbuf.NewVec[int32](mem), data: arrowbuf.NewVec[uint8](mem), utf8: stored == trevniwire.String}
	}
	return nullSink{}
}

// spreadVec gives the last s.Count values of v the slots of s.
func spreadVec[T arrowbuf.Fixed](v *arrowbuf.Vec[T], s arrowbuf.Slots) {
	if s.Present == nil {
		return
	}
	v.Grow(s.N - s.Count)
	all := v.Values()
	region := all[len(all)-s.N:]
	copy(region[s.N-s.Count:], region[:s.Count])
	arrowbuf.Spread(region, s)
}

// nullSink takes values that have no bytes.
type nullSink struct{}

func (nullSink) plain(*column, int) error { return nil }
func (nullSink) spread(arrowbuf.Slots)    {}
func (nullSink) check(*column) error      { return nil }
func (nullSink) take() []*memory.Buffer   { return nil }
func (nullSink) release()                 {}

// fixedSink copies little-endian values of fixed width: they are Arrow's own bytes.
type fixedSink[T uint32 | uint64] struct {
	vec   arrowbuf.Vec[T]
	width int
}

func (k *fixedSink[T]) plain(c *column, n int) error {
	copy(arrowbuf.AsBytes(k.vec.Grow(n)), c.raw[c.p:c.p+n*k.width])
	c.p += n * k.width
	return nil
}

func (k *fixedSink[T]) spread(s arrowbuf.Slots) { spreadVec(&k.vec, s) }
func (k *fixedSink[T]) check(*column) error     { return nil }
func (k *fixedSink[T]) take() []*memory.Buffer  { return []*memory.Buffer{k.vec.Take()} }
func (k *fixedSink[T]) release()                { k.vec.Release() }

// varintSink decodes zig-zag varints.
type varintSink[T int32 | int64] struct{ vec arrowbuf.Vec[T] }

func (k *varintSink[T]) plain(c *column, n int) error {
	return c.passed(bitpack.DecodeZigzag(k.vec.Grow(n), c.raw[c.p:]))
}

func (k *varintSink[T]) spread(s arrowbuf.Slots) { spreadVec(&k.vec, s) }
func (k *varintSink[T]) check(*column) error     { return nil }
func (k *varintSink[T]) take() []*memory.Buffer  { return []*memory.Buffer{k.vec.Take()} }
func (k *varintSink[T]) release()                { k.vec.Release() }

// enumSink decodes the ordinals of an Avro enum: the indices of its dictionary.
type enumSink struct {
	varintSink[int32]
	symbols []string
	checked int
}

func (k *enumSink) check(c *column) error {
	v := k.vec.Values()
	var most uint32
	for _, x := range v[k.checked:] {
		most = max(most, uint32(x))
	}
	if len(v) > k.checked && int64(most) >= int64(len(k.symbols)) {
		return c.fail(errEnum(int32(most), len(k.symbols)))
	}
	k.checked = len(v)
	return nil
}

func (k *enumSink) spread(s arrowbuf.Slots) {
	k.varintSink.spread(s)
	k.checked = k.vec.Len()
}

func (k *enumSink) trim(n int, kept *arrowbuf.Kept) int64 {
	k.varintSink.trim(n, kept)
	k.checked = k.vec.Len()
	return 0
}

func (k *enumSink) take() []*memory.Buffer {
	k.checked = 0
	return k.varintSink.take()
}

// boolSink copies bits: the order is Arrow's, the first bit of a batch may be any bit of a byte.
type boolSink struct {
	bits  arrowbuf.Bits
	dense []byte // scratch
}

func (k *boolSink) plain(c *column, n int) error {
	k.bits.Append(c.raw, c.bits, n)
	c.bits += n
	return nil
}

func (k *boolSink) spread(s arrowbuf.Slots) {
	if s.Present == nil {
		return
	}
	b, end := k.bits.Grow(s.N - s.Count)
	k.dense = grow(k.dense, (s.Count+7)>>3)
	bitpack.CopyBits(k.dense, 0, b, end-s.Count, s.Count)
	bitpack.SpreadBits(b, end-s.Count, k.dense, 0, s.Present, 0, s.N)
}

func (k *boolSink) check(*column) error    { return nil }
func (k *boolSink) take() []*memory.Buffer { return []*memory.Buffer{k.bits.Take()} }
func (k *boolSink) release()               { k.bits.Release() }
