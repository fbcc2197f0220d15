package orcwire

import (
	"encoding/binary"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// Version 2 (specification, "Integer Run Length Encoding, version 2"). The two highest bits of a run tell its kind; w is
// the code of a width, and lengths are one less than they mean:
//
//	short repeat    00 www nnn             width-1 in bytes, length-3       the value, big-endian
//	direct          01 wwwww n nnnnnnnn                                     values
//	patched base    10 wwwww n nnnnnnnn    bbb ppppp  ggg lllll             base, values, patches
//	delta           11 wwwww n nnnnnnnn    base varint, first delta varint  deltas
//
// Values of short repeats and direct runs are zig-zag coded where they are signed.
const (
	shortRepeat = iota
	direct
	patchedBase
	delta
)

// widths has the width that a code stands for. In a delta run code 0 means none.
var widths = [32]uint8{
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 26, 28, 30, 32, 40, 48, 56, 64,
}

// packedPatch has the width of patch list entries by the bits that their gaps and patches have: the next that has a
// code.
var packedPatch = makePackedPatch()

func makePackedPatch() (t [65]uint8) {
	for bits := range t {
		for _, w := range widths {
			if t[bits] = w; int(w) >= bits {
				break
			}
		}
	}
	return t
}

// mostRepeats is the length of the longest short repeat.
const mostRepeats = 10

// run2 is a run of version 2.
type run2 struct {
	kind    byte
	n       int
	width   uint
	data    int    // where packed values begin
	base    uint64 // the value of a short repeat
	step    uint64 // the first delta
	patches int    // where the patch list begins
	entries int    // of it
	entry   uint   // width of one
	patch   uint   // width of the patch in it
	used    int    // bytes
}

// next2 decodes runs while the window has them whole and dst has room, or else one run.
func (r *Ints[T]) next2(dst []T) (int, error) {
	i := 0
	if len(r.b.win) == 0 {
		return r.one2(dst)
	}
	src, signed, low, most := r.b.readable(), r.signed, r.low, r.most
	for {
		b := (*[16]byte)(src)
		if b[0] < direct<<6 {
			width := uint(b[0]>>3) + 1
			v := binary.BigEndian.Uint64(b[1:]) >> ((64 - 8*width) & 63)
			if signed {
				v = unzigzag(v)
			}
			if int(width)+1+bitpack.SrcSlack > len(src) || len(dst)-i < mostRepeats {
				break
			}
			if v-low > most {
				return i, ErrRange
			}
			x := T(v)
			d := (*[mostRepeats]T)(dst[i:])
			d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], d[8], d[9] = x, x, x, x, x, x, x, x, x, x
			i += int(b[0]&7) + minRepeat
			src = src[width+1:]
			continue
		}
		if b[0] >= patchedBase<<6 {
			break
		}
		width := uint(widths[b[0]>>1&31])
		n := int(b[0]&1)<<8 + int(b[1]) + 1
		used := 2 + bitpack.PackedSize(n, width)
		// Values are unpacked in groups of eight; what the last has too many the next run overwrites.
		group := (n + 7) &^ 7
		if used+bitpack.SrcSlack > len(src) || group > len(dst)-i || width > r.bits {
			break
		}
		if signed {
			bitpack.UnpackGroupsZigzagBE(dst[i:i+group], src[2:], width)
		} else {
			bitpack.UnpackGroupsBE(dst[i:i+group], src[2:], width)
		}
		i += n
		src = src[used:]
	}
	r.b.win = src[:len(src)-bitpack.SrcSlack]
	if i > 0 {
		return i, nil
	}
	return r.one2(dst)
}

// one2 decodes a run of any kind.
func (r *Ints[T]) one2(dst []T) (int, error) {
	var h run2
	if err := r.header2(&h); err != nil {
		return 0, err
	}
	out := r.target(dst, h.n)
	if err := r.expand(out, &h); err != nil {
		return 0, err
	}
	r.b.win = r.b.win[h.used:]
	return r.done(dst, out), nil
}

// skip2 passes over at most n values of the next run.
func (r *Ints[T]) skip2(n int) (int, error) {
	var h run2
	if err := r.header2(&h); err != nil {
		return 0, err
	}
	if h.n > n { // the rest of it comes next
		out := r.target(nil, h.n)
		if err := r.expand(out, &h); err != nil {
			return 0, err
		}
		r.rest = out[n:]
		h.n = n
	}
	r.b.win = r.b.win[h.used:]
	return h.n, nil
}

