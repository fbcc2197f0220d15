package flight

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// window shows some splits of a file, and of those the rows in a range. They keep their ordinals and their rows' numbers.
type window struct {
	arrowio.File
	all    []arrowio.Split
	shown  []arrowio.Split
	before func() error // called before the file is closed
}

func newWindow(f arrowio.File, from, to int, rows arrowio.RowRange) *window {
	w := &window{File: f, all: f.Splits()}
	for _, s := range w.all[min(from, len(w.all)):min(to, len(w.all))] {
		if s, ok := clip(s, rows); ok {
			w.shown = append(w.shown, s)
		}
	}
	return w
}

// clip returns a split with those of its rows that are in a range; false = there are none.
func clip(s arrowio.Split, rows arrowio.RowRange) (arrowio.Split, bool) {
	if !s.Known() {
		s.Rows.Start = max(s.Rows.Start, rows.Start)
		return s, true // of a stream only the start can be moved
	}
	r := s.Rows.Intersect(rows)
	if r.Len() == 0 {
		return s, false
	}
	s.Bytes = int64(float64(s.Bytes) * float64(r.Len()) / float64(s.Rows.Len()))
	s.Rows = r
	return s, true
}

func (w *window) Splits() []arrowio.Split { return w.shown }

// full returns the file's own split.
func (w *window) full(s arrowio.Split) arrowio.Split {
	if i := s.Ordinal; i >= 0 && i < len(w.all) && w.all[i].Ordinal == i {
		return w.all[i]
	}
	return w.all[slices.IndexFunc(w.all, func(f arrowio.Split) bool { return f.Ordinal == s.Ordinal })]
}

func (w *window) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	return w.File.Prune(ctx, w.full(s), pred)
}

// Read positions the file's reader before the first row of the window.
func (w *window) Read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	f := w.full(s)
	r, err := w.File.Read(ctx, f, rows, p, mem)
	if err != nil || s.Rows.Start == f.Rows.Start {
		return r, err
	}
	if _, err := r.Skip(s.Rows.Start - f.Rows.Start); err != nil {
		_ = r.Close() // the error says more
		return nil, err
	}
	return r, nil
}

func (w *window) Close() error {
	if w.before != nil {
		_ = w.before() // it has noted what it found
	}
	return w.File.Close()
}
