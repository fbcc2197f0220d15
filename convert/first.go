package convert

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/extsort"
)

// sorting sorts the rows of a scan. With a limit it keeps only the first rows in order: when as many others have come, or
// enough to fill a part of the memory, it puts all in order, takes the first ones over into a new sorter and drops the rest. Where
// the first rows alone do not fit into the memory, everything is sorted with scratch files.
type sorting struct {
	o      *Options
	schema *arrow.Schema
	st     arrowio.Store
	done   *Progress

	s     *extsort.Sorter
	rows  int64 // in s
	added int64 // bytes of the batches that came since rows were dropped
	whole bool  // rows are not dropped any more
}

// leastDropped is how many rows, beyond the limit, are worth dropping.
const leastDropped = 1 << 16

func (x *sorting) stats() extsort.Stats {
	if x.s == nil {
		return extsort.Stats{}
	}
	return x.s.Stats()
}

// close frees everything. What sorted returned must be released before.
func (x *sorting) close() error {
	if x.s == nil {
		return nil
	}
	return x.s.Close()
}

// sorted reads rr to its end, releases it, and returns a reader of the same rows in order, or with a limit of the first of
// them at least. The caller releases it.
func (x *sorting) sorted(ctx context.Context, rr array.RecordReader) (array.RecordReader, error) {
	if err := x.addAll(ctx, rr); err != nil {
		return nil, err
	}
	return x.s.Merge(ctx) // without the memory of the scan
}

func (x *sorting) addAll(ctx context.Context, rr array.RecordReader) (err error) {
	defer rr.Release()
	if x.s, err = x.o.newSorter(x.schema, x.st, x.done); err != nil {
		return err
	}
	x.whole = x.o.Limit <= 0
	for rr.Next() {
		rec := rr.Record()
		if err := x.add(ctx, rec); err != nil {
			return err
		}
		x.done.Sorted += rec.NumRows()
		if x.o.Progress != nil {
			x.o.Progress(*x.done)
		}
	}
	return rr.Err()
}

// add adds the rows of a batch, in pieces between which rows can be dropped.
func (x *sorting) add(ctx context.Context, rec arrow.Record) error {
	if x.whole {
		return x.s.Add(ctx, rec)
	}
	size, rows := arrowbuf.RecordSize(rec), rec.NumRows()
	piece := rows
	if most := x.memory() / 16; size > most {
		piece = max(1, rows/(size/most+1))
	}
	for from := int64(0); from < rows; from += piece {
		part := rec.NewSlice(from, min(rows, from+piece))
		err := x.s.Add(ctx, part)
		x.rows += part.NumRows()
		x.added += size / max(1, rows) * part.NumRows()
		part.Release()
		if err == nil {
			err = x.drop(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// drop drops rows beyond the limit where there are enough of them.
func (x *sorting) drop(ctx context.Context) error {
	if x.whole {
		return nil
	}
	limit := x.o.Limit
	beyond := x.rows - limit
	switch {
	case x.s.Stats().Runs > 0:
		x.whole = true
		return nil
	case beyond >= max(limit, leastDropped), beyond > limit/4 && x.added > x.memory()/8:
		return x.keepFirst(ctx)
	}
	return nil
}

func (x *sorting) memory() int64 {
	if x.o.Write.Memory > 0 {
		return x.o.Write.Memory
	}
	return writeMemory / 2
}

// keepFirst replaces the sorter by one that has only the first rows. Rows that come later are behind those of equal values.
func (x *sorting) keepFirst(ctx context.Context) (err error) {
	old := x.s
	first, err := old.Merge(ctx)
	if err != nil {
		return err
	}
	defer first.Release()
	next, err := x.o.newSorter(x.schema, x.st, x.done)
	if err != nil {
		return err
	}
	rows := int64(0)
	for rows < x.o.Limit && first.Next() {
		rec := first.Record()
		n := min(rec.NumRows(), x.o.Limit-rows)
		part := rec.NewSlice(0, n)
		err := next.Add(ctx, part)
		part.Release()
		if err != nil {
			_ = next.Close() // its error is told
			return err
		}
		rows += n
	}
	if err := first.Err(); err != nil {
		_ = next.Close() // as above
		return err
	}
	x.s, x.rows, x.added = next, rows, 0
	return old.Close()
}
