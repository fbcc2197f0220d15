package puffinwire

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cursor"
)

// VectorType is the type of blobs that are deletion vectors.
const VectorType = "deletion-vector-v1"

const (
	vectorMagic    = "\xd1\xd3\x39\x64"
	cookieNoRuns   = 12346
	cookieRuns     = 12347
	mostContainers = 1 << 16
	mostInArray    = 4096
	bitmapBytes    = 1 << 13
	fewContainers  = 4 // from so many on, containers have offsets in any case
	leastBitmap    = 12
	highest        = math.MaxInt32 // of the high 32 bits of a position
)

func corrupt(format string, args ...any) error { return errs.Errorf(errs.ErrCorrupt, format, args...) }

// Vector returns the positions in a blob that is a deletion vector, in ascending order. There must be rows of them: more are an
// error before memory is taken for them. Errors are errs.ErrCorrupt.
func Vector(blob []byte, rows int64) ([]int64, error) {
	const frame = 4 + len(vectorMagic) + 4 // length, magic, checksum
	if len(blob) < frame+8 {
		return nil, corrupt("a deletion vector of %d bytes", len(blob))
	}
	if n := int64(binary.BigEndian.Uint32(blob)); n != int64(len(blob))-8 {
		return nil, corrupt("the deletion vector says that it has %d bytes, and has %d", n, len(blob)-8)
	}
	body, sum := blob[4:len(blob)-4], binary.BigEndian.Uint32(blob[len(blob)-4:])
	if string(body[:len(vectorMagic)]) != vectorMagic {
		return nil, corrupt("the deletion vector begins with %x, not %x", body[:len(vectorMagic)], vectorMagic)
	}
	if is := crc32.ChecksumIEEE(body); is != sum {
		return nil, corrupt("the checksum of the deletion vector is %08x, and it says %08x", is, sum)
	}
	d := decoder{c: cursor.New(body[len(vectorMagic):], 4+int64(len(vectorMagic))), rows: rows}
	if err := d.bitmaps(); err != nil {
		return nil, err
	}
	if n := d.c.Remaining(); n > 0 {
		return nil, corrupt("%d bytes are left behind the bitmap of the deletion vector", n)
	}
	if n := int64(len(d.out)); n != rows {
		return nil, corrupt("the deletion vector has %d positions, not %d", n, rows)
	}
	return d.out, nil
}

// decoder reads a bitmap.
type decoder struct {
	c    *cursor.Cursor
	rows int64 // the most positions
	out  []int64
}

// bitmaps reads a bitmap of 64 bits.
func (d *decoder) bitmaps() error {
	n := d.c.U64()
	if n > uint64(d.c.Remaining()/leastBitmap) {
		return corrupt("a deletion vector of %d bitmaps in %d bytes", n, d.c.Remaining())
	}
	last := int64(-1)
	for range n {
		high := int64(d.c.U32())
		if err := d.c.Err(); err != nil {
			return err
		}
		if high <= last || high > highest {
			return corrupt("in the deletion vector bitmap %d follows bitmap %d", high, last)
		}
		last = high
		if err := d.bitmap(high << 32); err != nil {
			return err
		}
	}
	return d.c.Err()
}

// container is what stands in front of a container.
type container struct {
	key    uint16
	values int
	runs   bool
}

// bitmap reads a bitmap of 32 bits, whose values are added to base.
func (d *decoder) bitmap(base int64) error {
	list, err := d.containers()
	if err != nil {
		return err
	}
	last := -1
	for _, k := range list {
		if int(k.key) <= last {
			return corrupt("in the deletion vector container %d follows container %d", k.key, last)
		}
		last = int(k.key)
		if int64(len(d.out)+k.values) > d.rows {
			return corrupt("the deletion vector has more than %d positions", d.rows)
		}
		at, from := base+int64(k.key)<<16, len(d.out)
		switch {
		case k.runs:
			err = d.runs(at, k.values)
		case k.values > mostInArray:
			err = d.bits(at)
		default:
			err = d.array(at, k.values)
		}
		if err != nil {
			return err
		}
		if n := len(d.out) - from; n != k.values {
			return corrupt("a container of the deletion vector has %d values, not %d", n, k.values)
		}
	}
	return nil
}

// containers reads what stands in front of the containers.
func (d *decoder) containers() ([]container, error) {
	cookie := d.c.U32()
	var n int
	var runs []byte
	switch {
	case cookie == cookieNoRuns:
		k := d.c.U32()
		if k > mostContainers {
			return nil, corrupt("a bitmap of the deletion vector has %d containers", k)
		}
		n = int(k)
	case cookie&0xffff == cookieRuns:
		n = int(cookie>>16) + 1
		runs = d.c.Bytes((n + 7) / 8)
	case d.c.Err() == nil:
		return nil, corrupt("a bitmap of the deletion vector begins with %d, not %d or %d", cookie, cookieNoRuns, cookieRuns)
	}
	heads := d.c.Bytes(4 * n)
	if runs == nil || n >= fewContainers {
		d.c.Skip(4 * n) // containers lie one after another
	}
	if err := d.c.Err(); err != nil {
		return nil, err
	}
	list := make([]container, n)
	for i := range list {
		h := heads[4*i:]
		list[i] = container{
			key: binary.LittleEndian.Uint16(h), values: int(binary.LittleEndian.Uint16(h[2:])) + 1,
			runs: runs != nil && runs[i>>3]>>(i&7)&1 != 0,
		}
	}
	return list, nil
}

func (d *decoder) runs(at int64, values int) error {
	count := d.c.Bytes(2)
	if err := d.c.Err(); err != nil {
		return err
	}
	b := d.c.Bytes(4 * int(binary.LittleEndian.Uint16(count)))
	if err := d.c.Err(); err != nil {
		return err
	}
	d.out = slices.Grow(d.out, values)
	next, left := int64(0), int64(values)
	for ; len(b) > 0; b = b[4:] {
		first, n := int64(binary.LittleEndian.Uint16(b)), int64(binary.LittleEndian.Uint16(b[2:]))+1
		if first < next || first+n > 1<<16 {
			return corrupt("a run of the deletion vector has %d values from %d, behind %d", n, first, next-1)
		}
		if next = first + n; n > left {
			return corrupt("a container of the deletion vector has more than %d values", values)
		}
		left -= n
		for v := first; v < next; v++ {
			d.out = append(d.out, at+v)
		}
	}
	return nil
}

func (d *decoder) array(at int64, values int) error {
	b := d.c.Bytes(2 * values)
	if err := d.c.Err(); err != nil {
		return err
	}
	d.out = slices.Grow(d.out, values)
	last := int64(-1)
	for ; len(b) > 0; b = b[2:] {
		v := int64(binary.LittleEndian.Uint16(b))
		if v <= last {
			return corrupt("in a container of the deletion vector %d follows %d", v, last)
		}
		last = v
		d.out = append(d.out, at+v)
	}
	return nil
}

func (d *decoder) bits(at int64) error {
	b := d.c.Bytes(bitmapBytes)
	if err := d.c.Err(); err != nil {
		return err
	}
	// The number of values was promised: more than that is found below, and is at most 65536.
	for ; len(b) > 0; b = b[8:] {
		for w := binary.LittleEndian.Uint64(b); w != 0; w &= w - 1 {
			d.out = append(d.out, at+int64(bits.TrailingZeros64(w)))
		}
		at += 64
	}
	return nil
}
