package avro

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// op says how a value is decoded.
type op uint8

const (
	opNull op = iota
	opBool
	opInt
	opLong
	opFloat  // 4 bytes as they are
	opDouble // 8 bytes as they are
	opEnum
	opString // text or bytes
	opFixed
	opDecimal128
	opDecimal256
	opRecord
	opList // and maps: the child of a map is its entries
	opUnion
)

// node builds one Arrow field of a batch. Slots are written by index into buffers that reserve has made large enough:
//
//	|---- n slots so far ----|---- room ----|
//	0                        n              cap
type node struct {
	op       op
	field    arrow.Field
	path     string
	enum     arrow.Array // dictionary
	symbols  int32
	size     int                     // of a fixed
	sized    bool                    // a decimal is a fixed of size bytes, not bytes with a length
	bound    trevniwire.DecimalBound // of a decimal
	column   int                     // of a decimal in the tree of the file
	text     bool                    // a string has to be UTF-8
	width    int64                   // bytes that a slot takes here
	optional bool                    // a union of null and this type stands in front
	null     int                     // the branch of that union that is null; of a union the one of its own, -1 = none
	least    int64                   // bytes in the file that an item of a list takes at least
	steps    []step                  // of a record, in the order of the file
	branches []*node                 // of a union
	children []*node                 // in the order of Arrow

	n, cap   int
	nulls    int
	valid    arrowbuf.Vec[uint8] // a bit a slot; only if the field is nullable
	bytes    arrowbuf.Vec[uint8] // booleans, a bit a slot; fixed; the bytes of strings; type ids of a union
	fours    arrowbuf.Vec[int32] // ints; offsets of strings and lists, one more than slots; of a union the places
	eights   arrowbuf.Vec[int64]
	d128     arrowbuf.Vec[[16]byte]
	d256     arrowbuf.Vec[[32]byte]
	validity []byte // the buffers of these, as far as there is room
	u8       []byte
	i32      []int32
	i64      []int64
	used     int // of a string: bytes so far
	checked  int // strings whose text was checked
}

// step is a part of a record: a field that is kept, or what is passed over.
type step struct {
	node *node
	skip []skipper
}

// nullable reports whether slots can be null.
func (n *node) nullable() bool {
	return (n.field.Nullable || n.optional) && n.op != opNull && n.op != opUnion
}

// reserve makes room for k more slots. It returns false if that is more than the batch may take: d.err then says so.
func (d *decoder) reserve(n *node, k int) bool {
	if n.op == opRecord {
		for _, c := range n.children {
			if !d.reserve(c, k) {
				return false
			}
		}
	}
	if d.left -= int64(k) * n.width; d.left < 0 || n.n > math.MaxInt32-1-k {
		d.fail(n, errBatch(d.limits.BatchBytes))
		return false
	}
	if k > n.cap-n.n {
		n.grow(k)
	}
	return true
}

// grow makes room for at least k more slots.
func (n *node) grow(k int) {
	n.cap = math.MaxInt
	if n.nullable() {
		had := len(n.validity)
		extend(&n.valid, (n.n+7)>>3)
		n.valid.Tail((n.n+k+7)>>3 - n.valid.Len())
		n.validity = n.valid.Room()
		for i := had; i < len(n.validity); i++ {
			n.validity[i] = 0xff
		}
		n.cap = 8 * len(n.validity)
	}
	switch n.op {
	case opBool:
		extend(&n.bytes, (n.n+7)>>3)
		n.bytes.Tail((n.n+k+7)>>3 - n.bytes.Len())
		n.u8 = n.bytes.Room()
		n.cap = min(n.cap, 8*len(n.u8))
	case opFixed:
		extend(&n.bytes, n.n*n.size)
		n.bytes.Tail(k * n.size)
		n.u8 = n.bytes.Room()
		if n.size > 0 {
			n.cap = min(n.cap, len(n.u8)/n.size)
		}
	case opUnion:
		extend(&n.bytes, n.n)
		n.bytes.Tail(k)
		n.u8 = n.bytes.Room()
		n.cap = min(n.cap, len(n.u8))
		fallthrough
	case opInt, opEnum, opFloat:
		extend(&n.fours, n.n)
		n.fours.Tail(k)
		n.i32 = n.fours.Room()
		n.cap = min(n.cap, len(n.i32))
	case opString, opList:
		extend(&n.fours, n.n+1)
		n.fours.Tail(k)
		n.i32 = n.fours.Room()
		n.cap = min(n.cap, len(n.i32)-1)
		if n.n == 0 {
			n.i32[0] = 0
		}
	case opLong, opDouble:
		extend(&n.eights, n.n)
		n.eights.Tail(k)
		n.i64 = n.eights.Room()
		n.cap = min(n.cap, len(n.i64))
	case opDecimal128:
		extend(&n.d128, n.n)
		n.d128.Tail(k)
		n.cap = min(n.cap, len(n.d128.Room()))
	case opDecimal256:
		extend(&n.d256, n.n)
		n.d256.Tail(k)
		n.cap = min(n.cap, len(n.d256.Room()))
	}
}

// extend says how many values of v there are by now.
func extend[T arrowbuf.Fixed](v *arrowbuf.Vec[T], n int) {
	if n > len(v.Room()) { // only offsets before the first
		v.Grow(n - v.Len())
	}
	v.Extend(n - v.Len())
}

