package avro

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// Files of all shapes behave as the contract says, in one split and in many.
func TestConformance(t *testing.T) {
	paths := []string{
		fastavro + "types-null.avro", fastavro + "types-deflate.avro", fastavro + "types-snappy.avro", fastavro + "empty.avro",
		fastavro + "top-long.avro", fastavro + "top-union.avro", fastavro + "top-array.avro", fastavro + "no-fields.avro", fastavro + "nulls.avro",
	}
	more, err := filepath.Glob(java + "*.avro")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, more...) {
		src := local.NewBytesSource(fixtures.Read(t, path))
		for _, size := range []int64{splitBytes, 1500} {
			name := filepath.Base(path)
			if size < splitBytes {
				name += "/small-splits"
			}
			t.Run(name, func(t *testing.T) {
				conformance.Run(t, conformance.Harness{
					Source: src,
					Scans:  8,
					Open: func(ctx context.Context, src arrowio.Source) (arrowio.File, error) {
						f, err := open(ctx, src, arrowio.OpenOptions{})
						if err != nil {
							return nil, err
						}
						f.splitBytes = size
						return f, f.cut(ctx, false)
					},
				})
			})
		}
	}
}
