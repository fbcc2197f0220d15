//go:build interop

package kudu_test

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// kills is how many imports are killed, of both block managers together.
const kills = 100

// TestKilled kills imports at random moments. The tablet must be what it was before, or have all rows of the set, whoever
// looks: arrowio, Kudu's tool, and, of every tenth, a server, or of all of them where ARROWIO_KUDU_KILLS is set.
func TestKilled(t *testing.T) {
	every := 10
	if os.Getenv("ARROWIO_KUDU_KILLS") != "" {
		every = 1
	}
	x, other := small("victim", 20_000), small("other", 20_000) // the other one must not notice
	source, all := x.source(t)
	set := x.set(t, source)
	for _, manager := range []string{"file", "log"} {
		t.Run(manager, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, manager, filepath.Join(t.TempDir(), "server"))
			s.start(t)
			tablet := s.create(t, x)[0]
			s.create(t, other)
			before, beside := newModel(x), newModel(other)
			for _, m := range []*model{before, beside} {
				s.client.insert(t, m, evens(x.rows, 300))
			}
			s.client.do(t, "flush")
			s.client.do(t, "hold")
			s.client.insert(t, before, evens(x.rows+300, 50))
			s.stop(t)
			after := before.clone()
			after.rows += all.rows
			after.sum += all.sum
			for l := range all.sample {
				after.sample[l] = true
			}

			// How long it takes, when nobody interferes.
			var took []time.Duration
			for range 3 {
				c := s.copy(t)
				start := time.Now()
				command(t, c.importing(set, tablet)...)
				took = append(took, time.Since(start))
				c.read(t, after)
			}
			slices.Sort(took)
			r := rand.New(rand.NewSource(time.Now().UnixNano()))
			done := 0
			for k := range kills / 2 {
				c := s.copy(t)
				when := c.kill(t, k, r, took[1], c.importing(set, tablet))
				now := before
				if len(c.rowsets(t, tablet)) > len(s.rowsets(t, tablet)) {
					now = after
					done++
				}
				t.Run(fmt.Sprint(k), func(t *testing.T) {
					t.Logf("killed %s", when)
					c.check(t, true)
					c.read(t, now)
					if k%5 == 0 && now == before {
						command(t, c.importing(set, tablet)...) // what the other left does not matter
						c.read(t, after)
						now = after
					}
					if k%every == 0 {
						c.start(t)
						c.client.scan(t, now)
						c.client.scan(t, beside)
						c.client.insert(t, beside.clone(), evens(x.rows+1000, 10))
						c.stop(t)
						c.read(t, now)
					}
				})
				if err := os.RemoveAll(c.dir); err != nil {
					t.Error(err)
				}
			}
			t.Logf("%d of %d kills left the old rows, %d the new ones", kills/2-done, kills/2, done)
		})
	}
}

// kill runs a command and kills it: the first time any time while it is expected to run, the second time as blocks are
// written, the third time as the superblock is.
func (s *server) kill(t *testing.T, k int, r *rand.Rand, expected time.Duration, args []string) string {
	t.Helper()
	watched, wait := "", time.Duration(r.Int63n(int64(expected)))
	switch k % 3 {
	case 1:
		watched, wait = s.data(), wait/4
	case 2:
		watched, wait = filepath.Join(s.metadata(), "tablet-meta"), wait/16
	}
	before := 0
	if watched != "" {
		before = files(watched)
	}
	cmd := exec.Command(variable(t, "ARROWIO_BIN"), args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed, or has ended before
		close(ended)
	}()
	alive := true
	for watched != "" && alive && files(watched) == before {
		select {
		case <-ended:
			alive = false
		default:
		}
	}
	time.Sleep(wait)
	_ = cmd.Process.Kill()
	<-ended
	return fmt.Sprintf("%s after a change of %q", wait, filepath.Base(watched))
}

// files counts what there is below a directory.
func files(dir string) (n int) {
	_ = filepath.WalkDir(dir, func(string, os.DirEntry, error) error { // what goes meanwhile does not matter
		n++
		return nil
	})
	return n
}

// copy returns the same server in another directory. It must not run.
func (s *server) copy(t *testing.T) *server {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	run(t, "cp", "-a", s.dir, dir)
	c := newServer(t, s.manager, dir)
	c.client = s.client
	return c
}
