package icebergfile

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// Renamer is a file whose columns, and what is inside of them, can be given other names.
type Renamer interface {
	// Rename replaces the schema of the file. The new one may differ in names, metadata and whether fields are nullable, and
	// where the format decodes timestamps to any unit, in their units. Call Rename before the file is used.
	Rename(schema *arrow.Schema)
}

// Read says how a file is read.
type Read struct {
	Fields  []iceberg.Field // of the table
	Mapping []iceberg.Name  // for a file without ids; nil = its names are those of Fields
	Arrow   iceberg.ArrowOptions
}

// Renamed is a data file whose columns have the names that the table has for them. Show shows it under the schema of the table.
type Renamed struct {
	arrowio.File
	names    []string // of the columns in the file
	required []bool   // by column: it, or something in it, is never null
	ids      []int32  // of the columns of the table
	to       *arrow.Schema
	columns  []int
	cast     bool
}

// Rename finds the columns of the table in f, whose format has a Renamer. What the table asks for and the file cannot give is
// errs.ErrSchema. Closing the result closes f; if Rename fails, the caller still closes f.
func Rename(f arrowio.File, r Read) (*Renamed, error) {
	shown, err := iceberg.Schema(r.Fields, r.Arrow)
	if err != nil {
		return nil, err
	}
	if p, ok := arrowio.As[interface{ ForgetArrowSchema() error }](f); ok { // what counts is what the table says
		if err := p.ForgetArrowSchema(); err != nil {
			return nil, err
		}
	}
	if p, ok := arrowio.As[interface{ AsTableFile() error }](f); ok { // its schema says more in files of tables than elsewhere
		if err := p.AsTableFile(); err != nil {
			return nil, err
		}
	}
	own := f.Schema()
	md := own.Metadata()
	if own.NumFields() == 0 && len(f.Splits()) == 0 { // a file of no bytes is an empty table
		shown = slices.Clone(shown)
		for i := range shown {
			shown[i].Nullable = true
		}
	}
	mapping := r.Mapping
	if mapping == nil {
		mapping = iceberg.NamesOf(r.Fields)
	}
	ids, err := IDsOf(own.Fields(), mapping)
	if err != nil {
		return nil, err
	}
	m, err := match(own.Fields(), ids, r.Fields, shown)
	if err != nil {
		return nil, err
	}
	out := &Renamed{File: f, to: arrow.NewSchema(shown, &md), columns: m.columns, cast: m.cast}
	for _, c := range own.Fields() {
		out.names = append(out.names, c.Name)
	}
	in, ok := arrowio.As[Renamer](f)
	if !ok {
		return nil, errs.Errorf(errs.ErrUnsupported, "files of this format cannot be shown under the schema of an Iceberg table")
	}
	in.Rename(arrow.NewSchema(m.fields, &md))
	for _, field := range r.Fields {
		out.ids = append(out.ids, field.ID)
	}
	for i, c := range m.fields {
		out.required = append(out.required, !c.Nullable && slices.Contains(m.columns, i))
	}
	return out, nil
}

// Show shows f, which is r or a file of some of its rows, under the schema of the table. constants are the values of columns that
// the file does not have, by name; nil = there are none.
func (r *Renamed) Show(f arrowio.File, constants arrow.Record) (arrowio.File, error) {
	a := view.Options{Columns: r.columns, Constants: constants}
	if r.cast {
		a.Cast = cast
	}
	return view.Show(f, r.to, a)
}

// Columns returns, for each field of the table, the column of the file; -1 = the file does not have it.
func (r *Renamed) Columns() []int { return r.columns }

// Unwrap returns the file as its format has it: see arrowio.As.
func (r *Renamed) Unwrap() arrowio.File { return r.File }

// BeyondNanoseconds returns nothing: under the schema of a table, times have the units of that.
func (r *Renamed) BeyondNanoseconds() (beyond, unknown []string) { return nil, nil }

// StoredColumns returns the names of the columns in the file.
func (r *Renamed) StoredColumns() []string { return r.names }

// Read opens the rows of a split.
func (r *Renamed) Read(ctx context.Context, s arrowio.Split, set arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	var never []int
	for i, pf := range p.Fields {
		if r.required[pf.Index] {
			never = append(never, i)
		}
	}
	in, err := r.File.Read(ctx, s, set, p, mem)
	if err != nil || len(never) == 0 {
		return in, err
	}
	return newReader(in, never), nil
}

// Scan calls do with the batches of some columns of a file, in the order of rows; nil = all columns. do must not keep them.
func Scan(ctx context.Context, f arrowio.File, columns []string, do func(rec arrow.Record) error) error {
	s, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Columns: columns})
	if err != nil {
		return err
	}
	defer s.Release()
	for s.Next() {
		if err := do(s.Record()); err != nil {
			return err
		}
	}
	return s.Err()
}
