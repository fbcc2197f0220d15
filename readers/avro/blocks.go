package avro

import (
	"bytes"
	"context"
	"math"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/avrowire"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

// splitBytes is about how many stored bytes a split has: a worker unpacks them one block after another.
const splitBytes = 4 << 20

// block is where a block lies.
type block struct {
	avrowire.BlockHead
	off int64 // of the head
}

// data returns where the stored bytes of the rows begin.
func (b *block) data() int64 { return b.off + int64(b.Size) }

// end returns where the next block begins.
func (b *block) end() int64 { return b.data() + b.Packed + avrowire.SyncSize }

// Windows in which a walk reads a file: of one that is near, only the heads.
const (
	nearWindow = 512
	farWindow  = 4 << 20
)

// walker goes from block to block.
type walker struct {
	ctx    context.Context
	f      *file
	window int64
	buf    []byte
	start  int64 // of buf in the file
	blocks int
}

func (f *file) walker(ctx context.Context) *walker {
	w := &walker{ctx: ctx, f: f, window: farWindow}
	if arrowio.Near(f.src) {
		w.window = nearWindow
	}
	return w
}

// at returns n bytes of the file at off, fewer at its end.
func (w *walker) at(off, n int64) ([]byte, error) {
	n = min(n, w.f.src.Size()-off)
	if off < w.start || off+n > w.start+int64(len(w.buf)) {
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
		b, err := arrowio.ReadRanges(w.ctx, w.f.src, []arrowio.ByteRange{{Off: off, Len: min(w.window, w.f.src.Size()-off)}})
		if err != nil {
			return nil, err
		}
		w.buf, w.start = b[0], off
	}
	return w.buf[off-w.start:][:n], nil
}

// next returns the block at off, after a look at its sync marker.
func (w *walker) next(off int64) (b block, err error) {
	fail := func(err error, at int64) error { return errs.Locate(err, errs.At{Op: "block", Off: errs.N(at)}) }
	if w.blocks++; w.blocks&0xFFF == 0 && w.ctx.Err() != nil {
		return b, w.ctx.Err()
	}
	head, err := w.at(off, avrowire.BlockHeadSize)
	if err != nil {
		return b, fail(err, off)
	}
	b.off = off
	if b.BlockHead, err = avrowire.ParseBlockHead(head, w.f.src.Size()-off); err != nil {
		return b, fail(err, off)
	}
	if b.Packed > w.f.limits.BlockBytes {
		return b, fail(errs.Errorf(errs.ErrLimit, "a block of %d bytes is over the limit BlockBytes = %d", b.Packed, w.f.limits.BlockBytes), off)
	}
	if most := w.f.mostRaw(b.Packed); w.f.min > 0 && b.Rows > most/w.f.min {
		return b, fail(errs.Errorf(errs.ErrCorrupt, "a block of %d rows in %d bytes, which cannot hold so many", b.Rows, b.Packed), off)
	}
	sync := b.end() - avrowire.SyncSize
	mark, err := w.at(sync, avrowire.SyncSize+avrowire.BlockHeadSize)
	if err != nil {
		return b, fail(err, sync)
	}
	if !bytes.Equal(mark[:avrowire.SyncSize], w.f.header.Sync[:]) {
		return b, fail(errs.Errorf(errs.ErrCorrupt, "the sync marker of the file does not stand behind the block at %d", off), sync)
	}
	return b, nil
}

// mostRaw returns the most bytes that the rows of a block of packed bytes take.
func (f *file) mostRaw(packed int64) int64 {
	if f.header.Codec.Codec == blockcodec.None {
		return packed
	}
	return min(blockcodec.MaxRaw(f.header.Codec.Codec, packed), f.limits.BlockBytes)
}

// cut reads the heads of all blocks, and divides the blocks into splits. With lenient, a file that cannot be followed to its end is
// opened up to there.
func (f *file) cut(ctx context.Context, lenient bool) error {
	f.splits, f.starts, f.ends, f.blocks = nil, nil, nil, 0
	w := f.walker(ctx)
	most := max(f.splitBytes, f.src.Size()/int64(max(f.limits.Splits/2, 1)))
	var rows, first int64
	start := f.header.Size
	end := func(off int64) {
		if rows > first {
			s := arrowio.Split{Ordinal: len(f.splits), Rows: arrowio.RowRange{Start: first, End: rows}, Bytes: off - start}
			f.splits, f.starts, f.ends = append(f.splits, s), append(f.starts, start), append(f.ends, off)
		}
		start, first = off, rows
	}
	off := start
	for off < f.src.Size() {
		b, err := w.next(off)
		if err == nil && off > start && b.end()-start > most {
			end(off)
		}
		if err == nil {
			err = f.count(&rows, b)
		}
		if err != nil {
			if !lenient || !isKind(err) {
				return err
			}
			f.damage = err
			break
		}
		f.blocks++
		off = b.end()
	}
	end(off)
	f.end = off
	return nil
}

// count adds the rows of a block. Rows that take no bytes are bounded.
func (f *file) count(rows *int64, b block) error {
	if b.Rows > math.MaxInt64/2-*rows {
		return errs.Locate(errs.Errorf(errs.ErrCorrupt, "a block of %d rows", b.Rows), errs.At{Op: "block", Off: errs.N(b.off)})
	}
	*rows += b.Rows
	if f.min == 0 && *rows > f.limits.BatchElements {
		return errs.Locate(errs.Errorf(errs.ErrLimit, "%d rows that take no bytes are over the limit BatchElements = %d", *rows, f.limits.BatchElements), errs.At{Op: "block", Off: errs.N(b.off)})
	}
	return nil
}
