package arrowio

import (
	"context"
	"math"
)

// wholeKey is of what a context says about the scan that it is of.
type wholeKey struct{}

// ReadsWhole returns how many bytes File.Read may fetch, at once, beyond those of its split; 0 = none. It is more than 0 where the scan that
// ctx is of reads all rows of the file, so that a format can read together from a store what several splits share.
func ReadsWhole(ctx context.Context) int64 {
	n, _ := ctx.Value(wholeKey{}).(int64)
	return n
}

// WithReadsWhole returns a context whose ReadsWhole is n.
func WithReadsWhole(ctx context.Context, n int64) context.Context {
	return context.WithValue(ctx, wholeKey{}, n)
}

// wholeShare is the part of a scan's budget that bytes of splits may take that are not under way.
const wholeShare = 8

// reading returns the context in which splits of a file are read.
func (p *plan) reading(ctx context.Context, f *openFile) context.Context {
	if !f.far || p.filter != nil || p.o.Rows.Start > 0 || p.o.Rows.End != math.MaxInt64 {
		return ctx
	}
	return WithReadsWhole(ctx, p.o.MemoryBudget/wholeShare)
}
