package icebergtable

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// caster makes of batches those of a table.
type caster struct {
	fields []iceberg.Field
	schema *arrow.Schema // of the result
	plain  *arrow.Schema // of the batches, with ordinary lists
	conv   *view.Conversion
}

// newCaster returns the way from batches of a schema to those of a table. Columns are found by their names. What the batches do
// not have is null, or has the field's write-default.
func newCaster(in *arrow.Schema, fields []iceberg.Field) (*caster, error) {
	if err := missing(in, fields); err != nil {
		return nil, err
	}
	shown, err := iceberg.Schema(withWriteDefaults(fields), iceberg.ArrowOptions{})
	if err != nil {
		return nil, err
	}
	c := &caster{fields: fields}
	from := make([]arrow.Field, in.NumFields())
	own := make([]arrow.Field, in.NumFields())
	for i, f := range in.Fields() {
		own[i] = plainField(f)
		from[i] = neverNull(own[i]) // what may be null is checked value by value
	}
	c.plain = arrow.NewSchema(own, nil)
	to := slices.Clone(shown)
	for i := range to {
		if _, ok := in.FieldsByName(to[i].Name); !ok {
			to[i].Nullable = true // it was checked
		}
	}
	if c.conv, err = view.Convert(arrow.NewSchema(from, nil), arrow.NewSchema(to, nil), view.Options{Cast: cast}); err != nil {
		return nil, err
	}
	strict, err := iceberg.Schema(withoutDefaults(fields), iceberg.ArrowOptions{})
	c.schema = arrow.NewSchema(strict, nil)
	return c, err
}

// missing checks the names of columns.
func missing(in *arrow.Schema, fields []iceberg.Field) error {
	var extra []string
	var walk func(own []arrow.Field, fields []iceberg.Field, path string)
	walk = func(own []arrow.Field, fields []iceberg.Field, path string) {
		for _, f := range own {
			k := slices.IndexFunc(fields, func(x iceberg.Field) bool { return x.Name == f.Name })
			if k < 0 {
				extra = append(extra, path+f.Name)
				continue
			}
			inside(f.Type, &fields[k].Type, func(own []arrow.Field, fields []iceberg.Field) { walk(own, fields, path+f.Name+".") })
		}
	}
	walk(in.Fields(), fields, "")
	if len(extra) > 0 {
		return errs.Errorf(errs.ErrSchema, "the table has no column %s: leave it out with %w", strings.Join(extra, ", "), errs.Opt("exclude", strings.Join(extra, ",")))
	}
	for i := range fields {
		f := &fields[i]
		n := len(in.FieldIndices(f.Name))
		switch {
		case n > 1:
			return schemaError(f.Name, "two columns have this name")
		case n == 0 && f.Required && f.Write == nil:
			return schemaError(f.Name, "the table requires the column, and the input does not have it")
		}
	}
	return nil
}

// inside calls do with the fields of structs that both types have at the same place.
func inside(t arrow.DataType, of *iceberg.Type, do func(own []arrow.Field, fields []iceberg.Field)) {
	switch t := arrowtype.Value(t).(type) {
	case *arrow.StructType:
		if of.Kind == iceberg.Struct {
			do(t.Fields(), of.Fields)
		}
	case *arrow.MapType:
		if of.Kind == iceberg.Map {
			inside(t.KeyType(), &of.Fields[0].Type, do)
			inside(t.ItemType(), &of.Fields[1].Type, do)
		}
	case arrow.ListLikeType:
		if of.Kind == iceberg.List {
			inside(t.Elem(), &of.Fields[0].Type, do)
		}
	}
}

func schemaError(column, format string, args ...any) error {
	e := errs.Errorf(errs.ErrSchema, format, args...)
	e.Column = column
	return e
}

func withWriteDefaults(fields []iceberg.Field) []iceberg.Field {
	return changed(fields, func(f *iceberg.Field) { f.Default = f.Write })
}

func withoutDefaults(fields []iceberg.Field) []iceberg.Field {
	return changed(fields, func(f *iceberg.Field) { f.Default = nil })
}

// changed returns fields, and those inside of them, after a change.
func changed(fields []iceberg.Field, change func(*iceberg.Field)) []iceberg.Field {
	out := slices.Clone(fields)
	for i := range out {
		change(&out[i])
		out[i].Type.Fields = changed(out[i].Type.Fields, change)
	}
	return out
}

