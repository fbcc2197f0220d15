package tracing_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/arrowio/arrowio/internal/tracing"
)

func TestWithoutSpan(t *testing.T) {
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		in, span := tracing.Start(ctx, "scan")
		tracing.End(span, nil)
		if in != ctx || tracing.Recording(in) || tracing.ID(in) != "" {
			t.Error(in)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestSpans(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	p := trace.NewTracerProvider(trace.WithSyncer(kept))
	ctx, root := p.Tracer("t").Start(t.Context(), "call")
	for _, err := range []error{nil, errors.New("no"), fmt.Errorf("given up: %w", context.Canceled)} {
		_, span := tracing.Start(ctx, "scan")
		tracing.End(span, err, attribute.Int("n", 1))
	}
	spans := kept.GetSpans()
	if len(spans) != 3 || tracing.ID(ctx) != root.SpanContext().TraceID().String() {
		t.Fatal(spans)
	}
	for i, want := range []codes.Code{codes.Unset, codes.Error, codes.Unset} {
		s := spans[i]
		if s.Status.Code != want || s.Parent.SpanID() != root.SpanContext().SpanID() || len(s.Attributes) != 1 {
			t.Error(i, s)
		}
	}
	root.End()
}
