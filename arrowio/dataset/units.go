package dataset

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/stores"
)

// Unit is one of several things in a directory that are read each by itself.
type Unit struct {
	Name string // its path in the directory, with slashes
	Path string // path or URL, for List
}

// Units returns what is in a directory, or in those below it, as datasets that have nothing to do with each other: each file in a
// readable format, and each directory that is a table, that a format reads as a whole, or that has directories KEY=VALUE. They are
// sorted by name. Names that List skips are skipped, and so are files of JSON lines named .json beside files of other formats. A
// directory without any is no error.
func Units(ctx context.Context, dir string, o Options) ([]Unit, error) {
	switch d, err := o.directory(); {
	case err != nil:
		return nil, err
	case d.OpenPath != nil:
		return nil, errs.Errorf(errs.ErrOption, "%s reads directories as a whole: name each with a dataset of its own", o.Format)
	}
	e, err := o.stores().Stat(ctx, dir)
	switch {
	case err != nil:
		return nil, err
	case !e.Dir:
		return nil, errs.Locate(errs.Errorf(errs.ErrOption, "not a directory"), errs.At{File: dir})
	}
	x := expansion{ctx: ctx, o: o, formats: o.Formats, told: o.Format != "", named: o.named()}
	var t arrowio.Tree
	if name, ok := stores.Local(dir); ok {
		if x.root, err = o.rootOf(name); err != nil {
			return nil, err
		}
		t = x.localTree(name)
	} else if t, err = x.tree(dir); err != nil {
		return nil, err
	}
	var over passedOver
	if l, ok := t.(localTree); ok {
		l.link = over.link
		t = l
	}
	whole, err := x.isUnit(t, "")
	if err != nil {
		return nil, err
	}
	if whole {
		return nil, errs.Locate(errs.Errorf(errs.ErrOption, "this directory is one table: name it as a dataset"), errs.At{File: dir})
	}
	all, err := x.collectUnits(t, "", nil)
	if err == nil {
		err = x.sniffAll(t, all)
	}
	if err != nil {
		return nil, err
	}
	described := map[string]bool{} // directories of files that are meant whatever is beside them
	for _, c := range all {
		if c.meant && !c.loose && !c.whole {
			described[path.Dir(c.name)] = true
		}
	}
	var out []Unit
	for _, c := range all {
		switch {
		case !c.meant:
			over.file(c.name)
		case c.loose && described[path.Dir(c.name)]:
			over.looseFile(c.name)
		case !slices.Contains(x.named, t.Path(c.name)):
			out = append(out, Unit{c.name, t.Path(c.name)})
		}
	}
	over.tell(o, t.Path(""))
	return out, nil
}

// isUnit reports whether a directory is one dataset.
func (x expansion) isUnit(t arrowio.Tree, dir string) (bool, error) {
	sub := below(t, dir)
	if f, err := matchTree(x.ctx, sub, x.o); err != nil || f.OpenTree != nil {
		return true, err
	}
	if f, err := x.tableFormat(sub); err != nil || f.MatchTable != nil {
		return true, err
	}
	entries, err := t.List(x.ctx, dir)
	return !x.o.Partitions.Off && slices.ContainsFunc(entries, func(e arrowio.TreeEntry) bool {
		return e.Dir && !hidden(e.Name) && strings.Contains(e.Name, "=")
	}), err
}

// collectUnits lists what a directory and those below it hold, in order.
func (x expansion) collectUnits(t arrowio.Tree, dir string, out []candidate) ([]candidate, error) {
	entries, err := t.List(x.ctx, dir)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(entries, func(a, b arrowio.TreeEntry) int { return cmp.Compare(a.Name, b.Name) })
	for _, e := range entries {
		if hidden(e.Name) {
			continue
		}
		name := path.Join(dir, e.Name)
		if !e.Dir {
			out = append(out, x.candidate(name, e))
			continue
		}
		whole, err := x.isUnit(t, name)
		switch {
		case err != nil:
			x.o.leaveOut(t.Path(name), err)
		case whole:
			out = append(out, candidate{name: name, whole: true, meant: true})
		default:
			if out, err = x.collectUnits(t, name, out); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
