package orctable

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// RowIDColumn is the column of row ids.
const RowIDColumn = "row__id"

// rowIDType is that of row ids.
var rowIDType = arrow.StructOf(
	arrow.Field{Name: "writeid", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	arrow.Field{Name: "bucketid", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	arrow.Field{Name: "rowid", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
)

// eventFields are the columns of events that stand before the row.
var eventFields = []arrow.Field{
	{Name: "operation", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	{Name: "originalTransaction", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "bucket", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	{Name: "rowId", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "currentTransaction", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
}

// eventRowName is the column of events that holds the row.
const eventRowName = "row"

// makeSchema makes the table's schema of the newest file's rows: Hive finds the columns of the other files by their names, without
// regard to case, or by position.
func (t *Table) makeSchema(ctx context.Context) error {
	newest, err := t.newest(ctx)
	if err != nil {
		return err
	}
	var rows []arrow.Field
	md := arrow.NewMetadata(nil, nil)
	if newest != nil {
		rows = t.rowFields(newest)
		if md, err = t.userMetadata(ctx, newest); err != nil {
			return err
		}
	}
	t.by = view.ByNameOrFold
	if t.opt.ByPosition {
		t.by = view.ByPosition
	}
	others := &strange{newest: newest, by: t.by}
	for _, p := range t.parts {
		for _, d := range p.chosen() {
			for _, f := range p.in(d) {
				if err := others.look(t, f, rows); err != nil {
					return err
				}
			}
		}
	}
	t.unshown = others.warnings()
	fields := slices.Clone(rows)
	if t.opt.Events {
		fields = append(slices.Clone(eventFields), arrow.Field{Name: eventRowName, Type: arrow.StructOf(rows...), Nullable: true})
	}
	if t.opt.RowIDs && !t.opt.Events {
		fields = append(fields, arrow.Field{Name: RowIDColumn, Type: rowIDType, Nullable: true})
	}
	if len(t.parts) > 0 {
		for _, k := range t.parts[0].keys {
			fields = append(fields, arrow.Field{Name: k, Type: arrow.BinaryTypes.String, Nullable: true})
		}
	}
	seen := map[string]bool{}
	for _, f := range fields[min(len(rows), len(fields)):] {
		seen[strings.ToLower(f.Name)] = true
	}
	for _, f := range rows {
		if seen[strings.ToLower(f.Name)] && !t.opt.Events {
			e := errs.Errorf(errs.ErrSchema, "the rows have a column of that name, and it is one of the partitions' or of the row ids")
			e.Column = f.Name
			return e
		}
	}
	t.schema = arrow.NewSchema(fields, &md)
	return nil
}

// rowFields returns the columns of the rows of a file.
func (t *Table) rowFields(f *dataFile) []arrow.Field {
	if t.opt.Events && f.events {
		return f.columns.Field(len(eventFields)).Type.(*arrow.StructType).Fields()
	}
	return f.columns.Fields()
}

// age orders files by when their directory was written, as far as write ids tell.
type age struct {
	write, stmt int64
	rows        bool // not events alone
	named       bool
}

func (a age) compare(b age) int {
	return cmp.Or(cmp.Compare(btoi(a.named), btoi(b.named)), cmp.Compare(btoi(a.rows), btoi(b.rows)), cmp.Compare(a.write, b.write), cmp.Compare(a.stmt, b.stmt))
}

func (t *Table) ageOf(f *dataFile) age {
	a := age{rows: true, named: !unnamed(t.rowFields(f))}
	if f.dir != nil {
		a.write, a.stmt, a.rows = f.dir.max, f.dir.stmt, f.dir.kind != deleteDelta
	}
	return a
}

// newest returns the file whose rows tell the columns of the table: of the chosen ones, or, where they are empty, of those
// that are hidden. nil = there is none.
func (t *Table) newest(ctx context.Context) (*dataFile, error) {
	var best *dataFile
	var bestAge age
	consider := func(f *dataFile) {
		if f.columns == nil || f.columns.NumFields() == 0 {
			return
		}
		if a := t.ageOf(f); best == nil || a.compare(bestAge) > 0 {
			best, bestAge = f, a
		}
	}
	for _, p := range t.parts {
		for _, d := range p.chosen() {
			for _, f := range p.in(d) {
				consider(f)
			}
		}
	}
	if best != nil {
		return best, nil
	}
	for _, p := range t.parts {
		for i, d := range slices.Backward(p.dirs) {
			if _, ok := p.choice.hidden[i]; !ok {
				continue
			}
			for _, f := range d.files {
				if err := t.describe(ctx, f); err != nil {
					if ctx.Err() != nil {
						return nil, err
					}
					continue // it is not read
				}
				if f.columns != nil {
					consider(f)
					break
				}
			}
		}
	}
	return best, nil
}

// userMetadata returns what the file says of itself, but for what is about its events.
func (t *Table) userMetadata(ctx context.Context, f *dataFile) (arrow.Metadata, error) {
	h, err := t.pool.acquire(ctx, f)
	if err != nil {
		return arrow.Metadata{}, err
	}
	md := h.Schema().Metadata()
	var keys, values []string
	for i, k := range md.Keys() {
		if !strings.HasPrefix(k, orcwire.MetaPrefix+"hive.acid.") {
			keys, values = append(keys, k), append(values, md.Values()[i])
		}
	}
	return arrow.NewMetadata(keys, values), h.release()
}

// unnamed tells that columns have no names of their own, but _col0, _col1 and so on, as old Hive wrote them.
func unnamed(fields []arrow.Field) bool {
	for i, f := range fields {
		if f.Name != "_col"+strconv.Itoa(i) {
			return false
		}
	}
	return len(fields) > 0
}
