package trevni

import (
	"errors"
	"fmt"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// column is the forward cursor over one stored column within a split. At any time it stands at a row; while that row
// is in need, its block is unpacked and p (or bits) is where the row's bytes begin.
type column struct {
	*trevniwire.Column
	blocks []trevniwire.Block                                             // those of the split that are needed, and only those
	packed [][]byte                                                       // the bytes of each, checksum behind, where they were fetched ahead; same indices
	source func(off, n int64, buf []byte) (piece, buf2 []byte, err error) // where they were not
	zero   func() (trevniwire.Verdict, error)                             // what a checksum of 0 means that does not fit its block
	window int64                                                          // bytes to read at once, if that many are needed
	*kept
	index int
	live  bool           // at the current row
	need  arrowio.RowSet // rows whose bytes must be walked: those wanted, and those before them in the same block
	width int64          // bytes of Arrow memory that a value takes at least; 0 = values are not decoded
	batch *budget

	codec  *blockcodec.Decoder
	block  int // current block, or the next one needed
	loaded bool
	raw    []byte // the block
	spot
	free int64 // elements without bytes since the last take
	owed int64 // bytes that have not been counted yet: see charge
}

// seek moves to row, which must not lie behind, and returns whether its bytes are to be walked and up to which row
// the answer and the block stay the same.
func (c *column) seek(row, end int64) (live bool, until int64, err error) {
	for len(c.need) > 0 && c.need[0].End <= row {
		c.need = c.need[1:]
	}
	if len(c.need) == 0 {
		return false, end, nil
	}
	if row < c.need[0].Start {
		return false, min(end, c.need[0].Start), nil
	}
	for c.block < len(c.blocks) && c.blocks[c.block].End() <= row {
		c.block++
		c.loaded = false
	}
	if c.block == len(c.blocks) {
		return false, 0, c.fail(errs.Errorf(errs.ErrInternal, "no block planned for row %d", row))
	}
	if !c.loaded {
		if c.blocks[c.block].Start != row && c.resume(&c.blocks[c.block]) != row {
			return false, 0, c.fail(errs.Errorf(errs.ErrInternal, "row %d is inside a block that was not entered", row))
		}
		if err := c.load(row); err != nil {
			return false, 0, err
		}
	}
	return true, min(end, c.need[0].End, c.blocks[c.block].End()), nil
}

// kept is what a column leaves to the reader of the next split, which often begins in the block where this one ended.
type kept struct {
	whole  []byte // the block unpacked last
	at     int64  // where that lies in the file; 0 = none
	space  []byte // to unpack to
	piece  []byte // what was read of the file last
	from   int64  // where that lies
	buffer []byte // that it was read into

	row  int64 // where the walk through the block stood; together with:
	spot spot
}

// spot is a place within a block, between two rows.
type spot struct {
	p      int   // next byte
	bits   int   // boolean columns: next bit, instead of p
	run    int   // entries left in the run of lengths
	runLen int32 // their length
}

// stored returns the bytes of the current block and its checksum.
func (c *column) stored() ([]byte, error) {
	if c.packed != nil {
		return c.packed[c.block], nil
	}
	b := &c.blocks[c.block]
	n := b.Packed + c.Checksum.Size()
	if from := b.Off - c.from; c.piece != nil && from >= 0 && from+n <= int64(len(c.piece)) {
		return c.piece[from : from+n], nil
	}
	want := n
	for k := c.block + 1; k < len(c.blocks) && c.blocks[k].Off == b.Off+want; k++ {
		more := c.blocks[k].Packed + c.Checksum.Size()
		if want+more > c.window {
			break
		}
		want += more
	}
	var err error
	c.from = b.Off
	c.piece, c.buffer, err = c.source(b.Off, want, c.buffer)
	if err != nil {
		return nil, err
	}
	return c.piece[:n], nil
}

// resume returns the row within b where the reader of the split before stood, or -1.
func (c *column) resume(b *trevniwire.Block) int64 {
	if c.kept != nil && c.at == b.Off && b.Packed > 0 && c.row >= b.Start && c.row < b.End() {
		return c.row
	}
	return -1
}

// leave keeps the place where the walk stands for the next reader.
func (c *column) leave(row int64) {
	if c.loaded && c.at == c.blocks[c.block].Off {
		c.row, c.kept.spot = row, c.spot
	}
}

// load unpacks the current block, unless it is still there, and goes to row: its first, or where the last reader stood.
func (c *column) load(row int64) error {
	b := &c.blocks[c.block]
	if row != b.Start {
		c.raw, c.spot, c.loaded = c.whole, c.kept.spot, true
		return nil
	}
	if c.at != b.Off || b.Packed == 0 {
		c.at, c.row = 0, -1
		if err := c.unpack(b); err != nil {
			return err
		}
		if b.Packed > 0 && (c.Codec != blockcodec.None || c.packed == nil) {
			c.at = b.Off // otherwise there is nothing, or it goes with this reader
		}
	}
	c.raw, c.spot, c.loaded = c.whole, spot{}, true
	return nil
}

func (c *column) unpack(b *trevniwire.Block) error {
	stored, err := c.stored()
	if err != nil {
		return errs.Locate(err, errs.At{Column: c.Name, Off: errs.N(b.Off)})
	}
	c.whole = stored[:b.Packed]
	if c.Codec != blockcodec.None {
		if need := int(b.Raw) + blockcodec.Slack; cap(c.space) < need {
			c.space = make([]byte, 0, need+need/8) // blocks differ a little in size
		}
		if c.whole, err = c.codec.Decode(c.Codec, c.space[:0], stored[:b.Packed], int(b.Raw), true); err != nil {
			return c.failAt(err, b.Off)
		}
	}
	if c.Checksum != trevniwire.NoChecksum {
		v := trevniwire.CheckSum(c.Column, c.whole, stored[b.Packed:])
		if v == trevniwire.SumAbsent {
			if v, err = c.zero(); err != nil {
				return errs.Locate(err, errs.At{Column: c.Name, Off: errs.N(b.Off)})
			}
		}
		if v == trevniwire.SumWrong {
			return c.failAt(errs.Errorf(errs.ErrCorrupt, "the checksum is wrong"), b.Off+b.Packed)
		}
	}
	return nil
}

// finish checks, when row is the end of the current block, that nothing of it is left.
func (c *column) finish(row int64) error {
	if row != c.blocks[c.block].End() {
		return nil
	}
	p := c.p
	if c.Type == trevniwire.Boolean {
		p = (c.bits + 7) >> 3
	}
	if p != len(c.raw) {
		return c.fail(errs.Errorf(errs.ErrCorrupt, "%d bytes are left behind the block's last row", len(c.raw)-p))
	}
	if c.run > 0 {
		return c.fail(errs.Errorf(errs.ErrCorrupt, "a run of lengths goes on for %d entries behind the block's last row", c.run))
	}
	return nil
}

// group reads the next length, or takes it from a run: k entries (at most most) of n elements each.
func (c *column) group(most int) (k int, n int32, err error) {
	c.alignBits()
	if c.run == 0 {
		v, err := c.length()
		if err != nil {
			return 0, 0, err
		}
		c.bits = c.p * 8
		if v >= 0 {
			return 1, v, nil
		}
		// A run: -1 two of none, -2 two of one, -3 three of none, … (docs/formats/trevni.md, runs of lengths).
		c.run = int((1-int64(v))/2 + 1)
		c.runLen = (v + 1) & 1
	}
	if c.Type == trevniwire.Boolean && c.runLen > 0 {
		most = 1 // the bits of each entry begin on a byte of their own
	}
	k = min(c.run, most)
	c.run -= k
	return k, c.runLen, nil
}

// length reads one varint: a length, or that of a string.
func (c *column) length() (int32, error) {
	if c.p < len(c.raw) && c.raw[c.p] < 0x80 {
		x := c.raw[c.p]
		c.p++
		return int32(x>>1) ^ -int32(x&1), nil
	}
	v, n, err := bitpack.Zigzag[int32](c.raw[c.p:])
	if err != nil {
		return 0, c.fail(err)
	}
	c.p += n
	return v, nil
}

// bytes reads a length and returns that many bytes.
func (c *column) bytes() ([]byte, error) {
	n, err := c.length()
	if err != nil {
		return nil, err
	}
	if n < 0 || int(n) > len(c.raw)-c.p {
		return nil, c.fail(errs.Errorf(errs.ErrCorrupt, "a value of %d bytes in the last %d bytes of the block", n, len(c.raw)-c.p))
	}
	c.p += int(n)
	return c.raw[c.p-int(n) : c.p], nil
}

// alignBits ends the byte of a boolean array: each array starts on a byte of its own.
func (c *column) alignBits() {
	if c.Type == trevniwire.Boolean {
		c.p = (c.bits + 7) >> 3
		c.bits = c.p * 8
	}
}

func errShort(n, left int64) error {
	return errs.Errorf(errs.ErrCorrupt, "%d values in the last %d bytes of the block", n, left)
}

// values hands the next n values of a column that is no array to s.
func (c *column) values(n int, s sink) error {
	if n == 0 {
		return nil
	}
	if err := c.admit(int64(n)); err != nil {
		return err
	}
	if err := s.plain(c, n); err != nil {
		return err
	}
	return c.settle()
}

// skip passes over n values of a column that is no array.
func (c *column) skip(n int64) error {
	if n == 0 || c.Type == trevniwire.Null {
		return nil
	}
	if err := c.room(n); err != nil {
		return err
	}
	return c.pass(int(n))
}

// pass skips n values that room has admitted.
func (c *column) pass(n int) error {
	switch c.Type {
	case trevniwire.Null:
	case trevniwire.Boolean:
		c.bits += n
	case trevniwire.Int:
		return c.passed(bitpack.SkipVarints[int32](c.raw[c.p:], n))
	case trevniwire.Long:
		return c.passed(bitpack.SkipVarints[int64](c.raw[c.p:], n))
	case trevniwire.String, trevniwire.Bytes:
		for range n {
			if _, err := c.bytes(); err != nil {
				return err
			}
		}
	default:
		c.p += n * c.Type.Width()
	}
	return nil
}

// passed moves past n bytes, or says what is wrong there.
func (c *column) passed(n int, err error) error {
	c.p += n
	if err != nil {
		return c.fail(err)
	}
	return nil
}

// fail says where in the file an error is: under a codec the block, without one the byte.
func (c *column) fail(err error) error {
	off := int64(-1)
	if c.block < len(c.blocks) {
		off = c.blocks[c.block].Off
		if c.Codec == blockcodec.None {
			off += int64(c.p)
		}
	}
	return c.failAt(err, off)
}

func (c *column) failAt(err error, off int64) error {
	op := "blocks"
	if c.block < len(c.blocks) {
		op = fmt.Sprintf("block of rows %d to %d", c.blocks[c.block].Start, c.blocks[c.block].End())
	}
	switch {
	case errors.Is(err, bitpack.ErrShort):
		err = errs.Errorf(errs.ErrCorrupt, "the block ends within a value")
	case errors.Is(err, bitpack.ErrVarint):
		err = errs.Errorf(errs.ErrCorrupt, "a number has too many bytes")
	case !isKind(err):
		err = errs.Errorf(errs.ErrCorrupt, "%w", err)
	}
	return errs.Locate(err, errs.At{Format: Name, Op: op, Column: c.Name, Off: errs.N(off)})
}