// room makes the bytes of a string longer by k. It returns false if that is more than the batch may take.
func (d *decoder) room(n *node, k int) bool {
	if d.left -= int64(k); d.left < 0 || n.used > math.MaxInt32-k {
		d.fail(n, errBatch(d.limits.BatchBytes))
		return false
	}
	n.bytes.Extend(n.used - n.bytes.Len())
	n.bytes.Tail(max(k, 1<<10))
	n.u8 = n.bytes.Room()
	return true
}

// setNull appends a null, to which reserve has made room.
func (n *node) setNull() {
	if n.nullable() {
		n.validity[n.n>>3] &^= 1 << (n.n & 7)
		n.nulls++
	}
	switch n.op {
	case opBool:
		n.setBit(false)
	case opInt, opEnum, opFloat:
		n.i32[n.n] = 0
	case opLong, opDouble:
		n.i64[n.n] = 0
	case opFixed:
		clear(n.u8[n.n*n.size:][:n.size])
	case opDecimal128:
		n.d128.Room()[n.n] = [16]byte{}
	case opDecimal256:
		n.d256.Room()[n.n] = [32]byte{}
	case opString, opList:
		n.i32[n.n+1] = n.i32[n.n]
	case opRecord:
		for _, c := range n.children {
			c.setNull()
		}
	case opUnion:
		b := max(n.null, 0)
		k := n.branches[b]
		k.growNull()
		n.u8[n.n], n.i32[n.n] = byte(b), int32(k.n)
		k.setNull()
	}
	n.n++
}

// growNull makes room for one slot of a branch that holds nothing.
func (n *node) growNull() {
	if n.op == opRecord {
		for _, c := range n.children {
			c.growNull()
		}
	}
	if n.n == n.cap {
		n.grow(1)
	}
}

func (n *node) setBit(v bool) {
	if v {
		n.u8[n.n>>3] |= 1 << (n.n & 7)
	} else {
		n.u8[n.n>>3] &^= 1 << (n.n & 7)
	}
}

// take makes the array of everything read since the last take. The caller releases it.
func (n *node) take() arrow.ArrayData {
	var valid *memory.Buffer
	if n.nullable() {
		valid = takeBits(&n.valid, n.n)
		if n.nulls == 0 && valid != nil {
			valid.Release()
			valid = nil
		}
	}
	buffers := []*memory.Buffer{valid}
	nulls := n.nulls
	if n.cap == 0 && n.op != opNull && n.op != opRecord {
		n.grow(1) // offsets, and buffers that must be there
	}
	switch n.op {
	case opNull:
		nulls = n.n
	case opBool:
		buffers = append(buffers, takeBits(&n.bytes, n.n))
	case opFixed:
		buffers = append(buffers, takeVec(&n.bytes, n.n*n.size))
	case opInt, opEnum, opFloat:
		buffers = append(buffers, takeVec(&n.fours, n.n))
	case opLong, opDouble:
		buffers = append(buffers, takeVec(&n.eights, n.n))
	case opDecimal128:
		buffers = append(buffers, takeVec(&n.d128, n.n))
	case opDecimal256:
		buffers = append(buffers, takeVec(&n.d256, n.n))
	case opString:
		buffers = append(buffers, takeVec(&n.fours, n.n+1), takeVec(&n.bytes, n.used))
	case opList:
		buffers = append(buffers, takeVec(&n.fours, n.n+1))
	case opUnion:
		buffers = append(buffers, takeVec(&n.bytes, n.n), takeVec(&n.fours, n.n))
	}
	children := make([]arrow.ArrayData, len(n.children))
	for i, c := range n.children {
		children[i] = c.take()
	}
	var a arrow.ArrayData
	if n.enum != nil {
		a = array.NewDataWithDictionary(n.field.Type, n.n, buffers, nulls, 0, n.enum.Data().(*array.Data))
	} else {
		a = array.NewData(n.field.Type, n.n, buffers, children, nulls, 0)
	}
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
	for _, c := range children {
		c.Release()
	}
	n.n, n.cap, n.nulls, n.used, n.checked = 0, 0, 0, 0, 0
	n.validity, n.u8, n.i32, n.i64 = nil, nil, nil, nil
	return a
}

// takeVec hands over the first k values of v.
func takeVec[T arrowbuf.Fixed](v *arrowbuf.Vec[T], k int) *memory.Buffer {
	if len(v.Room()) == 0 {
		v.Tail(1)
	}
	v.Extend(k - v.Len())
	return v.Take()
}

// takeBits hands over the first k bits of v, those behind them cleared.
func takeBits(v *arrowbuf.Vec[uint8], k int) *memory.Buffer {
	if len(v.Room()) == 0 {
		v.Tail(1)
	}
	if k&7 != 0 {
		v.Room()[k>>3] &= 1<<(k&7) - 1
	}
	v.Extend((k+7)>>3 - v.Len())
	return v.Take()
}

// release frees a half-built batch.
func (n *node) release() {
	n.valid.Release()
	n.bytes.Release()
	n.fours.Release()
	n.eights.Release()
	n.d128.Release()
	n.d256.Release()
	for _, c := range n.children {
		c.release()
	}
}

// checkText returns the first of the strings since the last check that is not UTF-8, at any depth; nil = there is none.
func (n *node) checkText() *node {
	if n.op == opString && n.text && n.n > n.checked {
		if bitpack.FirstNotUTF8(n.i32[n.checked:n.n+1], n.u8[:n.used]) >= 0 {
			return n
		}
		n.checked = n.n
	}
	for _, c := range n.children {
		if bad := c.checkText(); bad != nil {
			return bad
		}
	}
	return nil
}
