package kudu

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// diskRows finds rows of one rowset on disk.
type diskRows interface {
	// find returns the ordinal of the row with an encoded primary key.
	find(ctx context.Context, key []byte) (ordinal int64, ok bool, err error)
	// live reports whether the row is there after all that is on disk.
	live(ctx context.Context, ordinal int64) (bool, error)
}

// noRows is a rowset that could not be opened.
type noRows struct{}

var errNoRowSet = errs.Errorf(errs.ErrCorrupt, "the rowset could not be opened")

func (noRows) find(context.Context, []byte) (int64, bool, error) { return 0, false, errNoRowSet }
func (noRows) live(context.Context, int64) (bool, error)         { return false, errNoRowSet }

// logDelta is a change to a row on disk.
type logDelta struct {
	row    int64 // ordinal in the rowset
	time   uint64
	change []byte // a row change list as in delta files (cfilewire.ParseChange): an update or a delete; part of the arena
}

// logDeltas are the changes that a log makes to the rows of a rowset and that the snapshot sees: by row, those of a row
// in the order in which they were made. They come after all changes on disk.
type logDeltas []logDelta

// from returns the changes to rows from an ordinal on.
func (d logDeltas) from(row int64) logDeltas {
	i, _ := slices.BinarySearchFunc(d, row, func(d logDelta, row int64) int { return cmp.Compare(d.row, row) })
	return d[i:]
}

// deltaStore collects the changes to rows of one rowset. They are found by key in the log, and by ordinal in the rowset;
// ordinals are looked up when they are needed, many at a time and in the order of keys, which costs a rowset the least.
type deltaStore struct {
	rowset int64
	disk   diskRows
	keys   keyTable
	rows   []deltaRow // by the key's number
	muts   []mutation
	bare   []uint32 // rows whose ordinals are not known yet
	snap   uint64
	a      *arena
}

type deltaRow struct {
	ordinal     int64
	first, last uint32 // mutations, plus 1
	state       deltaState
	live        bool // after the last operation
}

type deltaState uint8

const (
	deltaBare    deltaState = iota // not looked up
	deltaFound                     // ordinal and live are right
	deltaMissing                   // the rowset has no such row
)

type mutation struct {
	time uint64
	op   uint32 // whose operation, by the replay's own number
	next uint32 // mutation of the same row, plus 1
	at   ref    // the change; of what the snapshot does not see only its first byte counts
	size uint32
	kind cfilewire.Op
	lost bool
}

const (
	deltaRowBytes = 24 + 4
	mutationBytes = 40
)

func newDeltaStore(rowset int64, disk diskRows, a *arena, snap uint64) *deltaStore {
	return &deltaStore{rowset: rowset, disk: disk, keys: newKeyTable(a), snap: snap, a: a}
}

// row returns the number of a key.
func (d *deltaStore) row(key []byte) (int, error) {
	i, old, err := d.keys.add(key)
	if err != nil || old {
		return i, err
	}
	if err := d.a.bound.add(deltaRowBytes); err != nil {
		return 0, err
	}
	d.rows = append(d.rows, deltaRow{})
	d.bare = append(d.bare, uint32(i))
	return i, nil
}

// change appends a mutation to row i. It is false where the row is known not to be live.
func (d *deltaStore) change(i int, kind cfilewire.Op, change []byte, time uint64, op uint32) (bool, error) {
	r := &d.rows[i]
	if r.state == deltaMissing || r.state == deltaFound && !r.live {
		return false, nil
	}
	if err := d.a.bound.add(mutationBytes); err != nil {
		return false, err
	}
	if len(d.muts) >= math.MaxInt32 {
		return false, errs.Errorf(errs.ErrLimit, "the write-ahead log changes more than %d rows", math.MaxInt32)
	}
	m := mutation{time: time, op: op, kind: kind}
	if time < d.snap {
		at, err := d.a.put(change)
		if err != nil {
			return false, err
		}
		m.at, m.size = at, uint32(len(change))
	}
	d.muts = append(d.muts, m)
	n := uint32(len(d.muts))
	if r.last > 0 {
		d.muts[r.last-1].next = n
	} else {
		r.first = n
	}
	r.last = n
	r.live = kind != cfilewire.Delete
	return true, nil
}

