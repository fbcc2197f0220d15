package browse

import (
	"context"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
)

// What tasks are for. A task of a kind replaces the one before it, whose result is then ignored.
type kind int

const (
	taskPage   kind = iota // a window of rows
	taskExtend             // finding out which rows there are
	taskFind               // a search
	taskFile               // what a file is
	taskDetail             // the same with blocks
	taskOver               // what an overlay shows
	kinds
)

var kindNames = [kinds]string{"reading rows", "counting rows", "searching", "reading the file's metadata", "reading what the file says of its blocks", "reading"}

// task is one call in the background.
type task struct {
	id     int
	cancel context.CancelFunc
	since  time.Time
	rows   *atomic.Int64 // that it has looked at; nil = it does not count
}

// done is the message that a task has ended. apply changes the model; it is not called where the task was replaced or cancelled.
type done struct {
	kind  kind
	id    int
	apply func(m *Model) tea.Cmd
}

// start runs work in the background. Its result is a function that is called with the model in the screen's own goroutine.
func (m *Model) start(k kind, work func(ctx context.Context, rows *atomic.Int64) func(m *Model) tea.Cmd) tea.Cmd {
	m.stop(k)
	m.lastTask++
	ctx, cancel := context.WithCancel(m.ctx)
	t := &task{id: m.lastTask, cancel: cancel, since: time.Now(), rows: &atomic.Int64{}}
	m.tasks[k] = t
	run := func() tea.Msg { return done{k, t.id, work(ctx, t.rows)} }
	if m.ticking {
		return run
	}
	m.ticking = true
	return tea.Batch(run, tick())
}

// stop cancels a task and reports whether there was one.
func (m *Model) stop(k kind) bool {
	t := m.tasks[k]
	if t == nil {
		return false
	}
	t.cancel()
	m.tasks[k] = nil
	return true
}

// ended applies the result of a task, unless it was replaced.
func (m *Model) ended(d done) tea.Cmd {
	t := m.tasks[d.kind]
	if t == nil || t.id != d.id {
		return nil
	}
	t.cancel()
	m.tasks[d.kind] = nil
	return d.apply(m)
}

// ticked is the message that the progress of tasks is drawn again.
type ticked struct{}

const tickTime = 100 * time.Millisecond

func tick() tea.Cmd { return tea.Tick(tickTime, func(time.Time) tea.Msg { return ticked{} }) }

// tickAgain goes on ticking while there is something to do.
func (m *Model) tickAgain() tea.Cmd {
	for _, t := range m.tasks {
		if t != nil {
			return tick()
		}
	}
	m.ticking = false
	return nil
}
