package orc

import (
	"math"

	"github.com/arrowio/arrowio/internal/sinkblocks"
)

const (
	// paddingShare is the part of a stripe, as one over so much, that is left to zeros at the end of a block rather than to a small
	// stripe: 5 %, as in Java.
	paddingShare = 20
	// columnShare is about what an index and a footer have of a column for each row group, where nothing better is known.
	columnShare = 40
)

// room returns how many bytes are left in the block where the next stripe begins.
func (f *file) room() int64 {
	if f.block <= 0 {
		return math.MaxInt64
	}
	return f.block - f.at%f.block
}

// more returns about how many bytes another row group adds to the n of the open stripe, with the index and the footer of all.
func (w *writer) more(n int64) int64 {
	step := w.d.step()
	next := 0.0
	if w.rows > 0 {
		next = float64(n) / float64(w.rows) * float64(step)
	}
	return int64(next) + (w.rows/step+2)*columnShare*int64(len(w.d.types))
}

// skip writes zeros to the end of the block, if what is left of it is too little for a stripe.
func (f *file) skip() error {
	if room := f.room(); f.block > 0 && room < f.block && room < min(f.w.d.stripe, f.block)/paddingShare {
		return f.pad(room)
	}
	return nil
}

// keep writes zeros to the end of the block, if a stripe of n bytes would lie across it and can lie within one.
func (f *file) keep(n int64) error {
	if room := f.room(); f.block > 0 && n > room && n <= f.block {
		return f.pad(room)
	}
	return nil
}

// pad writes n zeros.
func (f *file) pad(n int64) error {
	return sinkblocks.Pad(n, func(zeros []byte) error { return f.write(zeros) })
}
