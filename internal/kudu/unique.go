package kudu

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// storedRow is a row by its place: in a rowset, or, where that is nil, among the rows that only the log has.
type storedRow struct {
	rs  *rowset
	row int64
}

// maxTwice bounds the keys that a salvage finds live twice.
const maxTwice = 1 << 20

// unique makes sure that no key of a tablet is live twice. That happens where the log lacks the operation that deleted a
// row on disk whose key was inserted again later. Kudu does not look for it when it starts.
//
// A log that begins with the tablet's first operation and has no gap lacks nothing. One that begins later may have lost its
// first segments, or the server has deleted them because nothing in memory needed them: nothing in the files tells these
// apart. So the keys of the rows that only the log has are looked up in the rowsets. Where operations are known to be
// missing the keys of all rowsets are compared.
//
// A salvage hides the older rows and reports them. It compares all keys, too, where it has lost changes of rows on disk.
func (f *File) unique(ctx context.Context, t *tablet) error {
	if f.dirs == nil || t.rebuilt != nil || f.opt.SkipLog || f.opt.verify || len(t.rowsets) == 0 || t.schema.Keys() == 0 {
		return nil // Verify compares all keys itself
	}
	stale := slices.IndexFunc(t.rowsets, func(rs *rowset) bool { return rs.stale })
	why := "the tablet has no write-ahead log"
	var keys [][]storedRow // rows of one key, in the order of the keys
	var first []byte
	var err error
	begins := false // operations before the first of the log are known to be missing
	switch {
	case t.log.absent != "" || len(t.log.lost) > 0:
		if t.log.absent == "" {
			why = "a part of the write-ahead log is missing"
		}
		keys, first, err = f.compareAll(ctx, t)
	case stale >= 0:
		why = fmt.Sprintf("changes of rowset %d cannot be read", t.rowsets[stale].meta.ID)
		keys, first, err = f.compareAll(ctx, t)
	case t.log.first.Index > 1 && t.mem.len() > 0:
		why = "the write-ahead log begins with operation " + t.log.first.String() + ", and at least one before it is missing"
		keys, first, err = f.lookUp(ctx, t)
		begins = len(keys) > 0
	}
	if err != nil || len(keys) == 0 {
		return err
	}
	if !f.opt.Salvage {
		a, b := keys[0][0], keys[0][1]
		return corrupt("%s live twice, the first is %s, in %s and in %s: %s", count(int64(len(keys)), "key"), keyText(t.schema, first), a, b, why)
	}
	if begins {
		f.lose(nil, at(t.place(), arrowio.UnknownRows), "tablet %s: %s", t.id, missingFirst(t.log.first))
	}
	return f.hide(ctx, t, keys, why)
}

func (r storedRow) String() string {
	if r.rs == nil {
		return "the log"
	}
	return fmt.Sprintf("rowset %d (row %d)", r.rs.meta.ID, r.row)
}

// lookUp finds the keys of rows that only the log has and that are live in a rowset, too.
func (f *File) lookUp(ctx context.Context, t *tablet) (keys [][]storedRow, first []byte, err error) {
	for _, rs := range t.rowsets {
		found, err := f.lookUpIn(ctx, t, rs)
		if err != nil && f.opt.Salvage && isData(err) {
			f.doubt(rs.place(), "%s: its rows may be older ones of keys that the log has, because its keys cannot be read: %v", rs.place(), err)
			continue
		}
		if err != nil {
			return nil, nil, inRowSet(err, rs)
		}
		if len(found) > 0 && first == nil {
			first = bytes.Clone(t.mem.key(int(found[0][0].row)))
		}
		if keys = append(keys, found...); len(keys) > maxTwice {
			return nil, nil, errs.Errorf(errs.ErrLimit, "more than %d keys are live twice", maxTwice)
		}
	}
	return keys, first, nil
}

func (f *File) lookUpIn(ctx context.Context, t *tablet, rs *rowset) (found [][]storedRow, err error) {
	defer rs.endLookup()
	least, greatest, err := rs.keyRange(ctx)
	if err != nil {
		return nil, err
	}
	n := t.mem.len()
	from := 0
	if least != nil {
		from, _ = slices.BinarySearchFunc(t.mem.order, least, func(i uint32, key []byte) int { return bytes.Compare(t.mem.m.keys.key(int(i)), key) })
	}
	for i := from; i < n; i++ {
		if i&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		key := t.mem.key(i)
		if greatest != nil && bytes.Compare(key, greatest) > 0 {
			break
		}
		row, ok, err := rs.find(ctx, key)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		shown, err := rs.shown(ctx, row)
		if err != nil {
			return nil, err
		}
		if shown && len(found) <= maxTwice {
			found = append(found, []storedRow{{nil, int64(i)}, {rs, row}})
		}
	}
	return found, nil
}

// keyRange returns the least and the greatest key of a rowset; nil = not known.
func (rs *rowset) keyRange(ctx context.Context) (least, greatest []byte, err error) {
	id, what, ok := rs.keyBlock()
	if !ok {
		return nil, nil, nil
	}
	r, closer, err := rs.file.block(ctx, id, what)
	if err != nil {
		return nil, nil, err
	}
	defer closer.Close()
	least, _ = r.Footer().Lookup(cfilewire.MetaMinKey)
	greatest, _ = r.Footer().Lookup(cfilewire.MetaMaxKey)
	return bytes.Clone(least), bytes.Clone(greatest), nil
}

