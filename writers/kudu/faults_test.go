package kudu

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// What a process of the tests is to do: lock a file, or import.
const (
	lockVariable   = "ARROWIO_TEST_LOCK"   // which file
	importVariable = "ARROWIO_TEST_IMPORT" // set, server and tablet
)

// lockChild locks a file as a server does; nil where there is no such thing.
var lockChild func(path string)

func TestMain(m *testing.M) {
	if path := os.Getenv(lockVariable); path != "" {
		lockChild(path)
		return
	}
	if x := strings.Split(os.Getenv(importVariable), "\n"); len(x) == 3 {
		o := ImportOptions{ops: operations{quick: true}, Set: x[0], Wal: filepath.Join(x[1], "wal"), Data: []string{filepath.Join(x[1], "data")}, Tablet: x[2]}
		if _, err := Import(context.Background(), o); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

var errFault = errors.New("as the test wants it")

// failsAt lets the n-th operation fail, and with those from the m-th on.
func failsAt(n, m int) (hook func(op, path string) error, count *int) {
	count = new(int)
	return func(string, string) error {
		*count++
		if *count == n || *count >= m {
			return errFault
		}
		return nil
	}, count
}

const never = 1 << 30

// TestFaults lets every operation fail, one after the other: the tablet is what it was, and nothing is left behind.
// What fails behind the last step leaves the new tablet.
func TestFaults(t *testing.T) {
	for _, manager := range managers {
		t.Run(manager, func(t *testing.T) {
			s := newServer(t, manager)
			b := s.tablet("changed")
			set := newSet(t, "changed", columnsOf(b.Schema, "id", "word", "flag")...)
			set.add(someRows(set.columns, span(5000, 40, 1)...))
			old := s.rows("changed")
			before := contents(t, s.root)
			for n := 1; ; n += (sampled + 1) / 2 {
				o := s.options(set, b.TabletID)
				var count *int
				o.ops.hook, count = failsAt(n, never)
				r, err := Import(t.Context(), o)
				if err == nil {
					if *count >= n {
						t.Errorf("operation %d failed, and nobody noticed", n)
					}
					t.Logf("%d operations", *count)
					break
				}
				if !errors.Is(err, errFault) {
					t.Errorf("operation %d: %v", n, err)
				}
				if err := s.startable(); err != nil {
					t.Errorf("operation %d: %v", n, err)
				}
				if r.Done {
					s.hasRows("changed", old, set)
					s = newServer(t, manager)
					continue
				}
				after := contents(t, s.root)
				for name, x := range after {
					if before[name] != x {
						t.Errorf("operation %d: %s", n, name)
					}
				}
				if len(after) != len(before) {
					t.Errorf("operation %d: %d files, %d before", n, len(after), len(before))
				}
			}
			s.hasRows("changed", old, set)
		})
	}
}

// TestCrashes stops at every operation, as a killed process does, and at every operation of taking back what was done: a
// server would start, and have the old tablet or the new one.
func TestCrashes(t *testing.T) {
	t.Parallel()
	for _, manager := range managers {
		t.Run(manager, func(t *testing.T) {
			s := newServer(t, manager)
			b := s.tablet("changed")
			set := newSet(t, "changed", columnsOf(b.Schema, "id", "word", "flag")...)
			set.add(someRows(set.columns, span(5000, 10, 1)...))
			old := s.rows("changed")
			outcomes := map[bool]int{}
			try := func(n, m int) (more bool) {
				s := newServer(t, manager)
				defer os.RemoveAll(s.root)
				o := s.options(set, b.TabletID)
				var count *int
				o.ops.hook, count = failsAt(n, m)
				_, err := Import(t.Context(), o)
				if err := s.startable(); err != nil {
					t.Errorf("%d, %d: %v", n, m, err)
				}
				rows := len(s.rows("changed"))
				if rows != len(old) && rows != len(old)+10 {
					t.Errorf("%d, %d: %d rows", n, m, rows)
				}
				outcomes[rows > len(old)]++
				if n+m&3 != 0 && m < never {
					return err != nil && *count >= m
				}
				if _, err := Import(t.Context(), s.options(set, b.TabletID)); err == nil == (rows > len(old)) { // and goes on from there
					t.Errorf("%d, %d: again: %v", n, m, err)
				}
				return err != nil && *count >= m
			}
			n := 1
			for try(never, n) {
				n += sampled
			}
			for _, at := range []int{n / 2, n - 8, n - 3} {
				for m := at + 1; try(at, m); m += 2 * sampled {
				}
			}
			if outcomes[false] < 20/sampled || outcomes[true] < 1 {
				t.Errorf("%v", outcomes)
			}
		})
	}
}

// TestKilled kills processes that import, at any time: the tablet is the old one or the new one, and a server would start.
func TestKilled(t *testing.T) {
	kills := 100 / sampled
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, manager := range managers {
		s := newServer(t, manager)
		b := s.tablet("changed")
		old := s.rows("changed")
		set := newSet(t, "changed", columnsOf(b.Schema)...)
		for i := range 8 {
			set.add(someRows(set.columns, span(5000+int64(i)*1000, 400, 1)...))
		}
		start := func(root string) *exec.Cmd {
			cmd := exec.Command(exe)
			cmd.Env = append(os.Environ(), importVariable+"="+strings.Join([]string{set.dir, root, b.TabletID}, "\n"))
			if err := cmd.Start(); err != nil {
				t.Error(err)
			}
			return cmd
		}
		began := time.Now()
		if err := start(s.root).Wait(); err != nil {
			t.Fatal(err)
		}
		whole := time.Since(began)
		s.hasRows("changed", old, set)
		all := s.rows("changed")

		// How long a process takes changes with what else the machine does: the range of times follows what was hit.
		var left, during, done, limit atomic.Int64
		limit.Store(int64(whole))
		r := rand.New(rand.NewSource(1))
		try := func(i int, when float64) error {
			s := newServer(t, manager)
			root := s.root
			defer os.RemoveAll(root)
			files := contents(t, root)
			cmd := start(root)
			time.Sleep(time.Duration(when * float64(limit.Load())))
			_ = cmd.Process.Kill() // it may have ended
			_ = cmd.Wait()
			if err := s.startable(); err != nil {
				return fmt.Errorf("kill %d: %w", i, err)
			}
			rows, err := readRows(root, "changed")
			switch {
			case err != nil:
				return fmt.Errorf("kill %d: %w", i, err)
			case slices.Equal(rows, all):
				done.Add(1)
				limit.Store(limit.Load() * 4 / 5)
			case slices.Equal(rows, old):
				left.Add(1)
				limit.Store(limit.Load() * 5 / 4)
				if len(contents(t, root)) > len(files) {
					during.Add(1)
				}
			default:
				return fmt.Errorf("kill %d: %d rows", i, len(rows))
			}
			return nil
		}
		var g errgroup.Group
		g.SetLimit(2)
		for i := range kills / 2 {
			when := r.Float64()
			g.Go(func() error { return try(i, when) })
		}
		err := g.Wait()
		for i := kills / 2; err == nil && left.Load() == 0; i++ { // all were quicker than the first: the range ends at 0
			err = try(i, r.Float64())
		}
		if err != nil {
			t.Error(err)
		}
		t.Logf("%s: %d processes came to their end, %d were killed before, %d while writing", manager, done.Load(), left.Load(), during.Load())
	}
}
