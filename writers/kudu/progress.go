package kudu

import "sync"

// How often each byte of the set is gone through: for its sum, and to verify it; then to copy it, and to read the copy.
const (
	stepsOfCheck  = 2
	stepsOfImport = 4
)

// progress tells how much of an import is done.
type progress struct {
	mu          sync.Mutex
	report      func(done, total int64)
	done, total int64
}

func (p *progress) start(report func(done, total int64), total int64) {
	p.report, p.total = report, total
	p.add(0)
}

func (p *progress) add(n int64) { p.count(func() int64 { return n }) }

// count is add of what more returns, which is called alone.
func (p *progress) count(more func() int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = min(p.total, p.done+more())
	if p.report != nil {
		p.report(p.done, p.total)
	}
}

// reach sets how much is done, unless it is more already.
func (p *progress) reach(done int64) { p.count(func() int64 { return max(0, done-p.done) }) }
