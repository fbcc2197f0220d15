package ipc

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowipc"
)

// findEnd finds out whether the stream has an end mark, so that Warnings can tell before the first row. A stream whose last
// bytes look like a mark is believed, until reading shows that they are a part of its last message. Of any other, the
// lengths of the messages are read. What is wrong with a message, reading reports.
func (s *stream) findEnd(ctx context.Context) error {
	var tail [8]byte
	size := s.src.Size()
	if size-s.start >= 8 {
		if err := readAt(ctx, s.src, tail[:], size-8); err != nil {
			return err
		}
		if binary.LittleEndian.Uint32(tail[:]) == arrowipc.Continuation && binary.LittleEndian.Uint32(tail[4:]) == 0 {
			return nil
		}
	}
	for off := s.start; ; {
		_, next, err := s.message(ctx, off)
		var known *errs.Error
		switch {
		case err == nil && next > off:
			off = next
		case err == nil, errors.As(err, &known), errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}

// Warnings implements arrowio.Warner.
func (s *stream) Warnings() []arrowio.Warning {
	if !s.unmarked.Load() {
		return doubts(s.LayoutFaults())
	}
	return []arrowio.Warning{arrowio.Warnf(arrowio.WarnDoubt, "the stream has no end mark: it may have been cut off, and rows may be missing")}
}
