package dataset

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
)

// unsaid finds out what files say and the schema that they are shown under does not: see view.Unsaid.
type unsaid struct {
	mu    sync.Mutex
	ended bool
	first map[arrowio.Loss]saidAt

	dropped []string // of Options.Exclude, what files have and the schema does not
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

// leftOut records the columns of a file that o.Schema does not have, unless some columns are asked for, of which they are none.
func (u *unsaid) leftOut(i int, f arrowio.File, p *partitions, o Options) {
	paths, err := view.LeftOut(f, o.Schema, o.adapt(arrowio.CalendarOf(f)))
	if err != nil {
		return // view.Show says what is wrong
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended {
		return
	}
	for n, path := range paths {
		if _, asked := (arrowio.Warning{Columns: []string{path}}).For(o.Columns); !asked {
			continue
		}
		if names, ok := expr.Names(path); ok && len(names) == 1 && p != nil && len(p.schema.FieldIndices(names[0])) > 0 {
			continue // the directories say it: see partitions.noting
		}
		if name, ok := excludedIn(o.Exclude, path); ok {
			if !slices.Contains(u.dropped, name) {
				u.dropped = append(u.dropped, name)
			}
			continue
		}
		l := arrowio.Loss{Of: arrowio.LossOfColumn, Path: path, Text: "is not in the schema asked for and is left out", LeftOut: true}
		if at, ok := u.first[l]; !ok || i < at.file {
			if u.first == nil {
				u.first = map[arrowio.Loss]saidAt{}
			}
			u.first[l] = saidAt{i, n - len(paths)} // in front of what is not said
		}
	}
}

// excludedIn returns the excluded column that a column is, or that it is inside of.
func excludedIn(excluded []string, path string) (string, bool) {
	names, ok := expr.Names(path)
	for _, e := range excluded {
		if x, is := expr.Names(e); ok && is && len(x) <= len(names) && slices.Equal(x, names[:len(x)]) {
			return e, true
		}
	}
	return "", false
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
	d.Dropped = slices.Concat(d.Dropped, u.dropped)
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
