package orc

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
)

// checkSalvage salvages a file. What opens can be read; the rows of a sound file are all of it.
func checkSalvage(t *testing.T, b []byte, mode string, schema *arrow.Schema) {
	ctx := context.Background()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	var want arrow.Record
	if f, err := Open(ctx, local.NewBytesSource(b), fuzzLimits, Options{}); err == nil {
		defer f.Close()
		if f.footer.Rows > fuzzRows {
			return
		}
		faults := 0
		if err := f.Verify(ctx, func(error) { faults++ }); err == nil && faults == 0 {
			if want, err = conformance.Collect(t, f, mem, 1<<16); err != nil {
				want = nil
			}
		}
	}
	if want != nil {
		defer want.Release()
	}
	f, err := Format().Open(ctx, local.NewBytesSource(b), arrowio.OpenOptions{Limits: fuzzLimits, Options: map[string]string{"salvage": mode}, Schema: schema})
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
	rows := int64(0)
	for _, s := range f.Splits() {
		rows += s.Rows.Len()
	}
	if rows > fuzzRows {
		return
	}
	got, err := conformance.Collect(t, f, mem, 1<<16)
	if got != nil {
		defer got.Release()
	}
	switch {
	case err != nil && !errors.Is(err, errs.ErrLimit) && !errors.Is(err, errs.ErrBeyondNanoseconds):
		t.Errorf("what was salvaged cannot be read: %v", err)
	case err == nil && want != nil:
		if err := conformance.Equal(want, got); err != nil {
			t.Errorf("a sound file: %v", err)
		}
	}
}

// FuzzSalvage salvages any bytes.
func FuzzSalvage(f *testing.F) {
	seeds(f, 2<<10, func(b []byte) {
		f.Add(b)
		f.Add(b[:len(b)*3/4])
		f.Add(append([]byte("ORC....."), b...))
	})
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<14 {
			return
		}
		checkSalvage(t, b, "rows", nil)
		checkSalvage(t, b, "columns", schema)
	})
}
