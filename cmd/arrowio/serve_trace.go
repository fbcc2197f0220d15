package main

import (
	"context"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/grpc"

	"github.com/arrowio/arrowio/flight"
)

// traceFlags are the flags of serve about traces.
type traceFlags struct{ endpoint string }

func (f *traceFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.endpoint, "otlp-endpoint", "", "send traces of calls, scans and reads from stores to the OpenTelemetry collector at `URL`, such as http://127.0.0.1:4317, by gRPC (default: what the environment's OTEL_EXPORTER_OTLP_ENDPOINT names, or none)")
}

// on reports whether calls are traced, as the flag and OpenTelemetry's own variables say.
func (f *traceFlags) on() bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || strings.EqualFold(os.Getenv("OTEL_TRACES_EXPORTER"), "none") {
		return false
	}
	return f.endpoint != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// lastSpans is how long the end of serve waits for a collector that does not answer.
const lastSpans = 5 * time.Second

// apply has calls traced; stop sends what was not sent yet. A collector that cannot be reached is logged, and stops nothing.
func (f *traceFlags) apply(ctx context.Context, o *flight.Options, text flight.StatementText) (stop func(), err error) {
	if !f.on() {
		return func() {}, nil
	}
	var to []otlptracegrpc.Option
	if f.endpoint != "" {
		u, err := url.Parse(f.endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, usagef("serve: --otlp-endpoint is %q; it is a URL such as http://127.0.0.1:4317, or https:// for a collector with TLS", f.endpoint)
		}
		to = append(to, otlptracegrpc.WithEndpointURL(f.endpoint))
	}
	exporter, err := otlptracegrpc.New(ctx, to...)
	if err != nil {
		return nil, usagef("serve: traces cannot be sent: %w", err)
	}
	// What the environment says of the resource counts more than what is said here.
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "arrowio"),
		attribute.String("service.version", buildVersion().Version)), resource.WithTelemetrySDK(), resource.WithHost(), resource.WithFromEnv())
	if err != nil {
		return nil, usagef("serve: traces: %w", err)
	}
	log := o.Logger
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces were not sent", "error", err.Error()) }))
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about))
	o.TraceStatements = text
	o.GRPC = append(o.GRPC, grpc.StatsHandler(otelgrpc.NewServerHandler(otelgrpc.WithTracerProvider(provider),
		otelgrpc.WithPropagators(propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})))))
	return func() {
		ctx, end := context.WithTimeout(context.WithoutCancel(ctx), lastSpans)
		defer end()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("traces were not sent", "error", err.Error())
		}
	}, nil
}
