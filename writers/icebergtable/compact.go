package icebergtable

import (
	"context"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// CompactOptions say what Compact writes again. The zero value is the default.
type CompactOptions struct {
	// Where leaves out files of which the manifests show that no row satisfies it; nil = all files.
	Where expr.Expr
	// TargetBytes is how large files become; 0 = as the table's property write.target-file-size-bytes says.
	TargetBytes int64
}

// Compact writes small files of the same partition, files with deleted rows, and files that are much too large again, in one
// snapshot that has the same rows. Delete files that no data file needs any more are taken out of the table.
//
// If somebody else changes some of the files meanwhile, those of the same partition are written again. name is as for Open.
func Compact(ctx context.Context, name string, o Options, c CompactOptions) (*Outcome, error) {
	t, err := openExisting(ctx, name, o)
	if err != nil {
		return nil, err
	}
	t.targetBytes = c.TargetBytes
	x := &compacter{t: t, id: t.base.newID()}
	if c.Where != nil {
		x.where = &rowFilter{expr: c.Where}
	}
	t.unused = func() []string { return x.stale }
	return t.run(x.plan, func() *Outcome { return &x.outcome })
}

// compacter plans a compaction.
type compacter struct {
	t       *Table
	where   *rowFilter // nil = all files
	id      int64      // of the snapshot
	groups  []*group   // nil before the first plan
	stale   []string   // files of attempts that are of no use
	outcome Outcome
}

// group is the files of a partition that are written again.
type group struct {
	paths   []string
	key     string          // of what was read
	written []manifestEntry // nil = nothing yet
}

// Files of at least this part of the target size, and at most that, are left as they are.
const (
	leastPart = 0.75
	mostPart  = 1.8
)

// choose finds the files that are worth being written again.
func (x *compacter) choose(s *state) error {
	bytes, err := x.t.target()
	if err != nil {
		return err
	}
	target := float64(bytes)
	byPartition := map[string][]*stateFile{}
	var order []string
	for _, f := range s.data {
		size := float64(f.File.Bytes)
		if size >= leastPart*target && size <= mostPart*target && !s.marred(f) || x.where != nil && f.fragment.Never(x.where.bound) {
			continue
		}
		key := f.partition()
		if byPartition[key] == nil {
			order = append(order, key)
		}
		byPartition[key] = append(byPartition[key], f)
	}
	x.groups = []*group{}
	for _, key := range order {
		list := byPartition[key]
		bytes, marred := int64(0), false
		g := &group{}
		for _, f := range list {
			bytes += f.File.Bytes
			marred = marred || s.marred(f)
			g.paths = append(g.paths, f.File.Path)
		}
		if files := int((float64(bytes) + target - 1) / target); !marred && files == len(list) {
			continue // it would be the same number of files
		}
		x.groups = append(x.groups, g)
	}
	return nil
}

// plan says what becomes of the table in its present state; nil = nothing.
func (x *compacter) plan(ctx context.Context) (*change, error) {
	t := x.t
	s, err := t.state(ctx, t.base.meta.Version > 2)
	if err != nil {
		return nil, err
	}
	if x.where != nil {
		if err := x.where.bind(s.schema); err != nil {
			return nil, err
		}
	}
	if x.groups == nil {
		if err := x.choose(s); err != nil {
			return nil, err
		}
	}
	byPath := make(map[string]*stateFile, len(s.data))
	for _, f := range s.data {
		byPath[f.File.Path] = f
	}
	x.outcome = Outcome{}
	c := &change{op: opReplace, id: x.id, gone: map[fileKey]bool{}}
	written := &batch{spec: t.base.meta.SpecID}
	for _, g := range x.groups {
		var list []*stateFile
		for _, path := range g.paths {
			if f := byPath[path]; f != nil {
				list = append(list, f)
			}
		}
		if len(list) == 0 {
			x.forget(g)
			continue
		}
		if err := x.write(ctx, g, list); err != nil {
			return nil, err
		}
		for _, f := range list {
			c.gone[f.File.key()] = true
		}
		x.outcome.Rewritten += len(list)
		for i := range g.written {
			x.outcome.Rows += g.written[i].File.Rows
		}
		written.entries = append(written.entries, g.written...)
	}
	x.outcome.Written = len(written.entries)
	x.outcome.Cleared = s.dangling(c.gone)
	if len(c.gone) == 0 {
		return nil, nil //nolint:nilnil // the comment says so
	}
	c.add(written)
	return c, nil
}

// write writes the rows of a group, unless that was done before and nothing has changed.
func (x *compacter) write(ctx context.Context, g *group, list []*stateFile) error {
	var key strings.Builder
	var fragments []arrowio.Fragment
	within := list[0] // in whose partition all are
	for _, f := range list {
		text, err := f.fragment.Marshal()
		if err != nil {
			return err
		}
		key.Write(text)
		fragments = append(fragments, f.fragment)
		if f.spec != x.t.base.meta.SpecID {
			within = nil
		}
	}
	if g.key == key.String() || x.t.o.DryRun {
		return nil
	}
	x.forget(g)
	written, err := x.t.rewrite(ctx, fragments, within)
	if err != nil {
		return errs.Locate(err, errs.At{File: list[0].File.Path})
	}
	g.key, g.written = key.String(), written
	return nil
}

// forget leaves out what was written of a group.
func (x *compacter) forget(g *group) {
	for i := range g.written {
		x.stale = append(x.stale, g.written[i].File.Path)
	}
	g.key, g.written = "", nil
}
