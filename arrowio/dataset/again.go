package dataset

import (
	"sync"

	"github.com/arrowio/arrowio/arrowio"
)

// againBytes is how much of small files an Again holds.
const againBytes = 64 << 20

// Again makes the second opening of a small file of a store take no request. A dataset opens each file for its schema and then for its
// rows; where the first opening gave all bytes of a file, Again holds them for the second, up to 64 MiB for all files. The rows are
// then those that the file had when the dataset was opened.
type Again struct {
	mu   sync.Mutex
	left int
	// by path: nil = the file was opened again, or was not held.
	open map[string]func() arrowio.OpenSource
}

// NewAgain returns an Again for a dataset that is read once, soon after it is opened.
func NewAgain() *Again {
	return &Again{left: againBytes, open: map[string]func() arrowio.OpenSource{}}
}

// take returns the source of a path if it is held, which it is not any more then.
func (a *Again) take(path string) arrowio.OpenSource {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	open := a.open[path]
	if open == nil {
		return nil
	}
	a.open[path] = nil
	src := open()
	a.left += int(src.Size())
	return src
}

// hold holds src for the next opening of its path, if opening gave all of it and it is the first.
func (a *Again) hold(path string, src arrowio.Source) {
	s, ok := src.(interface {
		Again() func() arrowio.OpenSource
	})
	if a == nil || !ok {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, again := a.open[path]; again {
		return
	}
	a.open[path] = nil
	if src.Size() > int64(a.left) {
		return
	}
	if open := s.Again(); open != nil {
		a.open[path] = open
		a.left -= int(src.Size())
	}
}
