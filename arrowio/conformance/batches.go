package conformance

import (
	"context"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/workers"
)

// EachBatch decodes the rows of rs, which are in split s, with the File alone, in batches of at most batch rows. use must
// retain a record to keep it.
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

// Everything decodes all rows and columns of f with the File alone, in batches of at most batch rows. use must retain a record
// to keep it. A panic is returned as an error, so that a test can go on with other files.
func Everything(f arrowio.File, mem memory.Allocator, batch int, use func(arrow.Record) error) error {
	return workers.Catch(func() error {
		p, err := arrowio.Project(f.Schema(), nil)
		if err != nil {
			return err
		}
		for _, s := range f.Splits() {
			if err := EachBatch(f, s, arrowio.RowSet{s.Rows}, p, mem, batch, use); err != nil {
				return err
			}
		}
		return nil
	})
}

// Collect returns all rows and columns of f as one record, which the caller releases; nil = there are no rows. It fails the
// test if a batch is not valid.
func Collect(t testing.TB, f arrowio.File, mem memory.Allocator, batch int) (arrow.Record, error) {
	t.Helper()
	var recs []arrow.Record
	defer func() {
		for _, r := range recs {
			r.Release()
		}
	}()
	var invalid error
	err := Everything(f, mem, batch, func(r arrow.Record) error {
		if invalid = ValidateRecord(r); invalid != nil {
			return invalid
		}
		r.Retain()
		recs = append(recs, r)
		return nil
	})
	if invalid != nil {
		t.Fatal(invalid)
	}
	if err != nil || len(recs) == 0 {
		return nil, err
	}
	all, err := arrowbuf.Concat(recs, memory.NewGoAllocator())
	if err != nil {
		t.Fatal(err)
	}
	return all, nil
}
