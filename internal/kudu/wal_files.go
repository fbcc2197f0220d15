package kudu

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

const segmentPrefix = "wal-"

// segmentFile is a segment of a tablet's log whose header could be read.
type segmentFile struct {
	name     string
	size     int64
	number   uint64 // by its name, 0 = none
	sequence uint64 // by its header, or what a salvage makes of it
	head     *kuduwire.SegmentHeader
	start    int64 // of the entries
}

// isSegment reports whether a name is that of a segment: the prefix and a number.
func isSegment(name string) bool {
	digits, ok := strings.CutPrefix(name, segmentPrefix)
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// findLog returns the directory of the log that belongs in dir. If the server ended during a recovery, the log is in
// dir.recovery, and dir has an incomplete copy.
func findLog(dir string, r *logReport) (string, error) {
	recovery := dir + ".recovery"
	fi, err := os.Stat(recovery)
	switch {
	case err == nil && fi.IsDir():
		r.tell("the server ended while it was replaying the log: %s is read instead of the unfinished copy", filepath.Base(recovery))
		return recovery, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	return dir, nil
}

// logFiles is the folder of a tablet's log.
type logFiles interface {
	names() ([]string, error)
	open(name string) (arrowio.Source, io.Closer, error)
}

// logDir is a folder of a server's log on disk.
type logDir struct {
	dirs *Dirs
	path string
}

func (d *Dirs) logFolder(path string) logDir { return logDir{d, path} }

func (d logDir) names() ([]string, error) {
	entries, err := os.ReadDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

func (d logDir) open(name string) (arrowio.Source, io.Closer, error) {
	f, err := d.dirs.openFile(filepath.Join(d.path, name))
	if err != nil {
		return nil, nil, err
	}
	return f, f, nil
}

// openLog reads the headers of a log's segments and returns them in order. The segment at index gap does
// not follow the one before it, which is an error unless the log is salvaged; gap is the number of segments if all follow.
func (r *replayer) openLog(files logFiles) (segs []*segmentFile, gap int, err error) {
	names, err := files.names()
	if err != nil {
		return nil, 0, err
	}
	var others []string
	for _, name := range names {
		if !isSegment(name) {
			if strings.HasPrefix(name, segmentPrefix) {
				others = append(others, name)
			}
			continue
		}
		if err := r.ctx.Err(); err != nil {
			return nil, 0, err
		}
		if len(segs) == r.o.Limits.Splits {
			return nil, 0, errs.Errorf(errs.ErrLimit, "the log has more than %d segments (Splits)", len(segs))
		}
		s, err := openSegment(files, name)
		switch {
		case errors.Is(err, kuduwire.ErrUninitialized), r.o.Salvage && errors.Is(err, kuduwire.ErrSegmentShort):
			u := unreadSegment{name: name, why: innermost(err)}
			u.number, _ = strconv.ParseUint(strings.TrimPrefix(name, segmentPrefix), 10, 64)
			r.unread = append(r.unread, u)
		case err != nil && r.o.Salvage && isData(err):
			r.report.lose(logFault{kind: badHeader, segment: name}, "%s: its header cannot be read: %s", name, innermost(err))
			r.skippedFiles++
		case err != nil:
			return nil, 0, locate(withFault(err, logFault{kind: badHeader, segment: name}), name, -1)
		default:
			switch err := r.ofOther(files, s); {
			case err == nil:
				segs = append(segs, s)
			case r.o.Salvage && isData(err):
				r.report.lose(logFault{kind: badOwner, segment: name}, "%s is left out: %s", name, innermost(err))
				r.skippedFiles++
			default:
				return nil, 0, locate(withFault(err, logFault{kind: badOwner, segment: name}), name, -1)
			}
		}
	}
	slices.SortStableFunc(segs, bySequence)
	r.tellOthers(files, others, segs)
	if gap = firstGap(segs); gap < len(segs) && !r.o.Salvage {
		a, b := segs[gap-1], segs[gap]
		err := errs.Errorf(errs.ErrCorrupt, "segment %d follows segment %d (%s): one is missing, or there twice", b.sequence, a.sequence, a.name)
		return nil, 0, locate(withFault(err, logFault{kind: badSequence, segment: b.name}), b.name, -1)
	}
	if gap < len(segs) {
		segs, gap = r.mend(segs)
	}
	r.tellUnread(segs)
	return segs, gap, nil
}

// tellOthers tells of files whose names begin as those of segments do, such as copies: they are not read, and one may be a segment that
// the log lacks.
func (r *replayer) tellOthers(files logFiles, names []string, segs []*segmentFile) {
	for _, name := range names {
		s, err := openSegment(files, name)
		there := func(o *segmentFile) bool { return o.sequence == s.sequence }
		deleted := func() bool { return len(segs) > 0 && s.sequence < segs[0].sequence } // by the server
		if err != nil || s.head.TabletID != r.sb.TabletID || deleted() || slices.ContainsFunc(segs, there) {
			r.report.noteRows(0, "%s is not read: its name is not that of a segment, which is wal- and a number", name)
			continue
		}
		r.report.lose(logFault{kind: badSequence, segment: name}, "%s is not read, for its name is not that of a segment. It is segment %d, which the log lacks: its operations are read where the file is named %s%09d",
			name, s.sequence, segmentPrefix, s.sequence)
	}
}

// openSegment reads the header of a segment.
func openSegment(files logFiles, name string) (*segmentFile, error) {
	src, closer, err := files.open(name)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	return parseSegment(name, src)
}

func parseSegment(name string, src arrowio.Source) (*segmentFile, error) {
	s := &segmentFile{name: name, size: src.Size()}
	s.number, _ = strconv.ParseUint(strings.TrimPrefix(s.name, segmentPrefix), 10, 64)
	b := make([]byte, min(kuduwire.SegmentHeadSize, s.size))
	if err := readFull(src, b, 0); err != nil {
		return nil, err
	}
	n, err := kuduwire.ParseSegmentHead(b)
	if err != nil {
		return nil, err
	}
	if int64(n) > s.size-kuduwire.SegmentHeadSize {
		return nil, errs.Locate(errs.Errorf(errs.ErrCorrupt, "%d bytes of header in a file of %d", n, s.size), errs.At{Off: errs.N(8)})
	}
	b = make([]byte, n)
	if err := readFull(src, b, kuduwire.SegmentHeadSize); err != nil {
		return nil, err
	}
	if s.head, err = kuduwire.ParseSegmentHeader(b); err != nil {
		return nil, err
	}
	s.sequence, s.start = s.head.Sequence, kuduwire.SegmentHeadSize+int64(n)
	return s, nil
}

// mend looks for an order that fits where the headers' numbers do not: by the files' names, or without copies that are
// not named by their number.
func (r *replayer) mend(segs []*segmentFile) ([]*segmentFile, int) {
	byName := slices.Clone(segs)
	slices.SortStableFunc(byName, func(a, b *segmentFile) int { return cmpUint(a.number, b.number) })
	follow := true
	for i, s := range byName {
		follow = follow && s.number > 0 && (i == 0 || s.number == byName[i-1].number+1)
	}
	if follow {
		for _, s := range byName {
			if s.number != s.sequence {
				r.report.note("%s: its header says that it is segment %d; its name is believed", s.name, s.sequence)
				s.sequence = s.number
			}
		}
		return byName, len(byName)
	}
	kept := segs[:0]
	for _, s := range segs {
		last := len(kept) - 1
		if last < 0 || kept[last].sequence != s.sequence {
			kept = append(kept, s)
			continue
		}
		drop := s
		if kept[last].number != kept[last].sequence && s.number == s.sequence {
			drop, kept[last] = kept[last], s
		}
		r.report.lose(logFault{kind: badSequence, segment: s.name}, "%s is left out: segment %d is %s", drop.name, s.sequence, kept[last].name)
	}
	gap := firstGap(kept)
	if gap < len(kept) {
		missing := kept[gap].sequence - kept[gap-1].sequence - 1
		r.report.lose(logFault{kind: badSequence, segment: kept[gap].name}, "%s missing between %s and %s: later operations are not applied", count(int64(missing), "segment"), kept[gap-1].name, kept[gap].name)
	}
	return kept, gap
}

func bySequence(a, b *segmentFile) int { return cmpUint(a.sequence, b.sequence) }

func cmpUint(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// firstGap returns the index of the first segment that does not follow the one before.
func firstGap(segs []*segmentFile) int {
	for i := 1; i < len(segs); i++ {
		if segs[i].sequence != segs[i-1].sequence+1 {
			return i
		}
	}
	return len(segs)
}

func readFull(src arrowio.Source, b []byte, off int64) error {
	n, err := src.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	return err
}

// isData reports whether an error is about what a file holds, not about reading it or about our own bounds.
func isData(err error) bool {
	return errors.Is(err, errs.ErrCorrupt) || errors.Is(err, errs.ErrUnsupported)
}

// locate says in which file of a log an error is.
func locate(err error, file string, off int64) error {
	var e *errs.Error
	if !errors.As(err, &e) {
		return errs.Locate(err, errs.At{Format: "kudu", Op: file, Off: errs.N(off)})
	}
	c := *e
	c.Format = "kudu"
	switch {
	case c.Op == "":
		c.Op = file
	case !strings.HasPrefix(c.Op, segmentPrefix):
		c.Op = file + ": " + c.Op
	}
	if c.Off < 0 {
		c.Off = off
	}
	return &c
}
