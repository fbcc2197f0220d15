package pb

import (
	"errors"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

func TestMessageFields(t *testing.T) {
	b := pbtest.Message(nil).Uint(1, math.MaxUint64).Sint(2, math.MinInt64).Double(3, -0.5).Text(4, "").Strange().Packed(5, 1, 300, math.MaxUint64).Uint(5, 7)
	m := New(b)
	var list []uint64
	n := 0
	for m.Next() {
		switch m.Num {
		case 1:
			if v := m.Uint64(); v != math.MaxUint64 {
				t.Error(v)
			}
		case 2:
			if v := m.Sint64(); v != math.MinInt64 {
				t.Error(v)
			}
		case 3:
			if v := m.Double(); v != -0.5 {
				t.Error(v)
			}
		case 4:
			if v := m.Bytes(); v == nil || len(v) != 0 || cap(v) != 0 {
				t.Errorf("%v of capacity %d: an empty field is there", v, cap(v))
			}
		case 5:
			n += m.Varints()
			list = AppendVarints(&m, list)
		}
	}
	if m.Err != nil || n != 4 || len(list) != 4 || list[1] != 300 || list[2] != math.MaxUint64 || list[3] != 7 {
		t.Error(m.Err, n, list)
	}
}

func TestMessageFaults(t *testing.T) {
	read := func(f func(m *Message)) func(b []byte) error {
		return func(b []byte) error {
			m := New(b)
			for m.Next() {
				f(&m)
			}
			return m.Err
		}
	}
	none := read(func(*Message) {})
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
		{"number for bytes", pbtest.Message(nil).Uint(1, 1), read(func(m *Message) { m.Bytes() })},
		{"bytes for a number", pbtest.Message(nil).Text(1, "x"), read(func(m *Message) { m.Uint64() })},
		{"number for a double", pbtest.Message(nil).Uint(1, 1), read(func(m *Message) { m.Double() })},
		{"double for a number", pbtest.Message(nil).Double(1, 1), read(func(m *Message) { AppendVarints[uint64](m, nil) })},
		{"packed number cut", pbtest.Message(nil).Bytes(1, []byte{0x01, 0x80}), read(func(m *Message) { AppendVarints[uint64](m, nil) })},
		{"size over 63 bits", pbtest.Message(nil).Uint(1, 1<<63), read(func(m *Message) { m.Size() })},
		{"uint32 over 32 bits", pbtest.Message(nil).Uint(1, 1<<32), read(func(m *Message) { m.Uint32() })},
		{"int32 over 32 bits", pbtest.Message(nil).Uint(1, 1<<31), read(func(m *Message) { m.Int32() })},
	} {
		if err := c.parse(c.b); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// The first error stays.
	m := New(pbtest.Message(nil).Uint(1, 1).Text(1, "x"))
	for m.Next() {
		m.Bytes()
	}
	if m.Err == nil || m.Err.Error() != "protobuf field 1 has wire type 0, not 2" {
		t.Error(m.Err)
	}
	if v := (&Message{Type: protowire.VarintType, Val: math.MaxUint64}); v.Int32() != -1 || v.Err != nil {
		t.Error("-1 is stored in 64 bits")
	}
}

// Errors of the protobuf library, whose spaces are of one kind in one build and of another in the next, are plain text.
func TestErrorsArePlain(t *testing.T) {
	m := New([]byte{0x0c})
	for m.Next() {
	}
	if m.Err == nil || strings.Contains(m.Err.Error(), "\u00a0") || !strings.Contains(m.Err.Error(), "proto: mismatching end group marker") {
		t.Errorf("%q", m.Err)
	}
}