// shown reports whether the snapshot sees a row, after all changes on disk and in the log. It keeps what it reads for the
// rows around, until endLookup.
func (rs *rowset) shown(ctx context.Context, row int64) (bool, error) {
	if rs.lookup == nil {
		rs.lookup = &lookup{}
	}
	l := rs.lookup
	size := rs.file.sizes.rows
	chunk := row / size
	live, known := l.seen[chunk]
	if !known {
		s := newState(arrowio.RowRange{Start: chunk * size, End: min(rs.rows, (chunk+1)*size)}, nil)
		s.snapshot = rs.file.opt.Snapshot
		if err := s.apply(ctx, rs); err != nil {
			return false, err
		}
		live = s.live
		l.seen = map[int64][]byte{chunk: live} // rows are asked for in order
	}
	at := row % size
	return live == nil || live[at>>3]>>(at&7)&1 == 1, nil
}

// compareAll finds all keys of a tablet that are live twice.
func (f *File) compareAll(ctx context.Context, t *tablet) (keys [][]storedRow, first []byte, err error) {
	var failed error
	v := &verifier{File: f, ctx: ctx, reading: true, ways: mergeWays, report: func(err error) {
		if failed == nil {
			failed = err
		}
	}}
	many := false
	checked, err := v.mergeKeys(t, func(a, b storedRow, key []byte) {
		n := len(keys)
		switch {
		case n > 0 && keys[n-1][len(keys[n-1])-1] == a:
			keys[n-1] = append(keys[n-1], b)
		case n == maxTwice:
			many = true
		default:
			keys = append(keys, []storedRow{a, b})
		}
		if first == nil {
			first = bytes.Clone(key)
		}
	})
	if err != nil && f.opt.Salvage && isData(err) {
		failed, err = err, nil
	}
	switch {
	case err != nil:
		return nil, nil, err
	case many:
		return nil, nil, errs.Errorf(errs.ErrLimit, "more than %d keys are live twice", maxTwice)
	case failed != nil && !f.opt.Salvage:
		return nil, nil, failed
	case failed != nil:
		f.doubt(t.place(), "%s: keys may be live twice, because not all keys can be read: %v", t.place(), failed)
	case !checked && !f.opt.Salvage:
		return nil, nil, errs.Errorf(errs.ErrUnsupported, "a part of the write-ahead log is missing, and more than %d rowsets have overlapping keys: whether keys are live twice cannot be checked", mergeWays)
	case !checked:
		f.doubt(t.place(), "%s: keys may be live twice: more than %d rowsets have overlapping keys, which is more than can be compared", t.place(), mergeWays)
	}
	return keys, first, nil
}

// hide deletes all rows of each key but the newest.
func (f *File) hide(ctx context.Context, t *tablet, keys [][]storedRow, why string) error {
	born := map[*rowset]map[int64]uint64{} // when rows were inserted, as far as undo deltas tell
	for _, rows := range keys {
		for _, r := range rows {
			if r.rs == nil || rows[0].rs == nil {
				continue
			}
			if born[r.rs] == nil {
				born[r.rs] = map[int64]uint64{}
			}
			born[r.rs][r.row] = 0
		}
	}
	for rs, rows := range born {
		if err := f.births(ctx, rs, rows); err != nil {
			return inRowSet(err, rs)
		}
	}
	newer := func(a, b storedRow) int {
		switch {
		case a.rs == nil:
			return 1
		case b.rs == nil:
			return -1
		}
		return cmp.Or(cmp.Compare(born[a.rs][a.row], born[b.rs][b.row]), cmp.Compare(a.rs.meta.ID, b.rs.meta.ID))
	}
	hidden := map[*rowset][]int64{}
	unsure := int64(0)
	for _, rows := range keys {
		newest := slices.MaxFunc(rows, newer)
		if newest.rs != nil && slices.ContainsFunc(rows, func(r storedRow) bool { return r != newest && born[r.rs][r.row] == born[newest.rs][newest.row] }) {
			unsure++
		}
		for _, r := range rows {
			if r != newest {
				hidden[r.rs] = append(hidden[r.rs], r.row)
			}
		}
	}
	if unsure > 0 {
		w := at(t.place(), unsure)
		w.Kind = arrowio.WarnDoubt
		f.warn(w, "%s: %s live twice and nothing tells which row is the newest: that of the later rowset is shown, which may be the older one", t.place(), counted(unsure, "key is", "keys are"))
	}
	for _, rs := range t.rowsets {
		rows := hidden[rs]
		if len(rows) == 0 {
			continue
		}
		rs.log = slices.Clip(rs.log) // the rest of the array may be in use elsewhere
		for _, row := range rows {
			rs.log = append(rs.log, logDelta{row: row, change: deleteChange})
		}
		slices.SortStableFunc(rs.log, func(a, b logDelta) int { return cmp.Compare(a.row, b.row) })
		f.lose(nil, at(rs.place(), int64(len(rows))), "%s: %s: %s", rs.place(),
			counted(int64(len(rows)), "row is left out, because a newer row has its key, and the deletion of the older one is lost", "rows are left out, because newer rows have their keys, and the deletions of the older ones are lost"), why)
	}
	return nil
}

// births finds out when rows of a rowset were inserted: 0 where its undo deltas do not tell.
func (f *File) births(ctx context.Context, rs *rowset, rows map[int64]uint64) error {
	for _, id := range rs.meta.Undo {
		r, c, err := f.block(ctx, id, "deltas")
		if err != nil {
			continue // it is the newest of several rows that is asked for: without deltas the later rowset has it
		}
		d, err := r.NewDeltas(ctx, arrowio.RowRange{End: math.MaxInt64}, nil)
		if err == nil {
			d.Pass = func(error) {}
			for d.Next() {
				if at, ok := rows[d.Key.Row]; ok && len(d.Change) > 0 && cfilewire.Op(d.Change[0]) == cfilewire.Delete {
					rows[d.Key.Row] = max(at, d.Key.Time)
				}
			}
		}
		_ = c.Close()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
