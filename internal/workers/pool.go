package workers

import "sync"

// Pool runs tasks at the same time, round by round, and jobs that no round waits for: a job runs when no task is left to
// begin, also after Each has returned. So no worker is idle while the last tasks of a round end. S is scratch memory:
// one task or job has it at a time, later ones get it as it was left.
//
//	Each:  |task|task|task      |        Each: |task|task  |
//	       |task   |task|job|job|job     ...job|task|task|job|        Wait
//
// Each and Wait are for one goroutine, not for tasks or jobs; Later is for tasks. There is nothing to close: goroutines
// end when there is nothing to do.
type Pool[S any] struct {
	Workers int // goroutines at a time, among them that of Each or Wait
	Backlog int // jobs that may wait

	mu      sync.Mutex
	changed sync.Cond // a task or job has ended, or a job was added: wakes Each or Wait
	spare   []*S
	started int // goroutines, without that of Each or Wait

	task func(i int, s *S) error
	next int // the task to begin
	n    int
	open int // tasks that have begun and not ended

	jobs []func(s *S)
	busy int // jobs that have begun and not ended
	err  error
}

// Each calls f with 0 to n-1, several at once, and returns the first error. It waits for tasks that have begun, and begins
// no others after an error. A panic of a task or job is an error, as Guard makes it.
func (p *Pool[S]) Each(n int, f func(i int, s *S) error) error {
	if p.Workers <= 1 {
		return Guard(func() error { return p.eachInTurn(n, f) })
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return p.err
	}
	p.task, p.next, p.n = f, 0, n
	p.start(n - 1)
	for p.next < p.n || p.open > 0 {
		p.runOrWait()
	}
	p.task = nil
	return p.err
}

func (p *Pool[S]) eachInTurn(n int, f func(i int, s *S) error) error {
	s := p.get()
	defer p.put(s)
	for i := range n {
		if err := f(i, s); err != nil {
			return err
		}
	}
	return nil
}

// Later adds a job. It returns false where there is no room for it, or where one worker does everything.
func (p *Pool[S]) Later(job func(s *S)) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Workers <= 1 || len(p.jobs) >= p.Backlog {
		return false
	}
	p.jobs = append(p.jobs, job)
	p.start(1)
	p.changed.Signal() // the goroutine that waits in Each may do it
	return true
}

// Wait helps with the jobs that are left and returns when all have ended. It returns the first error of a task or job.
func (p *Pool[S]) Wait() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.jobs) > 0 || p.busy > 0 {
		p.runOrWait()
	}
	return p.err
}

// start starts up to n goroutines.
func (p *Pool[S]) start(n int) {
	for n = min(n, p.Workers-1-p.started); n > 0; n-- {
		p.started++
		go p.runAll()
	}
}

// runAll runs tasks and jobs until none is left to begin.
func (p *Pool[S]) runAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.runOne() {
	}
	p.started--
}

// runOrWait runs the next task or job. If there is none it waits until one was added or has ended.
func (p *Pool[S]) runOrWait() {
	if !p.runOne() {
		p.changed.L = &p.mu
		p.changed.Wait()
	}
}

// runOne runs the next task or job, if there is one. The caller holds the lock, which is not held while it runs.
func (p *Pool[S]) runOne() bool {
	switch {
	case p.next < p.n:
		i, f := p.next, p.task
		p.next++
		p.open++
		err := p.unlocked(func(s *S) error { return f(i, s) })
		p.open--
		if err != nil && p.err == nil {
			p.err, p.next = err, p.n
		}
	case len(p.jobs) > 0:
		job := p.jobs[0]
		p.jobs[0] = nil
		p.jobs = p.jobs[1:]
		p.busy++
		err := p.unlocked(func(s *S) error { job(s); return nil })
		p.busy--
		if err != nil && p.err == nil {
			p.err = err
		}
	default:
		return false
	}
	p.changed.Signal()
	return true
}

// unlocked calls f without the lock.
func (p *Pool[S]) unlocked(f func(s *S) error) error {
	s := p.get()
	p.mu.Unlock()
	err := Guard(func() error { return f(s) })
	p.mu.Lock()
	p.put(s)
	return err
}

func (p *Pool[S]) get() *S {
	if n := len(p.spare); n > 0 {
		s := p.spare[n-1]
		p.spare = p.spare[:n-1]
		return s
	}
	return new(S)
}

func (p *Pool[S]) put(s *S) { p.spare = append(p.spare, s) }
