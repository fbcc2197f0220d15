package kudu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
	kw "github.com/arrowio/arrowio/internal/kuduwire"
)

// modelTablet is a tablet that knows its rows by itself: the log that it writes, replayed, must come to the same.
type modelTablet struct {
	rng     *rand.Rand
	rows    map[int]*modelRow // live ones and ghosts
	history []map[int]string  // live rows before operation i
	disk    map[int64]map[int]string
	log     *madeLog
	entries []protoMsg // in the order of indices, COMMITs moved about
	waiting []protoMsg
	mrs     int64
	dms     map[int64]int64
	race    int64 // a rowset that a flush is making of the memrowset, -1 = none
}

type modelRow struct {
	cells [3]string // of a, s, n as text
	store int64     // rowset, -1 = memrowset
	live  bool
}

func (r *modelRow) text(k int) string {
	return fmt.Sprint(k, " ", r.cells[0], " ", r.cells[1], " ", r.cells[2])
}

func (m *modelTablet) snapshot() map[int]string {
	s := map[int]string{}
	for k, r := range m.rows {
		if r.live {
			s[k] = r.text(k)
		}
	}
	return s
}

// flush puts rows on disk, as the rowset id.
func (m *modelTablet) flush(id int64, from func(r *modelRow) bool) {
	d := m.log.rowset(id, -1)
	m.disk[id] = map[int]string{}
	m.dms[id] = 0
	for _, k := range sortedKeys(m.rows) {
		if r := m.rows[k]; from(r) {
			r.store = id
			d.add(int64(k), r.live)
			m.disk[id][k] = r.text(k)
		}
	}
}

