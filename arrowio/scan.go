package arrowio

import (
	"context"
	"io"
	"math"
	"runtime"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// ScanOptions says what a scan returns and what it may use. The zero value is everything, with the defaults.
type ScanOptions struct {
	Columns      []string         // dotted paths; nil = all; "a.b" keeps only child b of struct a
	Filter       expr.Expr        // exact: every returned row satisfies it; nil = all rows
	Rows         RowRange         // zero = all; counted over the whole file or dataset, before the filter; what lies behind the last row is ignored
	BatchRows    int              // default 65 536
	BatchBytes   int64            // soft, default 64 MiB
	Parallelism  int              // default GOMAXPROCS; 1 = decode in the caller's Next, without any goroutine
	MemoryBudget int64            // default 1 GiB: splits are admitted, and batches kept waiting, while they fit
	Allocator    memory.Allocator // of the records; default a pooled allocator of this module
}

func (o ScanOptions) withDefaults() (ScanOptions, error) {
	for _, v := range []struct {
		name  string
		value int64
	}{
		{"Rows.Start", o.Rows.Start},
		{"BatchRows", int64(o.BatchRows)},
		{"BatchBytes", o.BatchBytes},
		{"Parallelism", int64(o.Parallelism)},
		{"MemoryBudget", o.MemoryBudget},
	} {
		if v.value < 0 {
			return o, errs.Errorf(errs.ErrOption, "%s is %d; it must not be negative", v.name, v.value)
		}
	}
	if o.BatchRows > math.MaxInt32 {
		return o, errs.Errorf(errs.ErrOption, "BatchRows is %d; the most is %d", o.BatchRows, math.MaxInt32)
	}
	switch {
	case o.Rows == RowRange{}:
		o.Rows.End = math.MaxInt64
	case o.Rows.End < o.Rows.Start:
		return o, errs.Errorf(errs.ErrOption, "the row range %d:%d ends before it starts", o.Rows.Start, o.Rows.End)
	}
	def(&o.BatchRows, 65536)
	def(&o.BatchBytes, 64<<20)
	def(&o.Parallelism, runtime.GOMAXPROCS(0))
	def(&o.MemoryBudget, 1<<30)
	if o.Allocator == nil {
		o.Allocator = arrowbuf.Shared()
	}
	return o, nil
}

// Scan reads the rows of f that o asks for, in row order, as records of the projected schema. ctx ends the scan, not
// only this call. f stays the caller's to close, after the Scanner is released.
//
// Splits are decoded in parallel, ahead of the caller, and handed out in order: which rows come, how they are cut into
// batches, and which error is reported does not depend on Parallelism. Nothing is read before the first Next.
func Scan(ctx context.Context, f File, o ScanOptions) (*Scanner, error) {
	return ScanFragments(ctx, f.Schema(), []Fragment{{Open: func(context.Context) (File, error) { return kept{f}, nil }}}, o)
}

// Scanner is a running scan. It is an array.RecordReader: Next, Record and Err belong to one goroutine, Stats may be
// called from any. When Next has returned false, all memory but what the caller retained is free and all files that the
// scan opened are closed; before that, Release does the same and waits for the workers.
type Scanner struct {
	refs  atomic.Int64
	p     *plan
	src   records
	cur   sized
	err   error
	ended bool
}

var _ array.RecordReader = (*Scanner)(nil)

// records is where a Scanner's records come from: serial or parallel.
type records interface {
	// next returns a record of at least one row, which the caller releases, or io.EOF.
	next() (sized, error)
	// close stops all work, waits for it and frees everything.
	close()
}

// ScanFragments reads the rows of several files of one schema that o asks for, in order; see Scan for what holds besides. A
// fragment is opened when the one before it has been handed to the workers, so that the next file is there when it is
// needed, and closed as soon as its rows are decoded. Datasets of files whose schemas differ are those of package dataset.
func ScanFragments(ctx context.Context, schema *arrow.Schema, fragments []Fragment, o ScanOptions) (*Scanner, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := newPlan(schema, o)
	if err != nil {
		return nil, err
	}
	s := &Scanner{p: p}
	s.refs.Store(1)
	js := &jobs{p: p, fragments: fragments}
	if p.o.Parallelism == 1 {
		s.src = &serial{ctx: ctx, p: p, jobs: js}
	} else {
		s.src = newParallel(ctx, p, js)
	}
	return s, nil
}

// Schema returns the projected schema; every record has it.
func (s *Scanner) Schema() *arrow.Schema { return s.p.out.Schema }

// Next moves to the next record and reports whether there is one. Records have at least one row.
func (s *Scanner) Next() bool {
	s.drop()
	if s.ended {
		return false
	}
	rec, err := s.src.next()
	if err != nil {
		if err != io.EOF {
			s.err = err
		}
		s.end()
		return false
	}
	s.p.stats.rows.Add(rec.NumRows())
	s.p.stats.batches.Add(1)
	s.cur = rec
	return true
}

// Record returns the current record, valid until the next call of Next; Retain it to keep it.
func (s *Scanner) Record() arrow.Record { return s.cur.Record }

// Place is where in a dataset the rows of a record come from.
type Place struct {
	Fragment int      // which of Dataset.Fragments; 0 where one file is scanned
	Split    int      // ordinal in its file
	Rows     RowRange // of the file: every row of the scan in this range is in the record or was in one before
}

// Place tells where the current record comes from. A scan that starts at Place.Rows.End gives what comes after it.
func (s *Scanner) Place() Place {
	j := s.cur.split
	if j == nil {
		return Place{}
	}
	return Place{Fragment: j.file.fragment, Split: j.split.Ordinal, Rows: s.cur.from}
}

// Err returns why Next returned false; nil = all rows were read.
func (s *Scanner) Err() error { return s.err }

// Retain adds a reference.
func (s *Scanner) Retain() { s.refs.Add(1) }

// Release gives one reference back; with the last one the scan ends, wherever it is.
func (s *Scanner) Release() {
	if s.refs.Add(-1) == 0 {
		s.drop()
		s.end()
	}
}

func (s *Scanner) drop() {
	if s.cur.Record != nil {
		s.cur.Release()
		s.cur = sized{}
	}
}

func (s *Scanner) end() {
	if !s.ended {
		s.ended = true
		s.src.close()
	}
}

// ScanStats says what a scan did so far.
type ScanStats struct {
	Rows         int64 // returned by Next
	Batches      int64 // returned by Next
	Bytes        int64 // of Arrow memory in the records decoded for the caller, those that wait for Next included
	Splits       int64 // begun
	SplitsPruned int64 // of those, skipped whole by the format's indexes
	RowsPruned   int64 // not decoded because of the format's indexes
	RowsFiltered int64 // decoded for the filter, and not returned
}

// Stats returns the counts so far. It may be called from any goroutine, also after the scan.
func (s *Scanner) Stats() ScanStats {
	c := &s.p.stats
	return ScanStats{
		Rows: c.rows.Load(), Batches: c.batches.Load(), Bytes: c.bytes.Load(),
		Splits: c.splits.Load(), SplitsPruned: c.splitsPruned.Load(),
		RowsPruned: c.rowsPruned.Load(), RowsFiltered: c.rowsFiltered.Load(),
	}
}

type counters struct {
	rows, batches, bytes, splits, splitsPruned, rowsPruned, rowsFiltered atomic.Int64
}

func def[T int | int64](p *T, d T) {
	if *p <= 0 {
		*p = d
	}
}
