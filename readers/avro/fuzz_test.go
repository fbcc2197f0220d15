package avro

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// FuzzFile reads any bytes under small limits: what comes out is valid, errors have a format, no memory stays.
func FuzzFile(f *testing.F) {
	for _, pattern := range []string{fastavro + "*.avro", java + "*.avro"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, p := range paths {
			f.Add(fixtures.Read(f, p))
		}
	}
	limits := arrowio.Limits{MetadataBytes: 1 << 20, BlockBytes: 1 << 20, BatchBytes: 8 << 20, BatchElements: 1 << 16, Columns: 1000}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, table := range []bool{false, true} {
			fuzz(t, b, limits, table)
		}
	})
}

// fuzz reads bytes as any file, or as one of a table.
func fuzz(t *testing.T, b []byte, limits arrowio.Limits, table bool) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	x, err := Format().Open(context.Background(), local.NewBytesSource(b), arrowio.OpenOptions{Limits: limits})
	if err == nil && table {
		err = x.(*file).AsTableFile()
	}
	if err == nil {
		var rec interface{ Release() }
		if r, e := conformance.Collect(t, x, mem, 1000); r != nil {
			rec, err = r, e
		} else {
			err = e
		}
		if rec != nil {
			rec.Release()
		}
	}
	if err != nil {
		if a, _ := errs.Where(err); a.Format != Name {
			t.Errorf("no format: %v", err)
		}
	}
}
