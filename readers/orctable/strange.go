package orctable

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// strange finds the files whose columns are not those of the table. Hive shows nulls for the columns that such a file lacks, and
// nothing of those that only it has: that is right where columns were added, dropped or renamed, and wrong for another table's file.
// A file without any column of the table is taken for one from before every column was renamed if it has the types of the table, and
// for another table's if not.
type strange struct {
	newest *dataFile // whose columns are the table's

	columns []string // that the table does not have
	first   *dataFile
	files   int
}

// look compares the columns of a file with rows, those of the table.
func (s *strange) look(t *Table, f *dataFile, rows []arrow.Field) error {
	if f.shown == nil || f.rows == 0 || f.dir != nil && f.dir.kind == deleteDelta {
		return nil
	}
	own := f.shown.Fields()
	if t.opt.Events && f.events {
		own = own[len(eventFields)].Type.(*arrow.StructType).Fields()
	}
	shared, lacking := 0, len(s.columns)
	for _, c := range own {
		if slices.ContainsFunc(rows, func(r arrow.Field) bool { return r.Name == c.Name }) {
			shared++
		} else {
			s.columns = append(s.columns, c.Name)
		}
	}
	switch {
	case shared == 0 && len(rows) > 0 && t.opt.Events:
		t.warn(arrowio.WarnDoubt, f.path, f.path+": "+s.noneOf(own, rows)+notOfTable)
	case shared == 0 && startsWith(rows, own):
		s.columns = s.columns[:lacking]
		t.warn(arrowio.WarnDoubt, f.path, fmt.Sprintf("%s: %s, but the same types: its columns are taken for renamed ones and are null in all its rows, as in Hive", f.path, s.noneOf(own, rows)))
	case shared == 0 && len(rows) > 0:
		return at(f.path, errs.Errorf(errs.ErrCorrupt, "%s", s.noneOf(own, rows)+notOfTable))
	case len(s.columns) > lacking:
		if s.files++; s.first == nil {
			s.first = f
		}
	}
	return nil
}

// noneOf says that a file with the columns own has none of the table's.
func (s *strange) noneOf(own, table []arrow.Field) string {
	return fmt.Sprintf("the file has the columns %s, and none of those of the newest file, %s: %s", few(names(own)), s.newest.path, few(names(table)))
}

const notOfTable = "; one of the two is not of this table"

// startsWith reports whether the first columns of the table have the types of those of a file.
func startsWith(table, file []arrow.Field) bool {
	if len(file) == 0 || len(file) > len(table) {
		return false
	}
	for i, f := range file {
		if !arrow.TypeEqual(f.Type, table[i].Type) {
			return false
		}
	}
	return true
}

// warn tells which columns are not shown.
func (s *strange) warn(t *Table) {
	if s.first == nil {
		return
	}
	slices.Sort(s.columns)
	where := s.first.path
	if s.files > 1 {
		where = fmt.Sprintf("%s and %d more files", where, s.files-1)
	}
	t.warnings = append(t.warnings, arrowio.Warning{
		Kind: arrowio.WarnDoubt, Place: where, Rows: arrowio.UnknownRows,
		Text: fmt.Sprintf("%s: columns that the newest file does not have are not shown: %s", where, few(slices.Compact(s.columns))),
	})
}

func names(fields []arrow.Field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, f.Name)
	}
	return out
}

// few lists up to five names.
func few(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
