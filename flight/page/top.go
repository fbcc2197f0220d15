package page

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/util"

	"github.com/arrowio/arrowio/internal/extsort"
)

const (
	sortMemory = 64 << 20 // of a page that sorts
	sortBytes  = 16 << 20 // of rows that are added until those that come too late are dropped
	sortRows   = 64 << 10 // and their number
	maxSorted  = 10_000   // rows of an order that pages reach
)

// top keeps the first rows of an order, of however many are added: from time to time it drops the others. Rows of equal values keep
// the order in which they were added.
type top struct {
	schema *arrow.Schema
	by     []extsort.Key
	most   int64 // rows that are kept

	sorter *extsort.Sorter // of the rows that were kept, in front, and those that were added since
	rows   int64           // added since
	bytes  int64
}

// add adds rows, which stay the caller's.
func (t *top) add(ctx context.Context, rec arrow.Record) (err error) {
	if t.sorter == nil {
		if t.sorter, err = t.empty(); err != nil {
			return err
		}
	}
	if err := t.sorter.Add(ctx, rec); err != nil {
		return err
	}
	t.rows += rec.NumRows()
	t.bytes += util.TotalRecordSize(rec)
	if t.rows < t.most+sortRows && t.bytes < sortBytes {
		return nil
	}
	next, err := t.empty()
	if err != nil {
		return err
	}
	old := t.sorter
	t.sorter, t.rows, t.bytes = next, 0, 0
	return each(ctx, old, t.most, func(rec arrow.Record) error { return next.Add(ctx, rec) })
}

func (t *top) empty() (*extsort.Sorter, error) {
	return extsort.New(t.schema, t.by, extsort.Options{Memory: sortMemory, BatchRows: 1024, Parallelism: 1})
}

// each calls use with the first rows in order, and closes t.
func (t *top) each(ctx context.Context, use func(arrow.Record) error) error {
	if t.sorter == nil {
		return nil
	}
	return each(ctx, t.sorter, t.most, use)
}

func (t *top) close() error {
	if t.sorter == nil {
		return nil
	}
	return t.sorter.Close()
}

var errEnough = errors.New("there are enough rows")

// each calls use with the first rows of a sorter, and closes it.
func each(ctx context.Context, s *extsort.Sorter, most int64, use func(arrow.Record) error) error {
	err := s.Each(ctx, func(rec arrow.Record) error {
		n := min(most, rec.NumRows())
		if n <= 0 {
			return errEnough
		}
		most -= n
		part := rec.NewSlice(0, n)
		defer part.Release()
		return use(part)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
