package kudu

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// state is what the changes to a range of a rowset's rows come to at a snapshot: which rows are there, and which cells
// differ from what the columns store.
//
//	stored rows  ← UNDOs at or after the snapshot, newest first  ← REDOs before it, oldest first  ← the log's, likewise
//
// Changes are taken file by file, in that order; within a file those of a row are in order.
type state struct {
	rows     arrowio.RowRange
	snapshot uint64 // 0 = everything
	live     []byte // a bit for each row; nil = all are there
	columns  map[int32]*updates
	limit    int64 // bytes that updates may take
	taken    int64
	pass     bool // over what cannot be read, which has been told
}

// updates are new cells of one column, one for each row that has some, by row.
type updates struct {
	cells  []update
	data   []byte
	sorted bool
}

// update is the new cell of a row.
type update struct {
	row  int32 // counted from the first of the range
	size int32 // -1 = null
	off  int   // in updates.data
}

const updateBytes = 16

// newState returns the state of rows without any change. Updates are collected for the columns given, by id.
func newState(rows arrowio.RowRange, columns []int32) *state {
	s := &state{rows: rows, limit: math.MaxInt64}
	for _, id := range columns {
		if s.columns == nil {
			s.columns = map[int32]*updates{}
		}
		s.columns[id] = &updates{sorted: true}
	}
	return s
}

// matters reports whether a delta file holds anything that the state is to know.
func (s *state) matters(st *cfilewire.DeltaStats) bool {
	if st.Deletes > 0 || st.Reinserts > 0 {
		return true
	}
	return slices.ContainsFunc(st.Updates, func(u cfilewire.ColumnUpdates) bool { return s.columns[u.ID] != nil })
}

// apply takes all changes to the rows that the snapshot sees.
func (s *state) apply(ctx context.Context, rs *rowset) error {
	sc := &cfile.Scratch{}
	s.pass = rs.file.opt.Salvage
	for _, d := range rs.undo {
		if err := s.applyFile(ctx, rs, d, sc, func(t uint64) bool { return s.snapshot > 0 && t >= s.snapshot }); err != nil {
			return err
		}
	}
	for _, d := range rs.redo {
		if err := s.applyFile(ctx, rs, d, sc, func(t uint64) bool { return s.snapshot == 0 || t < s.snapshot }); err != nil {
			return err
		}
	}
	for _, d := range rs.log.from(s.rows.Start) {
		if d.row >= s.rows.End {
			break
		}
		if err := s.change(d.row, d.change); err != nil {
			return err
		}
	}
	if rs.hidden != nil {
		s.hide(rs.hidden)
	}
	for _, u := range s.columns {
		u.finish()
	}
	return nil
}

// hide deletes the rows whose bits are set.
func (s *state) hide(hidden []byte) {
	for row := s.rows.Start; row < s.rows.End; row++ {
		if hidden[row>>3]>>(row&7)&1 == 0 {
			continue
		}
		i := int(row - s.rows.Start)
		s.allLive()
		s.live[i>>3] &^= 1 << (i & 7)
	}
}

// allLive makes the bits of rows of which none is gone so far.
func (s *state) allLive() {
	if s.live == nil {
		n := int(s.rows.Len())
		s.live = make([]byte, (n+7)/8)
		bitpack.FillBits(s.live, 0, n, true)
	}
}

func (s *state) applyFile(ctx context.Context, rs *rowset, d deltaFile, sc *cfile.Scratch, seen func(time uint64) bool) error {
	if !s.matters(&d.stats) {
		return nil
	}
	r, c, err := rs.file.block(ctx, d.block, "deltas")
	if err != nil {
		return err
	}
	defer c.Close()
	rows := s.rows
	if rows.End == rs.rows {
		rows.End = math.MaxInt64 // no delta may be of a row behind
	}
	changes, err := r.NewDeltas(ctx, rows, sc)
	if err != nil {
		return rs.file.inBlock(err, d.block, "deltas")
	}
	if s.pass {
		changes.Pass = func(error) {}
	}
	for changes.Next() {
		if changes.Key.Row >= rs.rows {
			if s.pass {
				continue
			}
			return rs.file.inBlock(behind(changes.Key.Row, rs), d.block, "deltas")
		}
		if seen(changes.Key.Time) {
			if err := s.change(changes.Key.Row, changes.Change); err != nil {
				return rs.file.inBlock(err, d.block, "deltas")
			}
		}
	}
	if changes.Err != nil {
		return rs.file.inBlock(changes.Err, d.block, "deltas")
	}
	return ctx.Err()
}

func behind(row int64, rs *rowset) error {
	return errs.Errorf(errs.ErrCorrupt, "a delta of row %d, the rowset has %d", row, rs.rows)
}

// change takes one change list.
func (s *state) change(row int64, list []byte) error {
	op, c, err := cfilewire.ParseChange(list)
	if err != nil {
		if s.pass {
			return nil
		}
		return err
	}
	i := int(row - s.rows.Start)
	if op == cfilewire.Delete {
		s.allLive()
		s.live[i>>3] &^= 1 << (i & 7)
		return nil
	}
	if op == cfilewire.Reinsert && s.live != nil {
		s.live[i>>3] |= 1 << (i & 7)
	}
	if s.columns == nil {
		return nil
	}
	for c.Next() {
		u := s.columns[c.Column]
		if u == nil {
			continue
		}
		if s.taken += updateBytes + int64(len(c.Value)); s.taken > s.limit {
			return errs.Errorf(errs.ErrLimit, "changed cells of %d rows are over the limit SplitBytes = %d", s.rows.Len(), s.limit)
		}
		u.add(int32(i), c.Value, c.Null)
	}
	if s.pass {
		return nil
	}
	return c.Err
}

func (u *updates) add(row int32, value []byte, null bool) {
	n := len(u.cells)
	next := update{row: row, size: -1, off: len(u.data)}
	if !null {
		next.size = int32(len(value))
		u.data = append(u.data, value...)
	}
	if n > 0 && u.cells[n-1].row >= row {
		if u.cells[n-1].row == row { // the later one counts
			u.cells[n-1] = next
			return
		}
		u.sorted = false
	}
	u.cells = append(u.cells, next)
}

// finish sorts the cells by row and leaves the last of each.
func (u *updates) finish() {
	if u.sorted {
		return
	}
	slices.SortStableFunc(u.cells, func(a, b update) int { return cmp.Compare(a.row, b.row) })
	out := u.cells[:0]
	for i, c := range u.cells {
		if i+1 == len(u.cells) || u.cells[i+1].row != c.row {
			out = append(out, c)
		}
	}
	u.cells, u.sorted = out, true
}

// value returns a cell's bytes.
func (u *updates) value(c update) []byte { return u.data[c.off : c.off+int(c.size)] }
