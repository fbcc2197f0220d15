package avro

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// AsTableFile shows the file as one of an Iceberg table: with the ids that its fields have, maps of any keys, and timestamps without a
// zone where its schema says that they are not instants. What it carries of an Arrow schema does not count. Call it before the file is
// used.
func (f *file) AsTableFile() error {
	if f.avro.Kind != trevniwire.AvroRecord {
		return locate(errs.Errorf(errs.ErrSchema, "the rows are %s, not records", f.avro.Name))
	}
	tree, err := trevniwire.ShredTable(f.avro, f.limits)
	if err != nil {
		return locate(errs.Errorf(errs.ErrUnsupported, "the schema: %w", err))
	}
	f.tree, f.dicts, f.notes, f.table = tree, nil, nil, true
	md := f.schema.Metadata()
	f.schema = arrow.NewSchema(tree.Schema.Fields(), &md)
	f.dictionaries(tree.Roots)
	return nil
}

// Rename gives columns and their children other names and metadata, and timestamps the zone that schema says. schema may differ from
// that of the file only in these, in units of timestamps, which stay those of the file, and in whether columns are nullable. Call
// Rename before the file is used.
func (f *file) Rename(schema *arrow.Schema) {
	fields := schema.Fields()
	for i := range fields {
		fields[i].Type = renamed(f.schema.Field(i).Type, fields[i].Type)
	}
	md := schema.Metadata()
	f.schema = arrow.NewSchema(fields, &md)
}

// renamed returns a type of the file with the names of another.
func renamed(own, to arrow.DataType) arrow.DataType {
	if t, ok := own.(*arrow.TimestampType); ok {
		if o, ok := to.(*arrow.TimestampType); ok {
			return &arrow.TimestampType{Unit: t.Unit, TimeZone: o.TimeZone}
		}
		return own
	}
	below, names := arrowtype.Children(own), arrowtype.Children(to)
	if len(below) == 0 || len(below) != len(names) {
		return own
	}
	for i := range names {
		names[i].Type = renamed(below[i].Type, names[i].Type)
	}
	return arrowtype.WithChildren(own, names)
}
