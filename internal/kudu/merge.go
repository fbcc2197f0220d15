package kudu

import (
	"context"
	"fmt"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
)

// openMerged opens all replicas of a tablet, and hides of each key all rows but the newest.
func (c *Cluster) openMerged(ctx context.Context, x *replicas) error {
	var files []*File
	var of []*replica
	var first error
	for _, r := range x.all {
		if !r.readable() {
			if !r.gone() {
				c.doubt("tablet "+x.id, "tablet %s: server %s has no rows that can be read: %s", x.id, r.server.name(), r.fault())
			}
			continue
		}
		f, err := c.openReplica(ctx, x, r)
		switch {
		case err == nil:
			files, of = append(files, f), append(of, r)
		case ctx.Err() != nil || !r.server.passes(err):
			return err
		default:
			if first == nil {
				first = err
			}
			r.harm = append(r.harm, err.Error())
			c.doubt("tablet "+x.id, "tablet %s: the replica of server %s is left out: %v", x.id, r.server.name(), err)
		}
	}
	if len(files) == 0 {
		return first
	}
	for i, f := range files {
		if len(f.losses.lines) == 0 && len(of[i].harm) == 0 && x.further(of[i]) == nil && x.unsure(of[i], true) == nil {
			of[i].why = "whole, and no other goes further"
			c.note("tablet %s: read from server %s (%s): %s, so nothing is merged", x.id, f.server.name(), f.server.path, of[i].why)
			c.use(f)
			return nil
		}
	}
	m := &merger{ctx: ctx, taken: make([]int64, len(files)), alone: make([]int64, len(files))}
	for i, f := range files {
		for _, rs := range f.tablets[0].rowsets {
			m.waiting = append(m.waiting, &mergeSource{rank: i, rs: rs})
		}
		if mem := f.tablets[0].mem; mem != nil && mem.m != nil && len(mem.m.rows) > 0 {
			m.waiting = append(m.waiting, &mergeSource{rank: i, mem: mem})
		}
	}
	if err := m.run(); err != nil {
		return fmt.Errorf("tablet %s: %w", x.id, err)
	}
	c.tellMerge(x, files, m)
	return nil
}

// tellMerge takes the files into the table, and tells what was merged.
func (c *Cluster) tellMerge(x *replicas, files []*File, m *merger) {
	place := "tablet " + x.id
	var parts []string
	for i, f := range files {
		parts = append(parts, fmt.Sprintf("%s of server %s (%s only there)", counted(m.taken[i], "row", "rows"), f.server.name(), counted(m.alone[i], "is", "are")))
	}
	w := at(place, arrowio.UnknownRows)
	w.Kind = arrowio.WarnDoubt
	c.warn(w, "%s: merged from %s: %s; %s in several versions, of which the newest is taken. Rows that are only in one replica may have been deleted", place, counted(int64(len(files)), "replica", "replicas"),
		strings.Join(parts, ", "), counted(m.conflicts, "key is there", "keys are there"))
	if m.deleted > 0 {
		c.note("%s: %s left out, because another replica has the deletion", place, counted(m.deleted, "row is", "rows are"))
	}
	if m.replaced > 0 {
		w.Rows = m.replaced
		c.warn(w, "%s: %s older, because the newest version is damaged", place, counted(m.replaced, "row is", "rows are"))
	}
	c.lose(nil, at(place, arrowio.UnknownRows), "%s: no replica is known to be whole up to the last operation: what all of them have lost, or never had, is missing or old", place)
	for _, f := range files {
		f.mu.Lock()
		for _, l := range f.losses.lines { // which other replicas may make good
			l.Kind = arrowio.WarnDoubt
			l.Text = "not in this replica: " + strings.TrimPrefix(l.Text, "lost: ")
			f.doubts.add(l)
		}
		f.losses = lineList{}
		f.mu.Unlock()
		c.use(f)
	}
}
