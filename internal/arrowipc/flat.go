package arrowipc

import (
	"encoding/binary"
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// flat is a flatbuffer being read. Nothing in it is trusted: each access is checked, the first fault sticks, and after
// it every access yields a zero. The caller checks err before using what was read to size or index anything.
//
// budget bounds the work: a flatbuffer may refer to one table many times, so that a small one unfolds without end.
type flat struct {
	b      []byte
	err    error
	budget int64
}

// table is one table: a vtable of 16-bit offsets in front of, or behind, the fields.
//
//	pos:     int32 distance back to the vtable, fields
//	vtable:  uint16 size of vtable, uint16 size of table, uint16 offset of each field in the table (0 = default)
//
// The size of the table is not looked at: Go's flatbuffers lets tables of other sizes share a vtable.
type table struct {
	f   *flat
	pos int64
	vt  []byte // offsets of the fields
}

func newFlat(b []byte, budget int64) *flat { return &flat{b: b, budget: budget} }

func (f *flat) fail(format string, args ...any) {
	if f.err == nil {
		f.err = errs.Errorf(errs.ErrCorrupt, "flatbuffer: "+format, args...)
	}
}

// spend takes n bytes of the budget.
func (f *flat) spend(n int64) {
	if f.budget -= n; f.budget < 0 && f.err == nil {
		f.err = errs.Errorf(errs.ErrLimit, "the metadata unfold to more than Limits.MetadataBytes")
	}
}

// at returns n bytes at pos, or nil after recording why not.
func (f *flat) at(pos, n int64) []byte {
	if f.err != nil {
		return nil
	}
	if pos < 0 || n < 0 || pos > int64(len(f.b)) || n > int64(len(f.b))-pos {
		f.fail("%d bytes at %d of %d", n, pos, len(f.b))
		return nil
	}
	return f.b[pos : pos+n]
}

func (f *flat) u16(pos int64) int64 {
	if b := f.at(pos, 2); b != nil {
		return int64(binary.LittleEndian.Uint16(b))
	}
	return 0
}

func (f *flat) u32(pos int64) int64 {
	if b := f.at(pos, 4); b != nil {
		return int64(binary.LittleEndian.Uint32(b))
	}
	return 0
}

func (f *flat) root() table { return f.table(f.u32(0)) }

func (f *flat) table(pos int64) table {
	f.spend(16)
	back := int64(int32(f.u32(pos)))
	vt := pos - back
	vtSize := f.u16(vt)
	if f.err == nil && (vtSize < 4 || vtSize%2 != 0) {
		f.fail("vtable of %d bytes for the table at %d", vtSize, pos)
	}
	fields := f.at(vt+4, vtSize-4)
	if f.err != nil {
		return table{f: f}
	}
	return table{f: f, pos: pos, vt: fields}
}

// field returns where the width bytes of field i are; 0 = the table does not have it.
func (t table) field(i int, width int64) int64 {
	if 2*i+2 > len(t.vt) || t.f.err != nil {
		return 0
	}
	off := int64(binary.LittleEndian.Uint16(t.vt[2*i:]))
	if off == 0 {
		return 0
	}
	if t.f.at(t.pos+off, width) == nil {
		return 0
	}
	return t.pos + off
}

func (t table) int64(i int) int64 {
	if b := t.scalar(i, 8); b != nil {
		return int64(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (t table) int32(i int, def int32) int32 {
	if b := t.scalar(i, 4); b != nil {
		return int32(binary.LittleEndian.Uint32(b))
	}
	return def
}

func (t table) int16(i int, def int16) int16 {
	if b := t.scalar(i, 2); b != nil {
		return int16(binary.LittleEndian.Uint16(b))
	}
	return def
}

func (t table) uint8(i int) uint8 {
	if b := t.scalar(i, 1); b != nil {
		return b[0]
	}
	return 0
}

func (t table) bool(i int) bool { return t.uint8(i) != 0 }

func (t table) scalar(i int, width int64) []byte {
	if pos := t.field(i, width); pos != 0 {
		return t.f.at(pos, width)
	}
	return nil
}

// ref follows the offset in field i; 0 = there is none.
func (t table) ref(i int) int64 {
	pos := t.field(i, 4)
	if pos == 0 {
		return 0
	}
	return pos + t.f.u32(pos)
}

// child returns the table in field i and whether there is one.
func (t table) child(i int) (table, bool) {
	pos := t.ref(i)
	if pos == 0 || t.f.err != nil {
		return table{f: t.f}, false
	}
	return t.f.table(pos), true
}

func (t table) string(i int) string { return string(t.vector(i, 1)) }

// vector returns the bytes of a vector of elements of the given width. Strings are copied out of it, so it costs.
func (t table) vector(i int, width int64) []byte {
	pos := t.ref(i)
	if pos == 0 || t.f.err != nil {
		return nil
	}
	n := t.f.u32(pos)
	if n > math.MaxInt32 {
		t.f.fail("vector of %d elements", n)
		return nil
	}
	t.f.spend(n * width)
	return t.f.at(pos+4, n*width)
}

// tables returns the positions of a vector of tables; element i is f.table(tables[i]).
func (t table) tables(i int) tables {
	pos := t.ref(i)
	if pos == 0 {
		return tables{}
	}
	return tables{f: t.f, pos: pos + 4, refs: t.vector(i, 4)}
}

type tables struct {
	f    *flat
	pos  int64
	refs []byte
}

func (v tables) len() int { return len(v.refs) / 4 }

func (v tables) at(i int) table {
	return v.f.table(v.pos + 4*int64(i) + int64(binary.LittleEndian.Uint32(v.refs[4*i:])))
}
