package arrowio

import (
	"context"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/workers"
)

// Refuser is implemented by files that may have columns that cannot be read. File.Read returns the error of such a column even
// if no row is wanted.
type Refuser interface {
	// Refuses reports whether the file has such columns.
	Refuses() bool
}

// Check returns the error that ScanFragments with o would return before its first row if a column cannot be read. It opens the
// files that the scan may open, and reads no rows.
func (o ScanOptions) Check(ctx context.Context, schema *arrow.Schema, fragments []Fragment) error {
	p, err := newPlan(schema, o)
	if err != nil {
		return err
	}
	columns := p.out
	if p.filter != nil {
		columns = p.filter.both.Projection
	}
	js := &jobs{p: p, fragments: fragments}
	defer js.end()
	for len(js.fragments) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if js.needless() {
			continue
		}
		js.close()
		if err := js.open(ctx); err != nil {
			return err
		}
		if err := js.file.check(ctx, columns); err != nil {
			return err
		}
	}
	return nil
}

// check returns the error of a column of p that cannot be read.
func (f *openFile) check(ctx context.Context, p Projection) error {
	splits := f.Splits()
	if r, ok := As[Refuser](f.File); !ok || !r.Refuses() || len(splits) == 0 {
		return nil
	}
	j := &job{file: f, split: splits[0], rows: RowRange{0, math.MaxInt64}}
	return j.located(workers.Guard(func() error {
		r, err := f.Read(ctx, j.split, RowSet{}, p, memory.DefaultAllocator)
		if err != nil {
			return err
		}
		return r.Close()
	}))
}
