package cfilewire

import (
	"encoding/binary"
	"math"
	"strconv"
	"time"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb"
)

// DeltaKey says which row a delta is about, and when it was.
type DeltaKey struct {
	Row  int64  // ordinal in the rowset, below 1<<32
	Time uint64 // hybrid time: microseconds since 1970 << 12 | a counter
}

// ParseDeltaKey reads the key that each value of a delta file starts with, and that the file's value index is of: row
// and time, each a memory-comparable varint. It returns what follows the key.
func ParseDeltaKey(b []byte) (k DeltaKey, rest []byte, err error) {
	row, b, ok := orderedVarint(b)
	if !ok || row > math.MaxUint32 {
		return k, nil, errs.Errorf(errs.ErrCorrupt, "row of a delta cannot be read")
	}
	time, b, ok := orderedVarint(b)
	if !ok {
		return k, nil, errs.Errorf(errs.ErrCorrupt, "time of a delta cannot be read")
	}
	return DeltaKey{Row: int64(row), Time: time}, b, nil
}

// AppendDeltaKey appends the key as Kudu writes it.
func AppendDeltaKey(dst []byte, k DeltaKey) []byte {
	return appendOrderedVarint(appendOrderedVarint(dst, uint64(k.Row)), k.Time)
}

// orderedVarint reads a varint whose bytes compare as its values do, which is SQLite4's:
//
//	first byte  0 to 240      the value itself
//	            241 to 248    240 + 256*(first-241) + one byte
//	            249           2288 + two bytes, big-endian
//	            250 to 255    first-247 bytes, big-endian
func orderedVarint(b []byte) (v uint64, rest []byte, ok bool) {
	if len(b) == 0 {
		return 0, nil, false
	}
	first, b := b[0], b[1:]
	switch {
	case first <= 240:
		return uint64(first), b, true
	case first <= 248:
		if len(b) < 1 {
			return 0, nil, false
		}
		return 240 + uint64(first-241)<<8 + uint64(b[0]), b[1:], true
	case first == 249:
		if len(b) < 2 {
			return 0, nil, false
		}
		return 2288 + uint64(binary.BigEndian.Uint16(b)), b[2:], true
	}
	n := int(first) - 247
	if len(b) < n {
		return 0, nil, false
	}
	for _, c := range b[:n] {
		v = v<<8 | uint64(c)
	}
	return v, b[n:], true
}

func appendOrderedVarint(dst []byte, v uint64) []byte {
	switch {
	case v <= 240:
		return append(dst, byte(v))
	case v < 2288:
		return append(dst, byte(241+(v-240)>>8), byte(v-240))
	case v < 2288+1<<16:
		return binary.BigEndian.AppendUint16(append(dst, 249), uint16(v-2288))
	}
	n := 3
	for ; n < 8 && v>>(8*n) != 0; n++ {
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], v)
	return append(append(dst, byte(247+n)), b[8-n:]...)
}

// Op is what a change does to a row.
type Op uint8

// Ops, numbered as in files. In an UNDO file they are what takes the row back to before the change.
const (
	Update   Op = iota + 1 // sets cells
	Delete                 // the row is gone
	Reinsert               // the row is there again, with these cells
)

var opNames = [...]string{Update: "update", Delete: "delete", Reinsert: "reinsert"}

// String returns the op in lower case.
func (o Op) String() string {
	if o >= Update && o <= Reinsert {
		return opNames[o]
	}
	return "op " + strconv.Itoa(int(o))
}

// Changes walks the cells that a change sets. It copies nothing and keeps its first error, which is
// errs.ErrCorrupt.
//
//	for c.Next() {
//		… c.Column, c.Value, c.Null
//	}
//	return c.Err
type Changes struct {
	b []byte // what follows the present cell

	Column int32  // id, not position; never negative
	Value  []byte // little-endian at the type's width, a byte for bool, bytes as they are; nil if null
	Null   bool
	Err    error
}

