package main

import (
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// Without statistics, only the rows of a column show whether its timestamps fit nanoseconds. A command that sends rows away
// while it reads them cannot start again. So it first reads only these columns, with the same filter, rows and limit.

// undecided lists the selected columns whose timestamps may not fit nanoseconds, which only their rows show.
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

// unknownTimes lists the timestamps in undecided columns, each once.
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

// fieldAt returns the field at a path through structs.
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

// hasNanoseconds reports whether a type has timestamps in nanoseconds, at any depth.
func hasNanoseconds(t arrow.DataType) bool {
	switch t := t.(type) {
	case *arrow.TimestampType:
		return t.Unit == arrow.Nanosecond
	case arrow.NestedType:
		return slices.ContainsFunc(t.Fields(), func(f arrow.Field) bool { return hasNanoseconds(f.Type) })
	}
	return false
}

// lookFirst calls read on the undecided columns, if there are any. again = columns must be read in another unit, so open the
// inputs again.
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

// tellUndecided warns about undecided columns, for commands that read no rows.
func (a *app) tellUndecided(r *readFlags, s *selectFlags, ds *inputSet, in []string) {
	columns := ds.undecided(s)
	if len(columns) == 0 || !r.mayCoarsen(in) {
		return
	}
	w := arrowio.Warnf(arrowio.WarnCoarse, "read in microseconds if there are times before 1677 or after 2262, which nanoseconds cannot hold: only the rows tell")
	w.File, w.Columns = ds.files[0], ds.unknownTimes()
	if w, ok := w.For(columns); ok {
		for _, w := range r.settled([]arrowio.Warning{w}) {
			a.tell(w)
		}
	}
}

// unprinted is a rowPrinter that discards rows.
type unprinted struct{}

func (unprinted) Write(arrow.Record) error { return nil }
func (unprinted) Close() error             { return nil }
func (unprinted) Abort() error             { return nil }
