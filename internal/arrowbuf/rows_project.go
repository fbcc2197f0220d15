package arrowbuf

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Selection names a field that stays: its position among its siblings, and, for a struct or the struct inside a list
// or a map's value, the children that stay. No children means all of them.
type Selection struct {
	Index    int
	Children []Selection
}

// Project returns rec with the selected fields only, as schema, which has one field for each. No values are copied.
// The caller releases the result and keeps rec.
func Project(rec arrow.Record, schema *arrow.Schema, fields []Selection) (arrow.Record, error) {
	if schema.NumFields() != len(fields) {
		return nil, fmt.Errorf("%d fields selected for a schema of %d", len(fields), schema.NumFields())
	}
	cols := make([]arrow.Array, 0, len(fields))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, f := range fields {
		if f.Index < 0 || f.Index >= int(rec.NumCols()) {
			return nil, fmt.Errorf("field %d of a record of %d", f.Index, rec.NumCols())
		}
		col := rec.Column(f.Index)
		if len(f.Children) == 0 {
			col.Retain()
			cols = append(cols, col)
			continue
		}
		d, err := projectData(col.Data(), schema.Field(i).Type, f.Children)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", schema.Field(i).Name, err)
		}
		cols = append(cols, array.MakeFromData(d))
		d.Release()
	}
	return array.NewRecord(schema, cols, rec.NumRows()), nil
}

// projectData returns d as type to, which differs from d's type by the children that are left out. The caller
// releases it.
func projectData(d arrow.ArrayData, to arrow.DataType, keep []Selection) (arrow.ArrayData, error) {
	if len(keep) == 0 {
		d.Retain()
		return d, nil
	}
	var children []arrow.ArrayData
	defer func() {
		for _, c := range children {
			c.Release()
		}
	}()
	add := func(c arrow.ArrayData, to arrow.DataType, keep []Selection) error {
		p, err := projectData(c, to, keep)
		if err == nil {
			children = append(children, p)
		}
		return err
	}
	switch t := to.(type) {
	case *arrow.StructType:
		if t.NumFields() != len(keep) {
			return nil, fmt.Errorf("%d children selected for %s", len(keep), t)
		}
		for i, k := range keep {
			if k.Index < 0 || k.Index >= len(d.Children()) {
				return nil, fmt.Errorf("child %d of %s", k.Index, d.DataType())
			}
			if err := add(d.Children()[k.Index], t.Field(i).Type, k.Children); err != nil {
				return nil, err
			}
		}
	case *arrow.MapType:
		if err := projectEntries(d.Children()[0], t, keep, add, &children); err != nil {
			return nil, err
		}
	case arrow.ListLikeType:
		if len(d.Children()) != 1 {
			return nil, fmt.Errorf("children of %s selected", d.DataType())
		}
		if err := add(d.Children()[0], t.Elem(), keep); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("children of %s selected", d.DataType())
	}
	return array.NewData(to, d.Len(), d.Buffers(), children, d.NullN(), d.Offset()), nil
}

// projectEntries adds the entries of a map, their keys as they are, the selection made in the values.
func projectEntries(entries arrow.ArrayData, to *arrow.MapType, keep []Selection, add func(arrow.ArrayData, arrow.DataType, []Selection) error, children *[]arrow.ArrayData) error {
	item, err := projectData(entries.Children()[1], to.ItemType(), keep)
	if err != nil {
		return err
	}
	defer item.Release()
	*children = append(*children, array.NewData(to.Elem(), entries.Len(), entries.Buffers(), []arrow.ArrayData{entries.Children()[0], item}, entries.NullN(), entries.Offset()))
	return nil
}
