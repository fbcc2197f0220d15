package flight

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
)

func answerOf(t *testing.T, h http.Handler, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	b, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(b)
}

// The metrics are what was done.
func TestMetrics(t *testing.T) {
	dir := events(t, 1000)
	l := limits(t, LimitOptions{Streams: 7})
	catalog := NewCatalog(CatalogOptions{})
	if err := catalog.Add(t.Context(), "events", Spec{Paths: []string{dir}}); err != nil {
		t.Fatal(err)
	}
	m, health := NewMetrics(catalog, l), NewHealth()
	r := start(t, Options{Limiter: l, Observers: []Observer{m}}, map[string]Spec{"events": {Paths: []string{dir}}})
	c := r.client(t)
	for range 2 {
		getAll(t.Context(), t, c, pathOf("events"))
	}
	for _, name := range []string{"none", "nothing", `x"}`} {
		if _, err := c.GetFlightInfo(t.Context(), pathOf(name)); code(err) != codes.NotFound {
			t.Error(err)
		}
	}
	h := MonitorHandler(m, health)
	settled(t, "calls do not end", func() bool { return len(r.Calls()) == 0 && l.Usage().Sent == 0 })
	status, text := answerOf(t, h, "/metrics")
	if status != http.StatusOK {
		t.Fatal(status, text)
	}
	for _, line := range []string{
		`arrowio_flight_rows_total{dataset="events"} 6000`,
		`arrowio_flight_calls_total{code="OK",method="DoGet"} 2`,
		`arrowio_flight_calls_total{code="OK",method="GetFlightInfo"} 2`,
		`arrowio_flight_calls_total{code="NotFound",method="GetFlightInfo"} 3`,
		`arrowio_flight_call_seconds_count{method="DoGet"} 2`,
		"arrowio_flight_datasets 1", "arrowio_flight_streams 0", "arrowio_flight_streams_limit 7",
		"arrowio_flight_sent_bytes 0", "arrowio_flight_memory_bytes 0", "arrowio_flight_queue_memory 0",
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("there is no %s", line)
		}
	}
	for _, absent := range []string{`dataset="none"`, "calls_running{"} {
		if strings.Contains(text, absent) {
			t.Errorf("%s is there", absent)
		}
	}
	if t.Failed() {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "arrowio_") {
				t.Log(line)
			}
		}
	}

	if status, _ := answerOf(t, h, "/healthz"); status != http.StatusOK {
		t.Error(status)
	}
	if status, _ := answerOf(t, h, "/readyz"); status != http.StatusOK {
		t.Error(status)
	}
	health.Shutdown()
	health.Shutdown()
	if status, _ := answerOf(t, h, "/readyz"); status != http.StatusServiceUnavailable {
		t.Error(status)
	}
	if status, _ := answerOf(t, h, "/healthz"); status != http.StatusOK {
		t.Error(status)
	}
}

// Rows of a stream are counted while it runs.
func TestMetricsOfRunningStreams(t *testing.T) {
	t.Parallel()
	dir := events(t, 150_000)
	catalog := NewCatalog(CatalogOptions{})
	m := NewMetrics(catalog, nil)
	r := start(t, Options{Observers: []Observer{m}, DrainTimeout: -1}, map[string]Spec{"events": {Paths: []string{dir}}})
	st := stalled(t.Context(), t, r, r.client(t), []byte(`{"dataset":"events","batch_bytes":262144}`))
	_, text := answerOf(t, m.Handler(), "/")
	if !strings.Contains(text, `arrowio_flight_calls_running{method="DoGet"} 1`) || strings.Contains(text, `arrowio_flight_batches_total{dataset=""} 0`) {
		t.Error("a running stream is not counted")
	}
	for err := error(nil); err == nil; {
		_, err = st.Recv()
	}
}

// Health needs no token, and those who watch do not keep a server from ending.
func TestHealth(t *testing.T) {
	dir := events(t, 10)
	path, _ := tokenFileOf(t, "alice")
	h := NewHealth()
	r := start(t, Options{
		Authorizer: access(t, AccessOptions{Tokens: path}), DrainTimeout: -1,
		Register: []func(*grpc.Server){h.Register, RegisterReflection},
	}, map[string]Spec{"events": {Paths: []string{dir}}})
	conn, err := grpc.NewClient(r.addr.String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c := grpc_health_v1.NewHealthClient(conn)
	for _, name := range []string{"", flightServiceName} {
		resp, err := c.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: name})
		if err != nil || resp.Status != grpc_health_v1.HealthCheckResponse_SERVING {
			t.Error(resp, err)
		}
	}
	if _, err := c.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: "x"}); code(err) != codes.NotFound {
		t.Error(err)
	}
	// Reflection is for those with a token.
	rs, err := grpc_reflection_v1.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rs.Recv(); code(err) != codes.Unauthenticated {
		t.Error(err)
	}
	w, err := c.Watch(t.Context(), &grpc_health_v1.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := w.Recv(); err != nil || resp.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Fatal(resp, err)
	}
	h.Shutdown()
	if resp, err := w.Recv(); err != nil || resp.Status != grpc_health_v1.HealthCheckResponse_NOT_SERVING {
		t.Error(resp, err)
	}
	if _, err := w.Recv(); code(err) != codes.Unavailable {
		t.Error(err)
	}
}
