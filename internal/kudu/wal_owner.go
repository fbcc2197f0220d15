package kudu

import (
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// ofOther returns an error if a segment is of the log of another tablet. Kudu does not look: it replays such a segment and
// starts with the rows of another table.
//
// The header, which names the tablet, has no checksum, but every write names the tablet, too, and has one. So a segment
// whose writes name this tablet is its own, whatever the header says.
func (r *replayer) ofOther(files logFiles, s *segmentFile) error {
	named := s.head.TabletID
	if named == r.sb.TabletID {
		return nil
	}
	own, other, err := r.writesOf(files, s)
	switch {
	case err != nil:
		return err
	case own:
		r.report.note("%s: its header names another tablet, %.64q, but its writes name this one: it is read", s.name, named)
		return nil
	case isTabletID(named):
		other = named
	case other == "":
		r.report.note("%s: its header has %.64q in the place of the tablet's id: it is read", s.name, named)
		return nil
	}
	return errs.Errorf(errs.ErrCorrupt, "the segment is of the log of tablet %.64s, not of tablet %s", other, r.sb.TabletID)
}

// writesOf looks at the writes of a segment: own is whether one names the tablet, other is the first other tablet that one
// names. Damage is passed over: who reads the segment finds it.
func (r *replayer) writesOf(files logFiles, s *segmentFile) (own bool, other string, err error) {
	src, closer, err := files.open(s.name)
	if err != nil {
		return false, "", err
	}
	defer closer.Close()
	reader := &segmentReader{ctx: r.ctx, limit: r.o.Limits.BlockBytes, bound: &memoryBound{limit: r.o.Memory}, salvage: true, report: &logReport{}}
	_, err = reader.read(s, src, func(b *batch, _ int64) error {
		for i := range b.entries {
			e := &b.entries[i]
			if e.Type != kuduwire.EntryReplicate || e.Op != kuduwire.OpWrite {
				continue
			}
			w, err := kuduwire.ParseWriteRequest(e.Body)
			switch {
			case err != nil:
			case string(w.Tablet) == r.sb.TabletID:
				own = true
			case other == "" && isTabletID(string(w.Tablet)):
				other = string(w.Tablet)
			}
		}
		return nil
	})
	return own, other, err
}
