package dataset

import (
	"maps"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/arrowio/view"
)

// Options says how to find and open files. The zero value knows no format.
type Options struct {
	// Of one file.

	Formats []arrowio.Format  // that are known
	Format  string            // the name of the one that files are of; "" = told by content, then by name
	Options map[string]string // of formats
	Lenient bool              // options that the format of a file does not have are left out; false = they are errs.ErrOption
	Limits  arrowio.Limits
	For     arrowio.Purpose // what files are opened for
	Stores  *stores.Stores  // where files are; nil = stores.Shared
	Mapped  bool            // map files of this machine into memory: see local.MapFile
	// Identified says that files will be asked for their identity (arrowio.Identity): those that options name are looked at
	// before each file is opened, so that a change of them while it is open is found.
	Identified bool

	// Of several files.

	Match      view.Match // how their columns find each other
	Columns    []string   // that will be read; nil = all. See JoinOptions
	Exclude    []string   // that will not be read, whatever Columns says
	Partitions Partitions // what directories KEY=VALUE mean
	// Filter is what scans will have, with others beside it or not; nil = not known. Files of which the directories tell
	// that no row satisfies it are not opened, and do not count for the schema, unless a column that Columns or the filter
	// name is in none of the others.
	Filter expr.Expr
	// Schema is what every file is shown under, its columns matched as Match says: see Show. nil = what the files have.
	Schema *arrow.Schema
	// Cast says how values become those of Schema where it does not only widen types, by the calendar of the file; nil = not
	// at all. Package readers has two.
	Cast func(arrowio.Calendar) view.Cast
	// Warn is called with what is doubtful about the files as a whole; Warning.File is the first of them. nil = not reported.
	Warn func(arrowio.Warning)
}

func (o Options) stores() *stores.Stores {
	if o.Stores == nil {
		return stores.Shared()
	}
	return o.Stores
}

// forFormat is what a format is told that opens the file or directory of a name.
func (o Options) forFormat(f arrowio.Format, name string) (arrowio.OpenOptions, error) {
	to := arrowio.OpenOptions{Limits: o.Limits, Options: o.Options, For: o.For, Name: name, OpenSource: o.stores().Open}
	if !o.Lenient {
		for name := range o.Options {
			if !has(f, name) {
				return to, errs.Errorf(errs.ErrOption, "%s is no option for reading %s", name, f.Name)
			}
		}
		return to, nil
	}
	to.Options = maps.Clone(o.Options)
	maps.DeleteFunc(to.Options, func(name, _ string) bool { return !has(f, name) })
	return to, nil
}

func has(f arrowio.Format, option string) bool {
	return slices.ContainsFunc(f.Options, func(o arrowio.Option) bool { return o.Name == option })
}
