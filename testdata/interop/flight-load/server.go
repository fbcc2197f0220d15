package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is an `arrowio serve` that runs.
type server struct {
	cmd       *exec.Cmd
	addresses []string // as gRPC names them
	monitor   string
	log       string
	ended     chan error
}

// startServer runs it with args; its log is a file in dir.
func startServer(ctx context.Context, bin, dir string, args ...string) (*server, error) {
	s := &server{log: filepath.Join(dir, "server.log"), ended: make(chan error, 1)}
	log, err := os.Create(s.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	socket := filepath.Join(dir, "socket")
	_ = os.Remove(socket) // of a run before
	s.cmd = exec.Command(bin, append([]string{
		"serve", "--listen", "grpc://127.0.0.1:0", "--listen", "unix://" + socket, "--metrics-listen", "127.0.0.1:0", "--log", "json",
	}, args...)...)
	s.cmd.Stderr = log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for len(s.addresses) < 2 && lines.Scan() {
		a := strings.TrimPrefix(lines.Text(), "grpc://")
		if path, ok := strings.CutPrefix(a, "grpc+unix://"); ok {
			a = "unix:" + path
		}
		s.addresses = append(s.addresses, a)
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		s.ended <- s.cmd.Wait()
	}()
	if len(s.addresses) < 2 {
		text, _ := os.ReadFile(s.log)
		return nil, fmt.Errorf("the server does not start: %s", text)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if s.monitor = monitorOf(s.log); s.monitor != "" {
			return s, nil
		}
		if time.Now().After(end) || ctx.Err() != nil {
			s.kill()
			return nil, errors.New("the server does not say where its monitor is")
		}
	}
}

// monitorOf reads the log's first lines.
func monitorOf(log string) string {
	f, err := os.Open(log)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l struct{ Msg, Address string }
		if json.Unmarshal(lines.Bytes(), &l) == nil && l.Msg == "monitor" {
			return l.Address
		}
	}
	return ""
}

func (s *server) kill() { _ = s.cmd.Process.Kill() }

// end drains the server; an error says that it did not end well.
func (s *server) end(timeout time.Duration) error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-s.ended:
		return err
	case <-time.After(timeout):
		s.kill()
		return fmt.Errorf("the server was still there %s after SIGTERM", timeout)
	}
}

// sample is what /metrics says at a moment, and of labels only their sum.
type sample map[string]float64

const (
	metricRSS        = "process_resident_memory_bytes"
	metricHeap       = "go_memstats_heap_inuse_bytes"
	metricPool       = "arrowio_flight_pool_bytes"
	metricGoroutines = "go_goroutines"
	metricFiles      = "process_open_fds"
	metricCPU        = "process_cpu_seconds_total"
	metricStreams    = "arrowio_flight_streams"
	metricRunning    = "arrowio_flight_calls_running"
	metricSent       = "arrowio_flight_sent_bytes"
	metricMemory     = "arrowio_flight_memory_bytes"
	metricQueue      = "arrowio_flight_queue_memory"
	metricQueueSent  = "arrowio_flight_queue_sent"
	metricBytes      = "arrowio_flight_bytes_total"
	metricRows       = "arrowio_flight_rows_total"
	metricCalls      = "arrowio_flight_calls_total"
	metricLess       = " less the pool"
)

func (s *server) sample() (sample, error) {
	client := http.Client{Timeout: 20 * time.Second}
	r, err := client.Get(s.monitor + "/metrics")
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	defer client.CloseIdleConnections()
	out := sample{}
	lines := bufio.NewScanner(r.Body)
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), " ")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		if strings.Contains(name, "{") { // label values may have spaces
			name, value, _ = strings.Cut(lines.Text(), "{")
			value = value[strings.LastIndexByte(value, ' ')+1:]
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("metrics: %q", lines.Text())
		}
		out[name] += v
	}
	for _, metric := range []string{metricRSS, metricHeap} { // the pool fills for an hour, and has a bound of its own
		out[metric+metricLess] = out[metric] - out[metricPool]
	}
	return out, lines.Err()
}

// peak is the most memory that the server's process has had, by the kernel.
func (s *server) peak() (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.ParseInt(strings.Fields(v)[0], 10, 64)
			return n << 10, err
		}
	}
	return 0, errors.New("no VmHWM")
}

func mib(n float64) float64 { return n / (1 << 20) }
