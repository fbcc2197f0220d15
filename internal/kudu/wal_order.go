package kudu

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// pendingOp is an operation that waits for its COMMIT, or for that of one before it: operations are applied in the order
// of their indices.
type pendingOp struct {
	op        kuduwire.Entry
	batch     *batch
	file      *segmentFile
	off       int64
	committed bool
	result    []byte // TxResultPB
	commit    *batch // that result is a part of
}

func (r *replayer) release(p *pendingOp) {
	r.reader.drop(p.batch)
	if p.commit != nil {
		r.reader.drop(p.commit)
	}
	*p = pendingOp{}
}

// find returns the position of the operation with an index among those that wait.
func (r *replayer) find(index int64) (int, bool) {
	// Indices have no gaps but where the log has been salvaged.
	if n := len(r.pending); n > 0 {
		if i := index - r.pending[0].op.ID.Index; i >= 0 && i < int64(n) && r.pending[i].op.ID.Index == index {
			return int(i), true
		}
	}
	return slices.BinarySearchFunc(r.pending, index, func(p pendingOp, index int64) int { return cmp.Compare(p.op.ID.Index, index) })
}

// replicate takes an operation into the queue. One with the index of an operation that waits replaces it and all behind
// it: a new leader did not have them.
func (r *replayer) replicate(e *kuduwire.Entry, b *batch) error {
	r.st.ops++
	r.st.reachTime = max(r.st.reachTime, e.Time)
	if compareOps(e.ID, r.st.reach) > 0 {
		r.st.reach = e.ID
	}
	torn := r.reader.torn
	r.tellTorn(e)
	if r.stopped {
		r.behindGap(e)
		return nil
	}
	if ok, err := r.follows(e, torn); err != nil || !ok {
		return err
	}
	if !r.hasPrev && e.ID.Index > 1 && r.sb.LastDurableMRS < 0 && len(r.sb.RowSets) == 0 {
		r.report.note("the log begins with operation %s though nothing is on disk: segments before it may be missing", e.ID)
	}
	if !r.hasPrev {
		r.st.first, r.st.firstTime = e.ID, e.Time
	}
	r.prev, r.hasPrev, r.holes = e.ID, true, r.reader.holes
	switch e.Op {
	case kuduwire.OpNoOp, kuduwire.OpWrite, kuduwire.OpAlterSchema, kuduwire.OpChangeConfig, kuduwire.OpParticipant:
	default:
		if !r.o.Salvage {
			return opFault(e.ID, unknownType, "%s is not known", e.Op)
		}
		r.report.loseOp(e.ID, -1, unknownType)
		return nil
	}
	if e.ID.Index <= r.done {
		if !r.o.Salvage {
			return opFault(e.ID, indexTwice, "its index was committed before")
		}
		r.report.loseOp(e.ID, r.opRows(e), indexTwice)
		return nil
	}
	i, _ := r.find(e.ID.Index)
	for k := i; k < len(r.pending); k++ {
		r.release(&r.pending[k])
	}
	r.pending = r.pending[:i]
	if err := r.reader.hold(b); err != nil {
		return err
	}
	r.pending = append(r.pending, pendingOp{op: *e, batch: b, file: r.where.file, off: r.where.off})
	return nil
}

