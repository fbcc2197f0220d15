package kudu

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// log checks what the replay of a log does not need: that the footer of each closed segment has the least and the greatest
// index of its operations. Checksums, order and counts the replay has checked.
func (v *verifier) log(t *tablet) error {
	dir := v.dirs.LogDir(t.id)
	if dir == "" || v.opt.SkipLog {
		return nil
	}
	dir, err := findLog(dir, &logReport{})
	if err != nil {
		return err
	}
	files := v.dirs.logFolder(dir)
	names, err := files.names()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if !isSegment(name) {
			continue
		}
		if err := v.segment(t, files, name); err != nil {
			return err
		}
	}
	return nil
}

// segment checks one segment.
func (v *verifier) segment(t *tablet, files logFiles, name string) error {
	s, err := openSegment(files, name)
	if err != nil {
		return nil // reported
	}
	src, closer, err := files.open(name)
	if err != nil {
		return err
	}
	defer closer.Close()
	footer, at, err := readSegmentFooter(src, s)
	if err != nil || footer == nil {
		return nil // reported, or not closed
	}
	// What cannot be read is passed over here: it has been reported.
	r := &segmentReader{ctx: v.ctx, limit: v.limits.BlockBytes, bound: &memoryBound{limit: v.opt.LogMemory}, salvage: true, report: &logReport{}}
	least, greatest := int64(-1), int64(-1)
	_, err = r.read(s, src, func(b *batch, _ int64) error {
		for i := range b.entries {
			e := &b.entries[i]
			if e.Type != kuduwire.EntryReplicate {
				continue
			}
			if least < 0 || e.ID.Index < least {
				least = e.ID.Index
			}
			greatest = max(greatest, e.ID.Index)
		}
		return nil
	})
	if err != nil || r.holes > 0 {
		return v.fault(inTablet(err, t))
	}
	if footer.MinIndex >= 0 && footer.MinIndex != least || footer.MaxIndex >= 0 && footer.MaxIndex != greatest {
		err := corrupt("the footer says that operations %d to %d are in the segment, it has %d to %d", footer.MinIndex, footer.MaxIndex, least, greatest)
		return v.fault(inTablet(locate(err, name, at), t))
	}
	return nil
}

// readSegmentFooter returns the footer of a closed segment, and where it is; nil = the segment was not closed.
func readSegmentFooter(src arrowio.Source, s *segmentFile) (*kuduwire.SegmentFooter, int64, error) {
	tail := src.Size() - kuduwire.SegmentTailSize
	if tail < s.start {
		return nil, 0, nil
	}
	b := make([]byte, kuduwire.SegmentTailSize)
	if err := readFull(src, b, tail); err != nil {
		return nil, 0, err
	}
	n, err := kuduwire.ParseSegmentTail(b, tail-s.start)
	if err != nil || n == 0 {
		return nil, 0, err
	}
	at := tail - int64(n)
	b = make([]byte, n)
	if err := readFull(src, b, at); err != nil {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("footer: %w", io.ErrUnexpectedEOF)
		}
		return nil, 0, err
	}
	f, err := kuduwire.ParseSegmentFooter(b)
	return &f, at, err
}
