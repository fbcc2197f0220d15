package salvagetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/salvage"
)

// Bytes are the bytes of a file, sound or not, and how they are read.
type Bytes struct {
	Format  arrowio.Format
	Data    []byte
	Open    arrowio.OpenOptions // its option salvage is set by Check
	MaxRows int64               // files with more rows are not read
	Limits  []error             // what reading may fail with where bytes are sound, such as errs.ErrLimit
}

// Check salvages b in a mode, "rows" or "columns". What opens must be readable; of a file in which verifying finds no fault all rows
// must come back, equal to those that are read without salvaging.
func Check(t *testing.T, b Bytes, mode string) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	plain := b.Open
	plain.Schema = nil
	want, large := sound(t, b, plain, mem)
	if large {
		return
	}
	if want != nil {
		defer want.Release()
	}
	o := b.Open
	o.Options = map[string]string{salvage.Option: mode}
	f, err := b.Format.Open(context.Background(), local.NewBytesSource(b.Data), o)
	if err != nil {
		if errors.Is(err, errs.ErrInternal) {
			t.Error(err)
		}
		if want != nil && !errors.Is(err, errs.ErrLimit) {
			t.Errorf("a sound file: %v", err)
		}
		return
	}
	defer f.Close()
	if rowsOf(f) > b.MaxRows {
		return
	}
	got, err := conformance.Collect(t, f, mem, 1<<16)
	if got != nil {
		defer got.Release()
	}
	switch {
	case err != nil && !slices.ContainsFunc(b.Limits, func(limit error) bool { return errors.Is(err, limit) }):
		t.Errorf("what was salvaged cannot be read: %v", err)
	case err == nil && want != nil:
		if err := equal(want, got, mode); err != nil {
			t.Errorf("a sound file: %v", err)
		}
	}
}

// equal compares rows. In the mode "columns" every column may be null, so that schemas differ in that, and the values are compared.
func equal(want, got arrow.Record, mode string) error {
	if mode != "columns" || got == nil {
		return conformance.Equal(want, got)
	}
	if want.NumRows() != got.NumRows() || want.NumCols() != got.NumCols() {
		return fmt.Errorf("%d rows of %d columns, not %d of %d", got.NumRows(), got.NumCols(), want.NumRows(), want.NumCols())
	}
	for i, c := range want.Columns() {
		if w, g := c.String(), got.Column(i).String(); w != g {
			return fmt.Errorf("column %q is %s, not %s", want.ColumnName(i), g, w)
		}
	}
	return nil
}

// sound returns the rows of a file without faults; nil = it has some, or no rows. large = it has more rows than are read.
func sound(t *testing.T, b Bytes, o arrowio.OpenOptions, mem memory.Allocator) (rows arrow.Record, large bool) {
	ctx := context.Background()
	f, err := b.Format.Open(ctx, local.NewBytesSource(b.Data), o)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	if rowsOf(f) > b.MaxRows {
		return nil, true
	}
	faults := 0
	if err := f.(arrowio.Verifier).Verify(ctx, func(error) { faults++ }); err != nil || faults > 0 {
		return nil, false
	}
	rows, err = conformance.Collect(t, f, mem, 1<<16)
	if err != nil && rows != nil {
		rows.Release()
		rows = nil
	}
	return rows, false
}

func rowsOf(f arrowio.File) int64 {
	n := int64(0)
	for _, s := range f.Splits() {
		n += s.Rows.Len()
	}
	return n
}
