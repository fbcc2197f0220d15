package kudu

import (
	"fmt"

	"github.com/arrowio/arrowio/internal/kuduwire"
)

// maxReport is how many notes, and how many losses, are told one by one. The rest is counted.
const maxReport = 1000

// logReport collects what a replay has to tell: notes are doubts and things passed over that cost no row, losses are
// what a salvage has given up.
type logReport struct {
	notes, lost           []string
	sound                 []string // notes that are no doubts
	moreNotes, moreLosses int64

	rowsOf map[string]int64 // of lines of notes and lost, as far as they could be counted

	ops, rows int64 // lost: operations, and those of their rows that could be counted
	open      opLoss
}

// opLoss is operations lost for one reason, in a row.
type opLoss struct {
	why         string
	first, last kuduwire.OpID
	ops, rows   int64
	unsure      bool // the rows of some are not known
}

func (r *logReport) note(format string, args ...any) {
	if len(r.notes) == maxReport {
		r.moreNotes++
		return
	}
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// noteRows notes what is about that many rows.
func (r *logReport) noteRows(rows int64, format string, args ...any) {
	r.note(format, args...)
	r.setRows(fmt.Sprintf(format, args...), rows)
}

func (r *logReport) setRows(line string, rows int64) {
	if r.rowsOf == nil {
		r.rowsOf = map[string]int64{}
	}
	r.rowsOf[line] = rows
}

// tell notes what is as it should be.
func (r *logReport) tell(format string, args ...any) {
	r.sound = append(r.sound, fmt.Sprintf(format, args...))
	r.note(format, args...)
}

func (r *logReport) lose(format string, args ...any) {
	r.flush()
	r.add(format, args...)
}

func (r *logReport) add(format string, args ...any) {
	if len(r.lost) == maxReport {
		r.moreLosses++
		return
	}
	r.lost = append(r.lost, fmt.Sprintf(format, args...))
}

// loseOp reports that rows of an operation are lost; -1 = nobody knows how many.
func (r *logReport) loseOp(id kuduwire.OpID, rows int64, why string) {
	o := &r.open
	if o.why != why || o.ops == 0 || id.Index != o.last.Index && id.Index != o.last.Index+1 {
		r.flush()
		*o = opLoss{why: why, first: id}
	}
	if o.ops == 0 || id != o.last {
		o.ops++
		r.ops++
	}
	o.last = id
	if rows < 0 {
		o.unsure = true
		return
	}
	o.rows += rows
	r.rows += rows
}

// flush ends the operations that are being collected.
func (r *logReport) flush() {
	o := r.open
	r.open = opLoss{}
	if o.ops == 0 {
		return
	}
	what := "operation " + o.first.String()
	if o.ops > 1 {
		what = fmt.Sprintf("%s, %s to %s", count(o.ops, "operation"), o.first, o.last)
	}
	switch {
	case o.rows > 0 && o.unsure:
		what += fmt.Sprintf(" (at least %s)", count(o.rows, "row"))
	case o.rows > 0:
		what += fmt.Sprintf(" (%s)", count(o.rows, "row"))
	}
	if !o.unsure {
		r.setRows(what+": "+o.why, o.rows)
	}
	r.add("%s: %s", what, o.why)
}

// done returns the notes and losses, with a last line each for those that were only counted.
func (r *logReport) done() (notes, lost []string) {
	r.flush()
	if r.moreNotes > 0 {
		r.notes = append(r.notes, fmt.Sprintf("and %d more notes like these", r.moreNotes))
	}
	if r.moreLosses > 0 {
		r.lost = append(r.lost, fmt.Sprintf("and %d more losses", r.moreLosses))
	}
	r.moreNotes, r.moreLosses = 0, 0
	return r.notes, r.lost
}
