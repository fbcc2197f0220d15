package conformance

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// EachBatch decodes the rows of rs, which lie in split s, with the driver alone, in batches of up to so many rows. use may
// keep what it is given if it retains it.
func EachBatch(f arrowio.File, s arrowio.Split, rs arrowio.RowSet, p arrowio.Projection, mem memory.Allocator, batch int, use func(arrow.Record) error) error {
	r, err := f.Read(context.Background(), s, rs, p, mem)
	if err != nil {
		return err
	}
	defer r.Close()
	at := s.Rows.Start
	for _, run := range rs {
		if _, err := r.Skip(run.Start - at); err != nil {
			return err
		}
		for at = run.Start; at < run.End; {
			n := int(min(run.End-at, int64(batch)))
			if _, err := r.Read(n); err != nil {
				return err
			}
			rec, err := r.Take()
			if err != nil {
				return err
			}
			err = use(rec)
			rec.Release()
			if err != nil {
				return err
			}
			at += int64(n)
		}
	}
	return nil
}
