package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// Timestamps that nanoseconds cannot hold, those before 1677-09-21 and after 2262-04-11, are an error of reading them in
// nanoseconds. Where nobody has asked for a unit, their columns are read in microseconds instead, and a warning says so:
// before the first row where the statistics of a file tell of such times, and otherwise from the start again, as long as
// nobody has seen a row.

// A conversion loses nothing that way: digits finer than microseconds are an error there. Rows that are printed have them cut off.

// optionMicroseconds is the option of columns that are read in microseconds, and optionFiner that of finer digits.
const (
	optionMicroseconds = "orc-microseconds"
	optionFiner        = "orc-finer-digits"
)

// mayCoarsen reports whether nobody has asked for a unit and the files can be opened twice.
func (r *readFlags) mayCoarsen(in []string) bool {
	unit, ok := r.options.values["timestamp-unit"]
	return ok && !unit.set && !r.shown.given() && !slices.Contains(in, "-")
}

// coarsen has those of beyond that are among columns, nil being all, read in microseconds from here on. It reports whether
// there were any, and warns of them: file is what the warning is about.
func (a *app) coarsen(r *readFlags, file string, beyond, columns []string) bool {
	v := r.options.values[optionMicroseconds]
	if v == nil {
		return false
	}
	given := strings.Split(v.text, "\n")
	var found []string
	if w, ok := (arrowio.Warning{Columns: beyond}).For(columns); ok {
		for _, c := range w.Columns {
			if !slices.Contains(given, c) && !slices.Contains(found, c) && v.Set(c) == nil {
				found = append(found, c)
			}
		}
	}
	if len(found) == 0 {
		return false
	}
	finer := "finer digits are cut off"
	if o := r.options.values[optionFiner]; r.lossless && o != nil && !o.set && o.Set("error") == nil || o != nil && o.text == "error" {
		finer = "finer digits are an error"
	}
	w := arrowio.Warnf(arrowio.WarnCoarse, "these columns are read in microseconds, because nanoseconds cannot hold times before 1677 or after 2262; "+finer+"; --timestamp-unit sets one unit for all columns")
	w.File, w.Columns = file, found
	a.tell(w)
	return true
}

// coarsenAfter is coarsen for the column that err, which reading has met, is about.
func (a *app) coarsenAfter(err error, r *readFlags, ds *dataset, in []string) bool {
	var ae *errs.Error
	if !errors.As(err, &ae) || ae.Kind != errs.ErrSchema || ae.Column == "" || !strings.Contains(err.Error(), "does not fit timestamp[ns]") {
		return false
	}
	return r.mayCoarsen(in) && a.coarsen(r, ds.files[0], []string{ae.Column}, nil)
}
