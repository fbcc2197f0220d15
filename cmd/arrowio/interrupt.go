package main

import (
	"context"
	"io"
)

// interruptibleReader makes a read that blocks (a terminal, a pipe that nobody writes to) give way to a cancelled
// context. The read itself cannot be called off: it goes on in its own goroutine, into a buffer of its own, and ends
// with the process. After a cancellation the reader only returns the context's error.
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

// interruptibleReadBytes is large enough that the hand-over between goroutines does not show.
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
