package main

import (
	"context"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/browse"
	"github.com/arrowio/arrowio/internal/celltext"
)

// browsedRows are the rows of a dataset that a filter leaves. pieces say where they are: those of a file without a filter are one piece, if
// the file tells how many it has; otherwise pieces are found by a scan that goes on where it stopped.
type browsedRows struct {
	b     *browsed
	where expr.Expr // nil = all rows

	turn chan struct{} // holds a value while a call looks for pieces

	mu     sync.Mutex
	pieces []piece
	ends   []int64 // of each piece, in rows from the first
	all    bool
	next   int   // file that is looked at next
	row    int64 // of that file, the first that was not looked at
	passed int64 // rows of the files before
}

var _ browse.Rows = (*browsedRows)(nil)

// Sizes of what is read at once.
const (
	browseBatch   = 4096    // rows of a batch that is searched, and of a piece
	browseStretch = 1 << 16 // rows that are looked at, at least, once a file has to be read for that
	backRows      = 1 << 14 // rows that are searched at once, backwards
	browseCell    = 4*gridMaximum + 8
	recordBytes   = 16 << 20 // text of all values of a record, about
	searchBytes   = 64 << 10 // of a value that are searched
)

// Count implements browse.Rows.
func (r *browsedRows) Count() (int64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known(), r.all
}

func (r *browsedRows) known() int64 {
	if len(r.ends) == 0 {
		return 0
	}
	return r.ends[len(r.ends)-1]
}

// Looked implements browse.Rows.
func (r *browsedRows) Looked() (n, of int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of = r.b.ds.rows
	if len(r.b.ds.Fragments) > 1 {
		of = -1
	}
	return r.passed + r.row, of
}

// Extend implements browse.Rows.
func (r *browsedRows) Extend(ctx context.Context, n int64) error {
	for {
		if known, all := r.Count(); known >= n || all {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond): // another call may have found enough
		case r.turn <- struct{}{}:
			err := r.look(ctx, n)
			<-r.turn
			if err != nil {
				return err
			}
		}
	}
}

// look finds pieces until there are n rows, or all.
func (r *browsedRows) look(ctx context.Context, n int64) error {
	for {
		r.mu.Lock()
		if r.next >= len(r.b.ds.Fragments) {
			r.all = true
		}
		known, all, i, row := r.known(), r.all, r.next, r.row
		r.mu.Unlock()
		if known >= n || all {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		err := r.b.withFile(ctx, i, func(f arrowio.File) error {
			if r.where != nil || streamed(f) {
				return r.lookInside(ctx, f, i, row, n)
			}
			splits := f.Splits()
			for _, s := range splits {
				r.add(piece{i, s.Rows, s.Rows.Len()}, true)
			}
			r.finish()
			return nil
		})
		if err != nil {
			return inFile(r.b.ds.Fragments[i].Name, err)
		}
	}
}

// lookInside scans a file from a row on until n rows are known, or to its end.
func (r *browsedRows) lookInside(ctx context.Context, f arrowio.File, i int, row, n int64) error {
	o := countOptions(r.options(nil))
	o.BatchRows = browseBatch
	if row > 0 {
		o.Rows = arrowio.RowRange{Start: row, End: math.MaxInt64}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // what is read ahead is of no use afterwards
	rr, err := arrowio.Scan(ctx, f, o)
	if err != nil {
		return err
	}
	defer rr.Release()
	if n < math.MaxInt64-browseStretch {
		n += browseStretch
	}
	for rr.Next() {
		at := rr.Place()
		r.add(piece{i, at.Rows, rr.Record().NumRows()}, false)
		if known, _ := r.Count(); known >= n {
			return nil
		}
	}
	if err := rr.Err(); err != nil {
		return err
	}
	r.finish()
	return nil
}

// add adds a piece, to the one before it if the two are one range that is not too long. exact = each of its rows counts.
func (r *browsedRows) add(p piece, exact bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.row = p.rows.End
	if p.matches == 0 {
		return
	}
	if k := len(r.pieces) - 1; k >= 0 {
		last := &r.pieces[k]
		if last.fragment == p.fragment && last.rows.End == p.rows.Start && (exact || p.rows.End-last.rows.Start <= 2*browseBatch) {
			last.rows.End, last.matches = p.rows.End, last.matches+p.matches
			r.ends[k] += p.matches
			return
		}
	}
	r.pieces, r.ends = append(r.pieces, p), append(r.ends, r.known()+p.matches)
}

// finish goes on to the next file.
func (r *browsedRows) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passed += r.row
	r.next, r.row = r.next+1, 0
	r.all = r.next >= len(r.b.ds.Fragments)
}

// options returns the options of a scan of some fields; nil = all.
func (r *browsedRows) options(fields []int) arrowio.ScanOptions {
	o := arrowio.ScanOptions{Parallelism: r.b.f.jobs.n, MemoryBudget: int64(r.b.f.memory), Filter: r.where}
	if fields == nil {
		for k := range r.b.paths {
			fields = append(fields, k)
		}
	}
	o.Columns = []string{}
	for _, k := range fields {
		o.Columns = append(o.Columns, r.b.paths[k]...)
	}
	return o
}

// located is a piece and the number of its first row.
type located struct {
	piece
	first int64
}

// from returns the piece in which a row is; ok is false if it is not known.
func (r *browsedRows) from(row int64) (l located, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := sort.Search(len(r.ends), func(k int) bool { return r.ends[k] > row })
	if row < 0 || k == len(r.ends) {
		return l, false
	}
	return located{r.pieces[k], r.ends[k] - r.pieces[k].matches}, true
}

// read calls fn with rows first..last of a piece, in batches; row is the number of a batch's first. fn returns false to stop.
func (r *browsedRows) read(ctx context.Context, l located, o arrowio.ScanOptions, first, last int64, fn func(rec arrow.Record, row int64) bool) error {
	o.Rows = l.rows
	at := l.first
	if l.matches == l.rows.Len() { // no row is left out
		o.Rows.Start += first - l.first
		o.Rows.End = o.Rows.Start + last - first
		at = first
	}
	if o.Rows.End == 0 {
		return nil
	}
	return r.b.withFile(ctx, l.fragment, func(f arrowio.File) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // what is read ahead is of no use afterwards
		rr, err := arrowio.Scan(ctx, f, o)
		if err != nil {
			return err
		}
		defer rr.Release()
		for at < last && rr.Next() {
			rec := rr.Record()
			n := rec.NumRows()
			from, to := max(first-at, 0), min(last-at, n)
			if from < to {
				part := rec.NewSlice(from, to)
				more := fn(part, at+from)
				part.Release()
				if !more {
					return nil
				}
			}
			at += n
		}
		if at >= last {
			return nil
		}
		return inFile(r.b.ds.Fragments[l.fragment].Name, rr.Err())
	})
}

