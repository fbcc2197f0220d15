package main

import (
	"context"
	"encoding/hex"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/arrowio/arrowio/internal/s3fake"
)

// spanCollector is an OpenTelemetry collector that keeps what it gets.
type spanCollector struct {
	collector.UnimplementedTraceServiceServer
	mu       sync.Mutex
	spans    []*trace.Span
	services []string
}

func (c *spanCollector) Export(_ context.Context, r *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range r.ResourceSpans {
		c.services = append(c.services, attributeOf(&trace.Span{Attributes: of.Resource.Attributes}, "service.name"))
		for _, in := range of.ScopeSpans {
			c.spans = append(c.spans, in.Spans...)
		}
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

// collects returns a collector that listens, and its URL.
func collects(t *testing.T) (*spanCollector, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, s := &spanCollector{}, grpc.NewServer()
	collector.RegisterTraceServiceServer(s, c)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return c, "http://" + l.Addr().String()
}

func attributeOf(s *trace.Span, key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return strings.Trim(a.Value.String()[strings.IndexByte(a.Value.String(), ':')+1:], `"`)
		}
	}
	return ""
}

// below returns the spans of a name under one of the others.
func (c *spanCollector) below(parent []byte, name string) (out []*trace.Span) {
	for _, s := range c.spans {
		if s.Name == name && string(s.ParentSpanId) == string(parent) {
			out = append(out, s)
		}
	}
	return out
}

// A call belongs to the trace of its client; what it opens, scans and reads from a store is told below it. Values of filters are not told.
func TestTraces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.orc") // longer than what opening it reads of its end
	in := "../../testdata/orc/java-2.3.1/pruning.orc"
	ok(t, "convert", "--compression", "none", in, in, in, in, in, in, in, in, path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s3 := s3fake.New(t)
	s3.Put(t, "events.orc", b)
	got, url := collects(t)
	c, errs, stop := serveClient(t, "--otlp-endpoint", url, "events="+inBucket+"events.orc")
	const id, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	ctx := metadata.AppendToOutgoingContext(t.Context(), "traceparent", "00-"+id+"-"+parent+"-01")
	text := answerIn(ctx, t, c, `{"dataset":"events","where":"name__seq < 'row-00001000'"}`)
	rows := strings.Count(text, "\n")
	if code := stop(); code != exitOK {
		t.Fatal(code, errs)
	}
	if rows == 0 || !strings.Contains(errs.String(), "trace_id="+id) {
		t.Error(rows, errs)
	}
	caller, _ := hex.DecodeString(parent)
	gets := got.below(caller, "arrow.flight.protocol.FlightService/DoGet")
	if len(gets) != 1 || got.services[0] != "arrowio" {
		t.Fatal(got.spans, got.services)
	}
	if q := attributeOf(gets[0], "db.query.text"); q != "events where name__seq < ?" {
		t.Error(q)
	}
	if attributeOf(gets[0], "arrowio.dataset") != "events" || attributeOf(gets[0], "arrowio.rows") == "" {
		t.Error(gets[0])
	}
	scans := got.below(gets[0].SpanId, "scan")
	if len(scans) != 1 || attributeOf(scans[0], "arrowio.rows") != attributeOf(gets[0], "arrowio.rows") {
		t.Fatal(scans, got.spans)
	}
	reads, opens := got.below(scans[0].SpanId, "store read"), got.below(scans[0].SpanId, "open")
	if len(reads) == 0 || len(opens) != 1 || !strings.Contains(attributeOf(opens[0], "arrowio.file"), "events.orc") {
		t.Error(reads, opens)
	}
	for _, s := range got.spans {
		if strings.Contains(s.String(), "row-0") {
			t.Error(s)
		}
	}
}

// A collector that is not there stops nothing, and is told in the log.
func TestTracesWithoutCollector(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "200")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+l.Addr().String())
	c, errs, stop := serveClient(t, "people="+peopleFile(t, t.TempDir(), "a.arrow", 0, 10))
	answer(t, c, `{"dataset":"people"}`)
	if code := stop(); code != exitOK || !strings.Contains(errs.String(), "traces were not sent") {
		t.Error(code, errs)
	}
	fails(t, do(t, "serve", "--otlp-endpoint", "127.0.0.1:4317", "a=b"), exitUsage, "otlp-endpoint", "http://127.0.0.1:4317")
}
