package kudu

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/arrowio/arrowio/internal/kudu/atrest"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// logEnd is where what can be read of a log ends. A killed server leaves its last segment open, with zeros in the space that was set
// aside, and so does an end that was overwritten with zeros. What tells them apart is the index of the log, which has the place of
// each operation (kuduwire.LogIndexEntry), and the number of the operation that the consensus metadata is from.
type logEnd struct {
	last  *segmentFile
	off   int64         // where the last batch ends
	first kuduwire.OpID // index 0 = no operation can be read
	reach kuduwire.OpID
}

// indexed is what the index of a log says about its end.
type indexed struct {
	first, last kuduwire.OpID // operations whose places are behind the end; index 0 = there are none
	count       int64
	// sure is whether the last operation that can be read is the last of the index, too.
	sure bool
}

// behind looks in the index for operations behind the end. The index proves something only where it can be read, and what is wrong
// with it is no damage of the log.
func (e *logEnd) behind(ctx context.Context, files logFiles, names []string) (out indexed, err error) {
	type chunk struct {
		name   string
		number int64
	}
	var chunks []chunk
	for _, name := range names {
		if n, ok := kuduwire.LogIndexNumber(name); ok && n >= e.first.Index/kuduwire.LogIndexEntries {
			chunks = append(chunks, chunk{name, n})
		}
	}
	slices.SortFunc(chunks, func(a, b chunk) int { return cmp.Compare(a.number, b.number) })
	for _, c := range chunks {
		more, err := e.read(ctx, files, c.name, c.number*kuduwire.LogIndexEntries, &out)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if err != nil || !more {
			break
		}
	}
	out.sure = out.sure && out.count == 0
	return out, nil
}

// indexWindow is how many entries are read at once.
const indexWindow = 4096

// read reads a file of the index, whose first entry is that of the operation with index base. It reports whether entries may follow
// in the next file.
func (e *logEnd) read(ctx context.Context, files logFiles, name string, base int64, out *indexed) (bool, error) {
	src, closer, err := files.open(name)
	if err != nil {
		return false, err
	}
	defer closer.Close()
	n := min(src.Size()/kuduwire.LogIndexEntrySize, kuduwire.LogIndexEntries)
	buf := make([]byte, min(n, indexWindow)*kuduwire.LogIndexEntrySize)
	for i := max(0, e.first.Index-base); i < n; {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		b := buf[:min(n-i, indexWindow)*kuduwire.LogIndexEntrySize]
		if err := readFull(src, b, i*kuduwire.LogIndexEntrySize); err != nil {
			return false, err
		}
		for ; len(b) > 0; b, i = b[kuduwire.LogIndexEntrySize:], i+1 {
			entry, ok := kuduwire.ParseLogIndexEntry(b)
			if !ok && e.reach.Index > 0 && base+i > e.reach.Index {
				return false, nil // entries have no gaps
			}
			if ok {
				out.take(e, kuduwire.OpID{Term: entry.Term, Index: base + i}, entry)
			}
		}
	}
	return true, nil
}

// maxAhead bounds by how many terms and segments an entry may be ahead of the log's end: one that is further is damaged.
const maxAhead = 1 << 20

// take takes an entry. One whose place is before the end is of an operation that was read, or that a later one has replaced.
func (x *indexed) take(e *logEnd, id kuduwire.OpID, at kuduwire.LogIndexEntry) {
	switch {
	case at.Segment < e.last.sequence || at.Segment == e.last.sequence && at.Offset < e.off:
		x.sure = x.sure || id == e.reach
		return
	case id.Term < e.reach.Term || id.Term-e.reach.Term > maxAhead || at.Segment-e.last.sequence > maxAhead:
		return
	}
	if x.count == 0 {
		x.first = id
	}
	x.last = id
	x.count++
}

// text says which operations are missing.
func (x *indexed) text(e *logEnd) string {
	which := fmt.Sprintf("operation %s was", x.first)
	if x.count > 1 {
		which = fmt.Sprintf("%d operations, %s to %s, were", x.count, x.first, x.last)
	}
	return fmt.Sprintf("%s in the log, as its index says, and cannot be found in it: it %s", which, e.text())
}

