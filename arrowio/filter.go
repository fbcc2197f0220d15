package arrowio

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// chunk is rows that satisfy the predicate, with those columns of the record that the pass could give.
type chunk struct {
	cols []arrow.Array // of pass.give
	n    int
	from RowRange // the rows of the file that were looked at for it
}

func (c *chunk) size() int64 {
	var n int64
	for _, a := range c.cols {
		n += arrowbuf.Size(a)
	}
	return n
}

func (c *chunk) release() {
	for _, a := range c.cols {
		a.Release()
	}
	*c = chunk{}
}

// filterReader reads a pass, computes the predicate, and gathers the rows that satisfy it into chunks of about a batch.
type filterReader struct {
	p    *plan
	w    *pass
	b    *batcher
	apps []*arrowbuf.Appender // of pass.give
	kept *maskedRows          // where the rows that are kept are noted; nil = nowhere
	seen int64                // rows read

	open   chunk           // n of what apps hold
	bytes  int64           // about the size of what apps hold
	rec    arrow.Record    // read, but not in apps yet; nil = none
	picked arrowbuf.Picked // of rec

	narrow bool          // dictionaries of several records may have too many entries for one
	room   arrowbuf.Room // of what apps hold, and rec
}

func (p *plan) newFilterReader(ctx context.Context, j *job, rows RowSet, w *pass, kept *maskedRows) (*filterReader, error) {
	b, err := p.newBatcher(ctx, j, slices.Clone(rows), rows, w.Projection)
	if err != nil {
		return nil, err
	}
	s := &filterReader{p: p, w: w, b: b, kept: kept, narrow: arrowbuf.NarrowIndices(w.Projection.Schema), apps: make([]*arrowbuf.Appender, w.give.NumFields())}
	for i := range s.apps {
		s.apps[i] = arrowbuf.NewAppender(w.give.Field(i).Type, p.o.Allocator)
	}
	return s, nil
}

// next returns the next chunk, which the caller releases; n = 0 at the end. Batches go into a chunk whole: a chunk that
// a batch would make too large is finished first, so that rows kept in full are handed on without being copied.
func (s *filterReader) next() (chunk, error) {
	for {
		if s.rec == nil {
			if err := s.read(); err != nil {
				return chunk{}, err
			}
			if s.rec == nil {
				return s.take(), nil
			}
		}
		n := s.picked.Len()
		size := int64(float64(s.b.size) * float64(n) / float64(s.rec.NumRows()))
		full := s.narrow && !s.room.Add(s.rec) || s.open.n+n > s.p.o.BatchRows || s.bytes+size > s.p.o.BatchBytes
		if full && s.open.n > 0 {
			return s.take(), nil
		}
		if err := s.add(n, size); err != nil {
			return chunk{}, err
		}
	}
}

// read fills rec and picked with the next batch that has rows to keep; rec stays nil at the end.
func (s *filterReader) read() error {
	for {
		rec, err := s.b.next(s.p.o.BatchRows)
		if err != nil || rec == nil {
			return err
		}
		s.seen += rec.NumRows()
		mask, err := s.p.filter.Mask(rec)
		if err != nil {
			rec.Release()
			return err
		}
		s.picked.SetMask(mask)
		mask.Release()
		s.p.stats.rowsFiltered.Add(rec.NumRows() - int64(s.picked.Len()))
		if s.picked.Len() > 0 {
			s.rec = rec
			return nil
		}
		rec.Release()
	}
}

// add moves the kept rows of rec to apps.
func (s *filterReader) add(n int, size int64) error {
	defer func() {
		s.rec.Release()
		s.rec = nil
	}()
	given, err := arrowbuf.Project(s.rec, s.w.give, s.w.keep)
	if err != nil {
		return errs.Errorf(errs.ErrInternal, "%w", err)
	}
	defer given.Release()
	for i, a := range s.apps {
		err := a.AppendPicked(given.Column(i), &s.picked)
		if errors.Is(err, arrowbuf.ErrOverflow) {
			err = errs.Errorf(errs.ErrLimit, "%w; ask for smaller batches", err)
		}
		if err != nil {
			return errs.Locate(err, errs.At{Column: s.w.give.Field(i).Name})
		}
	}
	if s.kept != nil {
		s.kept.add(s.picked.Marks(), s.b.got)
	}
	if s.open.n == 0 {
		s.open.from = s.b.got.span()
	}
	s.open.from.End = s.b.got.span().End
	s.open.n += n
	s.bytes += size
	return nil
}

func (s *filterReader) take() chunk {
	c := s.open
	s.open, s.bytes = chunk{}, 0
	s.room.Reset()
	if c.n > 0 {
		c.cols = make([]arrow.Array, len(s.apps))
		for i, a := range s.apps {
			c.cols[i] = a.Take()
		}
	}
	return c
}

func (s *filterReader) close() error {
	if s.rec != nil {
		s.rec.Release()
		s.rec = nil
	}
	for _, a := range s.apps {
		a.Release()
	}
	s.room.Reset()
	return s.b.close()
}

// onePass gives the records of a filterReader that has all their columns.
type onePass struct{ s *filterReader }

func (p *plan) newOnePass(ctx context.Context, j *job, rows RowSet) (splitScan, error) {
	s, err := p.newFilterReader(ctx, j, rows, &p.filter.both, nil)
	if err != nil {
		return nil, err
	}
	return &onePass{s}, nil
}

