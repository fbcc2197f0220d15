package trevni

import "github.com/arrowio/arrowio/internal/bitpack"

// values are the values of one leaf in one batch, without gaps. One call encodes a run of them.
type values interface {
	// bound returns no less than the bytes that values from to to take.
	bound(from, to int) int
	// put appends values from to to to the block of c, which has room for bound of them and for wide stores.
	put(c *column, from, to int)
	// entries appends entries from to to of an array column, the open run of lengths first.
	entries(c *column, offs []int32, from, to int)
	// ascending reports whether the values are of a type that has an order and do not descend.
	ascending() bool
	// key returns value i for comparing with one of another batch; only where ascending is true.
	key(i int) sortKey
	// first returns value i as a descriptor stores it.
	first(i int) []byte
	// bounds takes values from to to, of which there are some, into the bounds of a block.
	bounds(b *bounds, from, to int, ascending bool)
}

// fixedValues are little-endian values of fixed width: Arrow's own bytes.
type fixedValues struct {
	b     []byte
	width int
}

func (v fixedValues) bound(from, to int) int { return (to - from) * v.width }

func (v fixedValues) put(c *column, from, to int) {
	c.buf = append(c.buf, v.b[from*v.width:to*v.width]...)
}

func (v fixedValues) bounds(*bounds, int, int, bool) {}

func (v fixedValues) ascending() bool    { return false }
func (v fixedValues) key(int) sortKey    { return sortKey{} }
func (v fixedValues) first(i int) []byte { return v.b[i*v.width : (i+1)*v.width] }

// fixedInts are fixedValues that are integers, floatValues such that are floats: their order is known.
type fixedInts[T int32 | int64] struct {
	fixedValues
	v []T
}

func (v fixedInts[T]) bounds(b *bounds, from, to int, ascending bool) {
	addInts(b, v.v[from:to], ascending)
}

func (v fixedInts[T]) ascending() bool   { return ascends(v.v) }
func (v fixedInts[T]) key(i int) sortKey { return sortKey{i: int64(v.v[i])} }

type floatValues[T float32 | float64] struct {
	fixedValues
	v []T
}

func (v floatValues[T]) bounds(b *bounds, from, to int, ascending bool) {
	addFloats(b, v.v[from:to], ascending)
}

func (v floatValues[T]) ascending() bool   { return ascends(v.v) }
func (v floatValues[T]) key(i int) sortKey { return sortKey{f: float64(v.v[i])} }

// ascends is false for a NaN anywhere, which no order holds.
func ascends[T int32 | int64 | float32 | float64](v []T) bool {
	for i := 1; i < len(v); i++ {
		if !(v[i-1] <= v[i]) {
			return false
		}
	}
	return len(v) == 0 || v[0] == v[0]
}

// varintValues are int and long.
type varintValues[T int32 | int64] struct{ v []T }

func (v varintValues[T]) width() int {
	var z T
	if _, ok := any(z).(int32); ok {
		return bitpack.MaxVarint32
	}
	return bitpack.MaxVarint64
}

func (v varintValues[T]) bound(from, to int) int { return (to - from) * v.width() }

func (v varintValues[T]) put(c *column, from, to int) {
	n := len(c.buf)
	_, size := bitpack.PutZigzag(c.buf[n:n+v.bound(from, to)+bitpack.VarintRoom], v.v[from:to])
	c.buf = c.buf[:n+size]
}

func (v varintValues[T]) bounds(b *bounds, from, to int, ascending bool) {
	addInts(b, v.v[from:to], ascending)
}

func (v varintValues[T]) ascending() bool    { return ascends(v.v) }
func (v varintValues[T]) key(i int) sortKey  { return sortKey{i: int64(v.v[i])} }
func (v varintValues[T]) first(i int) []byte { return bitpack.AppendZigzag(nil, v.v[i]) }

// bytesValues are string and bytes, offsets into data.
type bytesValues struct {
	offsets []int32
	data    []byte
}

func (v bytesValues) bound(from, to int) int {
	return int(v.offsets[to]-v.offsets[from]) + (to-from)*bitpack.MaxVarint32
}

func (v bytesValues) put(c *column, from, to int) {
	n := len(c.buf)
	_, size := bitpack.PutPrefixed(c.buf[n:n+v.bound(from, to)+bitpack.VarintRoom], v.offsets[from:to+1], v.data)
	c.buf = c.buf[:n+size]
}

func (v bytesValues) bounds(b *bounds, from, to int, ascending bool) {
	if ascending {
		b.addText(v.at(from))
		b.addText(v.at(to - 1))
		return
	}
	b.addTexts(v, from, to)
}

func (v bytesValues) ascending() bool {
	for i := 2; i < len(v.offsets); i++ {
		if string(v.at(i-2)) > string(v.at(i-1)) {
			return false
		}
	}
	return true
}

func (v bytesValues) key(i int) sortKey { return sortKey{s: string(v.at(i))} }

func (v bytesValues) at(i int) []byte { return v.data[v.offsets[i]:v.offsets[i+1]] }

func (v bytesValues) first(i int) []byte {
	s := v.at(i)
	return append(bitpack.AppendZigzag(nil, int32(len(s))), s...)
}

// cellValues are values of one size that is written in front of each: Avro's fixed, as bytes.
type cellValues struct {
	b    []byte
	size int
}

func (v cellValues) bound(from, to int) int { return (to - from) * (v.size + bitpack.MaxVarint32) }

func (v cellValues) put(c *column, from, to int) {
	b := c.buf
	for i := from; i < to; i++ {
		b = bitpack.AppendZigzag(b, int32(v.size))
		b = append(b, v.b[i*v.size:(i+1)*v.size]...)
	}
	c.buf = b
}

func (v cellValues) bounds(*bounds, int, int, bool) {}

func (v cellValues) ascending() bool { return false }
func (v cellValues) key(int) sortKey { return sortKey{} }

func (v cellValues) first(i int) []byte {
	return append(bitpack.AppendZigzag(nil, int32(v.size)), v.b[i*v.size:(i+1)*v.size]...)
}

// boolValues are bits: in a column that is no array they run on from value to value, in an array each entry begins on
// a byte of its own.
type boolValues struct {
	bits []byte
	off  int
}

func (v boolValues) bound(from, to int) int { return (to-from+7)>>3 + 1 }

func (v boolValues) put(c *column, from, to int) {
	n := to - from
	if n == 0 {
		return
	}
	at := len(c.buf)*8 - c.spare
	size := (at + n + 7) >> 3
	old := len(c.buf)
	c.buf = c.buf[:size]
	clear(c.buf[old:])
	bitpack.CopyBits(c.buf, at, v.bits, v.off+from, n)
	c.spare = size*8 - at - n
}

func (v boolValues) bounds(*bounds, int, int, bool) {}

func (v boolValues) ascending() bool  { return false }
func (v boolValues) key(int) sortKey  { return sortKey{} }
func (v boolValues) first(int) []byte { return nil }

// nullValues take no bytes.
type nullValues struct{}

func (nullValues) bound(int, int) int             { return 0 }
func (nullValues) put(*column, int, int)          {}
func (nullValues) bounds(*bounds, int, int, bool) {}
func (nullValues) ascending() bool                { return false }
func (nullValues) key(int) sortKey                { return sortKey{} }
func (nullValues) first(int) []byte               { return nil }
