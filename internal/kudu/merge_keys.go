package kudu

import (
	"bytes"
	"container/heap"
	"context"
	"io"
	"math"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/cfile"
)

// maxMergeSources bounds the rowsets whose keys are merged at once.
const maxMergeSources = 1024

// mergeSource is the keys of a rowset, or of what only the log has, of one replica, in order. Rows that are gone are there, too, since
// they tell of deletions.
type mergeSource struct {
	rank int // of the replica
	rs   *rowset
	mem  *memRows
	key  []byte
	row  int64

	keys   *cfile.Keys
	closer io.Closer
	order  []uint32 // of all rows of mem
	hide   []byte   // a bit for each row of mem
	chunk  mergeChunk
}

// mergeChunk is what is known of a range of rows.
type mergeChunk struct {
	rows  arrowio.RowRange
	live  []byte // nil = all
	times []uint64
	bad   []byte // a cell is lost; nil = none
}

// version is what a replica has of a key.
type version struct {
	rank int
	time uint64 // of the last change; 0 = not known
	live bool
	bad  bool // a cell of the row is lost
	src  *mergeSource
	row  int64
}

// merger merges the keys of the replicas of a tablet. It is the heap of the sources that are open.
type merger struct {
	ctx       context.Context
	waiting   []*mergeSource
	active    []*mergeSource
	versions  []version
	taken     []int64 // rows of each replica
	alone     []int64 // of those, rows that no other replica has
	conflicts int64   // keys of which replicas have different versions
	deleted   int64   // rows that are hidden since a later deletion is known
	replaced  int64   // rows whose newest version is damaged, and that are shown in an older one
}

func (m *merger) Len() int           { return len(m.active) }
func (m *merger) Less(i, j int) bool { return bytes.Compare(m.active[i].key, m.active[j].key) < 0 }
func (m *merger) Swap(i, j int)      { m.active[i], m.active[j] = m.active[j], m.active[i] }
func (m *merger) Push(x any)         { m.active = append(m.active, x.(*mergeSource)) }
func (m *merger) Pop() any {
	last := m.active[len(m.active)-1]
	m.active = m.active[:len(m.active)-1]
	return last
}

// run decides about all keys, and hides the rows that are not taken.
func (m *merger) run() error {
	all := m.waiting
	defer func() {
		for _, s := range all {
			s.close()
		}
	}()
	if len(all) > maxMergeSources {
		return errs.Errorf(errs.ErrLimit, "kudu: the replicas have %d rowsets, and at most %d can be merged", len(all), maxMergeSources)
	}
	for _, s := range all {
		if s.open(m.ctx) && s.next(m.ctx) {
			heap.Push(m, s)
		}
		if err := m.ctx.Err(); err != nil {
			return err
		}
	}
	var key []byte
	for n := 0; len(m.active) > 0; n++ {
		if n&1023 == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		s := m.active[0]
		if len(m.versions) > 0 && !bytes.Equal(key, s.key) {
			m.decide()
		}
		if len(m.versions) == 0 {
			key = append(key[:0], s.key...)
		}
		v, err := s.version(m.ctx)
		if err != nil {
			return err
		}
		m.add(v)
		if s.next(m.ctx) {
			heap.Fix(m, 0)
		} else {
			heap.Pop(m)
		}
	}
	m.decide()
	for _, s := range all {
		s.end()
	}
	return m.ctx.Err()
}

// add takes a row of the present key. A replica may have several, of which one at most is live.
func (m *merger) add(v version) {
	for i := range m.versions {
		w := &m.versions[i]
		if w.rank != v.rank {
			continue
		}
		later := max(w.time, v.time)
		switch {
		case v.live && w.live && v.time >= w.time, v.live && !w.live:
			if w.live {
				w.src.hideRow(w.row)
			}
			*w = v
		case v.live:
			v.src.hideRow(v.row)
		}
		w.time = later
		return
	}
	m.versions = append(m.versions, v)
}

// decide takes one of the versions of a key and hides the others. The best replica that has the key decides if it does not know when
// the row was changed, for that was before all that its history tells. Else the last change counts.
func (m *merger) decide() {
	if len(m.versions) == 0 {
		return
	}
	won := &m.versions[0]
	for i := range m.versions {
		if v := &m.versions[i]; v.rank < won.rank {
			won = v
		}
	}
	top := won
	differ := false
	for i := range m.versions {
		v := &m.versions[i]
		differ = differ || v.time != top.time || v.live != top.live
		if top.time > 0 && (v.time > won.time || v.time == won.time && v.rank < won.rank) {
			won = v
		}
	}
	if won.live && won.bad {
		if v := m.intact(); v != nil {
			if v.time != won.time {
				m.replaced++
			}
			won = v
		}
	}
	if differ {
		m.conflicts++
	}
	if won.live {
		m.taken[won.rank]++
		if len(m.versions) == 1 {
			m.alone[won.rank]++
		}
	}
	gone := false
	for i := range m.versions {
		if v := &m.versions[i]; v != won && v.live {
			v.src.hideRow(v.row)
			gone = true
		}
	}
	if gone && !won.live {
		m.deleted++
	}
	m.versions = m.versions[:0]
}

// intact returns the newest version without lost cells.
func (m *merger) intact() (best *version) {
	for i := range m.versions {
		if v := &m.versions[i]; v.live && !v.bad && (best == nil || v.time > best.time || v.time == best.time && v.rank < best.rank) {
			best = v
		}
	}
	return best
}

