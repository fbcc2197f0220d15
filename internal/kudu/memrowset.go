package kudu

import (
	"encoding/binary"

	"github.com/arrowio/arrowio/internal/kuduwire"
)

// memRowSet is a tablet's rows that are in its write-ahead log only: what was in memory when the server ended. It knows
// two states of each row: as of the last operation, which decides what the next one may do, and as of the snapshot,
// which is what a scan sees.
//
// Rows are records in an arena: nothing here is a pointer to a single row, so millions of them cost the garbage
// collector nothing.
type memRowSet struct {
	keys    keyTable
	rows    []memRow // by the key's number
	layouts []*memLayout
	snap    uint64 // operations before this time are seen
	a       *arena
}

type memRow struct {
	rec    ref
	time   uint64 // of the last change
	layout uint32
	live   bool // after the last operation
	seen   bool // at the snapshot
	unborn bool // inserted at or after the snapshot: has no record
}

const memRowBytes = 24

// memLayout is how the records of rows of one schema are laid out: a bitmap of nulls, then a slot for each column.
// Cells of fixed width are in the slot; of strings it has a ref and a length.
type memLayout struct {
	number uint32
	ids    []int32
	at     []int
	width  []int         // of the cell, 0 = a string
	index  map[int32]int // id to position
	size   int
}

const stringSlot = 12

func newMemLayout(s *kuduwire.Schema) *memLayout {
	l := &memLayout{index: make(map[int32]int, len(s.Columns)), size: (len(s.Columns) + 7) / 8}
	for i := range s.Columns {
		c := &s.Columns[i]
		w := c.Type.Width()
		l.index[c.ID] = i
		l.ids, l.at, l.width = append(l.ids, c.ID), append(l.at, l.size), append(l.width, w)
		if w == 0 {
			w = stringSlot
		}
		l.size += w
	}
	return l
}

func newMemRowSet(a *arena, snap uint64) *memRowSet {
	return &memRowSet{keys: newKeyTable(a), snap: snap, a: a}
}

// add makes a layout known to the memrowset.
func (m *memRowSet) add(l *memLayout) {
	l.number = uint32(len(m.layouts))
	m.layouts = append(m.layouts, l)
}

// find returns the number of the row with this key, and whether it is live: there after the last operation.
func (m *memRowSet) find(key []byte) (int, bool) {
	i, ok := m.keys.find(key)
	return i, ok && m.rows[i].live
}

// insert makes a row, or makes one that was deleted anew: all its cells are those of row, which has one for each column
// of l. It is false if the key is live already.
func (m *memRowSet) insert(key []byte, l *memLayout, row []kuduwire.RowCell, time uint64) (bool, error) {
	i, old, err := m.keys.add(key)
	if err != nil {
		return false, err
	}
	if !old {
		if err := m.a.bound.add(memRowBytes); err != nil {
			return false, err
		}
		m.rows = append(m.rows, memRow{unborn: time >= m.snap})
	}
	if m.rows[i].live {
		return false, nil
	}
	return true, m.fill(&m.rows[i], !old, l, row, time)
}

func (m *memRowSet) fill(r *memRow, fresh bool, l *memLayout, row []kuduwire.RowCell, time uint64) (err error) {
	r.live, r.time = true, time
	if r.unborn || time >= m.snap {
		return nil
	}
	if fresh || r.layout != l.number {
		fresh = true
		if r.rec, err = m.a.alloc(l.size); err != nil {
			return err
		}
		r.layout = l.number
	}
	r.seen = true
	rec := m.a.at(r.rec, l.size)
	for c := range row {
		if err := m.set(rec, l, c, &row[c], fresh); err != nil {
			return err
		}
	}
	return nil
}

// set stores a cell. fresh says that the record holds nothing yet.
func (m *memRowSet) set(rec []byte, l *memLayout, c int, v *kuduwire.RowCell, fresh bool) error {
	bit := byte(1) << (c & 7)
	if v.Null || !v.Set {
		rec[c>>3] |= bit
		return nil
	}
	slot := rec[l.at[c]:]
	if w := l.width[c]; w > 0 {
		rec[c>>3] &^= bit
		copy(slot[:w], v.Value)
		return nil
	}
	if old := binary.LittleEndian.Uint32(slot[8:]); !fresh && rec[c>>3]&bit == 0 && uint64(old) >= uint64(len(v.Value)) {
		copy(m.a.at(ref(binary.LittleEndian.Uint64(slot)), len(v.Value)), v.Value)
	} else {
		at, err := m.a.put(v.Value)
		if err != nil {
			return err
		}
		binary.LittleEndian.PutUint64(slot, uint64(at))
	}
	binary.LittleEndian.PutUint32(slot[8:], uint32(len(v.Value)))
	rec[c>>3] &^= bit
	return nil
}

