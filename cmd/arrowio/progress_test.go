package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// lockedBuffer is a bytes.Buffer for two goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// waitFor waits until text shows up.
func waitFor(t *testing.T, b *lockedBuffer, text string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(b.String(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %q in %q", text, b.String())
		}
	}
}

func TestProgressBar(t *testing.T) {
	for _, c := range []struct {
		name  string
		work  work
		parts []string
	}{
		{"rows are known", work{rows: 1000, bytes: 4096}, []string{"convert  50% [##########          ] 500 of 1,000 rows, 2.0 KiB read"}},
		{"rows are not", work{rows: -1, bytes: 4096}, []string{"convert  50% [##########          ] 500 rows, 2.0 KiB read"}},
		{"nothing is", work{rows: -1}, []string{"convert: 500 rows, 2.0 KiB read"}},
	} {
		var out lockedBuffer
		a := newApp(t.Context(), nil, nil, &out)
		c.work.read = func() int64 { return 2048 }
		p := a.startProgress("always", "convert", c.work)
		p.set(500)
		for _, part := range c.parts {
			waitFor(t, &out, part)
		}
		p.aside(func() { out.Write([]byte("a line\n")) })
		p.stop()
		p.stop()
		before := out.String()
		if !strings.HasSuffix(before, "\r") {
			t.Errorf("%s: the bar is still there: %q", c.name, before)
		}
		if strings.Contains(before, "\n") && !strings.Contains(before, "\ra line\n") {
			t.Errorf("%s: a line behind the bar: %q", c.name, before)
		}
		t.Logf("%s: %q", c.name, before)
	}
}

// The line fits every terminal, and tells the more the wider that is.
func TestProgressLine(t *testing.T) {
	known := progressState{what: "convert", rows: 1_234_567, rowsOf: 2_469_134, bytes: 1 << 30, bytesOf: 1 << 31, took: 90 * time.Second}
	filter := known
	filter.rowsOf = -1
	stream := progressState{what: "convert", rows: 1_234_567, rowsOf: -1, bytes: 1 << 30, took: 90 * time.Second}
	for _, c := range []struct {
		s     progressState
		width int
		want  string
	}{
		{known, 119, "convert  50% [##########          ] 1,234,567 of 2,469,134 rows, 13,717 rows/s, 1.0 GiB read, 1:30 left"},
		{known, 100, "convert  50% [##########          ] 1,234,567 of 2,469,134 rows, 13,717 rows/s, 1:30 left"},
		{known, 79, "convert  50% [#####     ] 1,234,567 rows, 1:30 left"},
		{known, 40, "convert  50% [#####     ] 1,234,567 rows"},
		{known, 39, "convert  50% [#####     ]"},
		{known, 20, "convert  50%"},
		{known, 8, "50%"},
		{filter, 119, "convert  50% [##########          ] 1,234,567 rows, 13,717 rows/s, 1.0 GiB read, 1:30 left"},
		{progressState{what: "import", rowsOf: -1, bytes: 1 << 20, bytesOf: 1 << 21}, 79, "import  50% [##########          ] 1.0 MiB read"},
		{stream, 79, "convert: 1,234,567 rows, 1.0 GiB read, 13,717 rows/s"},
		{stream, 39, "convert: 1,234,567 rows, 1.0 GiB read"},
		{stream, 15, "1,234,567 rows"},
		{stream, 5, "1,23…"},
		{progressState{what: "sort", rows: 0, rowsOf: 0}, 79, "sort: 0 rows, 0 B read"},
	} {
		got := c.s.line(c.width)
		if got != c.want || displayWidth(got) > c.width {
			t.Errorf("%d columns: %q, want %q", c.width, got, c.want)
		}
	}
	for width := 1; width < 200; width++ {
		for _, s := range []progressState{known, filter, stream} {
			if got := s.line(width); displayWidth(got) > width {
				t.Errorf("%d columns: %q", width, got)
			}
		}
	}
}

func TestNoProgress(t *testing.T) {
	var out lockedBuffer
	a := newApp(t.Context(), nil, nil, &out)
	for _, mode := range []string{"never", "auto"} {
		p := a.startProgress(mode, "x", work{})
		p.set(1)
		p.aside(func() {})
		p.stop()
	}
	if out.String() != "" {
		t.Errorf("%q", out.String())
	}
}

// onTerminal runs the program with standard output and error on a terminal of a width.
func onTerminal(t *testing.T, width int, args ...string) outcome {
	t.Helper()
	return onScreen(t, screen{width, 1000}, args...)
}

// onScreen is onTerminal for a screen of a size.
func onScreen(t *testing.T, size screen, args ...string) outcome {
	t.Helper()
	var out, errs lockedBuffer
	a := newApp(t.Context(), strings.NewReader(""), &out, &errs)
	a.terminal = func(io.Writer) (screen, bool) { return size, true }
	code := a.run(t.Context(), args)
	return outcome{code, out.String(), errs.String()}
}

func TestTerminal(t *testing.T) {
	dir := t.TempDir()
	in := peopleFile(t, dir, "in.arrow", 0, 20)
	for _, format := range []string{"ipc", "ipc-stream", "trevni", "avro", "parquet"} {
		fails(t, onTerminal(t, 120, "convert", "--to", format, in, "-"), 2, format, "terminal")
	}
	if o := onTerminal(t, 80, "convert", "--to", "csv", "--columns", "id", "--rows", "0:2", in, "-"); o.code != 0 || o.out != "id\n0\n1\n" {
		t.Errorf("%+v", o)
	}
	o := onTerminal(t, 40, "cat", "--progress", "always", in)
	if o.code != 0 || o.err != "" {
		t.Errorf("%+v", o)
	}
	for line := range strings.Lines(o.out) {
		if n := displayWidth(strings.TrimSuffix(line, "\n")); n > 40 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	o = onTerminal(t, 80, "convert", in, filepath.Join(dir, "out.arrow"))
	if o.code != 0 || o.out != "" || !strings.Contains(o.err, "20 rows") {
		t.Errorf("%+v", o)
	}
}
