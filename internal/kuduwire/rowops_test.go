package kuduwire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

func layoutOf(tb testing.TB, columns ...Column) *RowLayout {
	tb.Helper()
	l, err := NewRowLayout(&Schema{Columns: columns})
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

func textOf(o *RowOps) (s []string) {
	for o.Next() {
		row := o.Type.String()
		for _, c := range o.Cells {
			switch {
			case !c.Set:
				row += " -"
			case c.Null:
				row += " null"
			default:
				row += fmt.Sprintf(" %x", c.Value)
			}
		}
		s = append(s, row)
	}
	return s
}

func indirect(off, size uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, off), size)
}

// Bytes by the format's description, column for column.
func TestRowOps(t *testing.T) {
	l := layoutOf(t, Column{Name: "k", Type: cfilewire.Int32, Key: true}, Column{Name: "b", Type: cfilewire.Bool}, Column{Name: "s", Type: cfilewire.String, Nullable: true},
		Column{Name: "d", Type: cfilewire.Decimal128}, Column{Name: "t", Type: cfilewire.UnixtimeMicros}, Column{Name: "f", Type: cfilewire.Float},
		Column{Name: "v", Type: cfilewire.Varchar}, Column{Name: "x", Type: cfilewire.Int8}, Column{Name: "ninth", Type: cfilewire.Date, Nullable: true})
	rows := []byte{1, 0b00000111, 1, 0b00000100, 1, 0xd2, 4, 0, 0, 1} // sets k, b, s, ninth; s and ninth are null
	rows = append(rows, 13, 0b11001101, 0, 0, 0)                      // sets k, s, d, v, x
	rows = append(rows, 1, 2, 3, 4)
	rows = append(rows, indirect(2, 3)...)
	rows = append(rows, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
	rows = append(rows, indirect(6, 0)...)
	rows = append(rows, 0xff)
	rows = append(rows, 3, 1, 0, 0xfe, 0xff, 9, 0, 0, 0) // bits of columns that are not set do not count
	var o RowOps
	o.Open(l, rows, []byte("abcdef"))
	want := []string{
		"INSERT d2040000 01 null - - - - - null",
		"UPSERT_IGNORE 01020304 - 636465 000102030405060708090a0b0c0d0e0f - -  ff -",
		"DELETE 09000000 - - - - - - - -",
	}
	got := textOf(&o)
	if o.Err() != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, %v", got, o.Err())
	}
	ends := map[int]bool{0: true, 10: true, len(rows) - 9: true}
	for n := range len(rows) {
		o.Open(l, rows[:n], []byte("abcdef"))
		got := textOf(&o)
		if (o.Err() == nil) != ends[n] || fmt.Sprint(got) != fmt.Sprint(want[:len(got)]) {
			t.Errorf("%d bytes: %q, %v", n, got, o.Err())
		}
		if o.Err() != nil && !errors.Is(o.Err(), errs.ErrCorrupt) {
			t.Error(o.Err())
		}
	}
	o.Open(l, rows, []byte("abcd"))
	if got := textOf(&o); len(got) != 1 || !errors.Is(o.Err(), errs.ErrCorrupt) {
		t.Errorf("%q, %v", got, o.Err())
	}
	data := []byte("abcdef")
	if n := testing.AllocsPerRun(10, func() {
		for o.Open(l, rows, data); o.Next(); {
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestRowOpsRefused(t *testing.T) {
	// Without a nullable column there is no second bitmap.
	l := layoutOf(t, Column{Name: "s", Type: cfilewire.Binary})
	var o RowOps
	data := []byte("abcdef")
	for _, c := range []struct {
		off, size uint64
		ok        bool
	}{
		{0, 6, true},
		{6, 0, true},
		{0, 7, false},
		{7, 0, false},
		{1, math.MaxUint64, false},
		{math.MaxUint64, 1, false},
		{math.MaxUint64, math.MaxUint64, false},
		{1 << 63, 1 << 63, false},
	} {
		o.Open(l, append([]byte{2, 1}, indirect(c.off, c.size)...), data)
		if o.Next() != c.ok || c.ok != (o.Err() == nil) {
			t.Errorf("%d at %d: %v", c.size, c.off, o.Err())
		}
	}
	known := map[byte]bool{1: true, 2: true, 3: true, 5: true, 10: true, 11: true, 12: true, 13: true}
	for typ := range 256 {
		o.Open(l, []byte{byte(typ), 0}, nil)
		if o.Next() != known[byte(typ)] {
			t.Errorf("type %d: %v", typ, o.Err())
		}
	}
	for _, c := range []Column{{Name: "a", Type: cfilewire.Int32, Array: true}, {Name: "n", Type: cfilewire.Nested}} {
		if _, err := NewRowLayout(&Schema{Columns: []Column{c}}); !errors.Is(err, errs.ErrUnsupported) {
			t.Error(err)
		}
	}
	for typ, plain := range map[RowOpType]RowOpType{RowInsertIgnore: RowInsert, RowUpdateIgnore: RowUpdate, RowDeleteIgnore: RowDelete, RowUpsertIgnore: RowUpsert, RowInsert: RowInsert} {
		if typ.Plain() != plain || typ.Ignores() != (typ != plain) {
			t.Error(typ)
		}
	}
}
