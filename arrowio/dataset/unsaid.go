package dataset

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/view"
)

// unsaid finds out what files say and the schema that they are shown under does not: see view.Unsaid.
type unsaid struct {
	mu    sync.Mutex
	ended bool
	first map[arrowio.Loss]saidAt
}

// saidAt is where a loss was found first.
type saidAt struct{ file, place int }

// noting is open with a look at what is not said.
func (u *unsaid) noting(open func(ctx context.Context, i int) (arrowio.File, error)) func(ctx context.Context, i int) (arrowio.File, error) {
	return func(ctx context.Context, i int) (arrowio.File, error) {
		f, err := open(ctx, i)
		if err != nil {
			return nil, err
		}
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.ended {
			return f, nil
		}
		for n, l := range view.Unsaid(f) {
			if at, ok := u.first[l]; !ok || i < at.file {
				if u.first == nil {
					u.first = map[arrowio.Loss]saidAt{}
				}
				u.first[l] = saidAt{i, n}
			}
		}
		return f, nil
	}
}

// end adds what was found to the losses of a dataset, but for what these tell already and keys that its schema has.
func (u *unsaid) end(d *Dataset) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ended = true
	found := make([]arrowio.Loss, 0, len(u.first))
	told := map[arrowio.Loss]bool{}
	for _, l := range d.Lost {
		l.Text = ""
		told[l] = true
	}
	md := d.Schema.Metadata()
	for l := range u.first {
		what := l
		what.Text = ""
		if !told[what] && (l.Of != arrowio.LossOfMetadata || md.FindKey(l.Key) < 0) {
			found = append(found, l)
		}
	}
	slices.SortFunc(found, func(a, b arrowio.Loss) int {
		x, y := u.first[a], u.first[b]
		return cmp.Or(cmp.Compare(x.file, y.file), cmp.Compare(x.place, y.place))
	})
	d.Lost = slices.Concat(d.Lost, found)
}
