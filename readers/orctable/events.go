package orctable

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/readers/orc"
)

// eventBatch is some events of a file: columns as they were asked for, the others are nil.
type eventBatch struct {
	first int64 // row of the file
	rows  int
	ints  [5][]int32 // by orc.EventColumn: Operation, Bucket
	longs [5][]int64 // Original, RowID, Current
}

// eventRows is how many events are looked at together.
const eventRows = 64 << 10

// readEvents calls each with the events of a split, batch by batch. What a batch holds is good until each returns.
func (h *handle) readEvents(ctx context.Context, s arrowio.Split, columns []orc.EventColumn, each func(*eventBatch) error) (err error) {
	if h.pool.events {
		return errs.Errorf(errs.ErrInternal, "events are shown, not read")
	}
	var p arrowio.Projection
	var fields []arrow.Field
	for _, c := range columns {
		i, field := h.EventIndex(c)
		p.Fields = append(p.Fields, arrowio.ProjectedField{Index: i})
		fields = append(fields, field)
	}
	p.Schema = arrow.NewSchema(fields, nil)
	r, err := h.Read(ctx, s, arrowio.RowSet{}.Add(s.Rows), p, arrowbuf.Shared())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for at := s.Rows.Start; at < s.Rows.End; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := int(min(eventRows, s.Rows.End-at))
		if _, err := r.Read(n); err != nil {
			return err
		}
		rec, err := r.Take()
		if err != nil {
			return err
		}
		b := &eventBatch{first: at, rows: n}
		if err = b.fill(rec, columns); err == nil {
			err = each(b)
		}
		rec.Release()
		if err != nil {
			return err
		}
		at += int64(n)
	}
	return nil
}

func (b *eventBatch) fill(rec arrow.Record, columns []orc.EventColumn) error {
	for i, c := range columns {
		a := rec.Column(i)
		if a.NullN() > 0 {
			e := errs.Errorf(errs.ErrCorrupt, "%d events have none", a.NullN())
			e.Column = rec.ColumnName(i)
			return e
		}
		switch a := a.(type) {
		case *array.Int32:
			b.ints[c] = a.Int32Values()
		case *array.Int64:
			b.longs[c] = a.Int64Values()
		}
	}
	return nil
}
