package view

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/geoarrow"
	"github.com/arrowio/arrowio/internal/inferred"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Unify returns the schema under which files of all the given schemas can be read as one (see Show). It has the columns of the
// first schema in their order, then the other columns in the order in which they first occur.
//
// If types of a column differ, it gets the narrowest type that holds every value of all exactly, in whatever order they come:
//
//   - integers to wider ones, unsigned to wider signed ones; integers of up to 32 bits, and floats, to wider floats
//   - decimals to more digits, before the point and after it; times, timestamps of one zone and durations to finer units
//   - text, and bytes, to 64-bit offsets; null to anything
//   - dictionaries of the same values to wider indices, others to their values
//   - structs by the names of their children, whatever ByPosition says of columns; lists, maps and unions in place
//   - what was inferred of text, to the narrowest type that holds all values seen in all files
//
// Everything else is errs.ErrSchema with the column's path and two types that do not fit, with their schemas; 64-bit integers and floats, too, have no
// common type. A column or child that some schema does not have is nullable.
//
// If columns are matched by position, they have the names of the first schema whose names are not all _col0, _col1 and so on.
//
// A column keeps the metadata and the extension type that are the same in all schemas that have the column. Geometries of
// different reference systems are an error. The metadata of the result has each key on which all schemas that have it agree,
// and of the keys that describe one file alone those that all schemas have. If
// nothing differs, Unify returns the first schema.
func Unify(schemas []*arrow.Schema, by Match) (*arrow.Schema, error) {
	u, err := Join(schemas, func(k int) Source { return Source{Name: "schema " + strconv.Itoa(k)} }, by)
	if err != nil {
		return nil, err
	}
	for i := range u.fields {
		if err := u.Clash(i); err != nil {
			return nil, err
		}
	}
	return u.Schema(), nil
}

// Union is the joint schema of several schemas, including columns that have no common type.
type Union struct {
	schemas    []*arrow.Schema
	fields     []unifiedField
	same       bool                       // all schemas are equal, metadata included
	byPosition bool                       // columns are matched by position
	source     func(int) Source           // of a schema
	lost       []arrowio.Loss             // see Lost
	leftOut    []arrowio.Loss             // see LeftOut
	geo        []map[string]geoarrow.Type // what GeoParquet's metadata say of the columns of each schema; nil = nothing
}

// Source says, for messages, where a schema comes from.
type Source struct {
	Name   string
	AsText error // says which options read the columns as text; nil = the types were not inferred

	Iceberg bool  // see FieldIDer
	ByID    error // see FieldIDer
}

// FieldIDer is implemented by files that tell something about the ids of their fields, which stay the same when the columns of a
// table are renamed: whether the file is of an Iceberg table, and, as a part of an error, which option reads columns by their ids;
// nil = none does.
type FieldIDer interface {
	FieldIDs() (iceberg bool, byID error)
}

// Clash returns the error for column i of u.Schema if it has no common type, and nil if it has one.
func (u *Union) Clash(i int) error {
	if c := u.fields[i].clash; c != nil {
		return c.err(u.source)
	}
	return nil
}

type unifiedField struct {
	arrow.Field
	named bool
	at    []origin    // the schemas that have it
	clash *fieldClash // why there is no type
}

// origin is a column of a schema.
type origin struct{ schema, column int }

// fieldClash is two files that cannot be read as one because of a column.
type fieldClash struct {
	clash
	column string
}

// err is the error about the schema of b.
func (c *fieldClash) err(source func(int) Source) error {
	there, here := source(c.from[0]), source(c.from[1])
	says, why := "it is", ", and these are not read as one type"
	if c.what != "" {
		says, why = c.what, ""
	}
	exclude := errs.Opt("exclude", "")
	cure := fmt.Errorf("read the files separately, or leave the column out with %w", exclude)
	if text := c.asText(there.AsText, here.AsText); text != nil {
		cure = fmt.Errorf("%w, and %w leaves the column out", text, exclude)
	} else if there.ByID != nil && here.ByID != nil {
		cure = fmt.Errorf("%w, and %w leaves the column out", here.ByID, exclude)
	}
	err := atColumn(c.column+c.path, "%s %s here and %s in %s%s; %w", says, c.b, c.a, there.Name, why, cure)
	return errs.Locate(err, errs.At{File: here.Name})
}

