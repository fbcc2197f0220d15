package cfilewire

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// Runs of RLE (docs/formats/cfile.md §4.5) follow each other until the block has its count of values:
//
//	varint, odd:  half of it groups of 8 values, bit-packed from the lowest bit up
//	varint, even: half of it times the value behind it, which takes whole bytes
//
// Whole runs may say more than the block has left, and the bytes of the last run of packed values end where its values
// do. Runs of no values stand for nothing; each takes bytes of the block, so that they end.

// run is how the next values are stored.
type run struct {
	left   int  // values
	packed bool // each of its own, at the start of what is left of the block; else one for all
}

// nextRun reads the header of a run of values of size bits. It has most values at most, whatever it says, and not more
// packed ones than there are bytes for; what is behind those is no run then. rest is behind the header; a repeated value
// is there but has not been passed over.
func nextRun(b []byte, most, size int) (r run, rest []byte, err error) {
	var x uint64
	var n int
	if len(b) > 0 && b[0] < 0x80 {
		x, n = uint64(b[0]), 1
	} else if x, n = binary.Uvarint(b); n == 0 {
		return r, nil, errBlockEnd
	} else if n < 0 {
		return r, nil, errRun
	}
	b = b[n:]
	if x&1 == 0 {
		if len(b) < (size+7)>>3 {
			return r, nil, errBlockEnd
		}
		return run{left: int(min(x>>1, uint64(most)))}, b, nil
	}
	values := min(x>>1, uint64(most)) << 3
	if there := uint64(len(b)) << 3 / uint64(size); values > there {
		values = there
		b = b[:there*uint64(size)>>3]
	}
	return run{left: int(min(values, uint64(most))), packed: true}, b, nil
}

// RLEValue is what RLE holds. Signed values are stored in two's complement: as unsigned ones of the same width.
type RLEValue interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// RLE reads a block of integers in runs (docs/formats/cfile.md §4.5):
//
//	count u32 | ordinal u32 | runs
//
// Packed values are as wide as T: they are T's own bytes. The zero value has no values. One goroutine at a time may use
// it.
type RLE[T RLEValue] struct {
	rest  []byte
	left  int // values of the block
	run   run // run.left is not above left
	value T
}

// Open makes r read the block b, which it keeps and does not change. The count that it returns is bounded by nothing.
func (r *RLE[T]) Open(b []byte) (Head, error) {
	*r = RLE[T]{}
	h, rest, err := openHead(b)
	if err != nil {
		return h, err
	}
	if uint64(h.Count) > math.MaxInt {
		return h, errCount
	}
	r.OpenStream(rest, int(h.Count))
	return h, nil
}

// OpenStream makes r read n values from runs that have no header before them.
func (r *RLE[T]) OpenStream(stream []byte, n int) { *r = RLE[T]{rest: stream, left: max(n, 0)} }

// Left returns how many values come, if the block has them.
func (r *RLE[T]) Left() int { return r.left }

// Next fills dst or fails. After an error dst, and r, are undefined.
func (r *RLE[T]) Next(dst []T) error {
	if len(dst) > r.left {
		return errBlockEnd
	}
	for len(dst) > 0 {
		if r.run.left == 0 {
			if dst = r.wholeRuns(dst); len(dst) == 0 {
				break
			}
			if err := r.fetch(); err != nil {
				return err
			}
			continue
		}
		n := min(r.run.left, len(dst))
		if r.run.packed {
			r.rest = loadLE(dst[:n], r.rest)
		} else {
			fill(dst[:n], r.value)
		}
		dst = dst[n:]
		r.run.left -= n
		r.left -= n
	}
	return nil
}

// wholeRuns decodes short runs that the block has whole and dst has room for, and returns what is left of dst.
func (r *RLE[T]) wholeRuns(dst []T) []T {
	size := int(unsafe.Sizeof(r.value))
	b, room := r.rest, len(dst)
	for len(b) > size && b[0] < 0x80 {
		n := int(b[0] >> 1)
		if b[0]&1 == 0 {
			if n > len(dst) {
				break
			}
			var v [1]T
			b = loadLE(v[:], b[1:])
			fill(dst[:n], v[0])
		} else {
			if n <<= 3; n > len(dst) || n*size >= len(b) {
				break
			}
			b = loadLE(dst[:n], b[1:])
		}
		dst = dst[n:]
	}
	r.rest = b
	r.left -= room - len(dst)
	return dst
}

// fetch goes to the next run.
func (r *RLE[T]) fetch() error {
	size := int(unsafe.Sizeof(r.value))
	next, rest, err := nextRun(r.rest, r.left, size<<3)
	if err != nil {
		return err
	}
	if !next.packed {
		var v [1]T
		rest = loadLE(v[:], rest)
		r.value = v[0]
	}
	r.run, r.rest = next, rest
	return nil
}

// Skip passes over n values.
func (r *RLE[T]) Skip(n int) error {
	if n > r.left {
		return errBlockEnd
	}
	for n > 0 {
		if r.run.left == 0 {
			if err := r.fetch(); err != nil {
				return err
			}
			continue
		}
		k := min(r.run.left, n)
		if r.run.packed {
			r.rest = r.rest[k*int(unsafe.Sizeof(r.value)):]
		}
		n -= k
		r.run.left -= k
		r.left -= k
	}
	return nil
}

