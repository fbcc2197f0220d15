package icebergtable

import (
	"context"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// deleted writes manifests in which all files of others are deleted.
func (w *writer) deleted(ctx context.Context, b *base, c *change, old []manifestFile, sequence int64, t *tally) ([]manifestFile, error) {
	var out []manifestFile
	for i := range old {
		m := &old[i]
		entries, err := w.entries(ctx, b, m)
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 {
			continue
		}
		for k := range entries {
			e := &entries[k]
			e.Status, e.SnapshotID = statusDeleted, &c.id
			t.remove(e)
		}
		n, err := w.newManifest(ctx, b, c, int(m.SpecID), m.Content == 1, entries)
		if err != nil {
			return nil, err
		}
		n.Sequence, n.MinSequence = sequence, sequence
		out = append(out, n)
	}
	return out, nil
}

// without writes manifests in the place of those that list files which are deleted.
func (w *writer) without(ctx context.Context, b *base, c *change, old []manifestFile, sequence int64, t *tally) ([]manifestFile, error) {
	var out []manifestFile
	found := 0
	for i := range old {
		m := &old[i]
		all, err := w.cachedEntries(ctx, b, m)
		if err != nil {
			return nil, err
		}
		entries, n := append([]manifestEntry{}, all...), 0
		for k := range entries {
			e := &entries[k]
			e.Status = statusExisting
			if c.gone[e.File.key()] {
				e.Status, e.SnapshotID = statusDeleted, &c.id
				t.remove(e)
				n++
			}
		}
		if found += n; n == 0 {
			out = append(out, *m)
			continue
		}
		made, err := w.newManifest(ctx, b, c, int(m.SpecID), m.Content == 1, entries)
		if err != nil {
			return nil, err
		}
		made.Sequence, made.MinSequence = sequence, leastSequence(entries, sequence)
		out = append(out, made)
	}
	if found != len(c.gone) {
		return nil, errs.Errorf(errs.ErrCorrupt, "the manifests list %d of %d files that are to be deleted: they list a file twice, or not at all", found, len(c.gone))
	}
	return out, nil
}

// leastSequence is the lowest sequence number of files that are not deleted; those without one have that of the snapshot.
func leastSequence(entries []manifestEntry, sequence int64) int64 {
	least := sequence
	for i := range entries {
		if e := &entries[i]; e.Status != statusDeleted && e.Sequence != nil {
			least = min(least, *e.Sequence)
		}
	}
	return least
}

// cachedEntries returns what entries returns, and keeps it: manifests never change. The caller must not change it.
func (w *writer) cachedEntries(ctx context.Context, b *base, m *manifestFile) ([]manifestEntry, error) {
	if found, ok := w.cache[m.Path]; ok {
		return found, nil
	}
	entries, err := w.entries(ctx, b, m)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		w.cached += entries[i].File.held()
	}
	const times = 16 // Limits.MetadataBytes
	if w.cached > times*w.most {
		return nil, errs.Errorf(errs.ErrLimit, "the files of the table take more than %d bytes to describe (%d times Limits.MetadataBytes)", times*w.most, times)
	}
	if w.cache == nil {
		w.cache = map[string][]manifestEntry{}
	}
	w.cache[m.Path] = entries
	return entries, nil
}
