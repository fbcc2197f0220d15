package encode

import "encoding/binary"

// Types of Thrift's compact protocol.
const (
	tTrue   = 1
	tFalse  = 2
	tByte   = 3
	tI16    = 4
	tI32    = 5
	tI64    = 6
	tBinary = 8
	tList   = 9
	tStruct = 12
)

// thrift appends a struct of Thrift's compact protocol to b. Fields come in ascending order of their ids.
type thrift struct {
	b    []byte
	last int   // id of the last field of the open struct
	up   []int // the same of the structs around it
}

func (t *thrift) field(id, typ int) {
	if d := id - t.last; d > 0 && d < 16 {
		t.b = append(t.b, byte(d<<4|typ))
	} else {
		t.b = binary.AppendVarint(append(t.b, byte(typ)), int64(id))
	}
	t.last = id
}

func (t *thrift) i8(id int, v int8) {
	t.field(id, tByte)
	t.b = append(t.b, byte(v))
}

func (t *thrift) i16(id int, v int16) {
	t.field(id, tI16)
	t.b = binary.AppendVarint(t.b, int64(v))
}

func (t *thrift) i32(id int, v int32) {
	t.field(id, tI32)
	t.b = binary.AppendVarint(t.b, int64(v))
}

func (t *thrift) i64(id int, v int64) {
	t.field(id, tI64)
	t.b = binary.AppendVarint(t.b, v)
}

func (t *thrift) bool(id int, v bool) {
	if v {
		t.field(id, tTrue)
	} else {
		t.field(id, tFalse)
	}
}

func (t *thrift) bytes(id int, v []byte) {
	t.field(id, tBinary)
	t.b = append(binary.AppendUvarint(t.b, uint64(len(v))), v...)
}

func (t *thrift) text(id int, v string) {
	t.field(id, tBinary)
	t.b = append(binary.AppendUvarint(t.b, uint64(len(v))), v...)
}

// list begins a list of n elements.
func (t *thrift) list(id, typ, n int) {
	t.field(id, tList)
	if n < 15 {
		t.b = append(t.b, byte(n<<4|typ))
		return
	}
	t.b = binary.AppendUvarint(append(t.b, byte(0xf0|typ)), uint64(n))
}

// open begins a struct that is a field; end ends it.
func (t *thrift) open(id int) {
	t.field(id, tStruct)
	t.element()
}

// element begins a struct that is an element of a list.
func (t *thrift) element() {
	t.up = append(t.up, t.last)
	t.last = 0
}

func (t *thrift) end() {
	t.b = append(t.b, 0)
	if k := len(t.up) - 1; k >= 0 {
		t.last = t.up[k]
		t.up = t.up[:k]
	}
}

// empty is a struct without fields.
func (t *thrift) empty(id int) {
	t.open(id)
	t.end()
}
