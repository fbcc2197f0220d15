package hivetable

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// shape is how batches become rows of the table.
type shape struct {
	schema *arrow.Schema // of the result: the columns of files, and behind them the partition columns
	files  *arrow.Schema
	from   []int // for each of schema the number of the batch's column; -1 = it has none
	conv   *view.Conversion
}

// newShape finds the way from batches of a schema to rows of the table. Columns are found by name, without regard to case, as Hive's
// names have none. With keep, text, binary and lists stay in the layout that they have.
func newShape(in, files, keys *arrow.Schema, keep bool) (*shape, error) {
	fields := slices.Clone(files.Fields())
	if keys != nil {
		fields = append(fields, keys.Fields()...)
	}
	s := &shape{from: make([]int, len(fields))}
	if err := extra(in.Fields(), fields, ""); err != nil {
		return nil, err
	}
	for i, f := range fields {
		var err error
		if s.from[i], err = find(in.Fields(), f.Name, f.Name); err != nil {
			return nil, err
		}
		switch isKey := i >= files.NumFields(); {
		case s.from[i] >= 0 && keep:
			fields[i] = shaped(f, in.Field(s.from[i]), isKey)
		case isKey && s.from[i] < 0:
			return nil, schemaError(f.Name, "the table is partitioned by the column, and the input does not have it")
		}
		fields[i].Nullable = true
	}
	s.schema = arrow.NewSchema(fields, nil)
	s.files = arrow.NewSchema(fields[:files.NumFields()], nil)
	var err error
	s.conv, err = view.Convert(in, s.schema, view.Options{Match: view.ByNameOrFold, Columns: s.from, Cast: cast})
	return s, err
}

func schemaError(column, format string, args ...any) error {
	return errs.Locate(errs.Errorf(errs.ErrSchema, format, args...), errs.At{Column: column})
}

// find returns the number of the field with a name; -1 = none has it.
func find(fields []arrow.Field, name, path string) (int, error) {
	at := -1
	for i, f := range fields {
		if !strings.EqualFold(f.Name, name) {
			continue
		}
		if at >= 0 {
			return 0, schemaError(path, "two columns of the input have this name, which in Hive has no case")
		}
		at = i
	}
	return at, nil
}

// extra returns an error for columns, at any depth, that the table does not have.
func extra(in, fields []arrow.Field, path string) error {
	var more []string
	for _, f := range in {
		k := slices.IndexFunc(fields, func(x arrow.Field) bool { return strings.EqualFold(x.Name, f.Name) })
		if k < 0 {
			more = append(more, path+f.Name)
			continue
		}
		if err := inside(f.Type, fields[k].Type, path+f.Name+"."); err != nil {
			return err
		}
	}
	if more == nil {
		return nil
	}
	if path == "" {
		return errs.Errorf(errs.ErrSchema, "the table has no column %s: leave it out with %w", strings.Join(more, ", "), errs.Opt("exclude", strings.Join(more, ",")))
	}
	return schemaError(more[0], "the table's struct has no field of this name")
}

// inside looks at the structs that both types have at the same place.
func inside(in, of arrow.DataType, path string) error {
	switch in := arrowtype.Value(in).(type) {
	case *arrow.StructType:
		of, ok := of.(*arrow.StructType)
		if !ok {
			return nil // the types do not match
		}
		for _, f := range of.Fields() {
			if _, err := find(in.Fields(), f.Name, path+f.Name); err != nil {
				return err
			}
		}
		return extra(in.Fields(), of.Fields(), path)
	case *arrow.MapType:
		if of, ok := of.(*arrow.MapType); ok {
			if err := inside(in.KeyType(), of.KeyType(), path); err != nil {
				return err
			}
			return inside(in.ItemType(), of.ItemType(), path)
		}
	case arrow.ListLikeType:
		if of, ok := of.(arrow.ListLikeType); ok {
			return inside(in.Elem(), of.Elem(), path)
		}
	}
	return nil
}

// shaped returns a field of the table in the layout that the input has, where files come out the same.
func shaped(f, in arrow.Field, key bool) arrow.Field {
	t := in.Type
	if d, ok := t.(*arrow.DictionaryType); ok {
		if _, bounded := lengthOf(f); !bounded && !key && arrow.TypeEqual(shaped(f, arrow.Field{Type: d.ValueType}, key).Type, d.ValueType) {
			f.Type = t
			return f
		}
		t = d.ValueType
	}
	switch of := f.Type.(type) {
	case *arrow.StringType:
		if isText(t) {
			f.Type = t
		}
	case *arrow.BinaryType:
		if t.ID() == arrow.BINARY || t.ID() == arrow.LARGE_BINARY || t.ID() == arrow.BINARY_VIEW {
			f.Type = t
		}
	case *arrow.TimestampType:
		if x, ok := t.(*arrow.TimestampType); ok && x.TimeZone == of.TimeZone {
			f.Type = t
		}
	case *arrow.StructType:
		if x, ok := t.(*arrow.StructType); ok {
			children := slices.Clone(of.Fields())
			for i := range children {
				if k, err := find(x.Fields(), children[i].Name, ""); err == nil && k >= 0 {
					children[i] = shaped(children[i], x.Field(k), key)
				}
			}
			f.Type = arrow.StructOf(children...)
		}
	case *arrow.MapType:
		if x, ok := t.(*arrow.MapType); ok {
			k, v := shaped(of.KeyField(), x.KeyField(), key), shaped(of.ItemField(), x.ItemField(), key)
			m := arrow.MapOfWithMetadata(k.Type, k.Metadata, v.Type, v.Metadata)
			m.SetItemNullable(true)
			f.Type = m
		}
	case *arrow.ListType:
		switch x := t.(type) {
		case *arrow.ListType:
			f.Type = arrow.ListOfField(shaped(of.ElemField(), x.ElemField(), key))
		case *arrow.LargeListType:
			f.Type = arrow.LargeListOfField(shaped(of.ElemField(), x.ElemField(), key))
		case *arrow.FixedSizeListType:
			f.Type = arrow.FixedSizeListOfField(x.Len(), shaped(of.ElemField(), x.ElemField(), key))
		}
	}
	return f
}

func isText(t arrow.DataType) bool {
	return t.ID() == arrow.STRING || t.ID() == arrow.LARGE_STRING || t.ID() == arrow.STRING_VIEW
}
