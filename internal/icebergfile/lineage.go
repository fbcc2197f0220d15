package icebergfile

import (
	"context"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// Lineage is what a table says of all rows of a data file.
type Lineage struct {
	First    int64 `json:"first"`    // id of the first row, which the others follow; NoRowID = the rows have none
	Sequence int64 `json:"sequence"` // the file's data sequence number
}

// NoRowID is no row's id.
const NoRowID = -1

// WithLineage returns r with the columns of row lineage that Rename was asked for (Iceberg table specification, "Row Lineage"); r
// itself if that were none. A row has the values that the file stores, and else those that l says. Call it before the file is used.
// The result has the rows of r, and is to be shown with Show.
func (r *Renamed) WithLineage(l Lineage) (arrowio.File, error) {
	f := &lineageFile{File: r}
	own := r.Schema()
	fields := slices.Clone(own.Fields())
	for i, id := range r.ids {
		if id != iceberg.RowID && id != iceberg.LastUpdatedID {
			continue
		}
		c := r.columns[i]
		if c < 0 {
			c = len(fields)
			fields = append(fields, r.to.Field(i))
			r.columns[i] = c
		}
		if t := fields[c].Type; t.ID() != arrow.INT64 {
			return nil, schemaError(fields[c].Name, errs.ErrSchema, "it is %s in the file, not long", t)
		}
		fields[c].Nullable = true
		f.made = append(f.made, lineageColumn{at: c, stored: c < own.NumFields(), id: id})
		f.names = append(f.names, expr.Quote(fields[c].Name))
	}
	if f.made == nil {
		return r, nil
	}
	md := own.Metadata()
	f.lineage, f.schema = l, arrow.NewSchema(fields, &md)
	return f, nil
}

// lineageColumn is a column of row lineage.
type lineageColumn struct {
	at     int   // column of the schema
	stored bool  // the file has such a column
	id     int32 // which of the two it is
}

// lineageFile is a file with columns of row lineage behind, or in place of, its own.
type lineageFile struct {
	arrowio.File
	lineage Lineage
	schema  *arrow.Schema
	made    []lineageColumn
	names   []string // paths of these columns in filters
}

// Unwrap returns the file below: see arrowio.As.
func (f *lineageFile) Unwrap() arrowio.File { return f.File }

// Schema implements arrowio.File.
func (f *lineageFile) Schema() *arrow.Schema { return f.schema }

// Prune implements arrowio.File. What the file says of its own columns of row lineage is not about rows for which it stores nothing.
func (f *lineageFile) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	if slices.ContainsFunc(pred.Columns(), func(path string) bool { return slices.Contains(f.names, path) }) {
		return arrowio.RowSet{s.Rows}, nil
	}
	return f.File.Prune(ctx, s, pred)
}

// Read opens the rows of a split.
func (f *lineageFile) Read(ctx context.Context, s arrowio.Split, set arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	r := &lineageReader{lineage: f.lineage, schema: p.Schema, row: s.Rows.Start, mem: &arrowbuf.Arena{Allocator: mem}}
	if f.lineage.First > math.MaxInt64-s.Rows.End {
		return nil, errs.Errorf(errs.ErrCorrupt, "row ids from %d are beyond what a long holds", f.lineage.First)
	}
	var below arrowio.Projection
	var fields []arrow.Field
	for i, pf := range p.Fields {
		c := lineageSource{from: -1}
		k := slices.IndexFunc(f.made, func(m lineageColumn) bool { return m.at == pf.Index })
		if k >= 0 {
			c.id = f.made[k].id
		}
		if k < 0 || f.made[k].stored {
			c.from = len(fields)
			below.Fields, fields = append(below.Fields, pf), append(fields, p.Schema.Field(i))
		}
		r.columns = append(r.columns, c)
	}
	md := p.Schema.Metadata()
	below.Schema = arrow.NewSchema(fields, &md)
	var err error
	if r.SplitReader, err = f.File.Read(ctx, s, set, below, mem); err != nil {
		return nil, err
	}
	return r, nil
}

// lineageSource says where a column of a batch comes from.
type lineageSource struct {
	from int   // column of the batch below; -1 = none
	id   int32 // which column of row lineage it is; 0 = none
}

// lineageReader adds columns of row lineage to batches. See arrowio.SplitReader.
type lineageReader struct {
	arrowio.SplitReader
	lineage Lineage
	schema  *arrow.Schema
	columns []lineageSource
	mem     *arrowbuf.Arena
	row     int64              // of the file, where the reader stands
	runs    []arrowio.RowRange // rows of the batch being built
}

