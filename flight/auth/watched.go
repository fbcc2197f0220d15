package auth

import (
	"log/slog"
	"os"
	"sync"
	"time"
)

// watched is what was loaded from files, and is loaded again when they change.
type watched[T any] struct {
	paths  []string
	load   func() (T, error)
	logger *slog.Logger

	mu      sync.Mutex
	value   T
	seen    []os.FileInfo
	checked time.Time
}

// watchEvery is how often files are looked at.
const watchEvery = time.Second

func (w *watched[T]) reload() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.again()
}

// renew loads the files whether they changed or not, and logs how that went. What cannot be used changes nothing.
func (w *watched[T]) renew() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.renewLocked()
}

func (w *watched[T]) renewLocked() {
	if err := w.again(); err != nil {
		w.logger.Error("cannot be used; what was loaded before stays in use", "files", w.paths, "error", err.Error())
	} else {
		w.logger.Info("loaded again", "files", w.paths)
	}
}

func (w *watched[T]) again() error {
	seen := w.stat() // before they are read: what is written meanwhile is seen the next time
	v, err := w.load()
	w.checked, w.seen = time.Now(), seen
	if err == nil {
		w.value = v
	}
	return err
}

func (w *watched[T]) get() T {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.checked) < watchEvery {
		return w.value
	}
	w.checked = time.Now()
	if w.changed() {
		w.renewLocked()
	}
	return w.value
}

func (w *watched[T]) stat() []os.FileInfo {
	out := make([]os.FileInfo, len(w.paths))
	for i, p := range w.paths {
		out[i], _ = os.Stat(p) // nil = not there
	}
	return out
}

func (w *watched[T]) changed() bool {
	for i, now := range w.stat() {
		was := w.seen[i]
		if (now == nil) != (was == nil) {
			return true
		}
		if now != nil && (!os.SameFile(now, was) || now.Size() != was.Size() || !now.ModTime().Equal(was.ModTime())) {
			return true
		}
	}
	return false
}

// Reloader reads the files of all Options and TLSFiles that have it again on request. The zero value is ready. Its methods may be
// called concurrently.
type Reloader struct {
	mu  sync.Mutex
	all []func()
}

// Reload reads all files, whether they changed or not. If some cannot be used, their error is logged, and what was loaded before
// stays in use.
func (r *Reloader) Reload() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, renew := range r.all {
		renew()
	}
}

// add does nothing if r is nil.
func (r *Reloader) add(renew func()) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, renew)
}