// neverNull returns a field that has no nulls at any depth.
func neverNull(f arrow.Field) arrow.Field {
	f.Nullable = f.Type.ID() == arrow.NULL
	if n, ok := f.Type.(arrow.NestedType); ok && f.Type.ID() != arrow.RUN_END_ENCODED {
		children := slices.Clone(n.Fields())
		for i := range children {
			children[i] = neverNull(children[i])
		}
		if m, ok := f.Type.(*arrow.MapType); ok {
			key, item := neverNull(m.KeyField()), neverNull(m.ItemField())
			to := arrow.MapOfWithMetadata(key.Type, key.Metadata, item.Type, item.Metadata)
			to.SetItemNullable(item.Nullable)
			f.Type = to
			return f
		}
		f.Type = arrowtype.WithChildren(f.Type, children)
	}
	return f
}

// record returns a batch as the table's. The caller releases it.
func (c *caster) record(rec arrow.Record, mem memory.Allocator) (arrow.Record, error) {
	cols := make([]arrow.Array, rec.NumCols())
	release := func() {
		for _, a := range cols {
			if a != nil {
				a.Release()
			}
		}
	}
	for i, a := range rec.Columns() {
		d, err := inPlainLists(a.Data(), mem)
		if err != nil {
			release()
			return nil, errs.Locate(err, errs.At{Column: rec.ColumnName(i)})
		}
		cols[i] = array.MakeFromData(d)
		d.Release()
	}
	plain := array.NewRecord(c.plain, cols, rec.NumRows())
	release()
	defer plain.Release()
	made, err := c.conv.Record(plain, mem)
	if err != nil {
		return nil, err
	}
	defer made.Release()
	out := make([]arrow.Array, made.NumCols())
	for i, a := range made.Columns() {
		d := as(a.Data(), c.schema.Field(i).Type)
		out[i] = array.MakeFromData(d)
		d.Release()
	}
	result := array.NewRecord(c.schema, out, made.NumRows())
	for _, a := range out {
		a.Release()
	}
	for i := range c.fields {
		if err := checkRequired(&c.fields[i], result.Column(i), c.fields[i].Name); err != nil {
			result.Release()
			return nil, err
		}
	}
	return result, nil
}

// as shows data as a type that differs in what may be null, and in metadata.
func as(d arrow.ArrayData, t arrow.DataType) arrow.ArrayData {
	n, ok := t.(arrow.NestedType)
	if !ok || len(d.Children()) == 0 {
		return array.NewData(t, d.Len(), d.Buffers(), d.Children(), d.NullN(), d.Offset())
	}
	of := n.Fields()
	if m, ok := t.(*arrow.MapType); ok { // its child is the struct of entries
		of = []arrow.Field{{Type: m.Elem()}}
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		children[i] = as(c, of[i].Type)
	}
	out := array.NewData(t, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
	for _, c := range children {
		c.Release()
	}
	return out
}

// checkRequired returns an error if a required field has a null where what is around it has a value.
func checkRequired(f *iceberg.Field, a arrow.Array, path string) error {
	if f.Required && a.NullN() > 0 {
		return schemaError(path, "a row has no value, and the table requires one")
	}
	return checkInside(f, a, path)
}

func checkInside(f *iceberg.Field, a arrow.Array, path string) error {
	if !slices.ContainsFunc(f.Type.Fields, demands) {
		return nil
	}
	fail := func(k int) error {
		return schemaError(path+"."+f.Type.Fields[k].Name, "a row has no value, and the table requires one")
	}
	switch a := a.(type) {
	case *array.Struct:
		for k := range f.Type.Fields {
			child := &f.Type.Fields[k]
			c := a.Field(k)
			if child.Required && c.NullN() > 0 {
				for i := range a.Len() {
					if a.IsValid(i) && c.IsNull(i) {
						return fail(k)
					}
				}
			}
			if err := checkInside(child, c, path+"."+child.Name); err != nil {
				return err
			}
		}
	case *array.Map:
		for k, c := range []arrow.Array{a.Keys(), a.Items()} {
			if err := checkElements(f, k, a, c, path, fail); err != nil {
				return err
			}
		}
	case *array.List:
		return checkElements(f, 0, a, a.ListValues(), path, fail)
	}
	return nil
}

// demands reports whether a field, or one inside of it, is required.
func demands(f iceberg.Field) bool { return f.Required || slices.ContainsFunc(f.Type.Fields, demands) }

// checkElements looks at the elements that lists have.
func checkElements(f *iceberg.Field, k int, a array.ListLike, c arrow.Array, path string, fail func(k int) error) error {
	child := &f.Type.Fields[k]
	if child.Required && c.NullN() > 0 {
		for i := range a.Len() {
			if a.IsNull(i) {
				continue
			}
			from, to := a.ValueOffsets(i)
			for j := from; j < to; j++ {
				if c.IsNull(int(j)) {
					return fail(k)
				}
			}
		}
	}
	return checkInside(child, c, path+"."+child.Name)
}
