package kudu

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/arrowio/arrowio/internal/kuduwire"
)

// maxReport is how many notes, and how many losses, are told one by one. The rest is counted.
const maxReport = 1000

// maxOpen is how many lost operations are remembered, so that each is told once.
const maxOpen = 1 << 16

// logReport collects what a replay has to tell: notes are doubts and things passed over that cost no row, losses are
// what a salvage has given up.
type logReport struct {
	notes, lost           []string
	sound                 []string // notes that are no doubts
	moreNotes, moreLosses int64

	rowsOf map[string]int64 // of lines of notes and lost, as far as they could be counted

	ops, rows int64               // lost: operations, and those of their rows that could be counted
	open      map[lostOp]lostRows // not reported yet
	omit      func(logFault) bool // losses that are counted and not reported; nil = none
	noRows    bool                // operations were lost because they change rows that are not there
	whys      []reason            // of open, in the order in which they came
}

// lostOp is an operation that is lost, and why.
type lostOp struct {
	why reason
	id  kuduwire.OpID
}

// reason is why an operation is lost.
type reason struct {
	kind   faultKind
	detail string // of badOp
}

// lostRows is how many rows of an operation are lost.
type lostRows struct {
	rows   int64
	unsure bool // there are more, and it is not known how many
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

// lose reports a loss other than that of an operation.
func (r *logReport) lose(fault logFault, format string, args ...any) {
	if r.omits(fault) {
		return
	}
	r.add(format, args...)
}

func (r *logReport) omits(fault logFault) bool { return r.omit != nil && r.omit(fault) }

func (r *logReport) add(format string, args ...any) {
	if len(r.lost) == maxReport {
		r.moreLosses++
		return
	}
	r.lost = append(r.lost, fmt.Sprintf(format, args...))
}

// loseOp reports that rows of an operation are lost; -1 = not known how many. An operation may be reported several times.
func (r *logReport) loseOp(id kuduwire.OpID, rows int64, kind faultKind) {
	r.loseFor(id, rows, reason{kind: kind})
}

// loseBad is loseOp for an operation that err is about.
func (r *logReport) loseBad(id kuduwire.OpID, rows int64, err error) {
	r.loseFor(id, rows, reason{badOp, innermost(err)})
}

func (r *logReport) loseFor(id kuduwire.OpID, rows int64, why reason) {
	k := lostOp{why, id}
	r.noRows = r.noRows || why.kind == noRow
	n, seen := r.open[k]
	if !seen {
		if len(r.open) >= maxOpen {
			r.flush()
		}
		if r.open == nil {
			r.open = map[lostOp]lostRows{}
		}
		if !slices.Contains(r.whys, why) {
			r.whys = append(r.whys, why)
		}
		r.ops++
	}
	n.unsure = n.unsure || rows < 0
	n.rows += max(0, rows)
	r.rows += max(0, rows)
	r.open[k] = n
}

// flush reports the operations that were collected: those with one reason together, and each run of them in a line.
func (r *logReport) flush() {
	ops := make([]lostOp, 0, len(r.open))
	for k := range r.open {
		if !r.omits(logFault{kind: k.why.kind, op: k.id}) {
			ops = append(ops, k)
		}
	}
	slices.SortFunc(ops, func(a, b lostOp) int {
		return cmp.Or(cmp.Compare(slices.Index(r.whys, a.why), slices.Index(r.whys, b.why)), cmp.Compare(a.id.Index, b.id.Index), cmp.Compare(a.id.Term, b.id.Term))
	})
	for i := 0; i < len(ops); {
		sum, j := r.open[ops[i]], i+1
		for ; j < len(ops) && ops[j].why == ops[i].why && ops[j].id.Index <= ops[j-1].id.Index+1; j++ {
			n := r.open[ops[j]]
			sum.rows, sum.unsure = sum.rows+n.rows, sum.unsure || n.unsure
		}
		r.addRun(ops[i:j], sum)
		i = j
	}
	r.open, r.whys = nil, nil
}

// addRun reports operations that follow each other and are lost for one reason.
func (r *logReport) addRun(ops []lostOp, sum lostRows) {
	what, why := "operation "+ops[0].id.String(), ops[0].why.detail
	if n := len(ops); n > 1 {
		what = fmt.Sprintf("%d operations, %s to %s", n, ops[0].id, ops[n-1].id)
	}
	if ops[0].why.kind != badOp {
		why = ops[0].why.kind.text(len(ops) > 1)
	}
	switch {
	case sum.rows > 0 && sum.unsure:
		what += fmt.Sprintf(" (at least %s)", count(sum.rows, "row"))
	case sum.rows > 0:
		what += fmt.Sprintf(" (%s)", count(sum.rows, "row"))
	}
	if !sum.unsure {
		r.setRows(what+": "+why, sum.rows)
	}
	r.add("%s: %s", what, why)
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
