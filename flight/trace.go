package flight

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// trace tells the span of a call, which the gRPC server began, what the call was and how much it gave. Without a span it does nothing.
func (s *Server) trace(ctx context.Context, c *Call) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	rows, batches, bytes := c.Sent()
	span.SetAttributes(attribute.String("arrowio.request_id", c.ID), attribute.Int64("arrowio.rows", rows),
		attribute.Int64("arrowio.batches", batches), attribute.Int64("arrowio.bytes", bytes))
	put, stored := c.Put()
	for _, a := range []attribute.KeyValue{
		attribute.String("enduser.id", c.Client.Name), attribute.String("arrowio.dataset", c.Dataset()),
		attribute.String("db.query.text", s.o.TraceStatements.of(c)), attribute.Int64("arrowio.put_rows", put), attribute.Int64("arrowio.put_bytes", stored),
	} {
		if v := a.Value.String(); v != "" && v != "0" {
			span.SetAttributes(a)
		}
	}
}
