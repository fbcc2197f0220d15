package extsort

import (
	"context"
	"errors"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Each calls fn with the sorted batches and closes the sorter. A batch is valid until fn returns.
func (s *Sorter) Each(ctx context.Context, fn func(arrow.Record) error) (err error) {
	defer func() { err = errors.Join(err, s.Close()) }()
	rr, err := s.Merge(ctx)
	if err != nil {
		return err
	}
	defer rr.Release()
	for rr.Next() {
		if err := fn(rr.Record()); err != nil {
			return err
		}
	}
	return rr.Err()
}

// Runs calls fn with each run of rows, from the first to before to, that have the same values in all keys. The n rows are sorted by
// the keys.
func Runs(keys []arrow.Array, n int, fn func(from, to int) error) error {
	same := func(i, j int) bool {
		for _, k := range keys {
			if !array.SliceEqual(k, int64(i), int64(i+1), k, int64(j), int64(j+1)) {
				return false
			}
		}
		return true
	}
	for from := 0; from < n; {
		// The rows are sorted, so that those of a run are found by bisection.
		to := from + 1 + sort.Search(n-from-1, func(i int) bool { return !same(from, from+1+i) })
		if err := fn(from, to); err != nil {
			return err
		}
		from = to
	}
	return nil
}
