package orcwire

import (
	"errors"
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio"
)

// wireMsg is a protobuf message under construction.
type wireMsg []byte

func (w wireMsg) uint(num protowire.Number, v uint64) wireMsg {
	return protowire.AppendVarint(protowire.AppendTag(w, num, protowire.VarintType), v)
}

func (w wireMsg) sint(num protowire.Number, v int64) wireMsg {
	return w.uint(num, protowire.EncodeZigZag(v))
}

func (w wireMsg) double(num protowire.Number, v float64) wireMsg {
	return w.fixed64(num, math.Float64bits(v))
}

func (w wireMsg) fixed64(num protowire.Number, v uint64) wireMsg {
	return protowire.AppendFixed64(protowire.AppendTag(w, num, protowire.Fixed64Type), v)
}

func (w wireMsg) bytes(num protowire.Number, b []byte) wireMsg {
	return protowire.AppendBytes(protowire.AppendTag(w, num, protowire.BytesType), b)
}

func (w wireMsg) text(num protowire.Number, s string) wireMsg { return w.bytes(num, []byte(s)) }

func (w wireMsg) packed(num protowire.Number, vs ...uint64) wireMsg {
	var b []byte
	for _, v := range vs {
		b = protowire.AppendVarint(b, v)
	}
	return w.bytes(num, b)
}

// strange appends fields that no message has, one of each wire type.
func (w wireMsg) strange() wireMsg {
	const num = 7777
	w = w.uint(num, math.MaxUint64).fixed64(num, 1).text(num, "what")
	w = protowire.AppendFixed32(protowire.AppendTag(w, num, protowire.Fixed32Type), 3)
	w = protowire.AppendTag(w, num, protowire.StartGroupType)
	w = w.uint(1, 5).text(2, "in a group")
	return protowire.AppendTag(w, num, protowire.EndGroupType)
}

// wantKind fails the test unless err is of a kind.
func wantKind(t *testing.T, what string, err error, kind arrowio.Kind) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%s: %v, want %s", what, err, kind.Error())
	}
}

// corruptEverywhere cuts a message at each byte, flips each bit, and sets each byte to the last value: parse may refuse,
// with an error that has a kind, and must not panic.
func corruptEverywhere(t *testing.T, b []byte, parse func(b []byte) error) {
	t.Helper()
	try := func(b []byte) {
		if err := parse(b); err != nil {
			var e *arrowio.Error
			if !errors.As(err, &e) || e.Kind == 0 {
				t.Fatalf("%x: %v has no kind", b, err)
			}
		}
	}
	for i := range b {
		try(b[:i:i])
		for bit := range 8 {
			c := append([]byte(nil), b...)
			c[i] ^= 1 << bit
			try(c)
		}
		c := append([]byte(nil), b...)
		c[i] = 0xff
		try(c)
	}
}

func TestMessageFields(t *testing.T) {
	b := wireMsg(nil).uint(1, math.MaxUint64).sint(2, math.MinInt64).double(3, -0.5).text(4, "").strange().packed(5, 1, 300, math.MaxUint64).uint(5, 7)
	m := pbMessage{b: b}
	var list []uint64
	n := 0
	for m.next() {
		switch m.num {
		case 1:
			if v := m.uint64(); v != math.MaxUint64 {
				t.Error(v)
			}
		case 2:
			if v := m.sint64(); v != math.MinInt64 {
				t.Error(v)
			}
		case 3:
			if v := m.double(); v != -0.5 {
				t.Error(v)
			}
		case 4:
			if v := m.bytes(); v == nil || len(v) != 0 || cap(v) != 0 {
				t.Errorf("%v of capacity %d: an empty field is there", v, cap(v))
			}
		case 5:
			n += m.varints()
			list = m.appendVarints(list)
		}
	}
	if m.err != nil || n != 4 || len(list) != 4 || list[1] != 300 || list[2] != math.MaxUint64 || list[3] != 7 {
		t.Error(m.err, n, list)
	}
}

func TestMessageFaults(t *testing.T) {
	read := func(f func(m *pbMessage)) func(b []byte) error {
		return func(b []byte) error {
			m := pbMessage{b: b}
			for m.next() {
				f(&m)
			}
			return m.err
		}
	}
	none := read(func(*pbMessage) {})
	for _, c := range []struct {
		name  string
		b     []byte
		parse func(b []byte) error
	}{
		{"field number 0", []byte{0x00, 0x00}, none},
		{"field number over 29 bits", protowire.AppendVarint(nil, 1<<32), none},
		{"tag cut", []byte{0x80}, none},
		{"varint cut", []byte{0x08, 0x80}, none},
		{"varint of eleven bytes", []byte{0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, none},
		{"varint over 64 bits", []byte{0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, none},
		{"bytes cut", []byte{0x0a, 0x02, 'x'}, none},
		{"length over 63 bits", []byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 'x'}, none},
		{"fixed64 cut", []byte{0x09, 1, 2, 3, 4, 5, 6, 7}, none},
		{"fixed32 cut", []byte{0x0d, 1, 2, 3}, none},
		{"group without end", []byte{0x0b, 0x08, 0x01}, none},
		{"end of another group", []byte{0x0b, 0x14}, none},
		{"end of no group", []byte{0x0c}, none},
		{"wire type 6", []byte{0x0e}, none},
		{"number for bytes", wireMsg(nil).uint(1, 1), read(func(m *pbMessage) { m.bytes() })},
		{"bytes for a number", wireMsg(nil).text(1, "x"), read(func(m *pbMessage) { m.uint64() })},
		{"number for a double", wireMsg(nil).uint(1, 1), read(func(m *pbMessage) { m.double() })},
		{"double for a number", wireMsg(nil).double(1, 1), read(func(m *pbMessage) { m.appendVarints(nil) })},
		{"packed number cut", wireMsg(nil).bytes(1, []byte{0x01, 0x80}), read(func(m *pbMessage) { m.appendVarints(nil) })},
		{"size over 63 bits", wireMsg(nil).uint(1, 1<<63), read(func(m *pbMessage) { m.size() })},
		{"uint32 over 32 bits", wireMsg(nil).uint(1, 1<<32), read(func(m *pbMessage) { m.uint32() })},
		{"int32 over 32 bits", wireMsg(nil).uint(1, 1<<31), read(func(m *pbMessage) { m.int32() })},
		{"sint32 over 32 bits", wireMsg(nil).sint(1, 1<<31), read(func(m *pbMessage) { m.sint32() })},
		{"id", wireMsg(nil).uint(1, 3), read(func(m *pbMessage) { m.id("column", 3) })},
		{"ids", wireMsg(nil).packed(1, 2, 3), read(func(m *pbMessage) { m.appendIDs(nil, "column", 3) })},
	} {
		wantKind(t, c.name, c.parse(c.b), arrowio.ErrCorrupt)
	}
	// The first error stays.
	m := pbMessage{b: wireMsg(nil).uint(1, 1).text(1, "x")}
	for m.next() {
		m.bytes()
	}
	if m.err == nil || m.err.Error() != "protobuf field 1 has wire type 0, not 2" {
		t.Error(m.err)
	}
	if v := (&pbMessage{typ: protowire.VarintType, val: math.MaxUint64}); v.int32() != -1 || v.err != nil {
		t.Error("-1 is stored in 64 bits")
	}
}
