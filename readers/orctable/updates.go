package orctable

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers/orc"
)

// everywhere bounds nothing.
var everywhere = box{[2]int64{math.MinInt64, math.MaxInt64}, [2]int64{math.MinInt64, math.MaxInt64}, [2]int64{math.MinInt64, math.MaxInt64}}

// updates is, for tables of version 1, the newest event of each row that was updated or deleted in place, by row id.
type updates struct {
	events []update
}

// update is an event and where it is stored.
type update struct {
	write, row int64
	bucket     int32
	op         int32
	current    int64
	stmt       int64
	frag       int // its number
	at         int64
}

func (u *updates) len() int {
	if u == nil {
		return 0
	}
	return len(u.events)
}

func compareIDs(a, b *update) int {
	return cmp.Or(cmp.Compare(a.write, b.write), cmp.Compare(a.bucket, b.bucket), cmp.Compare(a.row, b.row))
}

// newer orders events of one row id: by write id, then by statement; a delete is the last word of both. Where all that is
// the same, the order in which they are stored decides.
func newer(a, b *update) int {
	return cmp.Or(cmp.Compare(a.current, b.current), cmp.Compare(a.stmt, b.stmt), cmp.Compare(a.op, b.op), cmp.Compare(a.frag, b.frag), cmp.Compare(a.at, b.at))
}

// updateShare is about how many delete events an update takes the memory of.
const updateShare = 3

// loadUpdates reads what was updated or deleted in place.
func (t *Table) loadUpdates(ctx context.Context, frags []*fragment) (*updates, error) {
	u := &updates{}
	for _, g := range frags {
		if !g.of.events || g.of.operation.Max == 0 {
			continue
		}
		t.updated = true
		if err := t.loadUpdated(ctx, u, g); err != nil {
			return nil, at(g.of.path, err)
		}
	}
	slices.SortFunc(u.events, func(a, b update) int { return cmp.Or(compareIDs(&a, &b), -newer(&a, &b)) })
	u.events = slices.CompactFunc(u.events, func(a, b update) bool { return compareIDs(&a, &b) == 0 })
	return u, nil
}

func (t *Table) loadUpdated(ctx context.Context, u *updates, g *fragment) (err error) {
	f := g.of
	h, err := t.pool.acquire(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.release()) }()
	for _, s := range h.Splits() {
		err := h.readEvents(ctx, s, allEvents, func(b *eventBatch) error {
			for i, op := range b.ints[orc.Operation] {
				if op < 0 || op > 2 {
					return errs.Errorf(errs.ErrCorrupt, "operation %d", op)
				}
				if op == 0 || !t.ids.valid(b.longs[orc.Current][i]) {
					continue
				}
				if len(u.events) >= t.opt.DeleteEvents/updateShare {
					return errs.Errorf(errs.ErrLimit, "more than %d updates and deletes: %w allows more, a third of what it says", len(u.events), errs.Opt("orc-delete-events", ""))
				}
				x := b.update(i)
				x.stmt, x.frag = f.dir.stmt, g.number
				if err := checkBucket(x.bucket); err != nil {
					return err
				}
				u.events = append(u.events, x)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

var allEvents = []orc.EventColumn{orc.Operation, orc.Original, orc.Bucket, orc.RowID, orc.Current}

// update returns the i-th event of a batch.
func (b *eventBatch) update(i int) update {
	return update{
		write: b.longs[orc.Original][i], row: b.longs[orc.RowID][i], bucket: b.ints[orc.Bucket][i],
		op: b.ints[orc.Operation][i], current: b.longs[orc.Current][i], at: b.first + int64(i),
	}
}

// find returns the newest event of a row; nil = it was not changed in place.
func (u *updates) find(x *update) *update {
	i, ok := slices.BinarySearchFunc(u.events, x, func(a update, x *update) int { return compareIDs(&a, x) })
	if !ok {
		return nil
	}
	return &u.events[i]
}

// rows returns, sorted, the rows from first to end of a write id and a bucket that were changed.
func (u *updates) rows(write int64, bucket int32, first, end int64) (out []int64) {
	if u.len() == 0 {
		return nil
	}
	from := &update{write: write, bucket: bucket, row: first}
	i, _ := slices.BinarySearchFunc(u.events, from, func(a update, x *update) int { return compareIDs(&a, x) })
	for ; i < len(u.events); i++ {
		x := &u.events[i]
		if x.write != write || x.bucket != bucket || x.row >= end {
			break
		}
		out = append(out, x.row)
	}
	return out
}

// findSuperseded is findGone where rows were updated in place: of the events of a row id the newest is there, unless it is
// a delete.
func (t *Table) findSuperseded(ctx context.Context, h *handle, g *fragment, p *piece, set *eventSet, newest *updates) error {
	first := p.stored.Rows.Start
	return h.readEvents(ctx, p.stored, allEvents, func(b *eventBatch) error {
		for i := range b.rows {
			x := b.update(i)
			x.stmt, x.frag = g.of.dir.stmt, g.number
			gone := x.op == 2 || !t.ids.valid(x.current)
			if !gone {
				n := newest.find(&x)
				gone = n != nil && newer(&x, n) < 0
			}
			if !gone && set.len() > 0 {
				_, gone = slices.BinarySearch(set.find(x.write, x.bucket), x.row)
			}
			if gone {
				p.gone.Add(uint32(b.first - first + int64(i)))
			}
		}
		return nil
	})
}
