package cfilewire

import (
	"encoding/binary"
	"math"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// OpenPrefix makes s the strings of a PREFIX block (docs/formats/cfile.md §4.7):
//
//	one group in group varint coding: count, ordinal, restart interval, 0
//	count times: varint shared | varint unshared | unshared bytes
//	offsets of restarts, u32 each | their number u32
//
// A string begins with the first shared bytes of the one before; every string whose number is a multiple of the interval
// shares none, and is a restart. The offsets, counted from the start of the block, are those of all restarts but the
// first.
//
// The strings are decoded into memory of s; the block is not needed any more. A few bytes can share many: strings that
// together take more than limit bytes, or than offsets of 32 bits reach, are of kind ErrLimit.
func (s *Strings) OpenPrefix(b []byte, limit int64) (h Head, err error) {
	s.reset()
	var head [4]uint32
	start, err := bitpack.DecodeGroupVarint(head[:], b)
	if err != nil || len(b)-start < 4 {
		return h, errBlockHead
	}
	h = Head{Count: head[0], Ordinal: head[1]}
	interval := head[2]
	restarts := binary.LittleEndian.Uint32(b[len(b)-4:])
	if uint64(restarts) > uint64(len(b)-start-4)/4 {
		return h, errRestarts
	}
	points := b[len(b)-4-4*int(restarts) : len(b)-4]
	entries := b[:len(b)-4-len(points)]
	if uint64(h.Count) > uint64(len(entries)-start)/2 {
		return h, errBlockEnd
	}
	if interval == 0 || restarts != (max(h.Count, 1)-1)/interval {
		return h, errRestarts
	}
	d := prefixDecoder{
		offsets: s.roomFor(int(h.Count) + 1), data: s.decoded[:cap(s.decoded)], src: entries, p: start,
		limit: int(min(max(limit, 0), math.MaxInt32-bitpack.DstSlack)),
	}
	if len(d.data) < len(b) {
		d.data = make([]byte, len(b)+bitpack.DstSlack)
	}
	err = d.decode(points, int64(interval))
	s.decoded = d.data
	if err != nil {
		return h, err
	}
	s.offsets, s.data = d.offsets, d.data
	return h, nil
}

// prefixDecoder is where decoding a PREFIX block is.
type prefixDecoder struct {
	offsets []int32
	data    []byte // has bitpack.DstSlack bytes more than what it holds
	src     []byte
	p       int // in src
	limit   int // of the bytes in data
}

// decode decodes all strings. points are the offsets of all restarts but the first, as many as there have to be.
func (d *prefixDecoder) decode(points []byte, interval int64) error {
	d.offsets[0] = 0
	for i, n := 0, len(d.offsets)-1; i < n; {
		if i > 0 {
			if int64(binary.LittleEndian.Uint32(points)) != int64(d.p) {
				return errRestarts
			}
			points = points[4:]
		}
		next := int(min(int64(i)+interval, int64(n)))
		if err := d.stretch(i, next); err != nil {
			return err
		}
		i = next
	}
	if d.p != len(d.src) {
		return errBlockSize
	}
	return nil
}

// prefixStep is how many bytes are copied at once where both sides have them.
const prefixStep = 16

// stretch decodes strings from a restart to the next.
func (d *prefixDecoder) stretch(from, to int) error {
	src, p, data, q := d.src, d.p, d.data, int(d.offsets[from])
	ends := d.offsets[from+1 : to+1]
	before, length := q, 0 // the string that this one shares with
	for i := range ends {
		var shared, own int
		if len(src)-p >= 2 && src[p]|src[p+1] < 0x80 {
			shared, own = int(src[p]), int(src[p+1])
			p += 2
		} else {
			a, rest, ok := varint32(src[p:])
			if !ok {
				return errBlockEnd
			}
			b, rest, ok := varint32(rest)
			if !ok {
				return errBlockEnd
			}
			if uint64(a) > uint64(length) || uint64(b) > uint64(len(rest)) {
				return errPrefix
			}
			shared, own = int(a), int(b)
			p = len(src) - len(rest)
		}
		if shared > length || own > len(src)-p {
			return errPrefix
		}
		length = shared + own
		if length > len(data)-bitpack.DstSlack-q {
			if length > d.limit-q {
				return errBlockBytes
			}
			data = d.grow(q, length)
		}
		// The string before ends where this one starts; both have room behind.
		if shared <= prefixStep {
			*(*[prefixStep]byte)(data[q:]) = *(*[prefixStep]byte)(data[before:])
		} else {
			copy(data[q:q+shared], data[before:])
		}
		if own <= prefixStep && len(src)-p >= prefixStep {
			*(*[prefixStep]byte)(data[q+shared:]) = *(*[prefixStep]byte)(src[p:])
		} else {
			copy(data[q+shared:], src[p:p+own])
		}
		p += own
		before = q
		q += length
		ends[i] = int32(q)
	}
	d.p = p
	if q > d.limit {
		return errBlockBytes
	}
	return nil
}

// grow makes room for length more bytes behind the first q, and for as much again as there was, within the limit.
func (d *prefixDecoder) grow(q, length int) []byte {
	size := max(q+length, min(2*q, d.limit))
	data := make([]byte, size+bitpack.DstSlack)
	copy(data, d.data[:q])
	d.data = data
	return data
}
