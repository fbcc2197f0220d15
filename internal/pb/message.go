package pb

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Message walks the fields of a protobuf message. It copies nothing and keeps the first error. Fields that nobody
// asks for are passed over, as protobuf demands; a field of another wire type than its message says is corrupt.
//
//	for m.Next() {
//		switch m.Num {
//		case 1:
//			x = m.Uint64()
//		}
//	}
//	return m.Err
type Message struct {
	b    []byte // what follows the present field
	Num  protowire.Number
	Type protowire.Type
	Val  uint64 // of a varint, fixed32 or fixed64
	Data []byte // of a field with a length; its capacity ends with it
	Err  error
}

// New returns the message that b holds, before its first field. The message's parts are parts of b.
func New(b []byte) Message { return Message{b: b} }

var errField = errors.New("protobuf field cannot be read")

// Next moves to the next field; false at the end and after an error.
func (m *Message) Next() bool {
	if len(m.b) == 0 || m.Err != nil {
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
	m.Num, m.Type, m.Data = protowire.Number(num), typ, nil
	b := m.b[used:]
	n := 0
	switch typ {
	case protowire.VarintType:
		if len(b) > 0 && b[0] < 0x80 { // most are that small
			m.Val, m.b = uint64(b[0]), b[1:]
			return true
		}
		m.Val, n = protowire.ConsumeVarint(b)
	case protowire.BytesType:
		if len(b) > 0 && b[0] < 0x80 && int(b[0]) < len(b) {
			end := 1 + int(b[0])
			m.Data, m.b = b[1:end:end], b[end:]
			return true
		}
		m.Data, n = protowire.ConsumeBytes(b)
		m.Data = m.Data[:len(m.Data):len(m.Data)]
	case protowire.Fixed64Type:
		m.Val, n = protowire.ConsumeFixed64(b)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(b)
		m.Val = uint64(v)
	default:
		n = protowire.ConsumeFieldValue(m.Num, typ, b)
	}
	if n < 0 {
		return m.broken(protowire.ParseError(n))
	}
	m.b = b[n:]
	return true
}

func (m *Message) broken(cause error) bool {
	m.Fail("%w: %w", errField, cause)
	return false
}

// Fail makes the message's error, unless it has one.
func (m *Message) Fail(format string, args ...any) {
	if m.Err == nil {
		m.Err = errs.Errorf(errs.ErrCorrupt, format, args...)
	}
}

// Left returns how many bytes follow the present field.
func (m *Message) Left() int { return len(m.b) }

// Is makes another wire type of the present field than t the message's error.
func (m *Message) Is(t protowire.Type) bool {
	if m.Type != t {
		m.Fail("protobuf field %d has wire type %d, not %d", m.Num, m.Type, t)
		return false
	}
	return true
}

// Uint64 reads a uint64.
func (m *Message) Uint64() uint64 {
	if !m.Is(protowire.VarintType) {
		return 0
	}
	return m.Val
}

// Size reads a uint64 that counts bytes or rows.
func (m *Message) Size() int64 {
	v := m.Uint64()
	if v > math.MaxInt64 {
		m.Fail("protobuf field %d is %d", m.Num, v)
		return 0
	}
	return int64(v)
}

// Uint32 reads a uint32.
func (m *Message) Uint32() uint32 {
	v := m.Uint64()
	if v > math.MaxUint32 {
		m.Fail("protobuf field %d is %d, over 32 bits", m.Num, v)
		return 0
	}
	return uint32(v)
}

// Int32 reads an int32, which is stored in 64 bits where it is negative.
func (m *Message) Int32() int32 {
	v := int64(m.Uint64())
	if v != int64(int32(v)) {
		m.Fail("protobuf field %d is %d, over 32 bits", m.Num, v)
	}
	return int32(v)
}

// ID reads a uint32 that must be below n.
func (m *Message) ID(what string, n int) int {
	v := m.Uint64()
	if m.Err == nil && v >= uint64(n) {
		m.Fail("%s %d of %d", what, v, n)
		return 0
	}
	return int(v)
}

// Int64 reads an int64, which is ten bytes long where it is negative.
func (m *Message) Int64() int64 { return int64(m.Uint64()) }

// Bool reads a bool.
func (m *Message) Bool() bool { return m.Uint64() != 0 }

// Fixed64 reads a fixed64.
func (m *Message) Fixed64() uint64 {
	if !m.Is(protowire.Fixed64Type) {
		return 0
	}
	return m.Val
}

// Sint64 reads a sint64.
func (m *Message) Sint64() int64 { return protowire.DecodeZigZag(m.Uint64()) }

// Sint32 reads a sint32.
func (m *Message) Sint32() int32 {
	v := m.Sint64()
	if v != int64(int32(v)) {
		m.Fail("protobuf field %d is %d, over 32 bits", m.Num, v)
	}
	return int32(v)
}

// Double reads a double.
func (m *Message) Double() float64 {
	if !m.Is(protowire.Fixed64Type) {
		return 0
	}
	return math.Float64frombits(m.Val)
}

// Bytes returns the field's bytes, a part of the message; not nil unless it fails.
func (m *Message) Bytes() []byte {
	if !m.Is(protowire.BytesType) {
		return nil
	}
	return m.Data
}

// String returns the field's bytes as text, which need not be UTF-8.
func (m *Message) String() string { return string(m.Bytes()) }

// Message returns the field as a message of its own.
func (m *Message) Message() Message { return Message{b: m.Bytes()} }

// Varints returns how many numbers a repeated field has here: packed any number, else one.
func (m *Message) Varints() int {
	if m.Type != protowire.BytesType {
		return 1
	}
	n := 0
	for _, b := range m.Data {
		if b < 0x80 {
			n++
		}
	}
	return n
}

// AppendVarints appends the numbers of a repeated field, packed or not.
func (m *Message) AppendVarints(dst []uint64) []uint64 {
	if m.Type != protowire.BytesType {
		return append(dst, m.Uint64())
	}
	for b := m.Data; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			m.broken(protowire.ParseError(n))
			break
		}
		dst, b = append(dst, v), b[n:]
	}
	return dst
}

// AppendIDs is AppendVarints for numbers that must be below n.
func (m *Message) AppendIDs(dst []int, what string, n int) []int {
	for _, v := range m.AppendVarints(nil) {
		if v >= uint64(n) {
			m.Fail("%s %d of %d", what, v, n)
			break
		}
		dst = append(dst, int(v))
	}
	return dst
}
