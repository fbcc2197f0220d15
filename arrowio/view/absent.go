package view

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
)

// Absent lists the columns of the shown schema that a file does not have, so that they are null in all its rows. Columns with a
// default are not among them.
type Absent struct {
	Columns []string // dotted paths; children of absent structs are not listed
	All     bool     // the file has none of the schema's columns
	Has     []string // the columns of the file, if All is set
	// Catalog says that the file is a table whose column names are kept in a catalog, such as a Hive ACID table. All columns may
	// have been renamed in the catalog, while the files keep the names that they were written with.
	Catalog bool
}

// AbsentOf returns the columns that a file lacks of the schema that it is shown under. For a file that no view shows, it is
// empty.
func AbsentOf(f arrowio.File) Absent {
	if a, ok := arrowio.As[interface{ absent() Absent }](f); ok {
		return a.absent()
	}
	return Absent{}
}

// lacking lists the fields of a schema that a file has nothing for and that are null therefore.
func (c rules) lacking(file, to *arrow.Schema, columns []int) (paths []string) {
	x := explanation{rules: c, ok: true}
	x.fields(file.Fields(), to.Fields(), columns, "", "")
	for _, s := range x.out {
		if s.Stored == "" && s.How == ShownNull {
			paths = append(paths, s.Path)
		}
	}
	return paths
}

func (a *adapted) absent() Absent {
	own := a.File.Schema()
	out := Absent{All: a.schema.NumFields() > 0 && own.NumFields() > 0}
	for _, path := range a.rules.lacking(own, a.schema, a.columns) {
		if !a.isConstant(path) {
			out.Columns = append(out.Columns, path)
		}
	}
	for i, k := range a.columns {
		out.All = out.All && k < 0 && a.constantOf(i) == nil
	}
	if out.All {
		out.tell(a.File)
	}
	return out
}

// tell fills in what a file is that has none of the columns.
func (x *Absent) tell(f arrowio.File) {
	if t, ok := arrowio.As[interface{ NamedByCatalog() bool }](f); ok {
		x.Catalog = t.NamedByCatalog()
	}
	if s, ok := arrowio.As[interface{ StoredColumns() []string }](f); ok {
		x.Has = s.StoredColumns()
		return
	}
	for _, c := range f.Schema().Fields() {
		x.Has = append(x.Has, c.Name)
	}
}
