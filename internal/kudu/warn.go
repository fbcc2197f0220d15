package kudu

import (
	"fmt"
	"slices"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// findings is what is reported of a server's directories, other than their rows. Warnings are what is lost, and what is
// doubtful: rows may be missing, or may be wrong. Notes are what is as it should be, or concerns other tables.
type findings struct {
	mu     sync.Mutex
	notes  []string
	doubts lineList
	losses lineList
	faults []error         // that Verify reports: what stood in the way of opening the files
	bare   func() []string // see Dirs.Bare; nil = there are no Dirs
	hidden bool            // there are superblocks that may not be read
	verify bool            // opened to be verified: what is lost is reported as a fault, and not as a warning
}

// maxTold is how many losses, and how many doubts, are told one by one.
const maxTold = 1000

// lineList is warnings, of which only the first are kept.
type lineList struct {
	lines []arrowio.Warning
	more  int
}

func (t *lineList) add(w arrowio.Warning) {
	switch {
	case len(t.lines) == maxTold:
		t.more++
		return
	case slices.ContainsFunc(t.lines, func(o arrowio.Warning) bool { return o.Text == w.Text }):
		return
	}
	t.lines = append(t.lines, w)
}

func (t *lineList) appendTo(out []arrowio.Warning, kind arrowio.WarningKind, what string) []arrowio.Warning {
	out = append(out, t.lines...)
	if t.more > 0 {
		out = append(out, arrowio.Warnf(kind, fmt.Sprintf(what, t.more)))
	}
	return out
}

// place is a tablet as the place of a warning or an error.
func (t *tablet) place() string {
	if t.id == setTablet {
		return "the set"
	}
	return "tablet " + t.id
}

// place is a rowset as the place of a warning or an error.
func (rs *rowset) place() string {
	if rs.tablet.id == setTablet {
		return fmt.Sprintf("rowset %d", rs.meta.ID)
	}
	return fmt.Sprintf("tablet %s, rowset %d", rs.tablet.id, rs.meta.ID)
}

// at is a warning about a place, to be completed by what is told of it; rows may be arrowio.UnknownRows.
func at(place string, rows int64, columns ...string) arrowio.Warning {
	return arrowio.Warning{Place: place, Rows: rows, Columns: columns}
}

// ofServer takes what is to be told of all directories.
func (f *findings) ofServer(s *server) {
	f.verify = s.opt.verify
	doubts := s.dirs.Doubts()
	f.notes = slices.DeleteFunc(append(s.dirs.Notes(), s.blocks.Notes()...), func(n string) bool { return slices.Contains(doubts, n) })
	for _, d := range doubts {
		kind := arrowio.WarnDoubt
		if slices.Contains(s.dirs.gone, d) {
			kind = arrowio.WarnMissing
		}
		f.doubts.add(arrowio.Warnf(kind, d))
	}
	for _, d := range s.blocks.doubts {
		f.doubts.add(arrowio.Warnf(arrowio.WarnDoubt, d))
		f.fault(errs.Locate(errs.Errorf(errs.ErrCorrupt, "%s", d), errs.At{Format: Name}))
	}
	f.bare = s.dirs.Bare
	if s.locked != "" {
		f.doubts.add(arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf("the server is running: a process has locked %s. It changes and deletes files while they are read, so rows may be missing or wrong; stop the server first, or read a snapshot of its file systems", s.locked)))
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
func (f *findings) doubt(place, format string, args ...any) {
	w := at(place, arrowio.UnknownRows)
	w.Kind = arrowio.WarnDoubt
	f.warn(w, format, args...)
}

// warn keeps a warning that is not about a loss.
func (f *findings) warn(w arrowio.Warning, format string, args ...any) {
	w.Text, w.Options = fmt.Sprintf(format, args...), optionsIn(args)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.doubts.add(w)
}

// lose warns of what a salvage has given up, which Verify reports; cause says why, where that is known.
func (f *findings) lose(cause error, w arrowio.Warning, format string, args ...any) {
	f.loseBlocks(w, format, args...)
	if cause == nil {
		cause = errs.Locate(errs.Errorf(errs.ErrCorrupt, format, args...), errs.At{Format: Name})
	}
	f.fault(cause)
}

// loseBlocks is lose where blocks are the cause: Verify looks at each of them itself.
func (f *findings) loseBlocks(w arrowio.Warning, format string, args ...any) {
	if f.verify {
		return
	}
	w.Kind, w.Text = arrowio.WarnLost, "lost: "+fmt.Sprintf(format, args...)
	w.Options = append(w.Options, optionsIn(args)...)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.losses.add(w)
}

// optionsIn returns the options that a text names which is made of args.
func optionsIn(args []any) (out []errs.Option) {
	for _, x := range args {
		if err, ok := x.(error); ok {
			out = append(out, errs.OptionsOf(err)...)
		}
	}
	return out
}

// fault keeps an error for Verify to report. Each fault is found once.
func (f *findings) fault(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.faults) < maxTold {
		f.faults = append(f.faults, err)
	}
}

// Warnings implements arrowio.Warner: what a salvage has lost, block by block and operation by operation, then what makes
// it doubtful that all rows are there and as they were last. At most 1000 lines of either kind, and one that counts the rest.
func (f *findings) Warnings() []arrowio.Warning {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.bare != nil && !f.verify {
		for _, text := range f.bare() {
			f.doubts.add(arrowio.Warnf(arrowio.WarnDoubt, text))
		}
	}
	return f.doubts.appendTo(f.losses.appendTo(nil, arrowio.WarnLost, "lost: and %d more"), arrowio.WarnDoubt, "and %d more doubts like these")
}

// Doubts returns what makes the rows doubtful: see arrowio.Warner.
func (f *File) Doubts() []error { return f.badNames.Errors(errs.At{Format: Name, Op: "schema"}) }

// Notes returns what is in Info.Notes.
func (f *findings) allNotes() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.notes)
}
