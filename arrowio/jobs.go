package arrowio

import (
	"context"
	"errors"
	"io"
	"math"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/workers"
)

// Fragment is one file of a dataset.
type Fragment struct {
	Name string // for messages
	// Open opens the file. A scan calls it when it reaches the fragment, or before if that is Far, and closes the file when it has
	// read it. It may be called several times, also concurrently.
	Open func(ctx context.Context) (File, error)
	// Far says that the file lies on another machine: a scan of several opens some before it reaches them.
	Far bool
	// Never reports, without opening the file, that none of its rows satisfies a filter on the dataset's schema; nil = not known
	// without opening it. A scan does not open such a file, unless it must count the rows before the filter.
	Never func(filter *expr.Bound) bool
	// Always reports, without opening the file, that all of its rows satisfy a filter on the schema of the file; nil = not known
	// without opening it. Scans do not use it.
	Always func(filter *expr.Bound) bool
	// Schema is the schema of the file; nil = not known without opening it.
	Schema *arrow.Schema
	// Rows is how many rows the file has, as the metadata of its table say; 0 = not known without opening it. Scans do not use it.
	Rows int64
	// Marshal returns JSON with which another process that reaches the same files can open the file: see Format.ParseFragment.
	// nil = the name is enough.
	Marshal func() ([]byte, error)
}

// jobs lists the splits of a scan, in order, and opens the files on the way. One goroutine at a time.
type jobs struct {
	p         *plan
	fragments []Fragment // still to be opened
	keep      bool       // files stay open: the caller of Scan closes its file
	opened    int        // how many are not: opened, or passed over
	ahead     workers.Ahead[File]
	file      *openFile // being listed; nil = none
	split     int       // next of file
	base      int64     // rows of the files before
	wait      *job      // a split of unknown length, whose rows count before the next file's do
}

// openFile is a file that is in use.
type openFile struct {
	File
	name     string
	fragment int // which of the dataset's
	splits   int
	keep     bool // stays open
	far      bool // of another machine
	users    atomic.Int64
}

func (f *openFile) release() {
	if f.users.Add(-1) == 0 && !f.keep {
		// A file that was only read has nothing to lose when it is closed.
		_ = workers.Guard(f.Close)
	}
}

// job is one split to be decoded.
type job struct {
	file  *openFile
	split Split
	rows  RowRange // wanted, of this file
	// ended is closed, and rowsPassed set, when a split of unknown length has been read.
	ended      chan struct{}
	rowsPassed int64
	opened     func(r SplitReader, first bool) // told of each reader of the split; nil = not reported
	readers    int
}

// next returns the next split that holds rows of the scan; io.EOF = there are no more.
func (js *jobs) next(ctx context.Context) (*job, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if js.file == nil {
			if err := js.settle(ctx); err != nil {
				return nil, err
			}
			if len(js.fragments) == 0 || js.base >= js.p.o.Rows.End || js.p.o.Rows.Len() == 0 {
				return nil, io.EOF
			}
			if js.needless() {
				continue
			}
			if err := js.open(ctx); err != nil {
				return nil, err
			}
		}
		splits := js.file.Splits()
		if js.split == len(splits) {
			if n := len(splits); n > 0 && splits[n-1].Known() {
				js.base = addRows(js.base, splits[n-1].Rows.End)
			}
			js.close()
			continue
		}
		s := splits[js.split]
		js.split++
		want := RowRange{max(0, js.p.o.Rows.Start-js.base), max(0, js.p.o.Rows.End-js.base)}
		j := &job{file: js.file, split: s}
		if s.Known() {
			j.rows = s.Rows.Intersect(want)
		} else {
			j.rows = RowRange{s.Rows.Start, math.MaxInt64}.Intersect(want)
			j.ended = make(chan struct{})
			js.wait = j // its range is not empty: it starts below the end of the scan
		}
		if j.rows.Len() > 0 {
			js.file.users.Add(1)
			return j, nil
		}
	}
}

// settle waits for the rows of a stream where the position of what follows it depends on them.
func (js *jobs) settle(ctx context.Context) error {
	j, rows := js.wait, js.p.o.Rows
	js.wait = nil
	if j == nil || len(js.fragments) == 0 || rows.Start == 0 && rows.End == math.MaxInt64 {
		return nil
	}
	select {
	case <-j.ended:
		js.base = addRows(js.base, j.rowsPassed)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// needless passes over the next file where no row of it is wanted, which is known without opening it. Where rows are
// counted before the filter, those of every file must be.
func (js *jobs) needless() bool {
	if !js.passes(js.fragments[0]) {
		return false
	}
	js.fragments = js.fragments[1:]
	js.opened++
	return true
}

func (js *jobs) passes(fr Fragment) bool {
	rows := js.p.o.Rows
	return fr.Never != nil && js.p.filter != nil && rows.Start <= 0 && rows.End == math.MaxInt64 && fr.Never(js.p.filter.Bound)
}

func (js *jobs) open(ctx context.Context) error {
	fr := js.fragments[0]
	if js.ahead.Make == nil {
		js.openAhead()
	}
	f, err := js.ahead.Take(ctx, js.opened)
	js.fragments = js.fragments[1:]
	if err != nil {
		return errs.Locate(err, errs.At{File: fr.Name})
	}
	js.file, js.split = &openFile{File: f, name: fr.Name, fragment: js.opened, splits: len(f.Splits()), keep: js.keep, far: fr.Far}, 0
	js.opened++
	js.file.users.Store(1)
	return nil
}

// aheadFiles is how many files of other machines a scan opens in advance, or is opening: while one answers, others can be asked.
const aheadFiles = 16

// openAhead has far files opened before the scan reaches them, but those that it will pass over.
func (js *jobs) openAhead() {
	before, left := js.opened, js.fragments
	js.ahead = workers.Ahead[File]{
		Make: func(ctx context.Context, i int) (File, error) { return left[i-before].open(ctx) },
		Want: func(i int) bool { return left[i-before].Far && !js.passes(left[i-before]) },
		Drop: func(f File) { _ = workers.Guard(f.Close) }, // nothing was read
		N:    before + len(left),
		Most: aheadFiles,
	}
}

// close ends the listing of the current file; its splits may still be in use.
func (js *jobs) close() {
	if js.file != nil {
		js.file.release()
		js.file = nil
	}
}

// end lets go of all files.
func (js *jobs) end() {
	js.close()
	js.ahead.Stop()
}

// located says where in the scan an error of j happened.
func (j *job) located(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	at := errs.At{File: j.file.name}
	if j.file.splits > 1 {
		at.Split = errs.N(j.split.Ordinal)
	}
	return errs.Locate(err, at)
}

// addRows adds two counts, of rows or bytes; what no int64 can hold is more than anybody reads.
func addRows(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
