//go:build interop

package kudu_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func variable(t *testing.T, name string) string {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		t.Fatalf("%s is not set: make interop does", name)
	}
	return v
}

// patience is how long a program may take.
const patience = 4 * time.Minute

// try runs a program, and returns what it printed.
func try(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience) // servers are stopped after the test's own context has ended
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := try(t, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return out
}

func command(t *testing.T, args ...string) string {
	t.Helper()
	return run(t, variable(t, "ARROWIO_BIN"), args...)
}

// server is a real Kudu with its state in a directory, and the Java client that talks to it.
type server struct {
	dir, manager string
	more         bool // it has two data directories, one of metadata, and sets space aside, as servers do
	runs         bool
	client       *client
}

func newServer(t *testing.T, manager, dir string) *server {
	t.Helper()
	s := &server{dir: dir, manager: manager}
	t.Cleanup(func() {
		if s.runs {
			s.stop(t)
		}
	})
	return s
}

func (s *server) start(t *testing.T) {
	t.Helper()
	args := []string{"start", s.dir, s.manager}
	if s.more {
		args = append(append(args, s.places()...), "--log_preallocate_segments=true", "--log_container_preallocate_bytes=33554432")
	}
	run(t, variable(t, "ARROWIO_KUDU"), args...)
	s.runs = true
	if s.client == nil {
		s.client = newClient(t)
	}
	s.client.do(t, "open", s.dir)
}

// stop ends the server, which flushes nothing.
func (s *server) stop(t *testing.T) {
	t.Helper()
	s.runs = false
	run(t, variable(t, "ARROWIO_KUDU"), "stop", s.dir)
}

func (s *server) wal() string  { return filepath.Join(s.dir, "wal") }
func (s *server) data() string { return filepath.Join(s.dir, "data") }

// metadata has the superblocks.
func (s *server) metadata() string {
	if s.more {
		return filepath.Join(s.dir, "metadata")
	}
	return s.wal()
}

// places are Kudu's flags that say where everything is.
func (s *server) places() []string {
	args := []string{"--fs_wal_dir=" + s.wal(), "--fs_data_dirs=" + s.data()}
	if s.more {
		args[1] += "," + filepath.Join(s.dir, "data2")
		args = append(args, "--fs_metadata_dir="+s.metadata())
	}
	return args
}

// tool runs Kudu's own tool on the directories.
func (s *server) tool(t *testing.T, args ...string) string {
	t.Helper()
	return run(t, variable(t, "ARROWIO_KUDU"), append(append(append([]string{"tool"}, args...), s.places()...), "--block_manager="+s.manager)...)
}

// check has Kudu look at its directories: it must find every block that is named, and, unless something was ended halfway,
// none that nothing names.
func (s *server) check(t *testing.T, halfway bool) {
	t.Helper()
	out := s.tool(t, "fs", "check")
	for _, zero := range []string{"Total missing blocks: 0", "Total orphaned blocks: 0"} {
		if !strings.Contains(out, zero) && !(halfway && strings.Contains(zero, "orphaned")) {
			t.Fatalf("fs check says nothing of %q:\n%s", zero, out)
		}
	}
}

// importing is the command line that puts a set into a tablet.
func (s *server) importing(set, tablet string, flags ...string) []string {
	args := []string{"kudu", "import", set, "--progress", "never", "--wal-dir", s.wal(), "--data-dir", s.data(), "--tablet", tablet}
	if s.more {
		args = append(args, "--data-dir", filepath.Join(s.dir, "data2"), "--metadata-dir", s.metadata())
	}
	return append(args, flags...)
}

// refuses tries to put a set into a tablet: it must fail, say why, and change nothing.
func (s *server) refuses(t *testing.T, why, set, tablet string, flags ...string) {
	t.Helper()
	before := tree(t, s.dir)
	out, err := try(t, variable(t, "ARROWIO_BIN"), s.importing(set, tablet, flags...)...)
	if err == nil || !strings.Contains(out, why) {
		t.Errorf("%v, not %q: %s", err, why, out)
	}
	// A server that runs writes what it likes.
	if after := tree(t, s.dir); !s.runs && after != before {
		t.Errorf("refused, %q, but the directory has changed:\n%s\nbefore:\n%s", why, after, before)
	}
}

// tree describes all files of a directory: name, size, time of the last change. Logs of what programs say are left out.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, i os.FileInfo, err error) error {
		if err == nil && i.Mode().IsRegular() && filepath.Dir(path) != dir {
			rel, _ := filepath.Rel(dir, path)
			fmt.Fprintln(&b, rel, i.Size(), i.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// client is a program of Kudu's Java client that does what it is told: see kudu-judge.
type client struct {
	in    io.WriteCloser
	lines chan string
}

func newClient(t *testing.T) *client {
	t.Helper()
	cmd := exec.Command("java", "-Xmx1g", "-XX:+UseSerialGC", "-jar", variable(t, "ARROWIO_KUDU_JUDGE_JAR"), "session")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &client{in: in, lines: make(chan string)}
	done := make(chan struct{})
	go func() {
		defer close(c.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			select {
			case c.lines <- s.Text():
			case <-done:
				return
			}
		}
	}()
	t.Cleanup(func() {
		close(done)
		in.Close()
		if err := cmd.Process.Kill(); err != nil {
			t.Log(err)
		}
		_ = cmd.Wait() // it was killed
	})
	return c
}

// do gives a command, and returns the words of the answer.
func (c *client) do(t *testing.T, words ...string) []string {
	t.Helper()
	start := time.Now()
	if _, err := fmt.Fprintln(c.in, strings.Join(words, "\t")); err != nil {
		t.Fatal(err)
	}
	select {
	case line, ok := <-c.lines:
		word, rest, _ := strings.Cut(line, "\t")
		if !ok || word != "ok" {
			t.Fatalf("%.100s: %.1000s", strings.Join(words, " "), line)
		}
		if d := time.Since(start); d > 3*time.Second {
			t.Logf("%.60s: %.1f s", strings.Join(words, " "), d.Seconds())
		}
		return strings.Split(rest, "\t")
	case <-time.After(patience):
		t.Fatalf("%.100s: no answer", strings.Join(words, " "))
	}
	return nil
}

// scan compares the rows of a table with what they should be.
func (c *client) scan(t *testing.T, m *model) {
	t.Helper()
	sample := filepath.Join(t.TempDir(), "sample")
	got := c.do(t, "scan", m.table.name, strconv.Itoa(sampling), sample)
	m.compare(t, got[0], got[1], readLines(t, sample))
}

func writeLines(t *testing.T, lines []string) string {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "lines")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for _, l := range lines {
		w.WriteString(l)
		w.WriteByte('\n')
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

func readLines(t *testing.T, name string) []string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}
