package orctable

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers/orc"
)

// A delete event names a row that was there when it was written, and minor compaction keeps the rows that it keeps deletes of. So an
// event that names a row that no chosen file has tells of a delta, a bucket or originals that are gone. Rows up to the write id of a
// base are another matter: they may be gone by right, where an event is of a transaction that was aborted.

// warnAbsent warns of n rows that are named by the delete events of a partition without a base, and that no file has.
func (t *Table) warnAbsent(p *partition, n int64) {
	if n <= 0 || p.choice.base >= 0 {
		return
	}
	text := fmt.Sprintf("%s in no file: a delta or a bucket may be missing, with rows that were not deleted; arrowio verify names one", deletedRows(n))
	if p.path != "" {
		text = p.path + ": " + text
	}
	t.warn(arrowio.WarnDoubt, p.path, text)
}

func deletedRows(n int64) string {
	if n == 1 {
		return "1 row that was deleted is"
	}
	return fmt.Sprintf("%d rows that were deleted are", n)
}

// verifyDeletes reports the first row that delete events of a partition name and that no file has.
func (t *Table) verifyDeletes(ctx context.Context, p *partition, report func(error)) error {
	var deletes, stored []*dataFile
	for _, d := range p.chosen() {
		for _, f := range p.in(d) {
			switch {
			case f.rows == 0:
			case d != nil && d.kind == deleteDelta:
				deletes = append(deletes, f)
			case !f.events && !f.raw.known:
				return nil // the ids of its rows are not known
			default:
				stored = append(stored, f)
			}
		}
	}
	if len(deletes) == 0 {
		return nil
	}
	set := &eventSet{most: t.opt.DeleteEvents}
	for _, f := range deletes {
		if err := t.loadDeletes(ctx, f, set); err != nil {
			return at(f.path, err)
		}
	}
	set.finish()
	named := &namedRows{set: set, found: make([]uint64, (set.len()+63)/64), buckets: map[int32]bool{}, base: math.MinInt64}
	if p.choice.base >= 0 && t.ids == everything {
		named.base = p.dirs[p.choice.base].min
	}
	for _, f := range stored {
		if err := t.findNamed(ctx, f, named); err != nil {
			return at(f.path, err)
		}
	}
	n, first, g := named.absent(t.ids)
	if n == 0 {
		return nil
	}
	report(at(p.path, errs.Errorf(errs.ErrCorrupt, "%s in no file, the first of them row %d of write id %d, bucket %d (%d): a base, a delta or a bucket is missing",
		deletedRows(n), first, g.write, bucketNumber(g.bucket), g.bucket)))
	return nil
}

// bucketNumber is the bucket in the bits of a row id.
func bucketNumber(bits int32) int32 {
	if bits>>29 == 0 {
		return bits
	}
	return bits >> 16 & 0xfff
}

// namedRows is which of the rows that delete events name were found, a bit for each event.
type namedRows struct {
	set     *eventSet
	found   []uint64
	buckets map[int32]bool // that rows are of
	base    int64          // rows up to this write id may be gone by right, but not whole buckets
}

// mark notes that a row of a group is there.
func (m *namedRows) mark(group int, row int64) {
	rows, start := m.set.of(group), int(m.set.groups[group].start)
	for i, ok := slices.BinarySearch(rows, row); ok && i < len(rows) && rows[i] == row; i++ {
		m.found[(start+i)/64] |= 1 << ((start + i) % 64)
	}
}

// group returns which group a write id and a bucket are.
func (m *namedRows) group(write int64, bucket int32) (int, bool) {
	return slices.BinarySearchFunc(m.set.groups, eventGroup{write: write, bucket: bucket}, compareGroups)
}

// absent counts the rows of valid write ids that were not found, and returns the first of them.
func (m *namedRows) absent(ids *writeIDs) (n, first int64, of eventGroup) {
	for i, g := range m.set.groups {
		if !ids.valid(g.write) && g.write != 0 || g.write <= m.base && m.buckets[bucketNumber(g.bucket)] {
			continue
		}
		rows, start := m.set.of(i), int(g.start)
		for k, row := range rows {
			if m.found[(start+k)/64]>>((start+k)%64)&1 != 0 || k > 0 && rows[k-1] == row {
				continue
			}
			if n++; n == 1 {
				first, of = row, g
			}
		}
	}
	return n, first, of
}

// findNamed marks the rows of a file.
func (t *Table) findNamed(ctx context.Context, f *dataFile, named *namedRows) (err error) {
	if !f.events {
		for _, bucket := range f.raw.buckets() {
			named.buckets[bucketNumber(bucket)] = true
			if g, ok := named.group(f.raw.write, bucket); ok {
				for _, row := range cut(named.set.of(g), f.raw.first, f.raw.first+f.rows) {
					named.mark(g, row)
				}
			}
		}
		return nil
	}
	h, err := t.pool.acquire(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.release()) }()
	for _, s := range h.Splits() {
		ranges, err := h.SplitEventRanges(ctx, s)
		if err != nil {
			return err
		}
		if r := ranges[orc.Bucket]; r.Known {
			named.buckets[bucketNumber(int32(r.Min))], named.buckets[bucketNumber(int32(r.Max))] = true, true
			if !named.set.may(boxOf(ranges)) {
				continue
			}
		}
		err = h.readEvents(ctx, s, []orc.EventColumn{orc.Original, orc.Bucket, orc.RowID}, func(b *eventBatch) error {
			write, bucket := b.longs[orc.Original], b.ints[orc.Bucket]
			g, ok := 0, false
			for i, row := range b.longs[orc.RowID] {
				if i == 0 || write[i] != write[i-1] || bucket[i] != bucket[i-1] {
					named.buckets[bucketNumber(bucket[i])] = true
					g, ok = named.group(write[i], bucket[i])
				}
				if ok {
					named.mark(g, row)
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
