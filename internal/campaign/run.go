package campaign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowcheck"
	"github.com/arrowio/arrowio/internal/workers"
)

// Limits are what a case may take. A sound input of a campaign takes a hundredth of them.
type Limits struct {
	Time  time.Duration // of one case; default 5 s
	Bytes int64         // allocated in one case, freed ones included; default 1 GiB
}

func (l Limits) withDefaults() Limits {
	if l.Time == 0 {
		l.Time = 5 * time.Second
	}
	if l.Bytes == 0 {
		l.Bytes = 1 << 30
	}
	return l
}

// readLimits are what readers are opened with: small enough that a case within them is within Limits.
var readLimits = arrowio.Limits{
	MetadataBytes: 8 << 20, BlockBytes: 8 << 20, ValueBytes: 8 << 20, DictionaryBytes: 8 << 20, SplitBytes: 32 << 20,
	BatchBytes: 32 << 20, BatchElements: 1 << 20, Columns: 10_000,
}

// Result is what came of one case.
type Result struct {
	Outcome Outcome
	Text    string // the error, or what differs
	Took    time.Duration
	Bytes   int64
}

// oneCase is an input, damaged or not, and what reading it took.
type oneCase struct {
	in   *Input
	b    []byte
	mem  meter
	dump bool
	told int // faults of Verify and warnings
}

func newCase(in *Input, b []byte) *oneCase { return &oneCase{in: in, b: b} }

func (c *oneCase) open(ctx context.Context) (arrowio.File, error) {
	o := arrowio.OpenOptions{Limits: readLimits, Options: c.in.options, Schema: c.in.schema}
	if c.in.dir != "" {
		return c.in.Format.OpenPath(ctx, c.in.dir, o)
	}
	return c.in.Format.Open(ctx, local.NewBytesSource(c.b), o)
}

var (
	errMany    = errors.New("more rows than a campaign reads")
	errInvalid = errors.New("invalid batch")
)

// scan returns the rows that satisfy a filter as one record, nil for none. The caller releases it.
func (c *oneCase) scan(ctx context.Context, f arrowio.File, filter expr.Expr) (arrow.Record, error) {
	s, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{Filter: filter, Parallelism: 1, Allocator: &c.mem})
	if err != nil {
		return nil, err
	}
	defer s.Release()
	var recs []arrow.Record
	defer func() {
		for _, r := range recs {
			r.Release()
		}
	}()
	rows := int64(0)
	for s.Next() {
		r := s.Record()
		if err := arrowcheck.Record(r); err != nil {
			return nil, fmt.Errorf("%w: %w", errInvalid, err)
		}
		if rows += r.NumRows(); rows > 10*mostRows {
			return nil, errMany
		}
		r.Retain()
		recs = append(recs, r)
	}
	if s.Err() != nil || len(recs) == 0 {
		return nil, s.Err()
	}
	return arrowbuf.Concat(recs, &c.mem)
}

// unpruned is a file whose filters leave out nothing before rows are decoded.
type unpruned struct{ arrowio.File }

func (unpruned) Prune(_ context.Context, s arrowio.Split, _ *expr.Bound) (arrowio.RowSet, error) {
	return arrowio.RowSet{s.Rows}, nil
}

// Run damages an input and reads it. rng chooses the filter.
func Run(ctx context.Context, in *Input, ops []Op, rng *rand.Rand, l Limits) Result {
	l = l.withDefaults()
	c := newCase(in, damage(in.Bytes, ops))
	if in.dir != "" {
		if err := os.WriteFile(in.file, c.b, 0o600); err != nil {
			return Result{Outcome: Panic, Text: err.Error()}
		}
		defer func() { _ = os.WriteFile(in.file, in.Bytes, 0o600) }()
	}
	var filter expr.Expr
	if len(in.filters) > 0 {
		filter = in.filters[rng.Intn(len(in.filters))]
	}
	c.dump = rng.Intn(8) == 0 // it takes as long as all the rest
	before, start := allocated(), time.Now()
	r := c.guarded(ctx, filter)
	r.Took, r.Bytes = time.Since(start), allocated()-before
	switch {
	case r.Outcome == Panic:
	case c.mem.used.Load() != 0:
		r.Outcome, r.Text = Leak, fmt.Sprintf("%d bytes are not given back: %s", c.mem.used.Load(), r.Text)
	case r.Took > l.Time:
		r.Outcome, r.Text = Slow, fmt.Sprintf("%v: %s", r.Took, r.Text)
	case r.Bytes > l.Bytes:
		r.Outcome, r.Text = Large, fmt.Sprintf("%d MiB: %s", r.Bytes>>20, r.Text)
	}
	return r
}

func (c *oneCase) guarded(ctx context.Context, filter expr.Expr) (r Result) {
	err := workers.Catch(func() error {
		r = c.read(ctx, filter)
		return nil
	})
	if err != nil {
		return Result{Outcome: Panic, Text: err.Error()}
	}
	return r
}

