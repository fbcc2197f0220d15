//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/workers"
)

// watched is a scan whose error the query keeps.
type watched struct {
	array.RecordReader
	ctx      context.Context // of the scan: once DuckDB has enough, it is not the scan that has failed
	q        *query
	extremes []int         // columns with values that DuckDB may take for infinite
	nanos    []int         // columns in which there are nanoseconds that DuckDB has not
	schema   *arrow.Schema // without dictionaries
	resolves bool          // whether there are any
	rec      arrow.Record  // the batch without them
	err      error
}

func newWatched(ctx context.Context, rr array.RecordReader, q *query) *watched {
	w := &watched{RecordReader: rr, ctx: ctx, q: q, nanos: nanos(rr.Schema()), schema: rr.Schema()}
	for i, f := range rr.Schema().Fields() {
		if hasExtremes(f.Type) {
			w.extremes = append(w.extremes, i)
		}
		w.resolves = w.resolves || arrowdense.HasDictionary(f.Type)
	}
	if w.resolves {
		w.schema = arrowdense.PlainSchema(rr.Schema())
	}
	return w
}

// Schema returns the schema of Record.
func (w *watched) Schema() *arrow.Schema { return w.schema }

// Record returns the batch, without dictionaries.
func (w *watched) Record() arrow.Record {
	if w.resolves {
		return w.rec
	}
	return w.RecordReader.Record()
}

// Release ends the scan.
func (w *watched) Release() {
	w.drop()
	w.RecordReader.Release()
}

func (w *watched) drop() {
	if w.rec != nil {
		w.rec.Release()
		w.rec = nil
	}
}

// Next moves to the next batch.
func (w *watched) Next() bool {
	w.drop()
	if w.err != nil {
		return false
	}
	more := w.RecordReader.Next()
	if more {
		w.err = workers.Catch(w.check)
	} else {
		w.err = w.RecordReader.Err()
	}
	if w.err != nil && w.ctx.Err() == nil {
		w.q.fail(w.err)
	}
	return more && w.err == nil
}

// check looks at the batch of the scan, and resolves its dictionaries: chunks that DuckDB makes of dictionary arrays through its
// C API do not stay valid as long as they are used.
func (w *watched) check() (err error) {
	if w.resolves {
		if w.rec, err = arrowdense.PlainRecord(w.RecordReader.Record(), w.schema, Memory()); err != nil {
			return err
		}
	}
	for _, i := range w.extremes {
		w.q.db.extremes.look(w.Record().Column(i))
	}
	for _, i := range w.nanos {
		rec := w.Record()
		if err := wholeMicros(rec.ColumnName(i), rec.Column(i)); err != nil {
			return err
		}
	}
	return nil
}

// Err returns why Next has ended.
func (w *watched) Err() error { return w.err }

// nanos lists the columns of hasNanos.
func nanos(s *arrow.Schema) (out []int) {
	for i, f := range s.Fields() {
		if hasNanos(f.Type) {
			out = append(out, i)
		}
	}
	return out
}
