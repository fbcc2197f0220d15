package kudu

import (
	"fmt"
	"slices"

	"github.com/arrowio/arrowio/internal/kuduwire"
)

// unreadSegment is a file under a segment's name that is empty, too short, or begins with zeros. The file is there, so the server has not
// deleted the segment: something needed its operations.
type unreadSegment struct {
	name   string
	number uint64 // by its name
	why    string
}

func (u unreadSegment) String() string { return fmt.Sprintf("%s is not read: %s", u.name, u.why) }

func (u unreadSegment) fault() logFault { return logFault{kind: badHeader, segment: u.name} }

// tellUnread reports the segments before the last one that is read: segs are those, in order.
func (r *replayer) tellUnread(segs []*segmentFile) {
	rest := r.unread[:0]
	for _, u := range r.unread {
		switch {
		case len(segs) == 0: // the log as a whole is told as lost
			r.report.note("%s", u)
		case slices.ContainsFunc(segs, func(s *segmentFile) bool { return s.sequence == u.number }):
			r.report.noteRows(0, "%s, and segment %d is in another file", u, u.number)
		case u.number > segs[len(segs)-1].sequence:
			rest = append(rest, u) // where the log ends is known later
		case u.number < segs[0].sequence:
			r.report.lose(u.fault(), "%s, and the log begins behind it: its operations that were not flushed are missing, and nothing tells how many they were; %s", u, elsewhere)
		default: // the gap that it leaves is told
			r.report.noteRows(0, "%s", u)
		}
	}
	r.unread = rest
}

// tellUnreadEnd reports the segments behind the last one that is read. sure is whether the log's index proves that no operation is missing, and told
// whether it has named those that are.
func (r *replayer) tellUnreadEnd(sure, told bool) {
	for _, u := range r.unread {
		switch {
		case sure:
			r.report.noteRows(0, "%s, and no operation is missing, because the log's index ends with operation %s, too", u, r.st.reach)
		case told:
			r.report.noteRows(0, "%s", u)
		default:
			r.report.lose(u.fault(), "%s: its operations are missing, and nothing tells how many they were; %s", u, elsewhere)
		}
	}
	r.unread = nil
}

// tellBegin tells of operations before the first one of the log, where operations that change rows that are not there show that some are
// missing.
func (r *replayer) tellBegin() {
	if r.st.first.Index > 1 && r.report.noRows && len(r.report.lost) == 0 {
		r.report.lose(logFault{kind: noRow}, "%s", missingFirst(r.st.first))
	}
}

// missingFirst says that operations before the first one that the log has are missing.
func missingFirst(first kuduwire.OpID) string {
	return fmt.Sprintf("the write-ahead log begins with operation %s, and operations before it that were not flushed are missing: nothing tells how many they were; %s", first, elsewhere)
}
