package arrowbuf

import (
	"encoding/binary"
	"slices"
)

// Kept says which of some slots stay.
type Kept struct {
	Runs  [][2]int // half-open ranges of them, sorted and apart
	Slots []uint16 // the same, one by one, where the runs are short; nil where they are not
	N     int      // how many stay
}

// listedRun is how many slots a run has, on average, at most, where the slots are listed: one by one they are moved without a branch.
const listedRun = 4

// maxListed is how many slots there may be for some of them to be listed.
const maxListed = 1 << 16

// NewKept returns what says that the n slots of runs stay. Slots are listed behind those of room, which is returned with them.
func NewKept(runs [][2]int, n int, room []uint16) (Kept, []uint16) {
	k := Kept{Runs: runs, N: n}
	if n == 0 || n > listedRun*len(runs) || runs[len(runs)-1][1] > maxListed {
		return k, room
	}
	first := len(room)
	room = slices.Grow(room, n+shortRun)[:first+n+shortRun]
	to := room[first:]
	for _, r := range runs {
		d, x := (*[shortRun]uint16)(to), uint16(r[0])
		d[0], d[1], d[2], d[3] = x, x+1, x+2, x+3 // what is too much is written over
		for i := shortRun; i < r[1]-r[0]; i++ {
			to[i] = x + uint16(i)
		}
		to = to[r[1]-r[0]:]
	}
	room = room[:first+n]
	k.Slots = room[first:]
	return k, room
}

// Keep moves those of values that stay together at the front. What is behind them is arbitrary afterwards.
func Keep[T Fixed](values []T, kept *Kept) {
	if kept.Slots != nil {
		for i, slot := range kept.Slots {
			values[i] = values[slot]
		}
		return
	}
	to := 0
	for _, r := range kept.Runs {
		from, k := r[0], r[1]-r[0]
		if from != to {
			copy(values[to:], values[from:r[1]])
		}
		to += k
	}
}

// KeepStrings moves the bytes of those texts that stay together at the front of values, and writes their ends behind ends[0], where
// they start from. The texts lie between offsets, of which the first is 0. It returns how many bytes are kept. What is behind them
// in values is arbitrary afterwards.
func KeepStrings(ends []int32, values []byte, offsets []int32, kept *Kept) int {
	if kept.Slots != nil {
		return keepListed(ends[1:], values, offsets, kept.Slots, int(ends[0]))
	}
	start := int(ends[0])
	ends = ends[1:]
	to := 0
	for _, r := range kept.Runs {
		from, last := int(offsets[r[0]]), int(offsets[r[1]])
		gap, n := from-to, last-from
		if gap >= shortText && n <= longText && from+longText <= len(values) {
			for k := 0; k < n; k += shortText { // what is too much is written over
				move64(values[to+k:], values[from+k:])
			}
		} else {
			copy(values[to:to+n], values[from:last])
		}
		to += n
		shift := int32(start - gap)
		src, k := offsets[r[0]+1:], r[1]-r[0]
		if k <= shortRun && len(src) >= shortRun && len(ends) >= shortRun {
			d, s := (*[shortRun]int32)(ends), (*[shortRun]int32)(src)
			d[0], d[1], d[2], d[3] = s[0]+shift, s[1]+shift, s[2]+shift, s[3]+shift
		} else {
			d := ends[:k]
			for i, x := range src[:k] {
				d[i] = x + shift
			}
		}
		ends = ends[k:]
	}
	return to
}

// keepListed moves the texts of slots, which are listed, together, from where the first of all texts begins, and returns where the last of
// them ends. The ends, moved by shift, go to ends, which may be offsets behind the first: they are written before those that will be
// read, or as they are.
func keepListed(ends []int32, values []byte, offsets []int32, slots []uint16, shift int) int {
	ends = ends[:len(slots)]
	to := int(offsets[0])
	for i, slot := range slots {
		from := int(offsets[slot])
		n := int(offsets[int(slot)+1]) - from
		if from-to >= shortText && n <= shortText && from+shortText <= len(values) {
			move64(values[to:], values[from:]) // what is too much is written over
		} else if from != to {
			copy(values[to:to+n], values[from:from+n])
		}
		to += n
		ends[i] = int32(to + shift)
	}
	return to
}

// Texts of a run are copied by as many bytes as shortText at once, up to longText: a call of memmove branches on their length.
const (
	shortText = 64
	longText  = 256
)

// move64 copies 64 bytes.
func move64(dst, src []byte) {
	d, s := (*[64]byte)(dst), (*[64]byte)(src)
	le := binary.LittleEndian
	for i := 0; i < 64; i += 32 {
		w, x, y, z := le.Uint64(s[i:]), le.Uint64(s[i+8:]), le.Uint64(s[i+16:]), le.Uint64(s[i+24:])
		le.PutUint64(d[i:], w)
		le.PutUint64(d[i+8:], x)
		le.PutUint64(d[i+16:], y)
		le.PutUint64(d[i+24:], z)
	}
}
