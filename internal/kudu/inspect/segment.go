package inspect

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/arrowio/arrowio/internal/annotate"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/pb"
)

// segmentParts takes the parts of a segment in the order in which they lie.
type segmentParts struct {
	header func(b []byte, head *kuduwire.SegmentHeader)                    // a LogSegmentHeaderPB; head is nil where it cannot be used
	batch  func(off int64, e kuduwire.EntryHead, size int, message []byte) // size is that of its head
	broken func(off, end int64, why string)                                // bytes that are no batch
	footer func(off int64, b []byte)                                       // a LogSegmentFooterPB
}

// walk reads a segment. Batches that are damaged are told, and the walk goes on where the head of another one is found.
func (f *File) walk(ctx context.Context, p segmentParts) error {
	size := f.Src.Size()
	b, err := f.read(0, min(kuduwire.SegmentHeadSize, size))
	if err != nil {
		return err
	}
	n, err := kuduwire.ParseSegmentHead(b)
	if err == nil && int64(n) > size-kuduwire.SegmentHeadSize {
		err = fmt.Errorf("%d bytes of header in a file of %d", n, size)
	}
	if err != nil {
		p.broken(0, size, faultText(err))
		return nil
	}
	if b, err = f.read(kuduwire.SegmentHeadSize, int64(n)); err != nil {
		return err
	}
	head, err := kuduwire.ParseSegmentHeader(b)
	p.header(b, head)
	start := kuduwire.SegmentHeadSize + int64(n)
	if err != nil {
		p.broken(start, size, faultText(err))
		return nil
	}
	end, footer, err := f.segmentFooter(start)
	if err != nil {
		return err
	}
	if err := f.batches(ctx, head, start, end, p); err != nil {
		return err
	}
	if footer != nil {
		p.footer(end, footer)
	}
	return nil
}

// segmentFooter returns where the batches end, and the footer that follows them, nil = there is none.
func (f *File) segmentFooter(start int64) (end int64, footer []byte, err error) {
	end = f.Src.Size()
	tail := end - kuduwire.SegmentTailSize
	if tail < start {
		return end, nil, nil
	}
	b, err := f.read(tail, kuduwire.SegmentTailSize)
	if err != nil {
		return 0, nil, err
	}
	n, err := kuduwire.ParseSegmentTail(b, tail-start)
	if err != nil || n == 0 {
		return end, nil, nil // the bytes are told as no batch
	}
	footer, err = f.read(tail-int64(n), int64(n))
	return tail - int64(n), footer, err
}

func (f *File) batches(ctx context.Context, head *kuduwire.SegmentHeader, off, end int64, p segmentParts) error {
	size := head.EntryHeadSize()
	codec := blockcodec.Decoder{}
	for off < end {
		if err := ctx.Err(); err != nil {
			return err
		}
		e, message, why, err := f.batch(head, off, end, &codec)
		if err != nil {
			return err
		}
		next := off + int64(size) + int64(e.Stored)
		if why == "" {
			p.batch(off, e, size, message)
			off = next
			continue
		}
		if next, err = f.nextHead(ctx, head, off+1, end); err != nil {
			return err
		}
		p.broken(off, next, why)
		off = next
	}
	return nil
}

// batch reads the batch at off; why says what is wrong with it.
func (f *File) batch(head *kuduwire.SegmentHeader, off, end int64, codec *blockcodec.Decoder) (e kuduwire.EntryHead, message []byte, why string, err error) {
	size := int64(head.EntryHeadSize())
	if end-off < size {
		return e, nil, "the head of a batch is cut short", nil
	}
	b, err := f.read(off, size)
	if err != nil {
		return e, nil, "", err
	}
	e, ok := head.ParseEntryHead(b)
	if !ok {
		return e, nil, "the checksum of a batch's head is wrong", nil
	}
	if err := head.CheckEntryHead(e, end-off-size, f.Limits.BlockBytes); err != nil {
		return e, nil, faultText(err), nil
	}
	if b, err = f.read(off+size, int64(e.Stored)); err != nil {
		return e, nil, "", err
	}
	if message, err = head.OpenBatch(e, b, nil, codec); err != nil {
		return e, nil, faultText(err), nil
	}
	return e, message, "", nil
}

// searched is how much is searched for the head of a batch at once, at most.
const searched = 1 << 20

// nextHead returns the offset of the next head of a batch from off on, end if there is none.
func (f *File) nextHead(ctx context.Context, head *kuduwire.SegmentHeader, off, end int64) (int64, error) {
	size := int64(head.EntryHeadSize())
	for n := int64(4096); off+size <= end; n = min(2*n, searched) { // most heads are near, and there may be many to find
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		b, err := f.read(off, min(n, end-off))
		if err != nil {
			return 0, err
		}
		if i := head.FindEntryHead(b); i >= 0 {
			return off + int64(i), nil
		}
		off += int64(len(b)) - size + 1
	}
	return end, nil
}

// zeros reports whether bytes are space that was allocated and never written to.
func (f *File) zeros(off, end int64) bool {
	for off < end {
		b, err := f.read(off, min(searched, end-off))
		if err != nil {
			return false
		}
		for _, c := range b {
			if c != 0 {
				return false
			}
		}
		off += int64(len(b))
	}
	return true
}

