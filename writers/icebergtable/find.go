package icebergtable

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// rowFilter is a filter on rows of a table.
type rowFilter struct {
	expr  expr.Expr
	bound *expr.Bound // on the schema that files are shown under
}

func (w *rowFilter) bind(s *arrow.Schema) (err error) {
	if w.bound, err = expr.Bind(w.expr, s); err != nil {
		return errs.Errorf(errs.ErrOption, "%w", err)
	}
	return nil
}

// mostRanges is how many ranges of a file are read one by one; where an index leaves more, what is between them is read, too.
const mostRanges = 16

// find returns the rows of a file that satisfy a filter, and how many rows it has. Numbers are of the rows that are shown.
func find(ctx context.Context, f arrowio.File, filter *expr.Bound, o arrowio.WriteOptions) (rows []int64, all int64, err error) {
	var want arrowio.RowSet
	for _, s := range f.Splits() {
		if !s.Known() {
			return nil, 0, errs.Errorf(errs.ErrUnsupported, "the file does not say how many rows it has")
		}
		all = s.Rows.End
		part, err := f.Prune(ctx, s, filter)
		if err != nil {
			return nil, 0, err
		}
		want = want.Union(part)
	}
	if n := len(want); n > mostRanges {
		want = arrowio.RowSet{{Start: want[0].Start, End: want[n-1].End}}
	}
	for _, r := range want {
		if rows, err = findIn(ctx, f, filter, r, rows, o); err != nil {
			return nil, 0, err
		}
	}
	return rows, all, nil
}

// findIn appends the rows of a range that satisfy a filter.
func findIn(ctx context.Context, f arrowio.File, filter *expr.Bound, r arrowio.RowRange, rows []int64, o arrowio.WriteOptions) ([]int64, error) {
	in, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Columns: filter.Columns(), Rows: r, Parallelism: o.Parallelism, MemoryBudget: o.Memory})
	if err != nil {
		return nil, err
	}
	defer in.Release()
	at := r.Start
	for in.Next() {
		rec := in.Record()
		mask, err := filter.Mask(rec)
		if err != nil {
			return nil, err
		}
		for from, to := range expr.Runs(mask) {
			for i := from; i < to; i++ {
				rows = append(rows, at+i)
			}
		}
		mask.Release()
		at += rec.NumRows()
	}
	return rows, in.Err()
}

// stored returns the numbers that rows have in a stored file, of which the rows gone, which are sorted, are not shown.
func stored(rows, gone []int64) []int64 {
	if len(gone) == 0 {
		return rows
	}
	out := make([]int64, len(rows))
	k := int64(0)
	for i, r := range rows {
		for int(k) < len(gone) && gone[k] <= r+k {
			k++
		}
		out[i] = r + k
	}
	return out
}

// merged joins two sorted lists that have no row in common.
func merged(a, b []int64) []int64 {
	out := make([]int64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// rowsGone returns the rows of a stored file that are not shown.
func rowsGone(f arrowio.File) []int64 {
	if g, ok := arrowio.As[interface{ RowsGone() []int64 }](f); ok {
		return g.RowsGone()
	}
	return nil
}

// rowCheck refuses rows that do not satisfy the filter of an overwrite.
type rowCheck struct {
	filter *expr.Bound
	rows   int64
}

func (c *rowCheck) check(rec arrow.Record) error {
	mask, err := c.filter.Mask(rec)
	if err != nil {
		return err
	}
	defer mask.Release()
	for i := range mask.Len() {
		if mask.IsNull(i) || !mask.Value(i) {
			return errs.Errorf(errs.ErrOption, "row %d of the input does not satisfy %s: nothing was written; %w takes only rows that do", c.rows+int64(i), c.filter, errs.Opt(optionWhere, ""))
		}
	}
	c.rows += rec.NumRows()
	return nil
}
