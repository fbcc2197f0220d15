package decode

import (
	"encoding/binary"
	"errors"
)

// Errors of damaged metadata. ErrShort also says that a structure goes on behind the bytes given.
var (
	ErrShort  = errors.New("the structure is cut off")
	ErrThrift = errors.New("not a structure of Thrift's compact protocol")
	ErrBudget = errors.New("the metadata has too many parts")
)

// Types of Thrift's compact protocol. A struct is fields until a zero byte, each a byte of id distance and type.
const (
	typeStop = iota
	typeTrue
	typeFalse
	typeByte
	typeI16
	typeI32
	typeI64
	typeDouble
	typeBinary
	typeList
	typeSet
	typeMap
	typeStruct
)

// maxNesting is more than Parquet's own structures nest.
const maxNesting = 32

// thrift reads structures of Thrift's compact protocol. The first error stays; after it everything reads as zero.
type thrift struct {
	b      []byte
	pos    int
	err    error
	budget int64 // bytes of memory that structures may still take
	depth  int
}

// field is the header of a field: its id and type.
type field struct {
	id  int64
	typ byte
}

func (t *thrift) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// charge counts n bytes of memory against the budget.
func (t *thrift) charge(n int64) bool {
	if t.budget -= n; t.budget < 0 {
		t.fail(ErrBudget)
	}
	return t.err == nil
}

func (t *thrift) byte() byte {
	if t.err != nil || t.pos >= len(t.b) {
		t.fail(ErrShort)
		return 0
	}
	t.pos++
	return t.b[t.pos-1]
}

func (t *thrift) uvarint() uint64 {
	if t.err != nil {
		return 0
	}
	v, n := binary.Uvarint(t.b[t.pos:])
	switch {
	case n == 0:
		t.fail(ErrShort)
		return 0
	case n < 0:
		t.fail(ErrThrift)
		return 0
	}
	t.pos += n
	return v
}

func (t *thrift) zigzag() int64 {
	v := t.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// next reads the header of the next field of a struct whose last one was f; it reports false behind the last.
func (t *thrift) next(f *field) bool {
	h := t.byte()
	f.typ = h & 15
	if t.err != nil || f.typ == typeStop {
		return false
	}
	if d := int64(h >> 4); d != 0 {
		f.id += d
	} else {
		f.id = t.zigzag()
	}
	return t.err == nil
}

// int reads an integer field.
func (t *thrift) int(f field) int64 {
	switch f.typ {
	case typeByte:
		return int64(int8(t.byte()))
	case typeI16, typeI32, typeI64:
		return t.zigzag()
	}
	t.fail(ErrThrift)
	return 0
}

// i32 reads an integer field of 32 bits.
func (t *thrift) i32(f field) int32 {
	v := t.int(f)
	if int64(int32(v)) != v {
		t.fail(ErrThrift)
	}
	return int32(v)
}

// bool reads a boolean field, whose type is its value.
func (t *thrift) bool(f field) bool {
	if f.typ != typeTrue && f.typ != typeFalse {
		t.fail(ErrThrift)
	}
	return f.typ == typeTrue
}

// bytes reads a field of bytes; the result is a view.
func (t *thrift) bytes(f field) []byte {
	if f.typ != typeBinary {
		t.fail(ErrThrift)
		return nil
	}
	return t.rawBytes()
}

func (t *thrift) rawBytes() []byte {
	n := t.uvarint()
	if t.err != nil {
		return nil
	}
	if n > uint64(len(t.b)-t.pos) {
		t.fail(ErrShort)
		return nil
	}
	t.pos += int(n)
	return t.b[t.pos-int(n) : t.pos : t.pos]
}

// list reads the header of a list field of elements of type typ, each of which will take so many bytes of memory, and
// returns how many there are: no more than bytes are left.
func (t *thrift) list(f field, typ byte, memory int64) int {
	if f.typ != typeList && f.typ != typeSet {
		t.fail(ErrThrift)
		return 0
	}
	n, got := t.listHeader()
	if n > 0 && got != typ && !(typ == typeTrue && got == typeFalse) && !(typ == typeI32 && got == typeI64) {
		t.fail(ErrThrift)
	}
	t.charge(int64(n) * memory)
	if t.err != nil {
		return 0
	}
	return n
}

func (t *thrift) listHeader() (n int, typ byte) {
	h := t.byte()
	k := uint64(h >> 4)
	if k == 15 {
		k = t.uvarint()
	}
	if t.err == nil && k > uint64(len(t.b)-t.pos) { // an element takes a byte at least
		t.fail(ErrShort)
	}
	if t.err != nil {
		return 0, 0
	}
	return int(k), h & 15
}

// open begins a struct that is a field.
func (t *thrift) open(f field) field {
	if f.typ != typeStruct {
		t.fail(ErrThrift)
	}
	return field{}
}

// skip passes over the value of a field.
func (t *thrift) skip(f field) { t.skipValue(f.typ, false) }

func (t *thrift) skipValue(typ byte, inList bool) {
	if t.depth++; t.depth > maxNesting {
		t.fail(ErrThrift)
	}
	defer func() { t.depth-- }()
	switch typ {
	case typeTrue, typeFalse:
		if inList {
			t.byte()
		}
	case typeByte:
		t.byte()
	case typeI16, typeI32, typeI64:
		t.uvarint()
	case typeDouble:
		if len(t.b)-t.pos < 8 {
			t.fail(ErrShort)
			return
		}
		t.pos += 8
	case typeBinary:
		t.rawBytes()
	case typeList, typeSet:
		n, e := t.listHeader()
		for ; n > 0 && t.err == nil; n-- {
			t.skipValue(e, true)
		}
	case typeMap:
		n := t.uvarint()
		if n == 0 || t.err != nil {
			return
		}
		h := t.byte()
		if n > uint64(len(t.b)-t.pos) {
			t.fail(ErrShort)
		}
		for ; n > 0 && t.err == nil; n-- {
			t.skipValue(h>>4, true)
			t.skipValue(h&15, true)
		}
	case typeStruct:
		for f := (field{}); t.next(&f); {
			t.skip(f)
		}
	default:
		t.fail(ErrThrift)
	}
}