// littleEndian says whether integers lie in memory as they do in files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// loadLE fills dst with the little-endian integers at the start of src, and returns what is behind them. src has enough.
func loadLE[T RLEValue](dst []T, src []byte) []byte {
	var v T
	size := int(unsafe.Sizeof(v))
	n := len(dst) * size
	if littleEndian || size == 1 {
		// Any bytes are a T, and dst's are there.
		copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), n), src[:n])
		return src[n:]
	}
	for i := range dst {
		var x uint64
		for k := size - 1; k >= 0; k-- {
			x = x<<8 | uint64(src[i*size+k])
		}
		dst[i] = T(x)
	}
	return src[n:]
}

// fill sets all of dst to v.
func fill[T any](dst []T, v T) {
	const some = 64
	for i := range dst[:min(len(dst), some)] {
		dst[i] = v
	}
	for n := some; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// RLEBits reads booleans in runs: a block of them (docs/formats/cfile.md §4.5), or the bitmap of a null header. The zero
// value has no values. One goroutine at a time may use it.
type RLEBits struct {
	rest []byte
	left int // values
	run  run // run.left is not above left
	bit  int // of rest, where packed values are at, and
	set  bool
}

// Open makes r read the block b, which it keeps and does not change. The count that it returns is bounded by nothing.
func (r *RLEBits) Open(b []byte) (Head, error) {
	*r = RLEBits{}
	h, rest, err := openHead(b)
	if err != nil {
		return h, err
	}
	if uint64(h.Count) > math.MaxInt {
		return h, errCount
	}
	r.OpenStream(rest, int(h.Count))
	return h, nil
}

// OpenStream makes r read n values from runs that have no header before them, as null bitmaps are (§4).
func (r *RLEBits) OpenStream(stream []byte, n int) { *r = RLEBits{rest: stream, left: max(n, 0)} }

// Left returns how many values come, if the block has them.
func (r *RLEBits) Left() int { return r.left }

// fetch goes to the next run. That which was the last must have nothing left.
func (r *RLEBits) fetch() error {
	b := r.rest
	if r.run.packed {
		b = b[(r.bit+7)>>3:]
	}
	next, rest, err := nextRun(b, r.left, 1)
	if err != nil {
		return err
	}
	if !next.packed {
		r.set = rest[0]&1 != 0
		rest = rest[1:]
	}
	r.run, r.rest, r.bit = next, rest, 0
	return nil
}

// Next reads n values to the bits of dst from off on. Other bits stay as they are. After an error dst, and r, are
// undefined.
func (r *RLEBits) Next(dst []byte, off, n int) error {
	if n > r.left {
		return errBlockEnd
	}
	for n > 0 {
		if r.run.left == 0 {
			k := r.shortRuns(dst, off, n)
			off, n = off+k, n-k
			if err := r.fetch(); err != nil {
				return err
			}
			continue
		}
		k := min(r.run.left, n)
		if r.run.packed {
			bitpack.CopyBits(dst, off, r.rest, r.bit, k)
			r.bit += k
		} else {
			bitpack.FillBits(dst, off, k, r.set)
		}
		off += k
		n -= k
		r.run.left -= k
		r.left -= k
	}
	return nil
}

// shortBits is how long a run may be that goes through one word of 64 bits, together with the bits of a byte before it.
const shortBits = 56

// shortRuns decodes whole runs of up to shortBits, as bitmaps of scattered nulls have nothing else, and returns how many
// values those have: fewer than n. It goes by words of 64 bits, all of which is still to be written.
func (r *RLEBits) shortRuns(dst []byte, off, n int) int {
	if n <= 64 {
		return 0
	}
	b := r.rest
	if r.run.packed {
		b = b[(r.bit+7)>>3:]
	}
	k, have := off>>3, off&7
	last := (off+n)>>3 - 8 // where a word may be written
	word := uint64(dst[k]) & (1<<have - 1)
	for k <= last && len(b) > 8 {
		s := (*[9]byte)(b)
		// Which kind of run comes next is hard to predict, so there is no branch on it.
		packed := uint(s[0] & 1)
		count := uint(s[0] >> 1)
		bits := count << (3 * packed)
		if bits > shortBits || s[0] >= 0x80 {
			break
		}
		x := binary.LittleEndian.Uint64(s[1:])
		one := -(x & 1)
		x = one ^ (one^x)&-uint64(packed)
		word |= x & (1<<bits - 1) << have
		binary.LittleEndian.PutUint64(dst[k:], word)
		have += int(bits)
		k += have >> 3
		word >>= uint(have) & 56
		have &= 7
		b = b[1+(count-1)*packed+1:]
	}
	r.run, r.rest, r.bit = run{}, b, 0
	done := k<<3 + have - off
	r.left -= done
	return done
}

// Skip passes over n values and returns how many of them are set.
func (r *RLEBits) Skip(n int) (set int, err error) {
	if n > r.left {
		return 0, errBlockEnd
	}
	for n > 0 {
		if r.run.left == 0 {
			if err := r.fetch(); err != nil {
				return set, err
			}
			continue
		}
		k := min(r.run.left, n)
		if r.run.packed {
			set += bitpack.CountBits(r.rest, r.bit, k)
			r.bit += k
		} else if r.set {
			set += k
		}
		n -= k
		r.run.left -= k
		r.left -= k
	}
	return set, nil
}
