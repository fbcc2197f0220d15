package arrowio

import (
	"context"
	"io"
	"sync"

	"github.com/arrowio/arrowio/internal/workers"
)

// run decodes one job, in whatever goroutine. end must be called once, whatever happened before.
type run struct {
	*job
	scan splitScan // nil before the first next
}

// open opens the split, which reads what lies far away.
func (r *run) open(ctx context.Context, p *plan) error {
	return r.located(workers.Guard(func() (err error) {
		r.scan, err = p.openSplit(ctx, r.job)
		return err
	}))
}

// next returns the next record of the split, which it opens if need be; nil = there are no more.
func (r *run) next(ctx context.Context, p *plan) (rec sized, err error) {
	if r.scan == nil {
		if err := r.open(ctx, p); err != nil {
			return sized{}, err
		}
	}
	err = workers.Guard(func() (err error) {
		rec, err = r.scan.next()
		return err
	})
	if rec.Record != nil {
		rec.split = r.job
		p.stats.bytes.Add(rec.bytes)
		p.rate.Store(1 + rec.bytes*1024/rec.NumRows())
	}
	return rec, r.located(err)
}

func (r *run) end() error {
	var err error
	if r.scan != nil {
		err = workers.Guard(r.scan.close)
		if r.ended != nil {
			r.rowsPassed = r.scan.passed()
		}
	}
	if r.ended != nil {
		close(r.ended)
	}
	r.file.release()
	return r.located(err)
}

// serial decodes in the caller's goroutine.
type serial struct {
	ctx  context.Context
	p    *plan
	jobs *jobs
	run  *run // nil between splits
}

func (s *serial) next() (sized, error) {
	for {
		if s.run == nil {
			j, err := s.jobs.next(s.ctx)
			if err != nil {
				return sized{}, err
			}
			s.run = &run{job: j}
		}
		rec, err := s.run.next(s.ctx, s.p)
		if rec.Record != nil || err != nil {
			return rec, err
		}
		r := s.run
		s.run = nil
		if err := r.end(); err != nil {
			return sized{}, err
		}
	}
}

func (s *serial) close() {
	if s.run != nil {
		_ = s.run.end() // after an error, or because the caller has stopped
		s.run = nil
	}
	s.jobs.end()
}

// parallel decodes splits in up to Parallelism workers, ahead of the caller, and hands their records out in order.
//
//	jobs ──> admit, in order, while the estimate fits the budget ──> worker: prune, read, decode
//	                                                                    │  records, while they fit the budget
//	next <── lanes[0], and when that is finished lanes[1], …  <─────────┘
//
// A lane may always hold one record that the budget does not count again, and a split is always admitted when there is
// no other: so the first lane, the one that the caller waits for, can always go on, and nothing can wait in a circle.
type parallel struct {
	p      *plan
	ctx    context.Context // of the caller
	inner  context.Context // ends with close, too
	cancel context.CancelFunc
	unhook func() bool
	wg     sync.WaitGroup

	feed sync.Mutex // held while the next split is looked for and admitted; guards jobs
	jobs *jobs

	helpers *workers.Helpers // of readers that can share a batch

	mu      sync.Mutex
	came    sync.Cond // what the caller waits for: a record, or the end of a lane or of all
	room    sync.Cond // what workers wait for: a lane or a record less, or that it is all over
	width   int       // goroutines that the latest split can keep busy; 0 = none is open yet
	far     bool      // the latest split is of another machine
	turns   int       // of far splits, which are decoded now
	lanes   []*lane   // admitted, not handed out in full, in order
	used    int64     // of the budget
	workers int       // started
	fed     bool      // there will be no more lanes
	stopped bool      // by close
}

// aheadLanes is how many splits beyond one a worker may be decoded or waiting. It evens out splits of unequal cost;
// more of it would only fill the budget with records that the caller comes to later.
const aheadLanes = 1

// farLanes is how many splits of another machine are under way, if there are not more anyway: while one is decoded, others are fetched.
const farLanes = 8

