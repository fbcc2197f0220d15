package client

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers/ipc"
)

// Stream is what a reader reads: the stream of a DoGet or DoExchange.
type Stream interface {
	Recv() (*flight.FlightData, error)
}

// Options are those of a Reader.
type Options struct {
	// Limits bound what a message may hold: MetadataBytes, Columns, BatchBytes, BatchElements, DictionaryBytes; 0 = as for files.
	Limits arrowio.Limits
	// Memory has decompressed buffers and joined dictionaries; nil = memory.DefaultAllocator. Bodies are of Go.
	Memory memory.Allocator
}

// Reader is the reader of a stream. It implements array.RecordReader, and must be used by one goroutine at a time.
type Reader struct {
	refs   atomic.Int64
	stream Stream
	dec    *ipc.Decoder
	rec    arrow.Record
	meta   []byte
	err    error
	ended  bool
}

var _ array.RecordReader = (*Reader)(nil)

// NewReader reads up to the schema of the stream. The records that follow refer to the bodies of their messages, as they are:
// nothing is copied. The server is not trusted: every batch is checked first, as those of a file are.
//
// The caller calls Release. That does not end the stream: cancel the context of its call, unless Next has returned false.
func NewReader(stream Stream, o Options) (*Reader, error) {
	if o.Memory == nil {
		o.Memory = memory.DefaultAllocator
	}
	r := &Reader{stream: stream}
	r.refs.Store(1)
	m, err := r.message()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = errs.Errorf(errs.ErrCorrupt, "a stream of Flight without a schema")
		}
		return nil, err
	}
	if r.dec, err = ipc.NewDecoder(m.GetDataHeader(), o.Limits); err != nil {
		return nil, err
	}
	all, err := arrowio.Project(r.dec.Schema(), nil)
	if err != nil {
		return nil, err
	}
	r.dec.Begin(all, o.Memory)
	r.dec.Recycle(memories)
	return r, nil
}

// message returns the next message of IPC, and passes over those of metadata alone.
func (r *Reader) message() (*flight.FlightData, error) {
	for {
		m, err := r.stream.Recv()
		switch {
		case err != nil:
			return nil, err
		case len(m.GetDataHeader()) > 0:
			r.meta = m.GetAppMetadata()
			return m, nil
		case len(m.GetDataBody()) > 0:
			return nil, errs.Errorf(errs.ErrCorrupt, "a body of %d bytes without a message", len(m.GetDataBody()))
		}
	}
}

// Schema returns the schema of the stream.
func (r *Reader) Schema() *arrow.Schema { return r.dec.Schema() }

// Next reads the next batch. It returns false at the end of the stream and after an error (Err).
func (r *Reader) Next() bool {
	r.drop()
	for !r.ended {
		m, err := r.message()
		if err == nil {
			r.rec, err = r.dec.Decode(m.GetDataHeader(), m.GetDataBody())
		}
		switch {
		case err != nil:
			if r.ended = true; !errors.Is(err, io.EOF) {
				r.err = err
			}
		case r.rec != nil:
			return true
		}
	}
	return false
}

// Record returns the batch at hand. It is the reader's until the next Next; keep it by Retain.
func (r *Reader) Record() arrow.Record { return r.rec }

// AppMetadata returns the metadata of the message that Record came with.
func (r *Reader) AppMetadata() []byte { return r.meta }

// Err returns the error that ended the stream early, or nil. That of a server is the status of gRPC.
func (r *Reader) Err() error { return r.err }

// Retain adds a reference.
func (r *Reader) Retain() { r.refs.Add(1) }

// Release gives up a reference; the last one releases the record at hand and the dictionaries.
func (r *Reader) Release() {
	if r.refs.Add(-1) == 0 {
		r.ended = true
		r.drop()
		r.dec.Close()
	}
}

func (r *Reader) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
}
