package arrowio

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/schemadiff"
	"github.com/arrowio/arrowio/internal/workers"
)

// NewWriter opens a writer for a plan of f.Plan. Close commits st, which makes the whole output visible. An error of any call, a
// cancelled ctx, and Abort abort st; every later call then returns the first error. The Writer must be used by one goroutine at a
// time. If NewWriter fails, it aborts st.
func NewWriter(ctx context.Context, f OutputFormat, st Store, p *WritePlan) (Writer, error) {
	w := &writer{ctx: ctx, st: st, plan: p, format: f.Name}
	err := ctx.Err()
	if err == nil {
		err = workers.Guard(func() (err error) {
			w.driver, err = f.Create(ctx, st, p)
			return err
		})
	}
	if err != nil {
		return nil, w.fail(err)
	}
	return w, nil
}

type writer struct {
	ctx    context.Context
	st     Store
	driver Writer // nil when Create failed
	plan   *WritePlan
	format string
	good   *arrow.Schema // the last schema that was found to fit
	rows   int64
	err    error // why everything failed
	done   bool
}

var errWriterDone = errors.New("the writer is closed")

func (w *writer) Write(rec arrow.Record) error {
	if w.done {
		return w.ended()
	}
	err := w.ctx.Err()
	if err == nil {
		err = workers.Guard(func() error { return w.check(rec) }) // v15 panics on some arrays that it can hold
	}
	if err == nil {
		err = workers.Guard(func() error { return w.driver.Write(rec) })
	}
	if err != nil {
		return w.fail(err)
	}
	w.rows += rec.NumRows()
	return nil
}

// check compares rec with the plan: fields and types must be the planned ones, nulls only where they are allowed.
func (w *writer) check(rec arrow.Record) error {
	if s := rec.Schema(); s != w.good {
		if diff := schemadiff.Schemas(w.plan.Schema, s); diff != "" {
			return errs.Locate(errs.Errorf(errs.ErrSchema, "the batch does not fit the plan: %s", diff), errs.At{Format: w.format})
		}
		w.good = s
	}
	for i, f := range w.plan.Schema.Fields() {
		if !f.Nullable && rec.Column(i).NullN() > 0 {
			e := errs.Errorf(errs.ErrSchema, "the column is declared to have no nulls, but %d rows from row %d on have %d", rec.NumRows(), w.rows, rec.Column(i).NullN())
			e.Format, e.Column = w.format, f.Name
			return e
		}
	}
	return nil
}

func (w *writer) Close() error {
	if w.done {
		return w.ended()
	}
	err := w.ctx.Err()
	if err == nil {
		err = workers.Guard(w.driver.Close)
	}
	if err == nil {
		err = w.ctx.Err() // finishing may take long; what was cancelled meanwhile must not appear
	}
	if err == nil {
		err = w.st.Commit()
	}
	if err != nil {
		return w.fail(err)
	}
	w.done = true
	return nil
}

func (w *writer) Abort() error {
	if w.done {
		return nil
	}
	w.err = errors.New("the output was given up")
	return w.giveUp()
}

// ended is the answer of a writer that takes nothing more.
func (w *writer) ended() error {
	if w.err != nil {
		return w.err
	}
	return errWriterDone
}

func (w *writer) fail(err error) error {
	w.err = err
	if e := w.giveUp(); e != nil {
		w.err = errors.Join(err, e)
	}
	return w.err
}

// giveUp ends the driver, which may hold memory and scratch files, and then the store.
func (w *writer) giveUp() error {
	w.done = true
	var err error
	if w.driver != nil {
		err = workers.Guard(w.driver.Abort)
	}
	return errors.Join(err, w.st.Abort())
}
