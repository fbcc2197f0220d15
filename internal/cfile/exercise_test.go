package cfile

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// smallLimits are those of files that are made to do harm, so that it can be seen early.
var smallLimits = arrowio.Limits{
	MetadataBytes: 1 << 20, BlockBytes: 1 << 20, ValueBytes: 1 << 20, DictionaryBytes: 1 << 20, SplitBytes: 1 << 22, BatchBytes: 1 << 22,
	BatchElements: 1 << 16, Splits: 1000,
}

// mostRows is how many rows are read of a file that may have any number.
const mostRows = 1 << 15

// exercise does with a file all that can be done with one, and returns the error, if any, that reading its rows came to.
// Ways of doing the same must agree.
func exercise(t testing.TB, b []byte, o Options) error {
	t.Helper()
	ctx := context.Background()
	f, err := Open(ctx, local.NewBytesSource(b), smallLimits, o)
	if err != nil {
		checkError(t, err)
		return err
	}
	defer f.Close()
	if err := f.show(ctx); err != nil {
		checkError(t, err)
	}
	exerciseKeys(t, f)
	if f.Rows() > mostRows {
		exerciseEnds(t, f)
		return errEnough
	}
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	first, errFirst := conformance.Collect(t, f, mem, 1<<16)
	if first != nil {
		defer first.Release()
	}
	if err := scanAll(f, mem); (err == nil) != (errFirst == nil) {
		t.Errorf("a scan: %v; the driver: %v", err, errFirst)
	}
	if f.kind == cfilewire.ColumnFile && f.Rows() > 0 {
		recut(f, 5)
	}
	second, errSecond := conformance.Collect(t, f, mem, 3)
	if second != nil {
		defer second.Release()
	}
	limited := false
	for _, err := range []error{errFirst, errSecond} {
		if err != nil {
			checkError(t, err)
			limited = limited || errors.Is(err, errs.ErrLimit) || errors.Is(err, errs.ErrSchema)
		}
	}
	switch {
	case (errFirst == nil) != (errSecond == nil) && !limited:
		t.Errorf("batches of 65536: %v; of 3: %v", errFirst, errSecond)
	case errFirst == nil && errSecond == nil && first != nil:
		if err := conformance.Equal(first, second); err != nil {
			t.Errorf("batches of 65536 and of 3: %v", err)
		}
	}
	if errFirst != nil && !limited && f.kind != cfilewire.BloomFile {
		exerciseVerify(t, f, errFirst)
	}
	return errFirst
}

// scanAll reads all rows as users do.
func scanAll(f *File, mem memory.Allocator) error {
	s, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Allocator: mem, Parallelism: 1, BatchRows: 1 << 16})
	if err != nil {
		return err
	}
	defer s.Release()
	for s.Next() {
	}
	return s.Err()
}

// show does what is done for people to see.
func (f *File) show(ctx context.Context) error {
	_, err := f.Info(ctx, arrowio.InfoOptions{Blocks: true, Checksums: true})
	if d, ok := any(f).(arrowio.Dumper); ok && err == nil {
		err = d.Dump(ctx, io.Discard)
	}
	return err
}

// exerciseVerify checks that whoever verifies the file finds what is wrong with it, too.
func exerciseVerify(t testing.TB, f *File, read error) {
	t.Helper()
	v, ok := any(f).(arrowio.Verifier)
	if !ok {
		return
	}
	faults := 0
	err := v.Verify(context.Background(), func(err error) {
		faults++
		checkError(t, err)
	})
	if err != nil {
		checkError(t, err)
		faults++
	}
	if faults == 0 {
		t.Errorf("verify finds nothing, but %v", read)
	}
}

// exerciseEnds reads a few rows of a file that has too many.
func exerciseEnds(t testing.TB, f *File) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	n := f.Rows()
	for _, rows := range []arrowio.RowRange{{End: 100_000}, {Start: n / 2, End: n/2 + 3}, {Start: n - 1, End: n}} {
		s, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{Rows: rows, Allocator: mem, Parallelism: 1})
		if err != nil {
			t.Error(err)
			return
		}
		for batches := 0; batches < 2 && s.Next(); batches++ {
			if err := conformance.ValidateRecord(s.Record()); err != nil {
				t.Error(err)
			}
		}
		if s.Err() != nil {
			checkError(t, s.Err())
		}
		s.Release()
	}
}

// exerciseKeys looks for keys, and for changes, whatever the file is.
func exerciseKeys(t testing.TB, f *File) {
	t.Helper()
	ctx := context.Background()
	entries, err := f.values(ctx)
	if err != nil {
		checkError(t, err)
	}
	keys := [][]byte{nil, {0}, {0x80, 0, 0, 7}, {255, 255, 255, 255}}
	for _, e := range entries[:min(len(entries), 20)] {
		keys = append(keys, e.key)
	}
	if d, err := f.NewFinder(ctx); err != nil {
		checkError(t, err)
	} else {
		for _, k := range keys {
			if row, ok, err := d.Find(k); err != nil {
				checkError(t, err)
			} else if ok && (row < 0 || row >= f.Rows()) {
				t.Errorf("%x is row %d of %d", k, row, f.Rows())
			}
		}
	}
	for _, k := range keys {
		if _, err := f.MayContainKey(ctx, k); err != nil {
			checkError(t, err)
		}
	}
	if d, err := f.NewDeltas(ctx, arrowio.RowRange{Start: 1, End: 1 << 20}, nil); err != nil {
		checkError(t, err)
	} else {
		for d.Next() {
			_, c, err := cfilewire.ParseChange(d.Change)
			for err == nil && c.Next() {
			}
		}
		if d.Err != nil {
			checkError(t, d.Err)
		}
	}
	exercisePrune(t, f)
}

// exercisePrune asks which rows may pass, of the column or of the keys in it.
func exercisePrune(t testing.TB, f *File) {
	t.Helper()
	ctx := context.Background()
	field := f.Schema().Field(0)
	e, err := expr.Parse(field.Name + " IS NOT NULL AND " + field.Name + " = " + field.Name)
	if err != nil || !field.Nullable {
		e = expr.Not{X: expr.IsNull{Col: field.Name}}
	}
	if b, err := expr.Bind(e, f.Schema()); err == nil {
		for _, s := range f.Splits() {
			if rows, err := f.Prune(ctx, s, b); err != nil {
				checkError(t, err)
			} else if f.kind == cfilewire.ColumnFile && !field.Nullable && rows.Len() > s.Rows.Len() {
				t.Errorf("%d rows of %d", rows.Len(), s.Rows.Len())
			}
		}
	}
	types := []cfilewire.DataType{cfilewire.Int16, cfilewire.String, cfilewire.Decimal32}
	var parts []KeyPart
	var fields []arrow.Field
	for i, typ := range types {
		dt, _, err := cfilewire.ArrowType(typ, cfilewire.ArrowOptions{})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, KeyPart{Path: string(rune('a' + i)), Type: typ, Arrow: dt})
		fields = append(fields, arrow.Field{Name: parts[i].Path, Type: dt})
	}
	k, err := f.NewKeyPruner(ctx, parts)
	if err != nil {
		checkError(t, err)
		return
	}
	for _, text := range []string{"a = 5", "a > 100 AND b < 'x'", "b = 'a' OR c = 7", "a IN (1, 2, 3)"} {
		e, err := expr.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		b, err := expr.Bind(e, arrow.NewSchema(fields, nil))
		if err != nil {
			t.Fatal(err)
		}
		k.May(b)
		if _, err := k.Prune(ctx, arrowio.RowRange{End: f.Rows()}, b); err != nil {
			checkError(t, err)
		}
	}
}
