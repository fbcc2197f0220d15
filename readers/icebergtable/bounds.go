package icebergtable

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// checkStats compares what the manifest says of the columns outside of structs, lists and maps with the data of the file, all of
// its rows. The file's own statistics spare most of the reading.
func (m *member) checkStats(ctx context.Context, report func(error)) (err error) {
	f, err := m.table.openFile(ctx, &m.file, m.table.fields, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for i := range m.table.fields {
		field := &m.table.fields[i]
		s, ok := m.stats[field.ID]
		if !ok || field.Type.Kind >= iceberg.Struct || field.ID == iceberg.RowID || field.ID == iceberg.LastUpdatedID {
			continue
		}
		if err := m.checkColumn(ctx, f, i, s, report); err != nil {
			return errs.Locate(err, errs.At{Column: field.Name})
		}
	}
	return nil
}

// checkColumn compares what the manifest says of a column.
func (m *member) checkColumn(ctx context.Context, f arrowio.File, i int, s columnStats, report func(error)) error {
	field, shown := &m.table.fields[i], m.table.schema.Field(i)
	path := expr.Quote(shown.Name)
	fault := func(format string, args ...any) {
		report(errs.Locate(corrupt(format, args...), errs.At{Column: shown.Name}))
	}
	if s.Nulls >= 0 {
		n, err := countRows(ctx, f, expr.IsNull{Col: path})
		if err != nil {
			return err
		}
		if n != s.Nulls {
			fault("null_value_counts in the manifest is %d, and the file has %d nulls", s.Nulls, n)
		}
	}
	if s.Values >= 0 && s.Values != m.Rows {
		fault("value_counts in the manifest is %d, and record_count is %d", s.Values, m.Rows)
	}
	for _, b := range []struct {
		name  string
		value []byte
		op    expr.Op
	}{{"lower_bounds", s.Lower, expr.Lt}, {"upper_bounds", s.Upper, expr.Gt}} {
		if b.value == nil || field.Type.Kind == iceberg.UUID { // writers do not agree on the order of uuids
			continue
		}
		v, ok := scalarOf(&field.Type, shown.Type, b.value)
		if !ok {
			fault("%s in the manifest is %x, which is no %s", b.name, b.value, &field.Type)
			continue
		}
		var outside expr.Expr = expr.Compare{Col: path, Op: b.op, Value: v}
		if slices.Contains([]arrow.Type{arrow.FLOAT32, arrow.FLOAT64}, shown.Type.ID()) { // bounds leave out NaN
			outside = expr.And{expr.Not{X: expr.IsNaN{Col: path}}, outside}
		}
		n, err := countRows(ctx, f, outside)
		if err != nil {
			return err
		}
		if n > 0 {
			fault("%s in the manifest is %s, and %d rows of the file are beyond it", b.name, text(v), n)
		}
	}
	return nil
}

// text is a value as messages have it.
func text(v scalar.Scalar) string {
	const most = 60
	s := []rune(v.String())
	if len(s) > most {
		return string(s[:most]) + "…"
	}
	return string(s)
}

// countRows returns how many rows satisfy a filter.
func countRows(ctx context.Context, f arrowio.File, filter expr.Expr) (n int64, err error) {
	r, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Columns: []string{}, Filter: filter})
	if err != nil {
		return 0, err
	}
	defer r.Release()
	for r.Next() {
		n += r.Record().NumRows()
	}
	return n, r.Err()
}
