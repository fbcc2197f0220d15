package arrowc

// #include <errno.h>
// #include <stdlib.h>
// #include "arrowc.h"
import "C"

import (
	"context"
	"errors"
	"io/fs"
	"runtime/cgo"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
)

// Stream is batches on their way to C.
type Stream struct {
	Reader array.RecordReader // released with the stream; its memory should come from Memory
	Cancel func()             // ends what Next is doing, soon; nil = nothing does
	Done   func()             // called once when the stream is released; nil = nobody wants to know
	// Polls makes get_next look for signals of Python where it waits in Python's main thread. Only streams that the main
	// interpreter asked for may.
	Polls bool

	mu      sync.Mutex
	running chan struct{} // closed when the Next that runs has returned; nil = none runs
	more    bool          // what it said
	err     error
	ended   bool
}

// again says that the batch is not there yet.
const again = -1

// Export fills out, a struct ArrowArrayStream, which owns s from then on.
func (s *Stream) Export(out unsafe.Pointer) error {
	h := cgo.NewHandle(s)
	polls := C.int(0)
	if s.Polls {
		polls = 1
	}
	if rc := C.arrowc_make_stream((*C.struct_ArrowArrayStream)(out), C.uint64_t(h), polls); rc != 0 {
		h.Delete()
		s.release()
		return syscall.Errno(rc)
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

// advance runs Next and waits for it up to millis; negative = until it has returned. It reports false when there is no
// answer yet: the next call waits on.
func (s *Stream) advance(millis int64) bool {
	s.mu.Lock()
	ch := s.running
	if ch == nil {
		if millis < 0 {
			s.mu.Unlock()
			s.step()
			return true
		}
		ch = make(chan struct{})
		s.running = ch
		go func() {
			defer close(ch)
			s.step()
		}()
	}
	s.mu.Unlock()
	if millis < 0 {
		<-ch
	} else {
		t := time.NewTimer(time.Duration(millis) * time.Millisecond)
		defer t.Stop()
		select {
		case <-ch:
		case <-t.C:
			return false
		}
	}
	s.mu.Lock()
	s.running = nil
	s.mu.Unlock()
	return true
}

// step moves to the next batch.
func (s *Stream) step() {
	defer func() {
		if v := recover(); v != nil {
			s.mu.Lock()
			s.more, s.ended = false, true
			s.err = arrowio.Errorf(arrowio.ErrInternal, "panic: %v\n%s", v, debug.Stack())
			s.mu.Unlock()
		}
	}()
	s.mu.Lock()
	ended := s.ended
	s.mu.Unlock()
	if ended {
		return
	}
	more := s.Reader.Next()
	var err error
	if !more {
		err = s.Reader.Err()
	}
	s.mu.Lock()
	s.more, s.ended, s.err = more, !more, err
	s.mu.Unlock()
}

// release ends the stream, wherever it is.
func (s *Stream) release() {
	s.cancel()
	s.mu.Lock()
	ch := s.running
	s.mu.Unlock()
	if ch != nil {
		<-ch
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
	var kind arrowio.Kind
	var no syscall.Errno
	switch {
	case errors.Is(err, context.Canceled):
		return int(syscall.ECANCELED)
	case errors.As(err, &kind) && (kind == arrowio.ErrUnsupported):
		return int(syscall.ENOSYS)
	case errors.As(err, &kind):
		return int(syscall.EINVAL)
	case errors.As(err, &no) && no != 0:
		return int(no)
	case errors.Is(err, fs.ErrNotExist):
		return int(syscall.ENOENT)
	}
	return int(syscall.EIO)
}

// guarded runs f, which a consumer in C waits for: nothing may escape it.
func guarded(text **C.char, f func() error) (code C.int) {
	err := func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = arrowio.Errorf(arrowio.ErrInternal, "panic: %v\n%s", v, debug.Stack())
			}
		}()
		return f()
	}()
	if err != nil {
		*text = C.CString(err.Error())
		return C.int(Code(err))
	}
	return 0
}

//export arrowcStreamSchema
func arrowcStreamSchema(handle C.uint64_t, out *C.struct_ArrowSchema, text **C.char) C.int {
	return guarded(text, func() error {
		return ExportSchema(cgo.Handle(handle).Value().(*Stream).Reader.Schema(), unsafe.Pointer(out))
	})
}

//export arrowcStreamNext
func arrowcStreamNext(handle C.uint64_t, millis C.int64_t, out *C.struct_ArrowArray, text **C.char) C.int {
	var wait bool
	code := guarded(text, func() error {
		s := cgo.Handle(handle).Value().(*Stream)
		if wait = !s.advance(int64(millis)); wait {
			return nil
		}
		s.mu.Lock()
		more, err := s.more, s.err
		s.mu.Unlock()
		if err != nil {
			return err
		}
		if more {
			exportRecord(s.Reader.Record(), unsafe.Pointer(out))
		}
		return nil
	})
	if wait {
		return again
	}
	return code
}

//export arrowcStreamCancel
func arrowcStreamCancel(handle C.uint64_t) {
	defer func() { _ = recover() }()
	cgo.Handle(handle).Value().(*Stream).cancel()
}

//export arrowcStreamRelease
func arrowcStreamRelease(handle C.uint64_t) {
	defer func() { _ = recover() }()
	h := cgo.Handle(handle)
	s := h.Value().(*Stream)
	h.Delete()
	s.release()
}
