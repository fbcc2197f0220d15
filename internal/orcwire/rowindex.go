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

var rowIndexEntryTable = pb.NewTable(
	pb.Varints(1, "positions", func(e *RowIndexEntry) *[]uint64 { return &e.Positions }).As(pb.FormPositions),
	pb.Bytes(2, "statistics", func(e *RowIndexEntry) *[]byte { return &e.Stats }).Of(&columnStatsTable.Shape),
)

var rowIndexTable = pb.NewTable(
	pb.Parts(1, "entry", "row group", rowIndexEntryTable, func(x *[]RowIndexEntry) *[]RowIndexEntry { return x }).Each(pb.ListNumbered, shownGroups),
)

// shownGroups is how many row groups of an index a dump shows.
const shownGroups = 6

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
			return nil, pb.Inside(e.Err, "row group %d", entries-1)
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
		out = append(out, RowIndexEntry{Positions: arena})
		e := &out[len(out)-1]
		if rowIndexEntryTable.ReadField(&m, e); m.Err != nil {
			return nil, pb.Inside(m.Err, "row group %d", len(out)-1)
		}
		n := len(e.Positions)
		e.Positions, arena = e.Positions[:n:n], e.Positions[n:]
	}
	return out, nil
}

// AppendRowIndex appends a ROW_INDEX stream, the reverse of ParseRowIndex.
func AppendRowIndex(dst []byte, entries []RowIndexEntry) []byte {
	return rowIndexTable.Append(dst, &entries)
}
