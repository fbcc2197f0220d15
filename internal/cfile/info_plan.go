package cfile

import (
	"context"
	"fmt"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/cfile/inspect"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// plan tells what pred leaves of each split. Where no index says anything about the values there is no plan.
func (f *File) plan(ctx context.Context, pred *expr.Bound) ([]arrowio.PlanInfo, error) {
	if f.kind != cfilewire.ColumnFile || f.footer.Val == nil {
		return nil, nil
	}
	blocks, err := f.positions(ctx)
	if err != nil {
		return nil, locate(err)
	}
	var out []arrowio.PlanInfo
	for _, s := range f.splits {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows, err := f.Prune(ctx, s, pred)
		if err != nil {
			return nil, err
		}
		p := arrowio.PlanInfo{Unit: fmt.Sprintf("split %d", s.Ordinal), Rows: s.Rows, Left: rows.Len(), BytesOf: s.Bytes}
		p.GroupsOf = len(needed(blocks, arrowio.RowSet{s.Rows}))
		for _, b := range needed(blocks, rows) {
			p.Groups++
			p.Bytes += int64(b.ptr.Size)
		}
		if p.Left < s.Rows.Len() {
			p.By = []string{inspect.OpValue}
		}
		out = append(out, p)
	}
	return out, nil
}
