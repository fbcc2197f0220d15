package partwriter

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// NameRow adds to the error that writing rows has given which row it is of: first is the number of their first one, and try writes
// some of them anew, to be thrown away. An error that is of no value, or of none by itself, is returned as it is. Only now are rows
// tried one by one.
func NameRow(rec arrow.Record, first int64, err error, try func(arrow.Record) error) error {
	if !ofValue(err) {
		return err
	}
	part := func(from, to int64) error {
		rows := rec.NewSlice(from, to)
		defer rows.Release()
		return try(rows)
	}
	// Rows before from are not refused; some before to are.
	from, to := int64(0), rec.NumRows()
	for to-from > 1 {
		if mid := from + (to-from)/2; part(from, mid) != nil {
			to = mid
		} else {
			from = mid
		}
	}
	var e *errs.Error
	if one := part(from, to); !ofValue(one) || !errors.As(one, &e) {
		return err
	}
	named := *e
	named.Err = fmt.Errorf("row %d: %w", first+from, e.Err)
	return &named
}

func ofValue(err error) bool {
	var e *errs.Error
	return errors.As(err, &e) && e.Kind == errs.ErrSchema && e.Err != nil
}
