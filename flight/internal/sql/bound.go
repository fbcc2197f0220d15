package sql

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// Bounds on the values that are kept for prepared statements.
const (
	boundFor   = time.Hour
	maxBound   = 4096     // statements
	boundBytes = 16 << 20 // of values
)

// boundValues keeps the values that clients have bound, of each statement the latest. What is oldest goes first.
type boundValues struct {
	mu    sync.Mutex
	by    map[string]*list.Element
	order list.List // of *boundSet, oldest first
	bytes int
}

type boundSet struct {
	key    string
	params []string
	engine bool // params is one stream of values for the engine
	bytes  int
	at     time.Time
}

// boundKey tells statements of clients apart: no client reads, or forgets, what another has bound.
func (d *Dialect) boundKey(ctx context.Context, id string) string {
	return d.s.Client(ctx) + "\x00" + id
}

// Bound returns of how many statements values are kept, and how many bytes these have.
func (d *Dialect) Bound() (statements, bytes int) {
	d.bound.mu.Lock()
	defer d.bound.mu.Unlock()
	return d.bound.order.Len(), d.bound.bytes
}

func (v *boundValues) bind(key string, params []string, engine bool) {
	s := &boundSet{key: key, params: params, engine: engine, at: time.Now(), bytes: len(key)}
	for _, p := range params {
		s.bytes += len(p) + 16
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.by == nil {
		v.by = map[string]*list.Element{}
	}
	v.drop(v.by[s.key])
	v.by[s.key] = v.order.PushBack(s)
	v.bytes += s.bytes
	for e := v.order.Front(); e != nil && (v.order.Len() > maxBound || v.bytes > boundBytes || time.Since(e.Value.(*boundSet).at) > boundFor); e = v.order.Front() {
		v.drop(e)
	}
}

// params returns what is bound to a statement, and whether it is for the engine; nil = nothing.
func (v *boundValues) params(key string) (params []string, engine bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	e := v.by[key]
	if e == nil {
		return nil, false
	}
	s := e.Value.(*boundSet)
	if time.Since(s.at) > boundFor {
		v.drop(e)
		return nil, false
	}
	return s.params, s.engine
}

func (v *boundValues) forget(key string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.drop(v.by[key])
}

// drop forgets an element. v.mu is held.
func (v *boundValues) drop(e *list.Element) {
	if e == nil {
		return
	}
	s := v.order.Remove(e).(*boundSet)
	delete(v.by, s.key)
	v.bytes -= s.bytes
}
