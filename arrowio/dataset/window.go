package dataset

import (
	"context"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// FilePart is a range of splits of one file, and a range of rows: it has the rows of these splits that are in the range. Its JSON
// is part of Flight tickets.
type FilePart struct {
	Fragment int    `json:"f"`               // position of the file in the dataset that was planned
	ID       string `json:"id"`              // Extent.ID of the file when it was planned
	From     int    `json:"from,omitempty"`  // first split
	To       int    `json:"to"`              // number after that of the last split
	Start    int64  `json:"start,omitempty"` // first row, counted in the file
	End      int64  `json:"end,omitempty"`   // number after that of the last row; 0 = to the end of the file
}

// Valid reports whether p can be a part of some file. Call it on a part that was received from another program.
func (p FilePart) Valid() bool {
	return p.Fragment >= 0 && p.From >= 0 && p.To >= p.From && p.Start >= 0 && (p.End == 0 || p.End >= p.Start)
}

// Rows returns the row range of p. It ends at math.MaxInt64 if p goes to the end of the file.
func (p FilePart) Rows() arrowio.RowRange {
	r := arrowio.RowRange{Start: p.Start, End: p.End}
	if r.End == 0 {
		r.End = math.MaxInt64
	}
	return r
}

// Show returns f with only the splits and rows of p. Splits keep their ordinals, and rows their numbers. Closing the result
// closes f. If p does not fit f, the error is of kind errs.ErrOption, and the caller still closes f. Show does not compare the
// identity of f with p.ID.
func (p FilePart) Show(f arrowio.File) (arrowio.File, error) {
	all := f.Splits()
	if !p.Valid() || p.To > len(all) {
		return nil, errs.Errorf(errs.ErrOption, "the part has splits %d to %d; the file has %d", p.From, p.To, len(all))
	}
	w := &window{File: f, all: all}
	for _, s := range all[p.From:p.To] {
		if s, ok := clip(s, p.Rows()); ok {
			w.shown = append(w.shown, s)
		}
	}
	return w, nil
}

// clip returns a split with only its rows in a range; false = it has none there. Its stored bytes are estimated from the number
// of rows, and are at least 1.
func clip(s arrowio.Split, rows arrowio.RowRange) (arrowio.Split, bool) {
	if !s.Known() {
		s.Rows.Start = max(s.Rows.Start, rows.Start) // the end of a stream is not known
		s.Bytes = max(s.Bytes, 1)
		return s, true
	}
	r := s.Rows.Intersect(rows)
	if r.Len() == 0 {
		return s, false
	}
	if r != s.Rows {
		s.Bytes = int64(float64(s.Bytes) * (float64(r.Len()) / float64(s.Rows.Len())))
	}
	s.Rows, s.Bytes = r, max(s.Bytes, 1)
	return s, true
}

// window shows some splits of a file, and only some of their rows.
type window struct {
	arrowio.File
	all   []arrowio.Split
	shown []arrowio.Split
}

// Unwrap returns the file with all its splits: see arrowio.As.
func (w *window) Unwrap() arrowio.File { return w.File }

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

// Read positions the file's reader before the first shown row of the split.
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