// header2 reads the header of the next run, all of which is visible then.
func (r *Ints[T]) header2(h *run2) error {
	for {
		if lim := len(r.b.win); lim > 0 {
			err := h.parse(r.b.readable(), lim, r.signed)
			if h.used <= lim {
				return err
			}
		}
		if err := r.grow(); err != nil {
			return err
		}
	}
}

// constant reports whether all values of the run are its base.
func (h *run2) constant() bool {
	return h.kind == shortRepeat || h.kind == delta && h.width == 0 && h.step == 0
}

// parse reads the header of a run at the start of src, of which lim bytes are there and others may be read. It sets
// used to more than lim if the run is not all there.
func (h *run2) parse(src []byte, lim int, signed bool) error {
	h.kind = src[0] >> 6
	if h.kind == shortRepeat {
		w := uint(src[0]>>3&7) + 1
		h.base = binary.BigEndian.Uint64(src[1:]) >> (64 - 8*w)
		if signed {
			h.base = unzigzag(h.base)
		}
		h.n, h.used = int(src[0]&7)+minRepeat, 1+int(w)
		return nil
	}
	h.n = int(src[0]&1)<<8 + int(src[1]) + 1
	code := src[0] >> 1 & 31
	h.width = uint(widths[code])
	switch h.kind {
	case direct:
		h.data = 2
		h.used = h.data + bitpack.PackedSize(h.n, h.width)
	case patchedBase:
		return h.parsePatched(src)
	case delta:
		if code == 0 {
			h.width = 0
		}
		return h.parseDelta(src, lim, signed)
	}
	return nil
}

// parsePatched reads what a patched base run has behind its length:
//
//	bbb ppppp   bytes of the base, less one, and the code of the patches' width
//	ggg lllll   bits of a gap, less one, and the number of entries in the patch list
//	base        big-endian, the highest bit is its sign
//	values      packed, what is to be added to the base, less their highest bits
//	entries     packed, each a gap from the value patched before and the highest bits of a value
func (h *run2) parsePatched(src []byte) error {
	bytes := int(src[2]>>5) + 1
	h.patch = uint(widths[src[2]&31])
	gap := uint(src[3]>>5) + 1
	h.entries = int(src[3] & 31)
	h.base = binary.BigEndian.Uint64(src[4:]) >> (64 - 8*bytes)
	if sign := uint64(1) << (8*bytes - 1); h.base&sign != 0 {
		h.base = -(h.base &^ sign)
	}
	h.data = 4 + bytes
	h.patches = h.data + bitpack.PackedSize(h.n, h.width)
	h.used = h.patches
	if gap+h.patch > 64 {
		return ErrRun
	}
	h.entry = uint(packedPatch[gap+h.patch])
	h.used += bitpack.PackedSize(h.entries, h.entry)
	return nil
}

// parseDelta reads what a delta run has behind its length: the first value, signed or not, and the first delta, which
// is signed. Further deltas are packed and have its sign. A width of 0 means that all are the first.
func (h *run2) parseDelta(src []byte, lim int, signed bool) error {
	h.used = lim + 1
	first, k := uvarint(src[2:])
	if k == 0 {
		return h.tooLong(2, lim)
	}
	step, j := uvarint(src[2+k:])
	if j == 0 {
		return h.tooLong(2+k, lim)
	}
	if signed {
		first = unzigzag(first)
	}
	h.base, h.step = first, unzigzag(step)
	h.data = 2 + k + j
	h.used = h.data
	if h.width > 0 {
		if h.n < 2 {
			return ErrRun
		}
		h.used += bitpack.PackedSize(h.n-2, h.width)
	}
	return nil
}

// tooLong tells a varint at off that is too long from one that is not all there.
func (h *run2) tooLong(off, lim int) error {
	if off+bitpack.MaxVarint64 <= lim {
		h.used = 0
	}
	return ErrRun
}

