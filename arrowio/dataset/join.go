package dataset

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/inferred"
	"github.com/arrowio/arrowio/internal/schemadiff"
	"github.com/arrowio/arrowio/internal/workers"
)

// Dataset is a list of files that are read as one, one after the other.
type Dataset struct {
	// Schema is the schema that every fragment is shown under (see view.Show). Unlike view.Show, a dataset refuses a file with a
	// column, or a child of a struct, that Schema does not have, so that no column is left out unnoticed. Metadata may differ;
	// records carry the metadata of Schema. Join finds a schema that fits all files.
	Schema    *arrow.Schema
	Fragments []arrowio.Fragment
	Match     view.Match // how the columns of fragments are matched with those of Schema
	// Lost lists what differs between the files, and what a schema that was asked for does not have, and is therefore not in Schema: see
	// view.Union.Lost, view.Unsaid, and Warnings.
	Lost []arrowio.Loss
	// LeftOut is metadata of the files that describe only columns which Schema leaves out, and types of the files that Arrow for Go does
	// not have: see TypesLost. Warnings does not tell it: no value is lost.
	LeftOut []arrowio.Loss
	// Dropped lists the columns of Options.Exclude that are not in Schema, because a schema that was asked for does not have them, and that
	// files have.
	Dropped []string

	files []arrowio.File // to be closed by Close
	joint *joint         // of Join, where columns of the files were left out; nil = Schema has all
}

// FromFile returns a dataset of one open file. All scans use this file. Dataset.Close closes it.
func FromFile(name string, f arrowio.File) *Dataset {
	d := &Dataset{Schema: f.Schema(), LeftOut: typesLost(f), files: []arrowio.File{f}}
	d.Fragments = []arrowio.Fragment{{Name: name, Open: func(context.Context) (arrowio.File, error) { return view.WithClose(f, nil), nil }}}
	return d
}

// Scan reads the rows of d that o asks for, in the order of the fragments: see arrowio.ScanFragments. If a fragment does not fit
// the schema, the scan ends there with errs.ErrSchema.
func (d *Dataset) Scan(ctx context.Context, o arrowio.ScanOptions) (*arrowio.Scanner, error) {
	if d.Schema == nil {
		return nil, errs.Errorf(errs.ErrSchema, "the dataset has no schema")
	}
	return arrowio.ScanFragments(ctx, d.Schema, d.shown(), o)
}

// Check returns the error that a scan of d with o would return before its first row if a column cannot be read: see
// arrowio.ScanOptions.Check.
func (d *Dataset) Check(ctx context.Context, o arrowio.ScanOptions) error {
	return o.Check(ctx, d.Schema, d.shown())
}

// shown are the fragments under the schema of d.
func (d *Dataset) shown() []arrowio.Fragment {
	shown := slices.Clone(d.Fragments)
	for i := range shown {
		open := shown[i].Open
		shown[i].Open = func(ctx context.Context) (arrowio.File, error) {
			f, err := open(ctx)
			if err != nil {
				return nil, err
			}
			s, err := d.Show(f)
			if err != nil {
				return nil, errors.Join(err, f.Close())
			}
			return s, nil
		}
	}
	return shown
}

// Close closes the file that FromFile was given; for other datasets it does nothing. Release all scans before.
func (d *Dataset) Close() error {
	var all []error
	for _, f := range d.files {
		all = append(all, f.Close())
	}
	d.files = nil
	return errors.Join(all...)
}

// JoinOptions says how Join combines files. The zero value is the default.
type JoinOptions struct {
	Match view.Match
	// Columns are the paths that will be read, including those of filters; nil = all. A column for which the files have no common
	// type is an error if it will be read; otherwise it is left out of the schema.
	Columns []string
	// Exclude are paths that will not be read, even if they are in Columns, unless a filter needs them.
	Exclude []string
	// Warn is called with warnings about columns that were probably meant to be matched in another way: see view.Union.Doubts.
	// nil = not reported.
	Warn func(arrowio.Warning)
}

