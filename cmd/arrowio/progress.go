package main

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
)

const (
	progressTick  = 100 * time.Millisecond
	progressDelay = 500 * time.Millisecond // what is done sooner needs no bar
)

// progressModes are the values of --progress.
var progressModes = []string{"auto", "always", "never"}

func addProgressFlag(cmd *cobra.Command) *wordValue {
	v := &wordValue{word: "auto", words: progressModes, kind: "WHEN"}
	addWord(cmd, v, "progress", "show progress on standard error: auto (on a terminal), always or never")
	return v
}

// work is what a progress bar counts up to.
type work struct {
	rows  int64        // to be read; -1 = unknown, as with a filter
	bytes int64        // of input
	read  func() int64 // bytes of input read so far
}

// progress draws a bar on standard error from a goroutine of its own, so that the work never waits for a terminal.
// A nil progress draws nothing.
type progress struct {
	rows atomic.Int64
	work work
	mu   sync.Mutex // of bar and the terminal's line
	bar  *progressbar.ProgressBar
	quit chan struct{}
	gone chan struct{}
}

// startProgress begins to draw unless the mode, or standard error being no terminal, says not to.
func (a *app) startProgress(mode, what string, w work) *progress {
	_, tty := a.terminal(a.stderr)
	if mode == "never" || mode == "auto" && !tty {
		return nil
	}
	delay := progressDelay
	if mode == "always" {
		delay = 0
	}
	p := &progress{work: w, bar: newBar(a.stderr, printable(what), w), quit: make(chan struct{}), gone: make(chan struct{})}
	go p.draw(delay)
	return p
}

// newBar counts rows where their number is known, and bytes of input otherwise; the text in front tells the other.
func newBar(w io.Writer, what string, work work) *progressbar.ProgressBar {
	options := []progressbar.Option{
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(20),
		progressbar.OptionSetTheme(progressbar.ThemeASCII),
		progressbar.OptionThrottle(progressTick),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
	}
	total := work.rows
	if total < 0 {
		total = work.bytes
		options = append(options, progressbar.OptionShowBytes(true), progressbar.OptionUseIECUnits(true))
	} else {
		options = append(options, progressbar.OptionShowIts(), progressbar.OptionSetItsString("rows"))
	}
	if total <= 0 {
		total = -1 // a spinner
	}
	return progressbar.NewOptions64(total, options...)
}

func (p *progress) draw(delay time.Duration) {
	defer close(p.gone)
	start := time.NewTimer(delay)
	defer start.Stop()
	select {
	case <-p.quit:
		return
	case <-start.C:
	}
	what := p.bar.State().Description
	tick := time.NewTicker(progressTick)
	defer tick.Stop()
	for {
		p.show(what)
		select {
		case <-p.quit:
			_ = p.bar.Clear()
			return
		case <-tick.C:
		}
	}
}

// show draws the state of now. Errors of drawing are nobody's concern.
func (p *progress) show(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rows, read := p.rows.Load(), p.work.read()
	at, total, text := rows, p.work.rows, humanize.IBytes(uint64(read))+" read"
	if total < 0 {
		at, total, text = read, p.work.bytes, humanize.Comma(rows)+" rows"
	}
	if total > 0 {
		at = min(at, total-1) // at the end a bar takes itself away, which is stop's to do
	}
	_ = p.bar.Set64(at)
	if total >= 0 && rows == 0 && p.work.rows < 0 {
		p.bar.Describe(what) // of what is counted in bytes alone
		return
	}
	p.bar.Describe(what + ": " + text)
}

// set tells how many rows are done.
func (p *progress) set(rows int64) {
	if p != nil {
		p.rows.Store(rows)
	}
}

// aside takes the bar away while print writes to the same terminal; the next tick brings it back.
func (p *progress) aside(print func()) {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		_ = p.bar.Clear()
	}
	print()
}

// stop takes the bar away and waits for its goroutine. It may be called twice.
func (p *progress) stop() {
	if p == nil {
		return
	}
	select {
	case <-p.quit:
	default:
		close(p.quit)
	}
	<-p.gone
}
