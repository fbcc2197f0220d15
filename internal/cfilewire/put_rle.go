package cfilewire

import (
	"encoding/binary"
	"math/bits"
)

// Rules of runs, which are Kudu's: values come in groups of eight. A group of equal values starts a run, which goes on for
// as long as the same value does; the next group starts behind it. Other groups are literals, of which up to mostGroups
// share an indicator of one byte. What is behind the last group is a run if all of it is equal and no literals are before
// it, even a run of one; else it is a literal group, of whose bytes only those are there that hold values.

const (
	mostGroups = 63
	mostRun    = 1<<30 - 1 // of a run; Kudu reads the indicator as 32 bits with a sign, and would write a bad one
)

// literals are runs that are being written, and where in them the indicator of the literals is that go on, if any do.
type literals struct {
	b      []byte
	at     int // of the indicator + 1; 0 = none go on
	groups int
}

// put adds literal groups, at most left.
func (w *literals) put(b []byte, groups int) {
	if w.at == 0 {
		w.b = append(w.b, 0)
		w.at, w.groups = len(w.b), 0
	}
	w.b = append(w.b, b...)
	if w.groups += groups; w.groups == mostGroups {
		w.end()
	}
}

// left returns how many more groups the indicator can count.
func (w *literals) left() int {
	if w.at == 0 {
		return mostGroups
	}
	return mostGroups - w.groups
}

func (w *literals) end() {
	if w.at > 0 {
		w.b[w.at-1] = byte(w.groups<<1 | 1)
		w.at = 0
	}
}

// run writes n copies of the value of size bytes that v starts with.
func (w *literals) run(n int, v uint64, size int) {
	for n > 0 {
		k := min(n, mostRun)
		w.b = binary.AppendUvarint(w.b, uint64(k)<<1)
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		w.b = append(w.b, b[:size]...)
		n -= k
	}
}

// RLEOut writes blocks of integers in runs: the reverse of RLE. Open comes first. What it writes depends on the values
// alone, not on how Put got them.
type RLEOut struct {
	literals
	width, most int
	count       int
	repeat      int    // values of a run that goes on
	value       uint64 // the value of the run, as often as there is room for it
	have        int    // values of a group that is not full
	group       [64]byte
}

// Open makes w write blocks of values of 1, 2, 4 or 8 bytes; size is about the bytes that a block has, 0 for Kudu's
// default.
func (w *RLEOut) Open(width, size int) {
	*w = RLEOut{literals: literals{b: w.b[:0]}, width: width, most: blockSize(size)}
}

// Put adds all of src, a whole number of little-endian values, and returns how many those are.
func (w *RLEOut) Put(src []byte) int {
	n := len(src) / w.width
	w.count += n
	size := 8 * w.width
	if w.have > 0 {
		k := copy(w.group[w.have*w.width:size], src)
		src = src[k:]
		if w.have += k / w.width; w.have < 8 {
			return n
		}
		w.have = 0
		if v, ok := sameValues(w.group[:size], w.width); ok {
			w.end()
			w.repeat, w.value = 8, v
		} else {
			w.put(w.group[:size], 1)
		}
	}
	for {
		if w.repeat > 0 {
			k := sameAs(src, w.value) / w.width
			w.repeat += k
			if src = src[k*w.width:]; len(src) == 0 {
				return n
			}
			w.run(w.repeat, w.value, w.width)
			w.repeat = 0
		}
		if len(src) < size {
			w.have = copy(w.group[:], src) / w.width
			return n
		}
		k, v := differ(src, w.width)
		if k == 0 {
			w.end()
			w.repeat, w.value = 8, v
			src = src[size:]
			continue
		}
		for k > 0 {
			m := min(k, w.left())
			w.put(src[:m*size], m)
			src = src[m*size:]
			k -= m
		}
	}
}

// sameValues reports whether a group has only one value, and returns that, as often as a word has room for it.
func sameValues(b []byte, width int) (uint64, bool) {
	v := binary.LittleEndian.Uint64(b)
	if bits.RotateLeft64(v, 8*width) != v {
		return 0, false
	}
	return v, sameAs(b, v) == len(b)
}

// differ returns how many of the first groups of src have different values; if none, v is the value of the first.
func differ(src []byte, width int) (n int, v uint64) {
	switch width {
	case 1:
		for ; len(src) >= 8; n++ {
			if v = binary.LittleEndian.Uint64(src); bits.RotateLeft64(v, 8) == v {
				return n, v
			}
			src = src[8:]
		}
	case 8:
		for ; len(src) >= 64; n++ {
			g := (*[64]byte)(src)
			if v = binary.LittleEndian.Uint64(g[:]); v == binary.LittleEndian.Uint64(g[8:]) {
				if sameAs(g[16:], v) == 48 {
					return n, v
				}
			}
			src = src[64:]
		}
	default:
		for size := 8 * width; len(src) >= size; n++ {
			if v = binary.LittleEndian.Uint64(src); bits.RotateLeft64(v, 8*width) == v && sameAs(src[8:size], v) == size-8 {
				return n, v
			}
			src = src[size:]
		}
	}
	return n, 0
}

// sameAs returns how many of the first bytes of b are those of v, again and again.
func sameAs(b []byte, v uint64) (n int) {
	for len(b)-n >= 32 {
		s := (*[32]byte)(b[n:])
		x := (binary.LittleEndian.Uint64(s[:]) ^ v) | (binary.LittleEndian.Uint64(s[8:]) ^ v)
		x |= (binary.LittleEndian.Uint64(s[16:]) ^ v) | (binary.LittleEndian.Uint64(s[24:]) ^ v)
		if x != 0 {
			break
		}
		n += 32
	}
	for ; len(b)-n >= 8; n += 8 {
		if x := binary.LittleEndian.Uint64(b[n:]) ^ v; x != 0 {
			return n + bits.TrailingZeros64(x)>>3
		}
	}
	for v := v; n < len(b) && b[n] == byte(v); n++ {
		v >>= 8
	}
	return n
}

// Count returns how many values the block has.
func (w *RLEOut) Count() int { return w.count }

// Full reports whether the block has more bytes than it should have. Values that Kudu has not written at this point, the
// run that goes on or the last few of less than a group, do not count.
func (w *RLEOut) Full() bool { return headBytes+len(w.b) > w.most }

// Room returns how many values can be put for sure before the block is full.
func (w *RLEOut) Room() int {
	group := 1 + 8*w.width // a literal group with an indicator is the most that eight values can add
	return max(0, (w.most-headBytes-len(w.b)-16)/group-1) * 8
}

// Finish appends the block, whose first row is ordinal, to dst, and starts another.
func (w *RLEOut) Finish(dst []byte, ordinal uint32) []byte {
	if w.have > 0 {
		rest := w.group[:w.have*w.width]
		fillGroup(w.group[:8*w.width], len(rest), w.width) // so that only the rest decides
		if v, ok := sameValues(w.group[:8*w.width], w.width); ok && w.at == 0 {
			w.run(w.have, v, w.width)
		} else {
			w.put(rest, 1)
		}
		w.have = 0
	}
	w.end()
	w.run(w.repeat, w.value, w.width)
	dst = append(appendHead(dst, w.count, ordinal), w.b...)
	w.b, w.count, w.repeat = w.b[:0], 0, 0
	return dst
}

// fillGroup repeats the first value of g from byte n on.
func fillGroup(g []byte, n, width int) {
	for ; n < len(g); n += width {
		copy(g[n:n+width], g[:width])
	}
}
