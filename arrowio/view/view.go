package view

import (
	"context"
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Match says how the columns of several files, or of a file and a schema, are matched.
type Match uint8

const (
	// ByName matches columns whose names are equal, including case. A file whose columns are named _col0, _col1 and so on, as old
	// versions of Hive wrote them, counts as a file without names, and is matched by position with files that have names.
	ByName Match = iota
	// ByPosition matches columns by their numbers, whatever their names. Children of structs are matched by name.
	ByPosition
	// ByNameFold matches by name at every depth, without regard to case. If several columns of a file match, the last counts.
	// Only Show takes it; Unify and Join compare names with case.
	ByNameFold
	// ByNameOrFold matches by name at every depth: first with case, then, for names that are not found, without. Only Show takes
	// it. Files of Hive tables are matched in this way.
	ByNameOrFold
)

// NameAnyCase is the option value for ByNameFold: see MatchOf.
const NameAnyCase = "name-any-case"

// MatchOf parses the value of a format's option --FORMAT-by; "" is the default.
func MatchOf(value string) (Match, error) {
	switch value {
	case "", "name":
		return ByName, nil
	case "position":
		return ByPosition, nil
	case NameAnyCase:
		return ByNameFold, nil
	}
	return 0, errs.Errorf(errs.ErrOption, "columns are matched by name, name-any-case or position, not %q", value)
}

// unnamed tells that a file has no column names of its own, but _col0, _col1 and so on.
func unnamed(fields []arrow.Field) bool {
	for i, f := range fields {
		if f.Name != numberedName(i) {
			return false
		}
	}
	return len(fields) > 0
}

func numberedName(i int) string { return "_col" + strconv.Itoa(i) }

// Place returns the number that each column of file has in the schema `in`; -1 = none.
func Place(in, file *arrow.Schema, by Match) ([]int, error) {
	at := make([]int, file.NumFields())
	if by == ByPosition || unnamed(file.Fields()) != unnamed(in.Fields()) {
		for i := range at {
			at[i] = i
			if i >= in.NumFields() {
				at[i] = -1
			}
		}
		return at, nil
	}
	index, err := byName(in)
	if err != nil {
		return nil, err
	}
	if _, err := byName(file); err != nil {
		return nil, err
	}
	for i := range at {
		k, ok := index[file.Field(i).Name]
		if !ok {
			k = -1
		}
		at[i] = k
	}
	return at, nil
}

// byName returns the positions of the columns.
func byName(s *arrow.Schema) (map[string]int, error) {
	index := make(map[string]int, s.NumFields())
	for i := range s.NumFields() {
		name := s.Field(i).Name
		if k, ok := index[name]; ok {
			e := errs.Errorf(errs.ErrSchema, "columns #%d and #%d have one name, so that they cannot be matched by name with those of other files; read the files separately, or match by position: %w for CSV, %w for ORC", k+1, i+1, errs.Opt("csv-names", "position"), errs.Opt("orc-by", "position"))
			e.Column = name
			return nil, e
		}
		index[name] = i
	}
	return index, nil
}

// Options says how a file is shown under another schema. The zero value is the default.
type Options struct {
	Match Match
	Cast  Cast // converts types that cannot be widened; nil = such types are errors
	// Columns has, for each column of the schema, the number of the file's column, -1 = none; nil = Match decides.
	Columns []int
	// Constants has one row, with the values of columns that the file does not have, found by name. All rows of the file have
	// these values. The caller owns it, and must keep it until the file is closed.
	Constants arrow.Record
	Facts     []arrowio.Fact    // added to those of File.Info
	Warnings  []arrowio.Warning // added to those of the file
}

// Show returns f as a file of schema `to`. Its columns are matched with f's as o.Match says; children of structs are matched by
// name. Columns that f does not have are null, or have their default (MetaDefault). Columns that `to` does not have are not
// shown. Types are widened if the wider type holds every value of f's type (see Unify). Everything else is errs.ErrSchema with
// the column: a narrower or another type, and a column that may be null in f but not in `to`.
//
// Closing the result closes f. arrowio.As finds the optional interfaces of f in it. If f already has the schema, Show returns f.
func Show(f arrowio.File, to *arrow.Schema, o Options) (arrowio.File, error) {
	if c, ok := composedIn(f); ok && o.Columns == nil && o.Constants == nil {
		return showFiles(f, c, to, o)
	}
	if o.Cast == nil && o.Columns == nil && schemadiff.Schemas(to, f.Schema()) == "" {
		return f, nil
	}
	r, columns, err := matched(f.Schema(), to, o)
	if err != nil {
		return nil, err
	}
	return adapt(f, to, columns, r, o)
}

// rules are how fields inside of columns are matched and become others.
func (o Options) rules() rules {
	return rules{cast: o.Cast, fold: o.Match == ByNameFold || o.Match == ByNameOrFold, exactFirst: o.Match == ByNameOrFold}
}

// matched returns the column of a file for each column of `to`; -1 = none.
func matched(file, to *arrow.Schema, o Options) (rules, []int, error) {
	r := o.rules()
	if o.Columns != nil {
		return r, o.Columns, nil
	}
	if r.fold {
		return r, MatchFields(file.Fields(), to.Fields(), o.Match), nil
	}
	at, err := Place(to, file, o.Match)
	if err != nil {
		return r, nil, err
	}
	columns := make([]int, to.NumFields())
	for i := range columns {
		columns[i] = -1
	}
	for i, k := range at {
		if k >= 0 {
			columns[k] = i
		}
	}
	return r, columns, nil
}

// MatchFields returns, for each column of a schema or child of a struct, the number of the file's column that is shown as it; -1
// = none. Of several columns of one name it is the last.
func MatchFields(file, to []arrow.Field, by Match) []int {
	r := Options{Match: by}.rules()
	byPosition := by == ByPosition || unnamed(to) != unnamed(file)
	columns := make([]int, len(to))
	for i := range columns {
		switch {
		case !byPosition:
			columns[i] = r.find(file, to[i].Name)
		case i < len(file):
			columns[i] = i
		default:
			columns[i] = -1
		}
	}
	return columns
}

// adapt is Show with the column of f for each column of `to`; -1 = none.
func adapt(f arrowio.File, to *arrow.Schema, columns []int, r rules, o Options) (arrowio.File, error) {
	a := &adapted{File: f, schema: to, columns: columns, rules: r, constants: o.Constants, facts: o.Facts, warnings: o.Warnings}
	if a.through() {
		return a, nil
	}
	for i, k := range columns {
		var err error
		switch {
		case a.constantOf(i) != nil:
		case k < 0:
			err = missing(to.Field(i), to.Field(i).Name)
		default:
			_, err = r.conversionOf(f.Schema().Field(k), to.Field(i), to.Field(i).Name)
		}
		if err != nil {
			return nil, err
		}
	}
	return a, nil
}

// adapted is a File under another schema.
type adapted struct {
	arrowio.File
	schema    *arrow.Schema
	columns   []int // of File, by column of schema; -1 = none
	rules     rules
	constants arrow.Record // nil = there are none
	facts     []arrowio.Fact
	warnings  []arrowio.Warning
	pruning   lastPredicate
	exact     bool // filters name columns as they are written, and in no other case
}

// through makes a, which shows a file that is adapted itself, show the file below that, where a changes none of its columns:
// then one adaptation does the work of both.
func (a *adapted) through() bool {
	b, ok := a.File.(*adapted)
	if !ok || b.constants != nil {
		return false
	}
	columns := make([]int, len(a.columns))
	for i, k := range a.columns {
		if columns[i] = -1; k < 0 {
			if a.constantOf(i) == nil {
				return false
			}
			continue
		}
		if !a.schema.Field(i).Equal(b.schema.Field(k)) {
			return false
		}
		columns[i] = b.columns[k]
	}
	a.File, a.columns, a.rules = b.File, columns, b.rules
	a.facts, a.warnings = slices.Concat(b.facts, a.facts), slices.Concat(b.warnings, a.warnings)
	return true
}

// Unwrap returns the file as it is: see As.
func (a *adapted) Unwrap() arrowio.File { return a.File }

// Schema is the schema that the file is shown under.
func (a *adapted) Schema() *arrow.Schema { return a.schema }

// Info describes the file as it is, but for the schema.
func (a *adapted) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	if o.Filter != nil {
		if own := a.pruning.of(a, o.Filter); own.never {
			o.Filter, _ = expr.Bind(never, a.File.Schema()) // it names no column, and always binds
		} else {
			o.Filter = own.bound
		}
	}
	info, err := a.File.Info(ctx, o)
	if err != nil {
		return info, err
	}
	shown := *info
	shown.Facts = slices.Concat(info.Facts, a.facts)
	if info.Schema != nil {
		shown.Schema = a.schema
	}
	return &shown, nil
}

