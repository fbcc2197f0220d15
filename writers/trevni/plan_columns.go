package trevni

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/schemadiff"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// planColumns makes one stored column a field: the inverse of the reader's columns view, for data without nulls.
func (d *driver) planColumns(s *arrow.Schema, p *arrowio.WritePlan) error {
	c := columnPlanner{names: map[string]bool{}}
	for _, f := range s.Fields() {
		c.field(f, "", schemadiff.Path(f.Name), -1)
	}
	if len(c.refused) > 0 {
		return errs.Errorf(errs.ErrSchema, "as plain columns there is no place for %s: %w has one", strings.Join(c.refused, ", "), errs.Opt("trevni-schema", "avro"))
	}
	h := &trevniwire.Header{Columns: c.columns}
	tree, err := trevniwire.ColumnsView(h, arrowio.Limits{}.WithDefaults())
	if err != nil {
		return err
	}
	d.tree, d.columns = tree, c.columns
	if text, ok := fileMeta(s, trevniwire.KeyAvro); ok {
		d.meta = append(d.meta, trevniwire.Pair{Key: trevniwire.KeyAvro, Value: []byte(text)})
	}
	p.Columns = c.planned
	return nil
}

type columnPlanner struct {
	columns []trevniwire.Column
	planned []arrowio.PlannedColumn
	names   map[string]bool
	refused []string
}

// field plans the column of a field; path is the name of the column above it, place where the field is in the schema.
func (c *columnPlanner) field(f arrow.Field, path, place string, parent int) {
	name, named := f.Metadata.GetValue(trevniwire.MetaName)
	if !named {
		name = f.Name
		if path != "" {
			name = path + "." + f.Name
		}
	}
	if !utf8.ValidString(name) {
		c.refused = append(c.refused, fmt.Sprintf("%.40q (the name in %s is not UTF-8)", name, trevniwire.MetaName))
		return
	}
	if c.names[name] {
		c.refused = append(c.refused, name+" (two columns of one name)")
		return
	}
	c.names[name] = true
	col := trevniwire.Column{Name: name, Parent: parent}
	elem := f.Type
	if l, ok := f.Type.(*arrow.ListType); ok {
		col.Array = true
		elem = l.Elem()
	}
	var children []arrow.Field
	if st, ok := elem.(*arrow.StructType); ok && col.Array {
		children, elem = st.Fields(), arrow.Null
		if len(children) > 0 && ownValue(children[0], name) {
			elem, children = children[0].Type, children[1:]
		}
	}
	t, ok := storedAs(elem, f.Metadata)
	if !ok {
		c.refused = append(c.refused, name+" ("+f.Type.String()+")")
		return
	}
	col.Type = t
	i := len(c.columns)
	c.columns = append(c.columns, col)
	if parent >= 0 {
		c.columns[parent].Children = append(c.columns[parent].Children, i)
	}
	c.planned = append(c.planned, arrowio.PlannedColumn{Path: place, Type: f.Type.String(), Stored: t.String()})
	for _, k := range children {
		c.field(k, name, schemadiff.Below(place+".item", k.Name), i)
	}
}

// ownValue reports whether the first field of an element struct is the array column's own value, as the reader shows it.
func ownValue(f arrow.Field, column string) bool {
	name, ok := f.Metadata.GetValue(trevniwire.MetaName)
	return ok && name == column && (f.Name == "value" || f.Name == "_value")
}

// storedAs returns the stored type of flat values: the one that the field's metadata names, if it has this Arrow type,
// else the usual one.
func storedAs(t arrow.DataType, md arrow.Metadata) (trevniwire.Type, bool) {
	if name, ok := md.GetValue(trevniwire.MetaType); ok {
		if s, ok := trevniwire.ParseType(name); ok && arrow.TypeEqual(trevniwire.ArrowType(s), t) {
			return s, true
		}
	}
	switch t.ID() {
	case arrow.NULL:
		return trevniwire.Null, true
	case arrow.BOOL:
		return trevniwire.Boolean, true
	case arrow.INT8, arrow.INT16, arrow.UINT8, arrow.UINT16, arrow.INT32, arrow.DATE32, arrow.TIME32:
		return trevniwire.Int, true
	case arrow.INT64, arrow.UINT32, arrow.UINT64, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		return trevniwire.Long, true
	case arrow.FLOAT32, arrow.FLOAT16:
		return trevniwire.Float, true
	case arrow.FLOAT64:
		return trevniwire.Double, true
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return trevniwire.String, true
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		return trevniwire.Bytes, true
	case arrow.DICTIONARY:
		return storedAs(t.(*arrow.DictionaryType).ValueType, arrow.Metadata{})
	}
	return 0, false
}