// Join returns a dataset of files whose schemas may differ. Its schema is the result of view.Unify, or the file's own if there is
// only one fragment; Lost lists what it leaves out. Join opens and closes every fragment once, in order. Errors name the
// fragment.
func Join(ctx context.Context, fragments []arrowio.Fragment, o JoinOptions) (*Dataset, error) {
	var schemas []*arrow.Schema
	var sources []view.Source // the first file of each schema
	seen := seenSchemas{}
	var lost []arrowio.Loss
	for _, fr := range fragments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, source, types, err := schemaIn(ctx, fr)
		if err != nil {
			return nil, errs.Locate(err, errs.At{File: fr.Name})
		}
		for _, l := range types {
			if !slices.Contains(lost, l) {
				lost = append(lost, l)
			}
		}
		if seen.add(s) {
			schemas, sources = append(schemas, s), append(sources, source)
		}
	}
	u, err := view.Join(schemas, func(k int) view.Source { return sources[k] }, o.Match)
	if err != nil {
		return nil, err
	}
	d := &Dataset{Schema: u.Schema(), Fragments: fragments, Match: o.Match, Lost: u.Lost(), LeftOut: slices.Concat(u.LeftOut(), lost)}
	if err := d.leaveOut(u, o); err != nil {
		return nil, err
	}
	if o.Warn != nil {
		for _, w := range u.Doubts(o.Columns) {
			if !excludesAll(o.Exclude, w.Columns) {
				o.Warn(w)
			}
		}
	}
	return d, nil
}

// schemaIn opens the file and returns the result of SchemaOf, where it comes from, and the result of typesLost.
func schemaIn(ctx context.Context, fr arrowio.Fragment) (s *arrow.Schema, source view.Source, lost []arrowio.Loss, err error) {
	err = workers.Guard(func() error {
		f, err := fr.Open(ctx)
		if err != nil {
			return err
		}
		s, source, lost = SchemaOf(f), view.Source{Name: fr.Name, AsText: inferred.AsText(f)}, typesLost(f)
		if x, ok := arrowio.As[view.FieldIDer](f); ok {
			source.Iceberg, source.ByID = x.FieldIDs()
		}
		return f.Close()
	})
	return s, source, lost, err
}

// TypesLost is implemented by files that may have columns of types that Arrow for Go does not have, and show them as others. TypesLost
// returns these columns, and as what they come back.
type TypesLost interface {
	TypesLost() []arrowio.Loss
}

func typesLost(f arrowio.File) []arrowio.Loss {
	if x, ok := arrowio.As[TypesLost](f); ok {
		return x.TypesLost()
	}
	return nil
}

// SchemaOf returns the schema of a file in the form that Join uses. If the types were inferred from text, the metadata of each
// field also lists the other types that can hold its values. The schema of the joined dataset has no such metadata.
func SchemaOf(f arrowio.File) *arrow.Schema { return inferred.SchemaOf(f) }

// seenSchemas are the different schemas by inferred.Key. Schemas of text files often differ only in that key.
type seenSchemas map[string][]*arrow.Schema

// add adds s and reports whether no equal schema was there before. It compares the latest schemas first, since files of one
// schema often follow one another.
func (m seenSchemas) add(s *arrow.Schema) bool {
	k := inferred.Key(s)
	for _, x := range slices.Backward(m[k]) {
		if x == s || schemadiff.Schemas(x, s) == "" && schemadiff.SameMetadata(x, s) {
			return false
		}
	}
	m[k] = append(m[k], s)
	return true
}

// joint is the schema of all files, including the columns that a dataset leaves out.
type joint struct {
	schema *arrow.Schema
	kept   []int // its columns that the dataset has, in order
}

