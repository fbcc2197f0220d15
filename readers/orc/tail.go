package orc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// tailBytes is read at once from the end of a file: most tails are smaller.
const tailBytes = 16 << 10

// tailLayout says where the parts of the tail lie. They follow each other up to the end of the file:
//
//	stripe statistics of encrypted columns | metadata | footer | postscript | its length, one byte
type tailLayout struct {
	stats, metadata, footer, postscript arrowio.ByteRange
}

// readTail reads the postscript and the footer. Of a file that begins as ORC and does not end so an error says that it is
// cut off.
func (f *File) readTail(ctx context.Context) error {
	err := f.parseTail(ctx)
	var e *errs.Error
	size := f.src.Size()
	if !errors.As(err, &e) {
		return err
	}
	cause := e.Err
	switch {
	case e.Kind == errs.ErrCorrupt:
	case e.Kind == errs.ErrUnsupported && (f.ps == nil || !f.ps.DWRF()):
		cause = errors.New(cause.Error()) // of bytes that are no postscript, the numbers in them mean nothing
	default:
		return err
	}
	if size < 4 {
		if head, headErr := f.fetchBytes(ctx, 0, size); headErr == nil && size > 0 && strings.HasPrefix(orcwire.Magic, string(head)) {
			err = located(errs.Errorf(errs.ErrCorrupt, "the file has only the first %d bytes of one: a write or a copy of it did not end; copy or write it again", size), "postscript", 0)
		}
		return err
	}
	head, headErr := f.fetchBytes(ctx, 0, 3)
	last, lastErr := f.fetchBytes(ctx, size-4, 3) // in front of the length of the postscript, which ends with the magic
	if headErr != nil || lastErr != nil || string(head) != orcwire.Magic || string(last) == orcwire.Magic {
		return err
	}
	or := ""
	if f.ps != nil && f.ps.Magic == "" && len(f.ps.Version) == 0 && f.ps.FooterLength > 0 { // Hive 0.11 made the only others that are so
		or = "; or it is DWRF, an older relative of ORC, which is not supported"
	}
	c := *e
	c.Kind = errs.ErrCorrupt
	c.Err = fmt.Errorf("the file does not end as ORC files do: it was cut off, or is still being written, or was written over; copy it again when it is complete%s (%w)", or, cause)
	return &c
}

// errDWRF refuses files of ORC's older relative.
func errDWRF() error {
	return errs.Errorf(errs.ErrUnsupported, "this is DWRF, an older relative of ORC that Meta's Presto and Velox write; it is not supported")
}

func (f *File) parseTail(ctx context.Context) error {
	size := f.src.Size()
	if size < 4 {
		return located(errs.Errorf(errs.ErrCorrupt, "%d bytes are no ORC file", size), "postscript", 0)
	}
	n := min(size, tailBytes)
	tail, err := f.fetchBytes(ctx, size-n, n)
	if err != nil {
		return err
	}
	psLen := int64(tail[n-1])
	if psLen > size-1 {
		return located(errs.Errorf(errs.ErrCorrupt, "a postscript of %d bytes in a file of %d", psLen, size), "postscript", size-1)
	}
	l := &f.tail
	l.postscript = arrowio.ByteRange{Off: size - 1 - psLen, Len: psLen}
	if f.ps, err = orcwire.ParsePostScript(tail[n-1-psLen : n-1]); err != nil {
		return located(err, "postscript", l.postscript.Off)
	}
	switch f.ps.Magic {
	case orcwire.Magic:
	case "": // Hive 0.11.0 left it out
		head, err := f.fetchBytes(ctx, 0, 3)
		if err != nil {
			return err
		}
		if string(head) != orcwire.Magic {
			return located(errs.Errorf(errs.ErrCorrupt, "the magic ORC is missing from both the postscript and the header"), "postscript", l.postscript.Off)
		}
		if f.ps.DWRF() {
			return located(errDWRF(), "postscript", l.postscript.Off)
		}
	default:
		return located(errs.Errorf(errs.ErrCorrupt, "the magic is %q, not ORC", f.ps.Magic), "postscript", l.postscript.Off)
	}
	if f.packing, err = f.pack(); err != nil {
		return located(err, "postscript", l.postscript.Off)
	}
	at := l.postscript.Off
	for _, part := range []struct {
		name string
		len  uint64
		r    *arrowio.ByteRange
	}{
		{"footer", f.ps.FooterLength, &l.footer},
		{"metadata", f.ps.MetadataLength, &l.metadata},
		{"stripe statistics", f.ps.StripeStatsLength, &l.stats},
	} {
		if part.len > uint64(at) {
			return located(errs.Errorf(errs.ErrCorrupt, "the %s has %d bytes, %d are left of the file", part.name, part.len, at), "postscript", l.postscript.Off)
		}
		at -= int64(part.len)
		*part.r = arrowio.ByteRange{Off: at, Len: int64(part.len)}
	}
	var packed []byte
	if from := size - n; l.footer.Off >= from {
		packed = tail[l.footer.Off-from : l.footer.End()-from]
	} else if packed, err = f.readPart(ctx, l.footer, "footer"); err != nil {
		return err
	}
	raw, err := f.unpack(packed)
	if err != nil {
		return located(err, "footer", l.footer.Off)
	}
	if f.footer, err = orcwire.ParseFooter(raw, f.limits); err != nil {
		return located(err, "footer", l.footer.Off)
	}
	return nil
}