// text says where the log ends.
func (e *logEnd) text() string {
	if e.reach.Index == 0 {
		return fmt.Sprintf("has no operation (%s ends at byte %d)", e.last.name, e.off)
	}
	return fmt.Sprintf("ends with operation %s (%s, byte %d)", e.reach, e.last.name, e.off)
}

// where lost operations may be found.
const elsewhere = "they are on other replicas, or in a copy of the file, if anywhere"

// checkEnd looks for operations behind what can be read of the log, and reports them as lost. Where nothing tells whether there were any,
// and the log was not closed, the state says so.
func (r *replayer) checkEnd(files logFiles, last *segmentFile, closed bool) error {
	names, err := files.names()
	if err != nil {
		return err
	}
	e := &logEnd{last: last, off: r.reader.end, first: r.st.first, reach: r.st.reach}
	found, err := e.behind(r.ctx, files, names)
	if err != nil {
		return err
	}
	if found.count > 0 {
		r.report.lose(logFault{kind: behindEnd, op: found.first}, "%s; %s", found.text(e), elsewhere)
		r.report.ops += found.count
	}
	config := r.configured(e, found.last.Index)
	r.tellUnreadEnd(found.sure, found.count > 0 || config)
	if found.count == 0 && !found.sure && !config {
		r.tellTerm(e)
	}
	cut := ""
	if !closed && !found.sure && found.count == 0 {
		cut = r.cutOff(last)
	}
	r.tellTornEnd(last, found.sure, cut)
	switch {
	case found.count > 0 || found.sure || closed || config:
	case cut != "" && len(r.report.lost) == 0:
		r.report.lose(logFault{kind: behindEnd, segment: last.name}, "the log %s, and was not closed; %s: %s", e.text(), cut, elsewhere)
	case cut == "":
		r.st.open = e.text()
	}
	return nil
}

// cutOff says why an open segment must have lost its end, "" = it need not: it is smaller than what the server sets aside for a segment,
// as Kudu makes it only when it closes it.
func (r *replayer) cutOff(last *segmentFile) string {
	if r.space == nil || last.size%spaceUnit == 0 {
		return ""
	}
	if space := r.space(); last.size < space-atrest.HeaderSize {
		return fmt.Sprintf("the file has %d bytes, and the server sets aside %d for an open segment, so its end was cut off or overwritten, and the last inserts, updates and deletes are missing", last.size, space)
	}
	return ""
}

// configured reports whether the consensus metadata tells of operations behind the end, and reports them as lost if the index does not
// have them.
func (r *replayer) configured(e *logEnd, indexed int64) bool {
	if r.config == nil {
		return false
	}
	c, err := r.config()
	switch {
	case err != nil || c == nil: // who needs it reports it
		return false
	case c.OpIndex > e.reach.Index:
		if c.OpIndex > indexed {
			r.report.lose(logFault{kind: behindEnd, op: kuduwire.OpID{Term: c.Term, Index: c.OpIndex}},
				"the tablet's replicas were changed by the operation with index %d, as its consensus metadata says, and the log %s: later operations are lost; %s", c.OpIndex, e.text(), elsewhere)
		}
		return true
	}
	return false
}

// tellTerm tells of a term that has begun and of which the log has nothing. A server that alone decides what is committed begins each
// term with an operation.
func (r *replayer) tellTerm(e *logEnd) {
	if r.config == nil {
		return
	}
	c, err := r.config()
	if err != nil || c == nil || c.Term <= e.reach.Term { // who needs it reports it
		return
	}
	if sole, err := r.sole(); err != nil || !sole {
		return // others may have begun terms that came to nothing
	}
	r.report.note("the log %s, and the consensus metadata is of term %d, whose first operation is not in the log: its end may be missing: %s", e.text(), c.Term, elsewhere)
}
