package tracing

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// scope is what the spans say of where they were made.
const scope = "github.com/arrowio/arrowio"

// Recording reports whether spans below ctx are kept: whether it is worth to find out what they say.
func Recording(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

// Start begins a span below that of ctx. The caller ends it with End.
func Start(ctx context.Context, name string) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, noop.Span{}
	}
	return parent.TracerProvider().Tracer(scope).Start(ctx, name)
}

// End ends a span with what became of it. A call that its client gave up is no error.
func End(span trace.Span, err error, attributes ...attribute.KeyValue) {
	span.SetAttributes(attributes...)
	if err != nil && !errors.Is(err, context.Canceled) {
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}

// ID returns the id of the trace of ctx, 32 hexadecimal digits; "" = none.
func ID(ctx context.Context) string {
	c := trace.SpanContextFromContext(ctx)
	if !c.HasTraceID() {
		return ""
	}
	return c.TraceID().String()
}
