package cursor_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cursor"
)

func TestFields(t *testing.T) {
	b := []byte{
		0xfe,
		0x01, 0x02, 0x03, 0x84,
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88,
		0xff, 0xff, 0xff, 0xff,
		0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		'a', 'b', 'c', 'd',
	}
	c := cursor.New(b, 1000)
	check := func(what string, got, want any, off int64) {
		t.Helper()
		if got != want || c.Offset() != off {
			t.Errorf("%s = %v, offset %d; want %v, %d", what, got, c.Offset(), want, off)
		}
	}
	check("U8", c.U8(), uint8(0xfe), 1001)
	check("U32", c.U32(), uint32(0x84030201), 1005)
	check("U64", c.U64(), uint64(0x8807060504030201), 1013)
	check("I32", c.I32(), int32(-1), 1017)
	check("I64", c.I64(), int64(-2), 1025)
	c.Skip(1)
	s := c.Bytes(2)
	check("Bytes", string(s), "bc", 1028)
	if cap(s) != 2 {
		t.Errorf("capacity of Bytes(2) is %d", cap(s))
	}
	check("Remaining", c.Remaining(), 1, 1028)
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	if got := c.Bytes(0); got == nil || len(got) != 0 || c.Err() != nil {
		t.Errorf("Bytes(0) = %v, %v", got, c.Err())
	}
}

func TestVarints(t *testing.T) {
	for _, v := range []int64{0, -1, 1, 63, 64, -64, -65, math.MaxInt32, math.MinInt32} {
		b := binary.AppendVarint(nil, v)
		if got := cursor.New(b, 0).Varint32(); int64(got) != v {
			t.Errorf("Varint32 %d = %d", v, got)
		}
	}
	// Needless padding, and bits that do not fit, as Java reads them.
	for _, k := range []struct {
		b    []byte
		want int32
		n    int64
	}{
		{[]byte{0x82, 0x80, 0x00}, 1, 3},
		{[]byte{0x82, 0x80, 0x80, 0x80, 0x00}, 1, 5},
		{[]byte{0x82, 0x80, 0x80, 0x80, 0x70}, 1, 5},
		{[]byte{0xff, 0xff, 0xff, 0xff, 0x7f}, math.MinInt32, 5},
	} {
		c := cursor.New(k.b, 0)
		if got := c.Varint32(); got != k.want || c.Offset() != k.n || c.Err() != nil {
			t.Errorf("% x: %d, %d bytes, %v", k.b, got, c.Offset(), c.Err())
		}
	}
}

func TestFailures(t *testing.T) {
	long := bytes.Repeat([]byte{0x80}, 12)
	for _, k := range []struct {
		name string
		b    []byte
		f    func(c *cursor.Cursor)
		want error
	}{
		{"U8", nil, func(c *cursor.Cursor) { c.U8() }, cursor.ErrShort},
		{"U32", []byte{1, 2, 3}, func(c *cursor.Cursor) { c.U32() }, cursor.ErrShort},
		{"U64", make([]byte, 7), func(c *cursor.Cursor) { c.U64() }, cursor.ErrShort},
		{"Bytes", []byte{1, 2}, func(c *cursor.Cursor) { c.Bytes(3) }, cursor.ErrShort},
		{"Bytes huge", []byte{1, 2}, func(c *cursor.Cursor) { c.Bytes(math.MaxInt) }, cursor.ErrShort},
		{"Bytes negative", []byte{1, 2}, func(c *cursor.Cursor) { c.Bytes(-1) }, cursor.ErrNegative},
		{"Skip least", []byte{1, 2}, func(c *cursor.Cursor) { c.Skip(math.MinInt) }, cursor.ErrNegative},
		{"Varint32 empty", nil, func(c *cursor.Cursor) { c.Varint32() }, cursor.ErrShort},
		{"Varint32 cut", long[:4], func(c *cursor.Cursor) { c.Varint32() }, cursor.ErrShort},
		{"Varint32 six", long[:6], func(c *cursor.Cursor) { c.Varint32() }, cursor.ErrVarint},
		{"Varint32 five open", long[:5], func(c *cursor.Cursor) { c.Varint32() }, cursor.ErrVarint},
	} {
		c := cursor.New(k.b, 50)
		k.f(c)
		err := c.Err()
		var e *errs.Error
		if !errors.Is(err, k.want) || !errors.Is(err, errs.ErrCorrupt) || !errors.As(err, &e) || e.Off != 50 {
			t.Errorf("%s: %v", k.name, err)
			continue
		}
		// Sticky: nothing is read any more, and the first failure stays.
		if c.U8() != 0 || c.I64() != 0 || c.Varint32() != 0 || c.Bytes(0) != nil || c.Remaining() != 0 || c.Offset() != 50 {
			t.Errorf("%s: reads go on after the failure", k.name)
		}
		c.Fail(errors.New("later"))
		if c.Err() != err {
			t.Errorf("%s: the first failure was replaced by %v", k.name, c.Err())
		}
	}
}

func TestFail(t *testing.T) {
	c := cursor.New([]byte{1, 2, 3}, 7)
	c.U8()
	c.Fail(nil)
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	c.Fail(errs.Errorf(errs.ErrUnsupported, "version %d", 9))
	if got := c.Err().Error(); got != "at 8: version 9" || !errors.Is(c.Err(), errs.ErrUnsupported) {
		t.Errorf("%q", got)
	}
}

// FuzzCursor drives a cursor by a script and compares it with encoding/binary on the side.
func FuzzCursor(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8}, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13})
	f.Add([]byte{8, 9, 10, 11}, []byte{0x82, 0x80, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, script, b []byte) {
		c := cursor.New(b, 0)
		for _, op := range script {
			before, failed := c.Offset(), c.Err() != nil
			switch op % 12 {
			case 0:
				c.U8()
			case 1:
				c.I32()
			case 2:
				c.U32()
			case 3:
				c.U64()
			case 4:
				c.Bytes(int(int8(op)))
			case 5:
				c.Skip(math.MaxInt - int(op))
			case 6:
				c.Bytes(int(c.Varint32()))
			default:
				want, n := binary.Varint(b[before:])
				got := c.Varint32()
				if n > 0 && n <= 5 && !failed && (int64(got) != want || c.Offset() != before+int64(n)) {
					t.Fatalf("% x: %d, want %d", b[before:], got, want)
				}
			}
			if c.Offset() < before || c.Offset() > int64(len(b)) || failed && c.Offset() != before {
				t.Fatalf("offset went from %d to %d of %d", before, c.Offset(), len(b))
			}
		}
	})
}
