package trevni

import (
	"context"
	"fmt"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/salvage"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// survey finds out what of a file is intact: blocks that can be unpacked, whose checksum is right where there is one, that begin as
// their descriptor says, and that the rows fill exactly.
type survey struct {
	*File
	ctx    context.Context
	damage []salvage.Damage
	units  []salvage.Unit
	blocks blockReader
}

// salvage shows what is intact of the file. The File that it returns takes over f.
func (f *File) salvage(ctx context.Context, mode salvage.Mode) (arrowio.File, error) {
	s := &survey{File: f, ctx: ctx}
	damage := []salvage.Damage{}
	for i, root := range f.tree.Roots {
		s.damage, s.units = nil, nil
		edges := []int64{0, f.header.Rows}
		for _, c := range columnsOf(nil, root) {
			more, err := s.column(i, c)
			if err != nil {
				return nil, err
			}
			edges = append(edges, more...)
		}
		slices.Sort(edges)
		edges = slices.Compact(edges)
		for k := range len(edges) - 1 {
			s.units = append(s.units, salvage.Unit{Rows: arrowio.RowRange{Start: edges[k], End: edges[k+1]}, Bytes: func(int) arrowio.ByteRange { return arrowio.ByteRange{} }})
		}
		found, err := salvage.Sift(ctx, f, i, s.units, s.damage, f.limits)
		if err != nil {
			return nil, err
		}
		damage = append(damage, found...)
	}
	f.nulls = mode == salvage.Columns && len(damage) > 0
	return salvage.New(f, mode, damage, f.limits)
}

// columnsOf appends the stored columns of a node and those below it.
func columnsOf(to []int, n *trevniwire.Node) []int {
	for _, c := range []int{n.Opt, n.Rep, n.Col} {
		if c >= 0 && !slices.Contains(to, c) {
			to = append(to, c)
		}
	}
	for _, k := range n.Children {
		to = columnsOf(to, k)
	}
	return to
}

// column looks at the blocks of a stored column of a root, and returns the rows at which they end.
func (s *survey) column(root, i int) (edges []int64, err error) {
	col := &s.header.Columns[i]
	blocks, err := s.columnBlocks(s.ctx, i)
	if err != nil {
		if !isKind(err) {
			return nil, err
		}
		s.damage = append(s.damage, salvage.Damage{Rows: arrowio.RowRange{End: s.header.Rows}, Column: root, Place: "stored column " + col.Name, Reason: err})
		return nil, nil
	}
	for k := range blocks {
		b := &blocks[k]
		edges = append(edges, b.End())
		raw, verdict, err := s.blocks.read(s.ctx, s.File, col, b)
		c := &column{Column: col, blocks: blocks, block: k, raw: raw}
		switch {
		case isKind(err):
			err = c.failAt(err, b.Off)
		case err != nil:
			return nil, err
		case verdict == trevniwire.SumWrong:
			err = c.failAt(errs.Errorf(errs.ErrCorrupt, "the checksum is wrong"), b.Off+b.Packed)
		case col.Values:
			err = c.checkFirst(b.First)
		}
		if err == nil {
			continue
		}
		s.damage = append(s.damage, salvage.Damage{
			Rows: arrowio.RowRange{Start: b.Start, End: b.End()}, Column: root, Place: fmt.Sprintf("block %d of stored column %s", k, col.Name),
			Bytes: arrowio.ByteRange{Off: b.Off, Len: b.Packed + col.Checksum.Size()}, Reason: err,
		})
	}
	return edges, nil
}

// hint adds to an error about damage what reads what is intact.
func (f *File) hint(err error) error {
	if !f.hints {
		return err
	}
	return salvage.Hint(err)
}