// get returns the cell of column c of a record.
func (m *memRowSet) get(rec []byte, l *memLayout, c int) (value []byte, null bool) {
	if rec[c>>3]>>(c&7)&1 != 0 {
		return nil, true
	}
	slot := rec[l.at[c]:]
	if w := l.width[c]; w > 0 {
		return slot[:w:w], false
	}
	n := int(binary.LittleEndian.Uint32(slot[8:]))
	return m.a.at(ref(binary.LittleEndian.Uint64(slot)), n), false
}

// update sets the cells of row that are Set, but not those of keys and immutable columns, in row i, which is live.
func (m *memRowSet) update(i int, s *tableSchema, row []kuduwire.RowCell, time uint64) error {
	r := &m.rows[i]
	r.time = time
	if r.unborn || time >= m.snap {
		return nil
	}
	if r.layout != s.layout.number {
		if err := m.relay(r, s); err != nil {
			return err
		}
	}
	rec := m.a.at(r.rec, s.layout.size)
	for c := range row {
		if row[c].Set && !s.fixed[c] {
			if err := m.set(rec, s.layout, c, &row[c], false); err != nil {
				return err
			}
		}
	}
	return nil
}

// relay gives a row the layout of a later schema. Columns that it did not have read as in rows on disk without them.
func (m *memRowSet) relay(r *memRow, s *tableSchema) error {
	from, to := m.layouts[r.layout], s.layout
	at, err := m.a.alloc(to.size)
	if err != nil {
		return err
	}
	old, rec := m.a.at(r.rec, from.size), m.a.at(at, to.size)
	for c, id := range to.ids {
		cell := kuduwire.RowCell{Set: true}
		if k, ok := from.index[id]; !ok || from.width[k] != to.width[c] {
			cell.Value = s.Columns[c].ReadDefault
			cell.Null = cell.Value == nil
		} else {
			cell.Value, cell.Null = m.get(old, from, k)
		}
		if err := m.set(rec, to, c, &cell, true); err != nil {
			return err
		}
	}
	r.rec, r.layout = at, to.number
	return nil
}

// remove deletes row i, which is live.
func (m *memRowSet) remove(i int, time uint64) {
	r := &m.rows[i]
	r.live, r.time = false, time
	if time < m.snap {
		r.seen = false
	}
}

// memRows are the rows of a memrowset that are there at the snapshot, by key.
type memRows struct {
	m     *memRowSet
	order []uint32
}

// sorted returns the rows. The memrowset must not change any more.
func (m *memRowSet) sorted() (*memRows, error) {
	if m == nil {
		return &memRows{}, nil
	}
	n := int64(0)
	for i := range m.rows {
		if m.rows[i].seen {
			n++
		}
	}
	if err := m.a.bound.add(n * (sortBytes + 4)); err != nil {
		return nil, err
	}
	r := &memRows{m: m, order: make([]uint32, 0, n)}
	for i := range m.rows {
		if m.rows[i].seen {
			r.order = append(r.order, uint32(i))
		}
	}
	m.keys.sort(r.order)
	m.a.bound.give(n * sortBytes)
	return r, nil
}

// len returns how many rows there are.
func (r *memRows) len() int {
	if r == nil {
		return 0
	}
	return len(r.order)
}

// key returns the encoded primary key of row i.
func (r *memRows) key(i int) []byte { return r.m.keys.key(int(r.order[i])) }

// cell is a column of a row.
type cell struct {
	value  []byte // little-endian at the type's width, a byte for bool, bytes of strings; part of the arena
	null   bool
	absent bool // the row is older than the column, whose read default it has
}

// column fills dst with the cells that rows from, from+1, … have of the column with an id.
func (r *memRows) column(dst []cell, id int32, from int) {
	layout, at, ok := uint32(0), 0, false
	var l *memLayout
	for i := range dst {
		row := &r.m.rows[r.order[from+i]]
		if l == nil || row.layout != layout {
			layout, l = row.layout, r.m.layouts[row.layout]
			at, ok = l.index[id]
		}
		if !ok {
			dst[i] = cell{absent: true}
			continue
		}
		v, null := r.m.get(r.m.a.at(row.rec, l.size), l, at)
		dst[i] = cell{value: v, null: null}
	}
}
