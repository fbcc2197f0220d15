package jsonl

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
)

func TestConformance(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, `{"id":%d,"s":"v%d","o":{"x":[%d,null],"y":{"z":%d.5}},"l":[{"k":"%d"}]}`+"\n", i, i%5, i, i, i)
		if i%13 == 0 {
			b.WriteString("{\"o\":{\"y\":null}}\n")
		}
	}
	conformance.Run(t, conformance.Harness{
		Source: local.NewBytesSource([]byte(b.String())),
		Scans:  40,
		Open: func(ctx context.Context, src arrowio.Source) (arrowio.File, error) {
			return Format().Open(ctx, src, arrowio.OpenOptions{})
		},
	})
}
