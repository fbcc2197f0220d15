package recordsplit

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// TextFile is the part that files of text have in common: they are read from the first line to the last, and nothing says
// what is in them. An arrowio.File embeds it.
type TextFile struct {
	Src    arrowio.Source
	Fields *arrow.Schema

	packer int // number of what it is compressed with, from 1; 0 = nothing
}

// Schema implements arrowio.File.
func (f *TextFile) Schema() *arrow.Schema { return f.Fields }

// Splits implements arrowio.File.
func (f *TextFile) Splits() []arrowio.Split {
	return []arrowio.Split{{Rows: arrowio.RowRange{End: arrowio.UnknownRows}, Bytes: f.Src.Size()}}
}

// Prune implements arrowio.File: text has no statistics.
func (f *TextFile) Prune(_ context.Context, s arrowio.Split, _ *expr.Bound) (arrowio.RowSet, error) {
	return arrowio.RowSet{s.Rows}, nil
}

// Close implements arrowio.File.
func (f *TextFile) Close() error { return nil }

// Describe returns what is known of the file. stored is what values are in it.
func (f *TextFile) Describe(format, stored string) *arrowio.Info {
	info := &arrowio.Info{Format: format, Rows: arrowio.UnknownRows, Bytes: f.Src.Size(), Schema: f.Fields}
	if f.packer > 0 {
		info.Facts = append(info.Facts, arrowio.Fact{Name: "compression", Value: packers[f.packer-1].name})
	}
	for _, c := range f.Fields.Fields() {
		info.Columns = append(info.Columns, arrowio.ColumnInfo{Path: c.Name, Type: c.Type.String(), Stored: stored, Bytes: -1})
	}
	return info
}

// A batch of parsed rows ends with the first of these.
const (
	BatchRows  = 64 << 10
	BatchBytes = 8 << 20 // of text
)

// Rows is a Source of rows that are parsed into builders a batch at a time.
type Rows struct {
	Ctx        context.Context // of File.Read, whose reading goes on here
	Projection arrowio.Projection
	Format     string
	Builders   []array.Builder // of each column of Projection; Close releases them
	// Parse appends the rows of the next batch to Builders and returns how many those are, 0 at the end.
	Parse func() (int64, error)

	rec arrow.Record // parsed, not loaded yet
}

// Next implements Source.
func (r *Rows) Next() (Batch, error) {
	if err := r.Ctx.Err(); err != nil {
		return Batch{}, err
	}
	r.drop()
	n, err := r.Parse()
	if err != nil {
		return Batch{}, errs.Locate(err, errs.At{Format: r.Format})
	}
	if n == 0 {
		return Batch{}, io.EOF
	}
	cols := make([]arrow.Array, len(r.Builders))
	for i, b := range r.Builders {
		cols[i] = b.NewArray()
		defer cols[i].Release()
	}
	if r.rec, err = Record(r.Projection, cols, n); err != nil {
		return Batch{}, err
	}
	return Batch{Rows: n, Load: func() (arrow.Record, error) {
		rec := r.rec
		r.rec = nil
		return rec, nil
	}}, nil
}

func (r *Rows) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
}

// Close implements Source.
func (r *Rows) Close() error {
	r.drop()
	for _, b := range r.Builders {
		b.Release()
	}
	r.Builders = nil
	return nil
}
