package main

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// Where statistics say nothing of timestamps, only the rows tell whether nanoseconds hold them. A command that sends rows away as
// it reads them cannot start again, so it reads these columns once before: with the same filter, rows and limit.

// undecided lists the columns, of those that are read, of which only the rows tell whether they have times that nanoseconds
// cannot hold.
func (d *inputSet) undecided(s *selectFlags) (columns []string) {
	names := d.unknownTimes()
	if names == nil {
		return nil
	}
	read := s.paths()
	if read == nil {
		for _, f := range d.Schema.Fields() {
			read = append(read, expr.Quote(f.Name))
		}
	}
	for _, c := range read {
		path, err := expr.Resolve(d.Schema, c)
		if err != nil {
			continue
		}
		top := d.Schema.Field(path[0])
		if !slices.Contains(columns, c) && hasNanoseconds(fieldAt(top, path[1:]).Type) && slices.ContainsFunc(names, func(n string) bool {
			return n == top.Name || strings.HasPrefix(n, top.Name+".")
		}) {
			columns = append(columns, c)
		}
	}
	return columns
}

// unknownTimes lists what is in undecided columns, each once: the timestamps of which only the rows tell.
func (d *inputSet) unknownTimes() (names []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.far {
		for _, c := range f.unknown {
			if !slices.Contains(names, c) {
				names = append(names, c)
			}
		}
	}
	return names
}

// fieldAt follows a path of structs.
func fieldAt(f arrow.Field, path []int) arrow.Field {
	for _, i := range path {
		s, ok := f.Type.(*arrow.StructType)
		if !ok {
			return f
		}
		f = s.Field(i)
	}
	return f
}

// hasNanoseconds reports whether a type has timestamps in nanoseconds in it.
func hasNanoseconds(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.TimestampType:
		return t.Unit == arrow.Nanosecond
	case arrow.NestedType:
		return slices.ContainsFunc(t.Fields(), func(f arrow.Field) bool { return hasNanoseconds(f.Type) })
	}
	return false
}

// lookFirst has read go over the undecided columns, if there are any. It reports whether the inputs are to be opened again, since
// columns are to be read in another unit.
func (a *app) lookFirst(r *readFlags, s *selectFlags, ds *inputSet, in []string, read func() error) (again bool, err error) {
	columns := ds.undecided(s)
	if len(columns) == 0 || !r.mayCoarsen(in) {
		return false, nil
	}
	all := s.columns
	s.columns = columns
	err = read()
	s.columns = all
	if err != nil {
		return a.coarsenAfter(err, r, ds, in), ds.explain(err)
	}
	a.tellLater()
	return false, nil
}

// tellUndecided warns of the undecided columns, for a command that reads no rows.
func (a *app) tellUndecided(r *readFlags, s *selectFlags, ds *inputSet, in []string) {
	columns := ds.undecided(s)
	if len(columns) == 0 || !r.mayCoarsen(in) {
		return
	}
	w := arrowio.Warnf(arrowio.WarnCoarse, "read in microseconds if there are times before 1677 or after 2262, which nanoseconds cannot hold: only the rows tell")
	w.File, w.Columns = ds.files[0], ds.unknownTimes()
	if w, ok := w.For(columns); ok {
		a.tell(w)
	}
}

// unprinted takes rows that nobody sees.
type unprinted struct{}

func (unprinted) Write(arrow.Record) error { return nil }
func (unprinted) Close() error             { return nil }
func (unprinted) Abort() error             { return nil }
