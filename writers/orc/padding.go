package orc

import (
	"math"

	"github.com/dustin/go-humanize"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/sinkblocks"
)

// Values of the option orc-block-padding that are no sizes.
const (
	blockAuto = "auto"
	blockNone = "none"
)

const (
	leastStoreBlock = 4 << 10
	mostStoreBlock  = 1 << 40
	// paddingShare is the part of a stripe, as one over so much, that is left to zeros at the end of a block rather than to a small
	// stripe: 5 %, as in Java.
	paddingShare = 20
	// columnShare is about what an index and a footer have of a column for each row group, where nothing better is known.
	columnShare = 40
)

// parseStoreBlock reads the option orc-block-padding.
func parseStoreBlock(text string) (int64, error) {
	switch text {
	case blockAuto:
		return 0, nil
	case blockNone:
		return -1, nil
	}
	n, err := humanize.ParseBytes(text)
	if err != nil || n < leastStoreBlock || n > mostStoreBlock {
		return 0, errs.Errorf(errs.ErrOption, "%w is %q; it takes auto, none, or 4KiB to 1TiB", errs.Opt("orc-block-padding", ""), text)
	}
	return int64(n), nil
}

// storeBlock returns the size of the blocks that the stripes of a file lie within, and asks the store for such blocks; 0 = stripes
// may lie anywhere.
func (d *driver) storeBlock(sink arrowio.Sink) (int64, error) {
	n := d.opt.StoreBlock
	if n < 0 {
		return 0, nil
	}
	b := sinkblocks.Of(sink)
	if b == nil {
		return n, nil
	}
	if n > 0 {
		if err := b.SetBlockBytes(n); err != nil {
			return 0, err
		}
	}
	return b.BlockBytes(), nil
}

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
	zeros := make([]byte, min(n, 64<<10))
	for ; n > 0; n -= int64(len(zeros)) {
		zeros = zeros[:min(n, int64(len(zeros)))]
		if err := f.write(zeros); err != nil {
			return err
		}
	}
	return nil
}
