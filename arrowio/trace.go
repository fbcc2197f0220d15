package arrowio

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/arrowio/arrowio/internal/tracing"
)

// traced is the span of a scan, where the context that it was begun with has one that is recorded.
type traced struct{ span trace.Span }

// begin makes ctx that of the scan.
func (t *traced) begin(ctx context.Context) context.Context {
	if tracing.Recording(ctx) {
		ctx, t.span = tracing.Start(ctx, "scan")
	}
	return ctx
}

// end says what the scan has done.
func (t *traced) end(s ScanStats, err error) {
	if t.span == nil {
		return
	}
	tracing.End(t.span, err, attribute.Int64("arrowio.rows", s.Rows), attribute.Int64("arrowio.arrow_bytes", s.Bytes),
		attribute.Int64("arrowio.splits", s.Splits), attribute.Int64("arrowio.splits_pruned", s.SplitsPruned),
		attribute.Int64("arrowio.rows_pruned", s.RowsPruned), attribute.Int64("arrowio.rows_filtered", s.RowsFiltered))
}

// open opens the fragment, as a span of its own.
func (f *Fragment) open(ctx context.Context) (File, error) {
	if f.Name == "" || !tracing.Recording(ctx) {
		return f.Open(ctx)
	}
	ctx, span := tracing.Start(ctx, "open")
	file, err := f.Open(ctx)
	tracing.End(span, err, attribute.String("arrowio.file", f.Name))
	return file, err
}
