package pbtest

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Message is a protobuf message under construction. Each method appends a field and returns the longer message.
type Message []byte

// Uint appends a varint: a uint32, uint64, int32, int64, bool or enum.
func (m Message) Uint(num protowire.Number, v uint64) Message {
	return protowire.AppendVarint(protowire.AppendTag(m, num, protowire.VarintType), v)
}

// Sint appends a sint32 or sint64.
func (m Message) Sint(num protowire.Number, v int64) Message {
	return m.Uint(num, protowire.EncodeZigZag(v))
}

// Double appends a double.
func (m Message) Double(num protowire.Number, v float64) Message {
	return m.Fixed64(num, math.Float64bits(v))
}

// Fixed64 appends a fixed64.
func (m Message) Fixed64(num protowire.Number, v uint64) Message {
	return protowire.AppendFixed64(protowire.AppendTag(m, num, protowire.Fixed64Type), v)
}

// Fixed32 appends a fixed32.
func (m Message) Fixed32(num protowire.Number, v uint32) Message {
	return protowire.AppendFixed32(protowire.AppendTag(m, num, protowire.Fixed32Type), v)
}

// Bytes appends bytes, or a message.
func (m Message) Bytes(num protowire.Number, b []byte) Message {
	return protowire.AppendBytes(protowire.AppendTag(m, num, protowire.BytesType), b)
}

// Text appends a string.
func (m Message) Text(num protowire.Number, s string) Message { return m.Bytes(num, []byte(s)) }

// Packed appends a packed list of varints.
func (m Message) Packed(num protowire.Number, vs ...uint64) Message {
	var b []byte
	for _, v := range vs {
		b = protowire.AppendVarint(b, v)
	}
	return m.Bytes(num, b)
}

// Strange appends fields that no message has, one of each wire type.
func (m Message) Strange() Message {
	const num = 7777
	m = m.Uint(num, math.MaxUint64).Fixed64(num, 1).Text(num, "what").Fixed32(num, 3)
	m = protowire.AppendTag(m, num, protowire.StartGroupType)
	m = m.Uint(1, 5).Text(2, "in a group")
	return protowire.AppendTag(m, num, protowire.EndGroupType)
}