// Page implements browse.Rows.
func (r *browsedRows) Page(ctx context.Context, fields []int, first int64, n int) ([][]string, error) {
	out := make([][]string, 0, n)
	err := r.each(ctx, fields, first, int64(n), browseCell, func(row []string) { out = append(out, row) })
	return out, err
}

// Record implements browse.Rows.
func (r *browsedRows) Record(ctx context.Context, row int64) ([]string, error) {
	var out []string
	limit := max(recordBytes/max(len(r.b.fields), 1), 4096)
	err := r.each(ctx, nil, row, 1, limit, func(row []string) { out = row })
	return out, err
}

// each calls fn with the text of up to n rows. The order of the cells is that of fields.
func (r *browsedRows) each(ctx context.Context, fields []int, first, n int64, limit int, fn func(row []string)) error {
	if r.where == nil { // of a filter those are shown that are known
		if err := r.Extend(ctx, first+n); err != nil {
			if known, _ := r.Count(); known <= first {
				return err
			}
		}
	}
	c := &celltext.Cell{Limit: limit}
	for at, end := first, first+n; at < end; {
		l, ok := r.from(at)
		if !ok {
			return nil
		}
		last := min(end, l.first+l.matches)
		o := r.options(fields)
		o.Parallelism = 1 // it is a page
		o.BatchRows = int(min(max(last-at, 1), browseBatch))
		err := r.read(ctx, l, o, at, last, func(rec arrow.Record, _ int64) bool {
			writers := cellWriters(rec)
			for i := range int(rec.NumRows()) {
				row := make([]string, len(writers))
				for k := range writers {
					row[k] = cellText(c, writers, k, i)
					if len(row[k]) > limit+limit/2 {
						cut, _ := celltext.Clip(row[k], limit)
						row[k] = cut + gridEllipsis
					}
				}
				fn(row)
			}
			return true
		})
		if err != nil {
			return err
		}
		at = last
	}
	return nil
}

