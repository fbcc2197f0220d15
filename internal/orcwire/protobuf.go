package orcwire

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio"
)

// pbMessage walks the fields of a protobuf message. It copies nothing and keeps the first error. Fields that nobody
// asks for are passed over, as protobuf demands; a field of another wire type than its message says is corrupt.
//
//	for m.next() {
//		switch m.num {
//		case 1:
//			x = m.uint64()
//		}
//	}
//	return m.err
type pbMessage struct {
	b    []byte // what follows the present field
	num  protowire.Number
	typ  protowire.Type
	val  uint64 // of a varint, fixed32 or fixed64
	data []byte // of a field with a length; its capacity ends with it
	err  error
}

var errPBField = errors.New("protobuf field cannot be read")

// next moves to the next field; false at the end and after an error.
func (m *pbMessage) next() bool {
	if len(m.b) == 0 || m.err != nil {
		return false
	}
	tag, used := uint64(m.b[0]), 1
	if tag >= 0x80 {
		if tag, used = protowire.ConsumeVarint(m.b); used < 0 {
			return m.broken(protowire.ParseError(used))
		}
	}
	num, typ := tag>>3, protowire.Type(tag&7)
	if num == 0 || num > uint64(protowire.MaxValidNumber) {
		return m.broken(fmt.Errorf("field number %d", num))
	}
	m.num, m.typ, m.data = protowire.Number(num), typ, nil
	b := m.b[used:]
	n := 0
	switch typ {
	case protowire.VarintType:
		if len(b) > 0 && b[0] < 0x80 { // most are that small
			m.val, m.b = uint64(b[0]), b[1:]
			return true
		}
		m.val, n = protowire.ConsumeVarint(b)
	case protowire.BytesType:
		if len(b) > 0 && b[0] < 0x80 && int(b[0]) < len(b) {
			end := 1 + int(b[0])
			m.data, m.b = b[1:end:end], b[end:]
			return true
		}
		m.data, n = protowire.ConsumeBytes(b)
		m.data = m.data[:len(m.data):len(m.data)]
	case protowire.Fixed64Type:
		m.val, n = protowire.ConsumeFixed64(b)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(b)
		m.val = uint64(v)
	default:
		n = protowire.ConsumeFieldValue(m.num, typ, b)
	}
	if n < 0 {
		return m.broken(protowire.ParseError(n))
	}
	m.b = b[n:]
	return true
}

func (m *pbMessage) broken(cause error) bool {
	m.fail("%w: %w", errPBField, cause)
	return false
}

// fail makes the message's error, unless it has one.
func (m *pbMessage) fail(format string, args ...any) {
	if m.err == nil {
		m.err = arrowio.Errorf(arrowio.ErrCorrupt, format, args...)
	}
}

func (m *pbMessage) is(t protowire.Type) bool {
	if m.typ != t {
		m.fail("protobuf field %d has wire type %d, not %d", m.num, m.typ, t)
		return false
	}
	return true
}

func (m *pbMessage) uint64() uint64 {
	if !m.is(protowire.VarintType) {
		return 0
	}
	return m.val
}

// size reads a uint64 that counts bytes or rows.
func (m *pbMessage) size() int64 {
	v := m.uint64()
	if v > math.MaxInt64 {
		m.fail("protobuf field %d is %d", m.num, v)
		return 0
	}
	return int64(v)
}

func (m *pbMessage) uint32() uint32 {
	v := m.uint64()
	if v > math.MaxUint32 {
		m.fail("protobuf field %d is %d, over 32 bits", m.num, v)
		return 0
	}
	return uint32(v)
}

// int32 reads an int32, which is stored in 64 bits where it is negative.
func (m *pbMessage) int32() int32 {
	v := int64(m.uint64())
	if v != int64(int32(v)) {
		m.fail("protobuf field %d is %d, over 32 bits", m.num, v)
	}
	return int32(v)
}

// id reads a uint32 that must be below n.
func (m *pbMessage) id(what string, n int) int {
	v := m.uint64()
	if m.err == nil && v >= uint64(n) {
		m.fail("%s %d of %d", what, v, n)
		return 0
	}
	return int(v)
}

func (m *pbMessage) sint64() int64 { return protowire.DecodeZigZag(m.uint64()) }

func (m *pbMessage) sint32() int32 {
	v := m.sint64()
	if v != int64(int32(v)) {
		m.fail("protobuf field %d is %d, over 32 bits", m.num, v)
	}
	return int32(v)
}

func (m *pbMessage) double() float64 {
	if !m.is(protowire.Fixed64Type) {
		return 0
	}
	return math.Float64frombits(m.val)
}

// bytes returns the field's bytes, a part of the message; not nil unless it fails.
func (m *pbMessage) bytes() []byte {
	if !m.is(protowire.BytesType) {
		return nil
	}
	return m.data
}

func (m *pbMessage) string() string { return string(m.bytes()) }

// message returns the field as a message of its own.
func (m *pbMessage) message() pbMessage { return pbMessage{b: m.bytes()} }

// varints returns how many numbers a repeated field has here: packed any number, else one.
func (m *pbMessage) varints() int {
	if m.typ != protowire.BytesType {
		return 1
	}
	n := 0
	for _, b := range m.data {
		if b < 0x80 {
			n++
		}
	}
	return n
}

// appendVarints appends the numbers of a repeated field, packed or not.
func (m *pbMessage) appendVarints(dst []uint64) []uint64 {
	if m.typ != protowire.BytesType {
		return append(dst, m.uint64())
	}
	for b := m.data; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			m.broken(protowire.ParseError(n))
			break
		}
		dst, b = append(dst, v), b[n:]
	}
	return dst
}

// appendIDs is appendVarints for numbers that must be below n.
func (m *pbMessage) appendIDs(dst []int, what string, n int) []int {
	for _, v := range m.appendVarints(nil) {
		if v >= uint64(n) {
			m.fail("%s %d of %d", what, v, n)
			break
		}
		dst = append(dst, int(v))
	}
	return dst
}

// within says which element of a message an error is in. It costs nothing where there is none.
func within(err error, what string, i int) error {
	var e *arrowio.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Err = fmt.Errorf("%s %d: %w", what, i, e.Err)
	return &c
}

// metaBudget bounds the memory that the parsed form of a message takes. An element may take two bytes of a message
// and many of memory, so the limit on a message's bytes alone does not bound it.
type metaBudget struct{ left, limit int64 }

// metaGrowth is how much larger than Limits.MetadataBytes the parsed form may be. A stripe takes about 15 bytes of a
// footer and 72 here, a type 10 and 200.
const metaGrowth = 8

func newMetaBudget(lim arrowio.Limits) *metaBudget {
	limit := lim.MetadataBytes
	return &metaBudget{left: min(limit, math.MaxInt64/metaGrowth) * metaGrowth, limit: limit}
}

// take accounts for n elements of size bytes each. n is a count of things that are there, so the product is small.
func (b *metaBudget) take(n int, size uintptr) error {
	if b.left -= int64(n) * int64(size); b.left < 0 {
		return arrowio.Errorf(arrowio.ErrLimit, "parsed, it takes over %d times the limit MetadataBytes = %d", metaGrowth, b.limit)
	}
	return nil
}
