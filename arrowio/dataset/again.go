package dataset

import (
	"sync"

	"github.com/arrowio/arrowio/arrowio"
)

// againBytes is how much of files an Again holds.
const againBytes = 64 << 20

// Again spares requests to stores where a file is opened several times: to find it, for its schema, and for its rows. What the first opening
// gave, which is the end of the file, is held for the later ones, up to 64 MiB for all files. The rows are then those that the file had
// when it was opened first: of a file that changes before they are read, those that are held, or an error.
type Again struct {
	mu    sync.Mutex
	left  int
	files map[string]*heldFile // by path; one that is not held any more stays
}

// heldFile is what a file can be opened from.
type heldFile struct {
	open  func() arrowio.OpenSource
	bytes int // held for it
	times int // that it will be opened
}

// NewAgain returns an Again for a dataset that is read once, soon after it is opened.
func NewAgain() *Again {
	return &Again{left: againBytes, files: map[string]*heldFile{}}
}

// take returns the source of a path if it is held.
func (a *Again) take(path string) arrowio.OpenSource {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.files[path]
	if f == nil || f.times == 0 {
		return nil
	}
	src := f.open()
	if f.times--; f.times == 0 {
		a.left += f.bytes
		*f = heldFile{}
	}
	return src
}

// hold holds src, which was opened for the first time, for the next openings of its path.
func (a *Again) hold(path string, src arrowio.Source, times int) {
	s, ok := src.(interface {
		Again() (open func() arrowio.OpenSource, bytes int)
	})
	if a == nil || !ok {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.files[path] != nil {
		return
	}
	f := &heldFile{}
	a.files[path] = f
	if open, n := s.Again(); open != nil && n <= a.left {
		*f = heldFile{open: open, bytes: n, times: times}
		a.left -= n
	}
}
