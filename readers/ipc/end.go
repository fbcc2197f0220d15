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

// mostSought is how many messages findEnd looks at.
const mostSought = 10_000

// findEnd finds out where the end mark is, so that Warnings and Doubts can tell before the first row what is wrong with the end: it
// reads the lengths of the messages. A source that is not near is not asked for each of them, if its last bytes look like an end
// mark; reading the rows shows whether they are. What is wrong with a message, reading reports.
func (s *stream) findEnd(ctx context.Context) error {
	var tail [8]byte
	size := s.src.Size()
	if size-s.start >= 8 {
		if err := readAt(ctx, s.src, tail[:], size-8); err != nil {
			return err
		}
		if binary.LittleEndian.Uint32(tail[:]) == arrowipc.Continuation && binary.LittleEndian.Uint32(tail[4:]) == 0 && !arrowio.Near(s.src) {
			return nil
		}
	}
	off := s.start
	for range mostSought {
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
	return nil
}

// Warnings implements arrowio.Warner.
func (s *stream) Warnings() []arrowio.Warning {
	if !s.unmarked.Load() {
		return nil
	}
	return []arrowio.Warning{arrowio.Warnf(arrowio.WarnDoubt, "the stream has no end mark: it may have been cut off, and rows may be missing")}
}
