package parquet

import (
	"context"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
)

func TestConformance(t *testing.T) {
	for _, name := range []string{"groups.parquet", "nested.parquet"} {
		t.Run(name, func(t *testing.T) {
			conformance.Run(t, conformance.Harness{
				Source: local.NewBytesSource(fixture(t, name)),
				Scans:  6,
				Open: func(ctx context.Context, src arrowio.Source) (arrowio.File, error) {
					return Format().Open(ctx, src, arrowio.OpenOptions{})
				},
			})
		})
	}
}
