package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowc"
	"github.com/arrowio/arrowio/internal/remote"
)

// questions are those of a place on their way to the caller, and back.
type questions struct {
	asked chan *pending
	over  chan struct{} // closed at the end
	end   func()

	mu    *sync.Mutex
	taken map[uint64]*pending // by the caller, who has not answered yet
}

func newQuestions() questions {
	over := make(chan struct{})
	return questions{
		asked: make(chan *pending), over: over, end: sync.OnceFunc(func() { close(over) }),
		mu: new(sync.Mutex), taken: map[uint64]*pending{},
	}
}

// pending is a question that somebody waits for.
type pending struct {
	question
	number uint64
	done   chan struct{} // closed when it is answered

	mu      sync.Mutex
	dst     []byte // for the bytes of a read; nil = nobody wants them any more
	wanted  bool
	reply   reply
	failure error
}

// lastQuestion is the number of the latest question of all places.
var lastQuestion atomic.Uint64

// errPlaceClosed: Python ends, or the caller has closed the place by itself.
var errPlaceClosed = fmt.Errorf("the file system is not read any more: %w", fs.ErrClosed)

// ask asks q and waits for the answer, whose bytes, exactly as many, go to dst. When it returns, nothing writes to dst any more.
func (p *questions) ask(ctx context.Context, q question, dst []byte) (reply, error) {
	x := &pending{question: q, number: lastQuestion.Add(1), done: make(chan struct{}), dst: dst, wanted: true}
	select {
	case p.asked <- x:
	case <-ctx.Done():
		return reply{}, ctx.Err()
	case <-p.over:
		return reply{}, errPlaceClosed
	}
	var err error
	select {
	case <-x.done:
	case <-ctx.Done():
		err = ctx.Err()
	case <-p.over:
		err = errPlaceClosed
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.wanted = false
	switch {
	case err != nil:
		return reply{}, err
	case x.failure != nil:
		return reply{}, x.failure
	case x.reply.Error != nil:
		return reply{}, x.reply.Error
	}
	return x.reply, nil
}

// next returns the next question, which the caller answers by its number; nil = none came in this time. ok is false at the end.
func (p *questions) next(wait time.Duration) (_ *pending, ok bool) {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-p.over:
		return nil, false
	default:
	}
	select {
	case x := <-p.asked:
		p.mu.Lock()
		p.taken[x.number] = x
		p.mu.Unlock()
		return x, true
	case <-p.over:
		return nil, false
	case <-t.C:
		return nil, true
	}
}

// answer is what the caller says to a question, with the bytes of a read.
func (p *questions) answer(number uint64, text string, data []byte) {
	p.mu.Lock()
	x := p.taken[number]
	delete(p.taken, number)
	p.mu.Unlock()
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	defer close(x.done)
	if !x.wanted {
		return
	}
	if err := json.Unmarshal([]byte(text), &x.reply); err != nil {
		x.failure = errs.Errorf(errs.ErrInternal, "the answer: %w", err)
		return
	}
	if x.reply.Error != nil {
		x.reply.Error.question = number
		return
	}
	if len(data) != len(x.dst) {
		x.failure = errs.Errorf(errs.ErrInternal, "%d bytes were given where %d were asked for", len(data), len(x.dst))
		return
	}
	copy(x.dst, data)
}

// callerError is an exception of the caller's file system.
type callerError struct {
	Kind string `json:"kind"` // missing, denied, memory; "" = another
	No   int    `json:"errno"`
	Text string `json:"message"`

	question uint64
}

func (e *callerError) Error() string {
	if e.Kind == "missing" {
		return fs.ErrNotExist.Error() // the text of many is the path, which is said already
	}
	return e.Text
}

// Unwrap gives errors.Is what the exception means.
func (e *callerError) Unwrap() error {
	switch {
	case e.Kind == "missing":
		return fs.ErrNotExist
	case e.Kind == "denied":
		return fs.ErrPermission
	case e.Kind == "memory":
		return arrowc.ErrNoMemory
	case e.No > 0:
		return arrowc.FromErrno(e.No)
	}
	return nil
}

// failureOf makes err, which came of the file at url, an error that names it.
func failureOf(op, url string, off int64, err error) error {
	return remote.Wrap(op, url, &remote.Failure{Off: off, Err: err})
}

// callerPlaces are those that are open.
var callerPlaces = struct {
	sync.Mutex
	last uint64
	of   map[uint64]*callerPlace
}{of: map[uint64]*callerPlace{}}

// registerPlace gives a new place a number.
func registerPlace() uint64 {
	callerPlaces.Lock()
	defer callerPlaces.Unlock()
	callerPlaces.last++
	callerPlaces.of[callerPlaces.last] = newCallerPlace()
	return callerPlaces.last
}

// placeOf returns the place of a number; nil = it is closed.
func placeOf(number uint64) *callerPlace {
	callerPlaces.Lock()
	defer callerPlaces.Unlock()
	return callerPlaces.of[number]
}

// closePlace closes the place of a number.
func closePlace(number uint64) {
	callerPlaces.Lock()
	p := callerPlaces.of[number]
	delete(callerPlaces.of, number)
	callerPlaces.Unlock()
	if p != nil {
		p.close()
	}
}