// ParseChange reads a row change list, which in a delta file follows the key: an op and, unless that is Delete, cells:
//
//	op(u8)  { varint column id, varint 0 if null, else 1 + length, value } …
//
// No bytes may follow Delete, and an Update sets a cell at least. A Reinsert need not: all columns may be of the key.
func ParseChange(b []byte) (Op, Changes, error) {
	if len(b) == 0 {
		return 0, Changes{}, errs.Errorf(errs.ErrCorrupt, "a delta without a change")
	}
	op, b := Op(b[0]), b[1:]
	switch {
	case op < Update || op > Reinsert:
		return 0, Changes{}, errs.Errorf(errs.ErrCorrupt, "change %d is not known", op)
	case op == Delete && len(b) > 0:
		return 0, Changes{}, errs.Errorf(errs.ErrCorrupt, "%d bytes behind a delete", len(b))
	case op == Update && len(b) == 0:
		return 0, Changes{}, errs.Errorf(errs.ErrCorrupt, "an update of nothing")
	}
	return op, Changes{b: b}, nil
}

// Next moves to the next cell; false at the end and after an error.
func (c *Changes) Next() bool {
	if len(c.b) == 0 || c.Err != nil {
		return false
	}
	id, used := binary.Uvarint(c.b)
	if used <= 0 || id > math.MaxInt32 {
		return c.fail("column id of a change cannot be read")
	}
	b := c.b[used:]
	n, used := binary.Uvarint(b)
	if used <= 0 || n > math.MaxInt32 {
		return c.fail("length of a changed value cannot be read")
	}
	b = b[used:]
	c.Column, c.Null, c.Value = int32(id), n == 0, nil
	if !c.Null {
		if n--; n > uint64(len(b)) {
			return c.fail("changed value of column id %d has %d bytes of %d", c.Column, len(b), n)
		}
		c.Value, b = b[:n:n], b[n:]
	}
	c.b = b
	return true
}

func (c *Changes) fail(format string, args ...any) bool {
	c.Err = errs.Errorf(errs.ErrCorrupt, format, args...)
	return false
}

// DeltaStats counts what is in a delta file.
type DeltaStats struct {
	Deletes   int64
	Reinserts int64
	MinTime   uint64
	MaxTime   uint64
	Updates   []ColumnUpdates // in the order of the file
}

// ColumnUpdates is how many changes of a delta file set a column: updates, and reinserts too.
type ColumnUpdates struct {
	ID    int32
	Count int64
}

var deltaStatsTable = pb.NewTable(
	pb.Uint(1, "delete_count", func(s *DeltaStats) *int64 { return &s.Deletes }).Required(),
	pb.Fixed64(3, "min_timestamp", func(s *DeltaStats) *uint64 { return &s.MinTime }).Required().Word(TimeText),
	pb.Fixed64(4, "max_timestamp", func(s *DeltaStats) *uint64 { return &s.MaxTime }).Required().Word(TimeText),
	pb.Parts(5, "column_stats", "column", pb.NewTable(
		pb.Int(1, "col_id", func(u *ColumnUpdates) *int32 { return &u.ID }).Required(),
		pb.Uint(2, "update_count", func(u *ColumnUpdates) *int64 { return &u.Count }),
	), func(s *DeltaStats) *[]ColumnUpdates { return &s.Updates }),
	pb.Uint(6, "reinsert_count", func(s *DeltaStats) *int64 { return &s.Reinserts }),
)

// ParseDeltaStats reads DeltaStatsPB, the footer metadata MetaDeltaStats of a delta file.
func ParseDeltaStats(b []byte) (DeltaStats, error) {
	var s DeltaStats
	err := deltaStatsTable.Parse(b, &s)
	return s, err
}

// TimeText renders a hybrid time for people: microseconds << 12 | a counter, and the number itself. A time before 1990 is
// the number alone.
func TimeText(hybrid uint64) string {
	const nineties = 631152000 * 1000000
	number := strconv.FormatUint(hybrid, 10)
	if hybrid>>12 < nineties {
		return number
	}
	s := time.UnixMicro(int64(hybrid >> 12)).UTC().Format("2006-01-02T15:04:05.000000Z")
	if n := hybrid & (1<<12 - 1); n > 0 {
		s += "+" + strconv.FormatUint(n, 10)
	}
	return s + " (" + number + ")"
}
