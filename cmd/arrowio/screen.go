package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// screen is the size of a terminal in characters.
type screen struct{ width, height int }

// Minimum and maximum width of text.
const (
	narrowest = 40
	widest    = 200
)

// layout returns the width for text on s; 0 = no limit, because s is not a terminal.
func (s screen) layout() int {
	if s.width == 0 {
		return 0
	}
	return min(max(s.width, narrowest), widest)
}

// terminalSize returns the size of w if it is a terminal.
func terminalSize(w io.Writer) (s screen, ok bool) {
	f, isFile := bare(w).(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return screen{}, false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return screen{80, 24}, true
	}
	return screen{width, height}, true
}

// sheet prints text for people, wrapped to the width of the terminal.
type sheet struct {
	io.Writer
	width int // of its lines, at most; 0 = no bound
}

// onErrors writes to standard error.
func (a *app) onErrors() sheet {
	s, _ := a.terminal(a.stderr)
	return sheet{a.stderr, s.layout()}
}

// onSheet returns a sheet on w, with the width of standard output.
func (a *app) onSheet(w io.Writer) sheet { return sheet{w, a.lineWidth()} }

// line prints text after a prefix, and wraps it with an indent if it is too wide. It returns no error: the writer is a buffer,
// or returns the error again later.
func (w sheet) line(prefix, indent, text string) {
	if w.width == 0 {
		fmt.Fprintf(w, "%s%s\n", prefix, text)
		return
	}
	if id := idWidth(text); id > w.width-displayWidth(indent) {
		indent = strings.Repeat(" ", w.width-id)
	}
	room := w.width - displayWidth(indent)
	if room < w.width/3 {
		room = w.width / 3
	}
	for i, part := range wrapWidth(text, room, w.width-displayWidth(prefix)) {
		if i > 0 {
			prefix = indent
		}
		fmt.Fprintf(w, "%s%s\n", prefix, part)
	}
}

// printLine prints a line, wrapped if the output is a terminal.
func (w sheet) printLine(text string) error {
	var b strings.Builder
	sheet{&b, w.width}.line("", "  ", printable(text))
	_, err := io.WriteString(w, b.String())
	return err
}

// wrapWidth breaks text into lines of at most width columns, and the first into at most first, at spaces if possible.
func wrapWidth(text string, width, first int) []string {
	var lines []string
	room := max(first, 1)
	for displayWidth(text) > room {
		cut, space, used := 0, 0, 0
		for i, r := range text {
			n := displayWidth(string(r))
			if used+n > room {
				if r == ' ' {
					space = i
				}
				break
			}
			if r == ' ' && i > 0 {
				space = i
			}
			used += n
			cut = i + utf8.RuneLen(r)
		}
		word, _, _ := strings.Cut(text, " ")
		if space > 0 {
			cut = space
		} else if room < width && displayWidth(word) <= width { // the next line has room for it
			cut = 0
		} else if cut == 0 { // not even a character
			_, cut = utf8.DecodeRuneInString(text)
		}
		lines = append(lines, text[:cut])
		text = strings.TrimLeft(text[cut:], " ")
		room = max(width, 1)
	}
	if text != "" || len(lines) == 0 {
		lines = append(lines, text)
	}
	return lines
}

// lineWidth returns the width of tables and text on standard output; 0 = no limit.
func (a *app) lineWidth() int {
	s, _ := a.terminal(a.stdout)
	return s.layout()
}
