package orc

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// EventColumn is one of the five columns of a Hive ACID file that describe an event: which change was made to which row.
type EventColumn int

// The columns of events, in their order in the file. The row itself comes after them.
const (
	Operation   EventColumn = iota // 0 insert, 1 update, 2 delete; int
	Original                       // write id that inserted the row; bigint
	Bucket                         // bucket that the row was inserted into; int
	RowID                          // number of the row in that bucket; bigint
	Current                        // write id of the event; bigint
	eventRow                       // the position of the row
	eventFields                    // all
)

var eventColumns = [eventFields]struct {
	name string
	kind orcwire.Kind
}{
	Operation: {"operation", orcwire.Int},
	Original:  {"originaltransaction", orcwire.Long},
	Bucket:    {"bucket", orcwire.Int},
	RowID:     {"rowid", orcwire.Long},
	Current:   {"currenttransaction", orcwire.Long},
	eventRow:  {"row", orcwire.Struct},
}

// IsEvents reports whether the file holds events of a Hive ACID table: struct<operation:int,originalTransaction:bigint,
// bucket:int,rowId:bigint,currentTransaction:bigint,row:struct<…>>, whatever the case of the names.
func (f *File) IsEvents() bool {
	root := f.footer.Types[0]
	if root.Kind != orcwire.Struct || len(root.Children) != int(eventFields) {
		return false
	}
	for i, c := range eventColumns {
		if root.Children[i].Kind != c.kind || !strings.EqualFold(root.Names[i], c.name) {
			return false
		}
	}
	return true
}

// ShowRows shows a file of events as the rows in them: its columns are those of the rows. Projections may also have the columns
// of events, by EventIndex. The file must be one of events. Call ShowRows before the file is used.
//
// An event without a row is an error if any column of the row is read. Info, Verify and Dump describe the file as it is stored.
func (f *File) ShowRows() error {
	if !f.IsEvents() {
		return errs.Errorf(errs.ErrSchema, "the file does not hold events of a Hive ACID table")
	}
	row := f.footer.Types[0].Children[eventRow]
	md := f.schema.Metadata()
	f.within = row
	f.schema = arrow.NewSchema(f.schema.Field(int(eventRow)).Type.(*arrow.StructType).Fields(), &md)
	f.top = append(slices.Clone(row.Children), f.footer.Types[0].Children[:eventRow]...)
	return nil
}

// EventIndex returns the value of arrowio.ProjectedField.Index for a column of events after ShowRows, and the column's field.
func (f *File) EventIndex(c EventColumn) (int, arrow.Field) {
	field := arrow.Field{Name: eventColumns[c].name, Type: arrow.PrimitiveTypes.Int64, Nullable: true}
	if eventColumns[c].kind == orcwire.Int {
		field.Type = arrow.PrimitiveTypes.Int32
	}
	return len(f.top) - int(eventRow) + int(c), field
}

// Rename gives columns and their children other names. schema may differ from that of the file in names, metadata, whether fields
// are nullable, and units of timestamps; timestamps are decoded to these units. Call Rename before the file is used.
func (f *File) Rename(schema *arrow.Schema) { f.schema = schema }

// path returns the dotted path of a type by the names that columns are shown under: see ShowRows and Rename.
func (f *File) path(t *orcwire.Type) string {
	for i, c := range f.top {
		if t.ID < c.ID || t.ID > c.Last || i >= f.schema.NumFields() {
			continue
		}
		path := strings.TrimPrefix(t.Path(), c.Path())
		if name := f.schema.Field(i).Name; name != c.Name() {
			return name + path
		}
		if f.within == nil {
			return c.Path() + path
		}
		return strings.TrimPrefix(c.Path(), f.within.Path()+".") + path
	}
	return t.Path()
}

// EventRange bounds the values of a column of events. Known says that the bounds are known and no value is null.
type EventRange struct {
	Min, Max int64
	Known    bool
}

// EventRanges returns the statistics of the event columns of the whole file, by EventColumn.
func (f *File) EventRanges() [5]EventRange {
	if !f.quirks.StripeStatsTrusted() {
		return [5]EventRange{}
	}
	return f.eventRanges(f.footer.Stats, f.footer.Rows)
}

// SplitEventRanges returns the statistics of the event columns of the stripe in which a split lies, by EventColumn.
func (f *File) SplitEventRanges(ctx context.Context, s arrowio.Split) ([5]EventRange, error) {
	c := f.cuts[s.Ordinal]
	if c.stripe < 0 {
		return [5]EventRange{}, nil
	}
	list, err := f.stripeStats(ctx, c.stripe)
	if err != nil {
		if isIO(err) {
			return [5]EventRange{}, err
		}
		return [5]EventRange{}, nil
	}
	return f.eventRanges(list, f.footer.Stripes[c.stripe].Rows), nil
}

func (f *File) eventRanges(list orcwire.StatsList, rows int64) (out [5]EventRange) {
	for i := range out {
		t := f.footer.Types[0].Children[i]
		s, err := list.At(t.ID)
		if err != nil {
			continue
		}
		c := &subject{file: f, typ: t}
		out[i] = eventRange(c.stats(&s, place{rows: rows, merged: true}))
	}
	return out
}

func eventRange(s expr.Stats) EventRange {
	number := func(v scalar.Scalar) (int64, bool) {
		switch v := v.(type) {
		case *scalar.Int32:
			return int64(v.Value), true
		case *scalar.Int64:
			return v.Value, true
		}
		return 0, false
	}
	lo, ok := number(s.Min)
	hi, ok2 := number(s.Max)
	return EventRange{Min: lo, Max: hi, Known: ok && ok2 && s.Nulls == 0}
}

// UserMetadata returns the value of a name in the file's user metadata; nil = the file does not have the name.
func (f *File) UserMetadata(name string) []byte {
	for _, kv := range f.footer.Metadata {
		if kv.Key == name {
			return kv.Value
		}
	}
	return nil
}

// Rows returns how many rows the file has.
func (f *File) Rows() int64 { return f.footer.Rows }