func sortedKeys(m map[int]*modelRow) []int {
	ks := make([]int, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}

// operation makes up a write of some rows, does it, and logs it.
func (m *modelTablet) operation(index int64, commit bool) {
	m.history = append(m.history, m.snapshot())
	kinds := []kw.RowOpType{kw.RowInsert, kw.RowInsert, kw.RowUpdate, kw.RowUpsert, kw.RowDelete, kw.RowInsertIgnore, kw.RowUpdateIgnore, kw.RowDeleteIgnore, kw.RowUpsertIgnore}
	var rows []madeRow
	var results []protoMsg
	for range 1 + m.rng.IntN(6) {
		r := rowOp(kinds[m.rng.IntN(len(kinds))], m.rng.IntN(60), unset, unset, unset)
		text := [3]string{"", "", ""}
		if m.rng.IntN(3) > 0 {
			v := int32(m.rng.IntN(1000))
			r.cells[1], text[0] = v, fmt.Sprint(v)
		} else if m.rng.IntN(3) == 0 {
			r.cells[1], text[0] = nil, "null"
		}
		if m.rng.IntN(2) > 0 {
			v := "longer than it was"[:m.rng.IntN(18)]
			r.cells[2], text[1] = v, fmt.Sprintf("%q", v)
		}
		if m.rng.IntN(4) == 0 {
			r.cells[3], text[2] = int32(index), fmt.Sprint(index)
		}
		if r.op.Plain() == kw.RowDelete {
			r.cells = r.cells[:1]
		}
		rows = append(rows, r)
		results = append(results, m.do(r, text))
	}
	e := writeOp(index, rows...)
	m.entries = append(m.entries, e)
	if commit {
		m.waiting = append(m.waiting, doneOp(index, results...))
		m.rng.Shuffle(len(m.waiting), func(i, j int) { m.waiting[i], m.waiting[j] = m.waiting[j], m.waiting[i] })
		n := m.rng.IntN(len(m.waiting) + 1)
		m.entries = append(m.entries, m.waiting[:n]...)
		m.waiting = m.waiting[n:]
	}
}

func (m *modelTablet) do(op madeRow, text [3]string) protoMsg {
	k := op.cells[0].(int)
	r := m.rows[k]
	live := r != nil && r.live
	kind := op.op.Plain()
	switch {
	case kind == kw.RowInsert && live, kind != kw.RowInsert && kind != kw.RowUpsert && !live:
		if op.op.Ignores() {
			return resultNone
		}
		return resultFailed
	case kind == kw.RowInsert, kind == kw.RowUpsert && !live:
		if r == nil || r.store >= 0 {
			r = &modelRow{store: -1}
			m.rows[k] = r
		}
		r.live, r.cells = true, [3]string{"null", "null", "7"}
	case kind == kw.RowDelete:
		r.live = false
		return m.store(r)
	}
	some := false
	for i, v := range text {
		if v != "" {
			r.cells[i], some = v, true
		}
	}
	if !some && live {
		return resultNone
	}
	return m.store(r)
}

func (m *modelTablet) store(r *modelRow) protoMsg {
	switch {
	case r.store < 0:
		return inMRS(m.mrs)
	case r.store == m.race:
		return bothIn(inMRS(m.mrs-1), inDMS(r.store, m.dms[r.store]))
	}
	return inDMS(r.store, m.dms[r.store])
}

// state is what a replay and the rows on disk come to.
func (m *modelTablet) state(t *testing.T, st *logState) map[int]string {
	rows := map[int]string{}
	for id, disk := range m.disk {
		at := m.log.rows[id]
		for k, text := range disk {
			row := at.at[keyOf(int64(k))]
			live := at.alive[row]
			cells := splitCells(text)
			for _, d := range st.deltas[id].from(row) {
				if d.row != row {
					break
				}
				op, ch, err := cfilewire.ParseChange(d.change)
				if err != nil {
					t.Fatal(err)
				}
				live = op != cfilewire.Delete
				for ch.Next() {
					i := st.schema.Index(ch.Column)
					cells[i-1] = logCell(st.schema.Columns[i].Type, cell{value: ch.Value, null: ch.Null})
				}
			}
			if live {
				if old, ok := rows[k]; ok {
					t.Errorf("key %d is there twice: %s", k, old)
				}
				rows[k] = fmt.Sprint(k, " ", cells[0], " ", cells[1], " ", cells[2])
			}
		}
	}
	st.deltas = nil
	for _, s := range st.text(t) {
		var k int
		if _, err := fmt.Sscan(s, &k); err != nil {
			t.Fatal(err)
		}
		if old, ok := rows[k]; ok {
			t.Errorf("key %d is there twice: %s", k, old)
		}
		rows[k] = s
	}
	return rows
}

// splitCells takes a row's text apart; a string is quoted and may have spaces.
func splitCells(s string) [3]string {
	_, s, _ = strings.Cut(s, " ")
	a, s, _ := strings.Cut(s, " ")
	i := strings.LastIndexByte(s, ' ')
	return [3]string{a, s[:i], s[i+1:]}
}

func TestReplayModel(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		m := &modelTablet{rng: rng, rows: map[int]*modelRow{}, disk: map[int64]map[int]string{}, dms: map[int64]int64{}, log: newLog(t), race: -1}
		index := int64(1)
		run := func(n int, commit bool) {
			for range n {
				m.operation(index, commit)
				index++
			}
		}
		// Twice: in memory, flushed, and what is done while the flush goes on goes to both sides.
		for rs := range int64(2) {
			run(10, true)
			m.flush(rs, func(r *modelRow) bool { return r.store < 0 })
			m.log.super.LastDurableMRS = m.mrs
			m.mrs++
			m.race = rs
			if rs == 1 { // changes to the first one are on disk
				m.log.super.RowSets[0].LastDurableDMS = m.dms[0]
				m.dms[0]++
				for k, r := range m.rows {
					if r.store == 0 {
						m.disk[0][k] = r.text(k)
						m.log.rows[0].alive[m.log.rows[0].at[keyOf(int64(k))]] = r.live
					}
				}
				for k := range m.disk[0] { // a ghost whose key has moved on
					if m.rows[k].store != 0 {
						m.log.rows[0].alive[m.log.rows[0].at[keyOf(int64(k))]] = false
					}
				}
			}
			run(5, true)
			m.race = -1
		}
		seen := index // snapshots before this are not meaningful: their rows have been merged
		run(30, true)
		m.entries = append(m.entries, m.waiting...)
		run(rng.IntN(5), false)
		m.history = append(m.history, m.snapshot())

		var segs []*madeSegment
		for e := m.entries; len(e) > 0; {
			s := newSegment(int64(len(segs)+1), []blockcodec.Codec{blockcodec.None, blockcodec.LZ4, blockcodec.Snappy, blockcodec.Zlib}[rng.IntN(4)], rng.IntN(5) == 0, schemaOf(madeColumns, true), 0)
			if s.old {
				s = newSegment(int64(len(segs)+1), blockcodec.None, true, schemaOf(madeColumns, true), 0)
			}
			for range 1 + rng.IntN(12) {
				n := min(len(e), 1+rng.IntN(3))
				if n == 0 {
					break
				}
				s.add(e[:n]...)
				e = e[n:]
			}
			if len(e) > 0 {
				s.close()
			}
			segs = append(segs, s)
		}
		for i, s := range segs {
			m.log.files[segmentName(i+1)] = s.b
		}
		for snap := seen; snap <= index; snap += max(1, int64(rng.IntN(6))) {
			time := uint64(snap) * 100
			st, err := m.log.inMemory(replayOptions{Snapshot: time})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			want := m.history[snap-1]
			got := m.state(t, st)
			for k := range 60 {
				if got[k] != want[k] {
					t.Fatalf("seed %d, before operation %d of %d: key %d: %q, want %q", seed, snap, index-1, k, got[k], want[k])
				}
			}
		}
	}
}
