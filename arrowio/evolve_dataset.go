package arrowio

import (
	"context"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// DatasetOptions says how files become a dataset. The zero value is the default.
type DatasetOptions struct {
	Match Match
	// Columns are the paths that will be read, those of filters included; nil = all. A column that the files have no
	// common type for is an error, unless it is not among them: then it is left out of the schema.
	Columns []string
	// Exclude are paths that will not be read, whatever Columns says, unless a filter needs them.
	Exclude []string
}

// NewDataset makes a dataset of files whose schemas may differ: its schema is what UnifySchemas makes of theirs. Every
// fragment is opened and closed once for that, in order; with one fragment the dataset's schema is that of the file.
// Errors name the fragment that they are about.
func NewDataset(ctx context.Context, fragments []Fragment, o DatasetOptions) (*Dataset, error) {
	var schemas []*arrow.Schema
	var names []string // of the first file of each schema
	for _, fr := range fragments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s, err := fr.schema(ctx)
		if err != nil {
			return nil, errs.Locate(err, errs.At{File: fr.Name})
		}
		if !hasEqual(schemas, s) {
			schemas, names = append(schemas, s), append(names, fr.Name)
		}
	}
	u, err := unify(schemas, func(k int) string { return names[k] }, o.Match)
	if err != nil {
		return nil, err
	}
	d := &Dataset{Schema: u.schema(), Fragments: fragments, Match: o.Match}
	if err := d.leaveOut(u, names, o); err != nil {
		return nil, err
	}
	return d, nil
}

// schema opens the file for its schema.
func (fr Fragment) schema(ctx context.Context) (s *arrow.Schema, err error) {
	err = guard(func() error {
		f, err := fr.Open(ctx)
		if err != nil {
			return err
		}
		s = f.Schema()
		return f.Close()
	})
	return s, err
}

// hasEqual looks among the latest schemas first: files differ in runs.
func hasEqual(schemas []*arrow.Schema, s *arrow.Schema) bool {
	for i := len(schemas) - 1; i >= 0; i-- {
		if x := schemas[i]; x == s || schemaDifference(x, s) == "" && sameMetadata(x, s) {
			return true
		}
	}
	return false
}

// joint is the schema of all files with columns that a dataset leaves out.
type joint struct {
	schema *arrow.Schema
	kept   []int // its columns that the dataset has, in order
}

// leaveOut takes columns without a common type out of the schema, and refuses those that are asked for.
func (d *Dataset) leaveOut(u *unified, names []string, o DatasetOptions) error {
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
	for i := range u.fields {
		c := u.fields[i].clash
		switch {
		case c == nil:
			j.kept, fields = append(j.kept, i), append(fields, d.Schema.Field(i))
		case o.Columns == nil && !excluded[i] || asked[i]:
			return c.err(func(k int) string { return names[k] })
		}
	}
	if len(fields) < len(u.fields) {
		md := d.Schema.Metadata()
		d.joint, d.Schema = j, arrow.NewSchema(fields, &md)
	}
	return nil
}

// Show returns a fragment's file as a scan of d shows it, under the schema of d. The result closes f; after an error f is
// still the caller's.
func (d *Dataset) Show(f File) (File, error) {
	if schemaDifference(d.Schema, f.Schema()) == "" {
		return f, nil
	}
	all := d.joint
	if all == nil {
		all = &joint{schema: d.Schema, kept: make([]int, d.Schema.NumFields())}
		for i := range all.kept {
			all.kept[i] = i
		}
	}
	at, err := place(all.schema, f.Schema(), d.Match)
	if err != nil {
		return nil, err
	}
	found := make([]int, all.schema.NumFields())
	for i := range found {
		found[i] = -1
	}
	for i, k := range at {
		if k < 0 {
			return nil, atColumn(f.Schema().Field(i).Name, "the schema of the dataset does not have it")
		}
		found[k] = i
	}
	columns := make([]int, len(all.kept))
	for i, k := range all.kept {
		columns[i] = found[k]
		if columns[i] < 0 {
			continue
		}
		have := f.Schema().Field(columns[i])
		if extra := leftOut(have.Type, d.Schema.Field(i).Type); extra != "" {
			return nil, atColumn(have.Name+extra, "the schema of the dataset does not have it")
		}
	}
	return adapt(f, d.Schema, columns, rules{}, AdaptOptions{})
}

// leftOut returns the path of a struct's child that the type it is shown as does not have; "" = none.
func leftOut(from, to arrow.DataType) string {
	if arrow.TypeEqual(from, to) {
		return ""
	}
	if d, ok := from.(*arrow.DictionaryType); ok && to.ID() != arrow.DICTIONARY {
		return leftOut(d.ValueType, to)
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
			if extra := leftOut(c.Type, shown.Type); extra != "" {
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
		if extra := leftOut(c.Type, b.Fields()[i].Type); extra != "" {
			return strings.TrimPrefix("."+c.Name+extra, ".entries")
		}
	}
	return ""
}
