package flight

import (
	"context"
	"time"
)

// Bounds on looking for datasets that the catalog does not have.
const (
	seekPause   = 100 * time.Millisecond // from one look to the next, at least; and ten times what one takes
	maxSeekWait = 2 * time.Second        // for the next look; who would wait longer is told that there is none
)

// seeking is one look at a time for datasets that the catalog does not have.
type seeking struct {
	turn  chan struct{}
	began time.Time // the latest look
	took  time.Duration
}

func newSeeking() seeking { return seeking{turn: make(chan struct{}, 1)} }

// sought is dataset, and looks once more for one that is not there: another server over the same store may have put it since the last
// refresh. However often that is asked, it takes a tenth of the time at most.
func (c *Catalog) sought(ctx context.Context, name string) (*served, error) {
	d, err := c.dataset(name)
	if err == nil || c.others == nil || !ValidName(name) {
		return d, err
	}
	came := time.Now()
	s := &c.seeking
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-s.turn }()
	if s.began.After(came) { // somebody has looked meanwhile
		return c.dataset(name)
	}
	if wait := max(10*s.took, seekPause) - time.Since(s.began); wait > maxSeekWait {
		return nil, err
	} else if wait > 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	s.began = time.Now()
	defer func() { s.took = time.Since(s.began) }()
	c.discoverNew(ctx)
	return c.dataset(name)
}
