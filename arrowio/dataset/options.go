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

	Formats []arrowio.Format  // the formats that can be read
	Format  string            // the name of the files' format; "" = the content decides, then the extension
	Options map[string]string // options of formats, by name
	Lenient bool              // ignore options that the format of a file does not have; false = they are errs.ErrOption
	Limits  arrowio.Limits
	For     arrowio.Purpose // what the files will be used for
	Stores  *stores.Stores  // opens paths and URLs; nil = stores.Shared
	Mapped  bool            // map local files into memory: see local.MapFile
	// Identified says that the caller will ask files for their identity (arrowio.Identity). The files that options name are then
	// looked at before each file is opened, so that a change while it is open is found.
	Identified bool

	// Again spares requests to stores, where the dataset is read once and soon; nil = each opening is a request.
	Again *Again

	// Of directories of this machine.

	// LinksInside leaves out symbolic links in directories that lead out of them. Paths that are named may be links themselves.
	LinksInside bool
	// Root is the directory out of which no link may lead, with LinksInside; "" = the directory that is named, or the part of a
	// pattern before its first * or the like.
	Root string

	// PassDangling leaves out symbolic links, in directories and below patterns, that lead to what is not there; false = they are errors, since
	// what they led to may have been rows. A link that is named is an error always.
	PassDangling bool

	// Of several files.

	// SkipBroken leaves out files that cannot be opened, unless that is all of them. What is wrong inside of a file is found when it is
	// read. Files of tables are not left out.
	SkipBroken bool
	// LeftOut is called with each file or link that LinksInside, PassDangling or SkipBroken leaves out, and why. nil = Warn is.
	LeftOut func(path string, err error)

	Match      view.Match // how the columns of files are matched
	Columns    []string   // columns that will be read; nil = all. See JoinOptions
	Exclude    []string   // columns that will not be read, even if they are in Columns
	Partitions Partitions // how directories KEY=VALUE become columns
	// Filter is a filter that every scan will have, alone or joined with others by AND; nil = not known. Files whose directories
	// show that no row satisfies it are not opened, and the schema does not depend on them, unless Columns or the filter name a
	// column that no other file has.
	Filter expr.Expr
	// Schema is the schema that every file is shown under, with columns matched as Match says: see Show. nil = the files' own.
	Schema *arrow.Schema
	// Cast returns, for the calendar of a file, how values are converted to a type of Schema that does not merely widen theirs;
	// nil = such types are errors. Package readers has two such functions.
	Cast func(arrowio.Calendar) view.Cast
	// Warn is called with warnings about the files as a whole; Warning.File is the first file. nil = not reported.
	Warn func(arrowio.Warning)
}

// leaveOut tells that a file or a link is left out.
func (o Options) leaveOut(path string, err error) {
	switch {
	case o.LeftOut != nil:
		o.LeftOut(path, err)
	case o.Warn != nil:
		w := arrowio.Warnf(arrowio.WarnDoubt, "left out: "+err.Error())
		w.File = path
		o.Warn(w)
	}
}

func (o Options) stores() *stores.Stores {
	if o.Stores == nil {
		return stores.Shared()
	}
	return o.Stores
}

// forFormat is what a format is told that opens the file or directory of a name.
func (o Options) forFormat(f arrowio.Format, name string) (arrowio.OpenOptions, error) {
	to := arrowio.OpenOptions{Limits: o.Limits, Options: o.Options, For: o.For, Name: name, Schema: o.Schema, Converted: o.cutsTimes(), OpenSource: o.stores().Open, OpenTree: o.stores().Tree, Lend: o.stores().Lend, Filter: o.Filter}
	if !o.Lenient {
		for name := range o.Options {
			if !has(f, name) {
				return to, errs.Errorf(errs.ErrOption, "%w is no option for reading %s", errs.Opt(name, ""), f.Name)
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
