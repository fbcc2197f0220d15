package kudu

import (
	"context"
	"fmt"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// What prunes rowsets, in Info.Plan.
const (
	byKeyBounds  = "key bounds"
	byValueIndex = "value index"
	byBlooms     = "bloom filters"
)

// plan tells, rowset by rowset, what Prune leaves.
func (f *File) plan(ctx context.Context, pred *expr.Bound, at *places) ([]arrowio.PlanInfo, error) {
	var out []arrowio.PlanInfo
	for _, t := range f.tablets {
		unit := func(what string) string {
			if len(f.tablets) > 1 {
				return "tablet " + t.id + ", " + what
			}
			return what
		}
		for _, rs := range t.rowsets {
			p, err := f.planRowSet(ctx, rs, pred, at.parts[rs])
			if err != nil {
				return nil, err
			}
			p.Unit, p.Rows = unit(fmt.Sprintf("rowset %d", rs.meta.ID)), at.rowsets[rs.meta]
			if p.Rows.Len() > 0 {
				out = append(out, p)
			}
		}
		if r := at.memory[t]; r.Len() > 0 {
			out = append(out, arrowio.PlanInfo{Unit: unit("the log"), Rows: r, Left: r.Len()})
		}
	}
	return out, nil
}

// planRowSet tells what is left of a rowset, and what did that.
func (f *File) planRowSet(ctx context.Context, rs *rowset, pred *expr.Bound, parts []int) (p arrowio.PlanInfo, err error) {
	for _, c := range rs.meta.Columns {
		_, at, _ := f.blocks.At(c.Block)
		p.BytesOf += at.Len
	}
	ords, told, err := f.explain(ctx, rs, pred)
	if err != nil {
		return p, err
	}
	p.By, p.Groups, p.GroupsOf = told.by, told.left, told.of
	if rs.rows > 0 {
		p.Bytes = int64(float64(p.BytesOf) * float64(ords.Len()) / float64(rs.rows))
	}
	for _, i := range parts {
		part := f.parts[i]
		live, err := f.findLive(ctx, part)
		if err != nil {
			return p, err
		}
		p.Left += numbers(part, live, f.splits[i], ords).Len()
	}
	return p, nil
}

// explained is what pruned a rowset.
type explained struct {
	by       []string
	left, of int // blocks of the key
}

// explain prunes a rowset as Prune does.
func (f *File) explain(ctx context.Context, rs *rowset, pred *expr.Bound) (ords arrowio.RowSet, told explained, err error) {
	all := arrowio.RowSet{}.Add(arrowio.RowRange{End: rs.rows})
	id, what, parts, ok := f.keyIndex(rs, pred)
	if !ok || rs.rows == 0 {
		return all, told, nil
	}
	r, c, err := f.block(ctx, id, what)
	if err != nil {
		ords, err = f.unpruned(all, inRowSet(err, rs))
		return ords, told, err
	}
	defer c.Close()
	k, err := r.NewKeyPruner(ctx, parts)
	if err == nil {
		ords, err = k.Prune(ctx, all[0], pred)
	}
	if err != nil {
		ords, err = f.unpruned(all, inRowSet(f.inBlock(err, id, what), rs))
		return ords, told, err
	}
	told.left, told.of = k.Left(pred)
	switch {
	case !k.May(pred):
		told.by = append(told.by, byKeyBounds)
	case ords.Len() < rs.rows:
		told.by = append(told.by, byValueIndex)
	}
	left, err := f.askBloom(ctx, rs, parts, pred, ords)
	if err != nil {
		left, err = f.unpruned(ords, inRowSet(err, rs))
	}
	if len(left) == 0 && len(ords) > 0 {
		told.by = append(told.by, byBlooms)
		told.left = 0
	}
	return left, told, err
}
