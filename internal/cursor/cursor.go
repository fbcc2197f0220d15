package cursor

import (
	"encoding/binary"
	"errors"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Causes of a failed read; Err wraps one of them together with errs.ErrCorrupt. ErrShort alone may be cured by more
// bytes: a parser that was given only the beginning of a structure can fetch more and start again.
var (
	ErrShort    = errors.New("not enough bytes")
	ErrVarint   = errors.New("varint is too long")
	ErrNegative = errors.New("length is negative")
)

// Cursor is a position in a byte slice with a sticky error. The zero Cursor is at the end of nothing. It is for one
// goroutine.
type Cursor struct {
	b    []byte
	pos  int
	base int64
	err  error
}

// New returns a cursor at the start of b, whose first byte lies at absolute offset base. b is not copied.
func New(b []byte, base int64) *Cursor { return &Cursor{b: b, base: base} }

// Offset returns the absolute offset of the next byte; after a failure, of the read that failed.
func (c *Cursor) Offset() int64 { return c.base + int64(c.pos) }

// Remaining returns how many bytes are left; 0 after a failure, so that counts bounded by it come to nothing.
func (c *Cursor) Remaining() int {
	if c.err != nil {
		return 0
	}
	return len(c.b) - c.pos
}

// Err returns nil or the first failure: an *errs.Error of kind ErrCorrupt with the absolute offset of the read that
// failed, wrapping ErrShort, ErrVarint or ErrNegative.
func (c *Cursor) Err() error { return c.err }

// Fail makes err the cursor's failure, at the present offset, unless there is one already. Parsers use it for values
// that can be read but not be right.
func (c *Cursor) Fail(err error) {
	if c.err == nil && err != nil {
		c.err = errs.Locate(err, errs.At{Off: errs.N(c.Offset())})
	}
}

// take returns the next n bytes, or nil and a failure.
func (c *Cursor) take(n int) []byte {
	if c.err != nil || uint(n) > uint(len(c.b)-c.pos) {
		c.short(n)
		return nil
	}
	b := c.b[c.pos : c.pos+n : c.pos+n]
	c.pos += n
	return b
}

func (c *Cursor) short(n int) {
	if c.err != nil {
		return
	}
	if n < 0 {
		c.Fail(errs.Errorf(errs.ErrCorrupt, "%w: %d", ErrNegative, n))
		return
	}
	c.Fail(errs.Errorf(errs.ErrCorrupt, "%w: %d needed, %d left", ErrShort, n, len(c.b)-c.pos))
}

// Bytes returns the next n bytes. They are a part of the slice given to New, not a copy; their capacity ends with them.
// A negative n is a failure: it comes from a file.
func (c *Cursor) Bytes(n int) []byte { return c.take(n) }

// Skip passes over n bytes.
func (c *Cursor) Skip(n int) { c.take(n) }

// U8 reads a byte.
func (c *Cursor) U8() uint8 {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

// U32 reads four bytes, little-endian.
func (c *Cursor) U32() uint32 {
	if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 reads eight bytes, little-endian.
func (c *Cursor) U64() uint64 {
	if b := c.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// I32 reads four bytes, little-endian, two's complement.
func (c *Cursor) I32() int32 { return int32(c.U32()) }

// I64 reads eight bytes, little-endian, two's complement.
func (c *Cursor) I64() int64 { return int64(c.U64()) }

// Varint32 reads a zig-zag varint of at most five bytes. Padding and bits above the 32nd are ignored, as Avro's and
// Trevni's Java readers do.
func (c *Cursor) Varint32() int32 {
	u := uint32(c.varint(5))
	return int32(u>>1) ^ -int32(u&1)
}

// Varint64 is Varint32 of 64 bits, at most ten bytes.
func (c *Cursor) Varint64() int64 {
	u := c.varint(10)
	return int64(u>>1) ^ -int64(u&1)
}

func (c *Cursor) varint(most int) uint64 {
	if c.err != nil {
		return 0
	}
	var u uint64
	for i, b := range c.b[c.pos:] {
		if i == most {
			break
		}
		u |= uint64(b&0x7f) << (7 * uint(i))
		if b < 0x80 {
			c.pos += i + 1
			return u
		}
	}
	if len(c.b)-c.pos >= most {
		c.Fail(errs.Errorf(errs.ErrCorrupt, "%w: more than %d bytes", ErrVarint, most))
	} else {
		c.Fail(errs.Errorf(errs.ErrCorrupt, "%w: a varint goes on behind the end", ErrShort))
	}
	return 0
}
