package main

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowc"
)

// call is something that may take long: its caller waits a little at a time, and can do something else meanwhile.
type call struct {
	cancel   context.CancelFunc
	done     chan struct{}
	progress atomic.Value // map[string]any
	value    any
	err      error
}

var calls = struct {
	sync.Mutex
	last uint64
	of   map[uint64]*call
}{of: map[uint64]*call{}}

func callOf(id uint64) *call {
	calls.Lock()
	defer calls.Unlock()
	return calls.of[id]
}

func forget(id uint64) {
	calls.Lock()
	defer calls.Unlock()
	delete(calls.of, id)
}

// start begins what request asks for. in is what it reads, which is closed at the end, whatever comes; err is why there
// is none.
func start(request string, in *arrowc.Reader, err error) uint64 {
	ctx, cancel := context.WithCancel(context.Background())
	c := &call{cancel: cancel, done: make(chan struct{})}
	calls.Lock()
	calls.last++
	id := calls.last
	calls.of[id] = c
	calls.Unlock()
	go func() {
		defer close(c.done)
		defer cancel()
		if in != nil {
			defer in.Close()
			defer context.AfterFunc(ctx, in.Cancel)()
		}
		if err != nil {
			c.err = err
			return
		}
		c.err = guarded(func() (err error) {
			c.value, err = c.run(ctx, request, in)
			return err
		})
	}()
	return id
}

func (c *call) run(ctx context.Context, request string, in *arrowc.Reader) (any, error) {
	var which struct {
		Call string `json:"call"`
	}
	if err := json.Unmarshal([]byte(request), &which); err != nil {
		return nil, badRequest(err)
	}
	switch which.Call {
	case "open":
		return open(ctx, request)
	case "describe":
		return describeHandle(ctx, request)
	case "plan":
		return planHandle(ctx, request)
	case "open_part":
		return openPart(ctx, request)
	case "write":
		return write(ctx, request, in, c)
	case "environment":
		return nil, setEnvironment(request)
	case "formats":
		return formats(), nil
	}
	return nil, errs.Errorf(errs.ErrOption, "there is no call %q", which.Call)
}

// parse reads a request strictly: what it does not know it refuses. An empty one is all defaults.
func parse(request string, into any) error {
	if request == "" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader([]byte(request)))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return badRequest(err)
	}
	return nil
}

func badRequest(err error) error { return errs.Errorf(errs.ErrOption, "the request: %w", err) }
