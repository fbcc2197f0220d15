package ipc

import (
	"context"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
)

func TestConformance(t *testing.T) {
	for _, name := range []string{"batches.arrow", "types_zstd.arrows", "dict_delta.arrow", "dict_replace.arrows", "empty.arrows"} {
		t.Run(name, func(t *testing.T) {
			f := Format()
			if strings.HasSuffix(name, ".arrows") {
				f = StreamFormat()
			}
			conformance.Run(t, conformance.Harness{
				Source: local.NewBytesSource(fixture(t, name)),
				Scans:  12,
				Open: func(ctx context.Context, src arrowio.Source) (arrowio.File, error) {
					return f.Open(ctx, src, arrowio.OpenOptions{})
				},
			})
		})
	}
}
