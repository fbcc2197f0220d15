package arrowbuf

import (
	"encoding/binary"
	"iter"
	"slices"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// Kept says which of some slots stay: by their marks where runs are short, or by runs.
type Kept struct {
	Marks bitpack.Marks // a bit for each slot; nil where there are Runs
	Runs  [][2]int      // half-open ranges of slots, sorted and apart; nil where there are Marks
	N     int           // how many stay
	Count int           // the number of runs
}

// markedSpan is how many slots there are for each run, at most, where slots are marked: those that stay are then moved without a branch, and
// each by itself where it is a text.
const markedSpan = 64

// Marked reports whether slots, of which some stay in so many runs, are better marked than listed as runs.
func Marked(slots, runs int) bool { return runs > 1 && slots <= markedSpan*runs }

// fewSlots is how many slots runs have, on average, at most, where those that stay are marked however far apart they are: they may be found
// without the others, or else move as quickly.
const fewSlots = 4

// MarksKept reports whether Kept has marks for n of some slots that stay in so many runs.
func MarksKept(slots, n, runs int) bool {
	return Marked(slots, runs) || runs > 1 && n <= fewSlots*runs
}

// KeptRuns returns what says that the n slots of runs stay. Marks are put behind those of room, which is returned with them.
func KeptRuns(runs [][2]int, n int, room bitpack.Marks) (Kept, bitpack.Marks) {
	k := Kept{Runs: runs, N: n, Count: len(runs)}
	if n == 0 {
		return k, room
	}
	slots := runs[len(runs)-1][1]
	if !MarksKept(slots, n, len(runs)) {
		return k, room
	}
	first, words := len(room), bitpack.MarkWords(slots)
	room = slices.Grow(room, words)[:first+words]
	k.Marks, k.Runs = room[first:], nil
	clear(k.Marks)
	for _, r := range runs {
		k.Marks.Mark(r[0], r[1])
	}
	return k, room
}

// All yields the runs.
func (k *Kept) All() iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for _, r := range k.Runs {
			if !yield(r[0], r[1]) {
				return
			}
		}
		for from, to := k.Marks.NextRun(0); from < to; from, to = k.Marks.NextRun(to) {
			if !yield(from, to) {
				return
			}
		}
	}
}

// AppendRuns appends the runs to those of room.
func (k *Kept) AppendRuns(room [][2]int) [][2]int {
	for from, to := range k.All() {
		room = append(room, [2]int{from, to})
	}
	return room
}

// Keep moves those of values that stay together at the front. What is behind them is arbitrary afterwards.
func Keep[T Fixed](values []T, kept *Kept) {
	if kept.Marks != nil {
		bitpack.Pick(values, values[:min(len(values), 64*len(kept.Marks))], kept.Marks)
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
	start := int(ends[0])
	if kept.Marks != nil {
		return gatherTexts(ends[1:], values, 0, values, offsets, kept.Marks, start)
	}
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

// textBlock is how many texts are moved at once.
const textBlock = 1024

// gatherTexts copies those texts of src that are marked one behind another to dst, from byte at on, and returns where the last of them ends.
// Their ends there, and shift, go to ends, which may be offsets behind the first, and the same holds for dst and src: see
// bitpack.PickTexts.
func gatherTexts(ends []int32, dst []byte, at int, src []byte, offsets []int32, marks bitpack.Marks, shift int) int {
	var all [1 + textBlock]int32
	var starts [textBlock]int32
	all[0] = offsets[0]
	offsets = offsets[1:]
	for len(offsets) > 0 && len(marks) > 0 {
		n := copy(all[1:], offsets)
		m := marks[:min(len(marks), bitpack.MarkWords(n))]
		next := all[n]
		n = min(n, 64*len(m))
		k := bitpack.Pick(starts[:], all[:n], m)
		bitpack.Pick(all[:], all[1:1+n], m)
		at = bitpack.PickTexts(dst, at, src, starts[:k], all[:k], shift)
		ends = ends[copy(ends, all[:k]):]
		all[0] = next
		offsets, marks = offsets[n:], marks[len(m):]
	}
	return at
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
