package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// Timestamps before 1677-09-21 and after 2262-04-11 do not fit nanoseconds: reading them in nanoseconds is an error. If
// --timestamp-unit is not set, their columns are read in microseconds, with a warning. If the statistics of a file show such
// times, this is decided before the first row. Otherwise the command starts again when it meets one, as long as it has printed
// no row.

// In a conversion digits finer than microseconds are then an error, so nothing is lost. Where rows are printed, these digits
// are cut off.

// Formats with such timestamps have two options, whose names begin with that of the format: one lists the columns that are read
// in microseconds, the other says what happens to finer digits.
const (
	optionMicroseconds = "-microseconds"
	optionFiner        = "-finer-digits"
)

// mayCoarsen reports whether columns may be read in microseconds: no unit and no schema is set, and the files can be opened
// twice.
func (r *readFlags) mayCoarsen(in []string) bool {
	unit, ok := r.options.values["timestamp-unit"]
	return ok && !unit.set && !r.shown.given() && !slices.Contains(in, "-")
}

// farTimes are the timestamp columns of a file that do not fit nanoseconds, or may not.
type farTimes struct {
	number  int // of the file, in the order of reading
	file    string
	format  string
	columns []string
	unknown []string // those of which only the rows tell
	// stored returns the names by which the files of a Hive ACID table have a column; nil = the file is none.
	stored  func(path string) []string
	coarser []string // those stored in a coarser unit, which --timestamp-unit=ns shows in nanoseconds
}

// farIn returns what the statistics of f say about its timestamps.
func farIn(f *openFile, number int) farTimes {
	far := farTimes{number: number, file: f.name, format: f.Format()}
	if b, ok := arrowio.As[interface {
		BeyondNanoseconds() (beyond, unknown []string)
	}](f); ok {
		far.columns, far.unknown = b.BeyondNanoseconds()
	}
	if s, ok := arrowio.As[interface{ StoredNames(path string) []string }](f); ok {
		far.stored = s.StoredNames
	}
	own := arrowio.File(f)
	for {
		w, ok := own.(interface{ Unwrap() arrowio.File })
		if !ok {
			break
		}
		own = w.Unwrap()
	}
	far.coarser = coarserTimes(nil, nil, own.Schema().Fields(), f.Schema().Fields())
	return far
}

// coarserTimes adds to names the paths of those timestamps in fields that are stored in a coarser unit and shown in
// nanoseconds. path is the path of the fields.
func coarserTimes(names, path []string, stored, shown []arrow.Field) []string {
	for i := range min(len(stored), len(shown)) {
		at := append(path[:len(path):len(path)], shown[i].Name)
		switch t := shown[i].Type.(type) {
		case *arrow.TimestampType:
			if own, ok := stored[i].Type.(*arrow.TimestampType); ok && t.Unit == arrow.Nanosecond && own.Unit != t.Unit {
				names = append(names, strings.Join(at, "."))
			}
		case *arrow.MapType:
			if own, ok := stored[i].Type.(*arrow.MapType); ok {
				names = coarserTimes(names, at, []arrow.Field{own.KeyField(), own.ItemField()}, []arrow.Field{t.KeyField(), t.ItemField()})
			}
		case arrow.NestedType:
			if own, ok := stored[i].Type.(arrow.NestedType); ok {
				names = coarserTimes(names, at, own.Fields(), t.Fields())
			}
		}
	}
	return names
}

// coarsen sets the options so that the columns of far that are among columns (nil = all) are read in microseconds from now on.
// It returns a warning for each file whose columns it has added; nil = none.
func (r *readFlags) coarsen(far []farTimes, columns []string) (told []arrowio.Warning) {
	slices.SortFunc(far, func(a, b farTimes) int { return a.number - b.number })
	for _, f := range far {
		v := r.options.values[f.format+optionMicroseconds]
		if v == nil {
			continue
		}
		given := strings.Split(v.text, "\n")
		var shown, found []string
		for _, c := range f.columns {
			if slices.Contains(r.nanos, c) {
				continue
			}
			names := []string{c}
			if f.stored != nil {
				names = f.stored(c)
			}
			names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(given, name) || slices.Contains(found, name) })
			if len(names) == 0 {
				continue
			}
			if _, ok := (arrowio.Warning{Columns: []string{c}}).For(columns); ok {
				shown, found = append(shown, c), append(found, names...)
				r.coarse = append(r.coarse, coarseColumn{c, names, v})
			}
		}
		for _, c := range found {
			v.chosen = v.chosen || !v.set
			if err := v.Set(c); err != nil {
				return nil // a name of several lines: its times stay an error
			}
		}
		if len(found) > 0 {
			told = append(told, r.warnCoarse(f, shown))
		}
	}
	return told
}

// warnCoarse returns the warning that columns of a file are read in microseconds.
func (r *readFlags) warnCoarse(f farTimes, columns []string) arrowio.Warning {
	finer := "digits finer than microseconds are cut off"
	o := r.options.values[f.format+optionFiner]
	if r.lossless && o != nil && !o.set && o.Set("error") == nil {
		o.chosen = true
	}
	if o != nil && o.text == "error" {
		finer = "digits finer than microseconds are an error"
	}
	w := arrowio.Warnf(arrowio.WarnCoarse, "read in microseconds (--timestamp-unit sets one unit for all columns): there are times before 1677 or after 2262, which nanoseconds cannot hold; "+finer)
	w.File, w.Columns = f.file, columns
	return w
}

