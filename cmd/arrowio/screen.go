package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// screen is the size of a terminal in characters.
type screen struct{ width, height int }

// The narrowest and the widest that text is laid out for.
const (
	narrowest = 40
	widest    = 200
)

// layout is how wide text made for s may be: 0 = as wide as it is, where there is no terminal.
func (s screen) layout() int {
	if s.width == 0 {
		return 0
	}
	return min(max(s.width, narrowest), widest)
}

// terminalSize returns the size of w if it is a terminal.
func terminalSize(w io.Writer) (s screen, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return screen{}, false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return screen{80, 24}, true
	}
	return screen{width, height}, true
}

// lineWidth is how wide the lines of tables and texts on standard output may be; 0 = no bound.
func (a *app) lineWidth() int {
	s, _ := a.terminal(a.stdout)
	return s.layout()
}