// open begins a source; false = it has no keys that can be read.
func (s *mergeSource) open(ctx context.Context) bool {
	if s.mem != nil {
		rows := s.mem.m
		s.order, s.hide = make([]uint32, len(rows.rows)), make([]byte, (len(rows.rows)+7)/8)
		for i := range s.order {
			s.order[i] = uint32(i)
		}
		rows.keys.sort(s.order)
		s.row = -1
		return true
	}
	f := s.rs.file
	id, what, ok := s.rs.keyBlock()
	err := corrupt("it has no file of keys")
	if ok {
		var r *cfile.Reader
		if r, s.closer, err = f.block(ctx, id, what); err == nil {
			s.keys, err = r.NewKeys(ctx)
		}
	}
	if err != nil {
		s.hideFrom(0, err)
		return false
	}
	s.row = -1
	return true
}

// next moves to the next key.
func (s *mergeSource) next(ctx context.Context) bool {
	if s.mem != nil {
		if s.row++; s.row >= int64(len(s.order)) {
			return false
		}
		s.key = s.mem.m.keys.key(int(s.order[s.row]))
		return true
	}
	if s.keys.Next() && s.keys.Row < s.rs.rows {
		s.row, s.key = s.keys.Row, s.keys.Key
		return true
	}
	if err := s.keys.Err; err != nil && ctx.Err() == nil {
		s.hideFrom(s.row+1, err)
	}
	return false
}

// hideFrom hides the rows from one on, whose keys cannot be read: what they are versions of is not known.
func (s *mergeSource) hideFrom(row int64, err error) {
	for i := row; i < s.rs.rows; i++ {
		s.hideRow(i)
	}
	s.rs.file.lose(nil, at(s.rs.place(), s.rs.rows-row), "%s: %s: the keys cannot be read, which merging needs: %v", s.rs.place(), counted(s.rs.rows-row, "row", "rows"), unplaced(err, s.rs.tablet))
}

func (s *mergeSource) hideRow(row int64) {
	if s.mem != nil {
		i := s.order[row]
		s.hide[i>>3] |= 1 << (i & 7)
		return
	}
	if s.rs.hidden == nil {
		s.rs.hidden = make([]byte, (s.rs.rows+7)/8)
	}
	s.rs.hidden[row>>3] |= 1 << (row & 7)
}

// version returns the present row.
func (s *mergeSource) version(ctx context.Context) (version, error) {
	v := version{rank: s.rank, src: s, row: s.row}
	if s.mem != nil {
		r := &s.mem.m.rows[s.order[s.row]]
		v.time, v.live = r.time, r.seen
		return v, nil
	}
	c := &s.chunk
	if s.row >= c.rows.End {
		if err := c.load(ctx, s.rs, s.row); err != nil {
			return v, inRowSet(err, s.rs)
		}
	}
	i := s.row - c.rows.Start
	v.time = c.times[i]
	v.live = c.live == nil || c.live[i>>3]>>(i&7)&1 == 1
	v.bad = c.bad != nil && c.bad[i>>3]>>(i&7)&1 == 1
	return v, nil
}

// load reads what has become of rows from one on.
func (c *mergeChunk) load(ctx context.Context, rs *rowset, row int64) error {
	c.rows = arrowio.RowRange{Start: row, End: min(rs.rows, row+rs.file.sizes.rows)}
	n := int(c.rows.Len())
	s := newState(c.rows, nil)
	seen := *rs
	seen.hidden = nil
	if err := s.apply(ctx, &seen); err != nil {
		return err
	}
	c.live, c.bad = s.live, nil
	c.times = append(c.times[:0], make([]uint64, n)...)
	for _, blocks := range [][]uint64{rs.meta.Undo, rs.meta.Redo} {
		for _, id := range blocks {
			if err := c.deltas(ctx, rs, id); err != nil {
				return err
			}
		}
	}
	for _, d := range rs.log.from(c.rows.Start) {
		if d.row >= c.rows.End {
			break
		}
		c.see(d.row, d.time)
	}
	for _, l := range rs.lost {
		for _, r := range l.rows.Clip(c.rows) {
			if c.bad == nil {
				c.bad = make([]byte, (n+7)/8)
			}
			bitpack.FillBits(c.bad, int(r.Start-c.rows.Start), int(r.Len()), true)
		}
	}
	return nil
}

func (c *mergeChunk) see(row int64, time uint64) {
	if i := row - c.rows.Start; i >= 0 && i < int64(len(c.times)) {
		c.times[i] = max(c.times[i], time)
	}
}

// deltas notes the times in a delta file. What cannot be read was told when the rowset was opened, or is history, without which a time is
// not known.
func (c *mergeChunk) deltas(ctx context.Context, rs *rowset, id uint64) error {
	r, closer, err := rs.file.block(ctx, id, "deltas")
	if err != nil {
		return ctx.Err()
	}
	defer closer.Close()
	rows := c.rows
	if rows.End == rs.rows {
		rows.End = math.MaxInt64
	}
	d, err := r.NewDeltas(ctx, rows, nil)
	if err != nil {
		return ctx.Err()
	}
	d.Pass = func(error) {}
	for d.Next() {
		c.see(d.Key.Row, d.Key.Time)
	}
	return ctx.Err()
}

// end leaves the hidden rows of the log out.
func (s *mergeSource) end() {
	if s.mem == nil || s.hide == nil {
		return
	}
	kept := s.mem.order[:0]
	for _, i := range s.mem.order {
		if s.hide[i>>3]>>(i&7)&1 == 0 {
			kept = append(kept, i)
		}
	}
	s.mem.order = kept
}

func (s *mergeSource) close() {
	if s.closer != nil {
		_ = s.closer.Close() // it was only read
		s.closer = nil
	}
}
