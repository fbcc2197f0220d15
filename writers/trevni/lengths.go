package trevni

import (
	"encoding/binary"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// maxRun is the longest run whose code fits an int.
const maxRun = 1 << 30

// putRun writes k entries of length n, 0 or 1, to dst at p and returns where they end: a single one as the length that
// it is, several as 3-2k for zeros, 2-2k for ones.
func putRun(dst []byte, p, n, k int) int {
	for ; k > maxRun; k -= maxRun {
		p = putRun(dst, p, n, maxRun)
	}
	switch k {
	case 0:
		return p
	case 1:
		dst[p] = byte(n << 1)
		return p + 1
	}
	return p + binary.PutVarint(dst[p:], int64(3-n-2*k))
}

// putLength writes a run of empty entries, and the length of the one behind it.
func putLength(dst []byte, p, zeros, n int) int {
	if zeros > 0 {
		p = putRun(dst, p, 0, zeros)
	}
	if n < 64 {
		dst[p] = byte(n << 1)
		return p + 1
	}
	return p + binary.PutVarint(dst[p:], int64(n))
}

// Entries of each kind of values: offs[e] to offs[e+1] are those of entry e, and each entry is its length with the
// values behind it. The loops differ in what they do with the values alone; column.reserve has made the room.

func (v fixedValues) entries(c *column, offs []int32, from, to int) {
	dst, p, zeros := c.buf[:cap(c.buf)], len(c.buf), c.run
	for e := from; e < to; e++ {
		lo, hi := int(offs[e]), int(offs[e+1])
		if lo == hi {
			zeros++
			continue
		}
		p = putLength(dst, p, zeros, hi-lo)
		zeros = 0
		if hi-lo == 1 && v.width == 8 {
			*(*[8]byte)(dst[p:]) = *(*[8]byte)(v.b[lo*8:])
			p += 8
			continue
		}
		p += copy(dst[p:], v.b[lo*v.width:hi*v.width])
	}
	c.buf, c.run = c.buf[:p], zeros
}

func (v varintValues[T]) entries(c *column, offs []int32, from, to int) {
	dst, p, zeros := c.buf[:cap(c.buf)], len(c.buf), c.run
	for e := from; e < to; e++ {
		lo, hi := int(offs[e]), int(offs[e+1])
		if lo == hi {
			zeros++
			continue
		}
		p = putLength(dst, p, zeros, hi-lo)
		zeros = 0
		_, size := bitpack.PutZigzag(dst[p:p+v.bound(lo, hi)+bitpack.VarintRoom], v.v[lo:hi])
		p += size
	}
	c.buf, c.run = c.buf[:p], zeros
}

func (v bytesValues) entries(c *column, offs []int32, from, to int) {
	dst, p, zeros := c.buf[:cap(c.buf)], len(c.buf), c.run
	for e := from; e < to; e++ {
		lo, hi := int(offs[e]), int(offs[e+1])
		if lo == hi {
			zeros++
			continue
		}
		p = putLength(dst, p, zeros, hi-lo)
		zeros = 0
		start := int(v.offsets[lo])
		for _, o := range v.offsets[lo+1 : hi+1] {
			end := int(o)
			n := end - start
			if n < 64 {
				dst[p] = byte(n << 1)
				p++
			} else {
				p += binary.PutVarint(dst[p:], int64(n))
			}
			if n <= 16 && start <= len(v.data)-16 { // most strings are short: one move of a known size
				*(*[16]byte)(dst[p:]) = *(*[16]byte)(v.data[start:])
			} else {
				copy(dst[p:], v.data[start:end])
			}
			p += n
			start = end
		}
	}
	c.buf, c.run = c.buf[:p], zeros
}

func (v cellValues) entries(c *column, offs []int32, from, to int) {
	zeros := c.run
	for e := from; e < to; e++ {
		lo, hi := int(offs[e]), int(offs[e+1])
		if lo == hi {
			zeros++
			continue
		}
		c.buf = c.buf[:putLength(c.buf[:cap(c.buf)], len(c.buf), zeros, hi-lo)]
		zeros = 0
		v.put(c, lo, hi)
	}
	c.run = zeros
}

// entries begins each array of booleans on a byte of its own.
func (v boolValues) entries(c *column, offs []int32, from, to int) {
	dst, p, zeros := c.buf[:cap(c.buf)], len(c.buf), c.run
	for e := from; e < to; e++ {
		lo, hi := int(offs[e]), int(offs[e+1])
		if lo == hi {
			zeros++
			continue
		}
		p = putLength(dst, p, zeros, hi-lo)
		zeros = 0
		if i := v.off + lo; hi-lo == 1 {
			dst[p] = v.bits[i>>3] >> (i & 7) & 1
			p++
			continue
		}
		size := (hi - lo + 7) >> 3
		clear(dst[p : p+size])
		bitpack.CopyBits(dst, p*8, v.bits, v.off+lo, hi-lo)
		p += size
	}
	c.buf, c.run = c.buf[:p], zeros
}

// entries of a null column are lengths alone, so that ones make runs too.
func (nullValues) entries(c *column, offs []int32, from, to int) {
	dst, p, run, runLen := c.buf[:cap(c.buf)], len(c.buf), c.run, c.runLen
	for e := from; e < to; e++ {
		n := int(offs[e+1] - offs[e])
		if n == runLen {
			run++
			continue
		}
		p = putRun(dst, p, runLen, run)
		run, runLen = 0, 0
		if n <= 1 {
			run, runLen = 1, n
			continue
		}
		p = putLength(dst, p, 0, n)
	}
	c.buf, c.run, c.runLen = c.buf[:p], run, runLen
}