// follows reports whether an operation may come after the one before. No index may be left out, even where the term
// changes, which Kudu lets pass: a new leader goes on with the next index, so operations are missing. A salvage goes on where
// it has itself passed over a part of the log, which accounts for what is missing. Otherwise it stops. torn is the torn ends
// of segments between the two.
func (r *replayer) follows(e *kuduwire.Entry, torn []tornEnd) (bool, error) {
	if !r.hasPrev || missingBefore(r.prev, e.ID) == 0 {
		return true, nil
	}
	switch {
	case r.holes != r.reader.holes:
		r.report.lose(logFault{}, "%s between %s and %s: not in what can be read of the log", count(missingBefore(r.prev, e.ID), "operation"), r.prev, e.ID)
		r.miss(indexRange{r.prev.Index + 1, e.ID.Index - 1})
		return true, nil
	case r.o.Salvage:
		r.report.lose(r.indexFault(e), "%s: %s; later operations are not applied", r.where.file.name, gapText(r.prev, e.ID))
		r.stopped = true
		r.behindGap(e)
		return false, nil
	}
	why := ""
	for _, t := range torn {
		why += "; " + t.String()
	}
	return false, withFault(errs.Errorf(errs.ErrCorrupt, "%s%s", gapText(r.prev, e.ID), why), r.indexFault(e))
}

// indexFault is the fault of an operation that does not follow the one before it.
func (r *replayer) indexFault(e *kuduwire.Entry) logFault {
	return logFault{kind: badIndex, segment: r.where.file.name, off: r.where.off, op: e.ID}
}

// behindGap counts an operation behind the place where a salvage has stopped.
func (r *replayer) behindGap(e *kuduwire.Entry) {
	if missing := e.ID.Index - 1 - r.prev.Index; r.hasPrev && missing > 0 && !r.gapCounted {
		r.report.lose(logFault{}, "%s between %s and %s: not in what can be read of the log", count(missing, "operation"), r.prev, e.ID)
		r.miss(indexRange{r.prev.Index + 1, e.ID.Index - 1})
	}
	r.gapCounted = true
	r.report.loseOp(e.ID, r.opRows(e), behindGap)
}

// commit takes what became of an operation, and applies all that nothing stands before any more.
func (r *replayer) commit(e *kuduwire.Entry, b *batch) error {
	if r.o.Watch != nil {
		if err := r.o.Watch.commit(e.Body); err != nil {
			return opError(err, e.ID)
		}
	}
	i, ok := r.find(e.ID.Index)
	if !ok {
		return r.orphan(e)
	}
	p := &r.pending[i]
	switch {
	case p.op.ID.Term == e.ID.Term && !p.committed:
	case !r.o.Salvage:
		return errs.Errorf(errs.ErrCorrupt, "COMMIT of operation %s: the log has %s, committed %v", e.ID, p.op.ID, p.committed)
	default:
		r.report.note("%s: the COMMIT of operation %s at %d is passed over: the log has %s", r.where.file.name, e.ID, r.where.off, p.op.ID)
		return nil
	}
	p.committed, p.result = true, e.Body
	r.lastCommit = max(r.lastCommit, e.ID.Index)
	if i > 0 { // it has to wait
		if err := r.reader.hold(b); err != nil {
			return err
		}
		p.commit = b
		return nil
	}
	n := 0
	for ; n < len(r.pending) && r.pending[n].committed; n++ {
		p := &r.pending[n]
		if err := r.applyOp(p, p.result, false); err != nil {
			return err
		}
		r.release(p)
	}
	if n == len(r.pending) {
		n, r.pending = 0, r.pending[:0]
	}
	r.pending = r.pending[n:]
	return nil
}

// orphan takes a COMMIT without its operation, which was in a segment that is deleted, for all it did is on disk.
func (r *replayer) orphan(e *kuduwire.Entry) error {
	active, err := r.apply.anyActive(e.Body)
	switch {
	case err == nil && !active || r.stopped:
		return nil
	case !r.o.Salvage && err != nil:
		return opError(err, e.ID)
	case !r.o.Salvage:
		return opFault(e.ID, noRequest, "the log has its COMMIT, but not the operation, and not all of it is on disk")
	}
	r.reader.holes++
	for _, g := range r.gaps {
		if g.first <= e.ID.Index && e.ID.Index <= g.last {
			return nil // it is counted
		}
	}
	if len(r.orphans) < maxOrphans {
		r.orphans[e.ID.Index] = true
	}
	r.report.loseOp(e.ID, -1, noRequest)
	return nil
}

