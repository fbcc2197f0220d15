package kudu

import (
	"fmt"
	"slices"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
)

// findings is what there is to tell of a server's directories besides their rows. Warnings are what is lost, and what is
// doubtful: rows may be missing, or may be wrong. Notes are what is as it should be, or concerns other tables.
type findings struct {
	mu     sync.Mutex
	notes  []string
	doubts lineList
	losses lineList
	faults []error // that Verify reports: what stood in the way of opening the files
	verify bool    // opened to be verified: what is lost is a fault, and not to be told besides
}

// maxTold is how many losses, and how many doubts, are told one by one.
const maxTold = 1000

// lineList is lines, of which only the first are kept.
type lineList struct {
	lines []string
	more  int
}

func (t *lineList) add(line string) {
	switch {
	case len(t.lines) == maxTold:
		t.more++
		return
	case slices.Contains(t.lines, line):
		return
	}
	t.lines = append(t.lines, line)
}

func (t *lineList) appendTo(out []string, what string) []string {
	out = append(out, t.lines...)
	if t.more > 0 {
		out = append(out, fmt.Sprintf(what, t.more))
	}
	return out
}

// ofServer takes what is to be told of all directories.
func (f *findings) ofServer(s *server) {
	f.verify = s.opt.verify
	doubts := s.dirs.Doubts()
	f.notes = slices.DeleteFunc(append(s.dirs.Notes(), s.blocks.Notes()...), func(n string) bool { return slices.Contains(doubts, n) })
	for _, d := range doubts {
		f.doubts.add(d)
	}
	if s.failed != nil {
		f.fault(s.failed)
	}
}

// note tells what a careful user may want to know.
func (f *findings) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// doubt warns that rows may be missing or wrong.
func (f *findings) doubt(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.doubts.add(fmt.Sprintf(format, args...))
}

// lose warns of what a salvage has given up, which Verify reports; cause says why, where that is known.
func (f *findings) lose(cause error, format string, args ...any) {
	f.loseBlocks(format, args...)
	if cause == nil {
		cause = arrowio.Locate(arrowio.Errorf(arrowio.ErrCorrupt, format, args...), arrowio.At{Format: Name, Split: -1, Off: -1})
	}
	f.fault(cause)
}

// loseBlocks is lose where blocks are the cause: Verify looks at each of them itself.
func (f *findings) loseBlocks(format string, args ...any) {
	if f.verify {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.losses.add("lost: " + fmt.Sprintf(format, args...))
}

// fault is for Verify to report.
func (f *findings) fault(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.faults) < maxTold {
		f.faults = append(f.faults, err)
	}
}

// Warnings implements arrowio.Warner: what a salvage has lost, block by block and operation by operation, then what makes
// it doubtful that all rows are there and as they were last. At most 1000 lines of either kind, and one that counts the rest.
func (f *findings) Warnings() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.doubts.appendTo(f.losses.appendTo(nil, "lost: and %d more"), "and %d more doubts like these")
}

// Notes returns what is in Info.Notes.
func (f *findings) allNotes() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.notes)
}
