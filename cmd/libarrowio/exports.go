package main

// #include <stdint.h>
// #include <stdlib.h>
import "C"

import (
	"encoding/json"
	"time"
	"unsafe"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowc"
	"github.com/arrowio/arrowio/internal/workers"
)

// answer is the JSON of what came of a call.
func answer(value any, err error) *C.char {
	var b []byte
	if err == nil {
		b, err = json.Marshal(map[string]any{"ok": value})
	}
	if err != nil {
		b, _ = json.Marshal(map[string]any{"error": describe(err)}) // of texts and numbers
	}
	return C.CString(string(b))
}

// guarded calls f and returns a panic as an error: it must not end the process that has loaded this library.
func guarded(f func() error) error { return workers.Catch(f) }

// failed is the answer of a call that has nothing to say but errors; nil = there is none.
func failed(f func() error) *C.char {
	if err := guarded(f); err != nil {
		return answer(nil, err)
	}
	return nil
}

//export goStart
func goStart(request *C.char, stream unsafe.Pointer) (id C.uint64_t) {
	var in *arrowc.Reader
	var err error
	if stream != nil {
		in, err = arrowc.Import(stream) // at once: the caller may free the structure when this returns
	}
	return C.uint64_t(start(C.GoString(request), in, err))
}

//export goWait
func goWait(id C.uint64_t, millis C.int64_t, out **C.char) C.int {
	c := callOf(uint64(id))
	if c == nil {
		*out = answer(nil, errs.Errorf(errs.ErrOption, "there is no such call"))
		return 0
	}
	t := time.NewTimer(time.Duration(millis) * time.Millisecond)
	defer t.Stop()
	select {
	case <-c.done:
	case <-t.C:
		if p, ok := c.progress.Load().(map[string]any); ok {
			b, _ := json.Marshal(p)
			*out = C.CString(string(b))
		}
		return 1
	}
	forget(uint64(id))
	*out = answer(c.value, c.err)
	return 0
}

//export goCancel
func goCancel(id C.uint64_t) {
	if c := callOf(uint64(id)); c != nil {
		c.cancel()
	}
}

//export goSchema
func goSchema(handle C.uint64_t, request *C.char, out unsafe.Pointer) *C.char {
	return failed(func() error {
		h, err := take(uint64(handle))
		if err != nil {
			return err
		}
		defer h.release()
		s, err := h.schema(C.GoString(request))
		if err != nil {
			return err
		}
		return arrowc.ExportSchema(s, out)
	})
}

//export goScan
func goScan(handle C.uint64_t, request *C.char, out unsafe.Pointer) *C.char {
	return failed(func() error {
		h, err := take(uint64(handle))
		if err != nil {
			return err
		}
		s, err := h.scan(C.GoString(request))
		if err != nil {
			h.release()
			return err
		}
		return s.Export(out)
	})
}

//export goStreamError
func goStreamError(stream unsafe.Pointer) *C.char {
	return failed(func() error { return arrowc.StreamErr(stream) })
}

//export goClose
func goClose(handle C.uint64_t) {
	_ = guarded(func() error {
		closeHandle(uint64(handle))
		return nil
	})
}

//export goAllocated
func goAllocated() C.int64_t { return C.int64_t(arrowc.Allocated()) }

//export goTrim
func goTrim() { arrowc.Trim() }

//export goPlace
func goPlace() C.uint64_t { return C.uint64_t(registerPlace()) }

//export goPlaceNext
func goPlaceNext(place C.uint64_t, millis C.int64_t, number *C.uint64_t, out **C.char) C.int {
	p := placeOf(uint64(place))
	if p == nil {
		return 0
	}
	q, ok := p.next(time.Duration(millis) * time.Millisecond)
	if !ok {
		return 0
	}
	if q == nil {
		return 2
	}
	b, _ := json.Marshal(q.question) // of texts and numbers
	*number, *out = C.uint64_t(q.number), C.CString(string(b))
	return 1
}

//export goPlaceAnswer
func goPlaceAnswer(place, number C.uint64_t, text *C.char, data unsafe.Pointer, n C.int64_t) {
	if p := placeOf(uint64(place)); p != nil {
		p.answer(uint64(number), C.GoString(text), unsafe.Slice((*byte)(data), int(n)))
	}
}

//export goPlaceClose
func goPlaceClose(place C.uint64_t) { closePlace(uint64(place)) }
