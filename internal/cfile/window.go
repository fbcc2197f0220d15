package cfile

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

// WindowBytes is how much of a near file is read at once, at least a block: what lies in the processor's cache until it
// is decoded.
const WindowBytes = 256 << 10

// Scratch is memory and decompressor state that columns use one after another. It belongs to one goroutine.
type Scratch struct {
	fetch []byte
	raw   []byte
	codec blockcodec.Decoder
}

// window reads the stored bytes of blocks, several at a time.
type window struct {
	ctx     context.Context
	src     arrowio.Source
	bytes   int64
	blocks  []block // all that will be read
	first   int     // index of the first block in the window
	pieces  [][]byte
	scratch *Scratch
	ranges  []arrowio.ByteRange
}

// stored returns the bytes of block k; valid until another window is read.
func (w *window) stored(k int) ([]byte, error) {
	if i := k - w.first; i >= 0 && i < len(w.pieces) {
		return w.pieces[i], nil
	}
	w.ranges = w.ranges[:0]
	total := int64(0)
	for _, b := range w.blocks[k:] {
		if total += int64(b.ptr.Size); total > w.bytes && len(w.ranges) > 0 {
			break
		}
		w.ranges = append(w.ranges, arrowio.ByteRange{Off: b.ptr.Off, Len: int64(b.ptr.Size)})
	}
	var err error
	w.first = k
	w.pieces, w.scratch.fetch, err = arrowio.ReadRangesInto(w.ctx, w.src, w.ranges, w.scratch.fetch, bitpack.SrcSlack)
	if err != nil {
		return nil, err
	}
	return w.pieces[0], nil
}
