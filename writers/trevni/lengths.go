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

// putLength writes the length of k entries: one of any length, or a run of entries of length 1.
func putLength(dst []byte, p, n, k int) int {
	if k > 1 {
		return putRun(dst, p, 1, k)
	}
	if n < 64 {
		dst[p] = byte(n << 1)
		return p + 1
	}
	return p + binary.PutVarint(dst[p:], int64(n))
}

// ones is a run of entries of length 1 at the end of the open block: its code stands at place at, its values behind
// that. It is closed at any time, and rewritten if the next entries belong to it: so blocks are the same however rows come.
type ones struct{ n, at int }

// countOnes returns how many entries from e on have the length 1. The entry e has.
func countOnes(offs []int32, e, to int) int {
	to = min(to, e+maxRun)
	first, k := offs[e], e+1
	for k < to && offs[k+1]-first == int32(k+1-e) {
		k++
	}
	return k - e
}

// last returns o if entry to-1 has the length 1: o is then the run that ends with it.
func (o ones) last(offs []int32, from, to int) ones {
	if from < to && offs[to]-offs[to-1] == 1 {
		return o
	}
	return ones{}
}

// putEntries appends entries of an array column, in runs where the column has them.
func (c *column) putEntries(v values, offs []int32, from, to int) {
	o := c.ones
	if o.n == 0 || from == to || offs[from+1]-offs[from] != 1 || c.java {
		v.entries(c, offs, from, to)
		return
	}
	k := countOnes(offs, from, to)
	if o.n+k > maxRun {
		v.entries(c, offs, from, to)
		return
	}
	end := len(c.buf)
	v.entries(c, offs, from, from+k)
	c.joinOnes(o, end, k)
	if from+k < to {
		v.entries(c, offs, from+k, to)
	}
}

// joinOnes makes one run of run o and of the k entries of length 1 that were written behind it, from end on.
func (c *column) joinOnes(o ones, end, k int) {
	var code [binary.MaxVarintLen32]byte
	dst, n := c.buf[:cap(c.buf)], len(c.buf)
	n -= putLength(code[:], 0, 1, k)
	copy(dst[end:n], dst[end+len(c.buf)-n:]) // the values of the k entries, over their code
	was, is := putLength(code[:], 0, 1, o.n), putLength(code[:], 0, 1, o.n+k)
	if is != was {
		copy(dst[o.at+is:], dst[o.at+was:n])
	}
	putLength(dst, o.at, 1, o.n+k)
	c.buf, c.ones = dst[:n+is-was], ones{o.n + k, o.at}
}

// Entries of each kind of values: offs[e] to offs[e+1] are those of entry e, and each entry is its length with the
// values behind it; a run of entries of length 1 is one code with all of their values behind it. The loops differ in what
// they do with the values alone; column.reserve has made the room.

func (v fixedValues) entries(c *column, offs []int32, from, to int) {
	dst, p, zeros := c.buf[:cap(c.buf)], len(c.buf), c.run
	one, runs := ones{}, !c.java
	for e := from; e < to; {
		lo, hi := int(offs[e]), int(offs[e+1])
		if lo == hi {
			zeros++
			e++
			continue
		}
		if zeros > 0 {
			p, zeros = putRun(dst, p, 0, zeros), 0
		}
		k := 1
		if hi-lo == 1 && runs {
			k = countOnes(offs, e, to)
			one, hi = ones{k, p}, lo+k
		}
		p = putLength(dst, p, hi-lo, k)
		e += k
		if hi-lo == 1 && v.width == 8 {
			*(*[8]byte)(dst[p:]) = *(*[8]byte)(v.b[lo*8:])
			p += 8
			continue
		}
		p += copy(dst[p:], v.b[lo*v.width:hi*v.width])
	}
	c.buf, c.run, c.ones = c.buf[:p], zeros, one.last(offs, from, to)
}

func (v varintValues[T]) entries(c *column, offs []int32, from, to int) {
	dst, p, zeros := c.buf[:cap(c.buf)], len(c.buf), c.run
	one, runs := ones{}, !c.java
	for e := from; e < to; {
		lo, hi := int(offs[e]), int(offs[e+1])
		if lo == hi {
			zeros++
			e++
			continue
		}
		if zeros > 0 {
			p, zeros = putRun(dst, p, 0, zeros), 0
		}
		k := 1
		if hi-lo == 1 && runs {
			k = countOnes(offs, e, to)
			one, hi = ones{k, p}, lo+k
		}
		p = putLength(dst, p, hi-lo, k)
		e += k
		_, size := bitpack.PutZigzag(dst[p:p+v.bound(lo, hi)+bitpack.VarintRoom], v.v[lo:hi])
		p += size
	}
	c.buf, c.run, c.ones = c.buf[:p], zeros, one.last(offs, from, to)
}

