package arrowio

import (
	"context"

	"github.com/arrowio/arrowio/internal/workers"
)

// aheadFiles is how many files of other machines a scan opens in advance, or is opening: while one answers, others can be asked.
const aheadFiles = 16

// ahead opens far files before a scan reaches them. One goroutine at a time.
type ahead struct {
	ctx    context.Context // of what is opened in advance; nil = nothing was
	cancel context.CancelFunc
	coming map[int]*opening // by number of the fragment
	next   int              // the number of the first fragment that was not looked at
}

// opening is a file that is being opened.
type opening struct {
	wait func() error
	file File
}

// open opens the fragment of a number, and begins to open some of those that follow, but for those that needless tells. The first file of a
// scan is opened alone: often it is enough, or its error ends everything.
func (a *ahead) open(ctx context.Context, number int, fragments []Fragment, needless func(Fragment) bool) (File, error) {
	if number > 0 {
		a.start(ctx, number, fragments, needless)
	}
	if o := a.coming[number]; o != nil {
		delete(a.coming, number)
		if err := o.wait(); err != nil {
			return nil, err
		}
		return o.file, nil
	}
	var f File
	err := workers.Guard(func() (err error) {
		f, err = fragments[0].open(ctx)
		return err
	})
	return f, err
}

// start begins to open files, fragments[0] among them, which has the number.
func (a *ahead) start(ctx context.Context, number int, fragments []Fragment, needless func(Fragment) bool) {
	for a.next = max(a.next, number); a.next-number < len(fragments) && len(a.coming) <= aheadFiles; a.next++ {
		fr := fragments[a.next-number]
		if !fr.Far || a.next > number && needless(fr) {
			continue
		}
		if a.ctx == nil {
			a.ctx, a.cancel = context.WithCancel(ctx)
			a.coming = map[int]*opening{}
		}
		o := &opening{}
		o.wait = workers.Go(func() (err error) {
			o.file, err = fr.open(a.ctx)
			return err
		})
		a.coming[a.next] = o
	}
}

// stop closes the files that the scan has not come to, when it has let go of all others.
func (a *ahead) stop() {
	if a.ctx == nil {
		return
	}
	a.cancel()
	for _, o := range a.coming {
		if o.wait() == nil {
			_ = workers.Guard(o.file.Close) // nothing was read
		}
	}
	a.ctx, a.coming = nil, nil
}