// pack says how streams are compressed.
func (f *File) pack() (orcwire.Packing, error) {
	p := orcwire.Packing{Chunked: f.ps.Compression != orcwire.CompressionNone}
	var err error
	p.Codec, err = f.ps.Compression.Codec()
	// A block never becomes larger than its limit, whatever the postscript says.
	p.BlockSize = int(min(f.ps.BlockSize, uint64(f.limits.BlockBytes), math.MaxInt32))
	return p, err
}

// readPart reads a part of the tail, which is metadata: its size has a limit.
func (f *File) readPart(ctx context.Context, r arrowio.ByteRange, name string) ([]byte, error) {
	if r.Len > f.limits.MetadataBytes {
		return nil, located(errs.Errorf(errs.ErrLimit, "%d bytes are over the limit MetadataBytes = %d", r.Len, f.limits.MetadataBytes), name, r.Off)
	}
	return f.fetchBytes(ctx, r.Off, r.Len)
}

// readMetadata reads the statistics of all stripes.
func (f *File) readMetadata(ctx context.Context) ([]orcwire.StatsList, error) {
	r := f.tail.metadata
	if r.Len == 0 {
		return []orcwire.StatsList{}, nil
	}
	packed, err := f.readPart(ctx, r, "metadata")
	if err != nil {
		return nil, err
	}
	raw, err := f.unpack(packed)
	if err != nil {
		return nil, located(err, "metadata", r.Off)
	}
	m, err := orcwire.ParseMetadata(raw, f.limits)
	return m, located(err, "metadata", r.Off)
}

// scratches are for unpacking. A file may have thousands of stripes, a dataset thousands of files, and the state of a codec is large.
var scratches = sync.Pool{New: func() any { return new(orcwire.Scratch) }}

// unpack decompresses a whole piece of metadata, up to the limit.
func (f *File) unpack(packed []byte) ([]byte, error) {
	if !f.packing.Chunked {
		return packed, nil
	}
	sc := scratches.Get().(*orcwire.Scratch)
	var b orcwire.Bytes
	b.Open(int64(len(packed)), inMemory(packed), f.packing, sc)
	var raw []byte
	for {
		if err := b.Need(1); err != nil {
			return nil, err
		}
		w := b.Window()
		if len(w) == 0 {
			scratches.Put(sc)
			return raw, nil
		}
		if int64(len(raw))+int64(len(w)) > f.limits.MetadataBytes {
			return nil, errs.Errorf(errs.ErrLimit, "decompressed, it is over the limit MetadataBytes = %d", f.limits.MetadataBytes)
		}
		raw = append(raw, w...)
		b.Advance(len(w))
	}
}

// inMemory fetches from bytes that are there already. Kernels read a little beyond what they are given, so the end is
// copied to where there is room.
func inMemory(b []byte) orcwire.Fetch {
	return func(off, _, most int64) ([]byte, error) {
		p := b[off : off+most]
		if cap(p)-len(p) < bitpack.SrcSlack {
			p = append(make([]byte, 0, len(p)+bitpack.SrcSlack), p...)
		}
		return p, nil
	}
}
