package kuduwire

import (
	"encoding/binary"
	"strconv"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// RowOpType says what a row operation does.
type RowOpType uint8

// Row operations. Those with Ignore count as done where the row is there already, or is not there.
const (
	RowInsert       RowOpType = 1
	RowUpdate       RowOpType = 2
	RowDelete       RowOpType = 3
	RowUpsert       RowOpType = 5
	RowInsertIgnore RowOpType = 10
	RowUpdateIgnore RowOpType = 11
	RowDeleteIgnore RowOpType = 12
	RowUpsertIgnore RowOpType = 13
)

var rowOpNames = [...]string{
	1: "INSERT", 2: "UPDATE", 3: "DELETE", 5: "UPSERT",
	10: "INSERT_IGNORE", 11: "UPDATE_IGNORE", 12: "DELETE_IGNORE", 13: "UPSERT_IGNORE",
}

// String returns Kudu's word.
func (t RowOpType) String() string {
	if t.known() {
		return rowOpNames[t]
	}
	return "row operation " + strconv.Itoa(int(t))
}

func (t RowOpType) known() bool { return int(t) < len(rowOpNames) && rowOpNames[t] != "" }

// What stands for row operations where ranges of keys are described.
const (
	rangeLower RowOpType = 6 // the least of a range
	rangeUpper RowOpType = 7 // the first after it
)

// Plain returns the operation without its Ignore.
func (t RowOpType) Plain() RowOpType {
	switch t {
	case RowInsertIgnore:
		return RowInsert
	case RowUpdateIgnore:
		return RowUpdate
	case RowDeleteIgnore:
		return RowDelete
	case RowUpsertIgnore:
		return RowUpsert
	}
	return t
}

// Ignores reports whether the operation has an Ignore.
func (t RowOpType) Ignores() bool { return t >= RowInsertIgnore }

const indirectSize = 16

// RowLayout is how the row operations of a client with a certain schema are laid out.
type RowLayout struct {
	width  []uint8 // of each column; 0 = u64 offset and u64 length of bytes elsewhere
	bitmap int
	nulls  bool
}

// NewRowLayout returns the layout that clients with the schema s use.
func NewRowLayout(s *Schema) (*RowLayout, error) {
	l := &RowLayout{width: make([]uint8, len(s.Columns)), bitmap: (len(s.Columns) + 7) / 8}
	for i := range s.Columns {
		c := &s.Columns[i]
		l.nulls = l.nulls || c.Nullable
		w := c.Type.Width()
		if c.Array || w == 0 && !c.Type.Binary() {
			e := errs.Errorf(errs.ErrUnsupported, "rows of a client with a column that is an array or of type %s", c.Type)
			e.Column = c.Name
			return nil, e
		}
		l.width[i] = uint8(w)
	}
	return l, nil
}

// RowCell is a column of a row operation.
type RowCell struct {
	Set   bool
	Null  bool   // only if Set
	Value []byte // little-endian or the bytes of a string; part of what RowOps was given
}

// RowOps walks row operations:
//
//	u8 type   bitmap of columns set   [bitmap of columns null]   cells of the columns set and not null
//
// The second bitmap is there if the client's schema has any nullable column. Bits count from the lowest, and 1 means
// null, unlike in CFiles. Cells are in the client's order of columns, without padding. Walking allocates nothing.
type RowOps struct {
	Type  RowOpType
	Cells []RowCell // one for each column of the client, overwritten by the next

	l        *RowLayout
	rows     []byte // what follows
	indirect []byte
	size     int
	bounds   bool // what is walked are bounds of ranges
	err      error
}

// Open makes o walk rows, whose strings are in indirect, and forget what it walked before.
func (o *RowOps) Open(l *RowLayout, rows, indirect []byte) {
	if cap(o.Cells) < len(l.width) {
		o.Cells = make([]RowCell, len(l.width))
	}
	o.Cells = o.Cells[:len(l.width)]
	o.l, o.rows, o.indirect, o.size, o.bounds, o.err = l, rows, indirect, len(rows), false, nil
}

// openBounds is Open for a lower and an upper bound of each of some ranges.
func (o *RowOps) openBounds(l *RowLayout, rows, indirect []byte) {
	o.Open(l, rows, indirect)
	o.bounds = true
}

// Next moves to the next operation; false at the end and after an error, which Err returns.
func (o *RowOps) Next() bool {
	if len(o.rows) == 0 || o.err != nil {
		return false
	}
	b, l := o.rows, o.l
	head := 1 + l.bitmap
	if l.nulls {
		head += l.bitmap
	}
	o.Type = RowOpType(b[0])
	if o.bounds && o.Type != rangeLower && o.Type != rangeUpper || !o.bounds && !o.Type.known() {
		return o.fail("%s", o.Type)
	}
	if len(b) < head {
		return o.fail("%s is cut short", o.Type)
	}
	set, null := b[1:1+l.bitmap], b[1+l.bitmap:head]
	b = b[head:]
	for i, w := range l.width {
		c := &o.Cells[i]
		bit := byte(1) << (i & 7)
		if set[i>>3]&bit == 0 {
			*c = RowCell{}
			continue
		}
		if l.nulls && null[i>>3]&bit != 0 {
			*c = RowCell{Set: true, Null: true}
			continue
		}
		n := int(w)
		if n > 0 {
			if len(b) < n {
				return o.fail("%s is cut short", o.Type)
			}
			*c = RowCell{Set: true, Value: b[:n:n]}
			b = b[n:]
			continue
		}
		if len(b) < indirectSize {
			return o.fail("%s is cut short", o.Type)
		}
		off, size := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		if all := uint64(len(o.indirect)); off > all || size > all-off {
			return o.fail("%s: %d bytes at %d of %d", o.Type, size, off, all)
		}
		*c = RowCell{Set: true, Value: o.indirect[off : off+size : off+size]}
		b = b[indirectSize:]
	}
	o.rows = b
	return true
}

func (o *RowOps) fail(format string, args ...any) bool {
	o.err = place(errs.Errorf(errs.ErrCorrupt, format, args...), "row operations", int64(o.size-len(o.rows)))
	return false
}

// Err returns the error that Next met; its offset counts from the first row operation.
func (o *RowOps) Err() error { return o.err }