// coarsened prints the warnings of coarsen, and reports whether there are any.
func (a *app) coarsened(told []arrowio.Warning) bool {
	for _, w := range told {
		a.tell(w)
	}
	return len(told) > 0
}

// tellLater prints the warnings of coarsenAfter.
func (a *app) tellLater() {
	a.coarsened(a.later)
	a.later = nil
}

// coarsenFile is coarsen for one open file. restore undoes it for the next file.
func (a *app) coarsenFile(r *readFlags, path string, f *openFile) (again bool, restore func()) {
	v := r.options.values[f.Format()+optionMicroseconds]
	if v == nil || !r.mayCoarsen([]string{path}) {
		return false, func() {}
	}
	old, had := *v, len(r.coarse)
	return a.coarsened(r.coarsen([]farTimes{farIn(f, 0)}, nil)), func() { *v, r.coarse = old, r.coarse[:had] }
}

// tooFar returns the error of a timestamp that nanoseconds cannot hold; nil if err is another.
func tooFar(err error) *errs.Error {
	var ae *errs.Error
	if !errors.As(err, &ae) || ae.Column == "" || !errors.Is(err, errs.ErrBeyondNanoseconds) {
		return nil
	}
	return ae
}

// coarsenAfter is coarsen for the column that a read error is about. It keeps the warnings until tellLater is called, so that
// each file has one for all its columns.
func (a *app) coarsenAfter(err error, r *readFlags, ds *inputSet, in []string) bool {
	ae := tooFar(err)
	if ae == nil || !r.mayCoarsen(in) {
		return false
	}
	far := farTimes{file: ds.files[0], columns: []string{ae.Column}}
	at, _ := errs.Where(err)
	if at.File != "" {
		far.file = at.File
	}
	ds.mu.Lock()
	far.stored = ds.stored[far.file]
	formats := ds.formats.names()
	ds.mu.Unlock()
	if r.options.values[at.Format+optionMicroseconds] != nil {
		formats = []string{at.Format}
	} // otherwise the file has a coarser unit, and others have made it finer
	var told []arrowio.Warning
	for _, far.format = range formats {
		if told = r.coarsen([]farTimes{far}, nil); len(told) > 0 {
			break
		}
	}
	for _, w := range told {
		i := slices.IndexFunc(a.later, func(o arrowio.Warning) bool { return o.File == w.File && o.Text == w.Text })
		if i < 0 {
			a.later = append(a.later, w)
		} else {
			a.later[i].Columns = append(a.later[i].Columns, w.Columns...)
		}
	}
	return len(told) > 0
}

// untilRead calls once until it does not return again, which means that columns must be read in another unit.
func (a *app) untilRead(once func() (again bool, err error)) error {
	for {
		again, err := once()
		if !again {
			a.tellLater()
			return err
		}
	}
}

// explain adds to an error about a timestamp that does not fit nanoseconds why its column was not read in microseconds.
func (d *inputSet) explain(err error) error {
	ae := tooFar(err)
	switch {
	case ae == nil:
	case d.inNanos != "":
		return fmt.Errorf("%w (%s)", err, d.inNanos)
	case slices.Contains(d.nanos, ae.Column):
		return fmt.Errorf("%w (other files have the column in nanoseconds, so that no other unit is chosen by itself)", err)
	}
	return err
}

// cutFiner adds a hint to the error that OUTPUT cannot store a timestamp because it is not a whole number of microseconds: the
// flag that cuts off finer digits.
func (d *inputSet) cutFiner(r *readFlags, err error) error {
	if !errors.Is(err, errs.ErrFinerThanMicros) || !d.has(r, "timestamp-unit") || r.options.values["timestamp-unit"].set {
		return err
	}
	return fmt.Errorf("%w; --timestamp-unit=us reads timestamps without what is finer", err)
}

// planFiner adds to a plan that finer digits are refused in columns that are read in microseconds, if the options make them an
// error.
func (r *readFlags) planFiner(p *arrowio.WritePlan) {
	for option, v := range r.options.values {
		format, micros := strings.CutSuffix(option, optionMicroseconds)
		finer := r.options.values[format+optionFiner]
		if !micros || v.text == "" || finer == nil || finer.text != "error" {
			continue
		}
		for _, name := range strings.Split(v.text, "\n") {
			if i := planned(p, name); i >= 0 && p.Columns[i].Refused == "" {
				p.Columns[i].Refused = "values that are no whole number of microseconds"
			}
		}
	}
}

// planned returns the index of a column in a plan, or of the top-level column that contains it; -1 = none.
func planned(p *arrowio.WritePlan, name string) int {
	i := slices.IndexFunc(p.Columns, func(c arrowio.PlannedColumn) bool { return c.Path == name || c.Path == expr.Quote(name) })
	if i < 0 { // of a list or a union, whose entries the plan does not name as the file does
		top, _, _ := strings.Cut(name, ".")
		i = slices.IndexFunc(p.Columns, func(c arrowio.PlannedColumn) bool { return c.Path == top })
	}
	return i
}

// whyNotCoarse returns the reason why columns of these inputs are never read in microseconds automatically; "" = they are, or a
// unit was set.
func (r *readFlags) whyNotCoarse(in []string) string {
	unit, ok := r.options.values["timestamp-unit"]
	switch {
	case !ok || unit.set:
	case r.shown.given():
		return "with --schema no other unit is chosen by itself"
	case slices.Contains(in, "-"):
		return "for standard input, which is read once, no other unit is chosen by itself"
	}
	return ""
}
