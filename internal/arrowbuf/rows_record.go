package arrowbuf

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Narrow returns the rows of rec that runs name: half-open ranges, in the order given. The caller releases the result
// and keeps rec; where all rows stay, the result is rec itself.
func Narrow(rec arrow.Record, runs [][2]int64, mem memory.Allocator) (arrow.Record, error) {
	if len(runs) == 1 && runs[0] == [2]int64{0, rec.NumRows()} {
		rec.Retain()
		return rec, nil
	}
	n, err := countRows(runs, rec.NumRows())
	if err != nil {
		return nil, err
	}
	return buildRecord(rec.Schema(), int64(n), mem, func(i int, a *Appender) error {
		a.Reserve(n)
		return a.AppendRuns(rec.Column(i), runs)
	})
}

// Concat returns the rows of recs, which have equal schemas, as one record. The caller releases the result and keeps
// recs; of one record the result is that record.
func Concat(recs []arrow.Record, mem memory.Allocator) (arrow.Record, error) {
	if len(recs) == 0 {
		return nil, errors.New("no records to concatenate")
	}
	if len(recs) == 1 {
		recs[0].Retain()
		return recs[0], nil
	}
	s := recs[0].Schema()
	var n int64
	for _, r := range recs {
		if r.NumCols() != int64(s.NumFields()) {
			return nil, fmt.Errorf("a record of %d columns after one of %d", r.NumCols(), s.NumFields())
		}
		n += r.NumRows()
	}
	return buildRecord(s, n, mem, func(i int, a *Appender) error {
		nonEmpty := 0
		for _, r := range recs {
			if r.NumRows() > 0 {
				nonEmpty++
			}
		}
		if nonEmpty > 1 { // a single one is not copied
			a.Reserve(int(n))
		}
		for _, r := range recs {
			if err := a.Append(r.Column(i), 0, int(r.NumRows())); err != nil {
				return err
			}
		}
		return nil
	})
}

// buildRecord makes a record of n rows, column by column.
func buildRecord(s *arrow.Schema, n int64, mem memory.Allocator, fill func(i int, a *Appender) error) (arrow.Record, error) {
	cols := make([]arrow.Array, 0, s.NumFields())
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i := range s.NumFields() {
		a := NewAppender(s.Field(i).Type, mem)
		if err := fill(i, a); err != nil {
			a.Release()
			return nil, fmt.Errorf("column %s: %w", s.Field(i).Name, err)
		}
		cols = append(cols, a.Take())
		a.Release()
	}
	return array.NewRecord(s, cols, n), nil
}
