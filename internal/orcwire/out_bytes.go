package orcwire

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// byteRunsOut writes runs of bytes: the reverse of byteRuns.
type byteRunsOut struct {
	o    *Out
	n    int // bytes in room
	room [byteWindow]byte
}

// byteWindow is how many bytes are looked at to decide about the first of them.
const byteWindow = 512

func (w *byteRunsOut) open(o *Out) { w.o, w.n = o, 0 }

func (w *byteRunsOut) put(src []byte) {
	for len(src) > 0 {
		if w.n == 0 && len(src) >= byteWindow {
			src = src[w.encode(src, false):]
			continue
		}
		before := w.n
		k := copy(w.room[before:], src)
		w.n += k
		if w.n < byteWindow {
			return
		}
		used := w.encode(w.room[:], false)
		if used >= before { // what is left of the room is still in src
			src = src[used-before:]
			w.n = 0
			continue
		}
		w.n = copy(w.room[:], w.room[used:])
		src = src[k:]
	}
}

func (w *byteRunsOut) flush() {
	for at := 0; at < w.n; {
		at += w.encode(w.room[at:w.n], true)
	}
	w.n = 0
}

// encode writes runs of the first bytes of v and returns how many, at least one if v has byteWindow of them or is all up
// to a flush.
func (w *byteRunsOut) encode(v []byte, last bool) int {
	i := 0
	for i < len(v) && (last || len(v)-i >= byteLook) {
		left := v[i:]
		if n := repeats(left, mostSteps); n >= minRepeat {
			d := w.o.Room(2)
			d[0], d[1] = byte(n-minRepeat), left[0]
			w.o.Advance(2)
			i += n
			continue
		}
		n := literals(left)
		d := w.o.Room(1 + n)
		d[0] = byte(-n)
		copy(d[1:], left[:n])
		w.o.Advance(1 + n)
		i += n
	}
	return i
}

// byteLook is how many bytes decide about the next run at the most.
const byteLook = mostLiterals + 2*minRepeat + 8

// repeats returns how many of the first bytes are the same, at most most.
func repeats(v []byte, most int) int {
	v = v[:min(len(v), most)]
	if len(v) < minRepeat || v[0] != v[1] || v[1] != v[2] {
		return min(len(v), 1)
	}
	n := minRepeat
	for x := uint64(v[0]) * everyByte; len(v)-n >= 8; n += 8 {
		if y := binary.LittleEndian.Uint64(v[n:]) ^ x; y != 0 {
			return n + bits.TrailingZeros64(y)>>3
		}
	}
	for n < len(v) && v[n] == v[0] {
		n++
	}
	return n
}

// literals returns how many of the first bytes come before a run that pays. One of three bytes among literals does not:
// it takes two, and the header of the literals behind it a third.
func literals(v []byte) int {
	n := 1
	for {
		if n = triple(v, n); n >= mostLiterals {
			return mostLiterals
		}
		if n == len(v) {
			return n
		}
		k := repeats(v[n:], minRepeat+1)
		if k > minRepeat || n+k == len(v) || n+k >= mostLiterals || repeats(v[n+k:], minRepeat) == minRepeat {
			return n
		}
		n += k
	}
}

// triple returns where, from n on, there are three equal bytes, or mostLiterals or more if that is not before, or len(v).
func triple(v []byte, n int) int {
	for ; len(v)-n >= 10; n += 8 {
		if n >= mostLiterals {
			return n
		}
		b := (*[10]byte)(v[n:])
		x := binary.LittleEndian.Uint64(b[1:])
		x = (x ^ binary.LittleEndian.Uint64(b[:])) | (x ^ binary.LittleEndian.Uint64(b[2:]))
		// The lowest zero byte is found: only above it can there be false ones.
		if x = (x - everyByte) &^ x & topBits; x != 0 {
			return n + bits.TrailingZeros64(x)>>3
		}
	}
	for ; n+2 < len(v); n++ {
		if v[n] == v[n+1] && v[n] == v[n+2] {
			return n
		}
	}
	return len(v)
}

// BytesOut writes a stream of bytes in runs, as tinyint values and the tags of unions are: the reverse of ByteRuns. Open
// comes first. What it writes depends on the values and on where Flush and Position came between them, not on how Put
// got them.
type BytesOut[T ~int8 | ~uint8] struct{ runs byteRunsOut }

// Open makes w write to o from where that is.
func (w *BytesOut[T]) Open(o *Out) { w.runs.open(o) }

// Put writes values. It does not keep src.
func (w *BytesOut[T]) Put(src []T) {
	// A T is a byte by another name.
	w.runs.put(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(src))), len(src)))
}

// Flush ends the run, so that all values are in the stream. It does not flush the Out.
func (w *BytesOut[T]) Flush() { w.runs.flush() }

// Position flushes and appends where the next value will be: where the Out is, and no values to pass over.
func (w *BytesOut[T]) Position(dst []uint64) []uint64 {
	w.runs.flush()
	return append(w.runs.o.Position(dst), 0)
}

// repeat is put of n times v.
func (w *byteRunsOut) repeat(v byte, n int) {
	for n > 0 {
		k := min(n, byteWindow-w.n)
		fillBytes(w.room[w.n:w.n+k], v)
		w.n += k
		n -= k
		if w.n == byteWindow {
			used := w.encode(w.room[:], false)
			w.n = copy(w.room[:], w.room[used:])
		}
	}
}
