package orcwire

import "github.com/arrowio/arrowio/internal/pb"

// RowIndexEntry is about one row group of a column (specification, "Row Group Index").
type RowIndexEntry struct {
	// Positions of the column's streams at the start of the row group, in the order PRESENT, DATA, SECONDARY or LENGTH.
	// A PRESENT stream that the stripe does not have has none here.
	Positions []uint64
	Stats     []byte // a ColumnStatistics message, nil = none
}

// ColumnStats parses the entry's statistics; where there are none, the result says nothing.
func (e *RowIndexEntry) ColumnStats() (ColumnStats, error) { return ParseColumnStats(e.Stats) }

// ParseRowIndex reads a ROW_INDEX stream: an entry for each row group. Behind the first maxEntries it leaves out what
// there is: writers have ended encrypted columns with one entry too many. The result refers to b.
func ParseRowIndex(b []byte, maxEntries int) ([]RowIndexEntry, error) {
	entries, positions := 0, 0
	m := pb.New(b)
	for m.Next() {
		if m.Num != 1 || entries >= maxEntries {
			continue
		}
		entries++
		e := m.Message()
		for e.Next() {
			if e.Num == 1 {
				positions += e.Varints()
			}
		}
		if m.Err == nil && e.Err != nil {
			return nil, within(e.Err, "row group", entries-1)
		}
	}
	if m.Err != nil {
		return nil, m.Err
	}
	out := make([]RowIndexEntry, 0, entries)
	arena := make([]uint64, 0, positions)
	for m = pb.New(b); m.Next(); {
		if m.Num != 1 || len(out) == entries {
			continue
		}
		var entry RowIndexEntry
		at := len(arena)
		e := m.Message()
		for e.Next() {
			switch e.Num {
			case 1:
				arena = e.AppendVarints(arena)
			case 2:
				entry.Stats = e.Bytes()
			}
		}
		if e.Err != nil {
			return nil, within(e.Err, "row group", len(out))
		}
		entry.Positions = arena[at:len(arena):len(arena)]
		out = append(out, entry)
	}
	return out, nil
}
