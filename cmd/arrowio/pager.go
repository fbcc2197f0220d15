package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
)

// pager is standard output; it starts a pager when the output does not fit the screen.
type pager struct {
	out     io.Writer
	command []string
	screen  screen

	held  bytes.Buffer // what fits the screen so far
	lines int
	cmd   *exec.Cmd // nil = not started
	in    io.WriteCloser
	plain bool // it cannot be started: standard output it is
	ended bool
}

// errPagerLeft means that the user left the pager before all output was written.
var errPagerLeft = errors.New("the pager was left")

// page returns the writer for rows: standard output, through a pager if it is a terminal.
func (a *app) page(f *showFlags) io.Writer {
	s, tty := a.terminal(a.stdout)
	command := pagerCommand(os.Getenv, exec.LookPath)
	if !tty || f.noPager || command == nil {
		return a.stdout
	}
	return &pager{out: a.stdout, command: command, screen: s}
}

// pagerCommand returns the command in $PAGER, or less if that is not set; nil = none.
func pagerCommand(getenv func(string) string, look func(string) (string, error)) []string {
	value := strings.TrimSpace(getenv("PAGER"))
	switch {
	case value == "cat":
		return nil
	case strings.ContainsAny(value, " \t|&;<>()$`\\\"'*?[#~=%"):
		return []string{"sh", "-c", value}
	case value != "" && value != "less":
		return []string{value}
	}
	if _, err := look("less"); err != nil {
		return nil
	}
	if getenv("LESS") != "" {
		return []string{"less"}
	}
	return []string{"less", "-FRX"}
}

// Write keeps p until it is known whether all output fits the screen.
func (p *pager) Write(b []byte) (int, error) {
	switch {
	case p.cmd != nil:
		return p.send(b)
	case p.plain:
		return p.out.Write(b)
	}
	p.held.Write(b)
	p.lines += p.linesOf(b)
	if p.lines >= p.screen.height { // a line is the shell's
		p.start()
		held := p.held.Bytes()
		p.held = bytes.Buffer{}
		if p.plain {
			_, err := p.out.Write(held)
			return len(b), err
		}
		_, err := p.send(held)
		return len(b), err
	}
	return len(b), nil
}

// linesOf estimates the lines that text takes on the screen; it counts bytes as characters.
func (p *pager) linesOf(b []byte) int {
	n := bytes.Count(b, []byte{'\n'})
	for line := range bytes.Lines(b) {
		if runes := len(line) / 3; runes > p.screen.width { // no character takes more bytes and is seen
			n += runes / p.screen.width
		}
	}
	return n
}

func (p *pager) start() {
	cmd := exec.Command(p.command[0], p.command[1:]...)
	cmd.Stdout, cmd.Stderr = bare(p.out), os.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.plain = true
		return
	}
	// An interrupt is for the pager from here on: leaving it ends this program.
	signal.Ignore(os.Interrupt)
	p.cmd, p.in = cmd, in
}

func (p *pager) send(b []byte) (int, error) {
	n, err := p.in.Write(b)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		err = errPagerLeft
	}
	return n, err
}

// Close prints what was kept, or waits until the user leaves the pager. It may be called twice.
func (p *pager) Close() error {
	if p.ended {
		return nil
	}
	p.ended = true
	if p.cmd == nil {
		_, err := p.out.Write(p.held.Bytes())
		return err
	}
	_ = p.in.Close()
	_ = p.cmd.Wait() // how it ended is its own affair
	return nil
}

// pagerLeft returns err, or nil if err only says that the user left the pager.
func pagerLeft(err error) error {
	if errors.Is(err, errPagerLeft) {
		return nil
	}
	return err
}