func (v bytesValues) entries(c *column, offs []int32, from, to int) {
	dst, p, zeros := c.buf[:cap(c.buf)], len(c.buf), c.run
	one, runs, m := ones{}, !c.java, c.mixed
	for e, next := from, to; e < to; {
		if runs {
			var end int
			var left openRun
			if end, _, left, next = m.chunk(offs, e, to, openRun{zeros, 0}, true); end > e {
				p, e, zeros = v.mixedEntries(m, dst, p, int(offs[e]), int(offs[end])), end, left.n
				continue
			}
		}
		for e < next {
			lo, hi := int(offs[e]), int(offs[e+1])
			if lo == hi {
				zeros++
				e++
				continue
			}
			if zeros > 0 {
				p, zeros = putRun(dst, p, 0, zeros), 0
			}
			k := 1
			if hi-lo == 1 && runs {
				k = countOnes(offs, e, to)
				one, hi = ones{k, p}, lo+k
			}
			p = putLength(dst, p, hi-lo, k)
			e += k
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
	}
	c.buf, c.run, c.ones = c.buf[:p], zeros, one.last(offs, from, to)
}

func (v cellValues) entries(c *column, offs []int32, from, to int) {
	zeros := c.run
	one, runs := ones{}, !c.java
	for e := from; e < to; {
		lo, hi := int(offs[e]), int(offs[e+1])
		if lo == hi {
			zeros++
			e++
			continue
		}
		dst, p := c.buf[:cap(c.buf)], len(c.buf)
		if zeros > 0 {
			p, zeros = putRun(dst, p, 0, zeros), 0
		}
		k := 1
		if hi-lo == 1 && runs {
			k = countOnes(offs, e, to)
			one, hi = ones{k, p}, lo+k
		}
		c.buf = dst[:putLength(dst, p, hi-lo, k)]
		e += k
		v.put(c, lo, hi)
	}
	c.run, c.ones = zeros, one.last(offs, from, to)
}

// entries begins each array of booleans on a byte of its own.
func (v boolValues) entries(c *column, offs []int32, from, to int) {
	dst, p, zeros := c.buf[:cap(c.buf)], len(c.buf), c.run
	one, runs := ones{}, !c.java
	for e := from; e < to; {
		lo, hi := int(offs[e]), int(offs[e+1])
		if lo == hi {
			zeros++
			e++
			continue
		}
		if zeros > 0 {
			p, zeros = putRun(dst, p, 0, zeros), 0
		}
		k := 1
		if hi-lo == 1 && runs {
			k = countOnes(offs, e, to)
			one, hi = ones{k, p}, lo+k
		}
		p = putLength(dst, p, hi-lo, k)
		e += k
		if hi-lo == k {
			for i := v.off + lo; i < v.off+hi; i++ {
				dst[p] = v.bits[i>>3] >> (i & 7) & 1
				p++
			}
			continue
		}
		size := (hi - lo + 7) >> 3
		clear(dst[p : p+size])
		bitpack.CopyBits(dst, p*8, v.bits, v.off+lo, hi-lo)
		p += size
	}
	c.buf, c.run, c.ones = c.buf[:p], zeros, one.last(offs, from, to)
}

// entries of a null column are lengths alone, so that ones make runs too.
func (nullValues) entries(c *column, offs []int32, from, to int) {
	dst, p, run, runLen := c.buf[:cap(c.buf)], len(c.buf), c.run, c.runLen
	for e := from; e < to; {
		end, codes, left, next := c.mixed.chunk(offs, e, to, openRun{run, runLen}, false)
		if end > e {
			p += copy(dst[p:], c.mixed.codes[:codes])
			run, runLen, e = left.n, left.length, end
			continue
		}
		for ; e < next; e++ {
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
			p = putLength(dst, p, n, 1)
		}
	}
	c.buf, c.run, c.runLen = c.buf[:p], run, runLen
}
