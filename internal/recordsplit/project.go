package recordsplit

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// Record makes the record that p wants of whole columns: cols has one for each of p.Fields, in that order, before any
// child was left out. The caller keeps cols and releases the record. No values are copied.
func Record(p arrowio.Projection, cols []arrow.Array, rows int64) (arrow.Record, error) {
	nested := false
	for _, f := range p.Fields {
		nested = nested || f.Children != nil
	}
	if !nested {
		return array.NewRecord(p.Schema, cols, rows), nil
	}
	fields := make([]arrow.Field, len(cols))
	keep := make([]arrowbuf.Selection, len(cols))
	for i, f := range p.Fields {
		fields[i] = p.Schema.Field(i)
		fields[i].Type = cols[i].DataType()
		keep[i] = arrowbuf.Selection{Index: i, Children: selections(f.Children)}
	}
	whole := array.NewRecord(arrow.NewSchema(fields, nil), cols, rows)
	defer whole.Release()
	rec, err := arrowbuf.Project(whole, p.Schema, keep)
	if err != nil {
		return nil, errs.Errorf(errs.ErrInternal, "%w", err)
	}
	return rec, nil
}

func selections(fields []arrowio.ProjectedField) []arrowbuf.Selection {
	if fields == nil {
		return nil
	}
	out := make([]arrowbuf.Selection, len(fields))
	for i, f := range fields {
		out[i] = arrowbuf.Selection{Index: f.Index, Children: selections(f.Children)}
	}
	return out
}

// empty returns a record of no rows. The caller releases it.
func empty(s *arrow.Schema, mem memory.Allocator) arrow.Record {
	cols := make([]arrow.Array, s.NumFields())
	for i := range cols {
		a := arrowbuf.NewAppender(s.Field(i).Type, mem)
		cols[i] = a.Take()
		a.Release()
		defer cols[i].Release()
	}
	return array.NewRecord(s, cols, 0)
}