// Warnings implements Warner.
func (a *adapted) Warnings() []arrowio.Warning {
	return slices.Concat(arrowio.WarningsOf(a.File), a.warnings)
}

// Prune asks the file with the predicate in the file's own columns and types, as far as that says the same.
func (a *adapted) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	own := a.pruning.of(a, pred)
	switch {
	case own.never:
		return nil, nil
	case own.bound == nil:
		return arrowio.RowSet{}.Add(s.Rows), nil
	}
	return a.File.Prune(ctx, s, own.bound)
}

// Read reads what the file has of p and makes the rest.
func (a *adapted) Read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	own, columns, err := a.project(p)
	if err != nil {
		return nil, err
	}
	r := &adaptedReader{schema: p.Schema, columns: columns, mem: mem}
	if len(own.Fields) == 0 && s.Known() {
		return &sizedAdaptedReader{r, nil, r.extra()}, nil // nothing of the file is needed to count its rows
	}
	if r.SplitReader, err = a.File.Read(ctx, s, rows, own, mem); err != nil {
		return nil, err
	}
	if a.rules.cast == nil && schemadiff.Schemas(p.Schema, own.Schema) == "" {
		return r.SplitReader, nil
	}
	if z, ok := r.SplitReader.(arrowio.Sizer); ok {
		sized := &sizedAdaptedReader{r, z, r.extra()}
		if many, ok := r.SplitReader.(arrowio.RunReader); ok {
			return &runAdaptedReader{sized, many}, nil
		}
		return sized, nil
	}
	return r, nil
}
