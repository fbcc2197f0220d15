package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
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

// work is the total that a progress bar counts up to.
type work struct {
	rows  int64        // to be read; -1 = unknown, as with a filter
	bytes int64        // of input
	read  func() int64 // bytes of input read so far
}

// progress draws a line on standard error from its own goroutine, so that the command never waits for a terminal. A nil
// progress draws nothing.
type progress struct {
	rows  atomic.Int64
	what  string
	work  work
	w     io.Writer
	width func() int // of the terminal now
	start time.Time
	mu    sync.Mutex // of the terminal's line
	drawn int        // columns of the line that is there
	quit  chan struct{}
	gone  chan struct{}
}

// startProgress starts to draw, unless the mode forbids it or standard error is not a terminal.
func (a *app) startProgress(mode, what string, w work) *progress {
	_, tty := a.terminal(a.stderr)
	if mode == "never" || mode == "auto" && !tty {
		return nil
	}
	delay := progressDelay
	if mode == "always" {
		delay = 0
	}
	p := &progress{what: printable(what), work: w, w: a.stderr, start: time.Now(), quit: make(chan struct{}), gone: make(chan struct{})}
	p.width = func() int {
		if s, tty := a.terminal(a.stderr); tty {
			return s.width
		}
		return 80
	}
	go p.draw(delay)
	return p
}

func (p *progress) draw(delay time.Duration) {
	defer close(p.gone)
	if delay > 0 { // without one, the shortest work shows its line
		start := time.NewTimer(delay)
		defer start.Stop()
		select {
		case <-p.quit:
			return
		case <-start.C:
		}
	}
	tick := time.NewTicker(progressTick)
	defer tick.Stop()
	for {
		p.show()
		select {
		case <-p.quit:
			p.clear()
			return
		case <-tick.C:
		}
	}
}

// show draws the current state. Errors of drawing are ignored.
func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := progressState{
		what: p.what, rows: p.rows.Load(), rowsOf: p.work.rows, bytes: p.work.read(), bytesOf: p.work.bytes, took: time.Since(p.start),
	}.line(p.width() - 1) // in the last column some terminals wrap
	n := displayWidth(line)
	_, _ = io.WriteString(p.w, "\r"+line+strings.Repeat(" ", max(0, p.drawn-n)))
	p.drawn = n
}

// clear removes the line.
func (p *progress) clear() {
	_, _ = io.WriteString(p.w, "\r"+strings.Repeat(" ", p.drawn)+"\r")
	p.drawn = 0
}

// progressState is the content of a progress line.
type progressState struct {
	what           string
	rows, rowsOf   int64 // of -1: it is not known how many there will be
	bytes, bytesOf int64 // of input; of 0: nothing is known
	took           time.Duration
}

// share returns the fraction that is done; negative = not known.
func (s progressState) share() float64 {
	switch {
	case s.rowsOf > 0:
		return min(1, float64(s.rows)/float64(s.rowsOf))
	case s.rowsOf < 0 && s.bytesOf > 0:
		return min(1, float64(s.bytes)/float64(s.bytesOf))
	}
	return -1
}

// line returns the longest form of the line that fits into width columns; the shortest is a percentage.
func (s progressState) line(width int) string {
	rows, read := humanize.Comma(s.rows)+" rows", humanize.IBytes(uint64(max(s.bytes, 0)))+" read"
	rate := ""
	if s.took >= time.Second && s.rows > 0 {
		rate = ", " + humanize.Comma(int64(float64(s.rows)/s.took.Seconds())) + " rows/s"
	}
	share := s.share()
	if s.rows == 0 && s.rowsOf < 0 { // of what is counted in bytes alone
		rows, read = read, ""
	} else {
		read = ", " + read
	}
	if share < 0 {
		return firstFitting(width, s.what+": "+rows+read+rate, s.what+": "+rows+read, s.what+": "+rows, rows)
	}
	percent, left := fmt.Sprintf("%3d%%", int(share*100)), ""
	if s.took >= time.Second && share > 0 {
		rest := time.Duration(float64(s.took) * (1 - share) / share).Round(time.Second)
		left = fmt.Sprintf(", %d:%02d left", int(rest.Minutes()), int(rest.Seconds())%60)
	}
	bar := func(n int) string {
		done := int(share * float64(n))
		return " [" + strings.Repeat("#", done) + strings.Repeat(" ", n-done) + "] "
	}
	of := rows
	if s.rowsOf > 0 {
		of = humanize.Comma(s.rows) + " of " + humanize.Comma(s.rowsOf) + " rows"
	}
	return firstFitting(
		width, s.what+" "+percent+bar(20)+of+rate+read+left, s.what+" "+percent+bar(20)+of+rate+left, s.what+" "+percent+bar(10)+rows+left,
		s.what+" "+percent+bar(10)+rows, s.what+" "+strings.TrimRight(percent+bar(10), " "), s.what+" "+percent, strings.TrimSpace(percent),
	)
}

// firstFitting returns the first of lines that fits, or the last one clipped.
func firstFitting(width int, lines ...string) string {
	for _, line := range lines {
		if displayWidth(line) <= width {
			return line
		}
	}
	return clip(lines[len(lines)-1], max(width, 1))
}

// set sets how many rows are done.
func (p *progress) set(rows int64) {
	if p != nil {
		p.rows.Store(rows)
	}
}

// aside removes the bar while print writes to the same terminal; the next tick draws it again.
func (p *progress) aside(print func()) {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.clear()
	}
	print()
}

// stop removes the bar and waits for its goroutine. It may be called twice.
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
