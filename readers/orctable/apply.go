package orctable

import (
	"context"
	"errors"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/readers/orc"
)

// apply finds the rows of a partition that are not there: those that delete events name, and those whose write id is not
// valid. In files of version 1, it is those that are not the newest of their row id.
func (t *Table) apply(ctx context.Context, p *partition, deletes []*dataFile, frags []*fragment) error {
	set := &eventSet{most: t.opt.DeleteEvents}
	for _, f := range deletes {
		if err := t.loadDeletes(ctx, f, set); err != nil {
			return at(f.path, err)
		}
	}
	set.finish()
	newest, err := t.loadUpdates(ctx, frags)
	if err != nil {
		return err
	}
	var work []task
	for _, g := range frags {
		for i := range g.pieces {
			work = append(work, task{g, &g.pieces[i]})
		}
	}
	err = each(ctx, len(work), func(i int) error {
		w := work[i]
		return at(w.frag.of.path, t.findGone(ctx, w.frag, w.piece, set, newest))
	})
	gone := int64(0)
	for _, w := range work {
		gone += w.piece.gone.Total()
	}
	t.gone += gone
	if err == nil && t.ids == everything && newest.len() == 0 {
		t.warnAbsent(p, int64(set.distinct())-gone)
	}
	return err
}

// task is a piece to be looked at.
type task struct {
	frag  *fragment
	piece *piece
}

