package icebergtable

import (
	"errors"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// tablePlan is what Plan leaves for Create.
type tablePlan struct{ fields []iceberg.Field }

// plan implements arrowio.OutputFormat.Plan.
func (t *Table) plan(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	p, err := t.planned(s, o)
	return p, errs.Locate(t.given(err), errs.At{Format: Name})
}

func (t *Table) planned(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	if o.MaxFileBytes > 0 {
		return nil, errs.Errorf(errs.ErrOption, "the table's property write.target-file-size-bytes says how large files become, not %w", errs.Opt("max-file-bytes", ""))
	}
	fields, err := t.fieldsFor(s)
	if err != nil {
		return nil, err
	}
	c, err := newCaster(s, fields)
	if err != nil {
		return nil, t.wider(err)
	}
	format, err := t.fileFormat()
	if err != nil {
		return nil, err
	}
	if t.base == nil {
		if _, err := t.opt.spec(fields); err != nil {
			return nil, err
		}
		if _, err := t.copyOnWrite(); err != nil { // nobody could delete rows
			return nil, err
		}
	} else if _, err := partFields(t.base.meta.Specs[t.base.meta.SpecID], fields); err != nil {
		return nil, err
	}
	files, err := t.fileOptions(format, o, fields)
	if err != nil {
		return nil, err
	}
	if _, err := measuredColumns(fields, t.props()); err != nil { // before rows are written for nothing
		return nil, err
	}
	inner, err := format.Plan(c.schema, files)
	if err != nil {
		return nil, err
	}
	p := &arrowio.WritePlan{Format: Name, Schema: s, Options: o, Driver: &tablePlan{fields}}
	shown, err := iceberg.Schema(fields, iceberg.ArrowOptions{})
	if err != nil {
		return nil, err
	}
	back := make([]arrow.Field, 0, s.NumFields())
	for _, f := range s.Fields() {
		k := slices.IndexFunc(shown, func(x arrow.Field) bool { return x.Name == f.Name })
		of := shown[k] // newCaster has found it
		back = append(back, of)
		p.Columns = append(p.Columns, arrowio.PlannedColumn{
			Path: schemadiff.Path(f.Name), Type: f.Type.String(), Stored: fields[k].Type.String(), Encoding: format.Name, Refused: refusedIn(inner.Columns, of.Name),
		})
	}
	for i, f := range s.Fields() {
		plans.AddRefused(p.Columns[i:i+1], s.Fields()[i:i+1], refusedFor(back[i].Type))
		if fields[slices.IndexFunc(shown, func(x arrow.Field) bool { return x.Name == f.Name })].Required && f.Nullable {
			p.Columns[i].Refused = plans.Join(p.Columns[i].Refused, "nulls")
		}
	}
	p.Metadata = plans.Planned(s.Metadata(), arrow.Metadata{}, "", "tables have no such metadata")
	p.Columns = plans.AddDifferences(p.Columns, schemadiff.Fields(s.Fields(), back))
	return p, nil
}

// wider returns an error about a column of wider values than the table has, with what may be done.
func (t *Table) wider(err error) error {
	var w *view.WiderError
	if !errors.As(err, &w) {
		return err
	}
	at, _ := errs.Where(err)
	return errs.Locate(errs.Errorf(errs.ErrSchema, "the rows have %s, and the table %s, which cannot hold every %s: %w reads CSV and JSON lines with the table's types; other files need %w beside it, which makes null of what does not fit",
		w.From.Type, w.To.Type, w.From.Type, errs.Opt("schema", t.name), errs.Opt("cast", "java")), errs.At{Column: at.Column})
}

// refusedFor returns which values of a field that becomes one of type to, or is inside of one that does, the table has no place for.
func refusedFor(to arrow.DataType) func(arrow.Field) string {
	unit := unitOf(to)
	return func(f arrow.Field) string {
		switch t := f.Type.(type) {
		case *arrow.Date64Type:
			return plans.NoDate32
		case *arrow.TimestampType:
			if t.Unit < unit {
				return "values that " + unitNames[unit] + " cannot count"
			}
		}
		return plans.TimesOutsideOfDay(f)
	}
}

// unitOf returns the finest unit of the timestamps of a type of tables.
func unitOf(t arrow.DataType) arrow.TimeUnit {
	if s, ok := t.(*arrow.TimestampType); ok {
		return s.Unit
	}
	unit := arrow.Microsecond
	for _, f := range arrowtype.Children(t) {
		unit = max(unit, unitOf(f.Type))
	}
	return unit
}

// refusedIn returns which values of a column a file cannot have.
func refusedIn(columns []arrowio.PlannedColumn, name string) string {
	for _, c := range columns {
		if c.Path == schemadiff.Path(name) {
			return c.Refused
		}
	}
	return ""
}