// read does with a file all that there is.
func (c *oneCase) read(ctx context.Context, filter expr.Expr) Result {
	f, err := c.open(ctx)
	if err != nil {
		return c.failed("open", err)
	}
	defer f.Close()
	if _, err := f.Info(ctx, arrowio.InfoOptions{Blocks: true, Checksums: true}); err != nil {
		if r := c.failed("info", err); r.Outcome != Refused {
			return r
		}
	}
	if d, ok := arrowio.As[arrowio.Dumper](f); ok && c.dump {
		if err := d.Dump(ctx, io.Discard); err != nil {
			if r := c.failed("dump", err); r.Outcome != Refused {
				return r
			}
		}
	}
	if r := c.verify(ctx, f); r.Outcome != Same {
		return r
	}
	rec, err := c.scan(ctx, f, nil)
	defer func() { release(rec) }()
	result := c.compare(rec, err)
	if filter != nil {
		if _, err := expr.Bind(filter, f.Schema()); err != nil {
			return result // the schema is another one
		}
	}
	if filter == nil || result.Outcome.Find() || err != nil && !errors.Is(err, errMany) {
		return result
	}
	if r := c.filtered(ctx, f, filter); r.Outcome != Same {
		return r
	}
	return result
}

// verify counts faults and warnings. It returns Same, or what is wrong with them.
func (c *oneCase) verify(ctx context.Context, f arrowio.File) (r Result) {
	c.told += len(arrowio.WarningsOf(f))
	v, ok := arrowio.As[arrowio.Verifier](f)
	if !ok {
		return r
	}
	err := v.Verify(ctx, func(err error) {
		c.told++
		if x := c.failed("fault", err); x.Outcome != Refused && r.Outcome == Same {
			r = x
		}
	})
	if err != nil {
		c.told++
		if x := c.failed("verify", err); x.Outcome != Refused && r.Outcome == Same {
			r = x
		}
	}
	return r
}

// compare holds rows that were read against those of the sound file.
func (c *oneCase) compare(rec arrow.Record, err error) Result {
	switch {
	case errors.Is(err, errMany): // they are others
	case err != nil:
		return c.failed("scan", err)
	default:
		if err = equal(c.in.rows, rec); err == nil {
			return Result{}
		}
	}
	if c.told > 0 {
		return Result{Outcome: Told, Text: err.Error()}
	}
	return Result{Outcome: Untold, Text: err.Error()}
}

// filtered compares what a filter gives with pruning and without. An error of either is as good as its absence.
func (c *oneCase) filtered(ctx context.Context, f arrowio.File, filter expr.Expr) Result {
	want, err := c.scan(ctx, unpruned{f}, filter)
	defer func() { release(want) }()
	if err != nil {
		return c.unless(Refused, "scan with a filter", err)
	}
	got, err := c.scan(ctx, f, filter)
	defer func() { release(got) }()
	if err != nil {
		return c.unless(Refused, "scan with a filter, pruned", err)
	}
	if err := equal(want, got); err != nil {
		text := fmt.Sprintf("%s: with pruning %v", filter, err)
		if c.told > 0 {
			return Result{Outcome: Misled, Text: text}
		}
		return Result{Outcome: MisledYet, Text: text}
	}
	return Result{}
}

// unless returns what an error means, and Same where that is the outcome given.
func (c *oneCase) unless(o Outcome, doing string, err error) Result {
	if r := c.failed(doing, err); r.Outcome != o && !errors.Is(err, errMany) {
		return r
	}
	return Result{}
}

// equal compares two records, either of which may be nil for no rows.
func equal(want, got arrow.Record) error {
	rows := func(r arrow.Record) int64 {
		if r == nil {
			return 0
		}
		return r.NumRows()
	}
	if rows(want) == 0 || rows(got) == 0 {
		if rows(want) != rows(got) {
			return fmt.Errorf("%d rows, not %d", rows(got), rows(want))
		}
		return nil
	}
	return conformance.Equal(want, got)
}

// failed says what an error is worth: Refused if it tells format and place.
func (c *oneCase) failed(doing string, err error) Result {
	r := Result{Outcome: Refused, Text: doing + ": " + err.Error()}
	var e *errs.Error
	switch {
	case errors.Is(err, errMany):
		r.Outcome = Untold
	case errors.Is(err, errInvalid):
		r.Outcome = Invalid
	case errors.Is(err, errs.ErrInternal):
		r.Outcome = Panic
	case !errors.As(err, &e) || e.Kind == 0 || e.Kind == errs.ErrOption || !c.placed(e):
		r.Outcome = Unplaced
	}
	return r
}

// placed reports whether an error tells the format and an offset within the file, or a split; of text, a line. What has no such place is a
// schema that the options do not fit.
func (c *oneCase) placed(e *errs.Error) bool {
	switch {
	case e.Format == "":
		return false
	case c.in.dir != "": // of many files: which tablet, block or file
		return e.Op != ""
	case e.Off > int64(len(c.b)):
		return false
	case c.in.Format.Name == "csv" || c.in.Format.Name == "jsonl":
		return e.Off >= 0 || e.Column != "" || strings.Contains(e.Error(), "line ")
	case e.Kind == errs.ErrSchema:
		return e.Column != "" || e.Off >= 0 || e.Split >= 0
	}
	return e.Off >= 0 || e.Split >= 0
}
