package ipc

import (
	"context"
	"encoding/binary"
	"io"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowipc"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/recordsplit"
)

// StreamFormat returns the IPC stream format, "ipc-stream". Streams from before Arrow 0.15 have no signature: they are read if
// the format is named, or if the extension is .arrows.
func StreamFormat() arrowio.Format {
	return arrowio.Format{
		Name:       "ipc-stream",
		Extensions: []string{".arrows"},
		Match:      matchStream,
		Open: func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
			if _, err := options.Check(nil, o.Options); err != nil {
				return nil, locateStream(err)
			}
			s, err := openStream(ctx, src, o.Limits.WithDefaults())
			if err != nil {
				return nil, locateStream(err)
			}
			return s, nil
		},
	}
}

func locateStream(err error) error {
	return errs.Locate(err, errs.At{Format: "ipc-stream"})
}

// matchStream looks for a continuation, a length that is a multiple of 8, and a flatbuffer root in it.
func matchStream(head, _ []byte) bool {
	if len(head) < 12 || binary.LittleEndian.Uint32(head) != arrowipc.Continuation {
		return false
	}
	n, root := binary.LittleEndian.Uint32(head[4:]), binary.LittleEndian.Uint32(head[8:])
	return int32(n) > 0 && n%8 == 0 && root < n
}

// stream is an IPC stream. It is never changed after openStream, but for unmarked and mark.
type stream struct {
	src     arrowio.Source
	limits  arrowio.Limits
	schema  *arrowipc.Schema
	version int16
	start   int64 // of the first message behind the schema
	// unmarked says that the stream is known to have no end mark.
	unmarked atomic.Bool
	// mark is where the end mark ends; 0 = not known.
	mark atomic.Int64
}

func openStream(ctx context.Context, src arrowio.Source, limits arrowio.Limits) (*stream, error) {
	s := &stream{src: src, limits: limits}
	m, next, err := s.message(ctx, 0)
	if err != nil {
		if err == io.EOF {
			err = corrupt("an empty stream, without even a schema")
		}
		return nil, errs.Locate(err, errs.At{Op: "schema", Off: errs.N(0)})
	}
	if s.schema, err = m.Schema(); err != nil {
		return nil, errs.Locate(err, errs.At{Op: "schema", Off: errs.N(0)})
	}
	s.version, s.start = m.Version, next
	return s, s.findEnd(ctx)
}

// message reads the metadata of the message at off; next is where the following one starts, m.Body bytes behind the
// metadata. The end of the stream, marked or not, is io.EOF.
func (s *stream) message(ctx context.Context, off int64) (m arrowipc.Message, next int64, err error) {
	size := s.src.Size()
	if off == size {
		if off > 0 {
			s.unmarked.Store(true)
		}
		return m, 0, io.EOF
	}
	var head [8]byte
	n := min(8, size-off)
	if err := readAt(ctx, s.src, head[:n], off); err != nil {
		return m, 0, err
	}
	prefix, meta, err := arrowipc.Framing(head[:n])
	switch {
	case err != nil:
		return m, 0, err
	case meta == 0:
		s.mark.Store(off + prefix)
		return m, 0, io.EOF
	case meta > size-off-prefix:
		return m, 0, corrupt("metadata of %d bytes, %d before the end: %w", meta, size-off-prefix, io.ErrUnexpectedEOF)
	case meta > s.limits.MetadataBytes:
		return m, 0, errs.Errorf(errs.ErrLimit, "message metadata of %d bytes (Limits.MetadataBytes)", meta)
	}
	b := make([]byte, meta)
	if err := readAt(ctx, s.src, b, off+prefix); err != nil {
		return m, 0, err
	}
	if m, err = arrowipc.ParseMessage(b, s.limits); err != nil {
		return m, 0, err
	}
	end := off + prefix + meta
	if m.Body > size-end {
		return m, 0, corrupt("a body of %d bytes, %d before the end: %w", m.Body, size-end, io.ErrUnexpectedEOF)
	}
	return m, end + m.Body, nil
}

// Schema implements arrowio.File.
func (s *stream) Schema() *arrow.Schema { return s.schema.Arrow }

// Splits implements arrowio.File.
func (s *stream) Splits() []arrowio.Split {
	return []arrowio.Split{{Rows: arrowio.RowRange{End: arrowio.UnknownRows}, Bytes: s.src.Size() - s.start}}
}

// Prune implements arrowio.File: the format has no statistics.
func (s *stream) Prune(_ context.Context, sp arrowio.Split, _ *expr.Bound) (arrowio.RowSet, error) {
	return arrowio.RowSet{sp.Rows}, nil
}

// Close implements arrowio.File.
func (s *stream) Close() error { return nil }

// Info implements arrowio.File.
func (s *stream) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	info := newInfo("ipc-stream", s.version, s.schema, s.src.Size())
	info.Rows = arrowio.UnknownRows
	for i := range info.Columns {
		info.Columns[i].Bytes = -1
	}
	return info, nil
}

// Read implements arrowio.File. The reader reads from the source as it goes, until ctx is done.
func (s *stream) Read(ctx context.Context, _ arrowio.Split, _ arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	if err := refuse(s.schema, p); err != nil {
		return nil, locateStream(err)
	}
	src := &streamBatches{ctx: ctx, s: s, r: newBatches(s.src, s.schema, s.limits, p, mem), off: s.start}
	return recordsplit.New(src, p.Schema, mem), nil
}

// streamBatches implements recordsplit.Source over the messages of a stream.
type streamBatches struct {
	ctx context.Context // of File.Read, whose reading goes on here
	s   *stream
	r   *batches
	off int64
}

func (b *streamBatches) Next() (recordsplit.Batch, error) {
	for {
		at := errs.At{Format: "ipc-stream", Op: "message", Off: errs.N(b.off)}
		m, next, err := b.s.message(b.ctx, b.off)
		if err == io.EOF {
			return recordsplit.Batch{}, io.EOF
		}
		if err != nil {
			return recordsplit.Batch{}, errs.Locate(err, at)
		}
		b.off = next
		switch m.Kind {
		case arrowipc.DictionaryMessage:
			err = b.r.dictionary(b.ctx, m, next-m.Body, false)
		case arrowipc.BatchMessage:
			var rb arrowipc.Batch
			if rb, err = m.Batch(b.s.schema); err == nil {
				return recordsplit.Batch{Rows: rb.Rows, Load: func() (arrow.Record, error) {
					rec, err := b.load(rb, next-m.Body)
					return rec, errs.Locate(err, at)
				}}, nil
			}
		default:
			err = corrupt("a message of kind %d", m.Kind)
		}
		if err != nil {
			return recordsplit.Batch{}, errs.Locate(err, at)
		}
	}
}

func (b *streamBatches) load(rb arrowipc.Batch, body int64) (arrow.Record, error) {
	p, err := b.r.fetch(b.ctx, rb, b.s.schema.Columns, b.r.cols, body, b.s.limits.BatchBytes)
	if err != nil {
		return nil, err
	}
	return b.r.record(p)
}

func (b *streamBatches) Close() error {
	b.r.release()
	return nil
}
