package trevni

import (
	"context"
	"sort"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// needOf returns which rows of a column must be walked so that the rows of want can be decoded: within every block that
// want touches, the rows from the block's first to the last wanted one, because values do not say where they stand.
// Where resume knows a place in a block, its row or -1, the walk begins there if that is early enough.
func needOf(blocks []trevniwire.Block, want arrowio.RowSet, resume func(*trevniwire.Block) int64) arrowio.RowSet {
	var out arrowio.RowSet
	i := 0
	for _, r := range want {
		for i < len(blocks) && blocks[i].End() <= r.Start {
			i++
		}
		for k := i; k < len(blocks) && blocks[k].Start < r.End; k++ {
			start := blocks[k].Start
			if row := resume(&blocks[k]); len(out) == 0 && row > start && row <= r.Start {
				start = row
			}
			if n := len(out); n > 0 {
				start = max(start, out[n-1].End)
			}
			out = out.Add(arrowio.RowRange{Start: start, End: min(blocks[k].End(), r.End)})
		}
	}
	return out
}

// blocksOf returns the blocks that rows of need lie in.
func blocksOf(blocks []trevniwire.Block, need arrowio.RowSet) []trevniwire.Block {
	var out []trevniwire.Block
	next := 0
	for _, r := range need {
		k := max(next, sort.Search(len(blocks), func(i int) bool { return blocks[i].End() > r.Start }))
		for ; k < len(blocks) && blocks[k].Start < r.End; k++ {
			out = append(out, blocks[k])
		}
		next = k
	}
	return out
}

// plan gives every column of the reader the rows it must walk and the blocks it needs, children before parents: a
// child that is entered at the start of a block needs its parent's lengths from that row on.
func (r *splitReader) plan(ctx context.Context, want arrowio.RowSet) error {
	if err := r.file.loadBlocks(ctx, r.columns); err != nil {
		return err
	}
	needs := make(map[int]arrowio.RowSet, len(r.columns))
	for i := len(r.columns) - 1; i >= 0; i-- {
		c := r.columns[i]
		blocks, err := r.file.columnBlocks(ctx, c.index)
		if err != nil {
			return err
		}
		set := want
		for _, k := range c.Children {
			if n, ok := needs[k]; ok {
				set = set.Union(n)
			}
		}
		c.need = needOf(blocks, set, c.resume)
		c.blocks = blocksOf(blocks, c.need)
		if n := len(c.blocks); r.file.salvaged && n > 0 {
			if err := r.file.within(&c.blocks[n-1], c.Checksum); err != nil {
				return errs.Locate(err, errs.At{Column: c.Name, Off: errs.N(c.blocks[n-1].Off)})
			}
		}
		needs[c.index] = c.need
	}
	return nil
}

// fetch reads the planned blocks of a source that is far; those of a column that lie one after another in one range.
func (r *splitReader) fetch(ctx context.Context) error {
	var ranges []arrowio.ByteRange
	total, unpacked := int64(0), int64(0)
	for _, c := range r.columns {
		open, most := false, int64(0)
		for _, b := range c.blocks {
			most = max(most, b.Raw)
			n := b.Packed + c.Checksum.Size()
			if last := len(ranges) - 1; open && ranges[last].Off+ranges[last].Len == b.Off {
				ranges[last].Len += n
			} else {
				ranges = append(ranges, arrowio.ByteRange{Off: b.Off, Len: n})
				open = true
			}
			total += n
		}
		unpacked += most
	}
	if unpacked > r.file.limits.SplitBytes {
		return errs.Errorf(errs.ErrLimit, "%d bytes to unpack, a block of each column, are over the limit SplitBytes = %d: take fewer columns", unpacked, r.file.limits.SplitBytes)
	}
	if total > r.file.limits.SplitBytes {
		return errs.Errorf(errs.ErrLimit, "%d bytes to fetch are over the limit SplitBytes = %d", total, r.file.limits.SplitBytes)
	}
	if arrowio.Near(r.file.src) {
		return nil // columns read their blocks as they come to them: see column.read
	}
	var pieces [][]byte
	var err error
	pieces, r.scratch.fetch, err = arrowio.ReadRangesInto(ctx, r.file.src, ranges, r.scratch.fetch, bitpack.SrcSlack)
	if err != nil {
		return err
	}
	k := -1
	at := int64(0)
	for _, c := range r.columns {
		for i, b := range c.blocks {
			n := b.Packed + c.Checksum.Size()
			if i == 0 || at != b.Off {
				k++
				at = b.Off
			}
			from := b.Off - ranges[k].Off
			c.packed = append(c.packed, pieces[k][from:from+n])
			at += n
		}
	}
	return nil
}
