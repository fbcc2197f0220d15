package icebergtable

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// partitionReplacer plans a change that replaces the files of the partitions that new rows are in.
type partitionReplacer struct {
	t     *Table
	id    int64 // of the snapshot
	parts []partField
	added *batch
}

// plan says what becomes of the table in its present state; nil = nothing, because there are no new rows.
func (r *partitionReplacer) plan(ctx context.Context) (*change, error) {
	if len(r.added.entries) == 0 {
		return nil, nil //nolint:nilnil // the comment says so
	}
	s, err := r.t.listed(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.current(r.t.base.meta.SpecID); err != nil {
		return nil, err
	}
	touched := map[string]bool{}
	for i := range r.added.entries {
		touched[valuesIn(r.parts, &r.added.entries[i])] = true
	}
	c := &change{op: opOverwrite, id: r.id, gone: map[fileKey]bool{}, partitions: true}
	for _, f := range s.data {
		if touched[valuesIn(r.parts, &f.manifestEntry)] {
			c.gone[f.File.key()] = true
		}
	}
	if len(c.gone) > 0 {
		s.dangling(c.gone)
	}
	c.add(r.added)
	return c, nil
}

// valuesIn tells the partitions of one spec apart.
func valuesIn(parts []partField, e *manifestEntry) string {
	var b strings.Builder
	for i := range parts {
		if p := &parts[i]; p.Transform.Kind != iceberg.Void {
			v := fromAvro(&p.typ, e.File.Partition[p.avroName]) // old files may have a narrower type
			fmt.Fprintf(&b, "%t:%x ", v == nil, single(v))
		}
	}
	return b.String()
}

// listed returns the files of the table as its manifests have them, without fragments.
func (t *Table) listed(ctx context.Context) (*state, error) {
	s := newState()
	snapshot, err := t.base.current()
	if err != nil || snapshot == nil {
		return s, err
	}
	return s, t.list(ctx, s, snapshot.List)
}

// current returns an error if data files have another partition spec, because their partitions do not tell which rows are replaced.
func (s *state) current(spec int) error {
	if i := slices.IndexFunc(s.data, func(f *stateFile) bool { return f.spec != spec }); i >= 0 {
		return errs.Errorf(
			errs.ErrUnsupported, "the file %s, and perhaps others, has an older partition spec than the table, so that its partition does not tell whether its rows are replaced: use %w",
			s.data[i].File.Path, errs.Opt(optionWhere, ""),
		)
	}
	return nil
}

// canReplacePartitions returns an error for tables of which partitions cannot be replaced.
func (t *Table) canReplacePartitions() error {
	if t.unpartitioned(t.base.meta.SpecID) {
		return errs.Errorf(errs.ErrOption, "the table is not partitioned: %w replaces all its rows", errs.Opt(optionMode, modeOverwrite))
	}
	return nil
}
