package orcwire

import "github.com/arrowio/arrowio/internal/bitpack"

// Integer is a type that integers are read into.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64
}

// maxRun is the most values of a run, in either version.
const maxRun = 512

// Ints reads a stream of integers in runs, of the first or the second version (specification, "Integer Run Length
// Encoding"). Open comes first.
//
// A value that T cannot hold is ErrRange; an unsigned one from 1<<31 on for int32, and likewise for int16 and int8. Of
// unsigned values int64 keeps the bits. After an error the values read, and r, are undefined.
type Ints[T Integer] struct {
	b      *Bytes
	v2     bool
	signed bool
	bits   uint   // packed values of this width, or less, always fit T
	low    uint64 // v fits if v-low <= most
	most   uint64
	rest   []T // of a run that was longer than what was asked for
	same   int // values before those, all of them value: see Constant
	value  T
	room   []T
	kept   []T // scratch of NextKept
}

// Open makes r read b from where that is: runs of version 2 or 1, signed values or not.
func (r *Ints[T]) Open(b *Bytes, v2, signed bool) {
	*r = Ints[T]{b: b, v2: v2, signed: signed, room: r.room, kept: r.kept}
	width := bitsOf[T]()
	switch {
	case width == 64:
		r.bits, r.most = 64, ^uint64(0)
	case signed:
		r.bits, r.low, r.most = width, -(uint64(1) << (width - 1)), 1<<width-1
	default:
		r.bits, r.most = width-1, 1<<(width-1)-1
	}
}

// bitsOf returns the size of a T.
func bitsOf[T Integer]() (n uint) {
	for x := T(1); x != 0; x <<= 1 {
		n++
	}
	return n
}

// Next fills dst or fails.
func (r *Ints[T]) Next(dst []T) error {
	if r.same > 0 {
		k := min(r.same, len(dst))
		fill(dst[:k], r.value)
		dst, r.same = dst[k:], r.same-k
	}
	if len(r.rest) > 0 {
		k := copy(dst, r.rest)
		dst, r.rest = dst[k:], r.rest[k:]
	}
	for len(dst) > 0 {
		n, err := 0, error(nil)
		if r.v2 {
			n, err = r.next2(dst)
		} else {
			n, err = r.next1(dst)
		}
		if err != nil {
			return err
		}
		dst = dst[n:]
	}
	return nil
}

// Constant passes over the next n values if their runs say that all are one value, and returns it. Otherwise, and where
// that would take work to find out, nothing changes.
func (r *Ints[T]) Constant(n int) (v T, ok bool) {
	for r.same < n {
		var h run2
		if !r.v2 || len(r.rest) > 0 || r.header2(&h) != nil || !h.constant() || !r.fits(h.base) || r.same > 0 && T(h.base) != r.value {
			return 0, false
		}
		r.value = T(h.base)
		r.same += h.n
		r.b.win = r.b.win[h.used:]
	}
	r.same -= n
	return r.value, true
}

// CountUp passes over up to n values whose runs say that each is one more than the one before, and returns the first and
// how many they are. Where the next run says no such thing, or is not whole among the n, it is none, and nothing changes.
func (r *Ints[T]) CountUp(n int) (first T, k int) {
	if !r.v2 || r.Decoded() > 0 {
		return 0, 0
	}
	for k < n {
		var h run2
		if r.header2(&h) != nil || h.kind != delta || h.width > 0 || h.step != 1 || h.n > n-k {
			break
		}
		v, last := T(h.base), T(h.base+uint64(h.n-1))
		if !r.fits(h.base) || !r.fits(h.base+uint64(h.n-1)) || last < v {
			break
		}
		if k == 0 {
			first = v
		} else if v != first+T(k) || v < first {
			break
		}
		k += h.n
		r.b.win = r.b.win[h.used:]
	}
	return first, k
}

// Decoded returns how many of the next values are of a run whose beginning has been read.
func (r *Ints[T]) Decoded() int { return r.same + len(r.rest) }

// Skip passes over n values. Those of whole runs are not looked at.
func (r *Ints[T]) Skip(n int) error {
	k := max(0, min(n, r.same))
	n, r.same = n-k, r.same-k
	k = max(0, min(n, len(r.rest)))
	r.rest = r.rest[k:]
	for n -= k; n > 0; n -= k {
		var err error
		if r.v2 {
			k, err = r.skip2(n)
		} else {
			k, err = r.skip1(n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Seek goes to a position: that of a run, and the values to pass over from there, which may be over several runs.
func (r *Ints[T]) Seek(p *Positions) error {
	r.rest, r.same = nil, 0
	if err := r.b.Seek(p); err != nil {
		return err
	}
	n, err := p.values(mostInRun)
	if err != nil {
		return err
	}
	return r.Skip(n)
}

// target returns where to put a run of n values of which dst are wanted next.
func (r *Ints[T]) target(dst []T, n int) []T {
	if n <= len(dst) {
		return dst[:n]
	}
	if len(r.room) < n {
		r.room = make([]T, min(2*n, maxRun))
	}
	return r.room[:n]
}

// done takes a run that target had a place for, and returns how many of its values are in dst.
func (r *Ints[T]) done(dst, run []T) int {
	if len(run) <= len(dst) {
		return len(run)
	}
	k := copy(dst, run)
	r.rest = run[k:]
	return k
}

// narrow copies values that have been decoded in full width, if they all fit.
func (r *Ints[T]) narrow(dst []T, wide []int64) error {
	dst = dst[:len(wide)]
	worst := uint64(0)
	for i, v := range wide {
		worst = max(worst, uint64(v)-r.low)
		dst[i] = T(v)
	}
	if worst > r.most {
		return ErrRange
	}
	return nil
}

func (r *Ints[T]) fits(v uint64) bool { return v-r.low <= r.most }

// grow makes more of the stream visible, for a run that the window has not all of.
func (r *Ints[T]) grow() error {
	ok, err := r.b.more()
	if err == nil && !ok {
		err = ErrEnd
	}
	return err
}

// readable returns the window with what can be read behind it.
func (b *Bytes) readable() []byte { return b.win[:len(b.win)+bitpack.SrcSlack] }

// uvarint reads a varint of up to ten bytes; bits above 64 are dropped. n is 0 if it is longer.
func uvarint(src []byte) (x uint64, n int) {
	if src[0] < 0x80 {
		return uint64(src[0]), 1
	}
	for i, b := range src[:bitpack.MaxVarint64] {
		x |= uint64(b&0x7f) << (7 * uint(i))
		if b < 0x80 {
			return x, i + 1
		}
	}
	return 0, 0
}

func unzigzag(x uint64) uint64 { return x>>1 ^ -(x & 1) }