// expand decodes a run of which everything is visible. Where the width of a run does not promise that its values fit,
// they are decoded in full width and looked at.
func (r *Ints[T]) expand(out []T, h *run2) error {
	src := r.b.readable()
	switch h.kind {
	case shortRepeat:
		if !r.fits(h.base) {
			return ErrRange
		}
		fill(out, T(h.base))
		return nil
	case direct:
		if h.width <= r.bits {
			unpack(out, src[h.data:], h.width, r.signed)
			return nil
		}
		wide := r.b.shared.wide[:h.n]
		unpack(wide, src[h.data:], h.width, r.signed)
		return r.narrow(out, wide)
	case patchedBase:
		if h.width <= r.bits && r.fits(h.base) && r.fits(h.base+(1<<h.width-1)) {
			return patched(out, src, h, r.low, r.most)
		}
		wide := r.b.shared.wide[:h.n]
		if err := patched(wide, src, h, 0, ^uint64(0)); err != nil {
			return err
		}
		return r.narrow(out, wide)
	}
	if h.width == 0 {
		return r.steps(out, h.base, h.step)
	}
	if h.width <= r.bits {
		// The deltas have one sign, so the values lie between the second and the last.
		last := deltas(out, src[h.data:], h, r.most)
		if !r.fits(h.base) || !r.fits(h.base+h.step) || !r.fits(last) {
			return ErrRange
		}
		return nil
	}
	wide := r.b.shared.wide[:h.n]
	deltas(wide, src[h.data:], h, ^uint64(0))
	return r.narrow(out, wide)
}

func unpack[T Integer](out []T, src []byte, width uint, signed bool) {
	// Neither can fail: src has been measured.
	if signed {
		_, _ = bitpack.UnpackZigzagBE(out, src, width)
	} else {
		_, _ = bitpack.UnpackBE(out, src, width)
	}
}

// patched decodes a patched base run, of which the values without a patch are known to fit.
func patched[T Integer](out []T, src []byte, h *run2, low, most uint64) error {
	unpack(out, src[h.data:], h.width, false)
	mask := uint64(1)<<h.width - 1
	list := src[h.patches:]
	at, last, worst := 0, -1, uint64(0)
	for i := range h.entries {
		bit := uint(i) * h.entry
		e := binary.BigEndian.Uint64(list[bit>>3:]) << (bit & 7) >> (64 - h.entry)
		at += int(e >> h.patch)
		if at >= len(out) {
			return ErrRun
		}
		patch := e & (1<<h.patch - 1)
		if patch == 0 {
			continue // only to go farther than a gap can
		}
		if at == last {
			return ErrRun
		}
		last = at
		v := uint64(out[at])&mask | patch<<h.width
		out[at] = T(v)
		worst = max(worst, v+h.base-low)
	}
	if worst > most {
		return ErrRange
	}
	base := T(h.base)
	for ; len(out) >= 8; out = out[8:] {
		q := (*[8]T)(out)
		q[0], q[1], q[2], q[3] = q[0]+base, q[1]+base, q[2]+base, q[3]+base
		q[4], q[5], q[6], q[7] = q[4]+base, q[5]+base, q[6]+base, q[7]+base
	}
	for i := range out {
		out[i] += base
	}
	return nil
}

// deltas decodes a delta run of packed deltas, which have only bits of mask, and returns its last value.
func deltas[T Integer](out []T, src []byte, h *run2, mask uint64) uint64 {
	v := h.base + h.step
	start := T(v)
	out[0], out[1] = T(h.base), start
	out = out[2:]
	unpack(out, src, h.width, false)
	down := int64(h.step) < 0
	const sumBits = 32 - 9 // the sum of the deltas of a run, which has maxRun values, fits 32 bits
	large, small := uint64(1)<<62, uint64(1)<<30
	whole := uint64(T(large)) == large // T has 64 bits
	if len(out) > 0 && (whole || uint64(T(small)) == small && h.width <= sumBits) {
		bitpack.Steps(out, start, down)
		total := uint64(out[len(out)-1] - start)
		if down {
			total = -total
		}
		if !whole {
			total = uint64(uint32(total))
		}
		if down {
			return v - total
		}
		return v + total
	}
	if down {
		for i, d := range out {
			v -= uint64(d) & mask
			out[i] = T(v)
		}
		return v
	}
	for i, d := range out {
		v += uint64(d) & mask
		out[i] = T(v)
	}
	return v
}
