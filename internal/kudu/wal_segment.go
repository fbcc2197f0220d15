package kudu

import (
	"context"
	"fmt"
	"io"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/kudu/atrest"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// batch is the entries of a batch and the memory they are parts of.
type batch struct {
	buf     []byte // holds the LogEntryBatchPB
	entries []kuduwire.Entry
	held    int   // number of users: the reader, and the operations that wait and are parts of buf
	counted int64 // bytes of buf that the memory bound knows of
}

// segmentReader reads the batches of one segment after the other.
type segmentReader struct {
	ctx    context.Context
	limit  int64 // of a batch
	codec  blockcodec.Decoder
	window segmentWindow
	spare  []*batch // not in use
	bound  *memoryBound

	salvage bool
	report  *logReport
	holes   int       // parts of the log that a salvage has passed over
	torn    []tornEnd // of the segments that were read since the last operation
	file    string    // the segment that was read last
	end     int64     // of its last batch
}

const (
	windowSize = 1 << 20
	maxSpare   = 16
	bufferStep = 1 << 10
)

// segmentWindow is the part of a file that is in memory.
type segmentWindow struct {
	src  arrowio.Source
	size int64
	buf  []byte
	off  int64 // of buf in the file
}

func (w *segmentWindow) open(src arrowio.Source) {
	w.src, w.size, w.off, w.buf = src, src.Size(), 0, w.buf[:0]
}

// at returns n bytes at off, which the caller has checked to be there. They are good until the next call.
func (w *segmentWindow) at(off int64, n int) ([]byte, error) {
	if off < w.off || off+int64(n) > w.off+int64(len(w.buf)) {
		want := int(min(int64(max(n, windowSize)), w.size-off))
		if cap(w.buf) < want || cap(w.buf) > 4*windowSize && want <= windowSize {
			w.buf = make([]byte, want)
		}
		w.buf = w.buf[:want]
		w.off = off
		if m, err := w.src.ReadAt(w.buf, off); m < want {
			w.buf = w.buf[:0]
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	i := int(off - w.off)
	return w.buf[i : i+n : i+n], nil
}

// segmentWalk is one segment being read.
type segmentWalk struct {
	*segmentReader
	s       *segmentFile
	end     int64 // of the entries
	footer  *kuduwire.SegmentFooter
	entries int64
	damaged bool
}

// read calls take with each batch of s, in order, and reports whether the segment was closed. An error of take ends it.
// A batch that cannot be read ends a segment that was not closed if no later bytes of it look like a batch. Otherwise it is
// corrupt; a salvage passes over it.
func (sr *segmentReader) read(s *segmentFile, src arrowio.Source, take func(b *batch, off int64) error) (closed bool, err error) {
	sr.window.open(src)
	w := &segmentWalk{segmentReader: sr, s: s, end: min(src.Size(), s.size)}
	if w.end < s.start {
		return false, locate(errs.Errorf(errs.ErrCorrupt, "the file has shrunk"), s.name, w.end)
	}
	if err := w.findFooter(); err != nil {
		if !sr.salvage || !isData(err) {
			return false, locate(err, s.name, -1)
		}
		sr.report.note("%s: the footer cannot be read (%s): it is read as a segment that was not closed", s.name, innermost(err))
	}
	sr.file, sr.end = s.name, s.start
	for off := s.start; off < w.end; {
		if err := sr.ctx.Err(); err != nil {
			return false, err
		}
		b, next, err := w.batch(off)
		if err == nil && b == nil { // what comes now is damaged: next says where to go on
			off = next
			continue
		}
		if err != nil {
			return false, locate(err, s.name, off)
		}
		w.entries += int64(len(b.entries))
		err = take(b, off)
		sr.drop(b)
		if err != nil {
			return false, locate(err, s.name, off)
		}
		off, sr.end = next, next
	}
	if w.footer != nil && w.footer.Entries != w.entries && !w.damaged {
		err := errs.Errorf(errs.ErrCorrupt, "the footer counts %d entries, there are %d", w.footer.Entries, w.entries)
		if !sr.salvage {
			return false, locate(err, s.name, w.end)
		}
		sr.report.note("%s: %s; they are kept", s.name, innermost(err))
	}
	return w.footer != nil, nil
}

// findFooter looks for a footer and makes the entries end before it.
func (w *segmentWalk) findFooter() error {
	if w.end-w.s.start < kuduwire.SegmentTailSize {
		return nil
	}
	tail := w.end - kuduwire.SegmentTailSize
	b, err := w.window.at(tail, kuduwire.SegmentTailSize)
	if err != nil {
		return err
	}
	n, err := kuduwire.ParseSegmentTail(b, tail-w.s.start)
	if err != nil || n == 0 {
		return err
	}
	if b, err = w.window.at(tail-int64(n), n); err != nil {
		return err
	}
	f, err := kuduwire.ParseSegmentFooter(b)
	if err != nil {
		return err
	}
	w.footer, w.end = &f, tail-int64(n)
	return nil
}

// batch reads the batch at off and returns it with the offset at which it ends. If it is damaged, and the walk goes on, the
// batch is nil.
func (w *segmentWalk) batch(off int64) (*batch, int64, error) {
	size := int64(w.s.head.EntryHeadSize())
	room := w.end - off - size
	if room <= 0 {
		return w.broken(off, -1, errs.Errorf(errs.ErrCorrupt, "the head of a batch is cut short"))
	}
	b, err := w.window.at(off, int(size))
	if err != nil {
		return nil, 0, err
	}
	head, ok := w.s.head.ParseEntryHead(b)
	if !ok {
		return w.broken(off, -1, errs.Errorf(errs.ErrCorrupt, "the checksum of a batch's head does not fit"))
	}
	body := off + size
	if err := w.s.head.CheckEntryHead(head, room, w.limit); err != nil {
		return w.broken(off, -1, err)
	}
	next := body + int64(head.Stored)
	if b, err = w.window.at(body, int(head.Stored)); err != nil {
		return nil, 0, err
	}
	into := w.take(int(head.Unpacked) + blockcodec.Slack)
	raw, err := w.s.head.OpenBatch(head, b, into.buf, &w.codec)
	if err == nil {
		into.entries, err = kuduwire.ParseEntries(into.entries[:0], raw)
	}
	if err != nil {
		w.drop(into)
		return w.broken(off, next, err)
	}
	return into, next, nil
}

// broken decides what a batch at off means that cannot be read. next is where its head says that it ends, -1 = the head
// is no good.
func (w *segmentWalk) broken(off, next int64, cause error) (*batch, int64, error) {
	if !isData(cause) {
		return nil, 0, cause
	}
	fault := logFault{kind: badBatch, segment: w.s.name, off: off}
	if w.footer == nil || w.salvage {
		found, err := w.findHead(off + int64(w.s.head.EntryHeadSize()))
		switch {
		case err != nil:
			return nil, 0, err
		case found < 0 && w.footer == nil:
			return nil, w.end, w.tail(off, cause)
		case found >= 0 && !w.salvage:
			return nil, 0, reword(withFault(cause, fault), func(cause error) error {
				return fmt.Errorf("%w; what looks like a batch follows at %d, so this is not the log's end", cause, found)
			})
		case found < 0:
			found = w.end
		}
		if next < 0 || next > w.end {
			next = found
		}
		w.damaged = true
		w.holes++
		w.report.lose(fault, "%s: bytes %d to %d cannot be read: %s", w.s.name, off, next, innermost(cause))
		return nil, next, nil
	}
	return nil, 0, reword(withFault(cause, fault), func(cause error) error { return fmt.Errorf("%w, and the segment was closed", cause) })
}

// findHead returns the offset of the first head of a batch at or behind off, -1 if there is none.
func (w *segmentWalk) findHead(off int64) (int64, error) {
	size := int64(w.s.head.EntryHeadSize())
	for end := w.end - 1; off+size <= end; { // a head without a body is none
		if err := w.ctx.Err(); err != nil {
			return 0, err
		}
		n := min(windowSize, end-off)
		b, err := w.window.at(off, int(n))
		if err != nil {
			return 0, err
		}
		if i := w.s.head.FindEntryHead(b); i >= 0 {
			return off + int64(i), nil
		}
		off += n - size + 1
	}
	return -1, nil
}

// tail keeps a torn end to be reported, unless it is zeros: space that was allocated and not used.
func (w *segmentWalk) tail(off int64, cause error) error {
	if f, ok := w.window.src.(*atrest.File); ok { // decrypted, the rest of a block that was written to in part is not zeros
		if blank, err := f.Unwritten(off, w.end); err != nil || blank {
			return err
		}
	}
	for at := off; at < w.end; {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		b, err := w.window.at(at, int(min(windowSize, w.end-at)))
		if err != nil {
			return err
		}
		for _, c := range b {
			if c != 0 {
				w.torn = append(w.torn, tornEnd{segment: w.s.name, off: off, end: w.end, cause: cause})
				return nil
			}
		}
		at += int64(len(b))
	}
	return nil
}

// take returns a batch to read n bytes into, held once.
func (sr *segmentReader) take(n int) *batch {
	var b *batch
	if k := len(sr.spare); k > 0 {
		b, sr.spare = sr.spare[k-1], sr.spare[:k-1]
	} else {
		b = &batch{}
	}
	if cap(b.buf) < n {
		b.buf = make([]byte, (n+bufferStep-1)/bufferStep*bufferStep)
	}
	b.held = 1
	return b
}

// hold keeps the memory of b for an operation that waits.
func (sr *segmentReader) hold(b *batch) error {
	if b.counted == 0 {
		n := int64(cap(b.buf))
		if err := sr.bound.add(n); err != nil {
			return fmt.Errorf("operations that wait for their COMMIT: %w", err)
		}
		b.counted = n
	}
	b.held++
	return nil
}

// drop ends one hold.
func (sr *segmentReader) drop(b *batch) {
	if b.held--; b.held > 0 {
		return
	}
	sr.bound.give(b.counted)
	b.counted = 0
	if len(sr.spare) < maxSpare && cap(b.buf) <= 4*windowSize {
		sr.spare = append(sr.spare, b)
	}
}
