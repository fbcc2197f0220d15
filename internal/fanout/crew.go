package fanout

import "sync"

// Crew runs tasks side by side as Each does, and beside them jobs that nobody waits for at once: they are done when no
// task is left to begin, also after Each has returned, so that nobody is idle while the last tasks end. Who works has an
// S, which one task or job has at a time.
//
//	Each:  |task|task|task      |        Each: |task|task  |
//	       |task   |task|job|job|job     ...job|task|task|job|        Wait
//
// Each and Wait are for one goroutine, not for tasks or jobs; Later is for tasks. There is nothing to close: goroutines
// end where there is nothing to do.
type Crew[S any] struct {
	Workers int // at once, who calls Each or Wait among them
	Backlog int // jobs that may wait

	mu      sync.Mutex
	changed sync.Cond // a task or job has ended, or a job has come: for who calls Each or Wait
	spare   []*S
	helpers int

	task func(i int, s *S) error
	next int // the task to begin
	n    int
	open int // tasks that have begun

	jobs []func(s *S)
	busy int // jobs that have begun
	err  error
}

// Each calls f with 0 to n-1, several at once, and returns the first error; tasks that have begun are waited for, others
// are left out. A panic of a task or job is an error of kind errs.ErrInternal if there are several workers: nobody
// else could recover it.
func (c *Crew[S]) Each(n int, f func(i int, s *S) error) error {
	if c.Workers <= 1 {
		s := c.get()
		defer c.put(s)
		for i := range n {
			if err := f(i, s); err != nil {
				return err
			}
		}
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	c.task, c.next, c.n = f, 0, n
	c.hire(n - 1)
	for c.next < c.n || c.open > 0 {
		c.work()
	}
	c.task = nil
	return c.err
}

// Later takes a job, if there is room for it.
func (c *Crew[S]) Later(job func(s *S)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Workers <= 1 || len(c.jobs) >= c.Backlog {
		return false
	}
	c.jobs = append(c.jobs, job)
	c.hire(1)
	c.changed.Signal() // who waits in Each may do it
	return true
}

// Wait does the jobs that are left with the others. It returns the first error of a task or job.
func (c *Crew[S]) Wait() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.jobs) > 0 || c.busy > 0 {
		c.work()
	}
	return c.err
}

// hire starts up to n goroutines.
func (c *Crew[S]) hire(n int) {
	for n = min(n, c.Workers-1-c.helpers); n > 0; n-- {
		c.helpers++
		go c.help()
	}
}

func (c *Crew[S]) help() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.begin() {
	}
	c.helpers--
}

// work does the next task or job, or, where others do the last ones, waits until one has come or ended.
func (c *Crew[S]) work() {
	if !c.begin() {
		c.changed.L = &c.mu
		c.changed.Wait()
	}
}

// begin does the next task or job, if there is one. It is called with the lock, which it gives up meanwhile.
func (c *Crew[S]) begin() bool {
	switch {
	case c.next < c.n:
		i, f := c.next, c.task
		c.next++
		c.open++
		err := c.do(func(s *S) error { return f(i, s) })
		c.open--
		if err != nil && c.err == nil {
			c.err, c.next = err, c.n
		}
	case len(c.jobs) > 0:
		job := c.jobs[0]
		c.jobs[0] = nil
		c.jobs = c.jobs[1:]
		c.busy++
		err := c.do(func(s *S) error { job(s); return nil })
		c.busy--
		if err != nil && c.err == nil {
			c.err = err
		}
	default:
		return false
	}
	c.changed.Signal()
	return true
}

// do calls f without the lock.
func (c *Crew[S]) do(f func(s *S) error) error {
	s := c.get()
	c.mu.Unlock()
	err := caught(func() error { return f(s) })
	c.mu.Lock()
	c.put(s)
	return err
}

func (c *Crew[S]) get() *S {
	if n := len(c.spare); n > 0 {
		s := c.spare[n-1]
		c.spare = c.spare[:n-1]
		return s
	}
	return new(S)
}

func (c *Crew[S]) put(s *S) { c.spare = append(c.spare, s) }
