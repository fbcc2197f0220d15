package avro

import (
	"encoding/binary"
	"math"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// decoder decodes the rows of a block. Its functions take the position of a value in raw and return that behind it; a negative one
// says that err is set.
type decoder struct {
	raw      []byte
	limits   *arrowio.Limits
	left     int64         // bytes that the batch may still take
	elements int64         // elements without bytes that it may still have
	beyond   func(n *node) // takes decimals beyond their precision; nil = they are an error
	table    bool          // the file is a table's: an error names no option
	err      error
}

// failed is what functions return that have set err.
const failed = -1

func (d *decoder) fail(n *node, err error) int {
	if d.err == nil {
		d.err = err
		if n != nil {
			d.err = errs.Locate(err, errs.At{Column: n.path})
		}
	}
	return failed
}

func (d *decoder) short(int) int {
	return d.fail(nil, errs.Errorf(errs.ErrCorrupt, "the block ends within a row"))
}

func errBatch(limit int64) error {
	return errs.Errorf(errs.ErrLimit, "the batch is over the limit BatchBytes = %d: take fewer rows", limit)
}

// long decodes a varint.
func (d *decoder) long(p int) (int64, int) {
	if p < len(d.raw) && d.raw[p] < 0x80 {
		u := d.raw[p]
		return int64(u>>1) ^ -int64(u&1), p + 1
	}
	return d.longer(p)
}

// longer decodes a varint of more than one byte.
func (d *decoder) longer(p int) (int64, int) {
	var u uint64
	for shift := uint(0); p < len(d.raw); shift += 7 {
		b := d.raw[p]
		p++
		if b < 0x80 {
			if shift == 63 && b > 1 {
				break
			}
			u |= uint64(b) << shift
			return int64(u>>1) ^ -int64(u&1), p
		}
		if shift == 63 {
			return 0, d.fail(nil, errs.Errorf(errs.ErrCorrupt, "a number has more than 64 bits"))
		}
		u |= uint64(b&0x7f) << shift
	}
	if p < len(d.raw) {
		return 0, d.fail(nil, errs.Errorf(errs.ErrCorrupt, "a number has more than 64 bits"))
	}
	return 0, d.short(p)
}

// length decodes the length of bytes that follow.
func (d *decoder) length(p int) (int, int) {
	n, p := d.long(p)
	if p < 0 {
		return 0, p
	}
	if n < 0 || n > int64(len(d.raw)-p) {
		return 0, d.fail(nil, errs.Errorf(errs.ErrCorrupt, "a length of %d, but %d bytes are left in the block", n, len(d.raw)-p))
	}
	return int(n), p
}

// branch decodes which of n branches a union's value has.
func (d *decoder) branch(n, p int) (int, int) {
	b, p := d.long(p)
	if p >= 0 && (b < 0 || b >= int64(n)) {
		return 0, d.fail(nil, errs.Errorf(errs.ErrCorrupt, "branch %d of a union of %d", b, n))
	}
	return int(b), p
}

// items decodes the head of a block of items: their number, 0 at the end, and their size in bytes, -1 = not said.
func (d *decoder) items(p int) (n int64, size, q int) {
	n, p = d.long(p)
	if p < 0 || n >= 0 {
		return n, -1, p
	}
	if n == math.MinInt64 {
		return 0, 0, d.fail(nil, errs.Errorf(errs.ErrCorrupt, "a block of %d items", n))
	}
	size, p = d.length(p)
	return -n, size, p
}

// value decodes the value at p into the next slot of n, for which there is room.
func (d *decoder) value(n *node, p int) int {
	raw := d.raw
	if n.optional {
		var b int
		if p < len(raw) && raw[p]&^2 == 0 {
			b = int(raw[p] >> 1)
			p++
		} else if b, p = d.branch(2, p); p < 0 {
			return d.fail(n, d.err)
		}
		if b == n.null {
			n.setNull()
			return p
		}
	}
	i := n.n
	switch n.op {
	case opInt, opEnum:
		var v int64
		if v, p = d.long(p); p < 0 {
			return d.at(n)
		}
		if int64(int32(v)) != v {
			return d.fail(n, errs.Errorf(errs.ErrCorrupt, "the int %d has more than 32 bits", v))
		}
		if n.op == opEnum && uint64(v) >= uint64(n.symbols) {
			return d.fail(n, errs.Errorf(errs.ErrCorrupt, "enum value %d of %d symbols", v, n.symbols))
		}
		n.i32[i] = int32(v)
	case opLong:
		var v int64
		if v, p = d.long(p); p < 0 {
			return d.at(n)
		}
		n.i64[i] = v
	case opString:
		k, q := d.length(p)
		if q < 0 {
			return d.at(n)
		}
		if k > len(n.u8)-n.used && !d.room(n, k) {
			return failed
		}
		copy(n.u8[n.used:], raw[q:q+k])
		n.used += k
		n.i32[i+1] = int32(n.used)
		p = q + k
	case opDouble:
		if len(raw)-p < 8 {
			d.short(p)
			return d.at(n)
		}
		n.i64[i] = int64(binary.LittleEndian.Uint64(raw[p:]))
		p += 8
	case opFloat:
		if len(raw)-p < 4 {
			d.short(p)
			return d.at(n)
		}
		n.i32[i] = int32(binary.LittleEndian.Uint32(raw[p:]))
		p += 4
	case opBool:
		if p >= len(raw) {
			d.short(p)
			return d.at(n)
		}
		if raw[p] > 1 {
			return d.fail(n, errs.Errorf(errs.ErrCorrupt, "the boolean %d", raw[p]))
		}
		n.setBit(raw[p] == 1)
		p++
	case opFixed:
		if len(raw)-p < n.size {
			d.short(p)
			return d.at(n)
		}
		copy(n.u8[i*n.size:][:n.size], raw[p:])
		p += n.size
	case opDecimal128, opDecimal256:
		if p = d.decimal(n, p); p < 0 {
			return d.at(n)
		}
	case opRecord:
		if p = d.steps(n.steps, p); p < 0 {
			return p
		}
	case opList:
		if p = d.list(n, p); p < 0 {
			return d.at(n)
		}
	case opUnion:
		b, q := d.branch(len(n.branches), p)
		if q < 0 {
			return d.at(n)
		}
		k := n.branches[b]
		if !d.reserve(k, 1) {
			return failed
		}
		n.u8[i], n.i32[i] = byte(b), int32(k.n)
		if p = d.value(k, q); p < 0 {
			return p
		}
	}
	n.n = i + 1
	return p
}

// at adds to d.err that it is about n.
func (d *decoder) at(n *node) int {
	d.err = errs.Locate(d.err, errs.At{Column: n.path})
	return failed
}

// steps decodes the fields of a record.
func (d *decoder) steps(list []step, p int) int {
	for i := range list {
		s := &list[i]
		if s.node != nil {
			p = d.value(s.node, p)
		} else {
			p = d.skip(s.skip, p)
		}
		if p < 0 {
			return p
		}
	}
	return p
}

// list decodes the blocks of items of an array or a map.
func (d *decoder) list(n *node, p int) int {
	c := n.children[0]
	for {
		k, _, q := d.items(p)
		if q < 0 || k == 0 {
			n.i32[n.n+1] = int32(c.n)
			return q
		}
		p = q
		if n.least > 0 {
			if k > int64(len(d.raw)-p)/n.least {
				return d.fail(n, errs.Errorf(errs.ErrCorrupt, "%d items, but %d bytes are left in the block", k, len(d.raw)-p))
			}
		} else if d.elements -= min(k, math.MaxInt64/2); d.elements < 0 {
			return d.fail(n, errs.Errorf(errs.ErrLimit, "elements without bytes are over the limit BatchElements = %d: take fewer rows", d.limits.BatchElements))
		}
		if !d.reserve(c, int(k)) {
			return failed
		}
		for range k {
			if p = d.value(c, p); p < 0 {
				return p
			}
		}
	}
}
