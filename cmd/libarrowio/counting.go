package main

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/arrowio/arrowio/arrowio"
)

// counting is a store that knows what was written to it.
type counting struct {
	arrowio.Store
	bytes atomic.Int64
	mu    sync.Mutex
	sinks []*countingSink
}

type countingSink struct {
	arrowio.Sink
	st    *counting
	name  string
	bytes atomic.Int64
}

func (c *counting) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	s, err := c.Store.Create(ctx, name)
	if err != nil {
		return nil, err
	}
	k := &countingSink{Sink: s, st: c, name: name}
	c.mu.Lock()
	c.sinks = append(c.sinks, k)
	c.mu.Unlock()
	return k, nil
}

func (k *countingSink) Write(p []byte) (int, error) {
	n, err := k.Sink.Write(p)
	k.bytes.Add(int64(n))
	k.st.bytes.Add(int64(n))
	return n, err
}

// list returns the objects, in the order in which they were made.
func (c *counting) list() []writtenFile {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := []writtenFile{}
	for _, k := range c.sinks {
		out = append(out, writtenFile{k.name, k.bytes.Load()})
	}
	return out
}
