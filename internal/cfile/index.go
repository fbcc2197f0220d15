package cfile

import (
	"bytes"
	"context"
	"fmt"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfile/inspect"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// block is a data block: where it lies, and its rows.
type block struct {
	ptr  cfilewire.BlockPointer
	rows arrowio.RowRange
}

// entry is one of the value index: no value of the block is below the key, none of the blocks before reaches it.
type entry struct {
	key []byte
	ptr cfilewire.BlockPointer
}

const (
	// indexGrowth is how much larger than Limits.MetadataBytes the lists made of an index may be: an entry takes about
	// eight bytes of an index block and 32 here.
	indexGrowth = 4
	sizeOfBlock = 32
	sizeOfEntry = 40
)

// positions returns the data blocks of a column, in row order.
func (f *Reader) positions(ctx context.Context) ([]block, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.blocks != nil {
		return f.blocks, nil
	}
	blocks := []block{}
	rows := f.footer.Values
	visit := func(key []byte, ptr cfilewire.BlockPointer) error {
		row, err := cfilewire.OrdinalKey(key)
		if err != nil {
			return err
		}
		at := int64(row)
		switch n := len(blocks); {
		case n == 0 && at != 0:
			return errs.Errorf(errs.ErrCorrupt, "the first block begins at row %d", at)
		case n > 0 && at <= blocks[n-1].rows.Start:
			return errs.Errorf(errs.ErrCorrupt, "a block at row %d follows one at row %d", at, blocks[n-1].rows.Start)
		case at >= rows:
			return errs.Errorf(errs.ErrCorrupt, "a block at row %d of %d", at, rows)
		case n > 0:
			blocks[n-1].rows.End = at
		}
		blocks = append(blocks, block{ptr: ptr, rows: arrowio.RowRange{Start: at, End: rows}})
		return nil
	}
	if f.footer.Pos != nil {
		w := f.newWalker(ctx, inspect.OpPositional, sizeOfBlock)
		if err := w.walk(*f.footer.Pos, visit); err != nil {
			return nil, err
		}
	}
	if len(blocks) == 0 && rows > 0 {
		return nil, errs.Locate(errs.Errorf(errs.ErrCorrupt, "%d rows and no block", rows), errs.At{Format: Name, Op: inspect.OpPositional, Off: errs.N(f.footer.FooterOff)})
	}
	f.blocks = blocks
	return blocks, nil
}

// values returns the entries of the value index, in file order.
func (f *Reader) values(ctx context.Context) ([]entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.entries != nil {
		return f.entries, nil
	}
	entries := []entry{}
	visit := func(key []byte, ptr cfilewire.BlockPointer) error {
		if n := len(entries); n > 0 && ptr.Off <= entries[n-1].ptr.Off {
			return errs.Errorf(errs.ErrCorrupt, "a block at %d follows one at %d", ptr.Off, entries[n-1].ptr.Off)
		}
		entries = append(entries, entry{key: bytes.Clone(key), ptr: ptr})
		return nil
	}
	if f.footer.Val != nil {
		w := f.newWalker(ctx, inspect.OpValue, sizeOfEntry)
		if err := w.walk(*f.footer.Val, visit); err != nil {
			return nil, err
		}
	}
	f.entries = entries
	return entries, nil
}

// walker visits the leaves of an index in order.
type walker struct {
	ctx   context.Context
	file  *Reader
	op    string
	seen  map[int64]bool // offsets of index blocks: none is visited twice, so cycles end
	left  int64          // bytes that the lists may still take
	cost  int64          // of an entry
	codec blockcodec.Decoder
}

func (f *Reader) newWalker(ctx context.Context, op string, cost int64) *walker {
	return &walker{ctx: ctx, file: f, op: op, cost: cost, seen: map[int64]bool{}, left: min(f.limits.MetadataBytes, 1<<40) * indexGrowth}
}

func (w *walker) walk(root cfilewire.BlockPointer, visit func(key []byte, ptr cfilewire.BlockPointer) error) error {
	return w.down(root, 0, visit)
}

func (w *walker) down(p cfilewire.BlockPointer, depth int, visit func([]byte, cfilewire.BlockPointer) error) error {
	index, err := w.index(p, depth)
	if err != nil {
		return errs.Locate(err, errs.At{Format: Name, Op: w.op, Off: errs.N(p.Off)})
	}
	for i := range index.Len() {
		key, child := index.Entry(i)
		err := w.file.footer.CheckPointer(child)
		if w.left -= w.cost + int64(len(key)); err == nil && w.left < 0 {
			err = errs.Errorf(errs.ErrLimit, "the index is over %d times the limit MetadataBytes = %d", indexGrowth, w.file.limits.MetadataBytes)
		}
		if err == nil && index.Leaf {
			err = visit(key, child)
		}
		if err != nil {
			return errs.Locate(err, errs.At{Format: Name, Op: fmt.Sprintf("%s, entry %d", w.op, i), Off: errs.N(p.Off)})
		}
		if !index.Leaf {
			if err := w.down(child, depth+1, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// index reads an index block.
func (w *walker) index(p cfilewire.BlockPointer, depth int) (cfilewire.IndexBlock, error) {
	switch {
	case depth == inspect.MaxDepth:
		return cfilewire.IndexBlock{}, errs.Errorf(errs.ErrCorrupt, "more than %d levels", depth)
	case w.seen[p.Off]:
		return cfilewire.IndexBlock{}, errs.Errorf(errs.ErrCorrupt, "two ways lead to this block")
	}
	w.seen[p.Off] = true
	raw, err := w.file.readBlock(w.ctx, p, &w.codec)
	if err != nil {
		return cfilewire.IndexBlock{}, err
	}
	return cfilewire.ParseIndex(raw)
}

// readBlock reads and unpacks one block.
func (f *Reader) readBlock(ctx context.Context, p cfilewire.BlockPointer, d *blockcodec.Decoder) ([]byte, error) {
	return f.inspect().ReadBlock(ctx, p, d)
}
