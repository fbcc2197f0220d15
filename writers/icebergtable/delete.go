package icebergtable

import (
	"context"
	"errors"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/gonerows"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/puffinwire"
)

// Delete deletes the rows of a table for which a condition is true, in one snapshot. A file of which the manifests, or its rows, show
// that all rows are to be deleted is taken out of the table. Others get a file of position deletes (format version 2) or a deletion
// vector (version 3), or are written again without the rows (version 1, or write.delete.mode=copy-on-write in the table's properties).
//
// If somebody else changes the table meanwhile, files that did not change are not read again. name is as for Open.
func Delete(ctx context.Context, name string, o Options, where expr.Expr) (*Outcome, error) {
	t, err := openExisting(ctx, name, o)
	if err != nil {
		return nil, err
	}
	t.where = &rowFilter{expr: where}
	d := newDeleter(t)
	return t.run(func(ctx context.Context) (*change, error) { return d.plan(ctx, nil) }, func() *Outcome { return &d.outcome })
}

// openExisting opens a table that is changed without rows from outside.
func openExisting(ctx context.Context, name string, o Options) (*Table, error) {
	given := map[string]string{}
	for k, v := range o.Options {
		given[k] = v
	}
	given[optionMode] = modeAppend
	o.Options, o.existing = given, true
	return Open(ctx, name, o)
}

// run plans a change and commits it, or only plans it.
func (t *Table) run(plan func(ctx context.Context) (*change, error), outcome func() *Outcome) (*Outcome, error) {
	if t.o.DryRun {
		if _, err := plan(t.ctx); err != nil {
			return nil, err
		}
		out := outcome()
		out.DryRun = true
		return out, nil
	}
	t.planner = plan
	if err := t.Commit(); err != nil {
		return nil, errors.Join(err, t.Abort())
	}
	out := outcome()
	out.Snapshot = t.made
	return out, nil
}

// deleter plans a change that deletes rows.
type deleter struct {
	t       *Table
	where   *rowFilter
	results map[string]*fileResult // of the data files, by what the reader says of them
	id      int64                  // of the snapshot
	round   int
	outcome Outcome
}

func newDeleter(t *Table) *deleter {
	d := &deleter{t: t, where: t.where, results: map[string]*fileResult{}, id: t.base.newID()}
	t.unused = d.unused
	return d
}

// fileResult is what becomes of a data file.
type fileResult struct {
	rows    int64 // that are deleted
	whole   bool  // no row is left
	unread  bool  // the manifest was enough
	mark    *manifestEntry
	vector  *vectorOf
	rewrite bool
	written []manifestEntry // with the rows that are left
	round   int             // of planning in which it was of use
}

// plan says what becomes of the table in its present state; nil = nothing. added, if it is not nil, is a batch of new files.
func (d *deleter) plan(ctx context.Context, added *batch) (*change, error) {
	t := d.t
	d.round++
	rewrites, err := t.rewrites()
	if err != nil {
		return nil, t.given(err)
	}
	s, err := t.state(ctx, rewrites && t.base.meta.Version > 2)
	if err != nil {
		return nil, err
	}
	if err := d.where.bind(s.schema); err != nil {
		return nil, err
	}
	d.outcome = Outcome{}
	c := &change{op: opDelete, id: d.id, gone: map[fileKey]bool{}}
	var vectors []vectorOf
	var at []int // whose they are
	marks := map[int][]manifestEntry{}
	written := &batch{spec: t.base.meta.SpecID}
	for _, f := range s.data {
		r, err := d.result(ctx, f, rewrites)
		if err != nil {
			return nil, errs.Locate(err, errs.At{File: f.File.Path})
		}
		r.round = d.round
		d.outcome.Rows += r.rows
		if r.unread {
			d.outcome.Unread++
		}
		switch {
		case r.whole:
			d.outcome.Dropped++
			c.gone[f.File.key()] = true
		case r.rewrite:
			d.outcome.Rewritten++
			c.gone[f.File.key()] = true
			written.entries = append(written.entries, r.written...)
		case r.rows > 0:
			d.outcome.Marked++
			if r.mark != nil {
				marks[f.spec] = append(marks[f.spec], *r.mark)
			}
			if r.vector != nil { // it has the rows of all that is about the file alone
				r.vector.of = f
				vectors, at = append(vectors, *r.vector), append(at, f.spec)
				for _, old := range s.scoped[found(f.File.Path)] {
					c.gone[old.File.key()] = true
				}
			}
		}
	}
	d.outcome.Written = len(written.entries)
	if len(c.gone) > 0 {
		d.outcome.Cleared = s.dangling(c.gone)
	}
	if d.t.o.DryRun {
		return c, nil
	}
	entries, err := t.deleteVectors(ctx, vectors)
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		marks[at[i]] = append(marks[at[i]], e)
	}
	c.add(written)
	if added != nil {
		c.add(added)
	}
	if len(c.added) > 0 {
		c.op = opOverwrite
	}
	for spec, list := range marks {
		c.add(&batch{spec: spec, deletes: true, entries: list})
	}
	if len(c.added) == 0 && len(c.gone) == 0 {
		return nil, nil //nolint:nilnil // the comment says so
	}
	return c, nil
}

