package extsort

import (
	"context"
	"errors"
	"runtime"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// Options of a Sorter. The zero value is the default.
type Options struct {
	// Memory bounds what the sorter holds, in bytes; default 512 MiB, at least 64 KiB. A row may take an eighth of it.
	Memory int64
	// Scratch opens a file for what does not fit; it is closed when it is not needed any more. nil = everything must fit.
	Scratch     func() (arrowio.ScratchFile, error)
	Allocator   memory.Allocator // default: the pool of scans
	BatchRows   int              // of the batches that Merge gives; default 65 536
	BatchBytes  int64            // of the same, soft; default 64 MiB, never more than a sixteenth of Memory
	Parallelism int              // columns copied at once; default GOMAXPROCS
	// Merging is called while runs are merged because there are too many of them: so many rows of so many are done, of
	// this merge. It must not block.
	Merging func(done, of int64)
}

// Key is a column that rows are sorted by.
type Key struct {
	Column     string // a dotted path into structs: see expr.Resolve
	Descending bool
	NullsFirst bool // nulls are last otherwise, in either direction
}

// leastMemory is what is taken for less.
const leastMemory = 64 << 10

func (o Options) withDefaults() Options {
	if o.Memory <= 0 {
		o.Memory = 512 << 20
	}
	o.Memory = max(o.Memory, leastMemory)
	if o.Allocator == nil {
		o.Allocator = arrowbuf.Shared()
	}
	if o.BatchRows <= 0 {
		o.BatchRows = 65536
	}
	if o.BatchBytes <= 0 {
		o.BatchBytes = 64 << 20
	}
	if o.Parallelism <= 0 {
		o.Parallelism = runtime.GOMAXPROCS(0)
	}
	return o
}

// Stats says what sorting took.
type Stats struct {
	Rows         int64 // added
	InOrder      bool  // they came in order
	Runs         int64 // spilled
	Merges       int64 // of runs into one, before the last
	SpilledBytes int64 // written to scratch files, those of merges included
}

// Sorter sorts rows. It is used by one goroutine at a time.
//
//	New, Add..., Merge, then reading; Close at any time.
type Sorter struct {
	o      Options
	schema *arrow.Schema
	plan   *keyPlan
	arena  *arrowbuf.Arena

	layouts   []*layout
	types     []arrow.DataType // as they are sorted
	gatherers []*gatherer
	varied    bool  // rows and their keys take different numbers of bytes
	rowBytes  int64 // what is the same for all rows, the key included

	chunkBytes int64 // rows in order in memory
	stageBytes int64 // rows waiting to be put in order
	pieceBytes int64 // of a batch that is added at once
	blockBytes int64
	fanBytes   int64 // blocks, one of each run
	mergeBytes int64 // all blocks
	outBytes   int64 // of a batch that is given
	maxRows    int   // of a block or a batch that is given
	dictBytes  int64 // dictionaries take now

	stage   stage
	chunk   chunk
	order   orderer
	runs    []*run
	files   []*scratch // by level
	last    []byte     // the key of the row that was added last
	weights []uint64   // scratch
	refs    []uint64   // scratch
	stats   Stats
	err     error
	merging bool
	closed  bool
}

// New returns a sorter of batches of a schema by columns. A
// column that does not exist, or whose type has no order, is ErrSchema. The caller closes the sorter.
func New(schema *arrow.Schema, by []Key, o Options) (*Sorter, error) {
	o = o.withDefaults()
	s := &Sorter{o: o, schema: schema, arena: &arrowbuf.Arena{Allocator: o.Allocator}}
	var err error
	if s.plan, err = newKeyPlan(schema, by, s.arena); err != nil {
		return nil, err
	}
	bits := int64(0)
	for i, f := range schema.Fields() {
		l := newLayout(f.Type, o.Allocator)
		s.layouts = append(s.layouts, l)
		s.types = append(s.types, l.inner)
		s.gatherers = append(s.gatherers, newGatherer(i, l, o.Allocator))
		if b, ok := alike(l.inner); ok {
			bits += b
		} else {
			s.varied = true
		}
	}
	s.rowBytes = (bits+7)/8 + int64(max(0, s.plan.width))
	s.varied = s.varied || s.plan.width < 0
	if s.varied {
		s.rowBytes += 8 // the weight, and where the key ends
	}
	s.order.e, s.order.tmp = arrowbuf.NewVec[entry](s.arena), arrowbuf.NewVec[entry](s.arena)

	m := o.Memory
	s.chunkBytes = m * 5 / 8
	s.stageBytes = min(m/16, 8<<20)
	s.pieceBytes = min(m/16, 256<<20)
	s.blockBytes = min(max(m/256, min(64<<10, m/16)), 2<<20) * 7 / 8
	s.fanBytes = m / 2
	s.mergeBytes = m * 11 / 16
	s.outBytes = min(o.BatchBytes, m/16)
	s.maxRows = min(o.BatchRows, int(m/1024))
	s.chunk.pinned = pinned{}
	s.stats.InOrder = true
	return s, nil
}

// Stats tells what was done so far.
func (s *Sorter) Stats() Stats { return s.stats }

var errClosed = errors.New("the sorter is closed")

// Add adds the rows of rec, which stays the caller's; its memory may be kept. After an error the sorter may only be closed.
func (s *Sorter) Add(ctx context.Context, rec arrow.Record) error {
	if s.err == nil && s.merging {
		s.err = errors.New("rows added after Merge")
	}
	if s.err == nil {
		s.err = s.add(ctx, rec)
	}
	return s.err
}

func (s *Sorter) add(ctx context.Context, rec arrow.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if int(rec.NumCols()) != len(s.layouts) {
		return errs.Errorf(errs.ErrSchema, "a batch of %d columns, not %d", rec.NumCols(), len(s.layouts))
	}
	for i, c := range rec.Columns() {
		if !arrow.TypeEqual(c.DataType(), s.layouts[i].outer) {
			e := errs.Errorf(errs.ErrSchema, "the batch has type %s, not %s", c.DataType(), s.layouts[i].outer)
			e.Column = s.schema.Field(i).Name
			return e
		}
	}
	return s.addRows(ctx, rec)
}

// addRows adds rec in pieces that are small beside the memory.
func (s *Sorter) addRows(ctx context.Context, rec arrow.Record) error {
	n := rec.NumRows()
	if n == 0 {
		return nil
	}
	size := s.estimate(rec)
	if size <= s.pieceBytes {
		return s.addPiece(ctx, rec)
	}
	if n == 1 {
		if size > s.o.Memory/8 {
			return s.rowTooLarge(size, 1)
		}
		return s.addPiece(ctx, rec)
	}
	rows := max(1, min(n/2, n*s.pieceBytes/size))
	for from := int64(0); from < n; from += rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		piece := rec.NewSlice(from, min(n, from+rows))
		err := s.addRows(ctx, piece)
		piece.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// estimate returns about what the rows of rec take while they are added, and at most what they take by themselves.
func (s *Sorter) estimate(rec arrow.Record) int64 {
	each := s.plan.rowBytes() + orderBytes
	if s.varied {
		each += 4
	}
	n := rec.NumRows() * each
	for i, c := range rec.Columns() {
		if s.layouts[i].same() {
			n += arrowbuf.Size(c)
		} else { // without dictionaries
			n += weightOf(c.Data())
		}
	}
	return n
}

func (s *Sorter) rowTooLarge(bytes int64, rows int) error {
	what := "a row"
	if rows > 1 {
		what = "rows"
	}
	return errs.Errorf(errs.ErrLimit, "%s of %d bytes cannot be sorted within %d bytes of memory: it may take an eighth of that", what, bytes, s.o.Memory)
}

// tooLarge explains the error of rows that no array can hold.
func (s *Sorter) tooLarge(err error) error {
	if errors.Is(err, arrowbuf.ErrOverflow) {
		return errs.Errorf(errs.ErrLimit, "%w", err)
	}
	return err
}

// addPiece adds a batch: to the chunk where it is in order, and otherwise to what waits to be put in order.
func (s *Sorter) addPiece(ctx context.Context, rec arrow.Record) error {
	b, err := s.hold(rec)
	if err != nil {
		return err
	}
	follows := s.stats.Rows == 0 || lessOrEqual(s.last, b.keys.key(0))
	ordered := b.keys.inOrder(b.n)
	s.stats.InOrder = s.stats.InOrder && ordered && follows
	s.stats.Rows += int64(b.n)
	s.last = append(s.last[:0], b.keys.key(b.n-1)...)
	if ordered && (follows && len(s.stage.batches) == 0 && b.n >= passRows || b.bytes >= s.stageBytes/4) {
		if err := s.sortStage(ctx); err != nil {
			b.release()
			return err
		}
		return s.keep(ctx, b)
	}
	g := &s.stage
	g.ordered = ordered && (len(g.batches) == 0 || g.ordered && follows)
	g.batches = append(g.batches, b)
	g.rows += b.n
	g.bytes += b.bytes + orderBytes*int64(b.n)
	if g.bytes >= s.stageBytes {
		return s.sortStage(ctx)
	}
	return nil
}

// hold makes a batch of rec.
func (s *Sorter) hold(rec arrow.Record) (*batch, error) {
	b := &batch{n: int(rec.NumRows())}
	err := s.fill(b, rec)
	if err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

func (s *Sorter) fill(b *batch, rec arrow.Record) error {
	var err error
	if b.keys, err = s.plan.make(rec.Columns(), b.n); err != nil {
		return err
	}
	s.dictBytes = 0
	for i, c := range rec.Columns() {
		d, err := s.layouts[i].enter(c.Data())
		if err != nil {
			return errs.Locate(err, errs.At{Column: s.schema.Field(i).Name})
		}
		b.cols = append(b.cols, array.MakeFromData(d))
		d.Release()
		s.layouts[i].each(func(x *dictionary) { s.dictBytes += x.bytes })
	}
	if s.dictBytes > s.o.Memory/8 {
		return errs.Errorf(errs.ErrLimit, "the dictionaries take %d bytes together, and of %d bytes of memory they may take an eighth", s.dictBytes, s.o.Memory)
	}
	s.weighRows(b)
	b.bytes = pinned{}.add(b.cols) + b.overhead()
	return nil
}

// weighRows sets the weights.
func (s *Sorter) weighRows(b *batch) {
	if !s.varied {
		return
	}
	s.weights = resize(s.weights, b.n)
	clear(s.weights)
	if b.keys.ends != nil {
		addLengths(s.weights, b.keys.ends)
	}
	for i, c := range b.cols {
		if _, ok := alike(s.types[i]); !ok {
			addWeights(s.weights, c.Data(), 0)
		}
	}
	v := arrowbuf.NewVec[uint32](s.arena)
	b.weigh = &v
	b.weights = v.Grow(b.n)
	for i, w := range s.weights {
		b.weights[i] = clip32(w)
	}
}

// Merge returns the rows in order. Nothing can be added any more. The reader's errors are those of scratch files, of ctx,
// and ErrLimit; it must be released, and read before Close.
func (s *Sorter) Merge(ctx context.Context) (array.RecordReader, error) {
	if s.err == nil && s.merging {
		s.err = errors.New("merged twice")
	}
	if s.err != nil {
		return nil, s.err
	}
	s.merging = true
	r, err := s.merge(ctx)
	s.err = err
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (s *Sorter) merge(ctx context.Context) (*reader, error) {
	if err := s.sortStage(ctx); err != nil {
		return nil, err
	}
	if len(s.runs) > 0 && s.chunk.bytes > s.fanBytes/2 {
		if err := s.spill(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.makeRoom(ctx, s.chunk.bytes); err != nil {
		return nil, err
	}
	m, err := newMerger(ctx, s, s.runs, &s.chunk)
	if err != nil {
		return nil, err
	}
	return &reader{s: s, ctx: ctx, refs: 1, src: m}, nil
}

// Close frees everything and closes the scratch files. It may be called twice.
func (s *Sorter) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.stage.release()
	s.order.release()
	s.chunk.release()
	var err error
	for _, f := range s.files {
		if f != nil {
			err = errors.Join(err, f.f.Close())
		}
	}
	s.files, s.runs = nil, nil
	for _, l := range s.layouts {
		l.each((*dictionary).release)
	}
	if s.err == nil {
		s.err = errClosed
	}
	if err != nil {
		return scratchError(err)
	}
	return nil
}
