package orcwire

import (
	"math/bits"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// Bools reads booleans: bits in runs of bytes, the first in the highest bit of a byte (specification, "Boolean Run
// Length Encoding"). Open comes first.
type Bools struct {
	runs byteRuns
	last byte // a byte of which not all bits have been read; the next is its highest
	left int  // and how many of them
	room []byte
}

// Open makes r read b from where that is.
func (r *Bools) Open(b *Bytes) { *r = Bools{runs: byteRuns{b: b}, room: r.room} }

// Next reads n booleans to the bits of dst from off on, lowest bit of a byte first as in Arrow. Other bits stay as they
// are. After an error dst, and r, are undefined.
func (r *Bools) Next(dst []byte, off, n int) error {
	if n <= 0 {
		return nil
	}
	if k := min(n, r.left); k > 0 {
		r.take(dst, off, k)
		off, n = off+k, n-k
	}
	if whole := n >> 3; off&7 == 0 {
		d := dst[off>>3 : off>>3+whole]
		if err := r.runs.next(d); err != nil {
			return err
		}
		bitpack.ReverseBits(d, d)
		off, n = off+whole<<3, n&7
	} else if err := r.shifted(dst, off, whole); err != nil {
		return err
	} else {
		off, n = off+whole<<3, n&7
	}
	if n > 0 {
		if err := r.fetch(); err != nil {
			return err
		}
		r.take(dst, off, n)
	}
	return nil
}

// shifted reads whole bytes to bits that do not start at a byte.
func (r *Bools) shifted(dst []byte, off, whole int) error {
	for whole > 0 {
		if r.room == nil {
			r.room = make([]byte, bitsRoom)
		}
		b := r.room[:min(whole, bitsRoom)]
		if err := r.runs.next(b); err != nil {
			return err
		}
		bitpack.ReverseBits(b, b)
		bitpack.CopyBits(dst, off, b, 0, len(b)<<3)
		off += len(b) << 3
		whole -= len(b)
	}
	return nil
}

const bitsRoom = 1 << 10

// take moves n of the bits that are left to dst.
func (r *Bools) take(dst []byte, off, n int) {
	b := [1]byte{bits.Reverse8(r.last)}
	bitpack.CopyBits(dst, off, b[:], 0, n)
	r.last <<= uint(n)
	r.left -= n
}

// fetch reads a byte into last.
func (r *Bools) fetch() error {
	var b [1]byte
	err := r.runs.next(b[:])
	r.last, r.left = b[0], 8
	return err
}

// Skip passes over n booleans and returns how many of them are true.
func (r *Bools) Skip(n int) (set int, err error) {
	if n <= 0 {
		return 0, nil
	}
	if k := min(n, r.left); k > 0 {
		set, n = r.drop(k), n-k
	}
	for whole := n >> 3; whole > 0; {
		if err := r.runs.run(); err != nil {
			return set, err
		}
		if r.runs.literal {
			w, err := r.runs.literals(whole)
			if err != nil {
				return set, err
			}
			set += bitpack.CountBits(w, 0, len(w)<<3)
			whole -= len(w)
			continue
		}
		k := min(whole, r.runs.left)
		set += k * bits.OnesCount8(r.runs.value)
		r.runs.left -= k
		whole -= k
	}
	if n &= 7; n > 0 {
		if err := r.fetch(); err != nil {
			return set, err
		}
		set += r.drop(n)
	}
	return set, nil
}

// drop passes over n of the bits that are left and counts those that are set.
func (r *Bools) drop(n int) (set int) {
	set = bits.OnesCount8(r.last >> uint(8-n))
	r.last <<= uint(n)
	r.left -= n
	return set
}

// Seek goes to a position: that of a byte, the bytes to pass over from there, and the bits.
func (r *Bools) Seek(p *Positions) error {
	r.left = 0
	bytes := ByteRuns[uint8]{runs: r.runs}
	err := bytes.Seek(p)
	r.runs = bytes.runs
	if err != nil {
		return err
	}
	n, err := p.values(8)
	if err != nil {
		return err
	}
	_, err = r.Skip(n)
	return err
}
