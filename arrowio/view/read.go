package view

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// adaptedColumn says how a column of the result is made.
type adaptedColumn struct {
	field   arrow.Field
	from    int         // column of the file's record, -1 = none: all null
	convert convertFunc // nil = as it is
	extra   int64       // bytes that a row has more than in the file's record
	one     arrow.Array // the value in every row; nil = it has no such
	made    arrow.Array // the longest run of it so far
}

// project translates a projection of the shown schema into one of the file's own.
func (a *adapted) project(p arrowio.Projection) (arrowio.Projection, []adaptedColumn, error) {
	file := a.File.Schema()
	own := arrowio.Projection{Fields: []arrowio.ProjectedField{}}
	var fields []arrow.Field
	columns := make([]adaptedColumn, len(p.Fields))
	for i, pf := range p.Fields {
		c := adaptedColumn{field: p.Schema.Field(i), from: -1}
		k := a.columns[pf.Index]
		if k < 0 {
			c.extra = nullRowBytes(c.field.Type)
			if c.one = a.constantOf(pf.Index); c.one != nil {
				c.extra = bytesOfRow(c.one)
			}
			columns[i] = c
			continue
		}
		of := arrowio.ProjectedField{Index: k, Children: a.rules.wanted(file.Field(k).Type, a.schema.Field(pf.Index).Type, pf.Children)}
		f := of.Narrow(file.Field(k))
		var err error
		if c.convert, err = a.rules.conversionOf(f, c.field, c.field.Name); err != nil {
			return own, nil, err
		}
		if c.convert != nil {
			c.extra = max(0, nullRowBytes(c.field.Type)-nullRowBytes(f.Type))
		}
		c.from = len(fields)
		fields, own.Fields = append(fields, f), append(own.Fields, of)
		columns[i] = c
	}
	md := file.Metadata()
	own.Schema = arrow.NewSchema(fields, &md)
	return own, columns, nil
}

// wanted says which children of a field of the file are needed for the children of the field that it is shown as;
// nil = all of them. Like a projection it passes through lists and the values of maps to the struct inside.
func (c rules) wanted(from, to arrow.DataType, children []arrowio.ProjectedField) []arrowio.ProjectedField {
	have, _ := structInside(from)
	shown, ok := structInside(to)
	if have == nil || !ok || have.NumFields() == 0 {
		return nil
	}
	same := arrow.TypeEqual(have, shown)
	if children == nil {
		children = make([]arrowio.ProjectedField, shown.NumFields())
		for i := range children {
			children[i].Index = i
		}
	}
	var out []arrowio.ProjectedField
	all := true
	for _, k := range children {
		w := arrowio.ProjectedField{Index: k.Index}
		if !same {
			if w.Index = c.find(have.Fields(), shown.Field(k.Index).Name); w.Index < 0 {
				continue
			}
		}
		w.Children = c.wanted(have.Field(w.Index).Type, shown.Field(k.Index).Type, k.Children)
		all = all && w.Children == nil
		out = append(out, w)
	}
	if len(out) == 0 { // one child carries which structs are null, and how many there are
		i := slices.IndexFunc(have.Fields(), func(f arrow.Field) bool {
			_, flat := f.Type.(arrow.FixedWidthDataType)
			return flat
		})
		out, all = append(out, arrowio.ProjectedField{Index: max(0, i)}), true
	}
	if all && len(out) == have.NumFields() {
		return nil
	}
	slices.SortStableFunc(out, func(a, b arrowio.ProjectedField) int { return a.Index - b.Index })
	return out
}

// structInside returns the struct that t is, or that its elements or values are.
func structInside(t arrow.DataType) (*arrow.StructType, bool) {
	for {
		switch x := t.(type) {
		case *arrow.StructType:
			return x, true
		case *arrow.ListType:
			t = x.Elem()
		case *arrow.LargeListType:
			t = x.Elem()
		case *arrow.FixedSizeListType:
			t = x.Elem()
		case *arrow.MapType:
			t = x.ItemType()
		default:
			return nil, false
		}
	}
}

// adaptedReader makes the batches of a file's reader into those of another schema. Without a reader below it counts
// rows.
type adaptedReader struct {
	arrowio.SplitReader
	schema  *arrow.Schema
	columns []adaptedColumn
	mem     memory.Allocator
	rows    int // read, without a reader below
}

