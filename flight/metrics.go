package flight

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// Metrics counts calls for Prometheus. It is an Observer. Rows, batches and bytes of running calls are counted when they are
// sent. The label dataset is the name of a dataset in the catalog, or empty.
type Metrics struct {
	// Names reports whether the Handler may answer a request with the names of datasets. If not, the label dataset is empty. nil = it may.
	// It is set before the Handler is used.
	Names func(r *http.Request) bool

	catalog  *Catalog
	limits   *Limits
	registry *prometheus.Registry
	nameless *prometheus.Registry // without names of datasets
	calls    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec

	mu      sync.Mutex
	running map[*Call]struct{}
	ended   map[string]*amounts // by dataset
}

type amounts struct{ rows, batches, bytes int64 }

func (a *amounts) add(c *Call) {
	rows, batches, bytes := c.Sent()
	a.rows += rows
	a.batches += batches
	a.bytes += bytes
}

// NewMetrics returns the metrics of a server with this catalog and these limits, each of which may be nil. The metrics have their
// own registry, which includes those of the process and of Go's runtime.
func NewMetrics(catalog *Catalog, limits *Limits) *Metrics {
	m := &Metrics{
		catalog: catalog, limits: limits, registry: prometheus.NewRegistry(), nameless: prometheus.NewRegistry(),
		running: map[*Call]struct{}{}, ended: map[string]*amounts{},
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "arrowio_flight_calls_total", Help: "Calls that have ended, by how they were answered.",
		}, []string{"method", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "arrowio_flight_call_seconds", Help: "How long calls took, from their start to their status.",
			Buckets: []float64{.001, .005, .025, .1, .5, 1, 5, 15, 60, 300, 1800},
		}, []string{"method"}),
	}
	for _, r := range []*prometheus.Registry{m.registry, m.nameless} {
		r.MustRegister(m.calls, m.seconds, flightCollector{m, r == m.registry}, collectors.NewGoCollector(),
			collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	}
	return m
}

// Started implements Observer.
func (m *Metrics) Started(c *Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running[c] = struct{}{}
}

// Ended implements Observer.
func (m *Metrics) Ended(c *Call, err error) {
	method := knownMethod(c.Method)
	m.calls.WithLabelValues(method, codeOf(err).String()).Inc()
	m.seconds.WithLabelValues(method).Observe(time.Since(c.Started).Seconds())
	names := m.catalog.Names()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.running, c)
	addTo(m.ended, c, names)
}

func addTo(to map[string]*amounts, c *Call, names []string) {
	d := c.Dataset()
	if _, ok := slices.BinarySearch(names, d); !ok { // clients do not make labels
		d = ""
	}
	if to[d] == nil {
		to[d] = &amounts{}
	}
	to[d].add(c)
}

// knownMethod keeps the labels to what there is, whichever services are registered.
func knownMethod(m string) string {
	switch m {
	case "Handshake", "ListFlights", "GetFlightInfo", "PollFlightInfo", "GetSchema", "DoGet", "DoPut", "DoExchange", "DoAction", "ListActions":
		return m
	}
	return "other"
}

// Handler serves /metrics.
func (m *Metrics) Handler() http.Handler {
	handler := func(r *prometheus.Registry) http.Handler {
		return promhttp.HandlerFor(r, promhttp.HandlerOpts{Registry: r, MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
	}
	all, nameless := handler(m.registry), handler(m.nameless)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m.Names == nil || m.Names(r) {
			all.ServeHTTP(w, r)
		} else {
			nameless.ServeHTTP(w, r)
		}
	})
}

// flightCollector tells what is known when it is asked.
type flightCollector struct {
	m     *Metrics
	names bool // of datasets are told
}

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("arrowio_flight_"+name, help, labels, nil)
}

