package orctable

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
)

// strange finds the files whose columns are not those of the table. Hive shows nulls for the columns that such a file lacks, and
// nothing of those that only it has: that is right where columns were added, dropped or renamed, and wrong for another table's file.
// A file without any column of the table is taken for one from before every column was renamed if it has the types of the table, and
// for another table's if not.
type strange struct {
	newest *dataFile // whose columns are the table's
	by     view.Match

	columns []string // that the table does not have
	first   *dataFile
	files   int
	told    []arrowio.Warning
}

// look compares the columns of a file with rows, those of the table.
func (s *strange) look(t *Table, f *dataFile, rows []arrow.Field) error {
	if f.columns == nil || f.rows == 0 || f.dir != nil && f.dir.kind == deleteDelta {
		return nil
	}
	own := t.rowFields(f)
	unused := names(own)
	shared, lacking := 0, len(s.columns)
	for _, k := range view.MatchFields(own, rows, s.by) {
		if k >= 0 {
			shared++
			unused[k] = ""
		}
	}
	s.columns = append(s.columns, slices.DeleteFunc(unused, func(name string) bool { return name == "" })...)
	switch {
	case shared == 0 && len(rows) > 0 && t.opt.Events:
		s.warn(f, s.noneOf(own, rows)+notOfTable)
	case shared == 0 && startsWith(rows, own):
		s.columns = s.columns[:lacking]
		s.warn(f, s.noneOf(own, rows)+", but the same types: its columns are taken for renamed ones and are null in all its rows, as in Hive; "+byPosition.Error()+" finds them", byPosition)
	case shared == 0 && len(rows) > 0:
		return at(f.path, errs.Errorf(errs.ErrCorrupt, "%s", s.noneOf(own, rows)+notOfTable))
	case len(s.columns) > lacking:
		if s.files++; s.first == nil {
			s.first = f
		}
	}
	return nil
}

var byPosition = errs.Opt("orc-by", "position")

func (s *strange) warn(f *dataFile, text string, named ...errs.Option) {
	s.told = append(s.told, arrowio.Warning{Kind: arrowio.WarnDoubt, Place: f.path, Rows: arrowio.UnknownRows, Text: f.path + ": " + text, Options: named})
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

// warnings tells of all files.
func (s *strange) warnings() []arrowio.Warning {
	if s.first == nil {
		return s.told
	}
	slices.Sort(s.columns)
	where := andMore(s.first.path, s.files)
	return append(s.told, arrowio.Warning{
		Kind: arrowio.WarnDoubt, Place: where, Rows: arrowio.UnknownRows,
		Text: fmt.Sprintf("%s: columns that the newest file does not have are not shown: %s", where, few(slices.Compact(s.columns))),
	})
}

// andMore names the first of n files.
func andMore(first string, n int) string {
	switch n {
	case 1:
		return first
	case 2:
		return first + " and 1 more file"
	}
	return fmt.Sprintf("%s and %d more files", first, n-1)
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
