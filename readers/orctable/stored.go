package orctable

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/view"
)

// Files have their own names for the columns of the table.

// names returns the columns of the schema by the names that a file has for them.
func (t *Table) names(f *dataFile) map[string]string {
	if f.columns == nil {
		return nil
	}
	names := map[string]string{}
	if t.opt.Events && !f.events {
		for _, c := range f.columns.Fields() {
			names[c.Name] = eventRowName
		}
		return names
	}
	var added []arrow.Field
	if len(t.parts) > 0 {
		for _, k := range t.parts[0].keys {
			added = append(added, arrow.Field{Name: k})
		}
	}
	if t.opt.RowIDs && !t.opt.Events {
		added = append(added, arrow.Field{Name: RowIDColumn})
	}
	for i, k := range t.matchColumns(f.columns.Fields(), added) {
		if k >= 0 && k < f.columns.NumFields() {
			names[f.columns.Field(k).Name] = t.schema.Field(i).Name
		}
	}
	return names
}

// rowNames is names for the columns of rows, also where events are shown, which have the rows in a struct.
func (t *Table) rowNames(f *dataFile) map[string]string {
	if !t.opt.Events {
		return t.names(f)
	}
	row, ok := t.schema.FieldsByName(eventRowName)
	if !ok || f.columns == nil {
		return nil
	}
	st, ok := row[0].Type.(*arrow.StructType)
	if !ok {
		return nil
	}
	names := map[string]string{}
	own := t.rowFields(f)
	for i, k := range view.MatchFields(own, st.Fields(), t.by) {
		if k >= 0 {
			names[own[k].Name] = st.Field(i).Name
		}
	}
	return names
}

// rowPrefix is in front of the columns of rows in the paths of a schema, or of a file, that holds events.
func rowPrefix(events bool) string {
	if events {
		return eventRowName + "."
	}
	return ""
}

// below returns what a path has behind a column, and whether it begins with that.
func below(path, column string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, column)
	return rest, ok && (rest == "" || rest[0] == '.')
}

// chosenFiles calls do for the chosen files.
func (t *Table) chosenFiles(do func(f *dataFile)) {
	for _, p := range t.parts {
		for _, d := range p.chosen() {
			for _, f := range p.in(d) {
				do(f)
			}
		}
	}
}

// BeyondNanoseconds is orc.File.BeyondNanoseconds for all chosen files, with the paths of columns in the table. StoredNames
// returns their paths in the files.
func (t *Table) BeyondNanoseconds() (beyond, unknown []string) {
	t.chosenFiles(func(f *dataFile) {
		if len(f.beyond)+len(f.unknown) == 0 {
			return
		}
		names := t.rowNames(f)
		shown := func(to, paths []string) []string {
			for _, path := range paths {
				path = strings.TrimPrefix(path, rowPrefix(f.events))
				for own, name := range names {
					if rest, ok := below(path, own); ok {
						if p := rowPrefix(t.opt.Events) + name + rest; !slices.Contains(to, p) {
							to = append(to, p)
						}
					}
				}
			}
			return to
		}
		beyond, unknown = shown(beyond, f.beyond), shown(unknown, f.unknown)
	})
	return beyond, unknown
}

// askedMicroseconds returns the paths in the files of the timestamps that a schema has in microseconds.
func (t *Table) askedMicroseconds(o arrowio.OpenOptions) (stored []string) {
	for _, path := range o.Microseconds() {
		stored = append(stored, t.StoredNames(path)...)
	}
	return stored
}

// StoredNames returns the paths that a column has in the files, for orc.Options. They differ from the path in the table if a file
// has another name for the column.
func (t *Table) StoredNames(path string) (stored []string) {
	path = strings.TrimPrefix(path, rowPrefix(t.opt.Events))
	t.chosenFiles(func(f *dataFile) {
		for own, name := range t.rowNames(f) {
			for _, known := range []string{own, name} {
				rest, ok := below(path, known)
				if p := rowPrefix(f.events) + own + rest; ok && !slices.Contains(stored, p) {
					stored = append(stored, p)
				}
			}
		}
	})
	slices.Sort(stored)
	return stored
}