var (
	descRows     = desc("rows_total", "Rows handed to the transport.", "dataset")
	descBatches  = desc("batches_total", "Batches handed to the transport.", "dataset")
	descBytes    = desc("bytes_total", "Bytes of Arrow memory handed to the transport.", "dataset")
	descRunning  = desc("calls_running", "Calls under way.", "method")
	descDatasets = desc("datasets", "Datasets of the catalog.")
	descBroken   = desc("datasets_broken", "Datasets of the catalog that cannot be opened.")
	descLeftOut  = desc("files_left_out", "Files that are left out of their datasets, because they cannot be opened or are links that lead elsewhere.")
	descPool     = desc("pool_bytes", "Freed buffers of the process that are kept for the next batches.")

	descStreams     = desc("streams", "Streams admitted.")
	descMaxStreams  = desc("streams_limit", "Streams that may be admitted.")
	descSent        = desc("sent_bytes", "Bytes handed to the transport that clients have not taken yet.")
	descMaxSent     = desc("sent_bytes_limit", "What sent_bytes may be.")
	descMemory      = desc("memory_bytes", "Memory budgets of scans.")
	descMaxMemory   = desc("memory_bytes_limit", "What memory_bytes may be.")
	descMemWaiting  = desc("queue_memory", "Calls that wait for memory before they start.")
	descSentWaiting = desc("queue_sent", "Streams that wait for clients to take what was sent.")
)

// Describe implements prometheus.Collector.
func (flightCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		descRows, descBatches, descBytes, descRunning, descDatasets, descBroken, descLeftOut, descPool, descStreams, descMaxStreams, descSent, descMaxSent,
		descMemory, descMaxMemory, descMemWaiting, descSentWaiting,
	} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (f flightCollector) Collect(to chan<- prometheus.Metric) {
	m := f.m
	names := m.catalog.Names()
	sent := map[string]*amounts{}
	running := map[string]int{}
	labels := names
	if !f.names {
		labels = nil
	}
	m.mu.Lock()
	for d, a := range m.ended {
		if !f.names {
			d = ""
		}
		if sent[d] == nil {
			sent[d] = &amounts{}
		}
		sent[d].rows += a.rows
		sent[d].batches += a.batches
		sent[d].bytes += a.bytes
	}
	for c := range m.running {
		running[knownMethod(c.Method)]++
		addTo(sent, c, labels)
	}
	m.mu.Unlock()

	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for name, a := range sent {
		to <- prometheus.MustNewConstMetric(descRows, prometheus.CounterValue, float64(a.rows), name)
		to <- prometheus.MustNewConstMetric(descBatches, prometheus.CounterValue, float64(a.batches), name)
		to <- prometheus.MustNewConstMetric(descBytes, prometheus.CounterValue, float64(a.bytes), name)
	}
	for method, n := range running {
		gauge(descRunning, float64(n), method)
	}
	gauge(descDatasets, float64(len(names)))
	broken, files := counted(m.catalog.Faults())
	gauge(descBroken, float64(broken))
	gauge(descLeftOut, float64(files))
	gauge(descPool, float64(arrowbuf.Shared().Kept()))
	if m.limits == nil {
		return
	}
	u := m.limits.Usage()
	gauge(descStreams, float64(u.Streams))
	gauge(descMaxStreams, float64(u.MaxStreams))
	gauge(descSent, float64(u.Sent))
	gauge(descMaxSent, float64(u.MaxSent))
	gauge(descMemory, float64(u.Memory))
	gauge(descMaxMemory, float64(u.MaxMemory))
	gauge(descMemWaiting, float64(u.MemWaiting))
	gauge(descSentWaiting, float64(u.SentWaiting))
}

// counted returns how many datasets and files faults are.
func counted(faults []Fault) (datasets, files int) {
	for _, f := range faults {
		if f.File == "" {
			datasets++
		} else {
			files++
		}
	}
	return datasets, files
}

// MonitorHandler returns a handler for /metrics, /healthz (always 200) and /readyz (200 while h is ready, otherwise 503).
func MonitorHandler(m *Metrics, h *Health) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !h.Ready() {
			why := "shutting down"
			if h.starting.Load() {
				why = "starting"
			}
			http.Error(w, why, http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ready\n")
		if datasets, files := counted(m.catalog.Faults()); datasets+files > 0 {
			_, _ = fmt.Fprintf(w, "datasets that cannot be opened: %d\nfiles that are left out: %d\n", datasets, files)
		}
	})
	return mux
}
