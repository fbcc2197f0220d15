package main

import (
	"context"
	"io"
)

// interruptibleReader ends a blocking read (of a terminal, or of a pipe without a writer) when a context is cancelled. The read
// itself cannot be cancelled: it continues in its own goroutine, into its own buffer, until the process ends. After a
// cancellation the reader only returns the error of the context.
type interruptibleReader struct {
	ctx     context.Context
	r       io.Reader
	buf     []byte
	ready   []byte // read, not yet asked for
	err     error  // what follows ready
	results chan readResult
}

type readResult struct {
	n   int
	err error
}

// interruptibleReadBytes is so large that passing buffers between goroutines takes no noticeable time.
const interruptibleReadBytes = 256 << 10

func (r *interruptibleReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	if len(r.ready) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		if r.buf == nil {
			r.buf = make([]byte, interruptibleReadBytes)
			r.results = make(chan readResult, 1)
		}
		go func() {
			n, err := r.r.Read(r.buf)
			r.results <- readResult{n, err}
		}()
		select {
		case <-r.ctx.Done():
			return 0, context.Cause(r.ctx)
		case res := <-r.results:
			r.ready, r.err = r.buf[:res.n], res.err
		}
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	if len(r.ready) == 0 && r.err != nil {
		return n, r.err
	}
	return n, nil
}