// Bounds on what is remembered to count no lost operation twice.
const (
	maxOrphans = 1 << 16
	maxGaps    = 1 << 10
)

// miss counts operations that are not in the log.
func (r *replayer) miss(g indexRange) {
	n := g.last - g.first + 1
	for i := range r.orphans {
		if g.first <= i && i <= g.last {
			n--
		}
	}
	r.report.ops += n
	if len(r.gaps) < maxGaps {
		r.gaps = append(r.gaps, g)
	}
}

// applyOp applies an operation. Where its result is not known, fresh, it is decided anew for each row.
func (r *replayer) applyOp(p *pendingOp, result []byte, fresh bool) error {
	r.done = max(r.done, p.op.ID.Index)
	r.st.last, r.st.lastTime = p.op.ID, p.op.Time
	err := r.apply.op(p, result, fresh)
	if err == nil {
		return nil
	}
	if r.o.Salvage && isData(err) {
		r.report.loseBad(p.op.ID, -1, err)
		return nil
	}
	return locate(opError(err, p.op.ID), p.file.name, p.off)
}

// rest applies what waits when the log has ended: what has an index below one with a COMMIT is committed; of the rest
// this log does not tell.
func (r *replayer) rest() error {
	if len(r.pending) == 0 {
		return nil
	}
	above, _ := r.find(r.lastCommit + 1)
	if above < len(r.pending) {
		apply, reason, err := r.decide()
		if err != nil {
			return err
		}
		rows, unsure := int64(0), false
		for i := above; i < len(r.pending); i++ {
			n := r.opRows(&r.pending[i].op)
			rows, unsure = rows+max(0, n), unsure || n < 0
		}
		what, tell := "applied", r.report.tell
		switch {
		case !apply && unsure:
			what, tell = "left out", r.report.note
		case !apply:
			what, tell = "left out", func(format string, args ...any) { r.report.noteRows(rows, format, args...) }
		}
		which, are, first := "operation "+r.pending[above].op.ID.String(), "is", r.pending[above].op.ID
		if n := len(r.pending) - above; n > 1 {
			which, are = fmt.Sprintf("%d operations, %s to %s", n, first, r.pending[len(r.pending)-1].op.ID), "are"
		}
		line := fmt.Sprintf("%s (%s) %s above the highest COMMIT, and %s, because %s", which, count(rows, "row"), are, what, reason)
		if tell("%s", line); !apply {
			r.st.leftOut = line
		}
		if !apply {
			for i := above; i < len(r.pending); i++ {
				r.release(&r.pending[i])
			}
			r.pending = r.pending[:above]
		}
	}
	for i := range r.pending {
		p := &r.pending[i]
		if err := r.applyOp(p, p.result, true); err != nil {
			return err
		}
		r.release(p)
	}
	r.pending = nil
	return nil
}

// decide says whether to apply operations of which the log does not tell whether they were committed, and why.
func (r *replayer) decide() (apply bool, reason string, err error) {
	if r.o.Uncommitted != "" {
		return r.o.Uncommitted == "apply", "this was asked for", nil
	}
	sole, err := r.sole()
	switch {
	case err == nil && sole:
		return true, "this server alone decides what is committed", nil
	case err == nil:
		return false, "the replicas on other servers know whether they were committed", nil
	case errors.Is(err, fs.ErrNotExist):
		return false, "the tablet has no consensus metadata, which tells what other replicas there are", nil
	case isData(err):
		return false, "the tablet's consensus metadata, which tells what other replicas there are, cannot be read: " + innermost(err), nil
	}
	return false, "", err
}

// opRows counts the rows of an operation, -1 where they cannot be read.
func (r *replayer) opRows(e *kuduwire.Entry) int64 {
	if e.Op != kuduwire.OpWrite {
		return 0
	}
	return countRows(e.Body, r.o.Limits)
}