// aheadRecords is how many records wait for the caller where one split is under way at a time: no other could go on
// meanwhile, and the caller is what takes the time.
const aheadRecords = 2

// lane is one split under way.
type lane struct {
	run
	estimate int64 // held of the budget until done
	records  []waiting
	done     bool
	err      error // after records
}

// waiting is a record that the caller has not asked for yet.
type waiting struct {
	sized
	held int64 // of the budget
}

func newParallel(ctx context.Context, p *plan, js *jobs) *parallel {
	e := &parallel{p: p, ctx: ctx, jobs: js, helpers: workers.NewHelpers(p.o.Parallelism - 1)}
	e.came.L, e.room.L = &e.mu, &e.mu
	e.inner, e.cancel = context.WithCancel(ctx)
	e.unhook = context.AfterFunc(ctx, e.notify)
	return e
}

// shares offers the helpers to a reader of a split, and adapts the number of splits under way to what the split's first
// reader can do with it: that of the predicate's columns, where there is one.
func (e *parallel) shares(r SplitReader, first bool) {
	width := 1
	if s, ok := r.(Sharer); ok {
		width = max(1, s.Share(e.helpers.Run))
	}
	if !first {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.width != width {
		e.width = width
		e.room.Broadcast()
	}
}

// lanesNow returns how many splits may be under way. e.mu is held.
func (e *parallel) lanesNow() int {
	if e.far && e.width > 0 {
		return max(e.decodersNow(), farLanes)
	}
	return e.decodersNow()
}

// workersNow returns how many goroutines may have a split. e.mu is held.
func (e *parallel) workersNow() int {
	if e.far {
		return max(e.p.o.Parallelism, farLanes)
	}
	return e.p.o.Parallelism
}

// turn waits until one more split may be decoded. Splits of this machine are always: there are no more of them than can be.
func (e *parallel) turn(l *lane) (done func()) {
	if !l.file.far {
		return func() {}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for !e.stopped && e.turns >= min(e.decodersNow(), e.p.o.Parallelism) && (l != e.lanes[0] || e.turns > e.p.o.Parallelism) {
		e.room.Wait()
	}
	e.turns++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.turns--
		e.room.Broadcast()
	}
}

// decodersNow returns how many splits may be decoded. e.mu is held.
func (e *parallel) decodersNow() int {
	switch {
	case e.width == 0: // the first one tells
		return 1
	case e.width >= e.p.o.Parallelism:
		return 1
	}
	return (e.p.o.Parallelism+e.width-1)/e.width + aheadLanes
}

// notify wakes everybody who waits.
func (e *parallel) notify() {
	e.mu.Lock()
	e.came.Broadcast()
	e.room.Broadcast()
	e.mu.Unlock()
}

func (e *parallel) next() (sized, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.workers == 0 {
		e.start()
	}
	for {
		if err := e.ctx.Err(); err != nil {
			return sized{}, err
		}
		if len(e.lanes) == 0 {
			if e.fed {
				return sized{}, io.EOF
			}
			e.came.Wait()
			continue
		}
		l := e.lanes[0]
		switch {
		case len(l.records) > 0:
			w := l.records[0]
			l.records[0] = waiting{}
			l.records = l.records[1:]
			e.used -= w.held
			e.room.Broadcast()
			return w.sized, nil
		case l.done && l.err != nil:
			return sized{}, l.err
		case l.done:
			e.lanes[0] = nil
			e.lanes = e.lanes[1:]
			e.room.Broadcast()
		default:
			e.came.Wait()
		}
	}
}

// start adds a worker. e.mu is held.
func (e *parallel) start() {
	e.workers++
	e.wg.Add(1)
	go func() {
		defer e.wg.Done()
		for l := e.admit(); l != nil; l = e.admit() {
			e.decode(l)
		}
	}()
}

// admit takes the next split and waits until it fits; nil = there is nothing left for the worker.
func (e *parallel) admit() *lane {
	e.feed.Lock()
	defer e.feed.Unlock()
	e.mu.Lock()
	over := e.fed || e.stopped
	e.mu.Unlock()
	if over {
		return nil
	}
	var j *job
	err := workers.Guard(func() (err error) {
		j, err = e.jobs.next(e.inner)
		return err
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	defer e.came.Broadcast()
	if err != nil {
		e.fed = true
		if err != io.EOF {
			e.lanes = append(e.lanes, &lane{done: true, err: err})
		}
		return nil
	}
	j.opened = e.shares
	e.far = j.file.far
	l := &lane{run: run{job: j}, estimate: e.estimate(j)}
	for !e.stopped && len(e.lanes) > 0 && (e.used+l.estimate > e.p.o.MemoryBudget || len(e.lanes) >= e.lanesNow()) {
		e.room.Wait()
	}
	if e.stopped {
		_ = l.end() // nothing was read of it, and no goroutine waits
		return nil
	}
	e.used += l.estimate
	e.lanes = append(e.lanes, l)
	if e.workers < e.workersNow() { // somebody must look for the next split while this one is decoded
		e.start()
	}
	return l
}

// estimate guesses what decoding j takes: the bytes to fetch, a batch being built and one waiting.
func (e *parallel) estimate(j *job) int64 {
	o := &e.p.o
	fetch, batch := j.split.Bytes, o.BatchBytes
	if !j.split.Known() {
		fetch = 0 // streams are read as they are decoded
	} else {
		fetch = int64(float64(fetch) * float64(j.rows.Len()) / float64(max(1, j.split.Rows.Len())))
		rows := min(int64(o.BatchRows), j.rows.Len())
		perRow := float64(e.p.rate.Load()) / 1024
		if perRow == 0 {
			perRow = 4 * float64(fetch) / float64(max(1, j.rows.Len()))
		}
		batch = int64(min(float64(batch), perRow*float64(rows)))
	}
	return min(addRows(max(0, fetch), 2*batch), o.MemoryBudget)
}

// decode fills the lane.
func (e *parallel) decode(l *lane) {
	err := l.open(e.inner, e.p)
	for err == nil {
		var rec sized
		done := e.turn(l)
		rec, err = l.next(e.inner, e.p)
		done()
		if err != nil || rec.Record == nil {
			break
		}
		if !e.put(l, rec) {
			break
		}
	}
	if e2 := l.end(); err == nil {
		err = e2
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	l.done, l.err = true, err
	e.fed = e.fed || err != nil // what comes after an error is not wanted
	e.used -= l.estimate
	for i := range l.records { // what the estimate covered counts for itself now
		w := &l.records[i]
		e.used += w.bytes - w.held
		w.held = w.bytes
	}
	e.came.Broadcast()
	e.room.Broadcast()
}

// put adds a record to the lane when there is room; false = it is not wanted.
func (e *parallel) put(l *lane, rec sized) bool {
	w := waiting{sized: rec}
	e.mu.Lock()
	defer e.mu.Unlock()
	for !e.stopped && len(l.records) > 0 && (e.used+w.bytes > e.p.o.MemoryBudget || e.lanesNow() == 1 && len(l.records) >= aheadRecords) {
		e.room.Wait()
	}
	if e.stopped {
		rec.Release()
		return false
	}
	if len(l.records) > 0 {
		w.held = w.bytes
		e.used += w.bytes
	}
	l.records = append(l.records, w)
	e.came.Broadcast()
	return true
}

func (e *parallel) close() {
	e.unhook()
	e.cancel()
	e.mu.Lock()
	e.stopped = true
	e.came.Broadcast()
	e.room.Broadcast()
	e.mu.Unlock()
	e.wg.Wait()
	e.helpers.Close()
	for _, l := range e.lanes {
		for _, w := range l.records {
			w.Release()
		}
	}
	e.lanes = nil
	e.jobs.end()
}
