package kudu

import (
	"bytes"
	"cmp"
	"container/heap"
	"fmt"
	"io"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// mergeWays is how many rowsets with overlapping keys are compared at once: each takes a block of keys, and a bit a row.
const mergeWays = 256

// liveOnce checks that no key is live in more than one rowset of a tablet, or in one and in memory. Keys of each ascend:
// a merge of them meets equal ones together. Rowsets take part from their least key to their greatest.
func (v *verifier) liveOnce(t *tablet) error {
	if len(t.rowsets) == 0 || len(t.rowsets) == 1 && t.mem.len() == 0 || t.schema.Keys() == 0 {
		return nil
	}
	if v.opt.SkipLog {
		v.doubt(t.place(), "%s: whether keys are live in several rowsets was not checked, for that takes its log", t.place())
		return nil
	}
	p := &livePairs{verifier: v, tablet: t, pairs: map[[2]int64]*livePair{}}
	ok, err := v.mergeKeys(t, p.twice)
	if err != nil {
		return err
	}
	if !ok {
		v.doubt(t.place(), "%s: more than %d of its rowsets have overlapping keys: whether keys are live in several of them was not checked", t.place(), v.ways)
	}
	return p.tell()
}

// mergeKeys calls twice for each two rows of a tablet that are live and have the same key, one after the other where there are
// more than two. It is false where there are too many rowsets.
func (v *verifier) mergeKeys(t *tablet, twice func(a, b storedRow, key []byte)) (bool, error) {
	m := &liveMerge{verifier: v, found: twice}
	defer m.close()
	for _, rs := range t.rowsets {
		s, err := v.source(rs)
		if err != nil {
			return false, err
		}
		if s != nil {
			m.waiting = append(m.waiting, s)
		}
	}
	slices.SortStableFunc(m.waiting, func(a, b *keySource) int { return bytes.Compare(a.key, b.key) })
	if t.mem.len() > 0 {
		s := &keySource{mem: t.mem, key: t.mem.key(0)}
		m.active = append(m.active, s)
	}
	return m.run()
}

// inMemory stands for the rows that only the log has, among ids of rowsets.
const inMemory = int64(-1)

// keySource is the keys of a rowset that are live, in order.
type keySource struct {
	rs     *rowset // nil = the rows that only the log has
	id     uint64  // block of the keys
	what   string
	keys   *cfile.Keys
	closer io.Closer
	live   []byte // nil = all
	mem    *memRows
	row    int64
	key    []byte // the present one; before the source is open, the least
}

// source returns the keys of a rowset, to be opened later; nil where a fault hides them.
func (v *verifier) source(rs *rowset) (*keySource, error) {
	id, what, ok := rs.keyBlock()
	if !ok && v.reading {
		return nil, inRowSet(corrupt("it has no file of keys"), rs)
	}
	if !ok || v.bad[id] {
		return nil, nil
	}
	for _, blocks := range [][]uint64{rs.meta.Redo, rs.meta.Undo} {
		for _, b := range blocks {
			if v.bad[b] {
				return nil, nil
			}
		}
	}
	r, closer, err := v.File.block(v.ctx, id, what)
	if err != nil {
		if v.reading {
			return nil, inRowSet(err, rs)
		}
		return nil, nil // reported
	}
	defer closer.Close()
	least, _ := r.Footer().Lookup(cfilewire.MetaMinKey)
	return &keySource{rs: rs, id: id, what: what, key: bytes.Clone(least)}, nil
}

// open reads the first key that is live.
func (s *keySource) open(v *verifier) (bool, error) {
	r, closer, err := v.File.block(v.ctx, s.id, s.what)
	if err != nil {
		return false, err
	}
	s.closer = closer
	if s.keys, err = r.NewKeys(v.ctx); err != nil {
		return false, err
	}
	st := newState(arrowio.RowRange{End: s.rs.rows}, nil)
	st.snapshot = v.opt.Snapshot
	if err := st.apply(v.ctx, s.rs); err != nil {
		return false, err
	}
	s.live = st.live
	return s.next()
}

// next moves to the next key that is live; false at the end.
func (s *keySource) next() (bool, error) {
	if s.mem != nil {
		if s.row++; s.row >= int64(s.mem.len()) {
			return false, nil
		}
		s.key = s.mem.key(int(s.row))
		return true, nil
	}
	for s.keys.Next() {
		s.row, s.key = s.keys.Row, s.keys.Key
		if s.live == nil || s.row < s.rs.rows && s.live[s.row>>3]>>(s.row&7)&1 == 1 {
			return true, nil
		}
	}
	return false, s.keys.Err
}

func (s *keySource) close() {
	if s.closer != nil {
		_ = s.closer.Close()
		s.closer = nil
	}
}

// livePair is keys that two rowsets have.
type livePair struct {
	keys       int64
	first      []byte
	rows       [2]int64
	sets       [2]int64
	firstOrder int
}

// liveMerge merges the keys of a tablet's rowsets. It is the heap of those that are open.
type liveMerge struct {
	*verifier
	waiting []*keySource // by least key
	active  []*keySource
	found   func(a, b storedRow, key []byte)
}

func (m *liveMerge) Len() int           { return len(m.active) }
func (m *liveMerge) Less(i, j int) bool { return bytes.Compare(m.active[i].key, m.active[j].key) < 0 }
func (m *liveMerge) Swap(i, j int)      { m.active[i], m.active[j] = m.active[j], m.active[i] }
func (m *liveMerge) Push(x any)         { m.active = append(m.active, x.(*keySource)) }
func (m *liveMerge) Pop() any {
	last := m.active[len(m.active)-1]
	m.active = m.active[:len(m.active)-1]
	return last
}

// run merges all keys. It is false where there are too many rowsets.
func (m *liveMerge) run() (bool, error) {
	var before []byte
	var has *keySource
	var last storedRow
	for n := 0; ; n++ {
		if n&1023 == 0 && m.ctx.Err() != nil {
			return false, m.ctx.Err()
		}
		for len(m.waiting) > 0 && (len(m.active) == 0 || bytes.Compare(m.waiting[0].key, m.active[0].key) <= 0) {
			s := m.waiting[0]
			m.waiting = m.waiting[1:]
			if len(m.active) == m.ways {
				return false, nil
			}
			if err := m.start(s); err != nil {
				return false, err
			}
		}
		if len(m.active) == 0 {
			return true, nil
		}
		s := m.active[0]
		if has != nil && has != s && bytes.Equal(before, s.key) {
			m.found(last, storedRow{s.rs, s.row}, before)
		}
		before, has, last = append(before[:0], s.key...), s, storedRow{s.rs, s.row}
		ok, err := s.next()
		if ok {
			heap.Fix(m, 0)
			continue
		}
		heap.Pop(m)
		s.close()
		if err := m.ended(s, err); err != nil {
			return false, err
		}
	}
}

// start opens a rowset that has its turn.
func (m *liveMerge) start(s *keySource) error {
	ok, err := s.open(m.verifier)
	if ok {
		heap.Push(m, s)
		return nil
	}
	s.close()
	return m.ended(s, err)
}

// ended takes an error of reading keys, which is a fault.
func (m *liveMerge) ended(s *keySource, err error) error {
	if err == nil {
		return nil
	}
	return m.fault(inRowSet(m.inBlock(err, s.id, s.what), s.rs))
}

// livePairs counts the keys that are live twice, by rowsets.
type livePairs struct {
	*verifier
	tablet *tablet
	pairs  map[[2]int64]*livePair
}

func (m *livePairs) twice(a, b storedRow, key []byte) {
	rows, sets := [2]int64{a.row, b.row}, [2]int64{inMemory, inMemory}
	for i, r := range []storedRow{a, b} {
		if r.rs != nil {
			sets[i] = r.rs.meta.ID
		}
	}
	if sets[0] > sets[1] {
		sets[0], sets[1], rows[0], rows[1] = sets[1], sets[0], rows[1], rows[0]
	}
	p := m.pairs[sets]
	if p == nil {
		p = &livePair{first: bytes.Clone(key), rows: rows, sets: sets, firstOrder: len(m.pairs)}
		m.pairs[sets] = p
	}
	p.keys++
}

// tell reports what was found: a fault for each two rowsets.
func (m *livePairs) tell() error {
	var all []*livePair
	for _, p := range m.pairs {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *livePair) int { return cmp.Compare(a.firstOrder, b.firstOrder) })
	for _, p := range all {
		name := func(i int) string {
			if p.sets[i] == inMemory {
				return "the log"
			}
			return fmt.Sprintf("rowset %d (row %d)", p.sets[i], p.rows[i])
		}
		err := corrupt("%s live both in %s and in %s at the same time, the first %s", count(p.keys, "key"), name(0), name(1), keyText(m.tablet.schema, p.first))
		if err := m.fault(inTablet(err, m.tablet)); err != nil {
			return err
		}
	}
	return nil
}

// close closes what is still open.
func (m *liveMerge) close() {
	for _, s := range m.active {
		s.close()
	}
}