// Share implements arrowio.Sharer.
func (r *lineageReader) Share(run arrowio.Share) int {
	if s, ok := r.SplitReader.(arrowio.Sharer); ok {
		return s.Share(run)
	}
	return 1
}

// Fit implements arrowio.Sizer.
func (r *lineageReader) Fit(n int, bytes int64) int {
	if s, ok := r.SplitReader.(arrowio.Sizer); ok {
		return s.Fit(n, bytes)
	}
	return n
}

// Skip passes over n rows.
func (r *lineageReader) Skip(n int64) (int64, error) {
	n, err := r.SplitReader.Skip(n)
	r.row += n
	return n, err
}

// Read appends the next n rows to the batch being built.
func (r *lineageReader) Read(n int) (int, error) {
	n, err := r.SplitReader.Read(n)
	if n > 0 {
		r.add(arrowio.RowRange{Start: r.row, End: r.row + int64(n)})
		r.row += int64(n)
	}
	return n, err
}

// ReadRuns appends runs of rows to the batch being built: see arrowio.RunReader.
func (r *lineageReader) ReadRuns(runs []arrowio.RowRange) error {
	many, ok := r.SplitReader.(arrowio.RunReader)
	if !ok {
		at := r.row
		for _, x := range runs {
			if _, err := r.Skip(at + x.Start - r.row); err != nil {
				return err
			}
			if _, err := r.Read(int(x.Len())); err != nil {
				return err
			}
		}
		return nil
	}
	if err := many.ReadRuns(runs); err != nil {
		return err
	}
	for _, x := range runs {
		r.add(arrowio.RowRange{Start: r.row + x.Start, End: r.row + x.End})
	}
	r.row += runs[len(runs)-1].End
	return nil
}

// add appends rows to those of the batch.
func (r *lineageReader) add(x arrowio.RowRange) {
	if n := len(r.runs); n > 0 && r.runs[n-1].End == x.Start {
		r.runs[n-1].End = x.End
		return
	}
	r.runs = append(r.runs, x)
}

// Take hands over the batch built so far. The caller releases it.
func (r *lineageReader) Take() (arrow.Record, error) {
	rec, err := r.SplitReader.Take()
	if err != nil {
		return nil, err
	}
	defer rec.Release()
	columns := make([]arrow.Array, len(r.columns))
	for i, c := range r.columns {
		if c.id == 0 {
			columns[i] = rec.Column(c.from)
			columns[i].Retain()
			continue
		}
		var stored arrow.Array
		if c.from >= 0 {
			stored = rec.Column(c.from)
		}
		d := r.make(c.id, stored, int(rec.NumRows()))
		columns[i] = array.MakeFromData(d)
		d.Release()
	}
	r.runs = r.runs[:0]
	out := array.NewRecord(r.schema, columns, rec.NumRows())
	for _, c := range columns {
		c.Release()
	}
	return out, nil
}

// make returns the n values of a column; stored are those of the file, nil = it has none.
func (r *lineageReader) make(id int32, stored arrow.Array, n int) arrow.ArrayData {
	some := id == iceberg.LastUpdatedID || r.lineage.First >= 0 // there are values beside those of the file
	if stored != nil && (stored.NullN() == 0 || !some) {
		stored.Data().Retain()
		return stored.Data()
	}
	v := arrowbuf.NewVec[int64](r.mem)
	v.Tail(max(n, 1)) // an array has its buffer, of no values too
	dst := v.Grow(n)
	var bits *memory.Buffer
	nulls := 0
	switch {
	case !some:
		clear(dst)
		b := arrowbuf.NewVec[byte](r.mem)
		clear(b.Grow((n + 7) / 8))
		bits, nulls = b.Take(), n
	case id == iceberg.LastUpdatedID:
		for i := range dst {
			dst[i] = r.lineage.Sequence
		}
	default:
		rest := dst
		for _, x := range r.runs {
			for i := range rest[:x.Len()] {
				rest[i] = r.lineage.First + x.Start + int64(i)
			}
			rest = rest[x.Len():]
		}
	}
	if stored != nil && stored.NullN() < n {
		for i, own := range stored.(*array.Int64).Int64Values() {
			if stored.IsValid(i) {
				dst[i] = own
			}
		}
	}
	data := v.Take()
	defer data.Release()
	if bits != nil {
		defer bits.Release()
	}
	return array.NewData(arrow.PrimitiveTypes.Int64, n, []*memory.Buffer{bits, data}, nil, nulls, 0)
}

// Close frees what the reader holds.
func (r *lineageReader) Close() error { return r.SplitReader.Close() }
