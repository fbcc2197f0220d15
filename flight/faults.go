package flight

import (
	"context"
	"slices"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
)

// Fault is something that a catalog does not serve though it should: a dataset that never could be opened, or a file that was left out
// of one.
type Fault struct {
	Dataset string // "" = none
	File    string // NAME/path, or the path of one that is in no dataset; "" = the whole dataset
	Err     error  // without where the dataset is stored
}

// LeaveOut says which files are in no dataset though they should be one: they are among Faults from now on, in place of those of the
// last call.
func (c *Catalog) LeaveOut(files []Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leftOut = slices.Clone(files)
}

// Faults returns what cannot be served now: files of no dataset, and then by dataset. It opens nothing.
func (c *Catalog) Faults() []Fault {
	c.mu.Lock()
	out := slices.Clone(c.leftOut)
	c.mu.Unlock()
	for _, name := range c.Names() {
		d, err := c.dataset(name)
		if err != nil {
			continue // taken out meanwhile
		}
		d.mu.Lock()
		e, failed := d.loaded[""], d.failed
		d.mu.Unlock()
		if failed != nil {
			out = append(out, Fault{Dataset: name, Err: d.public(failed)})
		}
		if e != nil {
			out = append(out, e.LeftOut...)
		}
	}
	return out
}

// leftOut collects what is left out of a dataset while it is opened.
type leftOut struct {
	d     *served
	mu    sync.Mutex
	paths []string
	list  []Fault
}

// add may be called several times for one file.
func (l *leftOut) add(path string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.Contains(l.paths, path) {
		return
	}
	l.paths = append(l.paths, path)
	l.list = append(l.list, Fault{Dataset: l.d.name, File: l.d.publicName(path, len(l.list)), Err: l.d.public(err)})
}

// warn logs what is doubtful about files that were not known before, and which files are left out; old may be nil.
func (d *served) warn(ctx context.Context, old, now *Entry) {
	log := d.catalog.o.Logger
	for _, f := range now.Fragments {
		if old != nil {
			if _, known := old.at[f.Identity]; known {
				continue
			}
		}
		for _, w := range f.Warnings {
			log.WarnContext(ctx, "file", "dataset", d.name, "file", f.Name, "kind", string(w.Kind), "warning", w.String())
		}
	}
	for _, f := range now.LeftOut {
		known := old != nil && slices.ContainsFunc(old.LeftOut, func(o Fault) bool { return o.File == f.File && o.Err.Error() == f.Err.Error() })
		if !known {
			log.ErrorContext(ctx, "a file is left out", "dataset", d.name, "file", f.File, "error", f.Err.Error())
		}
	}
	if old == nil && now.unrelated {
		log.WarnContext(ctx, "dataset", "dataset", d.name, "kind", string(arrowio.WarnDoubt),
			"warning", "its files have no column in common; where they are not one table, --each serves each by itself")
	}
}

// broken reports whether a dataset never could be opened.
func (c *Catalog) broken(name string) bool {
	d, err := c.dataset(name)
	if err != nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed != nil
}