// Skip passes over n rows.
func (r *adaptedReader) Skip(n int64) (int64, error) {
	if r.SplitReader == nil {
		return n, nil
	}
	return r.SplitReader.Skip(n)
}

// Read appends the next n rows.
func (r *adaptedReader) Read(n int) (int, error) {
	if r.SplitReader == nil {
		r.rows += n
		return n, nil
	}
	return r.SplitReader.Read(n)
}

// Close frees what the reader below holds.
func (r *adaptedReader) Close() error {
	for i := range r.columns {
		if c := &r.columns[i]; c.made != nil {
			c.made.Release()
			c.made = nil
		}
	}
	if r.SplitReader == nil {
		return nil
	}
	return r.SplitReader.Close()
}

// Take hands over the batch in the shown schema.
func (r *adaptedReader) Take() (arrow.Record, error) {
	var own arrow.Record
	n := r.rows
	r.rows = 0
	if r.SplitReader != nil {
		var err error
		if own, err = r.SplitReader.Take(); err != nil {
			return nil, err
		}
		defer own.Release()
		n = int(own.NumRows())
	}
	return r.adapt(own, n)
}

// adapt makes a batch of n rows of what was read of the file, which is nil where nothing is needed of it.
func (r *adaptedReader) adapt(own arrow.Record, n int) (arrow.Record, error) {
	cols := make([]arrow.Array, 0, len(r.columns))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i := range r.columns {
		c := &r.columns[i]
		if c.from >= 0 && c.convert == nil {
			col := own.Column(c.from)
			col.Retain()
			cols = append(cols, col)
			continue
		}
		if c.one != nil {
			a, err := c.run(n, r.mem)
			if err != nil {
				return nil, errs.Locate(err, errs.At{Column: c.field.Name})
			}
			cols = append(cols, a)
			continue
		}
		d, err := c.make(own, n, r.mem)
		if err != nil {
			return nil, errs.Locate(err, errs.At{Column: c.field.Name})
		}
		cols = append(cols, array.MakeFromData(d))
		d.Release()
	}
	return array.NewRecord(r.schema, cols, int64(n)), nil
}

// run returns n times the value, which the caller releases: a part of what was made for an earlier batch, if that is long
// enough.
func (c *adaptedColumn) run(n int, mem memory.Allocator) (arrow.Array, error) {
	if c.made == nil || c.made.Len() < n {
		d, err := repeat(c.one, n, mem)
		if err != nil {
			return nil, err
		}
		if c.made != nil {
			c.made.Release()
		}
		c.made = array.MakeFromData(d)
		d.Release()
	}
	if c.made.Len() == n {
		c.made.Retain()
		return c.made, nil
	}
	return array.NewSlice(c.made, 0, int64(n)), nil
}

func (c *adaptedColumn) make(own arrow.Record, n int, mem memory.Allocator) (arrow.ArrayData, error) {
	if c.from < 0 {
		return missingData(c.field, n, mem)
	}
	return c.convert(own.Column(c.from).Data(), nil, mem)
}

// Share offers help to the reader below.
func (r *adaptedReader) Share(run arrowio.Share) int {
	if s, ok := r.SplitReader.(arrowio.Sharer); ok {
		return s.Share(run)
	}
	return 1
}

// extra is how many bytes a row has more than in the batches of the reader below.
func (r *adaptedReader) extra() int64 {
	var n int64
	for i := range r.columns {
		n = addBytes(n, r.columns[i].extra)
	}
	return n
}

// sizedAdaptedReader is an adaptedReader over one that can tell sizes, or over none.
type sizedAdaptedReader struct {
	*adaptedReader
	sizer arrowio.Sizer
	extra int64
}

// Fit gives the reader below its share of the bytes: what it says of all of them tells how large its rows are.
func (r *sizedAdaptedReader) Fit(n int, bytes int64) int {
	k := n
	if r.sizer != nil {
		k = r.sizer.Fit(n, bytes)
	}
	if r.extra == 0 || k < 1 {
		return k
	}
	row := float64(r.extra)
	if k < n {
		row += float64(bytes) / float64(k)
	}
	return int(max(1, min(float64(k), float64(bytes)/row)))
}

// runAdaptedReader is a sizedAdaptedReader over one that takes many runs of rows at once.
type runAdaptedReader struct {
	*sizedAdaptedReader
	arrowio.RunReader
}
