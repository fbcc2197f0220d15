package pb

import (
	"errors"
	"fmt"
	"math"
	"strings"

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
	b    []byte
	at   int // where the field behind the present one begins, in b
	end  int // where the last field ends
	here int // where the present field begins
	from int // where its bytes begin, if it has a length; they end at `at`

	Num  protowire.Number
	Type protowire.Type
	Val  uint64 // of a varint, fixed32 or fixed64; else not defined
	Err  error
}

// New returns the message that b holds, before its first field. The message's parts are parts of b.
func New(b []byte) Message { return Message{b: b, end: len(b)} }

var errField = errors.New("protobuf field cannot be read")

// Next moves to the next field; false at the end and after an error.
func (m *Message) Next() bool {
	b, p := m.b[:m.end], m.at
	if p >= len(b) || m.Err != nil {
		return false
	}
	m.here = p
	tag, used := uint64(b[p]), 1
	if tag >= 0x80 {
		if tag, used = protowire.ConsumeVarint(b[p:]); used < 0 {
			return m.broken(protowire.ParseError(used))
		}
	}
	p += used
	num, typ := tag>>3, protowire.Type(tag&7)
	if num == 0 || num > uint64(protowire.MaxValidNumber) {
		return m.broken(fmt.Errorf("field number %d", num))
	}
	m.Num, m.Type = protowire.Number(num), typ
	n := 0
	switch typ {
	case protowire.VarintType:
		if p < len(b) && b[p] < 0x80 { // most are that small
			m.Val, m.at = uint64(b[p]), p+1
			return true
		}
		if p+1 < len(b) && b[p+1] < 0x80 { // or that
			m.Val, m.at = uint64(b[p]&0x7f)|uint64(b[p+1])<<7, p+2
			return true
		}
		m.Val, n = protowire.ConsumeVarint(b[p:])
	case protowire.BytesType:
		if p < len(b) && b[p] < 0x80 && int(b[p]) < len(b)-p {
			m.from, m.at = p+1, p+1+int(b[p])
			return true
		}
		var data []byte
		data, n = protowire.ConsumeBytes(b[p:])
		m.from = p + n - len(data)
	case protowire.Fixed64Type:
		m.Val, n = protowire.ConsumeFixed64(b[p:])
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(b[p:])
		m.Val = uint64(v)
	default:
		n = protowire.ConsumeFieldValue(m.Num, typ, b[p:])
	}
	if n < 0 {
		return m.broken(protowire.ParseError(n))
	}
	m.at = p + n
	return true
}

func (m *Message) broken(cause error) bool {
	m.Fail("%w: %w", errField, spaced{cause})
	return false
}

// spaced is an error of the protobuf library, in some builds of which its words are apart by a space that does not break.
type spaced struct{ error }

func (e spaced) Error() string { return strings.ReplaceAll(e.error.Error(), "\u00a0", " ") }
func (e spaced) Unwrap() error { return e.error }

// Fail makes the message's error, unless it has one.
func (m *Message) Fail(format string, args ...any) {
	if m.Err == nil {
		m.Err = errs.Errorf(errs.ErrCorrupt, format, args...)
	}
}

// Left returns how many bytes the present field and those that follow it have.
func (m *Message) Left() int { return m.end - m.here }

// Is makes another wire type of the present field than t the message's error.
func (m *Message) Is(t protowire.Type) bool { return m.Type == t || m.isNot(t) }

func (m *Message) isNot(t protowire.Type) bool {
	m.Fail("protobuf field %d has wire type %d, not %d", m.Num, m.Type, t)
	return false
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
	return m.b[m.from:m.at:m.at]
}

// String returns the field's bytes as text, which need not be UTF-8.
func (m *Message) String() string { return string(m.Bytes()) }

// Message returns the field as a message of its own.
func (m *Message) Message() Message { return New(m.Bytes()) }

// Varints returns how many numbers a repeated field has here: packed any number, else one.
func (m *Message) Varints() int {
	if m.Type != protowire.BytesType {
		return 1
	}
	n := 0
	for _, b := range m.Bytes() {
		if b < 0x80 {
			n++
		}
	}
	return n
}

// AppendVarints appends the numbers of a repeated field of m, packed or not, cut to the bits that V has.
func AppendVarints[V ~uint32 | ~uint64 | ~int32 | ~int](m *Message, dst []V) []V {
	if m.Type != protowire.BytesType {
		return append(dst, V(m.Uint64()))
	}
	for b := m.Bytes(); len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			m.broken(protowire.ParseError(n))
			break
		}
		dst, b = append(dst, V(v)), b[n:]
	}
	return dst
}

// Count returns how many fields with a number follow the present field.
func (m *Message) Count(num protowire.Number) (n int) {
	for c := *m; c.Next(); {
		if c.Num == num {
			n++
		}
	}
	return n
}

// Inside says in which part of a message an error of package errs is. nil stays nil.
func Inside(err error, part string, args ...any) error {
	var e *errs.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Err = fmt.Errorf("%s: %w", fmt.Sprintf(part, args...), e.Err)
	return &c
}
