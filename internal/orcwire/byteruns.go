package orcwire

import (
	"encoding/binary"
	"unsafe"
)

// byteRuns reads runs of bytes (specification, "Byte Run Length Encoding"):
//
//	control 0…127      one byte, control+3 times
//	control -1…-128    so many bytes as they are
type byteRuns struct {
	b       *Bytes
	left    int  // of the run
	literal bool // whose bytes come next in b, or
	value   byte // the one that is repeated
}

// run makes sure that the run has something left.
func (r *byteRuns) run() error {
	for r.left == 0 {
		w := r.b.win
		if len(w) < 2 {
			if err := r.b.Need(2); err != nil {
				return err
			}
			if w = r.b.win; len(w) < 2 {
				return ErrEnd
			}
		}
		if c := int(int8(w[0])); c < 0 {
			r.left, r.literal = -c, true
			r.b.win = w[1:]
		} else {
			r.left, r.literal, r.value = c+minRepeat, false, w[1]
			r.b.win = w[2:]
		}
	}
	return nil
}

// minRepeat is the shortest run in the encodings where a run's length is what a control byte says and this.
const minRepeat = 3

// literals returns some, but at most n, of the bytes that a run as they are has left. They have been passed over.
func (r *byteRuns) literals(n int) ([]byte, error) {
	if len(r.b.win) == 0 {
		if ended, err := r.b.Ended(); err != nil || ended {
			return nil, endOr(err)
		}
	}
	w := r.b.win[:min(n, r.left, len(r.b.win))]
	r.b.win = r.b.win[len(w):]
	r.left -= len(w)
	return w, nil
}

// next reads len(dst) bytes.
func (r *byteRuns) next(dst []byte) error {
	for len(dst) > 0 {
		if r.left == 0 {
			if dst = r.wholeRuns(dst); len(dst) == 0 {
				break
			}
		}
		if err := r.run(); err != nil {
			return err
		}
		if r.literal {
			w, err := r.literals(len(dst))
			if err != nil {
				return err
			}
			copy(dst, w)
			dst = dst[len(w):]
			continue
		}
		n := min(r.left, len(dst))
		fillBytes(dst[:n], r.value)
		dst = dst[n:]
		r.left -= n
	}
	return nil
}

// wholeRuns decodes runs that the window has whole and dst has room for, and returns what is left of dst.
func (r *byteRuns) wholeRuns(dst []byte) []byte {
	w := r.b.win
	for len(w) >= 2 {
		n := int(int8(w[0]))
		if n >= 0 {
			if n += minRepeat; n > len(dst) {
				break
			}
			fillBytes(dst[:n], w[1])
			w = w[2:]
		} else {
			if n = -n; n > len(dst) || n >= len(w) {
				break
			}
			copy(dst, w[1:n+1])
			w = w[n+1:]
		}
		dst = dst[n:]
	}
	r.b.win = w
	return dst
}

// fillBytes is fill, eight bytes at once.
func fillBytes(dst []byte, v byte) {
	x := uint64(v) * 0x0101010101010101
	for ; len(dst) >= 8; dst = dst[8:] {
		binary.LittleEndian.PutUint64(dst, x)
	}
	fill(dst, v)
}

// fill sets all of dst to v.
func fill[T Integer | ~uint8](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}

// ByteRuns reads a stream of bytes in runs: tinyint values, or the tags of a union. Open comes first.
type ByteRuns[T ~int8 | ~uint8] struct{ runs byteRuns }

// Open makes r read b from where that is.
func (r *ByteRuns[T]) Open(b *Bytes) { r.runs = byteRuns{b: b} }

// Next fills dst or fails. After an error dst, and r, are undefined.
func (r *ByteRuns[T]) Next(dst []T) error {
	// A T is a byte by another name.
	return r.runs.next(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst)))
}

// Skip passes over n values.
func (r *ByteRuns[T]) Skip(n int) error {
	for n > 0 {
		if err := r.runs.run(); err != nil {
			return err
		}
		k := min(n, r.runs.left)
		if r.runs.literal {
			if err := r.runs.b.Discard(int64(k)); err != nil {
				return err
			}
		}
		r.runs.left -= k
		n -= k
	}
	return nil
}

// Seek goes to a position: that of a byte, and the values to pass over from there.
func (r *ByteRuns[T]) Seek(p *Positions) error {
	r.runs.left = 0
	if err := r.runs.b.Seek(p); err != nil {
		return err
	}
	n, err := p.values(mostInRun)
	if err != nil {
		return err
	}
	return r.Skip(n)
}

// mostInRun bounds how many values a position is behind the start of a run: it may go over several, but what is beyond
// any sense is no position.
const mostInRun = 1 << 24