// entryTitle says what an entry is.
func entryTitle(i int, e *kuduwire.Entry) string {
	if e.Type == kuduwire.EntryCommit {
		return fmt.Sprintf("entry %d: COMMIT of %s, %s", i, e.ID, e.Op)
	}
	at := time.UnixMicro(int64(e.Time >> hybridBits)).UTC().Format("2006-01-02T15:04:05.999999Z07:00")
	return fmt.Sprintf("entry %d: REPLICATE %s, %s, at %s", i, e.ID, e.Op, at)
}

// hybridBits is how many low bits of a hybrid time are a counter; above them are microseconds since 1970.
const hybridBits = 12

func (f *File) dumpSegment(ctx context.Context, w io.Writer) error {
	d := &dumper{Writer: annotate.New(w, f.Src, f.Src.Size())}
	d.messages = annotate.Messages{Writer: d.Writer, Bytes: bytesText}
	inFile := func(off int64) func(from, to int, format string, args ...any) {
		return func(from, to int, format string, args ...any) {
			d.Range(off+int64(from), int64(to-from), format, args...)
		}
	}
	err := f.walk(ctx, segmentParts{
		header: func(b []byte, _ *kuduwire.SegmentHeader) {
			d.Section("header")
			d.Range(0, magicSize, "magic")
			d.Range(magicSize, 4, "length: %d bytes", len(b))
			d.messages.Say = inFile(kuduwire.SegmentHeadSize)
			d.messages.Fields(b, 0, len(b), kuduwire.ShapeSegmentHeader)
			d.End()
		},
		batch: func(off int64, e kuduwire.EntryHead, size int, message []byte) { d.batch(off, e, size, message) },
		broken: func(off, end int64, why string) {
			if f.zeros(off, end) {
				d.Range(off, end-off, "allocated, and not written yet")
				return
			}
			d.Range(off, end-off, "! not a whole batch: %s", why)
		},
		footer: func(off int64, b []byte) {
			d.Section("footer")
			d.messages.Say = inFile(off)
			d.messages.Fields(b, 0, len(b), kuduwire.ShapeSegmentFooter)
			d.Range(off+int64(len(b)), magicSize, "magic")
			d.Range(off+int64(len(b))+magicSize, 4, "length: %d bytes", len(b))
			d.End()
		},
	})
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}

// batch prints a batch. Its messages are printed without their bytes: these are packed, or hold a token that is not shown.
func (d *dumper) batch(off int64, e kuduwire.EntryHead, size int, message []byte) {
	d.Section("batch")
	defer d.End()
	d.Range(off, int64(size), "head: %d bytes, %d unpacked; checksums right", e.Stored, e.Unpacked)
	d.Range(off+int64(size), int64(e.Stored), "entries")
	d.messages.Say = func(_, _ int, format string, args ...any) { d.Note(format, args...) }
	d.messages.InFile = func(int) bool { return false }
	m := pb.New(message)
	for i := 0; m.Next(); i++ {
		entry := m.Bytes()
		parsed, err := kuduwire.ParseEntries(nil, pb.AppendBytes(nil, m.Num, entry))
		if err != nil || len(parsed) != 1 {
			d.Section("entry %d", i)
			if err != nil {
				d.Note("! %s", faultText(err))
			}
		} else {
			d.Section("%s", entryTitle(i, &parsed[0]))
		}
		d.messages.Fields(entry, 0, len(entry), kuduwire.ShapeEntry)
		if len(parsed) == 1 && parsed[0].Type == kuduwire.EntryReplicate && parsed[0].Op == kuduwire.OpWrite {
			d.rows(parsed[0].Body)
		}
		d.End()
	}
	if m.Err != nil {
		d.Note("! %s", faultText(m.Err))
	}
	d.messages.InFile = nil
}

func (f *File) segmentJSON(ctx context.Context, w io.Writer) error {
	j := newJSON(w)
	j.open('{')
	j.key("kind").text("segment of a write-ahead log")
	inBatches := false
	var faults []string
	err := f.walk(ctx, segmentParts{
		header: func(b []byte, _ *kuduwire.SegmentHeader) {
			j.key("header").message(b, kuduwire.ShapeSegmentHeader)
			j.key("batches").open('[')
			inBatches = true
		},
		batch: func(off int64, _ kuduwire.EntryHead, _ int, message []byte) {
			j.element().open('{')
			j.key("offset").number(uint64(off))
			for _, field := range kuduwire.ShapeEntryBatch.Fields() {
				j.field(message, field)
			}
			j.close('}')
		},
		broken: func(off, end int64, why string) {
			if !f.zeros(off, end) {
				faults = append(faults, fmt.Sprintf("bytes %d to %d are not a whole batch: %s", off, end, why))
			}
		},
		footer: func(_ int64, b []byte) {
			j.close(']')
			inBatches = false
			j.key("footer").message(b, kuduwire.ShapeSegmentFooter)
		},
	})
	if inBatches {
		j.close(']')
	}
	j.faults(faults)
	j.close('}')
	if e := j.end(); err == nil {
		err = e
	}
	return err
}