// loadDeletes adds the visible events of a file of deletes.
func (t *Table) loadDeletes(ctx context.Context, f *dataFile, set *eventSet) (err error) {
	h, err := t.pool.acquire(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.release()) }()
	columns := []orc.EventColumn{orc.Operation, orc.Original, orc.Bucket, orc.RowID}
	filter := !t.allValid(f.current)
	if filter {
		columns = append(columns, orc.Current)
	}
	for _, s := range h.Splits() {
		err := h.readEvents(ctx, s, columns, func(b *eventBatch) error {
			for _, op := range b.ints[orc.Operation] {
				if op != 2 {
					return errs.Errorf(errs.ErrCorrupt, "it holds an event that is no delete: %s", operationName(int64(op)))
				}
			}
			w, k, r := b.longs[orc.Original], b.ints[orc.Bucket], b.longs[orc.RowID]
			if !filter {
				return set.add(w, k, r)
			}
			for start, end := range validRuns(b.longs[orc.Current], t.ids) {
				if err := set.add(w[start:end], k[start:end], r[start:end]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// allValid reports whether every write id that a column may hold is valid.
func (t *Table) allValid(r orc.EventRange) bool {
	return t.ids == everything || r.Known && t.ids.all(r.Min, r.Max)
}

// validRuns yields the runs of events whose write ids are valid.
func validRuns(current []int64, ids *writeIDs) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		for i := 0; i < len(current); {
			k := i + 1
			for k < len(current) && current[k] == current[i] {
				k++
			}
			if ids.valid(current[i]) && !yield(i, k) {
				return
			}
			i = k
		}
	}
}

// findGone notes which rows of a piece are not there. Statistics tell which pieces need no look.
func (t *Table) findGone(ctx context.Context, g *fragment, p *piece, set *eventSet, newest *updates) (err error) {
	if !g.of.events {
		return t.findGoneRaw(g, p, set, newest)
	}
	if set.len() == 0 && newest.len() == 0 && t.allValid(g.of.current) {
		return nil
	}
	h, err := t.pool.acquire(ctx, g.of)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.release()) }()
	ranges, err := h.SplitEventRanges(ctx, p.stored)
	if err != nil {
		return err
	}
	filter := !t.allValid(ranges[orc.Current])
	one := ranges[orc.Original].Known && ranges[orc.Original].Min == ranges[orc.Original].Max && ranges[orc.Bucket].Known && ranges[orc.Bucket].Min == ranges[orc.Bucket].Max
	deleted := set.len() > 0 && set.may(boxOf(ranges))
	if newest.len() > 0 {
		return t.findSuperseded(ctx, h, g, p, set, newest)
	}
	var columns []orc.EventColumn
	if deleted {
		columns = []orc.EventColumn{orc.RowID}
		if !one {
			columns = append(columns, orc.Original, orc.Bucket)
		}
	}
	if filter {
		columns = append(columns, orc.Current)
	}
	if len(columns) == 0 {
		return nil
	}
	m := matcher{set: set}
	first := p.stored.Rows.Start
	var hits []uint32
	if one && deleted {
		if err := m.one(ranges[orc.Original].Min, int32(ranges[orc.Bucket].Min)); err != nil {
			return err
		}
	}
	if one && deleted && !filter {
		done, err := h.ReadRowIDs(ctx, p.stored, arrowbuf.Shared(), func(row int64, ids orc.RowIDs) error {
			m.take(&p.gone, ids, row-first)
			return nil
		})
		if done || err != nil {
			return err
		}
	}
	return h.readEvents(ctx, p.stored, columns, func(b *eventBatch) error {
		hits = hits[:0]
		base := b.first - first
		if deleted {
			hit := func(pos int64) { hits = append(hits, uint32(pos)) }
			if one {
				m.matchSome(b.longs[orc.RowID], base, hit)
			} else if err := m.match(b.longs[orc.Original], b.ints[orc.Bucket], b.longs[orc.RowID], base, hit); err != nil {
				return err
			}
		}
		if !filter {
			for _, x := range hits {
				p.gone.Add(x)
			}
			return nil
		}
		at := uint32(base)
		for start, end := range validRuns(b.longs[orc.Current], t.ids) {
			for ; at < uint32(base)+uint32(start); at++ {
				p.gone.Add(at)
			}
			at = uint32(base) + uint32(end)
			for len(hits) > 0 && hits[0] < at {
				if x := hits[0]; x >= uint32(base)+uint32(start) {
					p.gone.Add(x)
				}
				hits = hits[1:]
			}
		}
		for ; at < uint32(base)+uint32(b.rows); at++ {
			p.gone.Add(at)
		}
		return nil
	})
}

// boxOf bounds the row ids of a stripe by its statistics.
func boxOf(ranges [5]orc.EventRange) box {
	b := everywhere
	for _, x := range []struct {
		c  orc.EventColumn
		to *[2]int64
	}{{orc.Original, &b.write}, {orc.Bucket, &b.bucket}, {orc.RowID, &b.row}} {
		if r := ranges[x.c]; r.Known {
			*x.to = [2]int64{r.Min, r.Max}
		}
	}
	return b
}

// cut returns those of sorted numbers from first to end.
func cut(rows []int64, first, end int64) []int64 {
	i, _ := slices.BinarySearch(rows, first)
	k, _ := slices.BinarySearch(rows, end)
	return rows[i:k]
}

// takeAway notes rows, counted from first, as gone.
func (p *piece) takeAway(rows []int64, first int64) {
	slices.Sort(rows)
	for _, r := range slices.Compact(rows) {
		p.gone.Add(uint32(r - first))
	}
}

// findGoneRaw is findGone for a file without events, whose row ids follow from where its rows are.
func (t *Table) findGoneRaw(g *fragment, p *piece, set *eventSet, newest *updates) error {
	raw := g.of.raw
	if !raw.known {
		b := everywhere
		b.write = [2]int64{raw.write, raw.write}
		if set.len() > 0 && set.may(b) {
			return errs.Errorf(errs.ErrUnsupported, "rows of write id %d were deleted, and neither the file nor its name tells the ids of its rows", raw.write)
		}
		return nil
	}
	first, end := raw.first+p.stored.Rows.Start, raw.first+p.stored.Rows.End
	var rows []int64
	for _, bucket := range raw.buckets() {
		rows = append(rows, cut(set.find(raw.write, bucket), first, end)...)
		rows = append(rows, newest.rows(raw.write, bucket, first, end)...)
	}
	p.takeAway(rows, first)
	return nil
}