func (o *onePass) next() (sized, error) {
	c, err := o.s.next()
	if err != nil || c.n == 0 {
		return sized{}, err
	}
	defer c.release()
	// The pass gives every column, in the record's order.
	return sized{Record: array.NewRecord(o.s.p.out.Schema, c.cols, int64(c.n)), bytes: c.size(), from: c.from}, nil
}

func (o *onePass) close() error  { return o.s.close() }
func (o *onePass) passed() int64 { return o.s.b.passed() }

// These are how many rows, and about how many stored bytes of all columns, may be decoded between two runs of rows that the
// predicate kept: to stop and to go on costs formats with pages about as much.
const (
	shortGap      = 1024
	shortGapBytes = 256 << 10
)

// shortGapOf returns the rows of a short gap of a split.
func shortGapOf(s Split) int64 {
	return min(shortGap, shortGapBytes/max(1, s.Bytes/max(1, s.Rows.Len())))
}

// A window of a split is sieved before what it keeps is read: it ends where the first pass holds a batch of columns, or has
// seen this many rows.
const windowRows = 4 << 20

// twoPass sieves a window of the split on the predicate's columns, then reads the other columns for the rows kept.
type twoPass struct {
	p      *plan
	ctx    context.Context
	j      *job
	first  *filterReader
	done   bool    // first is at its end
	chunks []chunk // of this window, not handed on yet
	at     int     // rows of chunks[0] that are handed on
	rest   *batcher
	*rowLists
}

// rowLists is lists of rows, which are long where single rows are kept. They are used again by later windows and splits.
type rowLists struct {
	kept maskedRows // what the first pass kept of a window
	runs []RowRange // of the second pass's batcher
	got  RowSet     // likewise
}

func (p *plan) newTwoPass(ctx context.Context, j *job, rows RowSet) (splitScan, error) {
	lists, _ := p.filter.lists.Get().(*rowLists)
	if lists == nil {
		lists = new(rowLists)
	}
	t := &twoPass{p: p, ctx: ctx, j: j, rowLists: lists}
	var err error
	if t.first, err = p.newFilterReader(ctx, j, rows, &p.filter.first, &t.kept); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *twoPass) next() (sized, error) {
	for len(t.chunks) == 0 {
		if err := t.endRest(); err != nil {
			return sized{}, err
		}
		if t.done {
			return sized{}, nil
		}
		if err := t.window(); err != nil {
			return sized{}, err
		}
	}
	c := &t.chunks[0]
	rec, err := t.rest.next(c.n - t.at)
	if err != nil {
		return sized{}, err
	}
	if rec == nil {
		return sized{}, errs.Errorf(errs.ErrInternal, "the second pass ended %d rows early", c.n-t.at)
	}
	defer rec.Release()
	return t.join(c, rec), nil
}

// window fills chunks and opens rest on their rows.
func (t *twoPass) window() error {
	t.kept.reset()
	var bytes int64
	start := t.first.seen
	for bytes < t.p.o.BatchBytes && t.first.seen-start < windowRows {
		c, err := t.first.next()
		if err != nil {
			return err
		}
		if c.n == 0 {
			t.done = true
			break
		}
		bytes += c.size()
		t.chunks = append(t.chunks, c)
	}
	if t.kept.n == 0 {
		return nil
	}
	var err error
	if t.rest, err = t.p.newBatcher(t.ctx, t.j, nil, t.kept.closed(shortGapOf(t.j.split)), t.p.filter.rest); err != nil {
		return err
	}
	t.rest.readMasked(&t.kept)
	t.rest.runs, t.rest.got = t.runs, t.got
	return nil
}

// endRest closes rest, if there is one.
func (t *twoPass) endRest() error {
	b := t.rest
	if b == nil {
		return nil
	}
	t.rest, t.runs, t.got = nil, b.runs, b.got
	return b.close()
}

// join makes a record of the next rows of c and the same rows of the second pass.
func (t *twoPass) join(c *chunk, rest arrow.Record) sized {
	n := int(rest.NumRows())
	cols := make([]arrow.Array, len(t.p.out.Fields))
	for i, to := range t.first.w.column {
		if n == c.n {
			cols[to] = c.cols[i]
			cols[to].Retain()
		} else {
			cols[to] = slice(c.cols[i], int64(t.at), int64(t.at+n))
		}
	}
	k := 0
	for i := range cols {
		if cols[i] == nil {
			cols[i] = rest.Column(k)
			cols[i].Retain()
			k++
		}
	}
	if t.at += n; t.at == c.n {
		c.release()
		t.chunks, t.at = t.chunks[1:], 0
	}
	rec := array.NewRecord(t.p.out.Schema, cols, int64(n))
	for _, a := range cols {
		a.Release()
	}
	return sized{Record: rec, bytes: arrowbuf.RecordSize(rec), from: t.rest.got.span()}
}

func (t *twoPass) close() error {
	for i := range t.chunks {
		t.chunks[i].release()
	}
	t.chunks = nil
	err := errors.Join(t.first.close(), t.endRest())
	t.p.filter.lists.Put(t.rowLists)
	t.rowLists = nil
	return err
}

func (t *twoPass) passed() int64 { return t.first.b.passed() }
