package page

import (
	"container/list"
	"context"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/drawing"
	"github.com/arrowio/arrowio/internal/workers"
)

const (
	maxBlocks   = 300_000 // of a file, whose places are looked up for its picture
	inspectTime = 2 * time.Minute
	maxInspects = 2       // files that are read at once
	maxPending  = 64      // and those that are waited for
	maxKept     = 1 << 20 // columns, groups and cells of layouts that are kept
)

// described is what a file says of itself, and how its bytes lie. It does not change.
type described struct {
	info     *arrowio.Info // without its blocks
	warnings []arrowio.Warning
	layout   *drawing.Layout
	blocks   int // 0 < maxBlocks < blocks: there are too many for the picture
}

func (d *described) weight() int {
	return 1 + len(d.info.Columns) + len(d.info.Groups) + len(d.info.Splits) + d.layout.Cells()
}

// infos keeps what was read of files, those that were asked for last. A file is known by its identity, so one that has
// changed is another.
type infos struct {
	ctx   context.Context // of reading
	stop  context.CancelFunc
	slots chan struct{}
	work  sync.WaitGroup

	mu      sync.Mutex
	by      map[string]*list.Element // of *keptInfo
	order   *list.List               // the last used in front
	weight  int
	pending int
}

type keptInfo struct {
	key   string
	done  chan struct{} // closed when the rest is set
	value *described
	err   error
}

func newInfos() *infos {
	ctx, stop := context.WithCancel(context.Background())
	return &infos{ctx: ctx, stop: stop, slots: make(chan struct{}, maxInspects), by: map[string]*list.Element{}, order: list.New()}
}

// close ends reading, and waits until it has ended.
func (c *infos) close() {
	c.stop()
	c.work.Wait()
}

// get returns what fragment i of e says. Several who ask for it share one reading, which goes on when they do not wait
// any more: it is there for the next who asks.
func (c *infos) get(ctx context.Context, e *flight.Entry, i int) (*described, error) {
	key := e.Fragments[i].Identity
	c.mu.Lock()
	el := c.by[key]
	if el == nil {
		if c.pending >= maxPending {
			c.mu.Unlock()
			return nil, status.Errorf(codes.ResourceExhausted, "%d files are being read already: try again later", maxPending)
		}
		k := &keptInfo{key: key, done: make(chan struct{})}
		el = c.order.PushFront(k)
		c.by[key] = el
		c.pending++
		c.work.Go(func() { c.read(k, e, i) })
	}
	c.order.MoveToFront(el)
	c.mu.Unlock()
	k, _ := el.Value.(*keptInfo)
	select {
	case <-k.done:
		return k.value, k.err
	case <-ctx.Done():
		return nil, status.FromContextError(ctx.Err()).Err()
	}
}

func (c *infos) read(k *keptInfo, e *flight.Entry, i int) {
	var value *described
	var err error
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
		ctx, cancel := context.WithTimeout(c.ctx, inspectTime)
		defer cancel()
		err = workers.Catch(func() (err error) {
			value, err = describe(ctx, e, i)
			return err
		})
	case <-c.ctx.Done():
		err = c.ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k.value, k.err = value, err
	c.pending--
	if k.err != nil { // the next who asks may have more luck
		c.drop(c.by[k.key])
	} else {
		c.weight += k.value.weight()
	}
	for el := c.order.Back(); el != nil && c.weight > maxKept; {
		before := el.Prev()
		if old, _ := el.Value.(*keptInfo); old != k && old.value != nil {
			c.weight -= old.value.weight()
			c.drop(el)
		}
		el = before
	}
	close(k.done)
}

// drop forgets one. c.mu is held.
func (c *infos) drop(el *list.Element) {
	if k, ok := c.order.Remove(el).(*keptInfo); ok {
		delete(c.by, k.key)
	}
}

// describe reads a file, its blocks only where they are not too many.
func describe(ctx context.Context, e *flight.Entry, i int) (*described, error) {
	info, warnings, err := e.Inspect(ctx, i, arrowio.InfoOptions{})
	if err != nil {
		return nil, err
	}
	d := &described{info: info, warnings: warnings}
	for _, c := range info.Columns {
		d.blocks += c.Blocks
	}
	if d.blocks > 0 && d.blocks <= maxBlocks {
		if info, d.warnings, err = e.Inspect(ctx, i, arrowio.InfoOptions{Blocks: true}); err != nil {
			return nil, err
		}
	}
	d.layout = drawing.New(info)
	for k := range info.Columns {
		info.Columns[k].BlockList = nil
	}
	d.info = info
	return d, nil
}
