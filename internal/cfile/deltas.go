package cfile

import (
	"cmp"
	"context"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile/inspect"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// Deltas walks over the changes of a delta file in file order: by row, and within a row by time, upwards in a file of
// REDOs and downwards in one of UNDOs. It belongs to one goroutine and holds one block at a time.
//
//	for d.Next() {
//		… d.Key, d.Change
//	}
//	return d.Err
type Deltas struct {
	Key    cfilewire.DeltaKey
	Change []byte // see cfilewire.ParseChange; valid until the next Next
	Err    error
	// Pass, where set, is told of blocks that cannot be read or whose deltas are not in order. The rest of such a block is
	// passed over.
	Pass func(error)

	file   *Reader
	rows   arrowio.RowRange
	window window
	k      int
	values cfilewire.Strings
	i      int
	last   int64 // row of the delta before
}

// NewDeltas returns the changes of rows. Only blocks that may hold some of them are read.
func (f *Reader) NewDeltas(ctx context.Context, rows arrowio.RowRange, sc *Scratch) (*Deltas, error) {
	if f.kind != cfilewire.DeltaFile {
		return nil, f.inFooter(errs.Errorf(errs.ErrCorrupt, "a %v, where deltas were looked for", f.kind))
	}
	entries, err := f.values(ctx)
	if err != nil {
		return nil, locate(err)
	}
	starts := make([]int64, len(entries))
	for i, e := range entries {
		k, _, err := cfilewire.ParseDeltaKey(e.key)
		if err == nil && i > 0 && k.Row < starts[i-1] {
			err = errs.Errorf(errs.ErrCorrupt, "row %d after row %d", k.Row, starts[i-1])
		}
		if err != nil {
			return nil, errs.Locate(err, errs.At{Format: Name, Op: inspect.OpValue, Off: errs.N(e.ptr.Off)})
		}
		starts[i] = k.Row
	}
	// Deltas of one row may go on in the next block.
	from, _ := slices.BinarySearchFunc(starts, rows.Start, cmp.Compare[int64])
	to, _ := slices.BinarySearchFunc(starts, rows.End, cmp.Compare[int64])
	from = max(0, from-1)
	if sc == nil {
		sc = &Scratch{}
	}
	d := &Deltas{file: f, rows: rows, window: window{ctx: ctx, src: f.src, bytes: WindowBytes, scratch: sc}}
	for _, e := range entries[from:max(from, to)] {
		d.window.blocks = append(d.window.blocks, block{ptr: e.ptr})
	}
	return d, nil
}

// Next moves to the next change; false at the end and after an error.
func (d *Deltas) Next() bool {
	for d.Err == nil {
		if d.i == d.values.Len() {
			if d.k == len(d.window.blocks) {
				return false
			}
			if err := d.open(); err != nil {
				d.fail(err, d.k)
			}
			continue
		}
		key, change, err := cfilewire.ParseDeltaKey(d.values.At(d.i))
		if err == nil && key.Row < d.last {
			err = errs.Errorf(errs.ErrCorrupt, "a delta of row %d follows one of row %d", key.Row, d.last)
		}
		if err != nil {
			d.fail(err, d.k-1)
			continue
		}
		d.i++
		d.last = key.Row
		switch {
		case key.Row < d.rows.Start:
		case key.Row >= d.rows.End:
			d.i, d.k = d.values.Len(), len(d.window.blocks)
			return false
		default:
			d.Key, d.Change = key, change
			return true
		}
	}
	return false
}

// fail ends the walk at block k, or passes over what is left of it.
func (d *Deltas) fail(err error, k int) {
	d.k = k
	if err = d.located(err, k); d.Pass == nil || d.window.ctx.Err() != nil {
		d.Err = err
		return
	}
	d.Pass(err)
	d.k++
	d.values, d.i = cfilewire.Strings{}, 0
}

// open unpacks the next block.
func (d *Deltas) open() error {
	stored, err := d.window.stored(d.k)
	if err != nil {
		return err
	}
	var raw []byte
	sc := d.window.scratch
	if raw, sc.raw, err = d.file.frame.Open(stored, sc.raw, &sc.codec); err != nil {
		return err
	}
	switch d.file.footer.Encoding {
	case cfilewire.EncodingPlain:
		_, err = d.values.OpenPlain(raw)
	case cfilewire.EncodingPrefix:
		_, err = d.values.OpenPrefix(raw, d.file.frame.Limit)
	default:
		err = errs.Errorf(errs.ErrUnsupported, "deltas in encoding %v", d.file.footer.Encoding)
	}
	if err != nil {
		return err
	}
	d.k++
	d.i = 0
	return nil
}

// located returns err with the place of block k.
func (d *Deltas) located(err error, k int) error {
	if err == nil {
		return nil
	}
	off := d.file.footer.FooterOff
	if n := len(d.window.blocks); n > 0 {
		off = d.window.blocks[min(max(k, 0), n-1)].ptr.Off
	}
	return errs.Locate(cfilewire.Kinded(err), errs.At{Format: Name, Op: "deltas", Off: errs.N(off)})
}
