package view

import "github.com/arrowio/arrowio/arrowio"

// Absent says which columns of the schema that a file is shown under are not in it, and are null in all its rows. Columns
// with a default are not among them.
type Absent struct {
	Columns []string // dotted paths; children of absent structs are not listed
	All     bool     // none of the schema's columns is in the file
	Has     []string // the columns of the file, where All
	// Catalog says that the file is a table whose columns have their names in a catalog, as those of a Hive ACID table have: all of
	// them may have been renamed there, and files keep the names that they were written with.
	Catalog bool
}

// AbsentOf returns what a file lacks of the schema that it is shown under; a file that is shown as it is lacks nothing.
func AbsentOf(f arrowio.File) Absent {
	if a, ok := arrowio.As[*adapted](f); ok {
		return a.absent()
	}
	return Absent{}
}

func (a *adapted) absent() Absent {
	x := explanation{rules: a.rules, ok: true}
	own := a.File.Schema()
	x.fields(own.Fields(), a.schema.Fields(), a.columns, "", "")
	out := Absent{All: a.schema.NumFields() > 0 && own.NumFields() > 0}
	for _, s := range x.out {
		switch {
		case s.Path == "":
		case s.From == "" && s.How == ShownNull && !a.isConstant(s.Path):
			out.Columns = append(out.Columns, s.Path)
		}
	}
	for i, k := range a.columns {
		out.All = out.All && k < 0 && a.constantOf(i) == nil
	}
	if !out.All {
		return out
	}
	if t, ok := arrowio.As[interface{ NamedByCatalog() bool }](a.File); ok {
		out.Catalog = t.NamedByCatalog()
	}
	if s, ok := arrowio.As[interface{ StoredColumns() []string }](a.File); ok {
		out.Has = s.StoredColumns()
		return out
	}
	for _, f := range own.Fields() {
		out.Has = append(out.Has, f.Name)
	}
	return out
}
