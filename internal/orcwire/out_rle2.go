package orcwire

import (
	"encoding/binary"
	"math/bits"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// widthCodes is the reverse of widths; widths without a code have that of the next wider.
var widthCodes = makeWidthCodes()

func makeWidthCodes() (t [65]byte) {
	for w := range t {
		for int(widths[t[w]]) < w {
			t[w]++
		}
	}
	return t
}

// alignedWidths has the width that Java's writer takes by default for values of so many bits.
var alignedWidths = makeAlignedWidths()

func makeAlignedWidths() (t [65]uint8) {
	for w := range t {
		switch {
		case w <= 2:
			t[w] = uint8(max(w, 1))
		case w <= 4:
			t[w] = 4
		default:
			t[w] = uint8((w + 7) &^ 7)
		}
	}
	return t
}

// surelyPays is a number of values from which on a run that says how they go on is shorter than any that has them all,
// and decoded faster.
const surelyPays = 48

// encode2 writes runs of version 2. Of the values in v, those that repeat, or are a fixed step apart, are cut out where
// that pays, in bytes; the others become direct, delta or patched base runs. A part that v ends with may go on, so it
// comes again with what follows, unless it is all of v.
func (w *IntsOut[T]) encode2(v []T, last bool) int {
	if n := w.leading(v); n > 0 {
		return n
	}
	size := w.bitsOf(v)
	width := int(w.width(size))
	m := monotone(v, size)
	switch {
	case m.ok:
		width = min(width, int(w.deltaWidth(m.bits)))
	case w.few(v, size):
		width = w.most(v)
	}
	done := 0
	for {
		s, end := pays(v, done, width, w.signed, size <= 62)
		if s == end { // none
			if done > 0 && !last {
				return done
			}
			if done > 0 {
				w.part(v[done:])
			} else {
				w.various(v, size, m)
			}
			return len(v)
		}
		if s > done {
			w.part(v[done:s])
		}
		if end == len(v) && s > 0 && !last {
			return s
		}
		w.steps(v[s], v[s+1], end-s)
		if done = end; done == len(v) {
			return done
		}
	}
}

// leading writes a long run of the first values, if they are one, and returns its length.
func (w *IntsOut[T]) leading(v []T) int {
	if len(v) < surelyPays {
		return 0
	}
	d := v[1] - v[0]
	if v[2]-v[1] != d || v[3]-v[2] != d || v[surelyPays-1]-v[surelyPays-2] != d {
		return 0
	}
	n := evenly(v, 1, d)
	if n < surelyPays || !safeStep(int64(v[0]), int64(v[n-1]), int64(v[1])-int64(v[0]), n) {
		return 0
	}
	w.steps(v[0], v[1], n)
	return n
}

// evenly returns the end of the values from v[i-1] on that are d apart. That wraps as T does.
func evenly[T Integer](v []T, i int, d T) int {
	if d == 0 {
		x := v[i-1]
		for ; i+4 <= len(v); i += 4 {
			q := (*[4]T)(v[i:])
			if (q[0]^x)|(q[1]^x)|(q[2]^x)|(q[3]^x) != 0 {
				break
			}
		}
		for i < len(v) && v[i] == x {
			i++
		}
		return i
	}
	for ; i+4 <= len(v); i += 4 {
		q := (*[5]T)(v[i-1:])
		if (q[1]-q[0]^d)|(q[2]-q[1]^d)|(q[3]-q[2]^d)|(q[4]-q[3]^d) != 0 {
			break
		}
	}
	for i < len(v) && v[i]-v[i-1] == d {
		i++
	}
	return i
}

// safeStep reports whether n values from first to last, each step apart modulo the bits of their type, are that in the
// integers.
func safeStep(first, last, step int64, n int) bool {
	d := last - first
	return (last^first)&(last^d) >= 0 && step > -1<<50 && step < 1<<50 && d == step*int64(n-1)
}

// bitsOf returns how many bits the values need, zig-zag coded where they are signed.
func (w *IntsOut[T]) bitsOf(v []T) int {
	n := bits.Len64(bitpack.UsedBits(v, w.signed))
	if w.signed {
		n++
	}
	return n
}

// width returns the width of a run of values that need so many bits.
func (w *IntsOut[T]) width(size int) uint {
	if w.Tight {
		return uint(packedPatch[size])
	}
	return uint(alignedWidths[size])
}

// deltaWidth is width for deltas, where one bit cannot be said.
func (w *IntsOut[T]) deltaWidth(size int) uint { return w.width(max(size, 2)) }

// direction tells whether values only rise, or only fall.
type direction struct {
	ok, down bool
	bits     int // of the largest step
}

// monotone looks at values that need size bits.
func monotone[T Integer](v []T, size int) (m direction) {
	if len(v) < 3 || size > 62 && !safeRange(v) {
		return m
	}
	i := 1
	for i < len(v) && v[i] == v[0] {
		i++
	}
	if i == len(v) {
		return direction{ok: true}
	}
	prev, steps := int64(v[i-1]), int64(0)
	if v[i] < v[0] {
		for _, x := range v[i:] {
			d := prev - int64(x)
			if d < 0 {
				return m
			}
			steps |= d
			prev = int64(x)
		}
		return direction{ok: true, down: true, bits: bits.Len64(uint64(steps))}
	}
	for _, x := range v[i:] {
		d := int64(x) - prev
		if d < 0 {
			return m
		}
		steps |= d
		prev = int64(x)
	}
	return direction{ok: true, bits: bits.Len64(uint64(steps))}
}

// safeRange reports whether the difference of any two values is an int64.
func safeRange[T Integer](v []T) bool {
	low, high := int64(v[0]), int64(v[0])
	for _, x := range v {
		low, high = min(low, int64(x)), max(high, int64(x))
		if high-low < 0 {
			return false
		}
	}
	return true
}

// pays looks in v[from:] for values that are a fixed step apart, and so many that a run of their own is shorter than what
// they take in one with their neighbours, at width bits each. It returns where they start and end, the same if there are
// none. Only where steps are safe may they be other than 0.
func pays[T Integer](v []T, from, width int, signed, safe bool) (start, end int) {
	least := max(minRepeat, (16+width-1)/width) // of fewer values no run can pay
	if least > mostRepeats {
		least = max(mostRepeats+1, (24+width-1)/width)
	}
	// So there are two, or three, of them at one of the places looked at. Three with steps pay nowhere.
	pairs, stride := least == minRepeat, max(least-2, 2)
	for p := from; p < len(v)-1; {
		p = min(p, len(v)-3)
		if p < from {
			break
		}
		q := (*[3]T)(v[p:])
		d := q[1] - q[0]
		if q[2]-q[1] != d && (d != 0 || !pairs) || d != 0 && !safe {
			p += stride
			continue
		}
		if d != 0 && width < 16 && p+3 < len(v) && v[p+3]-q[2] != d {
			p += stride // four such pay only where they are wide
			continue
		}
		start, end := p, evenly(v, p+2, d)
		for start > from && v[start]-v[start-1] == d {
			start--
		}
		if n := end - start; n >= least && (d == 0 || n > minRepeat) && worth(v, start, end, from, width, signed) {
			return start, end
		}
		p = max(p+stride, end-1)
	}
	return len(v), len(v)
}

// worth reports whether v[start:end] take fewer bits as a run of equal steps than in one with their neighbours, which
// begins at from.
func worth[T Integer](v []T, start, end, from, width int, signed bool) bool {
	n, step := end-start, int64(v[start+1])-int64(v[start])
	cost := -16 // the header of a run with all
	switch {
	case step == 0 && n <= mostRepeats:
		cost += 8 + 8*valueBytes(v[start], signed)
	case step == 0:
		cost += 24 + 8*varintSize(v[start], signed)
	case safeStep(int64(v[start]), int64(v[end-1]), step, n):
		cost += 16 + 8*varintSize(v[start], signed) + 8*varintSize(step, true)
	default:
		return false
	}
	if start > from {
		cost += 16
	}
	if rest := v[end:]; len(rest) > 0 && (len(rest) < minRepeat || rest[0] != rest[1] || rest[1] != rest[2]) {
		cost += 16
	}
	return n*width >= cost
}

// coded returns a value as a run has it.
func coded[T Integer](v T, signed bool) uint64 {
	if signed {
		return uint64(int64(v)<<1) ^ uint64(int64(v)>>63)
	}
	return uint64(int64(v))
}

// valueBytes returns the size of a value in a short repeat.
func valueBytes[T Integer](v T, signed bool) int { return max(bits.Len64(coded(v, signed))+7, 8) >> 3 }

// varintSize returns the size of a value as a varint.
func varintSize[T Integer](v T, signed bool) int { return max(bits.Len64(coded(v, signed))+6, 7) / 7 }

// steps writes n values, at least three, the first two of which are a and b, and the others go on like that.
func (w *IntsOut[T]) steps(a, b T, n int) {
	d := w.o.Room(2 + 2*bitpack.MaxVarint64)
	if a == b && n <= mostRepeats {
		x, size := coded(a, w.signed), valueBytes(a, w.signed)
		d[0] = shortRepeat<<6 | byte(size-1)<<3 | byte(n-minRepeat)
		binary.BigEndian.PutUint64(d[1:], x<<(64-8*size))
		w.o.Advance(1 + size)
		return
	}
	header2(d, delta, 0, n)
	k := 2 + binary.PutUvarint(d[2:], coded(a, w.signed))
	k += binary.PutVarint(d[k:], int64(b)-int64(a))
	w.o.Advance(k)
}

// header2 writes the first two bytes of a run other than short repeats.
func header2(d []byte, kind, code byte, n int) {
	d[0] = kind<<6 | code<<1 | byte((n-1)>>8)
	d[1] = byte(n - 1)
}

// part writes values of which nothing is known.
func (w *IntsOut[T]) part(v []T) {
	size := w.bitsOf(v)
	w.various(v, size, monotone(v, size))
}

// various writes a run of values, which need size bits.
func (w *IntsOut[T]) various(v []T, size int, m direction) {
	width := w.width(size)
	if m.ok && w.rising(v, int(width), m) {
		return
	}
	if w.few(v, size) && w.patched(v, size, int(width)) {
		return
	}
	w.direct(v, width)
}

// direct writes a direct run.
func (w *IntsOut[T]) direct(v []T, width uint) {
	d := w.o.Room(2 + bitpack.PackedSize(len(v), width) + bitpack.PackSlack)
	header2(d, direct, widthCodes[width], len(v))
	n := 0
	if w.signed {
		n = bitpack.PackZigzagBE(d[2:], v, width)
	} else {
		n = bitpack.PackBE(d[2:], v, width)
	}
	w.o.Advance(2 + n)
}

// rising writes values that only rise, or only fall, as a delta run. False: direct, with width bits, is shorter. A run
// cannot start with two equal values, since the first delta has the sign of all: those before the last of them get a run
// of their own.
func (w *IntsOut[T]) rising(v []T, width int, m direction) bool {
	if m.bits == 0 { // all are equal
		if n := len(v); n > mostRepeats && 8*(1+varintSize(v[0], w.signed)) < n*width ||
			n >= minRepeat && n <= mostRepeats && 8*valueBytes(v[0], w.signed) < n*width+8 {
			w.steps(v[0], v[0], n)
			return true
		}
		return false
	}
	same := 0
	for v[same+1] == v[same] {
		same++
	}
	rest := v[same:]
	if len(rest) < minRepeat {
		return false
	}
	if same == 0 && evenly(v, 2, v[1]-v[0]) == len(v) {
		w.steps(v[0], v[1], len(v))
		return true
	}
	step := int64(rest[1]) - int64(rest[0])
	packed := w.deltaWidth(m.bits)
	cost := bitpack.PackedSize(len(rest)-2, packed) + varintSize(v[0], w.signed) + varintSize(step, true)
	if same > 0 {
		cost += 2 + bitpack.PackedSize(min(same, 2), uint(width))
	}
	if cost >= bitpack.PackedSize(len(v), uint(width)) {
		return false
	}
	switch {
	case same >= minRepeat:
		w.steps(v[0], v[0], same)
	case same > 0:
		w.direct(v[:same], w.width(w.bitsOf(v[:same])))
	}
	d := w.o.Room(2 + 2*bitpack.MaxVarint64 + bitpack.PackedSize(len(rest), packed) + bitpack.PackSlack)
	header2(d, delta, widthCodes[packed], len(rest))
	k := 2 + binary.PutUvarint(d[2:], coded(rest[0], w.signed))
	k += binary.PutVarint(d[k:], step)
	wide := w.o.shared.wide[:len(rest)-2]
	prev := int64(rest[1])
	if m.down {
		for i, x := range rest[2:] {
			wide[i] = prev - int64(x)
			prev = int64(x)
		}
	} else {
		for i, x := range rest[2:] {
			wide[i] = int64(x) - prev
			prev = int64(x)
		}
	}
	w.o.Advance(k + bitpack.PackBE(d[k:], wide, packed))
	return true
}

// few reports whether few of the values, which need size bits, need all of them, by a sample. It errs towards few.
func (w *IntsOut[T]) few(v []T, size int) bool {
	if len(v) < 8 || size <= 2 {
		return false
	}
	// With two bits less it may pay to patch, or with one if that is less to pack.
	low := size - 2
	if w.width(size-1) < w.width(size) {
		low++
	}
	signs := int64(0)
	if w.signed {
		signs = -1
		low--
	}
	step := max(len(v)/32, 1)
	n, large := 0, 0
	for i := step / 2; i < len(v); i += step {
		x := int64(v[i])
		n++
		if uint64(x^x>>63&signs)>>(uint(low)&63) != 0 {
			large++
		}
	}
	return large*4 <= n
}

// most returns the width that most of the values, 15 in 16, can be packed with.
func (w *IntsOut[T]) most(v []T) int {
	var count [65]int
	for _, x := range v {
		count[bits.Len64(coded(x, w.signed))]++
	}
	size, n := 64, len(v)/16
	for size > 0 && n >= count[size] {
		n -= count[size]
		size--
	}
	return int(w.width(size))
}

const (
	mostPatches  = 31
	mostPatchGap = 255
	farBase      = 1 << 55 // from which on writers of bases disagree on their size
)

// patched writes values of which a few need many more bits than the others as a patched base run. False: direct, with
// width bits, is as short.
func (w *IntsOut[T]) patched(v []T, size, width int) bool {
	if size > 62 && !safeRange(v) {
		return false
	}
	low := int64(v[0])
	for _, x := range v {
		low = min(low, int64(x))
	}
	if low <= -farBase || low >= farBase {
		return false
	}
	var count [65]int // of values that need so many bits above the base
	wide := w.o.shared.wide[:len(v)]
	for i, x := range v {
		y := int64(x) - low
		wide[i] = y
		count[bits.Len64(uint64(y))]++
	}
	top := 64
	for count[top] == 0 {
		top--
	}
	if top == 0 {
		return false
	}
	baseBytes := bits.Len64(uint64(max(low, -low)))>>3 + 1
	best, cut := len(v)*width*127/128-8*(2+baseBytes), 0
	for k, over := top-1, count[top]; k > 0 && over <= mostPatches-2; k-- {
		patch := int(packedPatch[top-k])
		if widths[widthCodes[k]] == uint8(k) && k+patch <= 64 && patch <= 56 {
			// Two more entries at most are for gaps that are too long.
			cost := len(v)*k + (over+1)*int(packedPatch[patch+8])
			if cost < best {
				best, cut = cost, k
			}
		}
		over += count[k]
	}
	if cut == 0 {
		return false
	}
	patch := uint(packedPatch[top-cut])
	var at [mostPatches]int // index of what is patched, or what is but passed over
	n, before, far := 0, 0, 0
	for i, y := range wide {
		if y>>uint(cut) == 0 {
			continue
		}
		for i-before > mostPatchGap {
			before += mostPatchGap
			at[n] = before
			n++
			far = mostPatchGap
		}
		at[n] = i
		far = max(far, i-before)
		before = i
		n++
	}
	gap := uint(max(bits.Len(uint(far)), 1))
	entry := uint(packedPatch[gap+patch])

	d := w.o.Room(4 + 8 + bitpack.PackedSize(len(v), uint(cut)) + bitpack.PackedSize(n, entry) + 2*bitpack.PackSlack)
	header2(d, patchedBase, widthCodes[cut], len(v))
	d[2] = byte(baseBytes-1)<<5 | widthCodes[patch]
	d[3] = byte(gap-1)<<5 | byte(n)
	base := uint64(low)
	if low < 0 {
		base = uint64(-low) | 1<<(8*baseBytes-1)
	}
	binary.BigEndian.PutUint64(d[4:], base<<(64-8*baseBytes))
	k := 4 + baseBytes
	var entries [mostPatches]int64
	before = 0
	for i, p := range at[:n] {
		entries[i] = int64(uint64(p-before)<<patch | uint64(wide[p])>>uint(cut))
		before = p
	}
	for i := range wide {
		wide[i] &= 1<<uint(cut) - 1
	}
	k += bitpack.PackBE(d[k:], wide, uint(cut))
	k += bitpack.PackBE(d[k:], entries[:n], entry)
	w.o.Advance(k)
	return true
}
