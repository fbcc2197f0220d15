package arrowc

// #include "arrowc.h"
import "C"

import (
	"context"
	"errors"
	"io/fs"
	"runtime/cgo"
	"sync"
	"syscall"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/workers"
)

// Stream is batches on their way to C. From the first get_next on, a goroutine reads them, up to five ahead of the
// consumer.
type Stream struct {
	Reader array.RecordReader // released with the stream; its memory should come from Memory
	Cancel func()             // ends what Next is doing, soon; nil = nothing does
	Done   func()             // called once when the stream is released; nil = not reported
	// Polls makes get_next look for signals of Python where it waits in Python's main thread. Only streams that the main
	// interpreter asked for may.
	Polls bool
	// Unlocks makes those who wait for the stream give up Python's lock, because threads of Python bring what is read.
	Unlocks bool

	mu   sync.Mutex
	err  error
	room chan struct{} // the consumer has taken batches; nil = it has not asked for one yet
	stop chan struct{} // closed when the stream is released
	over chan struct{} // closed when the goroutine has ended
}

// Export fills out, a struct ArrowArrayStream, which owns s from then on.
func (s *Stream) Export(out unsafe.Pointer) error {
	h := cgo.NewHandle(s)
	var polls, unlocks C.int
	if s.Polls {
		polls = 1
	}
	if s.Unlocks {
		unlocks = 1
	}
	if rc := C.arrowc_make_stream((*C.struct_ArrowArrayStream)(out), C.uint64_t(h), polls, unlocks); rc != 0 {
		h.Delete()
		s.release()
		return FromErrno(int(rc))
	}
	return nil
}

// StreamErr returns why a stream that Export made has failed; nil = it has not.
func StreamErr(stream unsafe.Pointer) error {
	h := C.arrowio_stream_handle((*C.struct_ArrowArrayStream)(stream))
	if h == 0 {
		return nil
	}
	s := cgo.Handle(h).Value().(*Stream)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// start begins to read.
func (s *Stream) start(to *C.struct_arrowc_stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room, s.stop, s.over = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	go s.run(to)
}

// run hands batches over until there are no more, or no more are wanted.
func (s *Stream) run(to *C.struct_arrowc_stream) {
	defer close(s.over)
	var text *C.char
	C.arrowc_will_take_back(1)
	code := guarded(&text, func() error {
		for s.Reader.Next() {
			var out C.struct_ArrowArray
			exportRecord(s.Reader.Record(), unsafe.Pointer(&out))
			if C.arrowc_stream_put(to, &out) != 0 && !s.wait() {
				return nil
			}
			takeBack()
		}
		return s.Reader.Err()
	}, func(err error) {
		s.mu.Lock()
		s.err = err
		s.mu.Unlock()
	})
	C.arrowc_will_take_back(-1)
	takeBack()
	C.arrowc_stream_end(to, code, text)
}

// wait waits until the consumer has room; false = the stream is released.
func (s *Stream) wait() bool {
	C.arrowc_will_take_back(-1)
	defer C.arrowc_will_take_back(1)
	takeBack()
	select {
	case <-s.room:
		return true
	case <-s.stop:
		return false
	}
}

// takeBack gives up the batches that were released since.
func takeBack() {
	for h := C.arrowc_take_back(); h != 0; h = C.arrowc_take_back() {
		arrowcGiveBack(h)
	}
}

// release ends the stream, wherever it is.
func (s *Stream) release() {
	s.cancel()
	s.mu.Lock()
	over := s.over
	s.mu.Unlock()
	if over != nil {
		close(s.stop)
		<-over
	}
	s.Reader.Release()
	if s.Done != nil {
		s.Done()
	}
}

func (s *Stream) cancel() {
	if s.Cancel != nil {
		s.Cancel()
	}
}

// Code returns the errno that says best what an error is: consumers make exceptions of it.
func Code(err error) int {
	var kind errs.Kind
	var no syscall.Errno
	switch {
	case errors.Is(err, context.Canceled):
		return Errno(syscall.ECANCELED)
	case errors.Is(err, ErrNoMemory):
		return Errno(syscall.ENOMEM)
	case errors.As(err, &kind) && (kind == errs.ErrUnsupported):
		return Errno(syscall.ENOSYS)
	case errors.As(err, &kind):
		return Errno(syscall.EINVAL)
	case errors.As(err, &no) && no != 0:
		return Errno(no)
	case errors.Is(err, fs.ErrNotExist):
		return Errno(syscall.ENOENT)
	}
	return Errno(syscall.EIO)
}

// guarded runs f, which a consumer in C waits for: nothing may escape it. It returns the errno of its error, and the text;
// note, where it is not nil, gets the error itself.
func guarded(text **C.char, f func() error, note func(error)) (code C.int) {
	err := workers.Catch(f)
	if err == nil {
		return 0
	}
	if note != nil {
		note(err)
	}
	*text = C.CString(err.Error())
	return C.int(Code(err))
}

//export arrowcStreamSchema
func arrowcStreamSchema(handle C.uint64_t, out *C.struct_ArrowSchema, text **C.char) C.int {
	return guarded(text, func() error {
		return ExportSchema(cgo.Handle(handle).Value().(*Stream).Reader.Schema(), unsafe.Pointer(out))
	}, nil)
}

//export arrowcStreamStart
func arrowcStreamStart(handle C.uint64_t, to *C.struct_arrowc_stream) {
	var text *C.char
	code := guarded(&text, func() error {
		cgo.Handle(handle).Value().(*Stream).start(to)
		return nil
	}, nil)
	if code != 0 { // the consumer would wait for ever
		C.arrowc_stream_end(to, code, text)
	}
}

//export arrowcStreamRoom
func arrowcStreamRoom(handle C.uint64_t) {
	select {
	case cgo.Handle(handle).Value().(*Stream).room <- struct{}{}:
	default: // it was told, and will look
	}
}

//export arrowcStreamCancel
func arrowcStreamCancel(handle C.uint64_t) {
	_ = workers.Catch(func() error { // C takes no error here
		cgo.Handle(handle).Value().(*Stream).cancel()
		return nil
	})
}

//export arrowcStreamRelease
func arrowcStreamRelease(handle C.uint64_t) {
	_ = workers.Catch(func() error { // C takes no error here
		h := cgo.Handle(handle)
		s := h.Value().(*Stream)
		h.Delete()
		s.release()
		return nil
	})
}
