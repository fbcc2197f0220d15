package kudu

import (
	"math"
	"os"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// reach says how far back the files of a rowset tell what its rows were. Kudu drops undo deltas after a while: then rows
// look as if they had always been there.
type reach struct {
	undos    bool   // there are undo deltas
	earliest uint64 // the least time of one
	redone   bool   // there are redo deltas
	first    uint64 // the least time of one: the rowset was written before
}

func (h *reach) undo(s *cfilewire.DeltaStats) {
	if !h.undos || s.MinTime < h.earliest {
		h.undos, h.earliest = true, s.MinTime
	}
}

func (h *reach) redo(s *cfilewire.DeltaStats) {
	if !h.redone || s.MinTime < h.first {
		h.redone, h.first = true, s.MinTime
	}
}

// forgotten reports whether rows of rs that a snapshot shows may not have been there, or may have been others: it is before
// all that is left of their history, and nothing proves that the rowset is older.
func (f *File) forgotten(rs *rowset, snapshot uint64) bool {
	h := &rs.reach
	if h.undos && snapshot > h.earliest || h.redone && snapshot > h.first {
		return false
	}
	written, known := f.written(rs)
	return !known || snapshot < uint64(written.UnixMicro())<<logicalBits
}

// written returns a moment at which a rowset was there, by the files that hold it.
func (f *File) written(rs *rowset) (time.Time, bool) {
	b, ok := f.blocks.(*Blocks)
	if !ok || len(rs.meta.Columns) == 0 {
		return time.Time{}, false
	}
	id := rs.meta.Columns[0].Block
	p, err := b.one(id)
	if err != nil {
		return time.Time{}, false
	}
	path := ""
	if p.log != nil {
		path = b.log.containers[p.log.container].base + metadataSuffix // a record is added to it when the block is there
	} else {
		path = BlockPath(p.file, id)
	}
	fi, err := os.Stat(path)
	if err != nil || fi.ModTime().UnixMicro() <= 0 {
		return time.Time{}, false
	}
	return fi.ModTime(), true
}

// tellHistory warns of the rows of a tablet, in that many rowsets, whose history does not reach back to the snapshot.
func (f *File) tellHistory(t *tablet, rows, rowsets int64) {
	if rows == 0 {
		return
	}
	w := at(t.place(), rows)
	w.Kind = arrowio.WarnHistory
	f.warn(w, "tablet %s: the history of %s in %s does not reach back to the snapshot: they are shown though they may not have been there, or may have been different",
		t.id, count(rows, "row"), count(rowsets, "rowset"))
}

// tellBefore warns of a snapshot at which there are no rows because it is before everything that the files tell.
func (f *File) tellBefore() {
	if f.opt.Snapshot == 0 || f.rows() > 0 {
		return
	}
	earliest := uint64(math.MaxUint64)
	for _, t := range f.tablets {
		if t.log != nil && t.log.ops > 0 {
			earliest = min(earliest, t.log.firstTime)
		}
		for _, rs := range t.rowsets {
			if rs.reach.undos {
				earliest = min(earliest, rs.reach.earliest)
			}
			if rs.reach.redone {
				earliest = min(earliest, rs.reach.first)
			}
		}
	}
	if earliest == math.MaxUint64 || f.opt.Snapshot > earliest {
		return
	}
	w := at("", arrowio.UnknownRows)
	w.Kind = arrowio.WarnHistory
	f.warn(w, "there are no rows at the snapshot %d, which is %s: the first operation that the files tell of was at %s. A hybrid time is microseconds since 1970, times %d",
		f.opt.Snapshot, timeText(f.opt.Snapshot), timeText(earliest), 1<<logicalBits)
}
