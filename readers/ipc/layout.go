package ipc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowipc"
)

// maxPadding is the most bytes that writers put between two messages so that the next one is aligned. No message is as short.
const maxPadding = 64

// checkLayout finds what lies in front of the footer and in none of its blocks. It reads only where the schema message ends.
func (f *file) checkLayout(ctx context.Context, footer int64) error {
	at, err := f.endOfSchema(ctx, footer)
	if err != nil {
		return err
	}
	blocks := slices.Concat(f.Dictionaries, f.Batches)
	slices.SortFunc(blocks, func(a, b arrowipc.Block) int { return cmp.Compare(a.Off, b.Off) })
	blocks = append(blocks, arrowipc.Block{Off: footer})
	if at == 0 { // the footer has the schema again, so that it is larger
		at = f.begin + firstMessage
		if blocks[0].Off-at <= f.src.Size()-footer {
			at = blocks[0].Off
		}
	}
	for _, b := range blocks {
		switch {
		case b.Off < at:
			f.layout = append(f.layout, locateLayout(corrupt("the footer has two messages at the same place: rows may be read twice"), b.Off))
		case b.Off-at >= maxPadding:
			f.layout = append(f.layout, locateLayout(corrupt("%d bytes that begin here are in no message that the footer names: rows may be missing", b.Off-at), at))
		}
		at = max(at, b.Off+b.Meta+b.Body)
	}
	return nil
}

func locateLayout(err error, off int64) error {
	return errs.Locate(err, errs.At{Format: "ipc", Op: "layout", Off: errs.N(off)})
}

// firstMessage is where the schema message begins, behind the magic; some writers align it.
const firstMessage = 8

// endOfSchema returns where the schema message ends; 0 = it has no length in front, as in files of Polars, or is damaged.
func (f *file) endOfSchema(ctx context.Context, footer int64) (int64, error) {
	first := f.begin + firstMessage
	head := make([]byte, min(maxPadding+12, footer-first))
	if err := readAt(ctx, f.src, head, first); err != nil {
		return 0, err
	}
	at := (len(head) - len(bytes.TrimLeft(head, "\x00"))) &^ 7
	prefix, meta, err := arrowipc.Framing(head[at:])
	root := head[min(len(head), at+int(prefix)):]
	if err != nil || len(root) < 4 || int64(binary.LittleEndian.Uint32(root)) >= meta {
		return 0, nil
	}
	if end := first + int64(at) + prefix + meta; end <= footer {
		return end, nil
	}
	return 0, nil
}

// Doubts returns what makes the rows doubtful: see arrowio.Warner.
func (f *file) Doubts() []error {
	return slices.Concat(f.Footer.Schema.BadNames.Errors(errs.At{Format: "ipc", Op: "schema"}), f.layout)
}

// Doubts returns what makes the rows doubtful: see arrowio.Warner. Where the end of the stream is may be known only when all rows have been read.
func (s *stream) Doubts() []error {
	doubts := s.schema.BadNames.Errors(errs.At{Format: "ipc-stream", Op: "schema"})
	end := s.mark.Load()
	if end == 0 || end == s.src.Size() {
		return doubts
	}
	err := corrupt("the stream ends here, and the %d bytes behind its end mark are not read: rows may be missing", s.src.Size()-end)
	return append(doubts, errs.Locate(err, errs.At{Format: "ipc-stream", Op: "end mark", Off: errs.N(end)}))
}