// leaveOut takes columns without a common type out of the schema, and refuses those that are asked for.
func (d *Dataset) leaveOut(u *view.Union, o JoinOptions) error {
	asked, excluded := map[int]bool{}, map[int]bool{}
	for _, path := range o.Columns {
		if ids, err := expr.Resolve(d.Schema, path); err == nil { // the scan says what is wrong with a path
			asked[ids[0]] = true
		}
	}
	for _, path := range o.Exclude {
		if ids, err := expr.Resolve(d.Schema, path); err == nil && len(ids) == 1 {
			excluded[ids[0]] = true
		}
	}
	j := &joint{schema: d.Schema}
	var fields []arrow.Field
	for i := range d.Schema.NumFields() {
		clash := u.Clash(i)
		switch {
		case clash == nil:
			j.kept, fields = append(j.kept, i), append(fields, d.Schema.Field(i))
		case o.Columns == nil && !excluded[i] || asked[i] || slices.ContainsFunc(slices.Concat(o.Columns, o.Exclude), expr.Numbered): // numbers count all columns
			return clash
		}
	}
	if len(fields) < d.Schema.NumFields() {
		md := d.Schema.Metadata()
		d.joint, d.Schema = j, arrow.NewSchema(fields, &md)
	}
	return nil
}

// Show returns the file of a fragment under the schema of d, as a scan of d shows it. Closing the result closes f. If Show fails,
// the caller still closes f.
func (d *Dataset) Show(f arrowio.File) (arrowio.File, error) {
	if schemadiff.Schemas(d.Schema, f.Schema()) == "" {
		return f, nil
	}
	all := d.joint
	if all == nil {
		all = &joint{schema: d.Schema, kept: make([]int, d.Schema.NumFields())}
		for i := range all.kept {
			all.kept[i] = i
		}
	}
	at, err := view.Place(all.schema, f.Schema(), d.Match)
	if err != nil {
		return nil, err
	}
	found := make([]int, all.schema.NumFields())
	for i := range found {
		found[i] = -1
	}
	for i, k := range at {
		if k < 0 {
			return nil, errs.Locate(errs.Errorf(errs.ErrSchema, "the schema of the dataset does not have it"), errs.At{Column: f.Schema().Field(i).Name})
		}
		found[k] = i
	}
	types := make([]arrow.DataType, len(at))
	for i, k := range at {
		types[i] = all.schema.Field(k).Type
	}
	f = inferred.ReadAs(f, types)
	columns := make([]int, len(all.kept))
	for i, k := range all.kept {
		columns[i] = found[k]
		if columns[i] < 0 {
			continue
		}
		have := f.Schema().Field(columns[i])
		if extra := unshown(have.Type, d.Schema.Field(i).Type); extra != "" {
			return nil, errs.Locate(errs.Errorf(errs.ErrSchema, "the schema of the dataset does not have it"), errs.At{Column: have.Name + extra})
		}
	}
	return view.Show(f, d.Schema, view.Options{Columns: columns})
}

// unshown returns the path of a struct's child in from that to does not have; "" = none.
func unshown(from, to arrow.DataType) string {
	if arrow.TypeEqual(from, to) {
		return ""
	}
	if d, ok := from.(*arrow.DictionaryType); ok && to.ID() != arrow.DICTIONARY {
		return unshown(d.ValueType, to)
	}
	if f, ok := from.(*arrow.StructType); ok {
		t, ok := to.(*arrow.StructType)
		if !ok {
			return "" // what does not fit is found elsewhere
		}
		for _, c := range f.Fields() {
			shown, ok := t.FieldByName(c.Name)
			if !ok {
				return "." + c.Name
			}
			if extra := unshown(c.Type, shown.Type); extra != "" {
				return "." + c.Name + extra
			}
		}
		return ""
	}
	a, ok := from.(arrow.NestedType)
	b, ok2 := to.(arrow.NestedType)
	if !ok || !ok2 || len(a.Fields()) != len(b.Fields()) {
		return ""
	}
	for i, c := range a.Fields() {
		if extra := unshown(c.Type, b.Fields()[i].Type); extra != "" {
			return strings.TrimPrefix("."+c.Name+extra, ".entries")
		}
	}
	return ""
}