// rewrites reports whether files are written again without rows, rather than marked.
func (t *Table) rewrites() (bool, error) {
	again, err := t.copyOnWrite()
	return again || t.base.meta.Version < 2, err
}

// copyOnWrite reports what the table's property write.delete.mode says.
func (t *Table) copyOnWrite() (bool, error) {
	const property, marks, writes = "write.delete.mode", "merge-on-read", "copy-on-write"
	mode, ok := t.props()[property]
	switch {
	case !ok || strings.EqualFold(mode, marks):
		return false, nil
	case strings.EqualFold(mode, writes):
		return true, nil
	}
	return false, wrongProperty("the table's property %s is %.40q, which is neither %s nor %s", property, mode, marks, writes)
}

// result finds out what becomes of a data file, unless that is known from an attempt before.
func (d *deleter) result(ctx context.Context, f *stateFile, rewrites bool) (*fileResult, error) {
	text, err := f.fragment.Marshal()
	if err != nil {
		return nil, err
	}
	if r := d.results[string(text)]; r != nil {
		return r, nil
	}
	r, err := d.look(ctx, f, rewrites)
	if err == nil {
		d.results[string(text)] = r
	}
	return r, err
}

func (d *deleter) look(ctx context.Context, f *stateFile, rewrites bool) (r *fileResult, err error) {
	r = &fileResult{}
	if f.fragment.Never(d.where.bound) {
		r.unread = true
		return r, nil
	}
	if f.fragment.Always(d.where.bound) && f.fragment.Rows > 0 {
		r.whole, r.unread, r.rows = true, true, f.fragment.Rows
		return r, nil
	}
	in, err := f.fragment.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	o := d.t.o.Write
	rows, all, err := find(ctx, in, d.where.bound, o)
	r.rows = int64(len(rows))
	switch {
	case err != nil || r.rows == 0:
		return r, err
	case r.rows == all:
		r.whole = true
		return r, nil
	case rewrites:
		r.rewrite = true
		if d.t.o.DryRun {
			return r, nil
		}
		left, err := gonerows.Without(in, rows)
		if err != nil {
			return nil, err
		}
		r.written, err = d.t.rewrite(ctx, []arrowio.Fragment{opened(f.fragment, left)}, nil)
		return r, err
	case d.t.o.DryRun:
		return r, nil
	case d.t.base.meta.Version > 2:
		gone := rowsGone(in)
		every := merged(gone, stored(rows, gone))
		r.vector = &vectorOf{blob: puffinwire.EncodeVector(every), rows: int64(len(every))}
		return r, nil
	}
	mark, err := d.t.deletePositions(ctx, f, stored(rows, rowsGone(in)))
	r.mark = &mark
	return r, err
}

// opened is a fragment that is open already; its Close is left to who has opened it.
func opened(f arrowio.Fragment, file arrowio.File) arrowio.Fragment {
	f.Open = func(context.Context) (arrowio.File, error) { return keptOpen{file}, nil }
	return f
}

type keptOpen struct{ arrowio.File }

// Close implements arrowio.File.
func (keptOpen) Close() error { return nil }

// Unwrap returns the file: see arrowio.As.
func (k keptOpen) Unwrap() arrowio.File { return k.File }

// unused removes the files of results that the snapshot does not have.
func (d *deleter) unused() (locations []string) {
	for _, r := range d.results {
		if r.round == d.round {
			continue
		}
		if r.mark != nil {
			locations = append(locations, r.mark.File.Path)
		}
		for i := range r.written {
			locations = append(locations, r.written[i].File.Path)
		}
	}
	return locations
}

// rewrite writes the rows of files again, and returns the new files. group is the partition that all rows are in; nil = that is
// found out row by row.
func (t *Table) rewrite(ctx context.Context, list []arrowio.Fragment, group *stateFile) (out []manifestEntry, err error) {
	fields, err := t.base.fields()
	if err != nil {
		return nil, err
	}
	schema := list[0].Schema
	if t.base.meta.Version > 2 {
		fields = append(append([]iceberg.Field{}, fields...), iceberg.Lineage()...)
	}
	w, err := t.driverOf(ctx, planStore{t}, schema, fields, t.o.Write, group)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		if err := copyRows(ctx, w, f, t.o.Write); err != nil {
			return nil, errors.Join(errs.Locate(err, errs.At{File: f.Name}), w.Abort())
		}
	}
	if err := w.finish(); err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return w.files.entries, nil
}

func copyRows(ctx context.Context, w *driver, f arrowio.Fragment, o arrowio.WriteOptions) (err error) {
	in, err := f.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	rr, err := arrowio.Scan(ctx, in, arrowio.ScanOptions{Parallelism: o.Parallelism})
	if err != nil {
		return err
	}
	defer rr.Release()
	for rr.Next() {
		if err := w.Write(rr.Record()); err != nil {
			return err
		}
	}
	return rr.Err()
}

// add adds files to what the table gets.
func (c *change) add(g *batch) {
	if len(g.entries) == 0 {
		return
	}
	c.added = append(c.added, g)
	for i := range g.entries {
		g.entries[i].SnapshotID = &c.id
		c.tally.add(&g.entries[i].File)
	}
}