// asText says how the columns become text, for which one file has the options a, the other b; nil = they do not.
func (c *fieldClash) asText(a, b error) error {
	switch {
	case a == nil && b == nil, a == nil && !c.text[0], b == nil && !c.text[1]:
		return nil
	case b == nil || a != nil && slices.Equal(errs.OptionsOf(a), errs.OptionsOf(b)):
		return a
	case a == nil:
		return b
	}
	return fmt.Errorf("%w; %w", a, b)
}

// Join joins schemas as Unify does, except that a column without a common type is no error: see Union.Clash. source returns where
// schema i comes from. Two columns of one name in one schema are an error.
func Join(schemas []*arrow.Schema, source func(int) Source, by Match) (*Union, error) {
	if len(schemas) == 0 {
		return nil, errs.Errorf(errs.ErrSchema, "no schemas")
	}
	u := &Union{schemas: schemas, same: true, source: source}
	first := schemas[0]
	for _, s := range schemas[1:] {
		u.same = u.same && (s == first || schemadiff.Schemas(first, s) == "" && schemadiff.SameMetadata(first, s))
	}
	if u.same {
		for i, f := range first.Fields() {
			u.fields = append(u.fields, unifiedField{Field: f, at: []origin{{0, i}}})
		}
		return u, nil
	}
	if by == ByPosition {
		u.byPosition = true
		for k, s := range schemas {
			u.addByPosition(k, s)
		}
		u.distinguish()
		u.join()
		u.compare()
		return u, nil
	}
	// Those without names come last: their columns are found by where they stand among those that have names.
	var numbered []int
	for k, s := range schemas {
		if unnamed(s.Fields()) {
			numbered = append(numbered, k)
		}
	}
	if len(numbered) == len(schemas) {
		numbered = nil
	}
	index := map[string]int{}
	for k, s := range schemas {
		if len(numbered) > 0 && unnamed(s.Fields()) {
			continue
		}
		if err := u.addByName(k, s, index); err != nil {
			return nil, errs.Locate(err, errs.At{File: source(k).Name})
		}
	}
	for _, k := range numbered {
		u.addByPosition(k, schemas[k])
	}
	u.join()
	u.compare()
	return u, nil
}

func (u *Union) addByName(k int, s *arrow.Schema, index map[string]int) error {
	if _, err := byName(s); err != nil {
		return err
	}
	for i, f := range s.Fields() {
		at, ok := index[f.Name]
		if !ok {
			at = len(u.fields)
			index[f.Name] = at
		}
		u.add(at, k, i)
	}
	return nil
}

func (u *Union) addByPosition(k int, s *arrow.Schema) {
	isNamed := !unnamed(s.Fields())
	for i := range s.NumFields() {
		u.add(i, k, i)
		if f := &u.fields[i]; isNamed && !f.named {
			f.named, f.Name = true, s.Field(i).Name
		}
	}
}

// distinguish gives their number for a name to columns found by position whose names come from several schemas.
func (u *Union) distinguish() {
	seen := map[string]bool{}
	for i := range u.fields {
		f := &u.fields[i]
		if seen[f.Name] {
			f.Name = numberedName(i)
		}
		seen[f.Name] = true
	}
}

// add adds column i of schema k to field at, which may be new.
func (u *Union) add(at, k, i int) {
	if at == len(u.fields) {
		u.fields = append(u.fields, unifiedField{Field: u.schemas[k].Field(i)})
	}
	u.fields[at].at = append(u.fields[at].at, origin{k, i})
}

// join finds the type of each field, when all schemas have been added.
func (u *Union) join() {
	for i := range u.fields {
		f := &u.fields[i]
		parts := make([]part, len(f.at))
		for n, o := range f.at {
			parts[n] = part{u.schemas[o.schema].Field(o.column), o.schema}
		}
		joined, c := joinFields(parts)
		if c != nil {
			f.clash = &fieldClash{clash: *c, column: f.Name}
			continue
		}
		joined.Name = f.Name
		f.Field = joined
	}
}

// Schema returns the joint schema. A column without a common type has the type of the first schema that has the column.
func (u *Union) Schema() *arrow.Schema {
	first := u.schemas[0]
	if u.same {
		return inferred.Unmarked(first)
	}
	fields := make([]arrow.Field, len(u.fields))
	for i, f := range u.fields {
		fields[i] = f.Field
		if len(f.at) < len(u.schemas) {
			fields[i] = optional(f.Field)
		}
	}
	md := u.metadata()
	return inferred.Unmarked(arrow.NewSchema(fields, &md.Metadata))
}
