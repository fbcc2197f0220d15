package csv

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
	b.WriteString("id,text,when,ratio,flag\n")
	for i := range 300 {
		fmt.Fprintf(&b, "%d,\"a, %d\",2020-01-%02d 10:00:00.5,%d.25,%v\n", i, i%7, 1+i%28, i, i%3 == 0)
		if i%11 == 0 {
			b.WriteString(",,,,\n")
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