// deltaFaults decides what becomes of changes that cannot be. An error that it returns ends the replay.
type deltaFaults interface {
	missing(op uint32) error                  // the operation changes a row that is not there
	unreadable(rowset int64, err error) error // a rowset cannot be asked for a row, which counts as not there then
}

// resolve looks up the rows that have no ordinal yet, and checks what was done to them meanwhile.
func (d *deltaStore) resolve(ctx context.Context, faults deltaFaults) error {
	n := int64(len(d.bare)) * sortBytes
	if err := d.a.bound.add(n); err != nil {
		return err
	}
	d.keys.sort(d.bare)
	d.a.bound.give(n)
	for _, i := range d.bare {
		if err := d.resolveRow(ctx, int(i), faults); err != nil {
			return err
		}
	}
	d.bare = d.bare[:0]
	return nil
}

// look asks the rowset for a row.
func (d *deltaStore) look(ctx context.Context, key []byte, faults deltaFaults) (ordinal int64, found, live bool, err error) {
	ordinal, found, err = d.disk.find(ctx, key)
	if err == nil && found {
		live, err = d.disk.live(ctx, ordinal)
	}
	if err != nil {
		return 0, false, false, faults.unreadable(d.rowset, err)
	}
	return ordinal, found, live, nil
}

func (d *deltaStore) resolveRow(ctx context.Context, i int, faults deltaFaults) error {
	r := &d.rows[i]
	if r.state != deltaBare {
		return nil
	}
	ordinal, found, live, err := d.look(ctx, d.keys.key(i), faults)
	if err != nil {
		return err
	}
	r.ordinal, r.state = ordinal, deltaMissing
	if found {
		r.state = deltaFound
	}
	for n := r.first; n > 0; {
		m := &d.muts[n-1]
		n = m.next
		if !live {
			m.lost = true
			if err := faults.missing(m.op); err != nil {
				return err
			}
			continue
		}
		live = m.kind != cfilewire.Delete
	}
	r.live = live
	return nil
}

// peek returns the number of the row with this key where it is live, looking it up on disk if the log has not met it.
func (d *deltaStore) peek(ctx context.Context, key []byte, faults deltaFaults) (int, bool, error) {
	i, ok := d.keys.find(key)
	if ok {
		err := d.resolveRow(ctx, i, faults)
		return i, d.rows[i].live, err
	}
	ordinal, _, live, err := d.look(ctx, key, faults)
	if err != nil || !live {
		return 0, false, err
	}
	if i, err = d.row(key); err != nil {
		return 0, false, err
	}
	d.rows[i].ordinal, d.rows[i].state, d.rows[i].live = ordinal, deltaFound, true
	return i, true, nil
}

// list returns what the snapshot sees. All rows must have been resolved.
func (d *deltaStore) list() (logDeltas, error) {
	n := 0
	for i := range d.muts {
		if m := &d.muts[i]; !m.lost && m.time < d.snap {
			n++
		}
	}
	if err := d.a.bound.add(int64(n)*40 + int64(len(d.rows))*4); err != nil {
		return nil, err
	}
	order := make([]uint32, 0, len(d.rows))
	for i := range d.rows {
		if d.rows[i].state == deltaFound {
			order = append(order, uint32(i))
		}
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(d.rows[a].ordinal, d.rows[b].ordinal) })
	list := make(logDeltas, 0, n)
	for _, i := range order {
		r := &d.rows[i]
		for k := r.first; k > 0; {
			m := &d.muts[k-1]
			k = m.next
			if !m.lost && m.time < d.snap {
				list = append(list, logDelta{r.ordinal, m.time, d.a.at(m.at, int(m.size))})
			}
		}
	}
	return list, nil
}

// appendChange appends the row change list of an update: the cells of row that are Set, but not those of keys and
// immutable columns. It is false if there is none.
func appendChange(dst []byte, s *tableSchema, row []kuduwire.RowCell) ([]byte, bool) {
	dst = append(dst, byte(cfilewire.Update))
	n := len(dst)
	for c := range row {
		v := &row[c]
		if !v.Set || s.fixed[c] {
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(s.Columns[c].ID))
		if v.Null {
			dst = append(dst, 0)
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(len(v.Value))+1)
		dst = append(dst, v.Value...)
	}
	return dst, len(dst) > n
}

var deleteChange = []byte{byte(cfilewire.Delete)}
