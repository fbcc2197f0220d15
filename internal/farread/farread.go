package farread

import "context"

// Spans reports whether several ranges of a source take no longer than one: it has a method ReadsSpans that says so.
func Spans(src any) bool {
	s, ok := src.(interface{ ReadsSpans() bool })
	return ok && s.ReadsSpans()
}

type wholeKey struct{}

// WithWhole returns the context of a scan that reads all rows of a file. Formats may fetch up to n bytes at once beyond those of a split, so that
// what several splits share is read once.
func WithWhole(ctx context.Context, n int64) context.Context {
	return context.WithValue(ctx, wholeKey{}, n)
}

// Whole returns the n of WithWhole; 0 = it is not known that all rows will be read.
func Whole(ctx context.Context) int64 {
	n, _ := ctx.Value(wholeKey{}).(int64)
	return n
}
