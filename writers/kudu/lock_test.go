//go:build unix

package kudu

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func init() { lockChild = lockAsKuduDoes }

// lockAsKuduDoes is what a process of the tests does: it locks all of a file for writing by fcntl, says whether it could,
// and waits for the end of its input.
func lockAsKuduDoes(path string) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err == nil {
		err = syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK})
	}
	fmt.Printf("lock: %v\n", err)
	if err == nil {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	}
}

// startLocker starts a process that locks a file as a server does, and returns what it says and how to end it.
func startLocker(t *testing.T, path string) (said string, pid int, end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), lockVariable+"="+path)
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
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	ended := false
	end = func() {
		if ended {
			return
		}
		ended = true
		timer.Stop()
		_ = in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(end)
	for s := bufio.NewScanner(out); s.Scan(); {
		if text, ok := strings.CutPrefix(s.Text(), "lock: "); ok {
			return text, cmd.Process.Pid, end
		}
	}
	t.Fatal("the process said nothing")
	return "", 0, nil
}

// TestLocks: what a server locks keeps an import away, and what an import locks keeps a server away.
func TestLocks(t *testing.T) {
	for _, manager := range managers {
		s := newServer(t, manager)
		b := s.tablet("changed")
		set := setFor(t, b, span(5000, 20, 1))
		path := s.path("data", "data", lockName)
		said, pid, end := startLocker(t, path)
		if said != "<nil>" {
			t.Fatal(said)
		}
		o := s.options(set, b.TabletID)
		o.Force = true
		for _, dry := range []bool{false, true} {
			o.DryRun = dry
			s.refuses(o, ErrRunning, path, fmt.Sprintf("process %d", pid))
			var e *errs.Error
			var p *fs.PathError
			if _, err := Import(t.Context(), o); errors.As(err, &e) || !errors.As(err, &p) {
				t.Errorf("%v is no error of the system", err)
			}
		}
		end()

		locked := 0
		o.DryRun = false
		o.ops.hook = func(op, _ string) error {
			if op == "rename" && locked == 0 {
				locked++
				if said, _, end := startLocker(t, path); said == "<nil>" {
					end()
					t.Error("a server could have started")
				}
				if _, err := Import(t.Context(), s.options(set, b.TabletID)); !errors.Is(err, ErrRunning) {
					t.Errorf("another import at the same time: %v", err)
				}
			}
			return nil
		}
		if _, err := Import(t.Context(), o); err != nil || locked == 0 {
			t.Error(err)
		}
		if said, _, end := startLocker(t, path); said != "<nil>" {
			t.Errorf("after the import: %s", said)
		} else {
			end()
		}
	}
}

// TestDryRunsTogether: they need no more than to read, and do not disturb each other.
func TestDryRunsTogether(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, lockName)
	if err := os.WriteFile(path, []byte("x"), 0o400); err != nil {
		t.Fatal(err)
	}
	a, err := lockDir(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	b, err := lockDir(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	if said, _, end := startLocker(t, path); said == "<nil>" {
		end()
		t.Error("a server could have started")
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
}

// TestOwner: new files belong to whom the directory belongs to, with its permissions.
func TestOwner(t *testing.T) {
	for _, manager := range managers {
		s := newServer(t, manager)
		b := s.tablet("changed")
		uid, gid := os.Getuid(), os.Getgid()
		if uid == 0 {
			uid, gid = 12345, 23456
		}
		err := filepath.WalkDir(s.root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				err = os.Chmod(path, 0o750)
			}
			return errors.Join(err, os.Lchown(path, uid, gid))
		})
		if err != nil {
			t.Fatal(err)
		}
		before := contents(t, s.root)
		s.imports(setFor(t, b, span(5000, 20, 1)), b.TabletID)
		n := 0
		for name := range contents(t, s.root) {
			if _, old := before[name]; old && name != filepath.Join("wal", "tablet-meta", b.TabletID) {
				continue
			}
			n++
			fi, err := os.Stat(s.path(name))
			if err != nil {
				t.Fatal(err)
			}
			st := fi.Sys().(*syscall.Stat_t)
			want := fs.FileMode(0o640)
			if fi.IsDir() {
				want = 0o750
			}
			if strings.Contains(name, "tablet-meta") {
				old, err := os.Stat(s.path("wal", "tablet-meta", s.tablet("merged").TabletID))
				if err != nil {
					t.Fatal(err)
				}
				want = old.Mode().Perm() // as the superblock's was
			}
			if int(st.Uid) != uid || int(st.Gid) != gid || fi.Mode().Perm() != want {
				t.Errorf("%s is of %d:%d, %v, not %v", name, st.Uid, st.Gid, fi.Mode(), want)
			}
		}
		if n < 4 {
			t.Errorf("%d new files", n)
		}
	}
}
