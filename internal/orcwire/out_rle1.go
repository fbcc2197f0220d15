package orcwire

import (
	"encoding/binary"

	"github.com/arrowio/arrowio/internal/bitpack"
)

const (
	mostSteps    = 130 // values of a run of version 1
	mostLiterals = 128
)

// encode1 writes runs of version 1: three values or more that are a step of a byte apart, or else literals until there
// are three such. It stops where what follows may still belong to a run.
func (w *IntsOut[T]) encode1(v []T, last bool) int {
	i := 0
	for i < len(v) && (last || len(v)-i >= mostSteps) {
		left := v[i:min(len(v), i+mostSteps)]
		if small(left) {
			n := evenly(left, 3, left[1]-left[0])
			if safeStep(int64(left[0]), int64(left[n-1]), int64(left[1])-int64(left[0]), n) {
				d := w.o.Room(2 + bitpack.MaxVarint64)
				d[0], d[1] = byte(n-minRepeat), byte(left[1]-left[0])
				w.o.Advance(2 + binary.PutUvarint(d[2:], coded(left[0], w.signed)))
				i += n
				continue
			}
		}
		left = left[:min(len(left), mostLiterals)]
		n := 1
		for n < len(left) && !small(left[n:]) {
			n++
		}
		d := w.o.Room(1 + n*bitpack.MaxVarint64 + bitpack.VarintRoom)
		d[0] = byte(-n)
		w.o.Advance(1 + bitpack.PutVarints(d[1:], left[:n], w.signed))
		i += n
	}
	return i
}

// small reports whether the first three values are a step apart that a run of version 1 can have.
func small[T Integer](v []T) bool {
	if len(v) < minRepeat {
		return false
	}
	d := v[1] - v[0]
	if v[2]-v[1] != d {
		return false
	}
	step := int64(v[1]) - int64(v[0])
	return int64(int8(step)) == step && safeStep(int64(v[0]), int64(v[2]), step, minRepeat)
}
