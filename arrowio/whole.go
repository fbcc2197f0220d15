package arrowio

import (
	"context"
	"math"

	"github.com/arrowio/arrowio/internal/farread"
)

// wholeShare is the part of a scan's budget that bytes may take of splits that are not under way.
const wholeShare = 8

// reading returns the context in which splits of a file are read.
func (p *plan) reading(ctx context.Context, f *openFile) context.Context {
	if !f.far || p.filter != nil || p.o.Rows.Start > 0 || p.o.Rows.End != math.MaxInt64 {
		return ctx
	}
	return farread.WithWhole(ctx, p.o.MemoryBudget/wholeShare)
}