// Place implements browse.Rows.
func (r *browsedRows) Place(ctx context.Context, file int, row int64) (int64, error) {
	for n := int64(0); ; n++ {
		r.mu.Lock()
		for k, p := range r.pieces {
			if p.fragment == file && row >= p.rows.Start && row < p.rows.End {
				n := r.ends[k] - p.matches + row - p.rows.Start
				r.mu.Unlock()
				return n, nil
			}
		}
		known, all := r.known(), r.all
		r.mu.Unlock()
		if all {
			return max(known-1, 0), nil
		}
		if err := r.Extend(ctx, known+1); err != nil {
			return 0, err
		}
	}
}

// FileOf implements browse.Rows.
func (r *browsedRows) FileOf(row int64) int {
	l, ok := r.from(row)
	if !ok {
		return -1
	}
	return l.fragment
}

// FirstOf implements browse.Rows.
func (r *browsedRows) FirstOf(ctx context.Context, file int) (row int64, found bool, err error) {
	if file >= len(r.b.ds.Fragments) { // it is broken, and so are those after it
		return 0, false, nil
	}
	for {
		r.mu.Lock()
		k := sort.Search(len(r.pieces), func(k int) bool { return r.pieces[k].fragment >= file })
		if found = k < len(r.pieces); found {
			row = r.ends[k] - r.pieces[k].matches
		}
		known, all := r.known(), r.all
		r.mu.Unlock()
		if found || all {
			return row, found, nil
		}
		if err := r.Extend(ctx, known+1); err != nil {
			return 0, false, err
		}
	}
}

// Find implements browse.Rows.
func (r *browsedRows) Find(ctx context.Context, text string, fields []int, from int64, back bool, progress func(int64)) (row int64, field int, found bool, err error) {
	s := &cellSearch{fields: fields, looked: progress, c: celltext.Cell{Limit: searchBytes}, column: -1}
	s.text, s.fold = text, strings.ToLower(text) == text
	if back {
		err = r.findBack(ctx, s, from)
	} else {
		err = r.findNext(ctx, s, from+1)
	}
	if err != nil || s.column < 0 {
		return 0, 0, false, err
	}
	return s.row, fields[s.column], true, nil
}

func (r *browsedRows) findNext(ctx context.Context, s *cellSearch, at int64) error {
	for s.column < 0 {
		if err := r.Extend(ctx, at+1); err != nil {
			return err
		}
		l, ok := r.from(at)
		if !ok {
			return nil
		}
		last := l.first + l.matches
		o := r.options(s.fields)
		o.BatchRows = browseBatch
		if err := r.read(ctx, l, o, at, last, func(rec arrow.Record, row int64) bool { return !s.first(rec, row) }); err != nil {
			return err
		}
		at = last
	}
	return nil
}

func (r *browsedRows) findBack(ctx context.Context, s *cellSearch, end int64) error {
	for s.column < 0 && end > 0 {
		l, ok := r.from(end - 1)
		if !ok {
			return nil
		}
		first := max(l.first, end-backRows)
		o := r.options(s.fields)
		o.BatchRows = browseBatch
		if err := r.read(ctx, l, o, first, end, func(rec arrow.Record, row int64) bool {
			s.last(rec, row)
			return true
		}); err != nil {
			return err
		}
		end = first
	}
	return nil
}

// cellSearch looks for text in cells as they are shown.
type cellSearch struct {
	text   string
	fold   bool // case does not matter
	fields []int
	looked func(rows int64)
	n      int64
	c      celltext.Cell

	row    int64
	column int // -1 = not found
}

// in returns the first column of row i that has the text; -1 = none.
func (s *cellSearch) in(writers []celltext.Writer, i int) int {
	return slices.IndexFunc(writers, func(write celltext.Writer) bool {
		s.c.Text = s.c.Text[:0]
		write(&s.c, i)
		if !s.fold {
			return strings.Contains(string(s.c.Text), s.text)
		}
		return strings.Contains(strings.ToLower(string(s.c.Text)), s.text)
	})
}

func (s *cellSearch) count(n int64) {
	s.n += n
	s.looked(s.n)
}

// first looks for the first row of a batch, and reports whether there is one.
func (s *cellSearch) first(rec arrow.Record, row int64) bool {
	writers := cellWriters(rec)
	for i := range int(rec.NumRows()) {
		if k := s.in(writers, i); k >= 0 {
			s.row, s.column = row+int64(i), k
			return true
		}
	}
	s.count(rec.NumRows())
	return false
}

// last looks for the last row of a batch.
func (s *cellSearch) last(rec arrow.Record, row int64) {
	writers := cellWriters(rec)
	for i := int(rec.NumRows()) - 1; i >= 0; i-- {
		if k := s.in(writers, i); k >= 0 {
			s.row, s.column = row+int64(i), k
			return
		}
	}
	s.count(rec.NumRows())
}
