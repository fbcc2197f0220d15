package sql

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"

	"github.com/arrowio/arrowio/flight/internal/transport"
)

// redeem streams what the ticket of a SELECT stands for.
func (d *Dialect) redeem(ctx context.Context, t *ticket, stream grpc.ServerStream) error {
	if t.Ask != nil {
		return t.Ask.run(ctx, d, stream)
	}
	if t.One != nil {
		rec := t.One.record()
		defer rec.Release()
		return d.s.Send(stream, rec)
	}
	return d.s.Read(ctx, t.Of, stream, func(r Rows) error {
		if t.Count != "" {
			return t.count(r)
		}
		return t.stream(r, d.s.Allocator())
	})
}

// count answers with how many rows there are. Offset and limit are of the one row that says it.
func (t *ticket) count(rows Rows) error {
	if t.Offset > 0 || t.Limit != nil && *t.Limit == 0 {
		return rows.None(countSchema(t.Count))
	}
	var n int64
	return rows.Stream(countSchema(t.Count), func(rec arrow.Record, _ transport.BatchMeta, _ Sending) (bool, error) {
		n += rec.NumRows()
		return true, nil
	}, func(send Sending) error {
		rec := (&one{Name: t.Count, Value: n}).record()
		defer rec.Release()
		return send(rec, transport.BatchMeta{Rows: 1})
	})
}

// stream changes the rows as the ticket says, and sends them.
func (t *ticket) stream(from Rows, mem memory.Allocator) error {
	r := &rows{limit: -1, offset: t.Offset, mem: mem}
	if t.Limit != nil {
		r.limit = *t.Limit
	}
	schema := from.Schema()
	if t.Items != nil {
		var err error
		if r.extract, err = newExtraction(schema, t.Items); err != nil {
			return err
		}
		schema = r.extract.schema
	}
	return from.Stream(schema, r.add, nil)
}

// rows makes the rows of a SELECT of those of its dataset.
type rows struct {
	extract *extraction // nil = the columns as they are
	limit   int64       // rows still to come; -1 = all
	offset  int64       // rows still to be left out
	mem     memory.Allocator
}

// add takes a record, which the caller keeps, and reports whether more are wanted.
func (r *rows) add(rec arrow.Record, m transport.BatchMeta, send Sending) (more bool, err error) {
	n := rec.NumRows()
	from, to := min(r.offset, n), n
	r.offset -= from
	if r.limit >= 0 {
		to = min(to, from+min(r.limit, n))
		r.limit -= to - from
	}
	if from < to {
		if err := r.send(rec, m, from, to, send); err != nil {
			return false, err
		}
	}
	return r.limit != 0, nil
}

func (r *rows) send(rec arrow.Record, m transport.BatchMeta, from, to int64, send Sending) error {
	if to-from < rec.NumRows() {
		rec = rec.NewSlice(from, to)
		defer rec.Release()
		m.Resume.Row = m.FirstRow - 1 // not to be cut by row numbers
	}
	if r.extract != nil {
		x, err := r.extract.record(rec, r.mem)
		if err != nil {
			return err
		}
		defer x.Release()
		rec = x
	}
	return send(rec, m)
}
