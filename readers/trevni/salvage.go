package trevni

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/salvage"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// survey finds out what of a file is intact: blocks that can be unpacked, whose checksum is right where there is one, whose values are
// those of the statistics where there is none, that begin as their descriptor says, and that the rows fill exactly.
type survey struct {
	*File
	ctx    context.Context
	damage []salvage.Damage
	units  []salvage.Unit
	blocks blockReader
}

// salvage shows what is intact of the file. The File that it returns takes over f.
func (f *File) salvage(ctx context.Context, mode salvage.Mode, behind salvage.Behind) (arrowio.File, error) {
	f.salvaged, f.end = true, f.header.Size
	if err := f.dropSchema(ctx); err != nil {
		return nil, err
	}
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
			s.units = append(s.units, salvage.Unit{Rows: arrowio.RowRange{Start: edges[k], End: edges[k+1]}, Bytes: f.rootBytes})
		}
		found, err := salvage.Sift(ctx, f, i, s.units, s.damage, f.limits)
		if err != nil {
			return nil, err
		}
		damage = append(damage, found...)
	}
	f.nulls = mode == salvage.Columns && len(damage) > 0
	return salvage.NewBehind(f, mode, damage, f.limits, behind)
}

// dropSchema leaves out an avro.schema that is damaged or does not describe the columns, so that what is written from the rows has none
// either, and reports it.
func (f *File) dropSchema(ctx context.Context) error {
	text, has := f.header.Meta.Get(trevniwire.KeyAvro)
	if f.view == "records" || !has {
		return nil
	}
	noView := f.noView
	if noView == nil { // columns were asked for
		var failed error
		if _, noView, failed = f.recordsTree(ctx, text); failed != nil {
			return failed
		}
	}
	if !unsoundSchema(noView) {
		return nil
	}
	meta := slices.DeleteFunc(slices.Clone(f.header.Meta), func(p trevniwire.Pair) bool { return p.Key == trevniwire.KeyAvro }).Shown()
	f.tree.Schema = arrow.NewSchema(f.tree.Schema.Fields(), &meta)
	f.warnings = append(f.warnings, arrowio.Warning{
		Kind: arrowio.WarnLost, Place: "header", Rows: arrowio.UnknownRows, Bytes: arrowio.ByteRange{Len: f.header.Size},
		Text: fmt.Sprintf("lost: the metadata %s of the header, which say how columns make records: %v", trevniwire.KeyAvro, noView),
	})
	return nil
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
		s.damage = append(s.damage, salvage.Damage{Rows: arrowio.RowRange{End: s.header.Rows}, Column: root, Place: "stored column " + col.Name, Bytes: s.columnBytes(i), Reason: err})
		return nil, nil
	}
	var bounds []trevniwire.Bounds
	if stats, ok := col.Meta.Get(trevniwire.KeyStats); ok {
		bounds, _ = s.bounds(i, stats, blocks) // those whose own checksum is wrong are no witness
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
		if err == nil && bounds != nil && (verdict == trevniwire.Unchecked || verdict == trevniwire.SumAbsent) {
			err = c.checkBounds(&bounds[k], "")
		}
		if err == nil {
			s.end = max(s.end, b.Off+b.Packed+col.Checksum.Size())
			continue
		}
		s.damage = append(s.damage, salvage.Damage{
			Rows: arrowio.RowRange{Start: b.Start, End: b.End()}, Column: root, Place: fmt.Sprintf("block %d of stored column %s", k, col.Name),
			Bytes: arrowio.ByteRange{Off: b.Off, Len: b.Packed + col.Checksum.Size()}.Clamp(s.src.Size()), Reason: err,
		})
	}
	return edges, nil
}

// columnBytes is where a stored column lies: up to the next one. Of one that is said to begin where none can, it is the field of the
// header that says so.
func (f *File) columnBytes(i int) arrowio.ByteRange {
	start, end := f.header.Columns[i].Start, f.src.Size()
	if start < f.header.Size || start >= end {
		return arrowio.ByteRange{Off: f.startField(i), Len: 8}
	}
	for k := range f.header.Columns {
		if next := f.header.Columns[k].Start; next > start {
			end = min(end, next)
		}
	}
	return arrowio.ByteRange{Off: start, Len: end - start}
}

// rootBytes is where the stored columns of a root lie, from the first to the last.
func (f *File) rootBytes(root int) (out arrowio.ByteRange) {
	for k, i := range columnsOf(nil, f.tree.Roots[root]) {
		b := f.columnBytes(i)
		if k == 0 {
			out = b
			continue
		}
		start, end := min(out.Off, b.Off), max(out.End(), b.End())
		out = arrowio.ByteRange{Off: start, Len: end - start}
	}
	return out
}

// hint adds to an error about damage what reads what is intact.
func (f *File) hint(err error) error {
	if !f.hints {
		return err
	}
	return salvage.Hint(err)
}
