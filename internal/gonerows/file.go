package gonerows

import (
	"context"
	"slices"
	"sort"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// File is a file without the rows that are deleted. Its row numbers count only the rows that are left.
type File struct {
	arrowio.File
	all    []arrowio.Split // of the file below
	gone   []Rows          // of each of them
	splits []arrowio.Split
	stored []int // which of all each of splits is
	total  int64
}

// Without returns f without the rows at some positions, which are sorted, differ, and are rows of f. Closing it closes f.
func Without(f arrowio.File, positions []int64) (*File, error) {
	w := &File{File: f, all: f.Splits(), total: int64(len(positions))}
	w.gone = make([]Rows, len(w.all))
	at := int64(0)
	for i, s := range w.all {
		if !s.Known() || s.Rows.Len() > MaxRows {
			return nil, errs.Errorf(errs.ErrUnsupported, "split %d has %d rows, of which some are deleted; the most is %d", i, s.Rows.Len(), int64(MaxRows))
		}
		k := sort.Search(len(positions), func(i int) bool { return positions[i] >= s.Rows.End })
		for _, p := range positions[:k] {
			w.gone[i].Add(uint32(p - s.Rows.Start))
		}
		positions = positions[k:]
		if left := s.Rows.Len() - w.gone[i].Total(); left > 0 {
			w.splits = append(w.splits, arrowio.Split{Ordinal: len(w.splits), Rows: arrowio.RowRange{Start: at, End: at + left}, Bytes: s.Bytes})
			w.stored = append(w.stored, i)
			at += left
		}
	}
	return w, nil
}

// Sorted sorts positions in a file of some rows, each of them once. beyond counts those that the file does not have, and that are
// left out. positions is changed.
func Sorted(positions []int64, rows int64) (sorted []int64, beyond int) {
	slices.Sort(positions)
	positions = slices.Compact(positions)
	from := sort.Search(len(positions), func(i int) bool { return positions[i] >= 0 })
	to := sort.Search(len(positions), func(i int) bool { return positions[i] >= rows })
	return positions[from:to], from + len(positions) - to
}

// Unwrap returns the file with all its rows: see arrowio.As.
func (f *File) Unwrap() arrowio.File { return f.File }

// Splits lists the splits of the file in which rows are left.
func (f *File) Splits() []arrowio.Split { return f.splits }

// Info describes the file, and counts the rows that are left.
func (f *File) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	o.Filter = nil // it would be explained for the splits as they are stored
	info, err := f.File.Info(ctx, o)
	if err != nil {
		return nil, err
	}
	info.Rows -= f.total
	info.Splits = nil
	for _, s := range f.splits {
		info.Splits = append(info.Splits, arrowio.SplitInfo{Rows: s.Rows, Bytes: s.Bytes})
	}
	info.Facts = append(info.Facts, arrowio.Fact{Name: "deleted rows", Value: strconv.FormatInt(f.total, 10)})
	return info, nil
}

// Prune asks the file below.
func (f *File) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	in, gone := f.below(s)
	set, err := f.File.Prune(ctx, in, pred)
	if err != nil {
		return nil, err
	}
	return gone.Left(set, in.Rows.Start, s.Rows.Start), nil
}

// below returns the split of the file below, and which of its rows are deleted.
func (f *File) below(s arrowio.Split) (arrowio.Split, *Rows) {
	k := f.stored[s.Ordinal]
	return f.all[k], &f.gone[k]
}

// Read opens the rows of a split.
func (f *File) Read(ctx context.Context, s arrowio.Split, set arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	below, gone := f.below(s)
	first := below.Rows.Start
	in, err := f.File.Read(ctx, below, gone.Around(set.Clip(s.Rows), s.Rows.Start, first), p, mem)
	if err != nil {
		return nil, err
	}
	return &reader{SplitReader: in, gone: gone, left: NewReader(in, first), split: s, row: s.Rows.Start, first: first}, nil
}

// reader reads the rows of a split that are left. See arrowio.SplitReader.
type reader struct {
	arrowio.SplitReader
	gone *Rows

	left  Reader
	split arrowio.Split // of rows that are left
	row   int64         // of those, where the reader stands
	first int64         // row of the file with which the split begins there
	runs  []arrowio.RowRange
}

// Share implements arrowio.Sharer.
func (r *reader) Share(run arrowio.Share) int {
	if s, ok := r.SplitReader.(arrowio.Sharer); ok {
		return s.Share(run)
	}
	return 1
}

// Fit implements arrowio.Sizer. The reader below looks at rows from where it stands: deleted rows before the next one that is left
// are passed over first, since they may not have been asked for.
func (r *reader) Fit(n int, bytes int64) int {
	s, ok := r.SplitReader.(arrowio.Sizer)
	if !ok || r.row >= r.split.Rows.End {
		return n
	}
	if err := r.left.Skip(r.first + r.gone.At(r.row-r.split.Rows.Start)); err != nil {
		return n // reading finds the error again
	}
	return s.Fit(n, bytes)
}

// Skip passes over n rows.
func (r *reader) Skip(n int64) (int64, error) {
	if err := r.split.Rows.Check(r.row, n); err != nil {
		return 0, err
	}
	r.row += n
	return n, nil
}

// Read appends the next n rows to the batch being built.
func (r *reader) Read(n int) (int, error) {
	if n == 0 {
		return r.SplitReader.Read(n)
	}
	if err := r.split.Rows.Check(r.row, int64(n)); err != nil {
		return 0, err
	}
	r.runs = r.gone.Stored(r.runs[:0], r.row-r.split.Rows.Start, int64(n), r.first)
	if err := r.left.Read(r.runs); err != nil {
		return 0, err
	}
	r.row += int64(n)
	return n, nil
}

// ReadRuns appends runs of rows to the batch being built: see arrowio.RunReader.
func (r *reader) ReadRuns(runs []arrowio.RowRange) error {
	r.runs = r.runs[:0]
	for _, x := range runs {
		if err := r.split.Rows.Check(r.row+x.Start, x.Len()); err != nil {
			return err
		}
		r.runs = r.gone.Stored(r.runs, r.row+x.Start-r.split.Rows.Start, x.Len(), r.first)
	}
	if err := r.left.Read(r.runs); err != nil {
		return err
	}
	r.row += runs[len(runs)-1].End
	return nil
}
