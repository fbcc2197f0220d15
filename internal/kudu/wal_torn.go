package kudu

import (
	"fmt"

	"github.com/arrowio/arrowio/internal/kuduwire"
)

// tornEnd is the end of a segment that was not closed, where its bytes are not a whole entry. In an earlier segment there may be no bytes: it
// lacks only what closes it, and perhaps entries.
type tornEnd struct {
	segment  string
	off, end int64
	cause    error
}

func (t tornEnd) String() string {
	if t.off == t.end {
		return fmt.Sprintf("%s ends at byte %d, and was not closed although another segment follows", t.segment, t.end)
	}
	return fmt.Sprintf("%s ends in %s that are not a whole entry, from byte %d on (%s)", t.segment, count(t.end-t.off, "byte"), t.off, innermost(t.cause))
}

func (t tornEnd) fault() logFault { return logFault{kind: badBatch, segment: t.segment, off: t.off} }

// endsEarly adds the end of the segment that was read last, which was not closed although another follows, where it is not torn.
func (sr *segmentReader) endsEarly() {
	name := sr.file
	if n := len(sr.torn); n == 0 || sr.torn[n-1].segment != name {
		sr.torn = append(sr.torn, tornEnd{segment: name, off: sr.end, end: sr.end})
	}
}

// tellTorn reports the torn ends before operation e, which is the first one behind them: its index tells whether
// operations are missing.
func (r *replayer) tellTorn(e *kuduwire.Entry) {
	for _, t := range r.reader.torn {
		switch {
		case r.stopped:
			r.report.note("%s", t)
		case !r.hasPrev && e.ID.Index > 1:
			r.report.lose(t.fault(), "%s, so operations before %s may be missing; %s", t, e.ID, elsewhere)
		case missingBefore(r.prev, e.ID) > 0:
			r.report.note("%s; %s", t, gapText(r.prev, e.ID))
		case t.off == t.end: // no operation is missing
		default:
			r.report.noteRows(0, "%s; they are not read, and no operation is missing, because %s goes on with operation %s", t, r.where.file.name, e.ID)
		}
	}
	r.reader.torn = r.reader.torn[:0]
}

// tellTornEnd reports the torn ends that no operation follows; last is the log's last segment. sure is whether the log's index proves
// that no operation is missing, and cut why the end of the segment must be lost. Otherwise a part of an entry is what a server leaves, too,
// that ended while it wrote.
func (r *replayer) tellTornEnd(last *segmentFile, sure bool, cut string) {
	for _, t := range r.reader.torn {
		switch {
		case sure:
			r.report.noteRows(0, "%s, and no operation is missing, because the log's index ends with operation %s, too", t, r.st.reach)
		case t.segment == last.name && cut != "":
			r.report.lose(t.fault(), "%s; %s: %s", t, cut, elsewhere)
		case t.segment == last.name:
			r.report.note("%s; they are not read, and this is the last segment, so the last inserts, updates and deletes may be missing: "+elsewhere, t)
		default:
			r.report.lose(t.fault(), "%s, and no operation follows, so the last inserts, updates and deletes may be missing; %s", t, elsewhere)
		}
	}
	r.reader.torn = nil
}

// missingBefore returns how many operations are missing between two that follow each other in the log.
func missingBefore(prev, next kuduwire.OpID) int64 { return max(0, next.Index-1-prev.Index) }

// gapText says which operations are missing between two that follow each other in the log.
func gapText(prev, next kuduwire.OpID) string {
	first, last := prev.Index+1, next.Index-1
	if first == last {
		return fmt.Sprintf("operation %s follows %s: the operation with index %d is missing", next, prev, first)
	}
	return fmt.Sprintf("operation %s follows %s: the operations with indices %d to %d are missing", next, prev, first, last)
}
