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

// ScanOptions says what a scan returns and what it may use. The zero value returns all rows and columns, with the defaults.
type ScanOptions struct {
	Columns      []string         // dotted paths, nil = all; "a.b" keeps only child b of struct a
	Filter       expr.Expr        // only rows that satisfy it are returned; nil = all rows
	Rows         RowRange         // zero = all; counted over the whole file or dataset, before the filter; numbers beyond the last row are ignored
	BatchRows    int              // default 65 536
	BatchBytes   int64            // approximate bytes of Arrow memory of a batch, default 64 MiB
	Parallelism  int              // default GOMAXPROCS; 1 = Next decodes, without other goroutines
	MemoryBudget int64            // bytes for splits being decoded and batches that wait for Next, default 1 GiB
	Allocator    memory.Allocator // allocates the records; default a pooled allocator of this module
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
		return o, errs.Errorf(errs.ErrOption, "%w is %d; the most is %d", errs.Opt("batch-rows", ""), o.BatchRows, math.MaxInt32)
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

// Scan reads the rows of f that o asks for, in row order, as records of the projected schema. Cancelling ctx ends the whole scan,
// not only this call. The caller closes f after it has released the Scanner.
//
// Splits are decoded in parallel, ahead of the caller, and returned in order. The rows, how they are cut into batches, and the
// error that is reported do not depend on Parallelism. Nothing is read before the first Next.
func Scan(ctx context.Context, f File, o ScanOptions) (*Scanner, error) {
	return scan(ctx, f.Schema(), jobs{fragments: []Fragment{{Open: func(context.Context) (File, error) { return f, nil }}}, keep: true}, o)
}

// Scanner is a running scan. It is an array.RecordReader. Next, Record, Place and Err must be called by one goroutine at a time;
// Stats may be called by any. When Next has returned false, the scan has freed all memory except the records that the caller
// retained, and has closed all files that it opened. Release does the same earlier, and waits for the workers.
type Scanner struct {
	refs  atomic.Int64
	p     *plan
	src   records
	cur   sized
	err   error
	ended bool
	trace traced
}

var _ array.RecordReader = (*Scanner)(nil)

// records is where a Scanner's records come from: serial or parallel.
type records interface {
	// next returns a record of at least one row, which the caller releases, or io.EOF.
	next() (sized, error)
	// close stops all work, waits for it and frees everything.
	close()
}

// ScanFragments is Scan for several files of one schema, which it reads in order. It opens a fragment when the workers have been
// given the whole one before it, so that the next file is open when it is needed. It closes a fragment as soon as its rows are
// decoded. To read files whose schemas differ, use package dataset.
func ScanFragments(ctx context.Context, schema *arrow.Schema, fragments []Fragment, o ScanOptions) (*Scanner, error) {
	return scan(ctx, schema, jobs{fragments: fragments}, o)
}

func scan(ctx context.Context, schema *arrow.Schema, js jobs, o ScanOptions) (*Scanner, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := newPlan(schema, o)
	if err != nil {
		return nil, err
	}
	s := &Scanner{p: p}
	s.refs.Store(1)
	ctx = s.trace.begin(ctx)
	js.p = p
	if p.o.Parallelism == 1 {
		s.src = &serial{ctx: ctx, p: p, jobs: &js}
	} else {
		s.src = newParallel(ctx, p, &js)
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

// Record returns the current record. It is valid until the next call of Next; call Retain to keep it longer, and Release when
// done with it.
func (s *Scanner) Record() arrow.Record { return s.cur.Record }

// Place is where in a dataset the rows of a record come from.
type Place struct {
	Fragment int      // index in Dataset.Fragments; 0 in a scan of one file
	Split    int      // ordinal in its file
	Rows     RowRange // range of rows of the file: each of them that the scan returns is in this record or an earlier one
}

// Place returns where the current record comes from. A scan that starts at Place.Rows.End returns the rows after it.
func (s *Scanner) Place() Place {
	j := s.cur.split
	if j == nil {
		return Place{}
	}
	return Place{Fragment: j.file.fragment, Split: j.split.Ordinal, Rows: s.cur.from}
}

// Err returns the error for which Next returned false; nil if all rows were read.
func (s *Scanner) Err() error { return s.err }

// Retain adds a reference.
func (s *Scanner) Retain() { s.refs.Add(1) }

// Release drops one reference. Dropping the last one ends the scan.
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
		s.trace.end(s.Stats(), s.err)
	}
}

// ScanStats counts what a scan has done so far.
type ScanStats struct {
	Rows         int64 // returned by Next
	Batches      int64 // returned by Next
	Bytes        int64 // of Arrow memory in the records decoded so far, including those that wait for Next
	Splits       int64 // number of splits begun
	SplitsPruned int64 // number of splits begun that the format's indexes excluded as a whole
	RowsPruned   int64 // not decoded, because the format's indexes excluded them
	RowsFiltered int64 // decoded, but excluded by the filter
}

// Stats returns the counts so far. It may be called by any goroutine, also after the scan.
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
