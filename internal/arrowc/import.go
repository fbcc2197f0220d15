package arrowc

// #include <stdlib.h>
// #include <string.h>
// #include "arrowc.h"
//
// static int arrowc_call_get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out) { return s->get_schema(s, out); }
// static int arrowc_call_get_next(struct ArrowArrayStream *s, struct ArrowArray *out) { return s->get_next(s, out); }
// static const char *arrowc_call_get_last_error(struct ArrowArrayStream *s) { return s->get_last_error(s); }
// static void arrowc_call_release(struct ArrowArrayStream *s) { if (s->release) s->release(s); }
// static void arrowc_call_release_array(struct ArrowArray *a) { if (a->release) a->release(a); }
// static void arrowc_call_release_schema(struct ArrowSchema *a) { if (a->release) a->release(a); }
import "C"

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/cdata"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowcheck"
	"github.com/arrowio/arrowio/internal/workers"
)

// Reader reads the batches of a stream that somebody else made. It is for one goroutine at a time, but for Cancel. It is an
// array.RecordReader whose end is Close: Retain and Release do nothing.
type Reader struct {
	in     *C.struct_ArrowArrayStream // in C's memory, ours
	schema *arrow.Schema
	check  arrowcheck.Checker
	rec    arrow.Record // what Next has read; nil = nothing
	err    error

	mu     sync.Mutex // of closed, against Cancel
	closed bool
}

// Import takes a struct ArrowArrayStream over: it is released by Close, and here when there is an error.
func Import(stream unsafe.Pointer) (*Reader, error) {
	from := (*C.struct_ArrowArrayStream)(stream)
	if from.release == nil {
		return nil, errs.Errorf(errs.ErrOption, "the stream was released already: it can be read once")
	}
	r := &Reader{in: (*C.struct_ArrowArrayStream)(C.calloc(1, C.sizeof_struct_ArrowArrayStream))}
	C.memcpy(unsafe.Pointer(r.in), stream, C.sizeof_struct_ArrowArrayStream)
	from.release = nil
	err := workers.Foreign(errs.ErrSchema, noImport, r.readSchema)
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Schema returns the schema of every batch.
func (r *Reader) Schema() *arrow.Schema { return r.schema }

// Close releases the stream. It may be called twice.
func (r *Reader) Close() {
	r.mu.Lock()
	closed := r.closed
	r.closed = true
	r.mu.Unlock()
	if !closed {
		r.forget()
		C.arrowc_call_release(r.in)
		C.free(unsafe.Pointer(r.in))
	}
}

// Cancel ends a Read under way, soon, where the stream is one of Export's; the interface offers nothing of the kind for
// others.
func (r *Reader) Cancel() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		C.arrowc_stream_cancel(r.in)
	}
}

func (r *Reader) readSchema() error {
	out := (*C.struct_ArrowSchema)(C.calloc(1, C.sizeof_struct_ArrowSchema))
	defer C.free(unsafe.Pointer(out))
	if rc := C.arrowc_call_get_schema(r.in, out); rc != 0 {
		return r.failure(rc)
	}
	defer C.arrowc_call_release_schema(out)
	f, err := importField(out, 0)
	if err != nil {
		return err
	}
	st, ok := f.Type.(*arrow.StructType)
	if !ok {
		return errs.Errorf(errs.ErrSchema, "the stream is of %s, not of rows", f.Type)
	}
	r.schema = arrow.NewSchema(st.Fields(), &f.Metadata)
	return nil
}

// failure is what the producer says of its error.
func (r *Reader) failure(rc C.int) error {
	if err := StreamErr(unsafe.Pointer(r.in)); err != nil {
		return err // the stream is one of Export's
	}
	text := "it does not say why"
	if p := C.arrowc_call_get_last_error(r.in); p != nil {
		text = C.GoString(p)
	}
	return fmt.Errorf("the source of the rows failed: %s (%w)", text, FromErrno(int(rc)))
}

// Read returns the next batch, which the caller releases, or io.EOF. Its buffers are the producer's. What it holds was
// checked: offsets, lengths and counts are what the type wants.
func (r *Reader) Read() (rec arrow.Record, err error) {
	if r.closed {
		return nil, errors.New("the stream is closed")
	}
	out := (*C.struct_ArrowArray)(C.calloc(1, C.sizeof_struct_ArrowArray))
	defer C.free(unsafe.Pointer(out))
	if rc := C.arrowc_call_get_next(r.in, out); rc != 0 {
		return nil, r.failure(rc)
	}
	if out.release == nil {
		return nil, io.EOF
	}
	defer C.arrowc_call_release_array(out) // nothing where the import took it over
	err = workers.Foreign(errs.ErrSchema, noImport, func() error {
		if err := checkArray(out, arrow.StructOf(r.schema.Fields()...), 0); err != nil {
			return err
		}
		rec, err = cdata.ImportCRecordBatchWithSchema(cdata.ArrayFromPtr(uintptr(unsafe.Pointer(out))), r.schema)
		if err != nil {
			return errs.Errorf(errs.ErrSchema, "the batch does not fit its schema: %w", err)
		}
		if err := r.check.Record(rec); err != nil {
			return errs.Errorf(errs.ErrCorrupt, "the batch is not sound: %w", err)
		}
		return nil
	})
	if err != nil {
		if rec != nil {
			rec.Release()
		}
		return nil, err
	}
	return rec, nil
}

// Retain does nothing.
func (r *Reader) Retain() {}

// Release does nothing.
func (r *Reader) Release() {}

// Next reads the next batch; false = there is none, or an error, which Err returns.
func (r *Reader) Next() bool {
	r.forget()
	if r.err == nil {
		r.rec, r.err = r.Read()
	}
	return r.rec != nil
}

// Record returns the batch that Next has read, which is released by the next call of Next, and by Close.
func (r *Reader) Record() arrow.Record { return r.rec }

// Err returns why Next returned false; nil = there are no more batches.
func (r *Reader) Err() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

func (r *Reader) forget() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
}

// noImport begins what is said where v15 panics, as it does on what it does not expect.
const noImport = "the batches cannot be imported"
